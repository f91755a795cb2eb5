/* The engine of random features: what is prepared, and what can be asked of it. */
#include "engine/features.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/solver.h"

#define LARGEST_DIRECT   16000 /* rows of the system: 2 GB for each matrix */
#define SMALLER_FEATURES 1000  /* of the model by which iterative solvers choose lambda ... */
#define SMALLER_ROWS     20000 /* ... and its rows */

/* ---- what it can do */

/* Every solver but sgd is for the squared loss; mixtures are learned from moments. */
static orff_status check_solver(const orff_settings *s) {
    if ((unsigned)s->solver >= ORFF_SOLVER_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no solver number %d", (int)s->solver);
    if (s->loss != ORFF_LOSS_SQUARED && !orffi_solver_find(s->solver)->any_loss)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s solver is for the squared loss; for %s use %s",
                          orff_solver_name(s->solver), orff_loss_name(s->loss),
                          orff_solver_name(ORFF_SOLVER_SGD));
    if (s->mixture && !s->auto_kernel &&
        (s->loss != ORFF_LOSS_SQUARED || !orffi_solver_find(s->solver)->learns_weights))
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "learning the weights of a mixture needs the direct solver, or the exact engine, and "
            "the squared loss");
    return ORFF_OK;
}

/* S of every fold and of all of them, and as many matrices of the system. */
static orff_status suits(const orff_settings *s, size_t d, size_t p, size_t rows, size_t *bytes) {
    const double length = 2.0 * (double)orff_settings_features(s, d, p, rows);
    const double sets = (double)s->folds + 1.0, system = length * (double)p;
    const double need = 8.0 * (sets * length * (length + (double)p) + 3.0 * system * system);
    *bytes = need < (double)(SIZE_MAX / 2) ? (size_t)need : SIZE_MAX;
    return check_solver(s);
}

static bool compares(const orff_kernel *kernel, size_t rows) {
    (void)kernel, (void)rows;
    return true;
}

/* How many rows the system of a direct solution would have: 2 D for one decomposable part, else 2 D p' (at
 * most). */
static size_t system_rows(const orffi_task *task, const orff_kernel *kernel) {
    const size_t D = task->D ? task->D : orff_sampling_default().features;
    return orffi_kernel_is_separable(kernel) ? 2 * D : 2 * D * kernel->p;
}

static bool is_direct(const orffi_task *task, const orff_kernel *kernel) {
    const orff_settings *s = task->settings;
    return task->scores || s->solver == ORFF_SOLVER_DIRECT ||
           (s->solver == ORFF_SOLVER_AUTO && s->loss == ORFF_LOSS_SQUARED &&
            system_rows(task, kernel) <= LARGEST_DIRECT);
}

/* ---- rows */

orff_status orffi_features_draw(orff_features **features, const orffi_task *task, const orff_kernel *kernel,
                                size_t D) {
    orff_sampling sampling = task->settings->sampling;
    sampling.features = D > kernel->n_groups || sampling.scheme == ORFF_SCHEME_GRID ? D : kernel->n_groups;
    if (!sampling.extent) sampling.extent = task->extent;
    return orff_features_create(features, kernel, &sampling);
}

static void unbind(orffi_features_rows *r) {
    orff_ridge_free(r->ridge);
    orffi_dual_clear(&r->dual);
    orffi_system_clear(&r->joint);
    if (r->bound != r->drawn) orff_features_free(r->bound);
    r->ridge = NULL;
    r->bound = NULL;
}

static void release(void *rows) {
    orffi_features_rows *r = rows;
    if (!r) return;
    unbind(r);
    release(r->smaller);
    orff_moments_free(r->own);
    orff_features_free(r->drawn);
    orffi_table_clear(&r->gathered);
    orffi_release(r);
}

static orff_status create(orffi_features_rows **out, const orffi_task *task) {
    ORFFI_TRY(ORFFI_NEW(*out));
    (*out)->task = *task;
    return ORFF_OK;
}

static orff_status prepare(void **out, const orffi_task *task, const orff_kernel *kernel) {
    const orff_settings *s = task->settings;
    orffi_features_rows *r;
    ORFFI_TRY(create(&r, task));
    r->iterates = !is_direct(task, kernel);
    orff_status status =
        r->iterates && s->mixture && !s->auto_kernel
            ? orffi_fail(ORFF_ERROR_UNSUPPORTED,
                         "learning the weights of a mixture needs the direct solver; use fewer frequencies")
            : orffi_features_draw(&r->drawn, task, kernel, task->D);
    if (status) {
        release(r);
    } else {
        *out = r;
    }
    return status;
}

orff_status orffi_features_rows_of_moments(void **out, const orffi_task *task, const orff_kernel *kernel,
                                           const orff_moments *moments) {
    orffi_features_rows *r;
    ORFFI_TRY(create(&r, task));
    r->moments = moments;
    r->directed = orffi_moments_is_parted(moments);
    const orff_status status = orff_moments_features(moments, kernel, &r->drawn);
    if (status) {
        release(r);
    } else {
        *out = r;
    }
    return status;
}

static orff_moments_settings settings_of(const orffi_features_rows *r) {
    return (orff_moments_settings){.folds = r->task.folds,
                                   .seed = r->task.settings->sampling.seed,
                                   .single = r->task.single,
                                   .blocks = r->task.blocks,
                                   .groups = r->task.groups};
}

static orff_status sum_rows(orffi_features_rows *r, const orffi_source *source) {
    const orff_moments_settings how = settings_of(r);
    const orffi_table *t = source->table;
    ORFFI_TRY(orff_moments_create(&r->own, r->drawn, &how));
    r->moments = r->own;
    if (t) return orff_moments_accumulate(r->own, t->n, t->X, t->Y, t->weights);
    return orffi_checkpoint_read(source->checkpoint, r->own, &source->reader);
}

static orff_status keep_rows(orffi_features_rows *r, const orffi_source *source) {
    r->checkpoint = source->checkpoint;
    r->table = source->table ? source->table : &r->gathered;
    if (source->table) return ORFF_OK;
    return orffi_table_gather(&r->gathered, &source->reader, source->expected, r->drawn->d, r->drawn->p);
}

static orff_status keep_directed(orffi_features_rows *r, const orffi_source *source) {
    if (r->iterates || r->task.single)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "rows with missing outputs or directions are solved directly and in double precision: ask for "
            "fewer features, or for the engine %s",
            orff_engine_name(ORFF_ENGINE_LATTICE));
    return keep_rows(r, source);
}

static orff_status read_rows(void *rows, const orffi_source *source) {
    orffi_features_rows *r = rows;
    const size_t n = source->table ? source->table->n : source->known;
    r->directed = source->table && source->table->along;
    if (r->directed) return keep_directed(r, source);
    r->few = !r->iterates && !source->checkpoint && orffi_features_are_few(r, n);
    return r->iterates || r->few ? keep_rows(r, source) : sum_rows(r, source);
}

/* Frequencies of the same laws. Custom parts and signatures cannot be found again by their law. */
static bool serves(const void *rows, const orff_kernel *kernel) {
    const orffi_features_rows *r = rows;
    const orffi_bank *bank = r->drawn->bank;
    if (r->drawn->kernel == kernel) return true;
    for (size_t m = 0; m < kernel->n_parts; m++) {
        size_t g = 0;
        if (kernel->parts[m].rule->own_law) return false;
        while (g < bank->n_groups && !(bank->groups[g].law.base &&
                                       orffi_spectrum_equal(&bank->groups[g].law, &kernel->parts[m].law)))
            g++;
        if (g == bank->n_groups) return false;
    }
    return true;
}

static bool same_folds(const orffi_task *a, const orffi_task *b, size_t d) {
    if (a->folds != b->folds || a->groups != b->groups || !a->blocks != !b->blocks) return false;
    return !a->blocks || memcmp(a->blocks, b->blocks, d * sizeof *a->blocks) == 0;
}

/* Few rows are read again for each candidate: two of them at once would hold two systems. */
static bool shares(const void *rows, const void *other) {
    const orffi_features_rows *a = rows, *b = other;
    return a->moments && !b->iterates && same_folds(&a->task, &b->task, a->drawn->d) &&
           a->task.single == b->task.single &&
           a->task.settings->sampling.seed == b->task.settings->sampling.seed &&
           orffi_bank_compare(a->drawn->bank, b->drawn->bank) == ORFF_OK;
}

static void borrow(void *other, const void *rows) {
    ((orffi_features_rows *)other)->moments = ((const orffi_features_rows *)rows)->moments;
}

static orff_status fill_dual(orffi_features_rows *r) {
    const orffi_table *t = r->table;
    const orffi_exact_rows rows = {
        .n = t->n, .X = t->X, .Y = t->Y, .weights = t->weights, .center = r->task.settings->center};
    const orff_moments_settings folds = settings_of(r);
    return orffi_dual_fill(&r->dual, r->bound, &rows, &folds);
}

orff_status orffi_features_bind(orffi_features_rows *r, const orff_kernel *kernel) {
    if (r->bound && r->bound->kernel == kernel) return ORFF_OK;
    unbind(r);
    if (r->drawn->kernel == kernel) {
        r->bound = r->drawn;
    } else {
        ORFFI_TRY(orff_features_rebind(&r->bound, r->drawn, kernel));
    }
    if (r->iterates) return ORFF_OK;
    orff_status status = r->directed ? orffi_features_join(r)
                         : r->few
                             ? fill_dual(r)
                             : orff_ridge_create(&r->ridge, r->bound, r->moments, r->task.settings->center);
    if (status) unbind(r);
    return status;
}

orff_features *orffi_features_adopt(orffi_features_rows *r) {
    orff_features *features = r->bound;
    if (r->drawn == features) r->drawn = NULL; /* the fit has it now */
    r->bound = NULL;
    return features;
}

/* ---- the smaller model by which lambda is chosen where rows are kept */

static orff_status fill_smaller(orffi_features_rows *r, const orff_kernel *kernel) {
    void *made = NULL;
    orffi_task task = r->task;
    if (r->smaller) return ORFF_OK;
    r->some = *r->table;
    task.D = task.D && task.D < SMALLER_FEATURES ? task.D : SMALLER_FEATURES;
    task.folds = task.settings->folds;
    task.single = false;
    task.scores = true;
    if (r->some.n > SMALLER_ROWS) r->some.n = SMALLER_ROWS;
    ORFFI_TRY(prepare(&made, &task, kernel));
    r->smaller = made;
    return read_rows(made, &(orffi_source){.table = &r->some});
}

/* ---- the criterion */

static double weight(const void *rows) {
    const orffi_features_rows *r = rows;
    double sum = 0.0;
    if (r->table) return orffi_table_weight(r->table);
    if (r->directed) return orff_moments_describe(r->moments).weight;
    for (size_t f = 0; f < r->moments->n_sets; f++) sum += orffi_moments_weight(r->moments, f);
    return sum;
}

/* trace K~(0)/p */
static orff_status size_of(const orff_features *f, double *size) {
    double trace;
    ORFFI_TRY(orffi_features_trace(f, &trace));
    *size = trace > 0.0 ? trace / (double)f->p : 1.0;
    return ORFF_OK;
}

static orff_status size(void *rows, const orff_kernel *kernel, double *out) {
    orffi_features_rows *r = rows;
    if (r->iterates && !(r->task.settings->lambda > 0.0)) {
        ORFFI_TRY(fill_smaller(r, kernel));
        return size(r->smaller, kernel, out);
    }
    ORFFI_TRY(orffi_features_bind(r, kernel));
    return size_of(r->bound, out);
}

/* All of a path but cv_mse. */
static orff_status fill_points(orffi_features_rows *r, size_t count, const double *lambdas,
                               orff_path_point *points) {
    return r->few ? orffi_dual_path(&r->dual, count, lambdas, points)
                  : orff_ridge_path(r->ridge, count, lambdas, false, points);
}

/* In place of errors that few rows, or rows that are all the same, do not give. */
static orff_status fill_generalised(orffi_features_rows *r, size_t count, const double *lambdas,
                                    orffi_criterion *c) {
    const size_t p = r->bound->p;
    orff_path_point *points;
    ORFFI_TRY(ORFFI_NEW_ARRAY(points, count));
    const orff_status status = fill_points(r, count, lambdas, points);
    for (size_t i = 0; !status && i < count * p; i++) c->outputs[i] = points[i / p].gcv;
    for (size_t l = 0; !status && l < count; l++) points[l].cv_mse = c->errors[l] = points[l].gcv;
    if (!status && c->points) memcpy(c->points, points, count * sizeof *points);
    orffi_release(points);
    c->told = true;
    return status;
}

static orff_status fill_crossed(orffi_features_rows *r, size_t count, const double *lambdas,
                                orffi_criterion *c) {
    const bool dear =
        r->few ? orffi_dual_outputs_are_dear(&r->dual, count) : orffi_ridge_outputs_are_dear(r->ridge, count);
    c->crossed = true;
    c->told = c->each || !dear;
    double *outputs = c->told ? c->outputs : NULL;
    if (c->points) ORFFI_TRY(fill_points(r, count, lambdas, c->points));
    ORFFI_TRY(r->few ? orffi_dual_cross(&r->dual, count, lambdas, c->errors, outputs)
                     : orffi_ridge_cross(r->ridge, count, lambdas, c->errors, outputs));
    for (size_t l = 0; c->points && l < count; l++) c->points[l].cv_mse = c->errors[l];
    return ORFF_OK;
}

static bool has_too_few(const orffi_features_rows *r) {
    return r->few ? orffi_dual_too_few(&r->dual) : orffi_moments_too_few(r->moments);
}

static orff_status criterion(void *rows, const orff_kernel *kernel, size_t count, const double *lambdas,
                             orffi_criterion *c) {
    orffi_features_rows *r = rows;
    if (r->iterates) {
        ORFFI_TRY(fill_smaller(r, kernel));
        const orff_status status = criterion(r->smaller, kernel, count, lambdas, c);
        c->crossed = false; /* they are not the errors of the model that will be */
        return status;
    }
    ORFFI_TRY(orffi_features_bind(r, kernel));
    if (r->directed) return orffi_features_judge_directed(r, count, lambdas, c);
    return (has_too_few(r) ? fill_generalised : fill_crossed)(r, count, lambdas, c);
}

/* Weights are learned from sums. */
static orff_status sum_few(orffi_features_rows *r) {
    if (!r->few) return ORFF_OK;
    unbind(r);
    r->few = false;
    return sum_rows(r, &(orffi_source){.table = r->table});
}

static orff_status weights(void *rows, const orff_kernel *kernel, double drop, double *values,
                           double *shares_of) {
    orffi_features_rows *r = rows;
    double lambda;
    if (r->iterates)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "learning the weights of a mixture needs the direct solver");
    ORFFI_TRY(sum_few(r));
    ORFFI_TRY(orffi_features_bind(r, kernel));
    return orff_mixture_learn(r->bound, r->moments, r->task.settings->center, r->task.settings->criterion,
                              drop, values, &lambda, shares_of, NULL);
}

static orff_status learn(void **fit, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report) {
    orffi_features_rows *r = rows;
    orffi_features_fit *made = NULL;
    ORFFI_TRY(orffi_features_bind(r, kernel));
    ORFFI_TRY((r->iterates   ? orffi_features_iterate
               : r->directed ? orffi_features_solve_directed
               : r->few      ? orffi_features_solve_dual
                             : orffi_features_solve)(&made, r, lambda, report));
    orffi_features_fit_fold(made);
    *fit = made;
    return ORFF_OK;
}

/* ---- a fit */

orff_status orffi_features_fit_create(orffi_features_fit **out, orff_features *features) {
    orffi_features_fit *fit;
    orff_status status = ORFFI_NEW(fit);
    if (status) {
        orff_features_free(features);
        return status;
    }
    fit->features = features;
    status = ORFFI_NEW_ARRAY(fit->theta, features->M);
    if (!status) status = ORFFI_NEW_ARRAY(fit->V, 2 * features->D * features->p);
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}

void orffi_features_fit_free(void *self) {
    orffi_features_fit *fit = self;
    if (!fit) return;
    orffi_release(fit->theta);
    orffi_release(fit->V);
    orffi_posterior_free(fit->posterior);
    if (!fit->borrows) orff_features_free(fit->features);
    orffi_release(fit);
}

void orffi_features_fit_fold(orffi_features_fit *fit) {
    orffi_features_fold(fit->features, fit->theta, fit->V);
}

static const orff_kernel *kernel_of(const void *fit) {
    return ((const orffi_features_fit *)fit)->features->kernel;
}

static orff_status check_finite(const void *self) {
    const orffi_features_fit *fit = self;
    return orffi_check_finite("theta", fit->features->M, 1, fit->theta);
}

static void describe(const void *self, orff_model_info *info) {
    const orffi_features_fit *fit = self;
    const orff_features *f = fit->features;
    info->frequencies = f->D;
    info->parameters = f->M;
    info->scheme = f->bank->groups[0].drawn.scheme;
    info->seed = f->bank->groups[0].recipe.seed;
    info->has_posterior = fit->posterior != NULL;
    info->warnings = f->warnings;
    info->warning = f->warning;
}

static orff_status values(const void *self, size_t n, const double *x, double *F) {
    const orffi_features_fit *fit = self;
    return orffi_features_apply_matrix(fit, fit->features->p, fit->V, n, x, F);
}

const orffi_engine orffi_engine_features = {
    .id = ORFF_ENGINE_FEATURES,
    .draws = true,
    .resumes = true,
    .suits = suits,
    .compares = compares,
    .prepare = prepare,
    .read = read_rows,
    .serves = serves,
    .shares = shares,
    .borrow = borrow,
    .weight = weight,
    .size = size,
    .criterion = criterion,
    .weights = weights,
    .learn = learn,
    .release = release,
    .kernel = kernel_of,
    .check_finite = check_finite,
    .describe = describe,
    .values = values,
    .values_single = orffi_features_values_single,
    .covariance = orffi_features_covariance,
    .derive = orffi_features_derive,
    .derived_covariance = orffi_features_derived_covariance,
    .has_derived_covariance = orffi_features_has_derived_covariance,
    .draw = orffi_features_draw_samples,
    .sum = orffi_features_sum,
    .pack = orffi_features_pack,
    .add = orffi_features_add,
    .load = orffi_features_load,
    .free = orffi_features_fit_free,
};
