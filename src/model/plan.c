/* From settings to a plan: units, parts with their length scales. */
#include "model/plan.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/periods.h"
#include "engine/lattice.h"
#include "lattice/record.h"
#include "model/blocks.h"
#include "model/choose.h"
#include "model/expect.h"
#include "model/smoothness.h"
#include "model/survey.h"

#define MOST_MATRIX 4e9  /* bytes of a matrix that is not asked for */
#define MOST_SPLINE 3000 /* rows whose matrix is factored in a second */
#define MOST_KEPT   8000 /* numbers whose error bars are kept without being asked for: a file of 500 MB */

static bool is_physical(orff_rule rule) {
    return orff_rule_describe(rule).physical;
}

/* What has no base has no length scale. */
bool orffi_part_is_auto(const orff_part *part) {
    const orffi_rule_ops *rule = orffi_rule_find(part->rule);
    return rule && !rule->own_law && (part->sigma == ORFF_SIGMA_AUTO || part->sigma == ORFF_SIGMA_ARD);
}

/* ---- checks */

/* Whether something is looked for along the path of lambdas. */
static bool needs_path(const orff_settings *s) {
    if (s->lambda == 0.0 || s->auto_kernel || s->auto_mix || s->n_parts == 0) return true;
    for (size_t m = 0; m < s->n_parts; m++)
        if (!s->parts[m].sigmas && orffi_part_is_auto(&s->parts[m])) return true;
    return false;
}

static orff_status check_path(const orff_settings *s) {
    if (!(s->lambda >= 0.0 && isfinite(s->lambda)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive, or 0 for auto",
                          s->lambda);
    if (!needs_path(s)) return ORFF_OK;
    if (s->lambda_count < 1 ||
        !(s->lambda_low > 0.0 && s->lambda_high >= s->lambda_low && isfinite(s->lambda_high)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the path of lambdas goes from %g to %g in %zu values",
                          s->lambda_low, s->lambda_high, s->lambda_count);
    if (s->lambda == 0.0 && s->folds < 2)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "lambda auto needs at least 2 folds of cross-validation, not %zu", s->folds);
    return ORFF_OK;
}

/* Output matrices to be learned. */
static orff_status check_learning(const orff_settings *s) {
    bool any = false, all = true;
    for (size_t m = 0; m < s->n_parts; m++) {
        const bool delayed = s->parts[m].rule == ORFF_RULE_DELAYED; /* learns it with its delays */
        any |= s->parts[m].learn && !delayed;
        all &= orff_rule_describe(s->parts[m].rule).separable;
        if (s->parts[m].learn && delayed && (s->parts[m].sparse || s->parts[m].rank))
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "the output matrix of a %s part is learned with rank 1 and a diagonal, and is not sparse",
                orff_rule_name(ORFF_RULE_DELAYED));
        if (s->parts[m].learn && s->parts[m].sparse && s->parts[m].rank)
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "the output matrix of a part has a rank (%zu) and is sparse; expected one of the two",
                s->parts[m].rank);
        if (!(s->parts[m].sparsity >= 0.0) || isinf(s->parts[m].sparsity))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the sparsity of an output matrix is %g; expected 0 or more",
                              s->parts[m].sparsity);
        if (s->parts[m].learn && (s->parts[m].A || s->parts[m].B))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "an output matrix is given or learned, not both");
    }
    for (size_t m = 0; m < s->n_parts; m++)
        if (s->parts[m].rule == ORFF_RULE_DELAYED && (s->parts[m].A || s->parts[m].B) && !s->parts[m].delays)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "delays are learned together with the output matrix: give both, or no matrix");
    if (any && s->classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "an output matrix is not learned for classes");
    if (any && (!all || s->auto_kernel))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "an output matrix is learned where every part of the kernel is %s",
                          orff_rule_name(ORFF_RULE_DECOMPOSABLE));
    return ORFF_OK;
}

orff_status orffi_plan_check(const orff_settings *s) {
    if (s->n_parts && !s->parts)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu parts, but parts is NULL", s->n_parts);
    ORFFI_TRY(check_learning(s));
    if (s->subsample < 10)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "automatic choices need at least 10 rows (subsample is %zu)", s->subsample);
    if ((unsigned)s->loss >= ORFF_LOSS_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no loss number %d", (int)s->loss);
    if (s->sampling.omega && s->scale_inputs == ORFF_SWITCH_YES)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "frequencies of your own are in the units of the inputs, which are not scaled then: "
            "leave scale-inputs to auto, or give frequencies for scaled inputs and scale them "
            "yourself");
    return check_path(s);
}

/* ---- parts */

static orff_status copy_parts(orffi_plan *plan, const orff_settings *settings) {
    orff_part single = orff_part_default();
    single.base = ORFF_BASE_AUTO;
    single.sigma = ORFF_SIGMA_AUTO;
    ORFFI_TRY(orffi_parts_init(&plan->parts, plan->d, plan->p, settings->n_parts ? settings->n_parts : 1,
                               settings->n_parts ? settings->parts : &single));
    for (size_t m = 0; m < plan->parts.count; m++) {
        plan->physical |= is_physical(plan->parts.list[m].part.rule);
        plan->rigid |= orffi_part_is_rigid(&plan->parts.list[m].part);
    }
    return ORFF_OK;
}

/* A base that was not chosen: the length scale is given, or there is no evidence. A shape that was not: the outputs do not
 * vary. */
static void name_bases(orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        orff_part *part = &plan->parts.list[m].part;
        if (orffi_shape_is_open(part)) orffi_smoothness_set(part, ORFFI_SMOOTHNESS_MIDDLE, part);
        if (part->base == ORFF_BASE_AUTO) part->base = ORFF_BASE_GAUSSIAN;
    }
}

/* rows: the kernel is chosen by rows. */
static orff_status check_shapes(const orffi_plan *plan, bool rows) {
    const bool evidence = rows && orffi_has_evidence(plan) && !plan->settings.auto_kernel &&
                          !orffi_plan_waves(plan) && !orffi_plan_delays(plan);
    for (size_t m = 0; m < plan->parts.count; m++) {
        const orff_part *part = &plan->parts.list[m].part;
        if (!orffi_shape_is_open(part) || (evidence && orffi_part_is_auto(part))) continue;
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "shape auto: the shape of base %s is chosen by the evidence together with the length "
                          "scale: of rows, with sigma auto, the squared loss, and the engine %s or %s; not with "
                          "kernel auto, nor with delays or wavelengths that are learned. Give a number",
                          orff_base_name(part->base), orff_engine_name(ORFF_ENGINE_EXACT),
                          orff_engine_name(ORFF_ENGINE_LATTICE));
    }
    return ORFF_OK;
}

/* The field's space: that of the first physical part, else all inputs where d = p. */
static orff_status find_space(orffi_plan *plan) {
    const size_t *space = NULL;
    for (size_t m = 0; m < plan->parts.count && !space; m++) space = plan->parts.list[m].space;
    if (!space && plan->d != plan->p) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->space, plan->p));
    for (size_t i = 0; i < plan->p; i++) {
        plan->space[i] = space ? space[i] : i;
        if (plan->space[i] >= plan->d)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "space[%zu] is %zu, but there are %zu inputs (0-based)", i, plan->space[i],
                              plan->d);
    }
    return ORFF_OK;
}

/* ---- units */

static bool any_auto(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (orffi_part_is_auto(&plan->parts.list[m].part)) return true;
    return false;
}

void orffi_share_unit(const size_t *inputs, size_t count, double *unit) {
    double square = 0.0;
    for (size_t k = 0; k < count; k++) square += unit[inputs ? inputs[k] : k] * unit[inputs ? inputs[k] : k];
    for (size_t k = 0; k < count; k++) unit[inputs ? inputs[k] : k] = sqrt(square / (double)count);
}

/* Every part is k I: outputs have nothing to do with each other. */
static bool has_own_outputs(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        const orff_part *part = &plan->parts.list[m].part;
        if (!orff_rule_describe(part->rule).coupled || part->A || part->B) return false;
    }
    return plan->p > 1;
}

static void share_spread(size_t p, double *spread) {
    double square = 0.0;
    for (size_t k = 0; k < p; k++) square += spread[k] * spread[k];
    for (size_t k = 0; k < p; k++) spread[k] = sqrt(square / (double)p);
}

bool orffi_plan_has_field(const orffi_plan *plan) {
    return plan->space && plan->p >= 2 && !plan->settings.classes;
}

/* Of all rows where they are in memory, else of the first. */
static void measure_range(orffi_plan *plan, const orffi_rows *rows) {
    const size_t n = rows->stream ? rows->head.n : rows->n;
    const double *X = rows->stream ? rows->head.X : rows->X;
    for (size_t k = 0; k < plan->d; k++) {
        double low = X[k], high = X[k];
        for (size_t i = 1; i < n; i++) {
            low = fmin(low, X[i * plan->d + k]);
            high = fmax(high, X[i * plan->d + k]);
        }
        plan->extent[k] = high / plan->units.unit[k] - low / plan->units.unit[k];
        plan->middle[k] = (low / 2.0 + high / 2.0 - plan->units.shift[k]) / plan->units.unit[k];
        if (orffi_is_periodic(plan->periods, k)) plan->extent[k] = plan->periods[k];
    }
}

static orff_status set_periods(orffi_plan *plan) {
    const double *given = plan->settings.periods;
    if (!given) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->periods, plan->d));
    for (size_t i = 0; i < plan->d; i++) plan->periods[i] = given[i] / plan->units.unit[i];
    return ORFF_OK;
}

/* The standard deviation of each output; of directed rows what they say of it. */
static orff_status measure_spread(const orffi_table *head, double *spread) {
    const size_t p = head->p;
    double *work, *mean, *weight;
    if (!head->along) orffi_column_statistics(head->n, p, head->Y, NULL, spread, NULL);
    if (!head->along) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * p));
    mean = work;
    weight = work + p;
    const orff_status status = orffi_table_mean(head, mean);
    memset(spread, 0, p * sizeof *spread);
    for (size_t i = 0; i < head->n; i++) {
        const double *e = head->along + i * p;
        double left = head->Y[i];
        for (size_t k = 0; k < p; k++) left -= mean[k] * e[k];
        for (size_t k = 0; k < p; k++) {
            spread[k] += e[k] * e[k] * left * left;
            weight[k] += e[k] * e[k];
        }
    }
    for (size_t k = 0; k < p; k++) spread[k] = spread[k] > 0.0 ? sqrt(spread[k] / weight[k]) : 1.0;
    orffi_release(work);
    return status;
}

/* Delays and wavelengths that are given are in the user's units. */
static void scale_lengths(orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        double *delays = plan->parts.list[m].delays;
        for (size_t i = 0; delays && i < plan->p * plan->d; i++) delays[i] /= plan->units.unit[i % plan->d];
        double *waves = plan->parts.list[m].wavelengths;
        for (size_t i = 0; waves && i < plan->d; i++) waves[i] /= plan->units.unit[i];
    }
}

static orff_status choose_units(orffi_plan *plan, const orffi_rows *rows) {
    const orff_settings *s = &plan->settings;
    const orffi_table *head = &rows->head;
    const bool fields = plan->physical || plan->rigid || (s->auto_kernel && orffi_plan_has_field(plan));
    const bool automatic = s->auto_kernel || any_auto(plan);
    const bool scale = s->scale_inputs == ORFF_SWITCH_YES ||
                       (s->scale_inputs == ORFF_SWITCH_AUTO && !fields && automatic && !s->sampling.omega);
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.shift, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.unit, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->units.spread, plan->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->extent, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->middle, plan->d));
    orffi_column_statistics(head->n, plan->d, head->X, plan->units.shift, plan->units.unit, NULL);
    ORFFI_TRY(measure_spread(head, plan->units.spread));
    if (plan->rigid)
        orffi_share_unit(NULL, plan->d, plan->units.unit);
    else if (fields && plan->space)
        orffi_share_unit(plan->space, plan->p, plan->units.unit);
    if (fields) share_spread(plan->p, plan->units.spread);
    for (size_t i = 0; !scale && i < plan->d; i++) plan->units.unit[i] = 1.0;
    const bool each = s->scale_outputs == ORFF_SWITCH_YES ||
                      (s->scale_outputs == ORFF_SWITCH_AUTO && has_own_outputs(plan) && !fields &&
                       (automatic || s->lambda == 0.0) && (!plan->directed || rows->apart));
    for (size_t k = 0; !(each && !rows->classes) && k < plan->p; k++) plan->units.spread[k] = 1.0;
    ORFFI_TRY(set_periods(plan));
    scale_lengths(plan);
    measure_range(plan, rows);
    return ORFF_OK;
}

/* ---- for an engine */

orff_status orffi_plan_kernel(const orffi_plan *plan, orff_kernel **kernel) {
    const orffi_kernel_how how = {.unit = plan->units.unit, .periods = plan->periods};
    return orffi_parts_kernel(&plan->parts, plan->space, &how, kernel);
}

orffi_task orffi_plan_task(const orffi_plan *plan) {
    const orff_settings *s = &plan->settings;
    const bool crosses =
        s->mixture && !s->auto_kernel && s->criterion == ORFF_CRITERION_CROSS_VALIDATION; /* weights */
    return (orffi_task){.settings = s,
                        .extent = plan->extent,
                        .middle = plan->middle,
                        .shift = plan->shift,
                        .D = s->sampling.features,
                        .folds = s->lambda > 0.0 && !crosses ? 1 : s->folds,
                        .blocks = plan->folds == ORFF_FOLDS_BLOCKS ? plan->blocks : NULL,
                        .groups = plan->folds == ORFF_FOLDS_GROUPS ? s->groups : NULL,
                        .single = s->single};
}

/* Whether the engine takes its lambda from the evidence. */
static bool wants_noise(const orffi_plan *plan) {
    return plan->engine->evident && plan->settings.lambda == 0.0 && orffi_has_evidence(plan);
}

/* ---- making */

static orff_status make(orffi_plan *plan, const orff_settings *settings, const orffi_rows *rows) {
    const size_t known = orffi_rows_known(rows);
    *plan = (orffi_plan){.settings = *settings,
                         .d = rows->d,
                         .p = rows->p,
                         .directed = rows->along != NULL,
                         .quality = {.errors = rows->known != NULL,
                                     .offsets = rows->set != NULL,
                                     .offset = ORFFI_FIRST_OFFSET,
                                     .instruments = rows->instruments}};
    ORFFI_TRY((plan->directed ? orffi_engine_choose_directed : orffi_engine_choose)(
        settings, rows->d, rows->p, known, &plan->engine, &plan->engine_reason));
    plan->settings.sampling.features = orff_settings_features(settings, rows->d, rows->p, known);
    ORFFI_TRY(copy_parts(plan, settings));
    plan->quality.by_output = rows->by_output && has_own_outputs(plan) && !settings->auto_kernel &&
                              settings->scale_outputs == ORFF_SWITCH_AUTO && settings->lambda == 0.0;
    if (rows->by_output && !plan->quality.by_output) plan->quality.instruments = 0;
    ORFFI_TRY(find_space(plan));
    ORFFI_TRY(choose_units(plan, rows));
    ORFFI_TRY(check_shapes(plan, true));
    if (settings->auto_kernel) return orffi_choose_mixture(plan, rows);
    if (orffi_plan_waves(plan)) ORFFI_TRY(orffi_choose_waves(plan, rows));
    if (orffi_plan_delays(plan)) ORFFI_TRY(orffi_choose_delays(plan, rows));
    const bool learns = orffi_plan_learns(plan);
    if (learns && plan->parts.count > 1) plan->settings.mixture = true; /* until matrices say the weights */
    const bool weights = plan->directed && settings->mixture;           /* with all else, by the evidence */
    const bool qualities = orffi_quality_is_open(&plan->quality);
    if (any_auto(plan) || settings->auto_mix || wants_noise(plan) || weights || qualities)
        ORFFI_TRY(orffi_choose_scales(plan, rows));
    name_bases(plan);
    if (learns) ORFFI_TRY(orffi_choose_matrices(plan, rows));
    if (plan->directed) plan->settings.mixture = false;
    return plan->settings.mixture ? orffi_choose_weights(plan, rows) : ORFF_OK;
}

/* Whether a matrix of all directed rows may be made without being asked for: one, where the noise is known. */
static bool may_be_exact(const orffi_plan *plan, const orffi_rows *rows) {
    orff_settings exact = plan->settings;
    size_t bytes;
    exact.engine = ORFF_ENGINE_EXACT;
    if (plan->shift > 0.0) exact.lambda = plan->shift;
    return orffi_engine_exact.suits(&exact, plan->d, 1, rows->n, &bytes) == ORFF_OK &&
           (double)bytes <= MOST_MATRIX;
}

/* Error bars of many rows are a large file. */
static void keep_errors(orffi_plan *plan, size_t rows) {
    if (plan->settings.posterior != ORFF_SWITCH_AUTO) return;
    if (rows <= MOST_KEPT) plan->settings.posterior = ORFF_SWITCH_YES;
    if (rows > MOST_KEPT)
        orffi_log(
            ORFF_LOG_INFO,
            "error bars are left out: they would make a file of %.2g GB; ask for a posterior to have them",
            8e-9 * (double)rows * (double)rows);
}

/* Directed rows with next to no noise, or of a sum of kernels, may take a lattice hundreds of iterations. A Cholesky factor is
 * sooner there, unless rows are very many. */
static orff_status avoid_slow(orffi_plan *plan, const orffi_rows *rows) {
    orff_kernel *kernel = NULL;
    orffi_lattice_effort lattice = {0};
    if (plan->settings.engine != ORFF_ENGINE_AUTO || plan->engine != &orffi_engine_lattice ||
        !plan->directed || plan->settings.periods || !may_be_exact(plan, rows))
        return ORFF_OK;
    orffi_task task = orffi_plan_task(plan);
    if (plan->settings.lambda > 0.0) task.shift = 0.0; /* lambda says the noise */
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orffi_lattice_expect(&task, kernel, rows->N, rows->n, &lattice);
    orff_kernel_free(kernel);
    if (status || lattice.work <= orffi_expect_exact((double)rows->n)) return status;
    plan->engine = &orffi_engine_exact;
    plan->engine_reason = "a lattice takes longer for such rows";
    keep_errors(plan, rows->n);
    return ORFF_OK;
}

/* Long length scales and little noise, as rows left out may choose them, are hard for a lattice: its box is wide, and what it
 * cuts off the spectrum must be small beside the noise. */
static void avoid_splines(orffi_plan *plan, const orffi_rows *rows) {
    orff_settings exact = plan->settings;
    size_t bytes;
    exact.engine = ORFF_ENGINE_EXACT;
    if (!(plan->left_out > 0.0) || plan->settings.engine != ORFF_ENGINE_AUTO ||
        plan->engine != &orffi_engine_lattice || plan->settings.periods || rows->stream ||
        rows->n > MOST_SPLINE)
        return;
    if (orffi_engine_exact.suits(&exact, plan->d, plan->p, rows->n, &bytes)) return;
    plan->engine = &orffi_engine_exact;
    plan->engine_reason = "a lattice is less exact for kernels of long length scales and little noise";
}

orff_status orffi_plan_make(orffi_plan *plan, const orff_settings *settings, const orffi_rows *rows) {
    ORFFI_TRY(make(plan, settings, rows));
    avoid_splines(plan, rows);
    ORFFI_TRY(avoid_slow(plan, rows));
    return orffi_blocks_choose(plan, rows);
}

/* Without parts: decomposable on the law of the moments' first group. */
static void copy_law(orffi_planned_part *one, const orffi_spectrum *law) {
    one->part.base = law->base->id;
    one->part.shape = law->shape;
}

orff_status orffi_plan_for_moments(orffi_plan *plan, const orff_settings *settings,
                                   const orff_moments *moments) {
    const orffi_spectrum *law = &moments->bank->groups[0].law;
    const orff_moments_info info = orff_moments_describe(moments);
    *plan = (orffi_plan){.settings = *settings,
                         .engine = &orffi_engine_features,
                         .engine_reason = settings->engine ? "" : "moments are sums over features",
                         .d = info.inputs,
                         .p = info.outputs,
                         .directed = info.parted,
                         .measured = (size_t)info.rows,
                         .N = info.weight};
    ORFFI_TRY(orffi_plan_check(settings));
    ORFFI_TRY(copy_parts(plan, settings));
    ORFFI_TRY(check_shapes(plan, false));
    ORFFI_TRY(find_space(plan));
    if (!settings->n_parts && !law->base)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "these moments have no base spectrum; name the parts of the kernel");
    if (!settings->n_parts) copy_law(&plan->parts.list[0], law);
    for (size_t m = 0; law->base && m < plan->parts.count; m++)
        if (orffi_part_is_auto(&plan->parts.list[m].part))
            memcpy(plan->parts.list[m].sigmas, law->scale, plan->d * sizeof *law->scale);
    return ORFF_OK;
}

orff_status orffi_plan_for_lattice(orffi_plan *plan, const orff_settings *settings,
                                   const orff_lattice_moments *moments) {
    const orff_lattice_moments_info info = orff_lattice_moments_describe(moments);
    *plan = (orffi_plan){.settings = *settings,
                         .engine = &orffi_engine_lattice,
                         .engine_reason = settings->engine ? "" : "moments are those of a lattice",
                         .d = info.inputs,
                         .p = info.outputs,
                         .directed = info.directed,
                         .measured = (size_t)info.rows,
                         .N = info.weight};
    ORFFI_TRY(orffi_plan_check(settings));
    ORFFI_TRY(copy_parts(plan, settings));
    ORFFI_TRY(check_shapes(plan, false));
    ORFFI_TRY(find_space(plan));
    if (orffi_plan_learns(plan))
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "an output matrix is learned from rows, or from moments of features; these are of another kind");
    name_bases(plan);
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->periods, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->extent, plan->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->middle, plan->d));
    orffi_lattice_record_periods(moments, plan->periods);
    for (size_t i = 0; i < plan->d; i++) {
        plan->extent[i] = info.high[i] - info.low[i];
        plan->middle[i] = info.low[i] / 2.0 + info.high[i] / 2.0;
    }
    return ORFF_OK;
}

void orffi_plan_clear(orffi_plan *plan) {
    orffi_parts_clear(&plan->parts);
    orffi_release(plan->space);
    orffi_release(plan->extent);
    orffi_release(plan->middle);
    orffi_release(plan->periods);
    orffi_release(plan->blocks);
    orffi_release(plan->units.shift);
    orffi_release(plan->units.unit);
    orffi_release(plan->units.spread);
    memset(plan, 0, sizeof *plan);
}
