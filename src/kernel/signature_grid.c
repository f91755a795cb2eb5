#include "kernel/signature_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define SMALLEST_SIDE 16
#define WIDEST_BOX    64.0 /* largest box tried, in extents */
#define FACE_SIDE     9    /* points per side at which the faces of the box are checked */
#define EVEN_EVERY    37   /* one in this many points of the grid is checked for evenness */
#define TWO_PI        6.28318530717958647692

static const size_t largest_side[4] = {0, 2048, 512, 128};

static void clear_arrays(orffi_signature_grid *t) {
    double *all[] = {t->values, t->re, t->im, t->re2, t->im2, t->cosine, t->sine};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    t->values = t->re = t->im = t->re2 = t->im2 = t->cosine = t->sine = NULL;
}

static orff_status fill_arrays(orffi_signature_grid *t, size_t n) {
    clear_arrays(t);
    t->n = n;
    t->points = n;
    for (size_t i = 1; i < t->d; i++) t->points *= n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->values, t->entries * t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->re, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->im, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->re2, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->im2, t->points));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->cosine, n * n));
    return ORFFI_NEW_ARRAY(t->sine, n * n);
}

orff_status orffi_signature_grid_init(orffi_signature_grid *t) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->delta, ORFFI_SIGNATURE_BATCH * t->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->matrix, ORFFI_SIGNATURE_BATCH * t->p * t->p));
    return ORFFI_NEW_ARRAY(t->other, ORFFI_SIGNATURE_BATCH * t->p * t->p);
}

void orffi_signature_grid_clear(orffi_signature_grid *t) {
    clear_arrays(t);
    orffi_release(t->delta);
    orffi_release(t->matrix);
    orffi_release(t->other);
}

/* ---- sampling K0 */

orff_status orffi_signature_call(const orffi_kernel_part *part, size_t count, const double *delta,
                                 double *K) {
    const orffi_callback callback = {"K0(delta)", part, part->matrix, part->p, false};
    return orffi_call_matrices(&callback, count, delta, K);
}

double orffi_signature_largest(const orffi_signature_grid *t, const double *K) {
    double most = 0.0;
    for (size_t i = 0; i < t->p * t->p; i++) most = fmax(most, fabs(K[i]));
    return most;
}

void orffi_signature_centred(const orffi_signature_grid *t, size_t point, long index[3]) {
    for (size_t axis = t->d; axis-- > 0; point /= t->n) index[axis] = (long)(point % t->n) - (long)(t->n / 2);
}

static void position(const orffi_signature_grid *t, const long index[3], double *delta) {
    for (size_t i = 0; i < t->d; i++) delta[i] = t->box[i] * (double)index[i] / (double)(t->n / 2);
}

/* A pair of K0 at a difference and at its mirror image must be real, even and symmetric, as E[cos<w,delta>
 * A(w)] is. */
static orff_status check_pair(const orffi_signature_grid *t, const double *K, const double *mirrored) {
    for (size_t i = 0; i < t->p; i++)
        for (size_t j = 0; j < t->p; j++)
            if (fabs(K[i * t->p + j] - mirrored[i * t->p + j]) > 1e-9 * t->size ||
                fabs(K[i * t->p + j] - K[j * t->p + i]) > 1e-9 * t->size)
                return orffi_fail(
                    ORFF_ERROR_UNSUPPORTED,
                    "a signature must be even and symmetric, K0(delta) = K0(-delta) = K0(delta)^T; entry "
                    "(%zu,%zu) is not",
                    i + 1, j + 1);
    return ORFF_OK;
}

/* Checks one in EVEN_EVERY of the differences whose matrices are available; overwrites the differences. */
static orff_status check_even(orffi_signature_grid *t, size_t count) {
    size_t chosen = 0;
    for (size_t i = 0; i < count; i += EVEN_EVERY, chosen++)
        for (size_t k = 0; k < t->d; k++) t->delta[chosen * t->d + k] = -t->delta[i * t->d + k];
    ORFFI_TRY(orffi_signature_call(t->part, chosen, t->delta, t->other));
    for (size_t i = 0; i < chosen; i++)
        ORFFI_TRY(check_pair(t, t->matrix + i * EVEN_EVERY * t->p * t->p, t->other + i * t->p * t->p));
    return ORFF_OK;
}

/* Stores the entries of the upper triangle for all points of a batch. */
static void keep_samples(orffi_signature_grid *t, size_t first, size_t count) {
    for (size_t at = 0; at < count; at++)
        for (size_t i = 0, e = 0; i < t->p; i++)
            for (size_t j = i; j < t->p; j++, e++)
                t->values[e * t->points + first + at] = t->matrix[(at * t->p + i) * t->p + j];
}

static orff_status sample(orffi_signature_grid *t) {
    for (size_t first = 0; first < t->points; first += ORFFI_SIGNATURE_BATCH) {
        const size_t count =
            t->points - first < ORFFI_SIGNATURE_BATCH ? t->points - first : ORFFI_SIGNATURE_BATCH;
        for (size_t at = 0; at < count; at++) {
            long index[3];
            orffi_signature_centred(t, first + at, index);
            position(t, index, t->delta + at * t->d);
        }
        ORFFI_TRY(orffi_signature_call(t->part, count, t->delta, t->matrix));
        ORFFI_TRY(check_even(t, count));
        keep_samples(t, first, count);
    }
    return ORFF_OK;
}

/* The points on the faces of the box, out of a grid with FACE_SIDE points a side; returns how many. */
static size_t face_points(const orffi_signature_grid *t, double *delta) {
    size_t looks = 1, count = 0;
    for (size_t i = 0; i < t->d; i++) looks *= FACE_SIDE;
    for (size_t look = 0; look < looks; look++) {
        bool face = false;
        size_t rest = look;
        for (size_t i = 0; i < t->d; i++, rest /= FACE_SIDE) {
            delta[count * t->d + i] =
                t->box[i] * (2.0 * (double)(rest % FACE_SIDE) / (double)(FACE_SIDE - 1) - 1.0);
            face = face || rest % FACE_SIDE == 0 || rest % FACE_SIDE == FACE_SIDE - 1;
        }
        count += face;
    }
    return count;
}

/* Whether K0 is below tolerance on the faces of the box. */
static orff_status faces_quiet(orffi_signature_grid *t, bool *quiet) {
    double most = 0.0;
    const size_t count = face_points(t, t->delta);
    ORFFI_TRY(orffi_signature_call(t->part, count, t->delta, t->matrix));
    for (size_t i = 0; i < count; i++)
        most = fmax(most, orffi_signature_largest(t, t->matrix + i * t->p * t->p));
    *quiet = most <= 0.25 * t->tolerance * t->size;
    return ORFF_OK;
}

static orff_status find_box(orffi_signature_grid *t, const double *extent) {
    bool quiet = false;
    for (double wide = 1.0; !quiet && wide <= WIDEST_BOX; wide *= 1.25) {
        for (size_t i = 0; i < t->d; i++) t->box[i] = wide * extent[i];
        ORFFI_TRY(faces_quiet(t, &quiet));
    }
    if (quiet) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the signature does not fall below %g of its size within %g times the extent of the data; its "
        "spectrum cannot be found on a grid",
        t->tolerance, WIDEST_BOX);
}

/* ---- the grid */

/* cos and sin of 2 pi k j / n for centred k, j. The product is first reduced modulo n, so that no digit is
 * lost. */
static void fill_tables(orffi_signature_grid *t) {
    const long n = (long)t->n, half = n / 2;
    for (long k = 0; k < n; k++) {
        for (long j = 0; j < n; j++) {
            const double angle = TWO_PI * (double)(((k - half) * (j - half)) % n) / (double)n;
            t->cosine[k * n + j] = cos(angle);
            t->sine[k * n + j] = sin(angle);
        }
    }
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

/* Transforms one axis: (re + i im)^T (cosine + i sine), seen as rest x n. The axes rotate by one place, so
 * after d passes they are in order again. */
static void transform_axis(orffi_signature_grid *t) {
    const size_t n = t->n, rest = t->points / n;
    orffi_gemm(true, false, rest, n, n, 1.0, t->re, rest, t->cosine, n, 0.0, t->re2, n);
    orffi_gemm(true, false, rest, n, n, -1.0, t->im, rest, t->sine, n, 1.0, t->re2, n);
    orffi_gemm(true, false, rest, n, n, 1.0, t->re, rest, t->sine, n, 0.0, t->im2, n);
    orffi_gemm(true, false, rest, n, n, 1.0, t->im, rest, t->cosine, n, 1.0, t->im2, n);
    swap(&t->re, &t->re2);
    swap(&t->im, &t->im2);
}

/* Replaces the samples of K0 in values by C_k / n^d, which is real because K0 is even. */
static void transform_entries(orffi_signature_grid *t) {
    fill_tables(t);
    for (size_t e = 0; e < t->entries; e++) {
        memcpy(t->re, t->values + e * t->points, t->points * sizeof *t->re);
        memset(t->im, 0, t->points * sizeof *t->im);
        for (size_t axis = 0; axis < t->d; axis++) transform_axis(t);
        for (size_t i = 0; i < t->points; i++) t->values[e * t->points + i] = t->re[i] / (double)t->points;
    }
}

void orffi_signature_matrix_at(const orffi_signature_grid *t, size_t point, double *C) {
    for (size_t i = 0, e = 0; i < t->p; i++)
        for (size_t j = i; j < t->p; j++, e++)
            C[i * t->p + j] = C[j * t->p + i] = t->values[e * t->points + point];
}

double orffi_signature_trace_at(const orffi_signature_grid *t, size_t point) {
    double trace = 0.0;
    for (size_t i = 0, e = 0; i < t->p; e += t->p - i, i++) trace += t->values[e * t->points + point];
    return trace;
}

/* The share of the spectrum in the outer fifth of the frequencies, which indicates what lies beyond the
 * grid. */
static double outer_share(const orffi_signature_grid *t) {
    double outer = 0.0, all = 0.0;
    for (size_t point = 0; point < t->points; point++) {
        long index[3] = {0};
        bool edge = false;
        orffi_signature_centred(t, point, index);
        for (size_t i = 0; i < t->d; i++) edge = edge || (double)labs(index[i]) >= 0.4 * (double)t->n;
        const double size = fabs(orffi_signature_trace_at(t, point));
        all += size;
        if (edge) outer += size;
    }
    return all > 0.0 ? outer / all : 1.0;
}

static orff_status find_spectrum(orffi_signature_grid *t) {
    double share = 0.0;
    for (size_t n = SMALLEST_SIDE; n <= largest_side[t->d]; n *= 2) {
        ORFFI_TRY(fill_arrays(t, n));
        ORFFI_TRY(sample(t));
        transform_entries(t);
        share = outer_share(t);
        if (share <= 0.25 * t->tolerance) return ORFF_OK;
    }
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the signature is not smooth enough: with %zu points a side %.1e of its spectrum still lies in the "
        "highest frequencies; ask for a tolerance above that",
        largest_side[t->d], share);
}

orff_status orffi_signature_spectrum(orffi_signature_grid *t, const double *extent) {
    const double zero[3] = {0};
    ORFFI_TRY(orffi_signature_call(t->part, 1, zero, t->matrix));
    t->size = orffi_signature_largest(t, t->matrix);
    if (!(t->size > 0.0)) return orffi_fail(ORFF_ERROR_NOT_POSITIVE, "K0(0) is zero");
    ORFFI_TRY(find_box(t, extent));
    return find_spectrum(t);
}
