/* Fit a vector-valued function and predict it: two outputs of three inputs, everything automatic. */
#include <math.h>
#include <orff.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 2000, D = 3, P = 2 };

static double uniform(void) {
    return rand() / (RAND_MAX + 1.0);
}

static void truth(const double *x, double *y) {
    y[0] = sin(2.0 * x[0]) + x[1] * x[2];
    y[1] = cos(x[0] + x[1]) - 0.5 * x[2];
}

static int fail(void) {
    fprintf(stderr, "%s\n", orff_error_message());
    return 1;
}

int main(void) {
    static double X[N][D], Y[N][P], F[N][P], clean[N][P];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < D; k++) X[i][k] = 4.0 * uniform() - 2.0;
        truth(X[i], clean[i]);
        for (int k = 0; k < P; k++) Y[i][k] = clean[i][k] + 0.1 * (uniform() + uniform() - 1.0);
    }

    orff_settings settings = orff_settings_default();
    settings.sampling.features = 300;
    orff_model *model;
    if (orff_model_fit(&model, &settings, D, P, N, &X[0][0], &Y[0][0], NULL)) return fail();
    const orff_model_info info = orff_model_describe(model);
    printf("%s\nlambda %.2g, cross-validated error %.4f, noise %.4f\n", info.kernel, info.lambda,
           sqrt(info.cv_mse), info.noise[0]);

    if (orff_model_predict(model, N, &X[0][0], &F[0][0])) return fail();
    double error = 0.0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < P; k++) error += (F[i][k] - clean[i][k]) * (F[i][k] - clean[i][k]);
    printf("distance to the function without noise: %.4f\n", sqrt(error / (N * P)));

    if (orff_model_save(model, "model.orff", false)) return fail();
    orff_model_free(model);
    puts("model.orff written");
    return 0;
}
