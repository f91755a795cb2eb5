#include "solve/columns.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"

#define RANK_ROUNDING 1e-14 /* pivots below this, relative to the trace, are zero */

/* ---- narrowing */

/* C C^T = A (p x p, in place, lower); columns of zero pivots are zero. */
static void semidefinite_cholesky(size_t p, double *A) {
    double trace = 0.0;
    for (size_t i = 0; i < p; i++) trace += A[i * p + i];
    for (size_t k = 0; k < p; k++) {
        const double pivot = A[k * p + k], root = pivot > RANK_ROUNDING * trace ? sqrt(pivot) : 0.0;
        for (size_t i = 0; i < k; i++) A[i * p + k] = 0.0;
        A[k * p + k] = root;
        for (size_t i = k + 1; i < p; i++) A[i * p + k] = root > 0.0 ? A[i * p + k] / root : 0.0;
        for (size_t i = k + 1; i < p; i++)
            for (size_t l = k + 1; l <= i; l++) A[i * p + l] -= A[i * p + k] * A[l * p + k];
    }
}

/* Replaces B (p x width) by the rows of C^-1 B; rows of zero pivots become zero. */
static void forward_solve(size_t p, const double *C, size_t width, double *B) {
    for (size_t i = 0; i < p; i++) {
        const double root = C[i * p + i];
        for (size_t k = 0; k < width; k++) {
            for (size_t l = 0; l < i; l++) B[i * width + k] -= C[i * p + l] * B[l * width + k];
            B[i * width + k] = root > 0.0 ? B[i * width + k] / root : 0.0;
        }
    }
}

/* Stores p columns, from `at` on, instead of the block (p x width, destroyed). C is p x p. */
static void fill_narrowed(orffi_columns *columns, size_t at, size_t p, size_t width, double *block,
                          double *C) {
    orffi_gemm(false, true, p, p, width, 1.0, block, width, block, width, 0.0, C, p);
    semidefinite_cholesky(p, C);
    forward_solve(p, C, width, block);
    for (size_t k = 0; k < p; k++) {
        for (size_t i = 0; i < p; i++) columns->B[(at + k) * p + i] = C[i * p + k];
        memcpy(columns->turn + (at + k) * columns->widest, block + k * width, width * sizeof *block);
    }
}

/* ---- filling */

static void fill_as_they_are(orffi_columns *columns, size_t at, size_t p, size_t width, const double *block,
                             const double *imaginary) {
    for (size_t k = 0; k < width; k++) {
        for (size_t i = 0; i < p; i++) columns->B[(at + k) * p + i] = block[i * width + k];
        for (size_t i = 0; columns->C && i < p; i++) columns->C[(at + k) * p + i] = imaginary[i * width + k];
        if (columns->turn) columns->turn[(at + k) * columns->widest + k] = 1.0;
    }
}

/* The number of columns stored for frequency j. */
static size_t kept_width(const orff_features *f, size_t width) {
    return width < f->p || f->kernel->hermitian ? width : f->p;
}

static orff_status allocate(orffi_columns *columns, const orff_features *f) {
    *columns = (orffi_columns){.parameters = f->M / 2};
    for (size_t j = 0; j < f->D; j++) {
        const size_t width = orffi_features_block_columns(f, j);
        columns->count += kept_width(f, width);
        if (width > columns->widest) columns->widest = width;
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(columns->j, columns->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(columns->B, columns->count * f->p));
    if (f->kernel->hermitian) ORFFI_TRY(ORFFI_NEW_ARRAY(columns->C, columns->count * f->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(columns->first, columns->count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(columns->width, columns->count));
    if (columns->widest <= f->p || f->kernel->hermitian) return ORFF_OK;
    return ORFFI_NEW_ARRAY(columns->turn, columns->count * columns->widest);
}

/* work has p (2 widest + p + 1) numbers. */
static void fill(orffi_columns *columns, const orff_features *f, double *work) {
    const size_t p = f->p;
    double *block = work, *imaginary = block + p * columns->widest, *C = imaginary + p * columns->widest,
           *unit = C + p * p;
    for (size_t j = 0, at = 0, parameter = 0; j < f->D; j++) {
        const size_t width = orffi_features_block_columns(f, j), count = kept_width(f, width);
        for (size_t k = 0; k < count; k++) {
            columns->j[at + k] = j;
            columns->first[at + k] = parameter;
            columns->width[at + k] = width;
        }
        if (width) orffi_features_dense_block(f, j, block, imaginary, unit);
        if (width > count)
            fill_narrowed(columns, at, p, width, block, C);
        else
            fill_as_they_are(columns, at, p, width, block, imaginary);
        at += count;
        parameter += width;
    }
}

orff_status orffi_columns_fill(orffi_columns *columns, const orff_features *f) {
    double *work = NULL;
    orff_status status = allocate(columns, f);
    if (!status) status = ORFFI_NEW_ARRAY(work, f->p * (2 * columns->widest + f->p + 1));
    if (!status) fill(columns, f, work);
    orffi_release(work);
    if (status) orffi_columns_clear(columns);
    return status;
}

void orffi_columns_clear(orffi_columns *columns) {
    orffi_release(columns->j);
    orffi_release(columns->B);
    orffi_release(columns->C);
    orffi_release(columns->first);
    orffi_release(columns->width);
    orffi_release(columns->turn);
    memset(columns, 0, sizeof *columns);
}

/* ---- products */

void orffi_columns_slice(const orffi_columns *columns, size_t D, size_t p, size_t i, const double *phi,
                         double *row) {
    const size_t half = columns->count;
    for (size_t k = 0; k < half; k++) {
        const double b = columns->B[k * p + i], c = columns->C ? columns->C[k * p + i] : 0.0;
        const double cosine = phi[columns->j[k]], sine = phi[D + columns->j[k]];
        row[k] = cosine * b + sine * c;
        row[half + k] = sine * b - cosine * c;
    }
}

void orffi_columns_product(const orffi_columns *columns, size_t D, size_t p, const double *R, double *out) {
    const size_t half = columns->count;
    for (size_t i = 0; i < half; i++) {
        const double *cosine = R + columns->j[i] * p, *sine = R + (D + columns->j[i]) * p;
        const double *b = columns->B + i * p, *c = columns->C ? columns->C + i * p : NULL;
        out[i] = orffi_dot(p, b, cosine) + (c ? orffi_dot(p, c, sine) : 0.0);
        out[half + i] = orffi_dot(p, b, sine) - (c ? orffi_dot(p, c, cosine) : 0.0);
    }
}

void orffi_columns_expand(const orffi_columns *columns, const double *t, double *theta) {
    if (!columns->turn) {
        memcpy(theta, t, 2 * columns->count * sizeof *theta);
        return;
    }
    memset(theta, 0, 2 * columns->parameters * sizeof *theta);
    for (size_t h = 0; h < 2; h++)
        for (size_t i = 0; i < columns->count; i++) {
            double *to = theta + h * columns->parameters + columns->first[i];
            for (size_t k = 0; k < columns->width[i]; k++)
                to[k] += columns->turn[i * columns->widest + k] * t[h * columns->count + i];
        }
}

/* ---- the matrix S_ab B_a^T B_b */

/* Row i of the cosine half and of the sine half of G; product[k] = B_i . B_k. */
static void assemble_rows(const orffi_columns *columns, size_t D, const double *S, size_t i,
                          const double *product, double *G) {
    const size_t half = columns->count, M = 2 * half, L = 2 * D;
    for (size_t h = 0; h < 2; h++) {
        const double *from = S + (h * D + columns->j[i]) * L;
        double *to = G + (h * half + i) * M;
        for (size_t k = 0; k < half; k++) {
            to[k] = from[columns->j[k]] * product[k];
            to[half + k] = from[D + columns->j[k]] * product[k];
        }
    }
}

/* Adds what `assemble_rows` lacks for complex columns b + i c. With r = b_i . c_k, l = c_i . b_k and m = c_i
 * . c_k in addition to b_i . b_k: the four entries for a pair of coefficients, from the four sums of products
 * of their cosines and sines. */
static void assemble_imaginary(const orffi_columns *columns, size_t D, size_t p, const double *S, size_t i,
                               double *G) {
    const size_t half = columns->count, M = 2 * half, L = 2 * D;
    const double *cosine = S + columns->j[i] * L, *sine = S + (D + columns->j[i]) * L;
    double *above = G + i * M, *below = G + (half + i) * M;
    for (size_t k = 0; k < half; k++) {
        const size_t j = columns->j[k];
        const double cc = cosine[j], cs = cosine[D + j], sc = sine[j], ss = sine[D + j];
        const double r = orffi_dot(p, columns->B + i * p, columns->C + k * p);
        const double l = orffi_dot(p, columns->C + i * p, columns->B + k * p);
        const double m = orffi_dot(p, columns->C + i * p, columns->C + k * p);
        above[k] += r * cs + l * sc + m * ss;
        above[half + k] += l * ss - r * cc - m * sc;
        below[k] += r * ss - l * cc - m * cs;
        below[half + k] += m * cc - l * cs - r * sc;
    }
}

orff_status orffi_assemble(const orffi_columns *columns, size_t D, size_t p, const double *S, double *G) {
    const size_t half = columns->count, rows = half < 64 ? half : 64;
    const int threads = orffi_thread_count();
    double *products;
    ORFFI_TRY(ORFFI_NEW_ARRAY(products, rows * half));
    for (size_t first = 0; first < half; first += rows) {
        const size_t count = half - first < rows ? half - first : rows;
        orffi_gemm(false, true, count, half, p, 1.0, columns->B + first * p, p, columns->B, p, 0.0, products,
                   half);
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (size_t i = 0; i < count; i++) {
            assemble_rows(columns, D, S, first + i, products + i * half, G);
            if (columns->C) assemble_imaginary(columns, D, p, S, first + i, G);
        }
    }
    orffi_release(products);
    return ORFF_OK;
}
