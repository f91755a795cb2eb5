/* What a fit will cost, from a short measurement on this machine.
 *
 * A fit sums moments (linear in the rows) and factors a system for every fold (cubic in its size M). Both are measured at
 * the sizes asked for, or at smaller ones that are scaled up. An exact fit factors one matrix (cubic in its rows), after
 * choices whose time does not grow with the rows. Lattices: cost_lattice.c. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/threads.h"
#include "model/choose.h"
#include "model/cost.h"
#include "model/fit.h"
#include "model/trial.h"
#include "solve/solver.h"

#define SMALL_FEATURES 250  /* at which a solution is timed */
#define SMALL_ORDER    600  /* rows of the matrix of an exact fit that is timed, and twice as many */
#define GIVEN_LAMBDA   1e-3 /* where a fit is timed after its choices */
#define BLOCK          1024 /* rows added at once */
#define SECONDS        0.2  /* for as long as this */

typedef struct task {
    orffi_plan plan;  /* settings, with some length scales filled in, and the parts ... */
    orff_part *parts; /* ... in the form of the settings */
    size_t n, d, p, D;
    bool choose;                /* length scales are auto */
    const orff_settings *asked; /* as passed by the caller */
    double row, solve;
    size_t parameters; /* M at D */
} task;

/* ---- measuring moments and what follows them */

static orff_status draw(const task *t, size_t D, size_t folds, orff_moments **moments, size_t *parameters) {
    const orff_moments_settings how = {.folds = folds, .single = t->plan.settings.single};
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling = t->plan.settings.sampling;
    sampling.features = D;
    orff_status status = orff_kernel_create(&kernel, t->d, t->p, t->plan.settings.n_parts, t->parts);
    if (!status) status = orff_features_create(&features, kernel, &sampling);
    if (!status) *parameters = orff_features_describe(features).parameters;
    if (!status) status = orff_moments_create(moments, features, &how);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

/* Seconds per row; the first block is a warm-up. */
static orff_status time_rows(const task *t, orff_moments *moments, double *seconds) {
    double *X = NULL, *Y, start = 0.0;
    size_t rows = 0;
    orff_status status = orffi_cost_rows(BLOCK, t->d, t->p, 1.0, &X, &Y);
    if (!status) status = orff_moments_accumulate(moments, BLOCK, X, Y, NULL);
    for (start = orffi_cost_now(); !status && (rows == 0 || orffi_cost_now() - start < SECONDS);
         rows += BLOCK)
        status = orff_moments_accumulate(moments, BLOCK, X, Y, NULL);
    *seconds = rows ? (orffi_cost_now() - start) / (double)rows : 0.0;
    orffi_release(X);
    return status;
}

/* Seconds for everything after the moments: path, folds, solution, posterior. */
static orff_status time_solve(const task *t, const orff_moments *moments, double *seconds) {
    orff_model *model = NULL;
    orff_settings settings = t->plan.settings;
    settings.engine = ORFF_ENGINE_FEATURES; /* an exact fit, too, may choose length scales this way */
    settings.solver = ORFF_SOLVER_DIRECT;
    const double start = orffi_cost_now();
    const orff_status status = orff_model_fit_moments(&model, &settings, moments);
    *seconds = orffi_cost_now() - start;
    orff_model_free(model);
    return status;
}

/* Times rows with D frequencies, and the solution with at most SMALL_FEATURES, scaled by the cube. */
static orff_status measure(task *t, size_t D, size_t folds) {
    const size_t small = D < SMALL_FEATURES ? D : SMALL_FEATURES;
    orff_moments *moments = NULL;
    size_t unused;
    double again;
    orff_status status = draw(t, D, folds, &moments, &t->parameters);
    if (!status) status = time_rows(t, moments, &t->row);
    if (!status && small < D) {
        orff_moments_free(moments);
        moments = NULL;
        status = draw(t, small, folds, &moments, &unused);
        if (!status) status = time_rows(t, moments, &again);
    }
    if (!status) status = time_solve(t, moments, &t->solve);
    t->solve *= pow((double)D / (double)small, 3.0);
    orff_moments_free(moments);
    return status;
}

/* ---- choosing length scales: timed at the sizes that the choice uses */

static orff_status add_choice(const task *t, double *seconds) {
    task trial = *t;
    const orffi_table table = {.n = t->n < ORFFI_TRIAL_ROWS ? t->n : ORFFI_TRIAL_ROWS};
    ORFFI_TRY(
        measure(&trial, orffi_trial_frequencies(&t->plan, &table), orffi_trial_folds(&t->plan, &table)));
    *seconds += (double)orffi_scale_candidates(&t->plan) * ((double)table.n * trial.row + trial.solve);
    return ORFF_OK;
}

/* ---- adding up */

static bool plain(const task *t) {
    return t->plan.settings.n_parts == 1 && orffi_rule_find(t->parts[0].rule)->separable;
}

/* The sample for choices, S for each fold and two sums, about five matrices of the system, blocks of phi. */
static double bytes_of(const task *t) {
    const orff_settings *s = &t->plan.settings;
    const double phi = 2.0 * (double)t->D, system = plain(t) ? phi : (double)t->parameters;
    const double sample = 8.0 * fmin((double)t->n, (double)s->subsample) * (double)(t->d + t->p);
    const double block = 8.0 * BLOCK * phi * (double)orff_get_threads();
    const double folds = s->lambda > 0.0 ? 1.0 : (double)s->folds; /* a lambda that is given needs none */
    return ORFFI_COST_ALWAYS + sample + block + 8.0 * phi * phi * (folds + 2.0) +
           8.0 * system * system * 5.0;
}

static orff_status estimate_features(task *t, orff_cost *cost) {
    ORFFI_TRY(measure(t, t->D, t->plan.settings.folds));
    cost->seconds = (double)t->n * t->row + t->solve;
    cost->bytes = bytes_of(t);
    return t->choose ? add_choice(t, &cost->seconds) : ORFF_OK;
}

/* ---- exact models */

static orff_status time_fit(const task *t, const orff_settings *asked, size_t n, double *seconds) {
    const orff_settings settings = orffi_cost_settings(asked, t->plan.engine->id);
    return orffi_cost_time_fit(&settings, t->d, t->p, n, seconds);
}

/* Rows of the matrix for each row of the data. */
static double rows_each(const task *t) {
    return plain(t) ? 1.0 : (double)t->p;
}

/* Seconds of a fit of a given order: fixed + each order^3. */
typedef struct growth {
    double fixed, each;
} growth;

static double grown(const growth *g, double order) {
    return g->fixed + g->each * order * order * order;
}

/* Fitted to the times of two small fits; if the fit itself is small, to its own time. The first fit is a
 * warm-up. */
static orff_status measure_growth(const task *t, const orff_settings *settings, growth *g) {
    const double each = rows_each(t), order = (double)t->n * each;
    const double small = fmin(order, SMALL_ORDER), large = fmin(order, 2.0 * SMALL_ORDER);
    const size_t few = (size_t)fmax(small / each, 2.0), some = (size_t)fmax(large / each, 2.0);
    double quick, slow;
    ORFFI_TRY(time_fit(t, settings, few, &quick));
    ORFFI_TRY(time_fit(t, settings, few, &quick));
    *g = (growth){.fixed = quick};
    if (some <= few) return ORFF_OK;
    ORFFI_TRY(time_fit(t, settings, some, &slow));
    const double cubes = pow((double)some * each, 3.0) - pow((double)few * each, 3.0);
    g->each = fmax(slow - quick, 0.0) / cubes;
    g->fixed = fmax(quick - g->each * pow((double)few * each, 3.0), 0.0);
    return ORFF_OK;
}

/* Seconds of a choice by the evidence: from all rows, or from a sample whose size does not grow with them. */
static orff_status time_choice(const task *t, const growth *g, double *seconds) {
    const double each = rows_each(t), order = (double)t->n * each;
    const double looked_at = order <= ORFFI_EVIDENCE_WHOLE ? order : fmin(order, 1.5 * ORFFI_EVIDENCE_WHOLE);
    double whole;
    ORFFI_TRY(time_fit(t, t->asked, (size_t)fmax(looked_at / each, 2.0), &whole));
    *seconds = fmax(whole - grown(g, looked_at), 0.0);
    return ORFF_OK;
}

/* One matrix of order n (n p where outputs do not separate) and memory for three. It is factored once if
 * everything is given or chosen by the evidence; otherwise it is decomposed for every candidate. */
static orff_status estimate_exact(task *t, orff_cost *cost) {
    const double order = (double)t->n * rows_each(t), n = (double)t->n;
    const bool chooses = t->choose || t->asked->lambda == 0.0;
    const bool evident = t->plan.engine->evident && orffi_has_evidence(&t->plan);
    orff_settings settings = chooses && !evident ? *t->asked : t->plan.settings;
    double choice = 0.0;
    growth g;
    if (chooses && evident) settings.lambda = GIVEN_LAMBDA;
    ORFFI_TRY(measure_growth(t, &settings, &g));
    if (chooses && evident) ORFFI_TRY(time_choice(t, &g, &choice));
    cost->seconds = grown(&g, order) + choice;
    cost->bytes =
        ORFFI_COST_ALWAYS + 8.0 * (3.0 * order * order + n * (2.0 * (double)t->d + 8.0 * (double)t->p));
    return ORFF_OK;
}

/* ---- lattices */

static orff_status estimate_lattice(task *t, orff_cost *cost) {
    const orff_settings settings = orffi_cost_settings(t->asked, ORFF_ENGINE_LATTICE);
    return orffi_cost_lattice(&settings, t->d, t->p, t->n, cost);
}

/* ---- the call */

static orff_status check(const orff_settings *s, size_t d, size_t p, size_t n) {
    ORFFI_TRY(orffi_check_fit(s, d, p));
    if (n == 0) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the cost of a fit to no rows is not known");
    if (s->mixture || s->auto_kernel || s->auto_mix)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the cost of choosing the kernel, weights or mix is not known");
    if (s->n_hidden || s->engine == ORFF_ENGINE_STACK)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the cost of training a stack is not known beforehand: it stops when it no longer improves");
    if (s->loss == ORFF_LOSS_SQUARED && orffi_solver_is_closed(s->solver)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "the cost of an iteration is not known beforehand: the solvers %s and %s can be "
                      "planned, and the engine %s",
                      orff_solver_name(ORFF_SOLVER_AUTO), orff_solver_name(ORFF_SOLVER_DIRECT),
                      orff_engine_name(ORFF_ENGINE_EXACT));
}

/* The parts, with some length scale for those that are auto. */
static orff_status fill_parts(task *t, const orff_settings *settings) {
    const orff_part usual = orff_part_default();
    const size_t count = settings->n_parts ? settings->n_parts : 1;
    ORFFI_TRY(orffi_duplicate(&t->parts, settings->n_parts ? settings->parts : &usual, count, sizeof usual));
    t->choose = settings->n_parts == 0;
    for (size_t m = 0; m < count; m++) {
        orff_part *part = &t->parts[m];
        part->learn_wavelengths = false;
        if (part->space && !t->plan.space)
            ORFFI_TRY(orffi_duplicate(&t->plan.space, part->space, t->p, sizeof *part->space));
        if (part->sigmas || part->sigma > 0.0 || orffi_rule_find(part->rule)->own_law) continue;
        t->choose = true;
        part->sigma = 0.5 + 0.5 * (double)m;
    }
    return orffi_parts_init(&t->plan.parts, t->d, t->p, count, t->parts);
}

static orff_status prepare(task *t, const orff_settings *settings) {
    orff_settings *s = &t->plan.settings;
    t->plan.d = t->d;
    t->plan.p = t->p;
    /* 0 for a named engine: its cost is asked for even where the rows would not fit into memory */
    const size_t rows = settings->engine == ORFF_ENGINE_AUTO ? t->n : 0;
    ORFFI_TRY(orffi_engine_choose(settings, t->d, t->p, rows, &t->plan.engine, &t->plan.engine_reason));
    ORFFI_TRY(fill_parts(t, settings));
    *s = *settings;
    s->engine = t->plan.engine->id;
    s->n_parts = t->plan.parts.count;
    s->parts = t->parts;
    s->geo = ORFF_GEO_NONE;
    s->checkpoint = NULL;
    s->sampling.features = t->D;
    return ORFF_OK;
}

static orff_status estimate(task *t, orff_cost *cost) {
    const bool features = t->plan.engine->draws, lattice = t->plan.engine == &orffi_engine_lattice;
    orff_hooks before = orffi_hooks_swap((orff_hooks){0}), silent = before;
    silent.log = NULL; /* what is chosen here is nobody's business */
    orffi_hooks_swap(silent);
    const orff_status status = (features  ? estimate_features
                                : lattice ? estimate_lattice
                                          : estimate_exact)(t, cost);
    orffi_hooks_swap(before);
    cost->features = features ? t->D : 0;
    return status;
}

orff_status orff_cost_estimate(const orff_settings *settings, size_t d, size_t p, size_t n, orff_cost *cost) {
    orff_cost found = {0};
    if (!settings || !cost)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_cost_estimate: NULL argument");
    ORFFI_TRY(check(settings, d, p, n));
    task t = {.n = n, .d = d, .p = orffi_code_length(settings, p), .asked = settings};
    t.D = orff_settings_features(settings, d, t.p, n);
    if (t.D == 0) t.D = orff_sampling_default().features; /* grid: its size would follow from the tolerance */
    orff_status status = prepare(&t, settings);
    if (!status) status = estimate(&t, &found);
    orffi_plan_clear(&t.plan);
    orffi_release(t.parts);
    if (!status) *cost = found;
    return status;
}
