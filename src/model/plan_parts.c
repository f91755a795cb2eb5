/* The parts of a planned kernel, before any choice. */
#include "model/plan_steps.h"

#include "base/memory.h"
#include "model/choose.h"
#include "model/smoothness.h"

static bool is_physical(orff_rule rule) {
    return orff_rule_describe(rule).physical;
}

/* A rule without a base has no length scale. */
bool orffi_part_is_auto(const orff_part *part) {
    const orffi_rule_ops *rule = orffi_rule_find(part->rule);
    return rule && !rule->own_law && (part->sigma == ORFF_SIGMA_AUTO || part->sigma == ORFF_SIGMA_ARD);
}

orff_status orffi_plan_copy_parts(orffi_plan *plan, const orff_settings *settings) {
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

bool orffi_plan_any_auto(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (orffi_part_is_auto(&plan->parts.list[m].part)) return true;
    return false;
}

bool orffi_plan_has_own_outputs(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        const orff_part *part = &plan->parts.list[m].part;
        if (!orff_rule_describe(part->rule).coupled || part->A || part->B) return false;
    }
    return plan->p > 1;
}

void orffi_plan_name_bases(orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++) {
        orff_part *part = &plan->parts.list[m].part;
        if (orffi_shape_is_open(part)) orffi_smoothness_set(part, ORFFI_SMOOTHNESS_MIDDLE, part);
        if (part->base == ORFF_BASE_AUTO) part->base = ORFF_BASE_GAUSSIAN;
    }
}

orff_status orffi_plan_check_shapes(const orffi_plan *plan, bool rows) {
    const bool evidence = rows && orffi_has_evidence(plan) && !plan->settings.auto_kernel &&
                          !orffi_plan_waves(plan) && !orffi_plan_delays(plan);
    for (size_t m = 0; m < plan->parts.count; m++) {
        const orff_part *part = &plan->parts.list[m].part;
        if (!orffi_shape_is_open(part) || (evidence && orffi_part_is_auto(part))) continue;
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "shape auto: the shape of base %s is chosen by the evidence, together with the length scale. "
            "This needs rows, sigma auto, the squared loss and the engine %s or %s, and does not work with "
            "kernel auto or learned delays or wavelengths. Give a number",
            orff_base_name(part->base), orff_engine_name(ORFF_ENGINE_EXACT),
            orff_engine_name(ORFF_ENGINE_LATTICE));
    }
    return ORFF_OK;
}

orff_status orffi_plan_find_space(orffi_plan *plan) {
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
