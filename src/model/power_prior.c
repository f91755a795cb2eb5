#include <math.h>

#include "base/memory.h"
#include "model/power.h"

#define DRAWN (1 << 16) /* frequencies drawn per part */

/* Frequencies drawn from a part of the kernel. */
typedef struct drawn {
    size_t d, p, dim;
    const size_t *axes;
    orff_kernel *kernel;
    orff_features *features;
    bool separable;
    double *omega, *weights, *B; /* D x d, D, p x p */
} drawn;

static double wavenumber(const drawn *s, const double *omega) {
    double square = 0.0;
    for (size_t k = 0; k < s->dim; k++) square += omega[s->axes[k]] * omega[s->axes[k]];
    return sqrt(square);
}

/* Multiplies weights by the squared norm of the block, which is the same for all frequencies of a
 * separable part. */
static orff_status weigh(drawn *s, size_t D, double *total) {
    for (size_t j = 0; j < D; j++) {
        size_t columns = 0;
        double square = s->separable ? 1.0 : 0.0;
        if (!s->separable) ORFFI_TRY(orff_features_block(s->features, j, &columns, s->B));
        for (size_t i = 0; i < s->p * columns; i++) square += s->B[i] * s->B[i];
        *total += s->weights[j] *= square;
    }
    return *total > 0.0 && isfinite(*total)
               ? ORFF_OK
               : orffi_fail(ORFF_ERROR_UNSUPPORTED, "orff_model_power: a part of the kernel has no power");
}

/* Scales the frequencies to the variance of the part. */
static orff_status count_drawn(orff_power *power, drawn *s, double variance) {
    const size_t D = orff_features_describe(s->features).frequencies;
    double total = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->omega, D * s->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->weights, D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->B, s->p * s->p));
    ORFFI_TRY(orff_features_frequencies(s->features, s->omega, s->weights));
    ORFFI_TRY(weigh(s, D, &total));
    for (size_t j = 0; j < D; j++)
        orffi_power_add(power, power->prior, wavenumber(s, s->omega + j * s->d),
                        variance * s->weights[j] / total);
    return ORFF_OK;
}

static orff_status draw_part(drawn *s, orff_part part) {
    orff_sampling sampling = orff_sampling_default();
    s->separable = orff_rule_describe(part.rule).separable;
    if (s->separable) part.rule = ORFF_RULE_DECOMPOSABLE; /* with one output: only frequencies are needed */
    part.learn = part.sparse = false;
    sampling.scheme = ORFF_SCHEME_QMC;
    sampling.features = DRAWN;
    ORFFI_TRY(orff_kernel_create(&s->kernel, s->d, s->separable ? 1 : s->p, 1, &part));
    return orff_features_create(&s->features, s->kernel, &sampling);
}

/* A: room for p x p. */
static orff_status add_part(orff_power *power, const orff_model *model, size_t i, size_t dim,
                            const size_t *axes, double *A) {
    drawn s = {.d = model->d, .p = model->p, .dim = dim, .axes = axes};
    orff_part part;
    double variance = 0.0;
    ORFFI_TRY(orff_model_part(model, i, &part));
    ORFFI_TRY(orff_model_output_matrix(model, i, A));
    for (size_t k = 0; k < model->p; k++) variance += A[k * (model->p + 1)];
    orff_status status = draw_part(&s, part);
    if (!status) status = count_drawn(power, &s, variance);
    orffi_release(s.omega);
    orffi_release(s.weights);
    orffi_release(s.B);
    orff_features_free(s.features);
    orff_kernel_free(s.kernel);
    return status;
}

orff_status orffi_power_prior(orff_power *power, const orff_model *model, size_t dim, const size_t *axes) {
    const size_t parts = orff_model_describe(model).parts;
    double *A;
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, model->p * model->p));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < parts; i++) status = add_part(power, model, i, dim, axes, A);
    orffi_release(A);
    power->expected = !status && parts > 0;
    for (size_t i = 0; status && i < power->bins; i++) power->prior[i] = 0.0;
    return status == ORFF_ERROR_NO_MEMORY ? status : ORFF_OK;
}
