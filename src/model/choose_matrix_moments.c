/* The output matrix of one part from moments: K~ = phi^T phi, and S = sum phi phi^T has the nonzero
 * eigenvalues of its Gram matrix. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "model/choose_matrix.h"
#include "model/fit.h"
#include "moments/moments.h"

#define NOTHING 1e-9 /* of the largest eigenvalue: smaller ones are rounding of sums */

typedef struct totals {
    size_t length, p; /* of phi */
    double N;
    double *S, *R, *phi, *y, *yy;
    double *e, *z, *rest;
    double *all;
} totals;

static orff_status totals_fill(totals *t, const orff_moments *moments, bool center) {
    const orff_moments_info info = orff_moments_describe(moments);
    const size_t L = t->length = 2 * info.frequencies, p = t->p = info.outputs;
    size_t square;
    t->N = info.weight;
    ORFFI_TRY(orffi_multiply(L, L, &square));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->all, square + 2 * L * p + 2 * L + 2 * p * p + p));
    t->S = t->all;
    t->R = t->S + square;
    t->z = t->R + L * p;
    t->phi = t->z + L * p;
    t->e = t->phi + L;
    t->yy = t->e + L;
    t->rest = t->yy + p * p;
    t->y = t->rest + p * p;
    ORFFI_TRY(orffi_moments_refuse_parted(moments, "learning an output matrix is"));
    ORFFI_TRY(orff_moments_totals(moments, t->S, t->R, t->phi, t->y, t->yy));
    for (size_t k = 0; k < p; k++) t->y[k] = center && t->N > 0.0 ? t->y[k] / t->N : 0.0; /* now the means */
    for (size_t i = 0; i < L * p; i++) t->R[i] -= t->phi[i / p] * t->y[i % p];
    for (size_t i = 0; i < p * p; i++) t->rest[i] = t->yy[i] - t->N * t->y[i / p] * t->y[i % p];
    return ORFF_OK;
}

/* z = e^-1/2 V^T R for the nonzero eigenvalues, which move to the front; *m: how many. */
static orff_status turn(totals *t, size_t *m) {
    const size_t L = t->length, p = t->p;
    double *turned;
    ORFFI_TRY(orffi_eigen(L, t->S, t->e));
    ORFFI_TRY(ORFFI_NEW_ARRAY(turned, L * p));
    orffi_gemm(true, false, L, p, L, 1.0, t->S, L, t->R, p, 0.0, turned, p);
    const double least = NOTHING * fmax(t->e[L - 1], 0.0);
    *m = 0;
    for (size_t i = 0; i < L; i++) {
        if (!(t->e[i] > least) || (double)*m >= t->N) continue;
        double *z = t->z + *m * p;
        for (size_t k = 0; k < p; k++) z[k] = turned[i * p + k] / sqrt(t->e[i]);
        for (size_t a = 0; a < p * p; a++) t->rest[a] -= z[a / p] * z[a % p];
        t->e[(*m)++] = t->e[i];
    }
    for (size_t k = 0; k < p; k++) t->rest[k * (p + 1)] = fmax(t->rest[k * (p + 1)], 0.0);
    orffi_release(turned);
    return ORFF_OK;
}

static orff_status learn(orffi_plan *plan, const orff_moments *moments, totals *t) {
    const size_t p = plan->p;
    size_t m = 0;
    double *A;
    ORFFI_TRY(totals_fill(t, moments, plan->settings.center));
    ORFFI_TRY(turn(t, &m));
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, p * p + p));
    orff_status status = orffi_matrix_of_eigen(&plan->parts.list[0].part, p, m, t->e, t->z,
                                               fmax(t->N - (double)m, 0.0), t->rest, true, A, A + p * p);
    if (!status) status = orffi_matrices_apply(plan, A, A + p * p);
    orffi_release(A);
    return status;
}

orff_status orffi_matrix_from_moments(orffi_plan *plan, const orff_moments *moments) {
    totals t = {0};
    if (plan->parts.count > 1 || moments->bank->n_groups > 1)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "from moments the output matrix of one part can be learned, not those of a "
                          "sum: fit from rows");
    const orff_status status = learn(plan, moments, &t);
    orffi_release(t.all);
    return status;
}
