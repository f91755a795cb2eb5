#include "moments/parted.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

void orffi_parted_clear(orffi_parted *s) {
    orffi_release(s->S);
    orffi_release(s->R);
    orffi_release(s->T);
    *s = (orffi_parted){0};
}

static orff_status allocate(orffi_parted *s, size_t p, size_t L, size_t pairs) {
    size_t square;
    *s = (orffi_parted){.pairs = pairs};
    ORFFI_TRY(orffi_multiply(L, L, &square));
    ORFFI_TRY(orffi_alloc(&s->S, pairs, square * sizeof *s->S));
    ORFFI_TRY(orffi_alloc(&s->R, pairs + p, L * sizeof *s->R));
    return ORFFI_NEW_ARRAY(s->T, (p + 1) * (p + 1));
}

orff_status orffi_parted_widen(orffi_parted *s, size_t p, size_t L, size_t pairs) {
    orffi_parted wide;
    if (s->pairs >= pairs) return ORFF_OK;
    const orff_status status = allocate(&wide, p, L, pairs);
    if (status) {
        orffi_parted_clear(&wide);
        return status;
    }
    for (size_t a = 0; s->pairs && a < p; a++) { /* the existing pairs are those of the axes */
        const size_t to = orffi_parted_pair(p, pairs, a, a);
        memcpy(wide.S + to * L * L, s->S + a * L * L, L * L * sizeof *s->S);
        memcpy(wide.R + to * L, s->R + a * L, L * sizeof *s->R);
        memcpy(wide.R + (pairs + a) * L, s->R + (s->pairs + a) * L, L * sizeof *s->R);
    }
    if (s->pairs) memcpy(wide.T, s->T, (p + 1) * (p + 1) * sizeof *s->T);
    wide.weight = s->weight;
    wide.logs = s->logs;
    wide.rows = s->rows;
    orffi_parted_clear(s);
    *s = wide;
    return ORFF_OK;
}

static void add_scaled(double *into, const double *from, double sign, size_t count) {
    for (size_t i = 0; i < count; i++) into[i] += sign * from[i];
}

void orffi_parted_add(orffi_parted *into, const orffi_parted *from, double sign, size_t p, size_t L) {
    if (!from->pairs) return;
    add_scaled(into->S, from->S, sign, from->pairs * L * L);
    add_scaled(into->R, from->R, sign, (from->pairs + p) * L);
    add_scaled(into->T, from->T, sign, (p + 1) * (p + 1));
    into->weight += sign * from->weight;
    into->logs += sign * from->logs;
    into->rows = sign > 0.0 ? into->rows + from->rows : into->rows - from->rows;
}

/* ---- rows */

/* S_aa, from the rows with a component along a. */
static void add_square(orffi_parted *s, size_t p, size_t L, size_t a, size_t n, const double *phi,
                       const double *weights, const double *along, double *work) {
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const double scale = sqrt(weights[i]) * along[i * p + a];
        if (scale == 0.0) continue;
        for (size_t k = 0; k < L; k++) work[used * L + k] = scale * phi[i * L + k];
        used++;
    }
    double *S = s->S + orffi_parted_pair(p, s->pairs, a, a) * L * L;
    if (used) orffi_syrk(L, used, work, L, 1.0, S, L);
}

/* S_ab, whose weights may be negative. */
static void add_product(orffi_parted *s, size_t p, size_t L, size_t a, size_t b, size_t n, const double *phi,
                        const double *weights, const double *along, double *work) {
    for (size_t i = 0; i < n; i++) {
        const double scale = weights[i] * along[i * p + a] * along[i * p + b];
        for (size_t k = 0; k < L; k++) work[i * L + k] = scale * phi[i * L + k];
    }
    double *S = s->S + orffi_parted_pair(p, s->pairs, a, b) * L * L;
    orffi_gemm(true, false, L, L, n, 1.0, work, L, phi, L, 1.0, S, L);
}

static void add_vectors(orffi_parted *s, size_t p, size_t L, const double *phi, double y, double c,
                        const double *e) {
    for (size_t a = 0; a < p; a++) {
        if (e[a] == 0.0) continue;
        for (size_t b = a; b < p; b++) {
            const size_t pair = orffi_parted_pair(p, s->pairs, a, b);
            for (size_t k = 0; e[b] != 0.0 && pair < s->pairs && k < L; k++)
                s->R[pair * L + k] += c * e[a] * e[b] * phi[k];
        }
        for (size_t k = 0; k < L; k++) s->R[(s->pairs + a) * L + k] += c * e[a] * y * phi[k];
    }
}

static void add_numbers(orffi_parted *s, size_t p, double y, double c, const double *e) {
    const size_t side = p + 1;
    for (size_t a = 0; a < side; a++)
        for (size_t b = 0; b < side; b++) s->T[a * side + b] += c * (a < p ? e[a] : y) * (b < p ? e[b] : y);
    if (!(c > 0.0)) return;
    s->weight += c;
    s->logs += log(c);
    s->rows++;
}

void orffi_parted_sum(orffi_parted *s, size_t p, size_t L, size_t n, const double *phi, const double *Y,
                      const double *weights, const double *along, double *work) {
    for (size_t a = 0; a < p; a++) {
        add_square(s, p, L, a, n, phi, weights, along, work);
        for (size_t b = a + 1; s->pairs > p && b < p; b++)
            add_product(s, p, L, a, b, n, phi, weights, along, work);
    }
    for (size_t i = 0; i < n; i++) {
        add_vectors(s, p, L, phi + i * L, Y[i], weights[i], along + i * p);
        add_numbers(s, p, Y[i], weights[i], along + i * p);
    }
}
