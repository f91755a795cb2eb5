/* The engine of stacks, shared by its files. Its kernel (d inputs) describes the first layer's inputs.
 * Hidden layers are decomposable with the identity; the last layer has the parts of the kernel on the
 * outputs of the hidden layers, with length scales relative to that of the first part: W of the first
 * layer begins as 1/sigma. */
#ifndef ORFFI_ENGINE_STACK_H
#define ORFFI_ENGINE_STACK_H

#include "engine/features.h"
#include "stack/stack.h"

typedef struct orffi_stack_fit {
    orff_kernel *kernel;
    orffi_features_fit *head; /* the last layer: a fit on the outputs of the hidden layers */
    orff_stack *stack;        /* hidden layers, and the last one borrowed from the head */
} orffi_stack_fit;

/* Takes over the head and the hidden layers, also on failure; the last layer of `stack` must still be
 * empty. */
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
