/* Outliers: rows that differ from their neighbours far more than the neighbours differ among themselves
 * (Hampel 1974: medians, and medians of absolute deviations, which even half of the rows cannot move far).
 *
 *     r_i = y_i - median of the K nearest rows,     |r_i| > z max(S, S_i, s_i)
 *
 * S is what all r spread by, by their median, S_i what the neighbours of row i spread by, by their upper quartile, both as a
 * normal law has it; of normal errors one table of 700 has a row beyond z. Rows beside steps are no outliers: a quarter of
 * their neighbours is like them. Where errors or instruments are known, s_i is what rows of this error, of this instrument,
 * spread by. What is found is taken out, and the others are compared again.
 */
#ifndef ORFFI_MODEL_OUTLIERS_H
#define ORFFI_MODEL_OUTLIERS_H

#include "model/model.h"

typedef struct orffi_outliers {
    bool *out; /* n */
    size_t count;
    double share; /* of the sum of r^2; the largest over the outputs */
} orffi_outliers;

/* In rows without directions; their weights, walls and functionals are not looked at. offsets: n, rows of the same number have
 * an offset in common; or NULL. Only outputs count of which outliers have more than `share` of the sum of r^2. To be cleared
 * in any case. */
orff_status orffi_outliers_find(orffi_outliers *found, const orff_observations *rows, const uint64_t *offsets,
                                double share);
void orffi_outliers_clear(orffi_outliers *outliers);

/* Rows without their outliers, and settings to match. */
typedef struct orffi_without_outliers {
    orff_observations rows;
    size_t count;
    orff_settings *settings; /* count */
    double *X, *Y, *weights, *errors;
    uint32_t *instruments;
    uint64_t **groups; /* 2 x count: the groups of each settings, and those with offsets */
} orffi_without_outliers;

/* Drops outliers if settings[0] asks for it. What is NULL in `rows` is NULL in the copy. Clear `left` in
 * any case. */
orff_status orffi_outliers_drop(orffi_without_outliers *left, size_t count, const orff_settings *settings,
                                const orff_observations *rows);
void orffi_without_outliers_clear(orffi_without_outliers *left);

/* An error where some candidates ask for it and others do not. */
orff_status orffi_outliers_compare(size_t count, const orff_settings *candidates);

/* An error where they are asked for, but there are no rows in memory to tell them by. */
orff_status orffi_outliers_refuse(const orff_settings *settings, const char *what);

#endif
