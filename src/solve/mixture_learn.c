/* Learns the weights of a sum and lambda from moments: by the evidence, or by a pattern search of the
 * cross-validated error that starts from there. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/names.h"
#include "solve/mixture.h"
#include "solve/weights.h"

typedef struct learning {
    orffi_mixture mix;
    orffi_weights_search search;
} learning;

static orff_status evidence(void *self, const double *x, double *value, double *gradient) {
    return orffi_mixture_evidence(self, x, value, gradient);
}

/* ---- cross-validation */

/* One mixture for the training rows of each fold, and one for the fold itself. */
typedef struct folds {
    size_t count;
    orffi_mixture *train, *held;
} folds;

static void folds_clear(folds *f) {
    for (size_t k = 0; f->train && k < f->count; k++) orffi_mixture_clear(&f->train[k]);
    for (size_t k = 0; f->held && k < f->count; k++) orffi_mixture_clear(&f->held[k]);
    orffi_release(f->train);
    orffi_release(f->held);
}

static orff_status folds_fill(folds *out, const orff_features *f, const orff_moments *moments, bool center) {
    out->count = moments->n_sets;
    ORFFI_TRY(ORFFI_NEW_ARRAY(out->train, out->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(out->held, out->count));
    for (size_t k = 0; k < out->count; k++) {
        ORFFI_TRY(orffi_mixture_init(&out->train[k], f, moments, k, center, NULL));
        ORFFI_TRY(orffi_mixture_init_fold(&out->held[k], f, moments, k, out->train[k].mean));
    }
    return ORFF_OK;
}

/* sum |f - y|^2 over the held-out rows = t^T G1 t - 2 t.b1 + yy with t = sqrt(d) theta. scratch: M. */
static double held_error(const orffi_mixture *train, const orffi_mixture *held, double *scratch) {
    double error = held->yy;
    for (size_t i = 0; i < train->M; i++) scratch[i] = train->root[i] * train->theta[i];
    for (size_t i = 0; i < train->M; i++) {
        double row = 0.0;
        for (size_t k = 0; k < train->M; k++) row += held->G1[i * train->M + k] * scratch[k];
        error += scratch[i] * (row - 2.0 * held->b1[i]);
    }
    return error;
}

/* Cross-validated error at x. s2 is N lambda, so it is reduced to the number of training rows. */
static orff_status cross_error(learning *l, const folds *f, const double *x, double *error) {
    double moved[ORFFI_MOST_PARTS + 1];
    *error = 0.0;
    l->search.evaluations++;
    ORFFI_TRY(orffi_progress("mixture", (double)l->search.evaluations, 0.0));
    for (size_t k = 0; k < f->count; k++) {
        memcpy(moved, x, sizeof moved);
        moved[l->search.parts] += log(f->train[k].N / l->mix.N);
        const orff_status status = orffi_mixture_solve(&f->train[k], moved);
        if (status == ORFF_ERROR_NOT_POSITIVE) *error = INFINITY;
        if (status == ORFF_ERROR_NOT_POSITIVE) return ORFF_OK;
        ORFFI_TRY(status);
        *error += held_error(&f->train[k], &f->held[k], l->mix.theta);
    }
    return ORFF_OK;
}

/* Moves along coordinates by factors of 4, 2 and 1.4, keeping those that help. */
static orff_status pattern_search(learning *l, const folds *f) {
    double best, error;
    ORFFI_TRY(cross_error(l, f, l->search.x, &best));
    for (double size = 1.4; size > 0.3; size *= 0.5) {
        for (size_t i = 0; i <= l->search.parts; i++) {
            for (int sign = -1; l->search.free[i] && sign <= 1; sign += 2) {
                const double before = l->search.x[i];
                l->search.x[i] += sign * size;
                ORFFI_TRY(cross_error(l, f, l->search.x, &error));
                if (error < best) {
                    best = error;
                    break;
                }
                l->search.x[i] = before;
            }
        }
    }
    return ORFF_OK;
}

static orff_status refine_by_folds(learning *l, const orff_features *features, const orff_moments *moments,
                                   bool center) {
    folds f = {0};
    orff_status status = folds_fill(&f, features, moments, center);
    if (!status) status = pattern_search(l, &f);
    folds_clear(&f);
    return status;
}

/* ---- the public call */

static orff_status check_criterion(orff_criterion criterion, const orff_moments *moments) {
    if (criterion == ORFF_CRITERION_EVIDENCE) return ORFF_OK;
    if ((unsigned)criterion >= ORFF_CRITERION_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no criterion number %d", (int)criterion);
    return orffi_moments_check_folds(moments);
}

static orff_status check_learn(const orff_features *f, const orff_moments *moments, const double *weights,
                               const double *lambda, double drop) {
    if (!f || !moments || !weights || !lambda)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_mixture_learn: NULL argument");
    ORFFI_TRY(orffi_weights_check(f->kernel->n_parts, weights, drop));
    if (f->p != moments->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the kernel has %zu outputs, the moments %zu", f->p,
                          moments->p);
    ORFFI_TRY(orffi_moments_refuse_parted(moments, "learning weights is"));
    return orffi_bank_compare(f->bank, moments->bank);
}

static orff_status learn(learning *l, const orff_features *features, const orff_moments *moments, bool center,
                         orff_criterion criterion, double drop, const double *weights) {
    ORFFI_TRY(orffi_mixture_init(&l->mix, features, moments, moments->n_sets, center, NULL));
    if (!(l->mix.N > 0.0 && l->mix.yy > 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "there are no rows to learn from, or the outputs are constant");
    l->search.parts = l->mix.parts;
    l->search.outputs = features->p;
    l->search.trace = l->mix.trace;
    l->search.variance = l->mix.yy / l->mix.P;
    l->search.evidence = evidence;
    l->search.self = &l->mix;
    ORFFI_TRY(orffi_weights_learn(&l->search, weights, drop));
    return criterion == ORFF_CRITERION_CROSS_VALIDATION ? refine_by_folds(l, features, moments, center)
                                                        : ORFF_OK;
}

orff_status orff_mixture_learn(const orff_features *features, const orff_moments *moments, bool center,
                               orff_criterion criterion, double drop, double *weights, double *lambda,
                               double *shares, orff_solve_info *info) {
    learning *l;
    ORFFI_TRY(check_learn(features, moments, weights, lambda, drop));
    ORFFI_TRY(check_criterion(criterion, moments));
    ORFFI_TRY(ORFFI_NEW(l));
    const orff_status status = learn(l, features, moments, center, criterion, drop, weights);
    if (!status) {
        for (size_t m = 0; m < l->search.parts; m++) weights[m] = exp(l->search.x[m]);
        *lambda = exp(l->search.x[l->search.parts]) / l->mix.N;
        if (shares) orffi_weights_shares(&l->search, shares);
        if (info)
            *info = (orff_solve_info){.method = orff_criterion_name(criterion),
                                      .iterations = l->search.evaluations,
                                      .converged = l->search.converged};
    }
    orffi_mixture_clear(&l->mix);
    orffi_release(l);
    return status;
}

/* ---- names */

static const char *const names[] = {ORFF_CRITERION_LIST(ORFFI_NAME_OF) NULL};

const char *orff_criterion_name(orff_criterion criterion) {
    return (unsigned)criterion < ORFF_CRITERION_COUNT ? names[criterion] : NULL;
}

const char *const *orff_criterion_names(void) {
    return names;
}

orff_status orff_criterion_parse(const char *name, orff_criterion *criterion) {
    size_t place;
    if (!criterion) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_criterion_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("criterion", name, names, &place));
    *criterion = (orff_criterion)place;
    return ORFF_OK;
}
