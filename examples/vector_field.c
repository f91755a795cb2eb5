/* A measured vector field: noisy velocities of a rotating flow, fitted so that the divergence is zero
 * everywhere; error bars, vorticity and stream function come with it. */
#include <math.h>
#include <orff.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400 };

static double uniform(void) {
    return rand() / (RAND_MAX + 1.0);
}

static int fail(void) {
    fprintf(stderr, "%s\n", orff_error_message());
    return 1;
}

/* u = (-d2 psi, d1 psi), psi = exp(-|x|^2): vorticity (4 |x|^2 - 4) psi. */
static void flow(const double *x, double *u) {
    const double psi = exp(-x[0] * x[0] - x[1] * x[1]);
    u[0] = 2.0 * x[1] * psi;
    u[1] = -2.0 * x[0] * psi;
}

int main(void) {
    static double X[N][2], U[N][2];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 2; k++) X[i][k] = 4.0 * uniform() - 2.0;
        flow(X[i], U[i]);
        for (int k = 0; k < 2; k++) U[i][k] += 0.1 * (uniform() + uniform() + uniform() - 1.5);
    }

    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_DIV_FREE;
    part.sigma = 0.0; /* automatic */
    orff_settings settings = orff_settings_default();
    settings.n_parts = 1;
    settings.parts = &part;
    settings.sampling.features = 200;
    orff_model *model;
    if (orff_model_fit(&model, &settings, 2, 2, N, &X[0][0], &U[0][0], NULL)) return fail();
    printf("%s\n\n", orff_model_describe(model).kernel);

    const double at[3][2] = {{0.0, 0.0}, {0.7, 0.0}, {0.5, 0.5}};
    double f[3][2], covariance[3][2][2], divergence[3], vorticity[3], psi[3];
    if (orff_model_predict(model, 3, &at[0][0], &f[0][0])) return fail();
    if (orff_model_covariance(model, 3, &at[0][0], &covariance[0][0][0])) return fail();
    if (orff_model_divergence(model, 3, &at[0][0], divergence)) return fail();
    if (orff_model_curl(model, 3, &at[0][0], vorticity)) return fail();
    if (orff_model_stream_function(model, 3, &at[0][0], psi)) return fail();
    puts("     x          velocity (+- standard deviation)      divergence   vorticity (true)");
    for (int i = 0; i < 3; i++) {
        const double r2 = at[i][0] * at[i][0] + at[i][1] * at[i][1];
        printf("%.1f %.1f   %6.3f +- %.3f   %6.3f +- %.3f   %12.1e   %6.2f (%.2f)\n", at[i][0], at[i][1],
               f[i][0], sqrt(covariance[i][0][0]), f[i][1], sqrt(covariance[i][1][1]), divergence[i],
               vorticity[i], (4.0 * r2 - 4.0) * exp(-r2));
    }
    printf("stream function between the first two: %.3f (true %.3f)\n", psi[1] - psi[0], exp(-0.49) - 1.0);
    orff_model_free(model);
    return 0;
}
