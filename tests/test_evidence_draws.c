/* What automatic choices find in rows that were drawn from known kernels, of all rules: bases, length scales, noise, mix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "model/plan.h"
#include "support.h"

/* From "by the evidence: .., length scale S..; noise S.. (standard deviation)": geometric means of the lists. */
typedef struct told {
    double scale, noise;
    bool any;
} told;

static double mean_of(const char *list) {
    double sum = 0.0, count = 0.0;
    char *end;
    for (; count == 0.0 || *list == ','; list = end) {
        sum += log(strtod(list + (*list == ','), &end));
        count += 1.0;
    }
    return exp(sum / count);
}

static void hear(void *self, orff_log_level level, const char *message) {
    told *t = self;
    const char *scale = strstr(message, "length scale "), *noise = strstr(message, "; noise ");
    (void)level;
    if (strncmp(message, "by the evidence: ", 17) || !scale || !noise) return;
    t->any = true;
    t->scale = mean_of(scale + strlen("length scale "));
    t->noise = mean_of(noise + strlen("; noise "));
}

/* n rows over a cube of this side, of a field of unit variance; all outputs with the same noise. */
static void draw(const orff_part *part, size_t d, size_t p, size_t n, double side, double noise, double *X,
                 double *Y) {
    const orffi_rng rng = {d * 31 + p, 9};
    const bool scalar = !orff_rule_describe(part->rule).physical;
    const size_t q = scalar ? 1 : p, P = n * q, copies = p / q;
    double *K = support_zeros(P * P), *z = support_zeros(P * copies);
    orff_kernel *kernel = NULL;
    for (size_t i = 0; i < n * d; i++) X[i] = side * orffi_rng_uniform(rng, i, 0);
    assert_ok(orff_kernel_create(&kernel, d, q, 1, part));
    assert_ok(orff_kernel_gram(kernel, n, X, n, X, K));
    orff_kernel_free(kernel);
    for (size_t i = 0; i < P; i++) K[i * P + i] += noise * noise;
    assert_ok(orffi_cholesky(P, K));
    for (size_t i = 0; i < P * copies; i++) z[i] = orffi_rng_normal(rng, i, 1);
    orffi_gemm(false, false, P, copies, P, 1.0, K, P, z, copies, 0.0, Y, copies);
    free(K);
    free(z);
}

typedef struct process {
    orff_rule rule;
    orff_base base;
    double shape, mix;
    size_t d, p, n;
    double side;               /* length scales */
    double noise;              /* beside a field of deviation 1 */
    double scale_sd, noise_sd; /* of their logarithms, the least that any estimator has (Cramer, Rao) */
    bool given;                /* the base; else it is to be found */
} process;

/* The bounds are those of the Fisher information of amplitude, length scale, mix and noise,
 *     I_ij = tr(C^-1 dC/di C^-1 dC/dj) / 2,
 * with dense matrices, over rows like these. The evidence of groups of rows has up to 1.2 times that. Outputs of decomposable
 * kernels are as many draws; fields of matern 3/2 are as rough as matern 1/2, and hard to tell from noise. */
#define DEC  ORFF_RULE_DECOMPOSABLE
#define CURL ORFF_RULE_CURL_FREE
#define DIV  ORFF_RULE_DIV_FREE
#define HELM ORFF_RULE_HELMHOLTZ
#define MAT  ORFF_BASE_MATERN
#define GAU  ORFF_BASE_GAUSSIAN
static const process processes[] = {
    {DEC, MAT, 0.5, 0.5, 1, 6, 2000, 300, 0.3, 0.043, 0.014, false},
    {DEC, MAT, 1.5, 0.5, 1, 3, 2000, 250, 0.3, 0.035, 0.011, false},
    {DEC, ORFF_BASE_RATIONAL_QUADRATIC, 0.8, 0.5, 1, 2, 2000, 150, 0.3, 0.043, 0.012, true},
    {DEC, GAU, 1.0, 0.5, 2, 2, 2000, 12, 0.3, 0.022, 0.012, false},
    {DEC, ORFF_BASE_LAPLACE, 1.0, 0.5, 2, 4, 2000, 16, 0.3, 0.042, 0.036, true},
    {DEC, ORFF_BASE_CAUCHY_PRODUCT, 1.0, 0.5, 2, 2, 2000, 12, 0.3, 0.032, 0.013, true},
    {DEC, MAT, 2.5, 0.5, 3, 3, 2000, 5, 0.3, 0.034, 0.012, false},
    {DEC, GAU, 1.0, 0.5, 6, 3, 2000, 1.5, 0.3, 0.027, 0.01, false},
    {DEC, MAT, 2.5, 0.5, 6, 3, 2000, 1.5, 0.3, 0.044, 0.014, false},
    {CURL, GAU, 1.0, 0.5, 2, 2, 2000, 12, 0.3, 0.018, 0.012, false},
    {CURL, MAT, 2.5, 0.5, 2, 2, 2000, 12, 0.3, 0.037, 0.017, false},
    {DIV, MAT, 1.5, 0.5, 2, 2, 2000, 12, 0.3, 0.058, 0.060, false},
    {DIV, ORFF_BASE_CAUCHY_PRODUCT, 1.0, 0.5, 2, 2, 1000, 8.5, 0.3, 0.028, 0.019, true},
    {HELM, MAT, 2.5, 0.7, 2, 2, 2000, 12, 0.3, 0.031, 0.021, false},
    {HELM, GAU, 1.0, 0.2, 2, 2, 2000, 12, 0.3, 0.016, 0.012, false},
    {DIV, MAT, 1.5, 0.5, 3, 3, 1000, 4, 0.5, 0.080, 0.070, false},
    {CURL, GAU, 1.0, 0.5, 3, 3, 1000, 4, 0.3, 0.022, 0.014, false},
};

/* 15 % of the length scale and 10 % of the noise, or three and a half standard deviations where those are more. */
static double room(double wanted, double sd) {
    return fmax(log1p(wanted), 3.5 * sd);
}

static void check(const process *w) {
    const double unit = 3.0; /* of the inputs: a length scale */
    double *X = support_zeros(w->n * w->d), *Y = support_zeros(w->n * w->p);
    told t = {0};
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    orffi_rows rows = {0};
    orffi_plan plan = {0};
    part.rule = w->rule;
    part.base = w->base;
    part.shape = w->shape;
    part.mix = w->mix;
    part.sigma = unit;
    part.normalise = true;
    draw(&part, w->d, w->p, w->n, unit * w->side, w->noise, X, Y);
    part.sigma = ORFF_SIGMA_AUTO;
    part.mix = 0.5;
    if (!w->given) part.base = ORFF_BASE_AUTO;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.auto_mix = w->rule == HELM;
    settings.engine = ORFF_ENGINE_EXACT;
    orff_set_hooks(&(orff_hooks){.log = hear, .self = &t});
    assert_ok(orffi_rows_from_arrays(&rows, w->d, w->p, &(orffi_codes){0}, w->n, X, Y, NULL, w->n));
    assert_ok(orffi_plan_make(&plan, &settings, &rows));
    orff_set_hooks(NULL);
    const orff_part *found = &plan.parts.list[0].part;
    print_message(
        "%s %s %g d %zu p %zu: %s %g, length scale %.3f (%.3f), noise %.3f (%.3f) of the truth, mix %.2f\n",
        orff_rule_name(w->rule), orff_base_name(w->base), w->shape, w->d, w->p, orff_base_name(found->base),
        found->shape, t.scale / unit, room(0.15, w->scale_sd), t.noise / w->noise, room(0.1, w->noise_sd),
        found->mix);
    assert_true(t.any);
    assert_int_equal(found->base, w->base);
    assert_true(found->shape == w->shape);
    assert_true(fabs(log(t.scale / unit)) < room(0.15, w->scale_sd));
    assert_true(fabs(log(t.noise / w->noise)) < room(0.1, w->noise_sd));
    if (w->rule == HELM) assert_true(fabs(found->mix - w->mix) < 0.1);
    orffi_plan_clear(&plan);
    orffi_rows_clear(&rows);
    free(X);
    free(Y);
}

static void finds_what_rows_were_drawn_from(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) check(&processes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_rows_were_drawn_from)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
