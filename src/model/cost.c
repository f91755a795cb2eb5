/* What a fit will cost, from a short measurement on this machine.
 *
 * A fit sums moments (linear in the rows) and factors a system for every fold (cubic in its size M). Both
 * are measured at the sizes asked for, or at smaller ones and scaled up. An exact fit factors one matrix
 * (cubic in its rows), after choices whose time does not grow with the rows. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "model/choose.h"
#include "model/fit.h"
#include "model/trial.h"
#include "solve/solver.h"

#define SMALL_FEATURES 250  /* frequencies with which a solution is timed */
#define SMALL_ORDER    600  /* order of the matrix in a timed exact fit, and twice that in a second one */
#define GIVEN_LAMBDA   1e-3 /* for timing a fit without its choices */
#define BLOCK          1024 /* rows added at a time */
#define SECONDS        0.2  /* shortest duration of a measurement */
#define ALWAYS         30e6 /* bytes of the process itself */
#define STREAM         0xc057u
/* Of two timed fits on a lattice: with fewer, a dense fit may be used, which takes longer. */
#define FEW_ROWS  4000
#define SOME_ROWS 10000
/* Numbers (rows x p) up to which the engine keeps rows in the plane; beyond, it sums them up ... */
#define KEPT_PLANE 4e4
/* ... in space it needs so many waves that it keeps as many rows as it has room for. */
#define KEPT_SPACE 4e5
#define SUMMED     20000 /* rows whose summation is timed */

typedef struct task {
    orffi_plan plan;  /* settings, with some length scales filled in, and the parts ... */
    orff_part *parts; /* ... in the form of the settings */
    size_t n, d, p, D;
    bool choose;                /* length scales are auto */
    const orff_settings *asked; /* as passed by the caller */
    double row, solve;
    size_t parameters; /* M at D */
} task;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Numbers from 0 to 1: X is n x d, Y is n x p. */
static orff_status fill(size_t n, size_t d, size_t p, double **X, double **Y) {
    const orffi_rng rng = {1, STREAM};
    ORFFI_TRY(ORFFI_NEW_ARRAY(*X, n * (d + p)));
    for (size_t i = 0; i < n * (d + p); i++) (*X)[i] = (double)orffi_rng_below(rng, i, 0, 1u << 30) * 0x1p-30;
    *Y = *X + n * d;
    return ORFF_OK;
}

/* ---- moments and what follows them */

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
    orff_status status = fill(BLOCK, t->d, t->p, &X, &Y);
    if (!status) status = orff_moments_accumulate(moments, BLOCK, X, Y, NULL);
    for (start = now(); !status && (rows == 0 || now() - start < SECONDS); rows += BLOCK)
        status = orff_moments_accumulate(moments, BLOCK, X, Y, NULL);
    *seconds = rows ? (now() - start) / (double)rows : 0.0;
    orffi_release(X);
    return status;
}

/* Seconds for everything after the moments: path, folds, solution, posterior. */
static orff_status time_solve(const task *t, const orff_moments *moments, double *seconds) {
    orff_model *model = NULL;
    orff_settings settings = t->plan.settings;
    settings.engine = ORFF_ENGINE_FEATURES; /* an exact fit, too, may choose length scales this way */
    settings.solver = ORFF_SOLVER_DIRECT;
    const double start = now();
    const orff_status status = orff_model_fit_moments(&model, &settings, moments);
    *seconds = now() - start;
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
    return ALWAYS + sample + block + 8.0 * phi * phi * ((double)s->folds + 2.0) + 8.0 * system * system * 5.0;
}

static orff_status estimate_features(task *t, orff_cost *cost) {
    ORFFI_TRY(measure(t, t->D, t->plan.settings.folds));
    cost->seconds = (double)t->n * t->row + t->solve;
    cost->bytes = bytes_of(t);
    return t->choose ? add_choice(t, &cost->seconds) : ORFF_OK;
}

/* ---- fits of few rows */

/* Waves, three and ten to the range of the inputs, with noise. */
static void make_waves(size_t n, size_t d, size_t p, const double *X, double *Y) {
    const orffi_rng rng = {2, STREAM};
    for (size_t i = 0; i < n * p; i++) {
        const double *x = X + i / p * d;
        Y[i] = 0.1 * orffi_rng_normal(rng, i, 0);
        for (size_t k = 0; k < d; k++) Y[i] += sin(19.0 * x[k] + (double)(i % p)) + 0.3 * cos(60.0 * x[k]);
    }
}

/* Seconds that the plan's engine takes to fit n rows. */
static orff_status time_fit(const task *t, orff_settings settings, size_t n, double *seconds) {
    orff_model *model = NULL;
    double *X = NULL, *Y;
    settings.engine = t->plan.engine->id;
    settings.geo = ORFF_GEO_NONE;
    settings.classes = 0;
    settings.groups = settings.offset_groups = NULL;
    ORFFI_TRY(fill(n, t->d, t->p, &X, &Y));
    make_waves(n, t->d, t->p, X, Y);
    orff_hooks before = orffi_hooks_swap((orff_hooks){0}), silent = before;
    silent.log = NULL; /* users need not see what is chosen here */
    orffi_hooks_swap(silent);
    const double start = now();
    const orff_status status = orff_model_fit(&model, &settings, t->d, t->p, n, X, Y, NULL);
    *seconds = now() - start;
    orffi_hooks_swap(before);
    orff_model_free(model);
    orffi_release(X);
    return status;
}

/* ---- exact models */

/* Rows of the matrix per row of the data. */
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
    ORFFI_TRY(time_fit(t, *settings, few, &quick));
    ORFFI_TRY(time_fit(t, *settings, few, &quick));
    *g = (growth){.fixed = quick};
    if (some <= few) return ORFF_OK;
    ORFFI_TRY(time_fit(t, *settings, some, &slow));
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
    ORFFI_TRY(time_fit(t, *t->asked, (size_t)fmax(looked_at / each, 2.0), &whole));
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
    cost->bytes = ALWAYS + 8.0 * (3.0 * order * order + n * (2.0 * (double)t->d + 8.0 * (double)t->p));
    return ORFF_OK;
}

/* ---- lattices */

/* Seconds per row for summing up many rows. */
static orff_status time_sums(const task *t, double *seconds) {
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {1.0, 1.0, 1.0};
    orff_part part = orff_part_default();
    part.sigma = 0.1;
    const orff_lattice_need need = {.d = t->d,
                                    .p = t->p,
                                    .low = low,
                                    .high = high,
                                    .n_parts = 1,
                                    .parts = &part,
                                    .folds = t->asked->folds};
    orff_lattice_moments *moments = NULL;
    double *X = NULL, *Y;
    orff_status status = fill(SUMMED, t->d, t->p, &X, &Y);
    if (!status) status = orff_lattice_moments_create(&moments, &need);
    if (!status) status = orff_lattice_moments_accumulate(moments, SUMMED, X, Y, NULL);
    const double start = now();
    if (!status) status = orff_lattice_moments_accumulate(moments, SUMMED, X, Y, NULL);
    *seconds = (now() - start) / SUMMED;
    orff_lattice_moments_free(moments);
    orffi_release(X);
    return status;
}

/* An iteration takes time in proportion to the rows, and the number of iterations grows as the root of the
 * condition number, which is in proportion to the rows as well. */
static double grown_steps(double rows) {
    return rows * sqrt(rows);
}

/* Choosing takes about the same time for any number of rows. Solving grows with the rows as long as these
 * are kept; beyond that, rows are summed up. All of this is timed at two sizes. Kept rows take memory for
 * their neighbours, too. */
static orff_status estimate_lattice(task *t, orff_cost *cost) {
    const size_t few = t->n < FEW_ROWS ? t->n : FEW_ROWS, some = t->n < SOME_ROWS ? t->n : SOME_ROWS;
    const double most = (t->d < ORFF_LATTICE_INPUTS ? KEPT_PLANE : KEPT_SPACE) / (double)t->p;
    const double kept = fmin((double)t->n, fmax(most, (double)some)), beyond = (double)t->n - kept;
    double short_time, long_time, row = 0.0;
    ORFFI_TRY(time_fit(t, *t->asked, few, &short_time));
    long_time = short_time;
    if (some > few) ORFFI_TRY(time_fit(t, *t->asked, some, &long_time));
    if (beyond > 0.0) ORFFI_TRY(time_sums(t, &row));
    const double step = some > few ? grown_steps((double)some) - grown_steps((double)few) : 0.0;
    const double each = step > 0.0 ? fmax(long_time - short_time, 0.0) / step : 0.0;
    cost->seconds = long_time + each * (grown_steps(kept) - grown_steps((double)some)) + row * beyond;
    cost->bytes = ALWAYS + kept * 8.0 * (double)(40 * t->p + 4 * t->d) +
                  (double)t->n * 8.0 * (double)(2 * t->d + 2 * t->p + 2);
    return ORFF_OK;
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

orff_status orff_cost_estimate(const orff_settings *settings, size_t d, size_t p, size_t n, orff_cost *cost) {
    orff_cost found = {0};
    if (!settings || !cost)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_cost_estimate: NULL argument");
    ORFFI_TRY(check(settings, d, p, n));
    task t = {.n = n, .d = d, .p = orffi_code_length(settings, p), .asked = settings};
    t.D = orff_settings_features(settings, d, t.p, n);
    if (t.D == 0) t.D = orff_sampling_default().features; /* grid: its size would follow from the tolerance */
    orff_status status = prepare(&t, settings);
    const bool features = !status && t.plan.engine->draws;
    const bool lattice = !status && t.plan.engine == &orffi_engine_lattice;
    if (!status)
        status = (features ? estimate_features : lattice ? estimate_lattice : estimate_exact)(&t, &found);
    orffi_plan_clear(&t.plan);
    orffi_release(t.parts);
    found.features = features ? t.D : 0;
    if (!status) *cost = found;
    return status;
}
