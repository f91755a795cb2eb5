/* Automatic choices on rows drawn from known kernels: length scales within 15 %, noise within 10 %. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/random.h"
#include "support.h"

/* From "by the evidence: .., length scale S..; noise S.. (standard deviation)". */
typedef struct told {
    double scale, noise;
    bool any;
} told;

static void hear(void *self, orff_log_level level, const char *message) {
    told *t = self;
    const char *scale = strstr(message, "length scale "), *noise = strstr(message, "; noise ");
    (void)level;
    if (strncmp(message, "by the evidence: ", 17) || !scale || !noise) return;
    t->any = orff_number_scan(scale + strlen("length scale "), &t->scale) &&
             orff_number_scan(noise + strlen("; noise "), &t->noise);
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
    double nu; /* of matern; 0: gaussian */
    size_t d, p, n;
    double side; /* length scales */
} process;

/* Fields of matern 3/2 are as rough as matern 1/2, and hard to tell from noise: of 1500 rows the Fisher information leaves 10 % of
 * the noise open, and 5 % of the length scale. None of those here. */
static const process processes[] = {
    {ORFF_RULE_DECOMPOSABLE, 1.5, 1, 2, 2000, 100}, {ORFF_RULE_DECOMPOSABLE, 0.0, 2, 1, 2000, 12},
    {ORFF_RULE_DECOMPOSABLE, 2.5, 3, 3, 2000, 5},   {ORFF_RULE_DECOMPOSABLE, 0.0, 6, 1, 2000, 1.5},
    {ORFF_RULE_CURL_FREE, 0.0, 2, 2, 1500, 10},     {ORFF_RULE_DIV_FREE, 2.5, 2, 2, 1500, 14},
    {ORFF_RULE_CURL_FREE, 2.5, 3, 3, 800, 4}};

static void check(const process *w) {
    const double noise = 0.3, unit = 3.0; /* of the inputs: a length scale */
    double *X = support_zeros(w->n * w->d), *Y = support_zeros(w->n * w->p);
    told t = {0};
    orff_part part = orff_part_default();
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    part.rule = w->rule;
    part.base = w->nu > 0.0 ? ORFF_BASE_MATERN : ORFF_BASE_GAUSSIAN;
    part.shape = w->nu > 0.0 ? w->nu : 1.0;
    part.sigma = unit;
    part.normalise = true;
    draw(&part, w->d, w->p, w->n, unit * w->side, noise, X, Y);
    part.sigma = ORFF_SIGMA_AUTO;
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 1e-3;
    settings.engine = ORFF_ENGINE_EXACT;
    settings.posterior = ORFF_SWITCH_NO;
    orff_set_hooks(&(orff_hooks){.log = hear, .self = &t});
    assert_ok(orff_model_fit(&model, &settings, w->d, w->p, w->n, X, Y, NULL));
    orff_set_hooks(NULL);
    print_message("%s nu %g d %zu p %zu: length scale %.3f, noise %.3f of the truth\n",
                  orff_rule_name(w->rule), w->nu, w->d, w->p, t.scale / unit, t.noise / noise);
    assert_true(t.any);
    assert_true(fabs(t.scale / unit - 1.0) < 0.15);
    assert_true(fabs(t.noise / noise - 1.0) < 0.1);
    orff_model_free(model);
    free(X);
    free(Y);
}

static void finds_scale_and_noise(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) check(&processes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_scale_and_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
