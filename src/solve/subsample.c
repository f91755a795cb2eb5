#include "solve/subsample.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"

/* ---- the rows */

static size_t candidates(size_t n, const double *root, size_t *rows) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!root || root[i] > 0.0) rows[count++] = i;
    return count;
}

/* Draws `count` of `all` rows: divides them into `count` parts of equal size and draws one row at random from
 * each. The indices of drawn rows of this process move to the front of `rows`. The draw does not depend on
 * the number of processes. */
static size_t draw_parts(size_t before, size_t there, size_t all, size_t count, uint64_t seed, size_t *rows) {
    const orffi_rng rng = {.seed = seed, .stream = 0x53554253u};
    const size_t each = all / count, rest = all % count;
    size_t own = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t first = i * each + i * rest / count, end = (i + 1) * each + (i + 1) * rest / count;
        const size_t row = first + (size_t)orffi_rng_below(rng, i, 0, end - first);
        if (row >= before && row - before < there) rows[own++] = rows[row - before];
    }
    return own;
}

/* x and sqrt(c) of the rows drawn in this process   (s->n x (d + 1)) */
static orff_status pick_rows(const orffi_subsample *s, size_t d, const size_t *rows, const double *X,
                             const double *root, double **picked) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(*picked, s->n * (d + 1)));
    for (size_t i = 0; i < s->n; i++) {
        memcpy(*picked + i * (d + 1), X + rows[i] * d, d * sizeof *X);
        (*picked)[i * (d + 1) + d] = root ? root[rows[i]] : 1.0;
    }
    return ORFF_OK;
}

/* Stores the picked rows of all processes in s. */
static orff_status keep_rows(orffi_subsample *s, size_t d, const double *picked, double total) {
    double weight = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->X, s->n * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->root, s->n));
    for (size_t i = 0; i < s->n; i++) {
        memcpy(s->X + i * d, picked + i * (d + 1), d * sizeof *s->X);
        s->root[i] = picked[i * (d + 1) + d];
        weight += s->root[i] * s->root[i];
    }
    s->scale = total / weight;
    return ORFF_OK;
}

static orff_status draw_rows(orffi_subsample *s, const orff_features *f, size_t n, const double *X,
                             const double *root, double total, size_t count, uint64_t seed,
                             const orff_sharing *sharing, size_t *rows) {
    const size_t there = candidates(n, root, rows);
    size_t before, all;
    double *mine = NULL, *picked = NULL;
    ORFFI_TRY(orffi_sharing_count(sharing, there, &before, &all));
    s->n = draw_parts(before, there, all, count < all ? count : all, seed, rows);
    orff_status status = pick_rows(s, f->d, rows, X, root, &mine);
    if (!status) status = orffi_sharing_gather(sharing, s->n, f->d + 1, mine, &s->n, &picked);
    if (!status) status = keep_rows(s, f->d, picked, total);
    s->m = s->n * f->p;
    s->whole = s->n == all;
    orffi_release(mine);
    orffi_release(picked);
    return status;
}

static orff_status draw(orffi_subsample *s, const orff_features *f, size_t n, const double *X,
                        const double *root, double total, size_t count, uint64_t seed,
                        const orff_sharing *sharing) {
    size_t *rows;
    ORFFI_TRY(ORFFI_NEW_ARRAY(rows, n));
    const orff_status status = draw_rows(s, f, n, X, root, total, count, seed, sharing, rows);
    orffi_release(rows);
    return status;
}

/* ---- the spectrum */

static orff_status decompose(orffi_subsample *s) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->V, s->m * s->m));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->values, s->m));
    ORFFI_TRY(orffi_data_gram(&s->data, s->V));
    ORFFI_TRY(orffi_eigen(s->m, s->V, s->values));
    for (size_t k = 0; k < s->m; k++) s->values[k] = fmax(s->values[k], 0.0);
    return ORFF_OK;
}

static double degrees_of_freedom(const orffi_subsample *s, double damping) {
    double sum = 0.0;
    for (size_t k = 0; k < s->m; k++) sum += s->values[k] / (s->values[k] + damping / s->scale);
    return sum;
}

/* A sample of m rows is not informative in directions where it fits each of its own rows. So the damping is
 * raised until its degrees of freedom are two thirds of m. It also stays above the rounding error of the
 * largest eigenvalue. */
static double choose_damping(const orffi_subsample *s, double shift) {
    double damping = fmax(shift, 1e-11 * s->scale * s->values[s->m - 1]);
    while (!s->whole && 1.5 * degrees_of_freedom(s, damping) > (double)s->m) damping *= 1.5;
    return damping;
}

orff_status orffi_subsample_fill(orffi_subsample *s, const orff_features *f, size_t n, const double *X,
                                 const double *root, double total, size_t count, uint64_t seed, double shift,
                                 const orffi_monitor *monitor, const orff_sharing *sharing) {
    *s = (orffi_subsample){0};
    ORFFI_TRY(draw(s, f, n, X, root, total, count, seed, sharing));
    if (!orffi_sharing_is_first(sharing)) return ORFF_OK;
    ORFFI_TRY(orffi_data_fill(&s->data, f, s->n, s->X, s->root, false, monitor));
    ORFFI_TRY(decompose(s));
    s->data.monitor = NULL; /* later sweeps of the sample are part of an iteration */
    s->damping = choose_damping(s, shift);
    return ORFF_OK;
}

void orffi_subsample_clear(orffi_subsample *s) {
    orffi_release(s->X);
    orffi_release(s->root);
    orffi_release(s->V);
    orffi_release(s->values);
    orffi_data_clear(&s->data);
    *s = (orffi_subsample){0};
}

/* ---- products with the sample */

static orffi_operator rows_of(orffi_subsample *s) {
    return orffi_data_operator(&s->data);
}

orff_status orffi_subsample_solve(orffi_subsample *s, const double *r, double *z, double *scratch) {
    const orffi_operator P = rows_of(s);
    const size_t m = s->m;
    double *t = scratch, *turned = scratch + m;
    ORFFI_TRY(orffi_operator_apply(&P, r, t));
    orffi_gemm(true, false, m, 1, m, 1, s->V, m, t, 1, 0, turned, 1);
    for (size_t k = 0; k < m; k++) turned[k] /= s->values[k] + s->damping / s->scale;
    orffi_gemm(false, false, m, 1, m, 1, s->V, m, turned, 1, 0, t, 1);
    ORFFI_TRY(orffi_operator_adjoint(&P, t, z));
    for (size_t i = 0; i < P.cols; i++) z[i] = (r[i] - z[i]) / s->damping;
    return ORFF_OK;
}

double orffi_subsample_condition(const orffi_subsample *s, double shift) {
    return (s->scale * s->values[s->m - 1] + shift) / shift;
}

orff_status orffi_subsample_basis(orffi_subsample *s, size_t count, double *basis) {
    const orffi_operator P = rows_of(s);
    double *v;
    ORFFI_TRY(ORFFI_NEW_ARRAY(v, s->m));
    orff_status status = ORFF_OK;
    for (size_t k = 0; !status && k < count; k++) {
        const size_t column = s->m - 1 - k;
        for (size_t i = 0; i < s->m; i++) v[i] = s->V[i * s->m + column] / sqrt(s->values[column]);
        status = orffi_operator_adjoint(&P, v, basis + k * P.cols);
    }
    orffi_release(v);
    return status;
}
