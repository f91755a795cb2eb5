/* A lambda for each output, from its errors on held-out rows along a path. The kernel k I becomes k A with
 * A = diag(lambda / lambda_k): ridge regression with one lambda then equals ridge with lambda_k in output
 * k. Engines that choose by the evidence have already done this (choose_noises.c). */
#include <math.h>

#include "base/memory.h"
#include "model/path.h"

/* An output whose error improves by less keeps the common lambda: twice the statistical error of a mean
 * square over 10^4 rows. */
#define WORTH 0.02

bool orffi_path_parts_outputs(const orffi_plan *plan, const orff_kernel *kernel) {
    return plan->p > 1 && plan->parts.count == 1 && !plan->settings.classes && plan->units.spread &&
           plan->settings.scale_outputs == ORFF_SWITCH_AUTO && plan->settings.loss == ORFF_LOSS_SQUARED &&
           orffi_kernel_is_identity(kernel);
}

/* The best place on the path for output k. */
static size_t own_best(const orffi_path *path, size_t p, size_t k) {
    size_t best = path->best;
    for (size_t l = 0; l < path->count; l++)
        if (path->outputs[l * p + k] < path->outputs[best * p + k]) best = l;
    return path->outputs[best * p + k] < (1.0 - WORTH) * path->outputs[path->best * p + k] ? best
                                                                                           : path->best;
}

/* Replaces the errors at the path's best place by each output's errors at its own best place. */
orff_status orffi_path_part_outputs(orffi_path *path, orffi_plan *plan) {
    const size_t p = plan->p;
    orffi_planned_part *one = &plan->parts.list[0];
    double *A, mean = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(path->dofs, p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, p * p));
    for (size_t k = 0; k < p; k++) {
        const size_t own = own_best(path, p, k);
        A[k * p + k] = path->lambdas[path->best] / path->lambdas[own];
        path->outputs[path->best * p + k] = path->outputs[own * p + k];
        path->dofs[k] = path->points[own].dof / (double)p;
        mean += path->outputs[own * p + k] / (double)p;
        path->parted |= own != path->best;
    }
    if (path->parted) {
        one->part.A = one->A = A;
        path->points[path->best].cv_mse = mean;
    } else {
        orffi_release(A);
    }
    return ORFF_OK;
}
