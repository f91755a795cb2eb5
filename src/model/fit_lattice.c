/* A model from moments of a lattice: rule, base, weights, lambda and length scales are all free. A length
 * scale that is auto gets the value of highest evidence within the range that the lattice was made for. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "engine/lattice.h"
#include "model/fit.h"
#include "model/model.h"

#define STRIDE 0.5  /* in logarithms: distance between the length scales tried first */
#define CLOSE  0.02 /* in logarithms: length scales cannot be determined better */

/* The noise variance of a row over that of the field, and the step of its logarithm. */
#define FIRST_NOISE   0.05
#define STEP          1.4
#define LOWEST_NOISE  (-23.0)
#define HIGHEST_NOISE 16.0
#define NEARLY        0.1  /* of a step: not worth another evaluation */
#define RESIDUAL      1e-5 /* tolerance of iterations */

static orff_status check(const orff_settings *s, const orff_lattice_moments *moments) {
    if (s->auto_kernel || s->auto_mix || s->mixture)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "moments of a lattice learn neither a kernel nor its weights; name the parts");
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "moments are for the loss %s, not for %s",
                          orff_loss_name(ORFF_LOSS_SQUARED), orff_loss_name(s->loss));
    if (s->engine != ORFF_ENGINE_AUTO && s->engine != ORFF_ENGINE_LATTICE)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "these moments are for the engine %s, not for %s",
                          orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(s->engine));
    if (s->periods)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the moments have their periods; give none");
    if (!orff_lattice_moments_describe(moments).rows)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the moments have no rows");
    return orffi_check_fit_moments(s, moments->sums->p);
}

/* ---- length scales and noise
 *
 * Both maximise the evidence, with the amplitude of the field free. Length scales go from the longest,
 * which need the fewest waves, to shorter ones. At each, the search for the noise starts near its previous
 * value. */

typedef struct search {
    orffi_plan *plan;
    const orff_lattice_moments *moments;
    orff_settings settings; /* the plan's, with coarser iterations */
    bool *chosen;           /* one per part */
    size_t visits;
    double t[2], noise[2];  /* of the last two visits, the newest first; noise: log of plan->shift */
    double best, error, at; /* best t, its error, and the noise there */
} search;

/* One point of the search: the system at its length scales. */
typedef struct attempt {
    const search *of;
    orff_kernel *kernel;
    void *rows;
    double size;
} attempt;

static void attempt_clear(attempt *l) {
    l->of->plan->engine->release(l->rows);
    orff_kernel_free(l->kernel);
}

/* t = 0: the shortest length scales, t = 1: the longest, interpolated in logarithms. */
static void set_scales(const search *s, double t) {
    for (size_t m = 0; m < s->plan->parts.count; m++)
        for (size_t i = 0; s->chosen[m] && i < s->plan->d; i++)
            s->plan->parts.list[m].sigmas[i] =
                exp((1.0 - t) * log(s->moments->shortest[i]) + t * log(s->moments->longest[i]));
}

/* Longer length scales need less noise: extrapolates the last two visits, limited to a few steps. */
static double expect_noise(const search *s, double t) {
    if (!s->visits) return log(FIRST_NOISE);
    if (s->visits == 1 || s->t[0] == s->t[1]) return s->noise[0];
    const double slope = (s->noise[0] - s->noise[1]) / (s->t[0] - s->t[1]);
    return s->noise[0] + fmax(-3.0 * STEP, fmin(3.0 * STEP, slope * (t - s->t[0])));
}

/* The lattice has the waves that can be resolved at a noise one step lower than the expected one. */
static orff_status attempt_init(attempt *l, const search *s, double t, double noise) {
    orffi_task task = orffi_plan_task(s->plan);
    *l = (attempt){.of = s};
    task.settings = &s->settings;
    task.shift = exp(noise - STEP);
    set_scales(s, t);
    ORFFI_TRY(orffi_plan_kernel(s->plan, &l->kernel));
    ORFFI_TRY(orffi_lattice_rows_of_moments(&l->rows, &task, l->kernel, s->moments, false));
    return s->plan->engine->size(l->rows, l->kernel, &l->size);
}

/* The negative log evidence; INFINITY if the equations are singular to rounding. */
static orff_status judge(attempt *l, double noise, double *error) {
    orffi_lattice_solution found;
    const double lambda = l->size * exp(noise) / l->of->plan->engine->weight(l->rows);
    ORFFI_TRY(orffi_progress("choosing the length scale and the noise", 0.0, 0.0));
    const orff_status status = orffi_lattice_solve_at(l->rows, lambda, true, &found);
    *error = status || isnan(found.profile) ? INFINITY : -found.profile;
    return status == ORFF_ERROR_NUMERICAL ? ORFF_OK : status;
}

/* The minimum of the parabola through (-1, a), (0, b), (1, c), where b is the least. */
static double vertex(double a, double b, double c) {
    const double bend = a - 2.0 * b + c;
    return bend > 0.0 && isfinite(bend) ? fmax(-1.0, fmin(1.0, 0.5 * (a - c) / bend)) : 0.0;
}

/* Steps until the middle of three is the least, then tries the minimum of their parabola. */
static orff_status find_noise(attempt *l, double step, double *noise, double *error) {
    double e[3], last, middle = *noise;
    ORFFI_TRY(judge(l, middle, &e[1]));
    ORFFI_TRY(judge(l, middle + step, &e[2]));
    if (e[2] < e[1]) {
        e[0] = e[1];
        e[1] = e[2];
        middle += step;
        ORFFI_TRY(judge(l, middle + step, &e[2]));
    } else {
        ORFFI_TRY(judge(l, middle - step, &e[0]));
    }
    while (e[2] < e[1] && middle < HIGHEST_NOISE) {
        memmove(e, e + 1, 2 * sizeof *e);
        middle += step;
        ORFFI_TRY(judge(l, middle + step, &e[2]));
    }
    while (e[0] < e[1] && middle > LOWEST_NOISE) {
        memmove(e + 1, e, 2 * sizeof *e);
        middle -= step;
        ORFFI_TRY(judge(l, middle - step, &e[0]));
    }
    const double beside = vertex(e[0], e[1], e[2]) * step;
    *noise = middle;
    *error = e[1];
    if (fabs(beside) < NEARLY * step) return ORFF_OK;
    ORFFI_TRY(judge(l, middle + beside, &last));
    if (last < e[1]) *noise = middle + beside;
    *error = fmin(last, e[1]);
    return ORFF_OK;
}

/* The noise of highest evidence at t, or the one that follows from lambda; keeps the best visit. */
static orff_status visit(search *s, double t, double *error) {
    attempt l;
    const double lambda = s->plan->settings.lambda;
    double noise = expect_noise(s, t);
    orff_status status = attempt_init(&l, s, t, noise);
    if (!status && lambda > 0.0) {
        noise = log(lambda * s->plan->engine->weight(l.rows) / l.size);
        status = judge(&l, noise, error);
    } else if (!status) {
        status = find_noise(&l, s->visits ? 0.5 * STEP : STEP, &noise, error);
    }
    attempt_clear(&l);
    if (status) return status;
    s->t[1] = s->t[0];
    s->noise[1] = s->noise[0];
    s->t[0] = t;
    s->noise[0] = noise;
    s->visits++;
    if (*error < s->error) {
        s->error = *error;
        s->best = t;
        s->at = noise;
    }
    return ORFF_OK;
}

/* Narrows the search around the best visit: neighbours at ever shorter steps, and the minima of their
 * parabolas. */
static orff_status close_in(search *s, double step, double close) {
    while (step > close) {
        double before, after, beside;
        const double t = s->best, error = s->error;
        step *= 0.4;
        ORFFI_TRY(visit(s, fmin(t + step, 1.0), &after));
        ORFFI_TRY(visit(s, fmax(t - step, 0.0), &before));
        if (s->best != t) continue;
        beside = t + vertex(before, error, after) * step;
        if (fabs(beside - t) > 0.1 * step && beside > 0.0 && beside < 1.0)
            ORFFI_TRY(visit(s, beside, &after));
        step *= 0.4;
    }
    return ORFF_OK;
}

/* From the longest length scales downwards in equal ratios. The evidence has one maximum: two visits worse
 * in a row end the search. */
static orff_status search_scales(search *s) {
    double ratio = 0.0, error;
    for (size_t i = 0; i < s->plan->d; i++)
        ratio = fmax(ratio, log(s->moments->longest[i] / s->moments->shortest[i]));
    const size_t looks = ratio > CLOSE ? 1 + (size_t)ceil(ratio / STRIDE) : 0;
    const double step = looks ? 1.0 / (double)looks : 0.0;
    size_t worse = 0;
    for (size_t i = 0; i <= looks && worse < 2; i++) {
        ORFFI_TRY(visit(s, 1.0 - step * (double)i, &error));
        worse = error > s->error ? worse + 1 : 0;
    }
    if (looks) ORFFI_TRY(close_in(s, step, CLOSE / ratio));
    set_scales(s, s->best);
    return ORFF_OK;
}

/* Chooses the length scales that are auto and, unless lambda is given, the noise. */
static orff_status choose_scales(orffi_plan *plan, const orff_lattice_moments *moments) {
    search s = {.plan = plan, .moments = moments, .settings = plan->settings, .best = 1.0, .error = INFINITY};
    bool any = false;
    s.settings.tolerance = fmax(s.settings.tolerance, RESIDUAL);
    s.settings.lambda = 0.0; /* the noise comes from the task */
    ORFFI_TRY(ORFFI_NEW_ARRAY(s.chosen, plan->parts.count));
    for (size_t m = 0; m < plan->parts.count; m++)
        any |= s.chosen[m] = orffi_part_is_auto(&plan->parts.list[m].part);
    orff_status status = ORFF_OK;
    if (any) status = search_scales(&s);
    if (!any && !(plan->settings.lambda > 0.0)) {
        double error;
        status = visit(&s, 1.0, &error);
    }
    if (!status && s.visits && isinf(s.error))
        status = orffi_fail(ORFF_ERROR_NUMERICAL,
                            "no noise can be chosen: the equations are singular to rounding; give lambda");
    if (!status && s.visits && !(plan->settings.lambda > 0.0)) plan->shift = exp(s.at);
    orffi_release(s.chosen);
    return status;
}

/* ---- the fit */

static orff_status fit(orff_model **out, orffi_plan *plan, const orff_lattice_moments *moments) {
    orff_kernel *kernel = NULL;
    void *rows = NULL;
    ORFFI_TRY(choose_scales(plan, moments));
    const orffi_task task = orffi_plan_task(plan);
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orffi_lattice_rows_of_moments(&rows, &task, kernel, moments, true);
    if (!status) status = orffi_fit_prepared(out, plan, rows, kernel, NULL);
    plan->engine->release(rows);
    orff_kernel_free(kernel);
    return status;
}

orff_status orff_model_fit_lattice_moments(orff_model **out, const orff_settings *settings,
                                           const orff_lattice_moments *moments) {
    orffi_plan plan = {0};
    if (!out || !settings || !moments)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_fit_lattice_moments: NULL argument");
    ORFFI_TRY(check(settings, moments));
    orff_status status = orffi_plan_for_lattice(&plan, settings, moments);
    if (!status) status = fit(out, &plan, moments);
    orffi_plan_clear(&plan);
    return status;
}
