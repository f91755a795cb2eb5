/* IDR(s), the biorthogonal variant (van Gijzen and Sonneveld, 2011): forces residuals into shrinking
 * subspaces, with a short recurrence over s vectors. */
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "solve/solver.h"

typedef struct idr_work {
    size_t s;
    double *P;         /* shadow space, orthonormal rows   (s x cols) */
    double *G, *U;     /* directions of the residual and of x, G = (A^* A + shift) U   (s x cols) */
    double *M, *f, *c; /* P G^T   (s x s, lower), P r, coefficients   (s) */
    double *r, *v;     /* residual, scratch   (cols) */
    double omega;
} idr_work;

static void work_clear(idr_work *w) {
    orffi_release(w->P);
    orffi_release(w->G);
    orffi_release(w->U);
    orffi_release(w->M);
    orffi_release(w->f);
    orffi_release(w->c);
    orffi_release(w->r);
    orffi_release(w->v);
}

static orff_status work_fill(idr_work *w, const orffi_normal_equations *e) {
    const size_t cols = e->A->cols;
    const orffi_rng rng = {.seed = e->how->seed, .stream = 0x49445253u};
    w->s = e->how->shadow < cols ? e->how->shadow : cols;
    w->omega = 1.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->P, w->s * cols));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->G, w->s * cols));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->U, w->s * cols));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->M, w->s * w->s));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->f, w->s));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->c, w->s));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->v, cols));
    ORFFI_TRY(orffi_duplicate(&w->r, e->r, cols, sizeof *w->r));
    for (size_t k = 0; k < w->s; k++) w->M[k * w->s + k] = 1.0;
    for (size_t i = 0; i < w->s * cols; i++) w->P[i] = orffi_rng_normal(rng, i, 0);
    ORFFI_TRY(orffi_orthonormal_rows(w->s, cols, w->P));
    return orffi_sharing_first(e->A->sharing, w->s * cols, w->P);
}

/* M(k..s, k..s) c = f(k..s), by forward substitution. */
static void coefficients(const idr_work *w, size_t k) {
    for (size_t i = k; i < w->s; i++) {
        w->c[i] = w->f[i];
        for (size_t j = k; j < i; j++) w->c[i] -= w->M[i * w->s + j] * w->c[j];
        w->c[i] /= w->M[i * w->s + i];
    }
}

/* U_k = omega (r - sum_i c_i G_i) + sum_i c_i U_i, i >= k */
static void next_direction(const idr_work *w, size_t cols, size_t k) {
    memcpy(w->v, w->r, cols * sizeof *w->v);
    for (size_t i = k; i < w->s; i++) orffi_vector_add(cols, -w->c[i], w->G + i * cols, w->v);
    orffi_vector_scale(cols, w->omega, w->v);
    for (size_t i = k; i < w->s; i++) orffi_vector_add(cols, w->c[i], w->U + i * cols, w->v);
    memcpy(w->U + k * cols, w->v, cols * sizeof *w->v);
}

/* Makes G_k orthogonal to the shadow vectors before k, and fills column k of M. */
static void biorthogonalise(const idr_work *w, size_t cols, size_t k) {
    double *g = w->G + k * cols, *u = w->U + k * cols;
    for (size_t i = 0; i < k; i++) {
        const double a = orffi_vector_dot(cols, w->P + i * cols, g) / w->M[i * w->s + i];
        orffi_vector_add(cols, -a, w->G + i * cols, g);
        orffi_vector_add(cols, -a, w->U + i * cols, u);
    }
    for (size_t i = k; i < w->s; i++) w->M[i * w->s + k] = orffi_vector_dot(cols, w->P + i * cols, g);
}

/* One step within a subspace. *broken: the recurrence has broken down. */
static orff_status inner_step(orffi_normal_equations *e, idr_work *w, size_t k, double *x, bool *broken) {
    const size_t cols = e->A->cols;
    coefficients(w, k);
    next_direction(w, cols, k);
    ORFFI_TRY(orffi_normal_apply(e, w->U + k * cols, w->G + k * cols));
    e->monitor->done++;
    biorthogonalise(w, cols, k);
    const double pivot = w->M[k * w->s + k], beta = w->f[k] / pivot;
    *broken = pivot == 0.0 || !isfinite(beta);
    if (*broken) return ORFF_OK;
    orffi_vector_add(cols, -beta, w->G + k * cols, w->r);
    orffi_vector_add(cols, beta, w->U + k * cols, x);
    for (size_t i = k + 1; i < w->s; i++) w->f[i] -= beta * w->M[i * w->s + k];
    return ORFF_OK;
}

/* Enters the next subspace: r -= omega (A^* A + shift) r. Increases an omega that is too small for
 * accuracy. */
static orff_status next_space(orffi_normal_equations *e, idr_work *w, double *x, bool *broken) {
    const size_t cols = e->A->cols;
    const double enough = 0.7;
    ORFFI_TRY(orffi_normal_apply(e, w->r, w->v));
    e->monitor->done++;
    const double tt = orffi_vector_dot(cols, w->v, w->v), tr = orffi_vector_dot(cols, w->v, w->r);
    const double cosine = fabs(tr) / sqrt(tt * orffi_vector_dot(cols, w->r, w->r));
    w->omega = tr / tt * (cosine < enough ? enough / cosine : 1.0);
    *broken = !isfinite(w->omega) || w->omega == 0.0;
    if (*broken) return ORFF_OK;
    orffi_vector_add(cols, w->omega, w->r, x);
    orffi_vector_add(cols, -w->omega, w->v, w->r);
    return ORFF_OK;
}

static bool goes_on(const orffi_normal_equations *e, const idr_work *w) {
    return e->monitor->done < e->monitor->limit && orffi_vector_norm(e->A->cols, w->r) > e->target;
}

/* The residual of this method may increase; keeps only iterates better than all before. */
static void keep(const orffi_normal_equations *e, const idr_work *w, const double *x, double *lowest) {
    const double residual = orffi_vector_norm(e->A->cols, w->r);
    if (residual >= *lowest) return;
    *lowest = residual;
    orffi_monitor_keep(e->monitor, e->theta, x);
}

static orff_status run(orffi_normal_equations *e, idr_work *w, double *x) {
    const size_t cols = e->A->cols;
    double lowest = orffi_vector_norm(cols, w->r);
    bool broken = false;
    while (!broken && goes_on(e, w)) {
        for (size_t i = 0; i < w->s; i++) w->f[i] = orffi_vector_dot(cols, w->P + i * cols, w->r);
        for (size_t k = 0; k < w->s && !broken && goes_on(e, w); k++) {
            ORFFI_TRY(inner_step(e, w, k, x, &broken));
            keep(e, w, x, &lowest);
        }
        if (!broken && goes_on(e, w)) ORFFI_TRY(next_space(e, w, x, &broken));
        keep(e, w, x, &lowest);
    }
    return ORFF_OK;
}

static orff_status solve(orffi_normal_equations *e, double *x) {
    idr_work work = {0};
    orff_status status = work_fill(&work, e);
    if (!status) status = run(e, &work, x);
    work_clear(&work);
    return status;
}

static orff_status check(const orff_iteration *how) {
    if (how->shadow) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "idr needs a shadow space of at least 1 dimension");
}

const orffi_solver_row orffi_solver_idr = {.iterates = true, .solve = solve, .check = check};
