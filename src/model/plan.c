/* From settings to a plan: decides everything that is automatic, except lambda. */
#include "model/plan_steps.h"

#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "engine/lattice.h"
#include "model/blocks.h"
#include "model/choose.h"
#include "model/expect.h"

#define MOST_MATRIX 4e9  /* largest matrix, in bytes, made without being asked for */
#define MOST_SPLINE 3000 /* rows whose matrix is factored in a second */
#define MOST_KEPT   8000 /* numbers for which error bars are kept without being asked for: a file of 500 MB */

/* ---- what engines get */

orff_status orffi_plan_kernel(const orffi_plan *plan, orff_kernel **kernel) {
    const orffi_kernel_how how = {.unit = plan->units.unit, .periods = plan->periods};
    return orffi_parts_kernel(&plan->parts, plan->space, &how, kernel);
}

orffi_task orffi_plan_task(const orffi_plan *plan) {
    const orff_settings *s = &plan->settings;
    const bool crosses =
        s->mixture && !s->auto_kernel && s->criterion == ORFF_CRITERION_CROSS_VALIDATION; /* of weights */
    return (orffi_task){.settings = s,
                        .extent = plan->extent,
                        .middle = plan->middle,
                        .mean = plan->settings.center && orffi_path_is_known(plan) ? plan->mean : NULL,
                        .spread = plan->units.spread,
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
    ORFFI_TRY(orffi_plan_copy_parts(plan, settings));
    plan->quality.by_output = rows->by_output && orffi_plan_has_own_outputs(plan) && !settings->auto_kernel &&
                              settings->scale_outputs == ORFF_SWITCH_AUTO && settings->lambda == 0.0;
    if (rows->by_output && !plan->quality.by_output) plan->quality.instruments = 0;
    ORFFI_TRY(orffi_plan_find_space(plan));
    ORFFI_TRY(orffi_plan_choose_units(plan, rows));
    ORFFI_TRY(orffi_plan_check_shapes(plan, true));
    if (settings->auto_kernel) return orffi_choose_mixture(plan, rows);
    if (orffi_plan_waves(plan)) ORFFI_TRY(orffi_choose_waves(plan, rows));
    if (orffi_plan_delays(plan)) ORFFI_TRY(orffi_choose_delays(plan, rows));
    const bool learns = orffi_plan_learns(plan);
    /* Until the matrices determine the weights. */
    if (learns && plan->parts.count > 1) plan->settings.mixture = true;
    /* Learned by the evidence, together with everything else. */
    const bool weights = plan->directed && settings->mixture;
    const bool qualities = orffi_quality_is_open(&plan->quality);
    if (orffi_plan_any_auto(plan) || settings->auto_mix || wants_noise(plan) || weights || qualities)
        ORFFI_TRY(orffi_choose_scales(plan, rows));
    orffi_plan_name_bases(plan);
    if (learns) ORFFI_TRY(orffi_choose_matrices(plan, rows));
    if (plan->directed) plan->settings.mixture = false;
    return plan->settings.mixture ? orffi_choose_weights(plan, rows) : ORFF_OK;
}

/* Whether an exact fit of all directed rows is small enough to be made unasked. If the noise is known, one
 * matrix is enough. */
static bool may_be_exact(const orffi_plan *plan, const orffi_rows *rows) {
    orff_settings exact = plan->settings;
    size_t bytes;
    exact.engine = ORFF_ENGINE_EXACT;
    if (plan->shift > 0.0) exact.lambda = plan->shift;
    return orffi_engine_exact.suits(&exact, plan->d, 1, rows->n, &bytes) == ORFF_OK &&
           (double)bytes <= MOST_MATRIX;
}

/* Error bars of many rows make a large file. */
static void keep_errors(orffi_plan *plan, size_t rows) {
    if (plan->settings.posterior != ORFF_SWITCH_AUTO) return;
    if (rows <= MOST_KEPT) plan->settings.posterior = ORFF_SWITCH_YES;
    if (rows > MOST_KEPT)
        orffi_log(
            ORFF_LOG_INFO,
            "error bars are left out, because they would make a file of %.2g GB; give posterior yes to have "
            "them",
            8e-9 * (double)rows * (double)rows);
}

/* For directed rows with next to no noise, or a sum of kernels, a lattice may need hundreds of iterations.
 * A Cholesky factorisation is faster then, unless there are very many rows. */
static orff_status avoid_slow(orffi_plan *plan, const orffi_rows *rows) {
    orff_kernel *kernel = NULL;
    orffi_lattice_effort lattice = {0};
    if (plan->settings.engine != ORFF_ENGINE_AUTO || plan->engine != &orffi_engine_lattice ||
        !plan->directed || plan->settings.periods || !may_be_exact(plan, rows))
        return ORFF_OK;
    orffi_task task = orffi_plan_task(plan);
    if (plan->settings.lambda > 0.0) task.shift = 0.0; /* the noise follows from lambda */
    orff_status status = orffi_plan_kernel(plan, &kernel);
    if (!status) status = orffi_lattice_expect(&task, kernel, rows->N, rows->n, &lattice);
    orff_kernel_free(kernel);
    if (status || lattice.work <= orffi_expect_exact((double)rows->n)) return status;
    plan->engine = &orffi_engine_exact;
    plan->engine_reason = "a lattice takes longer for such rows";
    keep_errors(plan, rows->n);
    return ORFF_OK;
}

/* Long length scales with little noise, which held-out rows may favour, are hard for a lattice: its box is
 * wide, and the part of the spectrum that it cuts off must be small compared with the noise. */
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

void orffi_plan_clear(orffi_plan *plan) {
    orffi_parts_clear(&plan->parts);
    orffi_release(plan->space);
    orffi_release(plan->extent);
    orffi_release(plan->middle);
    orffi_release(plan->periods);
    orffi_release(plan->blocks);
    orffi_release(plan->mean);
    orffi_release(plan->units.shift);
    orffi_release(plan->units.unit);
    orffi_release(plan->units.spread);
    memset(plan, 0, sizeof *plan);
}
