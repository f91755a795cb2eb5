/* The exact engine, as its files share it: a fit is an orff_exact, whose own mean is not used. */
#ifndef ORFFI_ENGINE_EXACT_H
#define ORFFI_ENGINE_EXACT_H

#include "engine/engine.h"
#include "exact/learn.h"

orff_status orffi_exact_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                               double *out);

orff_status orffi_exact_draw_samples(const void *fit, uint64_t seed, size_t count, orffi_deviation *samples);
orff_status orffi_exact_sum(const void *fit, orffi_term *term);

int orffi_exact_pack(const void *fit, json_t *model);
orff_status orffi_exact_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
orff_status orffi_exact_load(void **fit, const orffi_fields *model, const orff_kernel *kernel);

#endif
