/* The output matrix of one part: eigendecompositions of the scalar Gram matrices of groups of rows, then
 * exact/coregion.h. */
#include "model/choose_matrix.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "exact/coregion.h"

#define NOTHING 1e-9 /* of the largest eigenvalue: smaller ones are indistinguishable from 0 */

/* ---- outputs that vary */

typedef struct varying {
    size_t count, *output;
    double *z, *rest; /* as passed in, for these outputs only */
    double *A, *S;
} varying;

static void clear_varying(varying *v) {
    double *all[] = {v->z, v->rest, v->A, v->S};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_release(v->output);
}

static bool varies(size_t p, size_t m, const double *z, const double *rest, size_t k) {
    bool any = rest[k * (p + 1)] > 0.0;
    for (size_t i = 0; !any && i < m; i++) any = z[i * p + k] != 0.0;
    return any;
}

static orff_status fill_varying(varying *v, size_t p, size_t m, const double *z, const double *rest) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(v->output, p));
    for (size_t k = 0; k < p; k++)
        if (varies(p, m, z, rest, k)) v->output[v->count++] = k;
    const size_t q = v->count;
    ORFFI_TRY(ORFFI_NEW_ARRAY(v->z, m * q));
    ORFFI_TRY(ORFFI_NEW_ARRAY(v->rest, q * q));
    ORFFI_TRY(ORFFI_NEW_ARRAY(v->A, q * q));
    ORFFI_TRY(ORFFI_NEW_ARRAY(v->S, q * q));
    for (size_t i = 0; i < m * q; i++) v->z[i] = z[i / q * p + v->output[i % q]];
    for (size_t i = 0; i < q * q; i++) v->rest[i] = rest[v->output[i / q] * p + v->output[i % q]];
    return ORFF_OK;
}

/* Outputs that do not vary took no part: they get no noise and the mean of the others' variances. Of the
 * noise only the variances are passed on, as engines know no noise that outputs share. */
static void expand_varying(const varying *v, size_t p, double *A, double *s) {
    const size_t q = v->count;
    double mean = 0.0;
    for (size_t k = 0; k < q; k++) mean += v->A[k * q + k] / (double)q;
    memset(A, 0, p * p * sizeof *A);
    for (size_t k = 0; k < p; k++) A[k * p + k] = mean > 0.0 ? mean : 1.0;
    for (size_t k = 0; k < p; k++) s[k] = 0.0;
    for (size_t i = 0; i < q * q; i++) A[v->output[i / q] * p + v->output[i % q]] = v->A[i];
    for (size_t k = 0; k < q; k++) s[v->output[k]] = v->S[k * (q + 1)];
}

/* Engines know no noise that outputs share. In units of D = diag(S) they smooth each eigenvector of their
 * A separately, as if its noise were 1. So they get the matrix with those eigenvectors U that minimise the
 * error expected under A and S,
 *
 *     sum_i sum_j e_i a_j s_j / (e_i a_j + s_j),       a_j = (U^T A U)_jj,  s_j = (U^T S U)_jj
 *
 * and with the eigenvalues a_j / s_j. U is chosen from the eigenvectors of A, those of S, and the
 * identity. If S is diagonal, the result is A. */
typedef struct shared {
    size_t q, m;
    const double *e;
    double *A, *S; /* q x q, in units of D */
    double *U, *best, *turn;
    double *a, *s; /* q */
    double least;
    double *root, *all; /* q: of D */
} shared;

static orff_status shared_create(shared *h, const double *A, const double *S) {
    const size_t q = h->q;
    ORFFI_TRY(ORFFI_NEW_ARRAY(h->all, 5 * q * q + 3 * q));
    h->A = h->all;
    h->S = h->A + q * q;
    h->U = h->S + q * q;
    h->best = h->U + q * q;
    h->turn = h->best + q * q;
    h->a = h->turn + q * q;
    h->s = h->a + q;
    h->root = h->s + q;
    h->least = INFINITY;
    for (size_t k = 0; k < q; k++) h->root[k] = sqrt(S[k * (q + 1)]);
    for (size_t i = 0; i < q * q; i++) {
        h->A[i] = A[i] / (h->root[i / q] * h->root[i % q]);
        h->S[i] = S[i] / (h->root[i / q] * h->root[i % q]);
    }
    return ORFF_OK;
}

/* diag(U^T M U) */
static void turned_diagonal(shared *h, const double *M, double *out) {
    const size_t q = h->q;
    orffi_gemm(false, false, q, q, q, 1.0, M, q, h->U, q, 0.0, h->turn, q);
    for (size_t j = 0; j < q; j++) {
        out[j] = 0.0;
        for (size_t k = 0; k < q; k++) out[j] += h->U[k * q + j] * h->turn[k * q + j];
    }
}

/* Keeps the matrix with the eigenvectors U if it is the best so far. */
static void try_vectors(shared *h) {
    const size_t q = h->q;
    double risk = 0.0;
    turned_diagonal(h, h->A, h->a);
    turned_diagonal(h, h->S, h->s);
    for (size_t i = 0; i < h->m * q; i++) {
        const double a = h->e[i / q] * h->a[i % q], s = h->s[i % q];
        risk += a > 0.0 ? a * s / (a + s) : 0.0;
    }
    if (!(risk < h->least)) return;
    h->least = risk;
    for (size_t i = 0; i < q * q; i++)
        h->turn[i] = h->U[i] * fmax(h->a[i % q], 0.0) / fmax(h->s[i % q], 1e-6);
    orffi_gemm(false, true, q, q, q, 1.0, h->turn, q, h->U, q, 0.0, h->best, q);
}

static orff_status try_all(shared *h) {
    const size_t q = h->q;
    for (size_t i = 0; i < q * q; i++) h->U[i] = (double)(i / q == i % q);
    try_vectors(h);
    memcpy(h->U, h->A, q * q * sizeof *h->U);
    ORFFI_TRY(orffi_eigen(q, h->U, h->a));
    try_vectors(h);
    memcpy(h->U, h->S, q * q * sizeof *h->U);
    ORFFI_TRY(orffi_eigen(q, h->U, h->a));
    try_vectors(h);
    return ORFF_OK;
}

/* Replaces A by the matrix for the engines. */
static orff_status discount_shared(size_t q, size_t m, const double *e, double *A, const double *S) {
    shared h = {.q = q, .m = m, .e = e};
    orff_status status = shared_create(&h, A, S);
    if (!status) status = try_all(&h);
    for (size_t i = 0; !status && i < q * q; i++) A[i] = h.best[i] * h.root[i / q] * h.root[i % q];
    orffi_release(h.all);
    return status;
}

static bool is_diagonal(size_t q, const double *A) {
    for (size_t i = 0; i < q * q; i++)
        if (i / q != i % q && A[i] != 0.0) return false;
    return true;
}

/* A: the matrix for the engines, which assume uncorrelated noise. */
static void log_found(size_t outputs, const orffi_coregion *found, const double *A) {
    if (found->noise_rank && is_diagonal(outputs, A)) {
        orffi_log(
            ORFF_LOG_INFO,
            "by the evidence: the errors of the outputs are correlated; the outputs are not coupled, as "
            "no output matrix reduces such errors");
        return;
    }
    if (found->links)
        orffi_log(ORFF_LOG_INFO,
                  "by the evidence: an output matrix with links between %zu of the %zu pairs of outputs; it "
                  "gains %.1f in log evidence over uncoupled outputs",
                  found->links, outputs * (outputs - 1) / 2, found->value - found->apart);
    else if (found->rank)
        orffi_log(ORFF_LOG_INFO,
                  "by the evidence: an output matrix of rank %zu and a diagonal; it gains %.1f in log "
                  "evidence over uncoupled outputs",
                  found->rank, found->value - found->apart);
    else
        orffi_log(ORFF_LOG_INFO, "by the evidence: the outputs are not coupled");
    if (found->noise_rank)
        orffi_log(ORFF_LOG_INFO, "by the evidence: the errors of the outputs are correlated");
}

orff_status orffi_matrix_of_eigen(const orff_part *part, size_t p, size_t m, const double *e, const double *z,
                                  double zeros, const double *rest, bool common, double *A, double *s) {
    const orffi_coregion_how how = {.rank = part->rank ? part->rank : SIZE_MAX,
                                    .rows = (double)m + zeros,
                                    .common = common,
                                    .sparse = part->sparse,
                                    .sparsity = part->sparsity};
    orffi_coregion found = {0};
    varying v = {0};
    orff_status status = fill_varying(&v, p, m, z, rest);
    const orffi_coregion_data data = {v.count, m, e, v.z, zeros, v.rest};
    found.A = v.A;
    found.S = v.S;
    if (!status && v.count)
        status = (how.sparse ? orffi_coregion_sparse : orffi_coregion_learn)(&data, &how, &found);
    /* a sparse matrix is for reading and stays as it is. */
    if (!status && v.count && found.noise_rank && !how.sparse)
        status = discount_shared(v.count, m, e, v.A, v.S);
    if (!status) expand_varying(&v, p, A, s);
    if (!status && v.count) log_found(v.count, &found, v.A);
    clear_varying(&v);
    return status;
}

/* ---- rows to eigenvectors */

double orffi_matrix_unit(const orffi_plan *plan, const orffi_table *t, size_t i, bool outputs) {
    const orffi_quality *q = &plan->quality;
    const double share = q->errors ? 1.0 / (1.0 + exp(-q->logit)) : 0.0;
    const double known = t->known ? 1.0 - share + share * t->known[i] : 1.0;
    const bool ratio = t->instrument && q->instruments > 1 && (outputs || !q->by_output);
    return known * (ratio ? exp(q->ratios[t->instrument[i]]) : 1.0) / (t->weights ? t->weights[i] : 1.0);
}

bool orffi_matrix_common_noise(const orffi_plan *plan) {
    return !plan->units.spread || plan->settings.scale_outputs != ORFF_SWITCH_AUTO ||
           plan->settings.lambda != 0.0;
}

typedef struct eigen {
    size_t room, m; /* eigenvalues */
    double *e, *z;
    double zeros, *rest;
} eigen;

static void clear_eigen(eigen *all) {
    orffi_release(all->e);
    orffi_release(all->z);
    orffi_release(all->rest);
}

/* G = W^1/2 k W^1/2 (n x n) and Y = W^1/2 y, where W is the inverse of the noise; rows of weight 0 are 0. */
static orff_status fill_gram(const orffi_plan *plan, const orff_kernel *kernel, const orffi_table *t,
                             double *G, double *Y, double *root) {
    const size_t n = t->n, d = plan->d, p = plan->p;
    double *delta;
    ORFFI_TRY(ORFFI_NEW_ARRAY(delta, d));
    for (size_t i = 0; i < n; i++) {
        const bool counts = !t->weights || t->weights[i] > 0.0;
        root[i] = counts ? 1.0 / sqrt(orffi_matrix_unit(plan, t, i, true)) : 0.0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double k;
            orffi_kernel_between(kernel, true, t->X + i * d, t->X + j * d, &k, 1, delta, NULL);
            G[i * n + j] = G[j * n + i] = root[i] * root[j] * k;
        }
    for (size_t i = 0; i < n * p; i++) Y[i] = root[i / p] * t->Y[i];
    orffi_release(delta);
    return ORFF_OK;
}

/* Appends to `all` z = V^T Y for the nonzero eigenvalues and sums up the rest. Rows of weight 0 do not
 * count. */
static void collect_eigen(const orffi_table *t, size_t p, const double *values, const double *turned,
                          eigen *all) {
    const double least = NOTHING * fmax(values[t->n - 1], 0.0);
    for (size_t i = 0; i < t->n; i++) {
        const bool something = values[i] > least;
        all->zeros += !something;
        if (something) all->e[all->m] = values[i];
        for (size_t k = 0; k < p; k++) {
            const double z = turned[i * p + k];
            if (something)
                all->z[all->m * p + k] = z;
            else
                for (size_t l = 0; l < p; l++) all->rest[k * p + l] += z * turned[i * p + l];
        }
        all->m += something;
    }
    for (size_t i = 0; t->weights && i < t->n; i++) all->zeros -= !(t->weights[i] > 0.0);
}

static orff_status add_group(const orffi_plan *plan, const orff_kernel *kernel, const orffi_table *t,
                             eigen *all) {
    const size_t n = t->n, p = plan->p;
    double *G = NULL, *Y = NULL;
    if (!n) return ORFF_OK;
    orff_status status = ORFFI_NEW_ARRAY(G, n * n + 2 * n);
    if (!status) status = ORFFI_NEW_ARRAY(Y, 2 * n * p);
    double *values = G + n * n, *root = values + n, *turned = Y + n * p;
    if (!status) status = fill_gram(plan, kernel, t, G, Y, root);
    if (!status) status = orffi_eigen(n, G, values);
    if (!status) orffi_gemm(true, false, n, p, n, 1.0, G, n, Y, p, 0.0, turned, p);
    if (!status) collect_eigen(t, p, values, turned, all);
    orffi_release(G);
    orffi_release(Y);
    return status;
}

static orff_status fill_eigen(const orffi_plan *plan, const orff_kernel *kernel, const orffi_sample *sample,
                              eigen *all) {
    for (size_t g = 0; g < sample->count; g++) all->room += sample->tables[g].n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all->e, all->room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(all->z, all->room * plan->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(all->rest, plan->p * plan->p));
    for (size_t g = 0; g < sample->count; g++) ORFFI_TRY(add_group(plan, kernel, &sample->tables[g], all));
    all->zeros = fmax(all->zeros, 0.0);
    return ORFF_OK;
}

orff_status orffi_matrix_learn(const orffi_plan *plan, const orffi_sample *sample, double *A, double *s) {
    eigen all = {0};
    orff_kernel *kernel;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    orff_status status = fill_eigen(plan, kernel, sample, &all);
    if (!status)
        status = orffi_matrix_of_eigen(&plan->parts.list[0].part, plan->p, all.m, all.e, all.z, all.zeros,
                                       all.rest, orffi_matrix_common_noise(plan), A, s);
    orff_kernel_free(kernel);
    clear_eigen(&all);
    return status;
}
