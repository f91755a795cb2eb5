/* The time that a fit will take, said before it begins. */
#ifndef ORFFI_MODEL_EXPECT_H
#define ORFFI_MODEL_EXPECT_H

#include "model/rows.h"

/* Multiplications with an addition, at the rate of a product of matrices, that a fit of n rows takes by an engine; NAN where
 * they cannot be counted beforehand: lattices, iterations, kernels and weights to be chosen. */
double orffi_expect_work(const orff_settings *settings, const orffi_engine *engine, size_t d, size_t p,
                         size_t n);

/* The same of an exact fit at a known noise, of n numbers. */
double orffi_expect_exact(double n);

/* To the log: the engine, why, and about how many seconds, where these are enough to be worth a line. */
orff_status orffi_expect_say(const orff_settings *settings, const orffi_rows *rows);

#endif
