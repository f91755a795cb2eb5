/* A kernel of one's own: A(w) given by a callback, here a field that is mostly divergence-free along one
 * axis, and a kernel known only by its signature K0(delta). Exact and approximate values are compared. */
#include <math.h>
#include <orff.h>
#include <stdio.h>

static int fail(void) {
    fprintf(stderr, "%s\n", orff_error_message());
    return 1;
}

/* A(w) = |w|^2 I - w w^T + 0.1 I   (2 x 2, positive) */
static int almost_div_free(void *self, size_t count, const double *w, double *A) {
    (void)self;
    for (size_t i = 0; i < count; i++, w += 2, A += 4) {
        A[0] = w[1] * w[1] + 0.1;
        A[1] = A[2] = -w[0] * w[1];
        A[3] = w[0] * w[0] + 0.1;
    }
    return 0;
}

/* K0(delta) = exp(-|delta|^2/2) [[1, 0.8], [0.8, 1]] */
static int coupled(void *self, size_t count, const double *delta, double *K) {
    (void)self;
    for (size_t i = 0; i < count; i++, delta += 2, K += 4) {
        K[0] = K[3] = exp(-0.5 * (delta[0] * delta[0] + delta[1] * delta[1]));
        K[1] = K[2] = 0.8 * K[0];
    }
    return 0;
}

static int show(const char *name, const orff_part *part, size_t features) {
    const double x[2] = {0.0, 0.0}, z[2] = {0.6, -0.4}, extent[2] = {4.0, 4.0};
    double K[4];
    orff_kernel *kernel;
    orff_features *map;
    orff_sampling sampling = orff_sampling_default();
    sampling.features = features;
    sampling.extent = extent;
    if (orff_kernel_create(&kernel, 2, 2, 1, part)) return fail();
    if (orff_features_create(&map, kernel, &sampling)) return fail();
    if (orff_features_kernel(map, x, z, K)) return fail();
    const orff_features_info info = orff_features_describe(map);
    printf("%s, %zu frequencies: K~ = [%.4f %.4f; %.4f %.4f]\n", name, info.frequencies, K[0], K[1], K[2],
           K[3]);
    if (part->rule == ORFF_RULE_SIGNATURE) {
        if (orff_kernel_eval(kernel, x, z, K)) return fail();
        printf("                         exact K = [%.4f %.4f; %.4f %.4f], largest error %.1e\n", K[0], K[1],
               K[2], K[3], info.quadrature_error);
    }
    orff_features_free(map);
    orff_kernel_free(kernel);
    return 0;
}

int main(void) {
    orff_part part = orff_part_default();
    part.rule = ORFF_RULE_CUSTOM_A;
    part.matrix = almost_div_free;
    if (show("A(w) by a callback", &part, 4096)) return 1;
    part.rule = ORFF_RULE_SIGNATURE;
    part.matrix = coupled;
    return show("K0 by a callback", &part, 1000);
}
