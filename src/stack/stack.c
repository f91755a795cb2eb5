/* Stacks: creation, parameters, and evaluation. */
#include "stack/stack.h"

#include <string.h>

#include "base/memory.h"

/* ---- making and freeing */

orff_status orffi_stack_allocate(orff_stack **out, size_t n) {
    orff_stack *stack;
    ORFFI_TRY(ORFFI_NEW(stack));
    *out = stack;
    ORFFI_TRY(ORFFI_NEW_ARRAY(stack->layers, n));
    stack->n = n;
    return ORFFI_NEW_ARRAY(stack->widths, n + 1);
}

orff_status orffi_stack_join(orff_stack *stack) {
    stack->widths[0] = stack->layers[0].features->d;
    for (size_t l = 0; l < stack->n; l++) {
        const orff_features *f = stack->layers[l].features;
        if (f->d != stack->widths[l])
            return orffi_fail(ORFF_ERROR_MISMATCH,
                              "layer %zu takes %zu numbers, but the one before gives %zu", l + 1, f->d,
                              stack->widths[l]);
        stack->widths[l + 1] = f->p;
    }
    orffi_release(stack->intercept); /* from an earlier call, before the last layer was replaced */
    stack->intercept = NULL;
    return ORFFI_NEW_ARRAY(stack->intercept, stack->widths[stack->n]);
}

static orff_status fill_beside(orff_stack *stack, const orff_stack *other, orff_features *features,
                               double *V) {
    for (size_t l = 0; l + 1 < stack->n; l++) {
        stack->layers[l] = other->layers[l];
        stack->layers[l].borrows = stack->layers[l].shares = true;
    }
    ORFFI_TRY(orffi_layer_borrow(&stack->layers[stack->n - 1], features, V));
    return orffi_stack_join(stack);
}

orff_status orffi_stack_beside(orff_stack **out, const orff_stack *other, orff_features *features,
                               double *V) {
    orff_stack *stack = NULL;
    orff_status status = orffi_stack_allocate(&stack, other->n);
    if (!status) status = fill_beside(stack, other, features, V);
    if (status) {
        orff_stack_free(stack);
    } else {
        *out = stack;
    }
    return status;
}

static orff_status fill_layers(orff_stack *stack, const orff_kernel *const *kernels,
                               const orff_sampling *samplings) {
    for (size_t l = 0; l < stack->n; l++) {
        orff_features *features;
        if (!kernels[l]) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "layer %zu has no kernel", l + 1);
        ORFFI_TRY(orff_features_create(&features, kernels[l], &samplings[l]));
        ORFFI_TRY(orffi_layer_init(&stack->layers[l], features, l + 1 < stack->n, samplings[l].seed));
    }
    return orffi_stack_join(stack);
}

orff_status orff_stack_create(orff_stack **out, size_t n_layers, const orff_kernel *const *kernels,
                              const orff_sampling *samplings) {
    orff_stack *stack = NULL;
    if (!out || !n_layers || !kernels || !samplings)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_stack_create needs at least one layer: a kernel and a sampling for each");
    orff_status status = orffi_stack_allocate(&stack, n_layers);
    if (!status) status = fill_layers(stack, kernels, samplings);
    if (status) {
        orff_stack_free(stack);
    } else {
        *out = stack;
    }
    return status;
}

void orff_stack_free(orff_stack *stack) {
    if (!stack) return;
    for (size_t l = 0; stack->layers && l < stack->n; l++) orffi_layer_clear(&stack->layers[l]);
    orffi_release(stack->layers);
    orffi_release(stack->widths);
    orffi_release(stack->intercept);
    orffi_release(stack);
}

/* ---- parameters */

size_t orffi_stack_parameters(const orff_stack *stack) {
    size_t count = 0;
    for (size_t l = 0; l < stack->n; l++) count += orffi_layer_parameters(&stack->layers[l]);
    return count;
}

void orffi_stack_get(const orff_stack *stack, double *to) {
    for (size_t l = 0; l < stack->n; l++) {
        const orffi_layer *layer = &stack->layers[l];
        const size_t M = layer->features->M, linear = orffi_layer_parameters(layer) - M;
        if (layer->W) memcpy(to, layer->W, linear * sizeof *to);
        memcpy(to + linear, layer->theta, M * sizeof *to);
        to += linear + M;
    }
}

void orffi_stack_set(orff_stack *stack, const double *from) {
    for (size_t l = 0; l < stack->n; l++) {
        orffi_layer *layer = &stack->layers[l];
        const size_t M = layer->features->M, linear = orffi_layer_parameters(layer) - M;
        if (layer->W) memcpy(layer->W, from, linear * sizeof *from);
        memcpy(layer->theta, from + linear, M * sizeof *from);
        orffi_layer_fold(layer);
        from += linear + M;
    }
}

orff_status orff_stack_get(const orff_stack *stack, double *parameters, double *intercept) {
    if (!stack) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_stack_get: NULL argument");
    if (parameters) orffi_stack_get(stack, parameters);
    if (intercept) memcpy(intercept, stack->intercept, stack->widths[stack->n] * sizeof *intercept);
    return ORFF_OK;
}

orff_status orff_stack_set(orff_stack *stack, const double *parameters, const double *intercept) {
    if (!stack) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_stack_set: NULL argument");
    const size_t p = stack->widths[stack->n];
    if (parameters) ORFFI_TRY(orffi_check_finite("parameters", orffi_stack_parameters(stack), 1, parameters));
    if (intercept) ORFFI_TRY(orffi_check_finite("intercept", p, 1, intercept));
    if (parameters) orffi_stack_set(stack, parameters);
    if (intercept) memcpy(stack->intercept, intercept, p * sizeof *intercept);
    return ORFF_OK;
}

orff_stack_info orff_stack_describe(const orff_stack *stack) {
    return (orff_stack_info){.layers = stack->n,
                             .inputs = stack->widths[0],
                             .outputs = stack->widths[stack->n],
                             .widths = stack->widths,
                             .parameters = orffi_stack_parameters(stack)};
}

/* ---- values */

/* Copies the result only after it was checked, so that `out` is unchanged if something overflows. */
static orff_status finish(orff_status status, const char *what, size_t n, size_t k, double *made,
                          double *out) {
    if (!status) status = orffi_check_finite(what, n, k, made);
    if (!status) memcpy(out, made, n * k * sizeof *out);
    orffi_release(made);
    return status;
}

orff_status orff_stack_hidden(const orff_stack *stack, size_t layers, size_t n, const double *X, double *H) {
    double *made;
    size_t size;
    if (!stack || !X || !H || layers < 1 || layers > stack->n)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_stack_hidden needs a stack, points and a number of layers from 1 on");
    ORFFI_TRY(orffi_check_finite("X", n, stack->widths[0], X));
    ORFFI_TRY(orffi_multiply(n, stack->widths[layers], &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(made, size));
    return finish(orffi_stack_values(stack, layers, n, X, made), "H", n, stack->widths[layers], made, H);
}

orff_status orff_stack_predict(const orff_stack *stack, size_t n, const double *X, double *F) {
    if (!stack) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_stack_predict: NULL argument");
    return orff_stack_hidden(stack, stack->n, n, X, F);
}

orff_status orff_stack_jacobian(const orff_stack *stack, size_t n, const double *X, double *J) {
    double *made;
    size_t size;
    if (!stack || !X || !J)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_stack_jacobian: NULL argument");
    const size_t d = stack->widths[0], p = stack->widths[stack->n];
    ORFFI_TRY(orffi_check_finite("X", n, d, X));
    ORFFI_TRY(orffi_multiply(n, p * d, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(made, size));
    return finish(orffi_stack_slopes(stack, n, X, made), "the Jacobian", n, p * d, made, J);
}
