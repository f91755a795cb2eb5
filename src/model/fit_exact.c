/* Fitting without features: rows -> exact kernel -> alpha. lambda is chosen by the exact leave-one-out
 * error. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exact/learn.h"
#include "model/choose_exact.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/reach.h"

#define LARGEST_POSTERIOR 4000

/* What any way of solving takes at least: matrices of N rows where K may be k (x) A, else of N p. */
orff_status orffi_fit_exact_check(const orff_settings *s, const orffi_rows *rows) {
    bool turned = !s->auto_kernel;
    if (s->solver != ORFF_SOLVER_EXACT || rows->stream) return ORFF_OK;
    for (size_t m = 0; m < s->n_parts; m++) turned = turned && orff_rule_describe(s->parts[m].rule).separable;
    const orffi_exact_plan plan = {.n = rows->n, .d = rows->d, .p = rows->p};
    const double order = (double)rows->n * (turned ? 1.0 : (double)rows->p);
    const double bytes = 8.0 * (s->lambda > 0.0 ? 1.0 : 3.0) * order * order;
    return orffi_exact_check_memory(&plan, bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX,
                                    s->max_bytes);
}

static bool wants_posterior(const orffi_plan *plan, const orff_kernel *kernel, size_t rows) {
    const bool turned = orffi_kernel_is_separable(kernel);
    return plan->settings.posterior == ORFF_SWITCH_YES ||
           (plan->settings.posterior == ORFF_SWITCH_AUTO &&
            rows <= LARGEST_POSTERIOR / (turned ? 1 : kernel->p));
}

/* Everything that is told, in the plan's units but for cv_mse, which is in the user's. */
static orff_status tell(orff_model *model, const orffi_plan *plan, const orffi_exact_told *told,
                        const orffi_table *table) {
    const double *spread = plan->units.spread;
    double N = 0.0;
    for (size_t i = 0; i < table->n; i++) N += table->weights ? table->weights[i] : 1.0;
    const double P = N * (double)model->p;
    model->lambda = told->point.lambda;
    model->dof = told->point.dof;
    model->train_mse = told->point.train_mse;
    model->noise = model->train_mse * P / fmax(P - model->dof, 1.0);
    model->log_evidence = told->point.log_evidence; /* the density of y, not of y / spread */
    for (size_t k = 0; k < model->p; k++) model->log_evidence -= N * log(spread[k]);
    model->rows = table->n;
    model->solve = told->solve;
    memcpy(model->mean, model->exact->mean, model->p * sizeof *model->mean);
    memcpy(model->output_train_mse, told->train_mse, model->p * sizeof *model->output_train_mse);
    if (isnan(told->point.cv_mse)) return ORFF_OK; /* one row */
    model->cv_mse = 0.0;
    for (size_t k = 0; k < model->p; k++) {
        told->cv_mse[k] *= spread[k] * spread[k];
        model->cv_mse += told->cv_mse[k] / (double)model->p;
    }
    if (model->classes) return ORFF_OK; /* errors of codes, one by one, tell nobody anything */
    return orffi_duplicate(&model->output_cv_mse, told->cv_mse, model->p, sizeof *told->cv_mse);
}

static orff_status learn(orff_model **out, const orffi_plan *plan, const orff_kernel *kernel,
                         const orffi_table *table, const orffi_exact_path_of *path, double *errors) {
    orff_exact *exact = NULL;
    orff_model *model = NULL;
    const orffi_exact_task task = {.kernel = kernel,
                                   .rows = orffi_exact_rows_of(plan, table),
                                   .count = path->count,
                                   .lambdas = path->lambdas,
                                   .keep = wants_posterior(plan, kernel, table->n),
                                   .max_bytes = plan->settings.max_bytes};
    orffi_exact_told told = {.train_mse = errors, .cv_mse = errors + kernel->p};
    ORFFI_TRY(orffi_exact_learn(&exact, &task, &told));
    ORFFI_TRY(orffi_model_create_exact(&model, exact, plan->settings.classes));
    orff_status status = tell(model, plan, &told, table);
    if (!status) status = orffi_reach_rows(model, table->n, table->Y, table->weights, model->mean);
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}

orff_status orffi_fit_exact(orff_model **out, orffi_plan *plan, orffi_rows *rows) {
    orff_kernel *kernel = NULL;
    orffi_table table = {0};
    orffi_exact_path_of path = {0};
    double *errors = NULL;
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orffi_exact_path_init(&path, plan, kernel);
    if (!status) status = ORFFI_NEW_ARRAY(errors, 2 * plan->p);
    if (!status) status = orffi_rows_gather(rows, &table);
    if (!status) status = learn(out, plan, kernel, &table, &path, errors);
    orffi_table_clear(&table);
    orffi_release(path.lambdas);
    orffi_release(errors);
    orff_kernel_free(kernel);
    return status;
}
