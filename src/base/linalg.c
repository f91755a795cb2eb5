/* Row-major matrices through column-major LAPACK. The memory of a row-major A is that of a column-major A^T,
 * so no copy is needed if A is symmetric or the routine's mirror image does the job. */
#define _DEFAULT_SOURCE /* for pthread.h, which the cblas.h of BLIS needs */
#include "base/linalg.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/blas_room.h"
#include "base/hooks.h"
#include "base/memory.h"
#include "base/threads.h"

/* Each exists only in the BLAS of its name. */
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));
extern const char *bli_info_get_version_str(void) __attribute__((weak));

/* Up to this order, one thread solves an eigenproblem as fast as several: with several, the many small
 * products wait longer for each other than they compute, and hundreds of times longer on a busy machine. */
enum { ALONE = 1500 };
enum { THIN = 2 }; /* largest number of columns that thin handles */

static int narrow(size_t size) {
    assert(size <= INT_MAX);
    return (int)size;
}

/* Tells the memory sanitizer that BLAS wrote rows x cols of C, or their upper triangle. */
static void written(size_t rows, size_t cols, void *C, size_t ldc, size_t size, bool upper) {
    for (size_t i = 0; i < rows; i++) {
        const size_t first = upper ? i : 0;
        ORFFI_WRITTEN((char *)C + (i * ldc + first) * size, (cols - first) * size);
        (void)first;
    }
    (void)cols, (void)C, (void)ldc, (void)size;
}

static enum CBLAS_TRANSPOSE turned(bool transposed) {
    return transposed ? CblasTrans : CblasNoTrans;
}

#define REAL        double
#define NAMED(name) name
#define BLAS(name)  cblas_d##name
#include "base/products.inc"

#define REAL        float
#define NAMED(name) name##_single
#define BLAS(name)  cblas_s##name
#include "base/products.inc"

/* OpenBLAS looks whether it is called in a loop of its own runtime, which is GNU's. */
bool orffi_products_share_threads(void) {
#if defined(_OPENMP) && !defined(__clang__)
    enum { BY_OPENMP = 2 };
    return openblas_get_parallel && openblas_get_parallel() == BY_OPENMP;
#else
    return false;
#endif
}

static orff_status check_size(const char *what, size_t m, size_t n) {
    if (m <= INT_MAX && n <= INT_MAX) return orffi_blas_room(orffi_thread_count());
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "%s of a %zu x %zu matrix: LAPACK counts to %d", what, m, n,
                      INT_MAX);
}

/* A negative info names an argument. Our arguments are valid, so LAPACKE must have refused a NaN in the
 * matrix. */
static orff_status lapack_status(const char *what, lapack_int info) {
    if (info == 0) return ORFF_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the %s", what);
    if (info < 0) return orffi_fail(ORFF_ERROR_NOT_FINITE, "%s: the matrix contains a NaN", what);
    return orffi_fail(ORFF_ERROR_NUMERICAL, "the %s did not converge (LAPACK info %d)", what, (int)info);
}

/* Transposes in square tiles, so that both sides of the diagonal stay in the cache. */
static void transpose(size_t n, double *A) {
    enum { TILE = 32 };
    for (size_t ib = 0; ib < n; ib += TILE)
        for (size_t jb = ib; jb < n; jb += TILE)
            for (size_t i = ib; i < ib + TILE && i < n; i++)
                for (size_t j = jb > i ? jb : i + 1; j < jb + TILE && j < n; j++) {
                    const double t = A[i * n + j];
                    A[i * n + j] = A[j * n + i];
                    A[j * n + i] = t;
                }
}

static const char eigen_text[] = "eigendecomposition";

/* The three steps of LAPACK's dsyevd: A = Q T Q^T, T = Z diag(values) Z^T, V = Q Z. The caller may stop
 * between them. Their shares of the time are similar: the first passes through A many times, the last is one
 * product. Z is n x n; work n each: the off-diagonal of T, and the factors of Q. */
static orff_status eigen_steps(lapack_int n, double *A, double *values, double *Z, double *beside,
                               double *factors) {
    ORFFI_TRY(orffi_progress(ORFFI_DECOMPOSITION, 0.0, 1.0));
    ORFFI_TRY(
        lapack_status(eigen_text, LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'L', n, A, n, values, beside, factors)));
    ORFFI_TRY(orffi_progress(ORFFI_DECOMPOSITION, 0.5, 1.0));
    ORFFI_TRY(lapack_status(eigen_text, LAPACKE_dstedc(LAPACK_COL_MAJOR, 'I', n, values, beside, Z, n)));
    ORFFI_TRY(orffi_progress(ORFFI_DECOMPOSITION, 0.75, 1.0));
    return lapack_status(eigen_text,
                         LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, n, A, n, factors, Z, n));
}

static orff_status eigen_large(size_t n, double *A, double *values) {
    double *Z = NULL, *work = NULL;
    orff_status status = ORFFI_NEW_ARRAY(Z, n * n);
    if (!status) status = ORFFI_NEW_ARRAY(work, 2 * n);
    if (!status) status = eigen_steps((lapack_int)n, A, values, Z, work, work + n);
    if (!status) memcpy(A, Z, n * n * sizeof *A);
    orffi_release(Z);
    orffi_release(work);
    return status;
}

static orff_status eigen_small(size_t n, double *A, double *values) {
    const lapack_int order = (lapack_int)n;
    const int before = orffi_team_limit(1);
    const lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', order, A, order, values);
    orffi_team_limit(before);
    return lapack_status(eigen_text, info);
}

orff_status orffi_eigen(size_t n, double *A, double *values) {
    if (!n) return ORFF_OK;
    ORFFI_TRY(check_size(eigen_text, n, n));
    ORFFI_TRY((n <= ALONE ? eigen_small : eigen_large)(n, A, values));
    written(n, n, A, n, sizeof *A, false);
    written(1, n, values, n, sizeof *values, false);
    transpose(n, A);
    return ORFF_OK;
}

/* Large matrices are factored in panels, between which the caller may stop. LAPACK alone is not faster. */
enum { PANEL = 512, AT_ONCE = 3000 };

static size_t panel_width(size_t n, size_t first) {
    return n <= AT_ONCE || n - first < PANEL ? n - first : PANEL;
}

/* A = L L^T for `width` rows from `first` on. Lower and row-major is upper and column-major: U = L^T in the
 * same memory. */
static orff_status factor_panel(size_t n, double *A, size_t first, size_t width) {
    static const char what[] = "Cholesky factorisation";
    const lapack_int info =
        LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)width, A + first * n + first, (lapack_int)n);
    if (info > 0)
        return orffi_fail(ORFF_ERROR_NOT_POSITIVE, "%s: pivot %zu of %zu is not positive", what,
                          first + (size_t)info, n);
    return lapack_status(what, info);
}

/* With L11 factored: L21 = A21 L11^-T, A22 -= L21 L21^T. */
static void subtract_panel(size_t n, double *A, size_t first, size_t width) {
    const int rows = narrow(n - first - width), w = narrow(width), step = narrow(n);
    double *L11 = A + first * n + first, *L21 = L11 + width * n;
    if (!rows) return;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, w, 1.0, L11, step, L21,
                step);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, w, -1.0, L21, step, 1.0, L21 + width, step);
}

orff_status orffi_cholesky(size_t n, double *A) {
    ORFFI_TRY(orffi_cholesky_beside(n, A));
    orffi_clear_upper(n, A);
    return ORFF_OK;
}

void orffi_clear_upper(size_t n, double *A) {
    for (size_t i = 0; i < n; i++) memset(A + i * n + i + 1, 0, (n - i - 1) * sizeof *A);
}

orff_status orffi_cholesky_beside(size_t n, double *A) {
    if (!n) return ORFF_OK;
    ORFFI_TRY(check_size("Cholesky factorisation", n, n));
    for (size_t k = 0, width; k < n; k += width) {
        width = panel_width(n, k);
        if (width < n) ORFFI_TRY(orffi_progress("factorisation", (double)k, (double)n));
        ORFFI_TRY(factor_panel(n, A, k, width));
        subtract_panel(n, A, k, width);
    }
    return ORFF_OK;
}

orff_status orffi_cholesky_solve(size_t n, const double *L, size_t m, double *B) {
    if (!n || !m) return ORFF_OK;
    ORFFI_TRY(check_size("Cholesky solution", n, m));
    const int rows = narrow(n), cols = narrow(m);
    const enum CBLAS_TRANSPOSE sides[] = {CblasNoTrans, CblasTrans};
    for (int i = 0; i < 2; i++) /* for one column dtrsm would copy the factor first */
        if (m == 1)
            cblas_dtrsv(CblasRowMajor, CblasLower, sides[i], CblasNonUnit, rows, L, rows, B, 1);
        else
            cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, sides[i], CblasNonUnit, rows, cols, 1, L, rows,
                        B, cols);
    written(n, m, B, m, sizeof *B, false);
    return ORFF_OK;
}

void orffi_upper_symmetric(size_t n, const double *A, size_t m, const double *B, double *C) {
    const int rows = narrow(n), cols = narrow(m);
    if (m == 1)
        cblas_dsymv(CblasRowMajor, CblasUpper, rows, 1.0, A, rows, B, 1, 0.0, C, 1);
    else if (n && m)
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, rows, cols, 1.0, A, rows, B, cols, 0.0, C, cols);
    written(n, m, C, m, sizeof *C, false);
}

static bool is_upper(size_t n, const double *F) {
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (F[i * n + j] != 0.0) return false;
    return true;
}

/* For few rows, checking whether F is triangular would cost as much as the product. */
void orffi_times_factor(size_t rows, size_t n, size_t k, const double *A, const double *F, double *Z) {
    enum { FEW = 16 };
    if (rows <= FEW || !n || n != k || !is_upper(n, F)) {
        orffi_gemm(false, false, rows, k, n, 1.0, A, n, F, k, 0.0, Z, k);
        return;
    }
    memcpy(Z, A, rows * n * sizeof *Z);
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, narrow(rows), narrow(n),
                1.0, F, narrow(n), Z, narrow(n));
    written(rows, n, Z, n, sizeof *Z, false);
}

double orffi_dot(size_t n, const double *x, const double *y) {
    return cblas_ddot(narrow(n), x, 1, y, 1);
}

/* In tiles, so that neither side is accessed column by column. Entry (i, j) is at i row + j col. */
static void mirror(size_t n, double *A, size_t row, size_t col) {
    const size_t tile = 32;
    for (size_t i0 = 0; i0 < n; i0 += tile)
        for (size_t j0 = i0; j0 < n; j0 += tile)
            for (size_t i = i0; i < n && i < i0 + tile; i++)
                for (size_t j = j0 > i + 1 ? j0 : i + 1; j < n && j < j0 + tile; j++)
                    A[j * row + i * col] = A[i * row + j * col];
}

void orffi_mirror(size_t n, double *A) {
    mirror(n, A, n, 1);
}

void orffi_mirror_lower(size_t n, double *A) {
    mirror(n, A, 1, n);
}

double orffi_symmetric_norm(size_t n, const double *A) {
    double norm = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

orff_status orffi_cholesky_rcond(size_t n, const double *L, double norm, double *rcond) {
    *rcond = 0.0;
    if (!n || !(norm > 0.0)) return ORFF_OK;
    const lapack_int info =
        LAPACKE_dpocon(LAPACK_COL_MAJOR, 'U', (lapack_int)n, L, (lapack_int)n, norm, rcond);
    if (info == LAPACK_WORK_MEMORY_ERROR) return lapack_status("condition number", info);
    ORFFI_WRITTEN(rcond, sizeof *rcond);
    if (info) *rcond = 0.0;
    return ORFF_OK;
}

orff_status orffi_cholesky_inverse(size_t n, double *L) {
    if (!n) return ORFF_OK;
    ORFFI_TRY(check_size("inverse", n, n));
    ORFFI_TRY(
        lapack_status("inverse", LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', (lapack_int)n, L, (lapack_int)n)));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) L[i * n + j] = L[j * n + i];
    return ORFF_OK;
}

/* Columns [first, first + width) of U^-1, given those before, all column-major: -(U11)^-1 U12 U22^-1 above
 * U22^-1. */
static orff_status invert_panel(size_t n, double *U, size_t first, size_t width) {
    const int above = narrow(first), w = narrow(width), step = narrow(n);
    double *U12 = U + first * n, *U22 = U12 + first;
    if (first) {
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, above, w, 1.0, U, step,
                    U12, step);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, above, w, -1.0, U22,
                    step, U12, step);
    }
    return lapack_status("inverse of a triangle",
                         LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'U', 'N', (lapack_int)w, U22, (lapack_int)n));
}

/* The memory of L is that of L^T, upper and column-major. It receives L^-T, which is then transposed. */
orff_status orffi_cholesky_root(size_t n, double *L) {
    if (!n) return ORFF_OK;
    ORFFI_TRY(check_size("inverse of a triangle", n, n));
    for (size_t k = 0, width; k < n; k += width) {
        width = panel_width(n, k);
        if (width < n) ORFFI_TRY(orffi_progress("inverse of the factor", (double)k, (double)n));
        ORFFI_TRY(invert_panel(n, L, k, width));
    }
    transpose(n, L);
    return ORFF_OK;
}

/* A^T = Q R with Q n x m. Making R's diagonal positive makes the factorisation unique, so Q inherits the
 * invariance of a Gaussian A. */
orff_status orffi_orthonormal_rows(size_t m, size_t n, double *A) {
    static const char what[] = "QR factorisation";
    if (m > n)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu rows of length %zu cannot be orthonormal", m, n);
    if (!m) return ORFF_OK;
    ORFFI_TRY(check_size(what, m, n));
    const lapack_int rows = (lapack_int)n, cols = (lapack_int)m;
    double *tau = NULL, *sign = NULL;
    orff_status status = ORFFI_NEW_ARRAY(tau, m);
    if (!status) status = ORFFI_NEW_ARRAY(sign, m);
    if (!status) status = lapack_status(what, LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, cols, A, rows, tau));
    for (size_t i = 0; !status && i < m; i++) sign[i] = A[i * n + i] < 0 ? -1 : 1;
    if (!status)
        status = lapack_status(what, LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, cols, cols, A, rows, tau));
    for (size_t i = 0; !status && i < m; i++) cblas_dscal(narrow(n), sign[i], A + i * n, 1);
    orffi_release(tau);
    orffi_release(sign);
    return status;
}

/* The mean of A and A^T into S, and the largest entry of their difference. */
static double symmetrise(size_t p, const double *A, double *S) {
    double asymmetry = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            const double a = A[i * p + j], b = A[j * p + i];
            S[i * p + j] = 0.5 * a + 0.5 * b;
            asymmetry = fmax(asymmetry, fabs(a - b));
        }
    return asymmetry;
}

/* B = V diag(sqrt(values)) for the eigenvalues kept, largest first   (p x rank). */
static size_t scale_eigenvectors(size_t p, const double *V, const double *values, double *B) {
    size_t rank = 0;
    while (rank < p && values[p - 1 - rank] > 1e-13 * values[p - 1]) rank++;
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < rank; k++) B[i * rank + k] = V[i * p + p - 1 - k] * sqrt(values[p - 1 - k]);
    return rank;
}

static orff_status check_positive(size_t p, const double *values, double asymmetry) {
    const double lowest = values[0], largest = fmax(fabs(lowest), fabs(values[p - 1]));
    if (asymmetry > 1e-10 * largest)
        return orffi_fail(ORFF_ERROR_NOT_POSITIVE, "the matrix is not symmetric: entries differ by %g",
                          asymmetry);
    if (lowest < -1e-10 * largest)
        return orffi_fail(ORFF_ERROR_NOT_POSITIVE, "the matrix has the negative eigenvalue %g (largest: %g)",
                          lowest, values[p - 1]);
    return ORFF_OK;
}

orff_status orffi_factor_positive(size_t p, const double *A, double *B, size_t *rank) {
    ORFFI_TRY(orffi_check_finite("the matrix", p, p, A));
    *rank = 0;
    if (!p) return ORFF_OK;
    double *V = NULL, *values = NULL;
    orff_status status = ORFFI_NEW_ARRAY(V, p * p);
    if (!status) status = ORFFI_NEW_ARRAY(values, p);
    if (!status) {
        const double asymmetry = symmetrise(p, A, V);
        status = orffi_eigen(p, V, values);
        if (!status) status = check_positive(p, values, asymmetry);
    }
    if (!status) *rank = scale_eigenvectors(p, V, values, B);
    orffi_release(V);
    orffi_release(values);
    return status;
}

/* A^T has the same singular values, so A need not be transposed. */
orff_status orff_spectral_norm(size_t m, size_t n, const double *A, double *norm) {
    static const char what[] = "singular value decomposition";
    const size_t few = m < n ? m : n;
    if (!few) {
        *norm = 0;
        return ORFF_OK;
    }
    ORFFI_TRY(check_size(what, m, n));
    double *copy = NULL, *values = NULL, none = 0;
    orff_status status = orffi_duplicate(&copy, A, m * n, sizeof *A);
    if (!status) status = ORFFI_NEW_ARRAY(values, few);
    if (!status) {
        const lapack_int rows = (lapack_int)n, cols = (lapack_int)m;
        status = lapack_status(
            what, LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', rows, cols, copy, rows, values, &none, 1, &none, 1));
    }
    if (!status) ORFFI_WRITTEN(values, sizeof *values);
    if (!status) *norm = values[0];
    orffi_release(copy);
    orffi_release(values);
    return status;
}

orff_status orffi_solve_shortest(size_t n, double *A, const double *b, double *x) {
    double *values;
    ORFFI_TRY(ORFFI_NEW_ARRAY(values, n));
    const orff_status status = orffi_eigen(n, A, values);
    memset(x, 0, n * sizeof *x);
    for (size_t k = 0; !status && k < n; k++) {
        double along = 0.0;
        if (!(values[k] > (double)n * 1e-12 * values[n - 1]))
            continue; /* b has no reliable component along
                                                                           it */
        for (size_t i = 0; i < n; i++) along += A[i * n + k] * b[i] / values[k];
        for (size_t i = 0; i < n; i++) x[i] += A[i * n + k] * along;
    }
    orffi_release(values);
    return status;
}

static char blas_name[96];

/* OpenBLAS's configuration starts with its name and version: "OpenBLAS 0.3.21 DYNAMIC_ARCH ...". BLIS is
 * checked first, because OpenBLAS may be loaded with it for LAPACK alone. */
static void find_blas_name(void) {
    if (bli_info_get_version_str) {
        snprintf(blas_name, sizeof blas_name, "BLIS %s", bli_info_get_version_str());
    } else if (openblas_get_config) {
        char name[32] = "OpenBLAS", version[32] = "";
        sscanf(openblas_get_config(), "%31s %31s", name, version);
        const char *core = openblas_get_corename ? openblas_get_corename() : NULL;
        snprintf(blas_name, sizeof blas_name, "%s %s%s%s", name, version, core ? " " : "", core ? core : "");
    } else {
        snprintf(blas_name, sizeof blas_name, "BLAS");
    }
}

const char *orffi_blas_name(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_blas_name);
    return blas_name;
}
