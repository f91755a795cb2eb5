/* The exact engine, shared by its files: a fit is an orff_exact, whose own mean is not used. */
#ifndef ORFFI_ENGINE_EXACT_H
#define ORFFI_ENGINE_EXACT_H

#include "engine/engine.h"
#include "exact/learn.h"

orff_status orffi_exact_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                               double *out);

/* Derived fields and their errors. A Jacobian (p x d), or a potential in its place, has so much room. */
static inline size_t orffi_exact_room(size_t d, size_t p) {
    return p * d + 3;
}
static inline bool orffi_is_potential(const orffi_derived *what) {
    return what->field == ORFF_FIELD_POTENTIAL || what->field == ORFF_FIELD_STREAM;
}
orff_status orffi_exact_check_derived(const orff_exact *exact, const orffi_derived *what);
/* Adds to J (count x room) at x the contribution of `count` coefficients alpha (count x p) of a row's
 * point, in the kernel's units. work: see orffi_exact_row_work. */
size_t orffi_exact_row_work(size_t d, size_t p);
void orffi_exact_derive_row(const orff_exact *exact, const orffi_derived *what, const double *x, size_t row,
                            size_t count, const double *alpha, double *work, double *J);
/* Computes the field (k) from J, which is overwritten. */
void orffi_exact_derived_finish(const orff_exact *exact, const orffi_derived *what, double *J, double *out);

bool orffi_exact_has_derived_covariance(const void *fit, const orffi_derived *what);
orff_status orffi_exact_derived_covariance(const void *fit, const orffi_derived *what, size_t n,
                                           const double *x, double *out);

orff_status orffi_exact_draw_samples(const void *fit, uint64_t seed, size_t count, orffi_deviation *samples);
orff_status orffi_exact_sum(const void *fit, orffi_term *term);

int orffi_exact_pack(const void *fit, json_t *model);
orff_status orffi_exact_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
orff_status orffi_exact_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

#endif
