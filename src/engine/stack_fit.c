/* A learned stack, and results at points. */
#include <string.h>

#include "base/memory.h"
#include "engine/derived.h"
#include "engine/stack.h"

void orffi_stack_fit_free(void *self) {
    orffi_stack_fit *fit = self;
    if (!fit) return;
    orff_stack_free(fit->stack);
    orffi_features_fit_free(fit->head);
    orff_kernel_free(fit->kernel);
    orffi_release(fit);
}

orff_status orffi_stack_fit_create(orffi_stack_fit **out, const orff_kernel *kernel, orff_stack *stack,
                                   orffi_features_fit *head) {
    orffi_stack_fit *fit;
    orff_status status = ORFFI_NEW(fit);
    if (status) {
        orff_stack_free(stack);
        orffi_features_fit_free(head);
        return status;
    }
    *fit = (orffi_stack_fit){.kernel = orffi_kernel_retain(kernel), .stack = stack, .head = head};
    status = orffi_layer_borrow(&stack->layers[stack->n - 1], head->features, head->V);
    if (!status) status = orffi_stack_join(stack);
    if (status) {
        orffi_stack_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}

/* Slopes are in units of x' and for a spread of 1; `what` converts them to the user's units. */
static orff_status fill_fields(const orffi_stack_fit *fit, const orffi_derived *what, size_t n,
                               const double *x, double *J, double *out) {
    const size_t d = fit->kernel->d, p = fit->kernel->p;
    ORFFI_TRY(orffi_stack_slopes(fit->stack, n, x, J));
    for (size_t i = 0; i < n; i++) {
        double *own = J + i * p * d;
        for (size_t k = 0; k < p * d; k++) own[k] *= what->spread[k / d] / what->unit[k % d];
        orffi_derived_combine(what, d, p, own, out + i * what->k);
    }
    return ORFF_OK;
}

orff_status orffi_stack_derive(const void *self, const orffi_derived *what, size_t n, const double *x,
                               double *out) {
    const orffi_stack_fit *fit = self;
    double *J;
    size_t size;
    if (what->field == ORFF_FIELD_POTENTIAL || what->field == ORFF_FIELD_STREAM)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the %s of a stack has no closed form: a stack is not a sum of waves; fit without hidden "
            "layers",
            what->name);
    ORFFI_TRY(orffi_multiply(n, fit->kernel->d * fit->kernel->p, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(J, size));
    const orff_status status = fill_fields(fit, what, n, x, J, out);
    orffi_release(J);
    return status;
}

/* ---- samples: other last layers on the same hidden layers */

static orff_status wrap(const orffi_stack_fit *fit, void *head, orffi_stack_fit **out) {
    orffi_stack_fit *made;
    orff_status status = ORFFI_NEW(made);
    if (status) {
        orffi_features_fit_free(head);
        return status;
    }
    made->kernel = orffi_kernel_retain(fit->kernel);
    made->head = head;
    status = orffi_stack_beside(&made->stack, fit->stack, made->head->features, made->head->V);
    if (status) {
        orffi_stack_fit_free(made);
    } else {
        *out = made;
    }
    return status;
}

/* Turns the terms of a sample of the head into terms of the stack; after a failure it only frees the
 * others. */
static orff_status wrap_terms(const orffi_stack_fit *fit, orffi_deviation *sample) {
    const orffi_deviation heads = *sample;
    orff_status status = ORFF_OK;
    sample->count = 0;
    for (size_t i = 0; i < heads.count; i++) {
        orffi_stack_fit *made = NULL;
        if (status) {
            heads.terms[i].engine->free(heads.terms[i].fit);
            continue;
        }
        status = wrap(fit, heads.terms[i].fit, &made);
        if (!status) orffi_deviation_add(sample, &orffi_engine_stack, made);
    }
    return status;
}

orff_status orffi_stack_draw(const void *self, uint64_t seed, size_t count, orffi_deviation *samples) {
    const orffi_stack_fit *fit = self;
    ORFFI_TRY(orffi_features_draw_samples(fit->head, seed, count, samples));
    for (size_t s = 0; s < count; s++) ORFFI_TRY(wrap_terms(fit, &samples[s]));
    return ORFF_OK;
}
