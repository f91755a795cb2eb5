/* The engine of stacks, as its files share it. Its kernel (d inputs) says what the first layer sees; hidden layers are
 * decomposable with the identity, and the last layer has the parts of the kernel on what the hidden ones give, whose length
 * scales are those of the kernel relative to the first part's: W of the first layer begins as 1/sigma.
 */
#ifndef ORFFI_ENGINE_STACK_H
#define ORFFI_ENGINE_STACK_H

#include "engine/features.h"
#include "stack/stack.h"

typedef struct orffi_stack_fit {
    orff_kernel *kernel;
    orffi_features_fit *head; /* the last layer: a fit on what the hidden layers give */
    orff_stack *stack;        /* hidden layers, and the last one borrowed from the head */
} orffi_stack_fit;

/* Hidden layers are taken over, the last layer of `stack` being still to be filled; so is the head. Also on failure. */
orff_status orffi_stack_fit_create(orffi_stack_fit **fit, const orff_kernel *kernel, orff_stack *stack,
                                   orffi_features_fit *head);
void orffi_stack_fit_free(void *fit);

orff_status orffi_stack_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                               double *out);
orff_status orffi_stack_draw(const void *fit, uint64_t seed, size_t count, orffi_deviation *samples);

int orffi_stack_pack(const void *fit, json_t *model);
orff_status orffi_stack_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
orff_status orffi_stack_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

#endif
