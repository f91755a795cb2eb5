#include "stack/split.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "moments/moments.h"

void orffi_split_clear(orffi_split *split) {
    orffi_release(split->X);
    orffi_release(split->Y);
    orffi_release(split->weights);
    memset(split, 0, sizeof *split);
}

static double weight_of(const double *weights, size_t row) {
    return weights ? weights[row] : 1.0;
}

/* Computes the fold of every row, and returns the one to hold out, or `folds` if none is suitable. */
static size_t find_folds(size_t n, size_t d, size_t p, const double *X, const double *Y,
                         const double *weights, const orff_moments_settings *how, double *sums,
                         size_t *fold) {
    size_t best = how->folds;
    double total = 0.0;
    memset(sums, 0, how->folds * sizeof *sums);
    for (size_t i = 0; i < n; i++) {
        fold[i] = orffi_moments_fold(how, i, d, X + i * d, p, Y + i * p);
        sums[fold[i]] += weight_of(weights, i);
        total += weight_of(weights, i);
    }
    const double share = total / (double)how->folds;
    for (size_t k = 0; k < how->folds; k++)
        if (sums[k] > 0.0 && sums[k] < total &&
            (best == how->folds || fabs(sums[k] - share) < fabs(sums[best] - share)))
            best = k;
    return best;
}

static void copy_row(orffi_split *split, size_t to, size_t from, const double *X, const double *Y,
                     const double *weights) {
    memcpy(split->X + to * split->d, X + from * split->d, split->d * sizeof *X);
    memcpy(split->Y + to * split->p, Y + from * split->p, split->p * sizeof *Y);
    if (weights) split->weights[to] = weights[from];
}

static void copy_rows(orffi_split *split, const size_t *fold, size_t left, const double *X, const double *Y,
                      const double *weights) {
    size_t to = 0;
    for (size_t i = 0; i < split->n; i++)
        if (fold[i] != left) {
            copy_row(split, to++, i, X, Y, weights);
            split->learned_weight += weight_of(weights, i);
        }
    split->learned = to;
    for (size_t i = 0; i < split->n; i++)
        if (fold[i] == left) {
            copy_row(split, to++, i, X, Y, weights);
            split->left_weight += weight_of(weights, i);
        }
}

static orff_status divide(orffi_split *split, const double *X, const double *Y, const double *weights,
                          const orff_stack_training *how, double *sums, size_t *fold) {
    orff_moments_settings settings = {
        .folds = how->folds, .seed = how->seed, .blocks = how->blocks, .groups = how->groups};
    size_t left = find_folds(split->n, split->d, split->p, X, Y, weights, &settings, sums, fold);
    if (left == how->folds) {
        settings.blocks = NULL;
        settings.groups = NULL;
        left = find_folds(split->n, split->d, split->p, X, Y, weights, &settings, sums, fold);
    }
    if (left == how->folds)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "a stack needs rows to learn from and others to judge by; these are too few, or all the "
            "same: give more rows");
    copy_rows(split, fold, left, X, Y, weights);
    return ORFF_OK;
}

orff_status orffi_split_fill(orffi_split *split, size_t n, size_t d, size_t p, const double *X,
                             const double *Y, const double *weights, const orff_stack_training *how) {
    double *sums;
    size_t *fold = NULL;
    *split = (orffi_split){.n = n, .d = d, .p = p};
    ORFFI_TRY(ORFFI_NEW_ARRAY(split->X, n * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(split->Y, n * p));
    if (weights) ORFFI_TRY(ORFFI_NEW_ARRAY(split->weights, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(sums, how->folds));
    orff_status status = ORFFI_NEW_ARRAY(fold, n);
    if (!status) status = divide(split, X, Y, weights, how, sums, fold);
    orffi_release(sums);
    orffi_release(fold);
    return status;
}
