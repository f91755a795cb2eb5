#include "stack/head.h"

#include <string.h>

#include "base/memory.h"

void orffi_head_clear(orffi_head *head) {
    orff_ridge_free(head->ridge);
    orff_moments_free(head->moments);
    orffi_release(head->H);
    orffi_release(head->theta);
    orffi_release(head->intercept);
    orffi_release(head->F);
    memset(head, 0, sizeof *head);
}

static orff_status fill_hidden(orffi_head *head, const orff_stack *stack) {
    const orffi_split *s = head->split;
    const size_t width = stack->widths[stack->n - 1];
    size_t size;
    ORFFI_TRY(orffi_multiply(s->n, width, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(head->H, size));
    if (stack->n > 1) return orffi_stack_values(stack, stack->n - 1, s->n, s->X, head->H);
    memcpy(head->H, s->X, size * sizeof *head->H);
    return ORFF_OK;
}

orff_status orffi_head_fill(orffi_head *head, const orff_stack *stack, const orff_features *features,
                            const orffi_split *split, bool center) {
    const orff_moments_settings how = {.folds = 1};
    *head = (orffi_head){.features = features, .split = split, .center = center};
    ORFFI_TRY(fill_hidden(head, stack));
    ORFFI_TRY(ORFFI_NEW_ARRAY(head->theta, features->M));
    ORFFI_TRY(ORFFI_NEW_ARRAY(head->intercept, features->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(head->F, (split->n - split->learned) * features->p));
    ORFFI_TRY(orff_moments_create(&head->moments, features, &how));
    ORFFI_TRY(orff_moments_accumulate(head->moments, split->learned, head->H, split->Y, split->weights));
    return orff_ridge_create(&head->ridge, features, head->moments, center);
}

orff_status orffi_head_size(const orffi_head *head, double *size) {
    double trace;
    ORFFI_TRY(orffi_features_trace(head->features, &trace));
    *size = trace > 0.0 ? trace / (double)head->features->p : 1.0;
    return ORFF_OK;
}

/* The mean square error of output k on the held-out rows. */
static double error_of(const orffi_head *head, size_t k) {
    const orffi_split *s = head->split;
    double sum = 0.0;
    for (size_t i = s->learned; i < s->n; i++) {
        const double off = head->F[(i - s->learned) * s->p + k] + head->intercept[k] - s->Y[i * s->p + k];
        sum += (s->weights ? s->weights[i] : 1.0) * off * off;
    }
    return sum / s->left_weight;
}

orff_status orffi_head_try(orffi_head *head, double lambda, double *error, double *outputs) {
    const orffi_split *s = head->split;
    const size_t p = s->p, width = head->features->d;
    ORFFI_TRY(orff_ridge_solve(head->ridge, lambda, head->theta, head->intercept, NULL));
    ORFFI_TRY(orff_features_apply(head->features, s->n - s->learned, head->H + s->learned * width,
                                  head->theta, head->F));
    *error = 0.0;
    for (size_t k = 0; k < p; k++) {
        const double own = error_of(head, k);
        if (outputs) outputs[k] = own;
        *error += own / (double)p;
    }
    return ORFF_OK;
}
