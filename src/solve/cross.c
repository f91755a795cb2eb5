/* Cross-validation from moments: the model learned without a fold is tested on the sums of that fold.
 *
 * One decomposable part: in the eigenbasis U of the other folds and for the turned outputs, f = U w W^T with
 * w_ab = sqrt(m_b) c_ab / (e_a m_b + N lambda). The total error of all outputs is
 *
 *     |y|^2 + sum_ab w_ab ((Q w)_ab - 2 P_ab),     Q = U^T S U (n x n),  P = U^T R W (n x r) of the fold:
 *
 * which needs nothing of size p x p. Only the errors of individual outputs must be turned back. The same
 * holds in the basis of the features, where U w replaces w, Q = S and P = R W; that takes fewer products if
 * there are fewer columns than 2n. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "solve/ridge.h"

/* The sums of one fold over the entries of phi that the kernel uses, with the mean of the other rows
 * subtracted from y. */
typedef struct fold_sums {
    size_t used, p;
    size_t *index; /* used: indices of these entries of phi */
    double *S;     /* used x used */
    double *R;     /* used x p */
    double *yy;    /* p */
} fold_sums;

static void fold_clear(fold_sums *s) {
    orffi_release(s->index);
    orffi_release(s->S);
    orffi_release(s->R);
    orffi_release(s->yy);
}

static void find_used(fold_sums *s, const orff_features *f) {
    for (size_t a = 0; a < 2 * f->D; a++)
        if (orffi_features_block_columns(f, a % f->D)) s->index[s->used++] = a;
}

/* Only the upper triangle of a set's S is filled; index is ascending. */
static void gather(fold_sums *s, const orffi_moment_set *set, size_t L, const double *mean) {
    const size_t p = s->p, u = s->used;
    const double N = set->T[(p + 1) * (p + 1) - 1];
    for (size_t a = 0; a < u; a++) {
        const double *row = set->R + s->index[a] * (p + 1);
        for (size_t b = a; b < u; b++)
            s->S[a * u + b] = s->S[b * u + a] = set->S[s->index[a] * L + s->index[b]];
        for (size_t k = 0; k < p; k++) s->R[a * p + k] = row[k] - mean[k] * row[p];
    }
    for (size_t k = 0; k < p; k++)
        s->yy[k] = set->T[k * (p + 1) + k] - 2.0 * mean[k] * set->T[p * (p + 1) + k] + N * mean[k] * mean[k];
}

static orff_status fold_build(fold_sums *s, const orff_features *f, const orffi_moment_set *set,
                              const double *mean) {
    s->p = f->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->index, 2 * f->D));
    find_used(s, f);
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->S, s->used * s->used));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->R, s->used * s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->yy, s->p));
    gather(s, set, 2 * f->D, mean);
    return ORFF_OK;
}

/* errors (count x p) += yy - 2 V.R + V.S V for every lambda and output; V and work are used x (count p). */
static void add_errors(const fold_sums *s, size_t count, const double *V, double *work, double *errors) {
    const size_t u = s->used, p = s->p, width = count * p;
    orffi_gemm(false, false, u, width, u, 1.0, s->S, u, V, width, 0.0, work, width);
    for (size_t i = 0; i < width; i++) errors[i] += s->yy[i % p];
    for (size_t a = 0; a < u; a++)
        for (size_t l = 0; l < count; l++)
            for (size_t k = 0; k < p; k++) {
                const size_t i = a * width + l * p + k;
                errors[l * p + k] += V[i] * (work[i] - 2.0 * s->R[a * p + k]);
            }
}

/* T = U [ c / (e m + N lambda) ] for all lambdas side by side: n x (count r); work has the size of T. */
static void solve_all(const orffi_system *s, size_t count, const double *lambdas, double *T, double *work) {
    const size_t width = count * s->r;
    for (size_t l = 0; l < count; l++) {
        const double shift = orffi_system_shift(s, lambdas[l]);
        for (size_t a = 0; a < s->n; a++)
            for (size_t b = 0; b < s->r; b++)
                work[a * width + l * s->r + b] = s->c[a * s->r + b] / (s->e[a] * s->m[b] + shift);
    }
    orffi_gemm(false, false, s->n, width, s->n, 1.0, s->U, s->n, work, width, 0.0, T, width);
}

/* Writes V = B theta for lambda l to its columns of V (used x (count p)). t is n x r, theta M, folded 2D x
 * p. */
static void fold_coefficients(const orffi_system *system, const orff_features *f, const fold_sums *s,
                              size_t count, size_t l, const double *T, double *t, double *theta,
                              double *folded, double *V) {
    const size_t r = system->r, p = s->p;
    for (size_t a = 0; a < system->n; a++) memcpy(t + a * r, T + (a * count + l) * r, r * sizeof *t);
    orffi_system_expand(system, t, theta);
    orffi_features_fold(f, theta, folded);
    for (size_t a = 0; a < s->used; a++)
        memcpy(V + (a * count + l) * p, folded + s->index[a] * p, p * sizeof *V);
}

/* The functions learned without the fold: V for all lambdas. */
static orff_status learned(const orffi_system *train, const orff_features *f, const fold_sums *s,
                           size_t count, const double *lambdas, double *V) {
    double *T = NULL, *work = NULL, *t = NULL, *theta = NULL, *folded = NULL;
    orff_status status = ORFFI_NEW_ARRAY(T, train->n * train->r * count);
    if (!status) status = ORFFI_NEW_ARRAY(work, train->n * train->r * count);
    if (!status) status = ORFFI_NEW_ARRAY(t, train->n * train->r);
    if (!status) status = ORFFI_NEW_ARRAY(theta, f->M);
    if (!status) status = ORFFI_NEW_ARRAY(folded, 2 * f->D * f->p);
    if (!status) solve_all(train, count, lambdas, T, work);
    for (size_t l = 0; !status && l < count; l++)
        fold_coefficients(train, f, s, count, l, T, t, theta, folded, V);
    double *all[] = {T, work, t, theta, folded};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    return status;
}

static orff_status dense_fold(const orff_ridge *ridge, size_t k, size_t count, const double *lambdas,
                              double *outputs) {
    const orff_features *f = ridge->features;
    orffi_system train = {0};
    fold_sums fold = {0};
    double *V = NULL, *work = NULL;
    orff_status status = orffi_system_build(&train, f, ridge->moments, k, ridge->center, NULL);
    if (!status) status = orffi_system_eigen(&train);
    if (!status) status = fold_build(&fold, f, &ridge->moments->sets[k], train.mean);
    if (!status) status = ORFFI_NEW_ARRAY(V, fold.used * f->p * count);
    if (!status) status = learned(&train, f, &fold, count, lambdas, V);
    orffi_system_clear(&train);
    if (!status) status = ORFFI_NEW_ARRAY(work, fold.used * f->p * count);
    if (!status) add_errors(&fold, count, V, work, outputs);
    fold_clear(&fold);
    orffi_release(V);
    orffi_release(work);
    return status;
}

/* ---- one decomposable part */

/* A fold in the basis of what the others learned, with memory for several lambdas at a time. */
typedef struct turned_fold {
    orffi_system train;
    bool plain;         /* in the basis of the features instead of the eigenvectors */
    double *yy;         /* p: sum c (y - mean)^2 */
    double *Q, *P;      /* n x n, n x r */
    double *R;          /* n x p: U^T R or R, if outputs are turned and their individual errors are wanted */
    size_t at_once;     /* lambdas processed together */
    double *w, *Qw;     /* n x (at_once r) */
    double *V, *SV, *t; /* n x p each, n x r: for one lambda, turned back */
} turned_fold;

static void turned_clear(turned_fold *t) {
    double *all[] = {t->yy, t->Q, t->P, t->R, t->w, t->Qw, t->V, t->SV, t->t};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_system_clear(&t->train);
}

/* About 4 million numbers. */
static size_t lambdas_at_once(const orffi_system *s, size_t count) {
    const size_t fit = ((size_t)1 << 22) / (s->n * s->r + 1);
    return fit < 1 ? 1 : fit < count ? fit : count;
}

static orff_status turned_allocate(turned_fold *t, size_t count, bool outputs) {
    const size_t n = t->train.n, r = t->train.r, p = t->train.p;
    t->at_once = lambdas_at_once(&t->train, count);
    t->plain = count * r < 2 * n;
    if (!t->plain) ORFFI_TRY(ORFFI_NEW_ARRAY(t->Q, n * n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->P, n * r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->yy, p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->w, n * r * t->at_once));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->Qw, n * r * t->at_once));
    if (!outputs || !t->train.turned) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->R, n * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->V, n * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->SV, n * p));
    return ORFFI_NEW_ARRAY(t->t, n * r);
}

/* out (n x r) = R W */
static void turn_fold(const orffi_system *s, const fold_sums *fold, double *out) {
    if (s->turned)
        orffi_gemm(false, false, s->n, s->r, s->p, 1.0, fold->R, s->p, s->W, s->r, 0.0, out, s->r);
    else
        memcpy(out, fold->R, s->n * s->r * sizeof *out);
}

/* Q, P and R from the sums of the fold (over the features used, in the order of the system). */
static orff_status turned_project(turned_fold *t, const fold_sums *fold) {
    const orffi_system *s = &t->train;
    const size_t n = s->n, r = s->r, p = s->p;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, n * (n > r ? n : r)));
    orffi_gemm(false, false, n, n, n, 1.0, fold->S, n, s->U, n, 0.0, work, n);
    orffi_gemm(true, false, n, n, n, 1.0, s->U, n, work, n, 0.0, t->Q, n);
    turn_fold(s, fold, work);
    orffi_gemm(true, false, n, r, n, 1.0, s->U, n, work, r, 0.0, t->P, r);
    if (t->R) orffi_gemm(true, false, n, p, n, 1.0, s->U, n, fold->R, p, 0.0, t->R, p);
    orffi_release(work);
    return ORFF_OK;
}

/* The same in the basis of the features. Takes S from the fold. */
static void turned_move(turned_fold *t, fold_sums *fold) {
    t->Q = fold->S;
    fold->S = NULL;
    turn_fold(&t->train, fold, t->P);
    if (t->R) memcpy(t->R, fold->R, t->train.n * t->train.p * sizeof *t->R);
}

static orff_status turned_fill(turned_fold *t, fold_sums *fold) {
    memcpy(t->yy, fold->yy, t->train.p * sizeof *t->yy);
    if (!t->plain) return turned_project(t, fold);
    turned_move(t, fold);
    return ORFF_OK;
}

/* w of `count` lambdas side by side, and Q w. */
static void turned_solve(turned_fold *t, size_t count, const double *lambdas) {
    const orffi_system *s = &t->train;
    const size_t r = s->r, width = count * r;
    double *w = t->plain ? t->Qw : t->w;
    for (size_t l = 0; l < count; l++) {
        const double shift = orffi_system_shift(s, lambdas[l]);
        for (size_t a = 0; a < s->n; a++)
            for (size_t b = 0; b < r; b++)
                w[a * width + l * r + b] = sqrt(s->m[b]) * s->c[a * r + b] / (s->e[a] * s->m[b] + shift);
    }
    if (t->plain) orffi_gemm(false, false, s->n, width, s->n, 1.0, s->U, s->n, w, width, 0.0, t->w, width);
    orffi_gemm(false, false, s->n, width, s->n, 1.0, t->Q, s->n, t->w, width, 0.0, t->Qw, width);
}

/* errors (r) += sum_a w ((Q w) - 2 P) for lambda l of `count`: one error for each turned output. */
static void turned_errors(const turned_fold *t, size_t count, size_t l, double *errors) {
    const size_t r = t->train.r, width = count * r;
    for (size_t a = 0; a < t->train.n; a++) {
        const double *w = t->w + a * width + l * r, *Qw = t->Qw + a * width + l * r, *P = t->P + a * r;
        for (size_t b = 0; b < r; b++) errors[b] += w[b] * (Qw[b] - 2.0 * P[b]);
    }
}

/* out (n x p) = A_l W^T, where A_l is lambda l of `count` in A (n x (count r)). */
static void turn_back(turned_fold *t, size_t count, size_t l, const double *A, double *out) {
    const orffi_system *s = &t->train;
    const size_t r = s->r, p = s->p;
    for (size_t a = 0; a < s->n; a++) memcpy(t->t + a * r, A + (a * count + l) * r, r * sizeof *A);
    orffi_gemm(false, true, s->n, p, r, 1.0, t->t, r, s->W, r, 0.0, out, p);
}

/* outputs (p) += the errors of each output. */
static void add_outputs(turned_fold *t, size_t count, size_t l, double *outputs) {
    const size_t p = t->train.p;
    for (size_t k = 0; k < p; k++) outputs[k] += t->yy[k];
    if (!t->train.turned) {
        turned_errors(t, count, l, outputs);
        return;
    }
    turn_back(t, count, l, t->w, t->V);
    turn_back(t, count, l, t->Qw, t->SV);
    for (size_t a = 0; a < t->train.n; a++)
        for (size_t k = 0; k < p; k++)
            outputs[k] += t->V[a * p + k] * (t->SV[a * p + k] - 2.0 * t->R[a * p + k]);
}

static orff_status turned_path(turned_fold *t, size_t count, const double *lambdas, double *errors,
                               double *outputs) {
    const size_t p = t->train.p;
    double *modes, yy = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(modes, t->train.r));
    for (size_t k = 0; k < p; k++) yy += t->yy[k];
    for (size_t first = 0; first < count; first += t->at_once) {
        const size_t some = count - first < t->at_once ? count - first : t->at_once;
        turned_solve(t, some, lambdas + first);
        for (size_t l = 0; l < some; l++) {
            memset(modes, 0, t->train.r * sizeof *modes);
            turned_errors(t, some, l, modes);
            errors[first + l] += yy;
            for (size_t b = 0; b < t->train.r; b++) errors[first + l] += modes[b];
            if (outputs) add_outputs(t, some, l, outputs + (first + l) * p);
        }
    }
    orffi_release(modes);
    return ORFF_OK;
}

static orff_status turned_fold_errors(const orff_ridge *ridge, size_t k, size_t count, const double *lambdas,
                                      double *errors, double *outputs) {
    turned_fold t = {0};
    fold_sums fold = {0};
    orff_status status = orffi_system_build_without(&t.train, &ridge->system, ridge->features, ridge->moments,
                                                    k, ridge->center);
    if (!status) status = orffi_system_eigen(&t.train);
    if (!status) status = turned_allocate(&t, count, outputs != NULL);
    if (!status) status = fold_build(&fold, ridge->features, &ridge->moments->sets[k], t.train.mean);
    if (!status) status = turned_fill(&t, &fold);
    fold_clear(&fold);
    if (!status) status = turned_path(&t, count, lambdas, errors, outputs);
    turned_clear(&t);
    return status;
}

/* ---- all folds */

/* Errors of each output take two products, n x r by r x p, for every lambda and fold; repeating all folds for
 * one lambda takes an eigendecomposition and two products of order n for every fold. */
bool orffi_ridge_outputs_are_dear(const orff_ridge *ridge, size_t count) {
    const orffi_system *s = &ridge->system;
    return s->turned &&
           4.0 * (double)count * (double)s->r * (double)s->p > 20.0 * (double)s->n * (double)s->n;
}

/* Sums of squared errors for every lambda; for other kernels outputs (count x p) is never NULL. */
static orff_status add_folds(const orff_ridge *ridge, size_t count, const double *lambdas, double *errors,
                             double *outputs) {
    const orff_moments *moments = ridge->moments;
    for (size_t k = 0; k < moments->n_sets; k++) {
        if (!(orffi_moments_weight(moments, k) > 0.0)) continue;
        orffi_stage before;
        orff_status status = orffi_stage_enter(ORFFI_FOLDS_TASK, (double)k, (double)moments->n_sets,
                                               ORFFI_DECOMPOSITION, &before);
        if (!status)
            status = ridge->system.stein ? turned_fold_errors(ridge, k, count, lambdas, errors, outputs)
                                         : dense_fold(ridge, k, count, lambdas, outputs);
        orffi_stage_leave(&before);
        ORFFI_TRY(status);
    }
    return ORFF_OK;
}

orff_status orffi_ridge_cross(const orff_ridge *ridge, size_t count, const double *lambdas, double *errors,
                              double *outputs) {
    const orffi_system *s = &ridge->system;
    const size_t width = count * s->p;
    double *own = NULL;
    ORFFI_TRY(orffi_moments_check_folds(ridge->moments));
    if (!outputs && !s->stein) ORFFI_TRY(ORFFI_NEW_ARRAY(own, width));
    double *each = outputs ? outputs : own;
    memset(errors, 0, count * sizeof *errors);
    if (outputs) memset(outputs, 0, width * sizeof *outputs);
    const orff_status status = add_folds(ridge, count, lambdas, errors, each);
    for (size_t i = 0; each && i < width; i++) each[i] = fmax(each[i], 0.0) / s->N;
    for (size_t l = 0; l < count; l++)
        errors[l] = s->stein ? fmax(errors[l], 0.0) / (s->N * (double)s->p) : 0.0;
    for (size_t i = 0; !s->stein && i < width; i++) errors[i / s->p] += each[i] / (double)s->p;
    orffi_release(own);
    return status;
}
