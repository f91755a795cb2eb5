/* Matrices A for decomposable kernels: covariance of the outputs, graph Laplacian, simplex codes. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

/* A += (y - mean)(y - mean)^T / n */
static void add_outer(size_t p, const double *y, const double *mean, double share, double *A) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) A[i * p + j] += share * (y[i] - mean[i]) * (y[j] - mean[j]);
}

orff_status orff_output_covariance(size_t n, size_t p, const double *Y, double *A) {
    double *mean;
    if (!Y || !A || n == 0 || p == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the covariance of the outputs needs rows and columns (n=%zu, p=%zu)", n, p);
    ORFFI_TRY(orffi_check_finite("Y", n, p, Y));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mean, p));
    const double share = 1.0 / (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p; k++) mean[k] += share * Y[i * p + k];
    memset(A, 0, p * p * sizeof *A);
    for (size_t i = 0; i < n; i++) add_outer(p, Y + i * p, mean, share, A);
    orffi_release(mean);
    return ORFF_OK;
}

static orff_status check_graph(size_t p, const double *W) {
    ORFFI_TRY(orffi_check_finite("W", p, p, W));
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) {
            if (W[i * p + j] < 0.0 || W[i * p + j] != W[j * p + i])
                return orffi_fail(
                    ORFF_ERROR_INVALID_ARGUMENT,
                    "graph weights must be symmetric and not negative; W[%zu][%zu] = %g, W[%zu][%zu] = %g",
                    i + 1, j + 1, W[i * p + j], j + 1, i + 1, W[j * p + i]);
        }
    }
    return ORFF_OK;
}

/* L = diag(W 1) - W; self-loops cancel. */
static void fill_laplacian(size_t p, const double *W, double *L) {
    for (size_t i = 0; i < p; i++) {
        double degree = 0.0;
        for (size_t j = 0; j < p; j++) {
            degree += W[i * p + j];
            L[i * p + j] = -W[i * p + j];
        }
        L[i * p + i] += degree;
    }
}

/* A = V diag(1/(values + ridge)) V^T without the eigenvalues that are zero to rounding. V has eigenvectors in
 * columns. */
static void pseudo_inverse(size_t p, const double *V, const double *values, double ridge, double *A) {
    const double cut = 1e-12 * (values[p - 1] + ridge);
    memset(A, 0, p * p * sizeof *A);
    for (size_t k = 0; k < p; k++) {
        const double value = fmax(values[k], 0.0) + ridge;
        if (!(value > cut)) continue;
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++) A[i * p + j] += V[i * p + k] * V[j * p + k] / value;
    }
}

/* The smallest eigenvalue of L that is not zero (1 if there are no edges: A is then the identity).
 *
 * The prior variance of a mode is 1/(l + r). The common part (l = 0) is the smoothest mode, so its variance should not
 * be less than that of the smoothest difference between outputs, which by L alone is 1/l_2: 1/r >= 1/l_2. On the other
 * hand the ridge should not override the graph: no difference may lose more than half of its variance, l/(l + r) >= 1/2
 * for all l >= l_2. The largest r with both properties is r = l_2. */
static double smallest_value(size_t p, const double *values) {
    for (size_t k = 0; k < p; k++)
        if (values[k] > 1e-12 * values[p - 1]) return values[k];
    return 1.0;
}

orff_status orff_output_laplacian(size_t p, const double *W, double ridge, double *A) {
    double *L = NULL, *values = NULL;
    if (!W || !A || p == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a graph Laplacian needs its weights (p=%zu)", p);
    if (ridge != ORFF_RIDGE_AUTO && !(ridge >= 0.0 && isfinite(ridge)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the ridge is %g; it must be at least 0, or ORFF_RIDGE_AUTO", ridge);
    ORFFI_TRY(check_graph(p, W));
    orff_status status = ORFFI_NEW_ARRAY(L, p * p);
    if (!status) status = ORFFI_NEW_ARRAY(values, p);
    if (!status) {
        fill_laplacian(p, W, L);
        status = orffi_eigen(p, L, values);
    }
    if (!status)
        pseudo_inverse(p, L, values, ridge == ORFF_RIDGE_AUTO ? smallest_value(p, values) : ridge, A);
    orffi_release(L);
    orffi_release(values);
    return status;
}

/* c_1 = e_1. The others are -1/(T-1) along e_1 plus the codes of T-1 classes, shrunk, in the remaining
 * coordinates. Unrolled: step s sets coordinate s of the classes from s on. */
orff_status orff_simplex_codes(size_t classes, double *codes) {
    if (!codes || classes < 2)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "simplex codes need at least 2 classes, not %zu",
                          classes);
    const size_t width = classes - 1;
    double shrink = 1.0;
    memset(codes, 0, classes * width * sizeof *codes);
    for (size_t s = 0; s < width; s++) {
        const double left = (double)(classes - s - 1); /* classes after s */
        codes[s * width + s] = shrink;
        for (size_t k = s + 1; k < classes; k++) codes[k * width + s] = -shrink / left;
        shrink *= sqrt(1.0 - 1.0 / (left * left));
    }
    return ORFF_OK;
}
