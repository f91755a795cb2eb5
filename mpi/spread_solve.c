/* Cholesky factorisation of the distributed matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack.h"
#include "spread.h"

/* Entry (e, c) of B_left^T B_right (u x u). */
static double product(const orffi_spread *s, size_t left, size_t e, size_t right, size_t c) {
    const double *A = s->B + left % s->D * s->p * s->u, *Z = s->B + right % s->D * s->p * s->u;
    double sum = 0.0;
    if (s->apart) return s->B[0] * s->B[0];
    for (size_t k = 0; k < s->p; k++) sum += A[k * s->u + e] * Z[k * s->u + c];
    return sum;
}

/* Replaces S by this rank's part of G: each feature becomes u coefficients. Works from the last column to the
 * first, because columns only move towards the end; phi is no longer needed. */
static void expand(orffi_spread *s, double shift) {
    const size_t m = s->rows.count, n = s->columns.count, u = s->u;
    double *column = s->rows.phi;
    for (size_t j = n; j-- > 0;) {
        const size_t right = s->columns.index[j];
        memcpy(column, s->S + j * m, m * sizeof *column);
        for (size_t at = 0; at < u * m * u; at++) {
            const size_t c = at / (m * u), i = at % (m * u) / u, e = at % u, left = s->rows.index[i];
            const double more = left == right && c == e ? shift : 0.0;
            s->S[j * u * m * u + at] = column[i] * product(s, left, e, right, c) + more;
        }
    }
}

/* The right-hand sides of this rank: rows.count u x rhs, column by column. */
static void fill_right(const orffi_spread *s, const double *mean, double *right) {
    const size_t m = s->rows.count, side = s->p + 1;
    for (size_t i = 0; i < m; i++) {
        const double *R = s->R + i * side, *B = s->B + s->rows.index[i] % s->D * s->p * s->u;
        if (s->apart) {
            for (size_t k = 0; k < s->p; k++) right[i + k * m] = s->B[0] * (R[k] - mean[k] * R[s->p]);
            continue;
        }
        for (size_t e = 0; e < s->u; e++) {
            double sum = 0.0;
            for (size_t k = 0; k < s->p; k++) sum += B[k * s->u + e] * (R[k] - mean[k] * R[s->p]);
            right[i * s->u + e] = sum;
        }
    }
}

/* Copies coefficients of this rank's rows to their places in theta; the others stay 0. */
static void scatter(const orffi_spread *s, const double *solution, double *theta) {
    const size_t m = s->rows.count;
    for (size_t i = 0; i < m; i++)
        for (size_t e = 0; e < s->u; e++)
            for (size_t k = 0; k < s->rhs; k++)
                theta[(s->rows.index[i] * s->u + e) * s->rhs + k] = solution[i * s->u + e + k * m * s->u];
}

/* 0, or ScaLAPACK's error. */
static int factor_and_solve(orffi_spread *s, double *right) {
    const int n = (int)(s->L * s->u), block = (int)(s->block * s->u), zero = 0, one = 1, rhs = (int)s->rhs;
    int context, system, desc_a[9], desc_b[9], info = 0;
    const int rows = (int)(s->rows.count * s->u), lld = rows > 1 ? rows : 1;
    context = system = Csys2blacs_handle(s->comm);
    Cblacs_gridinit(&context, "Row", s->grid[0], s->grid[1]);
    descinit_(desc_a, &n, &n, &block, &block, &zero, &zero, &context, &lld, &info);
    if (!info) descinit_(desc_b, &n, &rhs, &block, &block, &zero, &zero, &context, &lld, &info);
    if (!info) pdpotrf_("L", &n, s->S, &one, &one, desc_a, &info);
    if (!info) pdpotrs_("L", &n, &rhs, s->S, &one, &one, desc_a, right, &one, &one, desc_b, &info);
    Cblacs_gridexit(context);
    Cfree_blacs_system_handle(system);
    return info;
}

/* The sum of squared residuals: yy - t.b - shift |t|^2, where (G0 + shift) t = b. */
static double errors_left(const orffi_spread *s, size_t M, const double *theta, const double *b,
                          const double *mean, double shift) {
    const size_t side = s->p + 1;
    const double N = s->T[side * side - 1];
    double sum = 0.0;
    for (size_t k = 0; k < s->p; k++)
        sum += s->T[k * side + k] - 2.0 * mean[k] * s->T[s->p * side + k] + N * mean[k] * mean[k];
    for (size_t i = 0; i < M; i++) sum -= theta[i] * (b[i] + shift * theta[i]);
    return fmax(sum, 0.0) / (N * (double)s->p);
}

orff_status orffi_spread_solve(orffi_spread *s, bool center, double lambda, double *theta, double *mean,
                               double *mse) {
    const size_t side = s->p + 1, M = s->L * s->u * s->rhs;
    const double N = s->T[side * side - 1], shift = N * lambda;
    double *right = calloc(s->rows.count * s->u * s->rhs + 1, sizeof *right), *b = calloc(M, sizeof *b);
    for (size_t k = 0; k < s->p; k++) mean[k] = center && N > 0.0 ? s->T[s->p * side + k] / N : 0.0;
    orff_status status = orff_mpi_agree(s->comm, right && b ? ORFF_OK : ORFF_ERROR_NO_MEMORY, NULL);
    if (!status) {
        fill_right(s, mean, right);
        if (s->place[1] == 0) scatter(s, right, b);
        MPI_Allreduce(MPI_IN_PLACE, b, (int)M, MPI_DOUBLE, MPI_SUM, s->comm);
        expand(s, shift);
        const int info = factor_and_solve(s, right);
        status = orff_mpi_agree(s->comm, info ? ORFF_ERROR_NOT_POSITIVE : ORFF_OK,
                                "the system is singular to rounding; lambda is too small");
    }
    if (!status) {
        memset(theta, 0, M * sizeof *theta);
        if (s->place[1] == 0) scatter(s, right, theta);
        MPI_Allreduce(MPI_IN_PLACE, theta, (int)M, MPI_DOUBLE, MPI_SUM, s->comm);
        *mse = errors_left(s, M, theta, b, mean, shift);
    }
    free(right);
    free(b);
    return status;
}
