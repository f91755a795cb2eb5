/* Announces how long a fit will take. */
#ifndef ORFFI_MODEL_EXPECT_H
#define ORFFI_MODEL_EXPECT_H

#include "model/rows.h"

/* Multiply-adds, as in a matrix product, of a fit of n rows by an engine; NAN where they cannot be counted
 * beforehand: lattices, iterations, kernels and weights to be chosen. */
double orffi_expect_work(const orff_settings *settings, const orffi_engine *engine, size_t d, size_t p,
                         size_t n);

/* The same for an exact fit of n numbers at a known noise. */
double orffi_expect_exact(double n);

/* Logs the engine, the reason for it, and the expected time, if it is long enough to matter. */
orff_status orffi_expect_say(const orff_settings *settings, const orffi_rows *rows);

#endif
