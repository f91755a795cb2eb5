/* Plans for moments, which are in the user's units. */
#include "model/plan_steps.h"

#include <string.h>

#include "base/memory.h"
#include "lattice/record.h"
#include "model/choose.h"

/* Without parts: a decomposable part with the spectrum of the moments' first group. */
static void copy_law(orffi_planned_part *one, const orffi_spectrum *law) {
    one->part.base = law->base->id;
    one->part.shape = law->shape;
}

/* Copies the parts as given; sizes and engine of the plan must be set. */
static orff_status begin(orffi_plan *plan, const orff_settings *settings) {
    plan->settings = *settings;
    if (settings->engine) plan->engine_reason = "";
    ORFFI_TRY(orffi_plan_check(settings));
    ORFFI_TRY(orffi_plan_copy_parts(plan, settings));
    ORFFI_TRY(orffi_plan_check_shapes(plan, false));
    return orffi_plan_find_space(plan);
}

orff_status orffi_plan_for_moments(orffi_plan *plan, const orff_settings *settings,
                                   const orff_moments *moments) {
    const orffi_spectrum *law = &moments->bank->groups[0].law;
    const orff_moments_info info = orff_moments_describe(moments);
    *plan = (orffi_plan){.engine = &orffi_engine_features,
                         .engine_reason = "moments are sums over features",
                         .d = info.inputs,
                         .p = info.outputs,
                         .directed = info.parted,
                         .measured = (size_t)info.rows,
                         .N = info.weight};
    ORFFI_TRY(begin(plan, settings));
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
    *plan = (orffi_plan){.engine = &orffi_engine_lattice,
                         .engine_reason = "moments are those of a lattice",
                         .d = info.inputs,
                         .p = info.outputs,
                         .directed = info.directed,
                         .measured = (size_t)info.rows,
                         .N = info.weight};
    ORFFI_TRY(begin(plan, settings));
    if (orffi_plan_learns(plan))
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "an output matrix is learned from rows, or from moments of features; these are of another kind");
    orffi_plan_name_bases(plan);
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
