#include "exact/mixture.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "solve/weights.h"

#define LOG_TWO_PI 1.83787706640934548356

typedef struct dense_mixture {
    const orff_kernel *kernel;
    size_t n;      /* rows */
    size_t copies; /* p if all parts are k_m I (outputs are then independent fields of one scalar kernel),
                      else 1 */
    size_t P, parts;
    double **K;        /* parts, each P x P */
    double *trace;     /* parts: trace of K_m(0) */
    double *y, *alpha; /* P x copies */
    double *C;         /* P x P */
} dense_mixture;

static void mixture_clear(dense_mixture *mix) {
    for (size_t m = 0; mix->K && m < mix->parts; m++) orffi_release(mix->K[m]);
    orffi_release(mix->K);
    orffi_release(mix->trace);
    orffi_release(mix->y);
    orffi_release(mix->alpha);
    orffi_release(mix->C);
}

static orff_status mixture_allocate(dense_mixture *mix) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->K, mix->parts));
    for (size_t m = 0; m < mix->parts; m++) ORFFI_TRY(ORFFI_NEW_ARRAY(mix->K[m], mix->P * mix->P));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->trace, mix->parts));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->y, mix->P * mix->copies));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->alpha, mix->P * mix->copies));
    return ORFFI_NEW_ARRAY(mix->C, mix->P * mix->P);
}

/* Gram matrix of one part, for its first q outputs; blocks is n x p x p, delta n x d. */
static orff_status fill_gram(const orffi_kernel_part *part, size_t q, size_t n, const double *X,
                             double *blocks, double *delta, double *K) {
    const size_t d = part->d, p = part->p, P = n * q;
    const double scale = part->root * part->root;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++)
            for (size_t k = 0; k < d; k++) delta[(j - i) * d + k] = X[i * d + k] - X[j * d + k];
        ORFFI_TRY(orffi_part_exact(part, n - i, delta, blocks));
        for (size_t j = i; j < n; j++) {
            const double *block = blocks + (j - i) * p * p;
            for (size_t a = 0; a < q; a++)
                for (size_t b = 0; b < q; b++)
                    K[(i * q + a) * P + j * q + b] = K[(j * q + b) * P + i * q + a] =
                        scale * block[a * p + b];
        }
    }
    return ORFF_OK;
}

static orff_status fill_grams(dense_mixture *mix, size_t n, const double *X) {
    const size_t p = mix->kernel->p, q = p / mix->copies;
    double *blocks = NULL, *delta = NULL;
    orff_status status = ORFFI_NEW_ARRAY(blocks, n * p * p);
    if (!status) status = ORFFI_NEW_ARRAY(delta, n * mix->kernel->d);
    for (size_t m = 0; !status && m < mix->parts; m++) {
        status = fill_gram(&mix->kernel->parts[m], q, n, X, blocks, delta, mix->K[m]);
        for (size_t a = 0; !status && a < q; a++)
            mix->trace[m] += (double)mix->copies * mix->K[m][a * mix->P + a];
    }
    orffi_release(blocks);
    orffi_release(delta);
    return status;
}

static void fill_outputs(dense_mixture *mix, size_t n, const double *Y, bool center) {
    const size_t p = mix->kernel->p;
    for (size_t k = 0; k < p; k++) {
        double mean = 0.0;
        for (size_t i = 0; center && i < n; i++) mean += Y[i * p + k] / (double)n;
        for (size_t i = 0; i < n; i++) mix->y[i * p + k] = Y[i * p + k] - mean;
    }
}

static void fill_matrix(dense_mixture *mix, const double *x) {
    const size_t square = mix->P * mix->P;
    memset(mix->C, 0, square * sizeof *mix->C);
    for (size_t m = 0; m < mix->parts; m++) {
        const double v = exp(x[m]);
        for (size_t i = 0; v > 0.0 && i < square; i++) mix->C[i] += v * mix->K[m][i];
    }
    for (size_t i = 0; i < mix->P; i++) mix->C[i * mix->P + i] += exp(x[mix->parts]);
}

/* d / d log v_m = v_m/2 sum_ik W_ik K_ik with W = alpha alpha^T - copies C^-1; C holds the inverse, then W. */
static void fill_gradient(dense_mixture *mix, const double *x, double *gradient) {
    const size_t P = mix->P, c = mix->copies;
    double noise = 0.0;
    orffi_gemm(false, true, P, P, c, 1.0, mix->alpha, c, mix->alpha, c, -(double)c, mix->C, P);
    for (size_t i = 0; i < P; i++) noise += mix->C[i * P + i];
    gradient[mix->parts] = 0.5 * exp(x[mix->parts]) * noise;
    for (size_t m = 0; m < mix->parts; m++) {
        const double v = exp(x[m]);
        double sum = 0.0;
        for (size_t i = 0; v > 0.0 && i < P; i++) sum += orffi_dot(P, mix->C + i * P, mix->K[m] + i * P);
        gradient[m] = 0.5 * v * sum;
    }
}

static orff_status evidence(void *self, const double *x, double *value, double *gradient) {
    dense_mixture *mix = self;
    double logs = 0.0, quadratic = 0.0;
    fill_matrix(mix, x);
    ORFFI_TRY(orffi_cholesky(mix->P, mix->C));
    memcpy(mix->alpha, mix->y, mix->P * mix->copies * sizeof *mix->y);
    ORFFI_TRY(orffi_cholesky_solve(mix->P, mix->C, mix->copies, mix->alpha));
    for (size_t i = 0; i < mix->P; i++) logs += 2.0 * log(mix->C[i * mix->P + i]);
    for (size_t i = 0; i < mix->P * mix->copies; i++) quadratic += mix->y[i] * mix->alpha[i];
    *value = -0.5 * (quadratic + (double)mix->copies * (logs + (double)mix->P * LOG_TWO_PI));
    if (!gradient) return ORFF_OK;
    ORFFI_TRY(orffi_cholesky_inverse(mix->P, mix->C));
    fill_gradient(mix, x, gradient);
    return ORFF_OK;
}

static double variance(const dense_mixture *mix) {
    double sum = 0.0;
    const size_t observations = mix->P * mix->copies;
    for (size_t i = 0; i < observations; i++) sum += mix->y[i] * mix->y[i];
    return sum / (double)observations;
}

static orff_status learn(dense_mixture *mix, double drop, double *weights, double *lambda, double *shares) {
    orffi_weights_search *search;
    ORFFI_TRY(ORFFI_NEW(search));
    *search = (orffi_weights_search){.parts = mix->parts,
                                     .outputs = mix->kernel->p,
                                     .trace = mix->trace,
                                     .variance = variance(mix),
                                     .evidence = evidence,
                                     .self = mix};
    const orff_status status = orffi_weights_learn(search, weights, drop);
    if (!status) {
        for (size_t m = 0; m < mix->parts; m++) weights[m] = exp(search->x[m]);
        *lambda = exp(search->x[mix->parts]) / (double)mix->n;
        if (shares) orffi_weights_shares(search, shares);
    }
    orffi_release(search);
    return status;
}

/* Whether every part is k_m I. */
static bool is_scalar(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!kernel->parts[m].rule->separable || kernel->parts[m].A) return false;
    return true;
}

size_t orffi_exact_mixture_side(const orff_kernel *kernel, size_t n) {
    return is_scalar(kernel) ? n : n * kernel->p;
}

orff_status orffi_exact_mixture_learn(const orff_kernel *kernel, size_t n, const double *X, const double *Y,
                                      bool center, double drop, double *weights, double *lambda,
                                      double *shares) {
    dense_mixture mix = {.kernel = kernel,
                         .n = n,
                         .copies = is_scalar(kernel) ? kernel->p : 1,
                         .P = orffi_exact_mixture_side(kernel, n),
                         .parts = kernel->n_parts};
    ORFFI_TRY(orffi_weights_check(kernel->n_parts, weights, drop));
    orff_status status = mixture_allocate(&mix);
    if (!status) status = fill_grams(&mix, n, X);
    if (!status) {
        fill_outputs(&mix, n, Y, center);
        if (!(variance(&mix) > 0.0))
            status = orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the outputs are constant");
    }
    if (!status) status = learn(&mix, drop, weights, lambda, shares);
    mixture_clear(&mix);
    return status;
}
