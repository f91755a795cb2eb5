/* Fitting by iteration: all rows in memory, swept repeatedly. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/features.h"
#include "engine/reach.h"
#include "solve/solver.h"

/* The weighted mean of y, or zeros. */
static void mean_of(const orffi_table *table, bool center, double *mean) {
    double total = 0.0;
    memset(mean, 0, table->p * sizeof *mean);
    for (size_t i = 0; center && i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0;
        total += c;
        for (size_t k = 0; k < table->p; k++) mean[k] += c * table->Y[i * table->p + k];
    }
    for (size_t k = 0; total > 0.0 && k < table->p; k++) mean[k] /= total;
}

static orff_status iteration_errors(const orffi_table *table, const orffi_features_fit *fit,
                                    orffi_report *report) {
    double *F, total = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(F, table->n * table->p));
    const orff_status status = orff_features_apply(fit->features, table->n, table->X, fit->theta, F);
    for (size_t i = 0; !status && i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0;
        total += c;
        for (size_t k = 0; k < table->p; k++) {
            const double error = F[i * table->p + k] + report->mean[k] - table->Y[i * table->p + k];
            report->train_mse[k] += c * error * error;
        }
    }
    for (size_t k = 0; !status && k < table->p; k++) report->train_mse[k] /= total;
    report->N = total;
    orffi_release(F);
    return status;
}

orff_iteration orff_settings_iteration(const orff_settings *s, double lambda) {
    orff_iteration how = orff_iteration_default();
    if (orffi_solver_find(s->solver)->iterates)
        how.solver = s->solver;
    else if (s->loss != ORFF_LOSS_SQUARED)
        how.solver = ORFF_SOLVER_SGD;
    how.lambda = lambda;
    how.tolerance = s->tolerance;
    how.max_iterations = s->max_iterations;
    how.loss = s->loss;
    how.loss_parameter = s->loss_parameter;
    how.shadow = s->shadow;
    how.batch = s->batch;
    how.seed = s->sampling.seed;
    how.single = s->single;
    return how;
}

/* ---- checkpoints */

typedef struct keeping {
    orffi_checkpoint *checkpoint;
    size_t rows;                /* swept in each iteration */
    orffi_coefficients reached; /* theta: room for what is saved */
    orffi_keeper keeper;
    uint64_t saved; /* iterations at the last save */
} keeping;

/* The digest of the features that theta belongs to: frequencies, their weights, and their blocks. */
static orff_status digest_features(const orff_features *features, orffi_digest *digest) {
    const orff_features_info info = orff_features_describe(features);
    double *omega = NULL, *weights = NULL, *B = NULL;
    orff_status status = ORFFI_NEW_ARRAY(omega, info.frequencies * info.inputs);
    if (!status) status = ORFFI_NEW_ARRAY(weights, info.frequencies);
    if (!status) status = orff_features_frequencies(features, omega, weights);
    if (!status) {
        orffi_digest_add(digest, info.frequencies * info.inputs, omega);
        orffi_digest_add(digest, info.frequencies, weights);
    }
    for (size_t j = 0; !status && j < info.frequencies; j++) {
        size_t columns = 0;
        status = orff_features_block(features, j, &columns, NULL);
        const size_t count = info.outputs * columns * (features->kernel->hermitian ? 2 : 1);
        if (!status) status = ORFFI_NEW_ARRAY(B, count);
        if (!status)
            status = features->kernel->hermitian ? orff_features_block_complex(features, j, &columns, B)
                                                 : orff_features_block(features, j, &columns, B);
        if (!status) orffi_digest_add(digest, count, B);
        orffi_release(B);
        B = NULL;
    }
    orffi_release(omega);
    orffi_release(weights);
    return status;
}

/* Saves if enough rows were swept since the last save; an iteration sweeps all rows. */
static void keep(void *self, const orffi_reached *now, const double *theta, const double *more) {
    keeping *k = self;
    const uint64_t done = now->iterations - k->saved, every = k->checkpoint->every;
    if (done < every / k->rows + (every % k->rows > 0)) return;
    k->saved = now->iterations;
    for (size_t i = 0; i < k->reached.count; i++) k->reached.theta[i] = theta[i] + (more ? more[i] : 0.0);
    k->reached.iterations = now->iterations;
    k->reached.width = now->width;
    k->reached.caution = now->caution;
    orffi_checkpoint_save(k->checkpoint, NULL, &k->reached);
}

/* Sets the start value if a previous run saved one for the same rows and features. */
static orff_status restore(keeping *k, double *theta) {
    const orffi_checkpoint *c = k->checkpoint;
    const orffi_marks *seen = &c->witness.expected;
    if (c->moments) return orffi_fail(ORFF_ERROR_MISMATCH, "%s holds moments, not coefficients", c->path);
    if (!c->from.theta) return ORFF_OK;
    if (seen->list[seen->count - 1].rows != k->rows)
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "%s was made from other data: from %llu rows, but there are %zu now; remove it to start again",
            c->path, (unsigned long long)seen->list[seen->count - 1].rows, k->rows);
    if (c->from.count != k->reached.count || !orffi_digest_equal(&c->from.features, &k->reached.features))
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "%s has other features than this run; the same machine and number of threads may help, "
            "else remove it to start again",
            c->path);
    memcpy(theta, c->from.theta, k->reached.count * sizeof *theta);
    k->saved = c->from.iterations;
    k->keeper.from = (orffi_reached){
        .iterations = (size_t)c->from.iterations, .width = c->from.width, .caution = c->from.caution};
    return ORFF_OK;
}

static orff_status keeping_begin(keeping *k, orffi_checkpoint *checkpoint, size_t rows,
                                 orffi_features_fit *fit) {
    *k = (keeping){.checkpoint = checkpoint, .rows = rows};
    if (!checkpoint) return ORFF_OK;
    k->keeper.keep = keep;
    k->keeper.self = k;
    k->reached.count = fit->features->M;
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->reached.theta, k->reached.count));
    ORFFI_TRY(digest_features(fit->features, &k->reached.features));
    return restore(k, fit->theta);
}

/* Saves the result, in case it cannot be kept otherwise. */
static void keeping_end(keeping *k, const double *theta, size_t iterations) {
    if (!k->checkpoint || iterations == k->saved) return;
    memcpy(k->reached.theta, theta, k->reached.count * sizeof *theta);
    k->reached.iterations = iterations;
    orffi_checkpoint_save(k->checkpoint, NULL, &k->reached);
}

/* ---- the iteration */

static orff_status iterate(const orffi_features_rows *r, double lambda, keeping *k, orffi_features_fit *fit,
                           orffi_report *report) {
    const orff_settings *s = r->task.settings;
    const orffi_table *t = r->table;
    /* with codes of classes, margins depend on the codes themselves, so no mean is subtracted */
    const bool center = s->center && !orff_loss_describe(s->loss).classes;
    const orff_iteration how = orff_settings_iteration(s, lambda);
    mean_of(t, center, report->mean);
    ORFFI_TRY(orffi_iterate(fit->features, t->n, t->X, t->Y, t->weights, report->mean, &how,
                            k->checkpoint ? &k->keeper : NULL, NULL, fit->theta, &report->solve));
    keeping_end(k, fit->theta, report->solve.iterations);
    report->lambda = lambda;
    report->dof = report->log_evidence = NAN;
    report->rows = t->n;
    report->single = s->single;
    ORFFI_TRY(
        orffi_reach_rows(fit->features->kernel, t->n, t->Y, t->weights, report->mean, &report->unreached));
    return iteration_errors(t, fit, report);
}

orff_status orffi_features_iterate(orffi_features_fit **out, orffi_features_rows *r, double lambda,
                                   orffi_report *report) {
    orffi_features_fit *fit = NULL;
    keeping k = {0};
    orff_status status = orffi_features_fit_create(&fit, orffi_features_adopt(r));
    if (!status) status = keeping_begin(&k, r->checkpoint, r->table->n, fit);
    if (!status) status = iterate(r, lambda, &k, fit, report);
    orffi_release(k.reached.theta);
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}
