/* Offsets of groups are not part of f, and so not errors of f. The offset of a held-out row is taken to be
 *
 *     the one found by the fit, if its group also has rows outside of the fold;
 *     otherwise what the rows of its group in the fold show:  r m / (1 + r m) times the mean of y - f,
 *     for m rows of weight 1 and offsets of r times the variance of the noise, as a fit would estimate it.
 *
 * A measurement along a direction shows no vector, so for directed rows the offsets of groups unknown to
 * the fit remain errors. */
#include <math.h>

#include "base/memory.h"
#include "model/trend.h"
#include "model/tune_folds.h"

typedef struct fold {
    const orff_observations *o;
    const uint64_t *groups;
    const orffi_trend *trend;
    size_t n;
    const size_t *rows; /* n: numbers of rows in o */
    double *f;          /* n x p */
} fold;

static bool add_found(const fold *t, size_t i) {
    const size_t p = t->o->p;
    for (size_t g = 0; g < t->trend->offsets; g++) {
        if (t->trend->labels[g] != t->groups[t->rows[i]]) continue;
        const double *offset = t->trend->beta + (t->trend->terms - t->trend->offsets + g) * p;
        for (size_t a = 0; a < p; a++) t->f[i * p + a] += offset[a];
        return true;
    }
    return false;
}

/* Adds the offset of output a to all rows of a group whose first row in the fold is `first`. */
static void add_shown(const fold *t, size_t first, size_t a) {
    const size_t p = t->o->p;
    const uint64_t group = t->groups[t->rows[first]];
    double sum = 0.0, count = 0.0;
    for (size_t i = first; i < t->n; i++) {
        const double more = t->o->Y[t->rows[i] * p + a] - t->f[i * p + a],
                     weight = t->o->weights ? t->o->weights[t->rows[i]] : 1.0;
        if (t->groups[t->rows[i]] != group || isnan(more)) continue;
        sum += weight * more;
        count += weight;
    }
    const double offset = count > 0.0 ? t->trend->ratio * sum / (1.0 + t->trend->ratio * count) : 0.0;
    for (size_t i = first; i < t->n; i++)
        if (t->groups[t->rows[i]] == group) t->f[i * p + a] += offset;
}

orff_status orffi_tune_add_offsets(const orff_observations *o, const uint64_t *groups,
                                   const orffi_trend *trend, size_t n, const size_t *rows, double *f) {
    const fold t = {o, groups, trend, n, rows, f};
    bool *done;
    if (!trend || !trend->offsets) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(done, n));
    for (size_t i = 0; i < n; i++) {
        if (done[i] || add_found(&t, i) || o->directions) continue;
        for (size_t a = 0; a < o->p; a++) add_shown(&t, i, a);
        for (size_t k = i; k < n; k++) done[k] |= groups[rows[k]] == groups[rows[i]];
    }
    orffi_release(done);
    return ORFF_OK;
}
