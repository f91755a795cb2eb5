/* What some of the rows say: where they lie, how far they spread, how far apart they are. */
#ifndef ORFFI_MODEL_SURVEY_H
#define ORFFI_MODEL_SURVEY_H

#include "model/rows.h"

/* Mean, standard deviation (1 if it is 0) and range of each column of A (n x cols). Any of the outputs may
 * be NULL. */
void orffi_column_statistics(size_t n, size_t cols, const double *A, double *mean, double *deviation,
                             double *range);

/* The median distance between rows of X (n x d) over `count` inputs, periodic ones measured around their
 * circles, from a seeded sample of pairs. 1 if all rows are the same. */
orff_status orffi_median_distance(size_t n, size_t d, const double *X, size_t count, const size_t *inputs,
                                  const double *periods, uint64_t seed, double *median);

#endif
