/* A model from moments of a lattice: rule, base, weights, lambda and length scales are all free; a length scale that is auto
 * is the one of most evidence among those that the lattice was made for. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "engine/lattice.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/question.h"

#define GOLDEN 0.61803398874989484820
#define LOOKS  5    /* at the range of length scales, before the best one's surroundings are divided */
#define CLOSE  0.02 /* of a logarithm: length scales are told no better */

static orff_status check(const orff_settings *s, const orff_lattice_moments *moments) {
    const size_t p = moments->sums->p;
    if (s->auto_kernel || s->auto_mix || s->mixture)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "moments of a lattice learn neither a kernel nor its weights; name the parts");
    if (s->engine != ORFF_ENGINE_AUTO && s->engine != ORFF_ENGINE_LATTICE)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "these moments are for the engine %s, not for %s",
                          orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(s->engine));
    if (s->classes && s->classes != p + 1)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "%zu classes have codes of %zu numbers; the moments have %zu outputs", s->classes,
                          s->classes - 1, p);
    if (s->periods)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the moments have their periods; give none");
    if (!orff_lattice_moments_describe(moments).rows)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the moments have no rows");
    return orffi_question_refuse(s, "a fit from moments, which have their rows,");
}

/* ---- length scales */

typedef struct search {
    orffi_plan *plan;
    const orff_lattice_moments *moments;
    bool *chosen; /* parts */
    double best, error;
} search;

/* t from 0 to 1: from the shortest length scales to the longest. */
static void set_scales(const search *s, double t) {
    for (size_t m = 0; m < s->plan->parts.count; m++)
        for (size_t i = 0; s->chosen[m] && i < s->plan->d; i++)
            s->plan->parts.list[m].sigmas[i] =
                exp((1.0 - t) * log(s->moments->shortest[i]) + t * log(s->moments->longest[i]));
}

static orff_status judge(search *s, double t, double *error) {
    const orffi_task task = orffi_plan_task(s->plan);
    orff_kernel *kernel = NULL;
    void *rows = NULL;
    orffi_path path = {0};
    set_scales(s, t);
    orff_status status = orffi_plan_kernel(s->plan, &kernel);
    if (!status) status = orffi_lattice_rows_of_moments(&rows, &task, kernel, s->moments);
    if (!status) status = orffi_path_fill(&path, ORFFI_PATH_TRIAL, s->plan, s->plan->engine, rows, kernel);
    if (!status) *error = path.errors[path.best];
    if (!status && *error < s->error) {
        s->error = *error;
        s->best = t;
    }
    orffi_path_clear(&path);
    s->plan->engine->release(rows);
    orff_kernel_free(kernel);
    return status;
}

/* Golden section between low and high. */
static orff_status divide(search *s, double low, double high, double close) {
    double one = high - GOLDEN * (high - low), two = low + GOLDEN * (high - low), e_one, e_two;
    ORFFI_TRY(judge(s, one, &e_one));
    ORFFI_TRY(judge(s, two, &e_two));
    while (high - low > close) {
        ORFFI_TRY(orffi_progress("choosing the length scale", 0.0, 0.0));
        if (e_one < e_two) {
            high = two;
            two = one;
            e_two = e_one;
            one = high - GOLDEN * (high - low);
            ORFFI_TRY(judge(s, one, &e_one));
        } else {
            low = one;
            one = two;
            e_one = e_two;
            two = low + GOLDEN * (high - low);
            ORFFI_TRY(judge(s, two, &e_two));
        }
    }
    return ORFF_OK;
}

static orff_status search_scales(search *s) {
    double ratio = 0.0, error;
    for (size_t i = 0; i < s->plan->d; i++)
        ratio = fmax(ratio, log(s->moments->longest[i] / s->moments->shortest[i]));
    if (ratio > CLOSE) {
        for (size_t i = 0; i < LOOKS; i++) ORFFI_TRY(judge(s, (double)i / (LOOKS - 1), &error));
        const double step = 1.0 / (LOOKS - 1), low = fmax(s->best - step, 0.0),
                     high = fmin(s->best + step, 1.0);
        ORFFI_TRY(divide(s, low, high, CLOSE / ratio));
    }
    set_scales(s, s->best);
    return ORFF_OK;
}

static orff_status choose_scales(orffi_plan *plan, const orff_lattice_moments *moments) {
    search s = {.plan = plan, .moments = moments, .error = INFINITY};
    bool any = false;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s.chosen, plan->parts.count));
    for (size_t m = 0; m < plan->parts.count; m++)
        any |= s.chosen[m] = orffi_part_is_auto(&plan->parts.list[m].part);
    const orff_status status = any ? search_scales(&s) : ORFF_OK;
    orffi_release(s.chosen);
    return status;
}

/* ---- the fit */

static orff_status fit(orff_model **out, orffi_plan *plan, const orff_lattice_moments *moments) {
    const orffi_task task = orffi_plan_task(plan);
    orff_kernel *kernel = NULL;
    void *rows = NULL;
    orff_status status = choose_scales(plan, moments);
    if (!status) status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orffi_lattice_rows_of_moments(&rows, &task, kernel, moments);
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
