/* Fitting by iteration: all rows in memory, swept again and again. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/plan.h"
#include "solve/solver.h"

/* lambda by cross-validation of a model with fewer frequencies, on the head of the rows. */
static orff_status lambda_from_head(const orffi_plan *plan, const orffi_table *table, double *lambda) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orffi_best_lambda best = {0};
    const orff_moments_settings how = {.folds = plan->settings.folds, .seed = plan->settings.sampling.seed};
    const size_t D = plan->settings.sampling.features, n = table->n < 20000 ? table->n : 20000;
    orff_status status = orffi_plan_features(plan, D && D < 1000 ? D : 1000, &features);
    if (!status) status = orff_moments_create(&moments, features, &how);
    if (!status) status = orff_moments_accumulate(moments, n, table->X, table->Y, table->weights);
    if (!status) status = orffi_plan_cross_validate(plan, features, moments, &best);
    if (!status) *lambda = best.lambda;
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

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

static orff_status iteration_errors(const orffi_table *table, orff_model *model, const double *mean) {
    double *F, total = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(F, table->n * table->p));
    const orff_status status = orff_features_apply(model->features, table->n, table->X, model->theta, F);
    for (size_t i = 0; !status && i < table->n; i++) {
        const double c = table->weights ? table->weights[i] : 1.0;
        total += c;
        for (size_t k = 0; k < table->p; k++) {
            const double error = F[i * table->p + k] + mean[k] - table->Y[i * table->p + k];
            model->output_train_mse[k] += c * error * error;
        }
    }
    model->train_mse = 0.0;
    for (size_t k = 0; !status && k < table->p; k++) {
        model->output_train_mse[k] /= total;
        model->train_mse += model->output_train_mse[k] / (double)table->p;
    }
    orffi_release(F);
    return status;
}

static orff_iteration iteration_of(const orff_settings *s, double lambda) {
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
    size_t rows;                /* that an iteration sweeps */
    orffi_coefficients reached; /* theta: room for what is saved */
    orffi_keeper keeper;
    uint64_t saved; /* iterations */
} keeping;

/* The digest of what theta belongs to: frequencies, their weights, and their blocks. */
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
        if (!status) status = ORFFI_NEW_ARRAY(B, info.outputs * columns);
        if (!status) status = orff_features_block(features, j, &columns, B);
        if (!status) orffi_digest_add(digest, info.outputs * columns, B);
        orffi_release(B);
        B = NULL;
    }
    orffi_release(omega);
    orffi_release(weights);
    return status;
}

/* An iteration sweeps all rows: as many count towards the next save. */
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

/* The start value, where a run before came to it on the same rows and features. */
static orff_status go_on(keeping *k, orff_model *model) {
    const orffi_checkpoint *c = k->checkpoint;
    const orffi_marks *seen = &c->witness.expected;
    if (c->moments) return orffi_fail(ORFF_ERROR_MISMATCH, "%s holds moments, not coefficients", c->path);
    if (!c->from.theta) return ORFF_OK;
    if (seen->list[seen->count - 1].rows != k->rows)
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "%s was made from other data: from %llu rows, and here are %zu; remove it to begin anew", c->path,
            (unsigned long long)seen->list[seen->count - 1].rows, k->rows);
    if (c->from.count != k->reached.count || !orffi_digest_equal(&c->from.features, &k->reached.features))
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "%s has other features than this run; the same machine and number of threads may help, "
            "else remove it to begin anew",
            c->path);
    memcpy(model->theta, c->from.theta, k->reached.count * sizeof *model->theta);
    k->saved = c->from.iterations;
    k->keeper.from = (orffi_reached){
        .iterations = (size_t)c->from.iterations, .width = c->from.width, .caution = c->from.caution};
    return ORFF_OK;
}

static orff_status keeping_begin(keeping *k, orffi_checkpoint *checkpoint, size_t rows, orff_model *model) {
    *k = (keeping){.checkpoint = checkpoint, .rows = rows};
    if (!checkpoint) return ORFF_OK;
    k->keeper.keep = keep;
    k->keeper.self = k;
    k->reached.count = model->features->M;
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->reached.theta, k->reached.count));
    ORFFI_TRY(digest_features(model->features, &k->reached.features));
    return go_on(k, model);
}

/* What was found, in case that it cannot be kept otherwise. */
static void keeping_end(keeping *k, const orff_model *model) {
    if (!k->checkpoint || model->solve.iterations == k->saved) return;
    memcpy(k->reached.theta, model->theta, k->reached.count * sizeof *model->theta);
    k->reached.iterations = model->solve.iterations;
    orffi_checkpoint_save(k->checkpoint, NULL, &k->reached);
}

/* ---- the iteration */

static orff_status iterate(const orffi_plan *plan, const orffi_table *table, keeping *k, orff_model *model) {
    const orff_settings *s = &plan->settings;
    /* margins are told by the codes themselves: nothing is taken off y */
    const bool center = s->center && !orff_loss_describe(s->loss).classes;
    model->lambda = s->lambda;
    if (!(s->lambda > 0.0)) ORFFI_TRY(lambda_from_head(plan, table, &model->lambda));
    ORFFI_TRY(orffi_plan_check_lambda(model->lambda, model->features));
    mean_of(table, center, model->mean);
    const orff_iteration how = iteration_of(s, model->lambda);
    ORFFI_TRY(orffi_iterate(model->features, table->n, table->X, table->Y, table->weights, model->mean, &how,
                            k->checkpoint ? &k->keeper : NULL, model->theta, &model->solve));
    keeping_end(k, model);
    ORFFI_TRY(iteration_errors(table, model, model->mean));
    model->cv_mse = model->dof = model->log_evidence = NAN;
    model->noise = model->train_mse;
    model->rows = table->n;
    model->single = s->single;
    return ORFF_OK;
}

orff_status orffi_fit_iterative(orff_model **out, orffi_plan *plan, orffi_rows *rows) {
    orff_features *features = NULL;
    orff_model *model = NULL;
    orffi_table table = {0};
    keeping k = {0};
    orff_status status = orffi_plan_features(plan, plan->settings.sampling.features, &features);
    if (!status) status = orffi_model_create(&model, features, plan->settings.classes);
    if (!status) status = orffi_rows_gather(rows, &table);
    if (!status) status = keeping_begin(&k, rows->checkpoint, table.n, model);
    if (!status) status = iterate(plan, &table, &k, model);
    orffi_release(k.reached.theta);
    orffi_table_clear(&table);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}
