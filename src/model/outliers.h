/* Outliers: rows that differ from their neighbours far more than the neighbours differ among themselves
 * (Hampel 1974: medians, and medians of absolute deviations, which even half of the rows cannot move far).
 *
 *     r_i = y_i - median of the K nearest rows,     |r_i| > z max(S, S_i)
 *
 * S is the standard deviation of all r, estimated from the median of |r|; S_i is that of the neighbours of
 * row i, estimated from their upper quartile. z is such that one table of 700 with normal errors has a row
 * beyond it. Rows beside steps are no outliers, as a quarter of their neighbours is like them. Outliers
 * are removed, and the other rows compared again. */
#ifndef ORFFI_MODEL_OUTLIERS_H
#define ORFFI_MODEL_OUTLIERS_H

#include "model/model.h"

typedef struct orffi_outliers {
    bool *out; /* n */
    size_t count;
    double share; /* of the sum of r^2; the largest over the outputs */
} orffi_outliers;

/* Finds outliers in n rows X (n x d), Y (n x p, NAN where an output is missing). An output counts only if
 * its outliers have more than `share` of the sum of r^2. Clear `found` in any case. */
orff_status orffi_outliers_find(orffi_outliers *found, size_t n, size_t d, size_t p, const double *X,
                                const double *Y, double share);
void orffi_outliers_clear(orffi_outliers *outliers);

/* Rows without their outliers, and settings to match. */
typedef struct orffi_without_outliers {
    orff_observations rows;
    orff_settings *settings; /* count */
    double *X, *Y, *weights, *errors;
    uint32_t *instruments;
    uint64_t *groups, *offsets;
} orffi_without_outliers;

/* Drops outliers if settings[0] asks for it. What is NULL in `rows` is NULL in the copy. Clear `left` in
 * any case. */
orff_status orffi_outliers_drop(orffi_without_outliers *left, size_t count, const orff_settings *settings,
                                const orff_observations *rows);
void orffi_without_outliers_clear(orffi_without_outliers *left);

/* Fails if the settings ask to drop outliers, but no rows are in memory. */
orff_status orffi_outliers_refuse(const orff_settings *settings, const char *what);

#endif
