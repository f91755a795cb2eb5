/* Whether settings make sense by themselves. */
#include "model/plan_steps.h"

#include <math.h>

/* Whether the path of lambdas is needed for some choice. */
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

/* Checks output matrices that are to be learned. */
static orff_status check_learning(const orff_settings *s) {
    bool any = false, all = true;
    for (size_t m = 0; m < s->n_parts; m++) {
        /* Learns its matrix together with its delays. */
        const bool delayed = orff_rule_describe(s->parts[m].rule).delays;
        any |= s->parts[m].learn && !delayed;
        all &= orff_rule_describe(s->parts[m].rule).separable;
        if (s->parts[m].learn && delayed && (s->parts[m].sparse || s->parts[m].rank))
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "the output matrix of a %s part is learned with rank 1 and a diagonal, and is not sparse",
                orff_rule_name(s->parts[m].rule));
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
        if (orff_rule_describe(s->parts[m].rule).delays && (s->parts[m].A || s->parts[m].B) && !s->parts[m].delays)
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
