#include "lattice/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "lattice/functionals.h"

#define ROOT_TWO    1.41421356237309504880
#define FUNCTIONALS 64 /* processed at a time */

/* ---- which modes */

typedef struct ranked {
    double rank;
    size_t mode;
} ranked;

static int by_rank(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->rank != b->rank) return a->rank > b->rank ? -1 : 1;
    return a->mode < b->mode ? -1 : a->mode > b->mode;
}

/* k = 0 comes first, so that its position is known. The others follow by rank, or in the order of the lattice
 * if all are taken. */
static orff_status rank_modes(const orffi_lattice_system *s, bool all, ranked **out, size_t *count) {
    ranked *list;
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, s->H));
    *count = 0;
    for (size_t h = 0; h < s->H; h++) {
        long k[ORFF_LATTICE_INPUTS];
        bool zero = true;
        orffi_lattice_place(s->lattice, h, k);
        for (size_t i = 0; i < s->lattice->d; i++) zero = zero && k[i] == 0;
        if (orffi_lattice_is_first(s->lattice, k))
            list[(*count)++] = (ranked){zero ? INFINITY : all ? 0.0 : s->rank[h], h};
    }
    qsort(list, *count, sizeof *list, by_rank);
    *out = list;
    return ORFF_OK;
}

static size_t find_mirror(const orffi_lattice *l, size_t h) {
    long k[ORFF_LATTICE_INPUTS];
    orffi_lattice_place(l, h, k);
    if (k[l->d - 1]) return h;
    for (size_t i = 0; i < l->d; i++) k[i] = -k[i];
    return orffi_lattice_find(l, k);
}

static orff_status choose_modes(orffi_lattice_block *b, size_t most) {
    const orffi_lattice_system *s = b->system;
    ranked *list;
    size_t count;
    b->M = orffi_lattice_unknowns(s->lattice) * s->r;
    ORFFI_TRY(rank_modes(s, b->M <= most, &list, &count));
    b->modes = most / (2 * s->r) < count && b->M > most ? most / (2 * s->r) : count;
    if (b->modes == 0) b->modes = 1;
    b->n = (2 * b->modes - 1) * s->r;
    orff_status status = ORFFI_NEW_ARRAY(b->mode, b->modes);
    if (!status) status = ORFFI_NEW_ARRAY(b->mirror, b->modes);
    for (size_t i = 0; !status && i < b->modes; i++) {
        b->mode[i] = list[i].mode;
        b->mirror[i] = find_mirror(s->lattice, list[i].mode);
    }
    orffi_release(list);
    return status;
}

/* ---- G of the block */

/* rho(k), |k_i| <= 2 m_i. */
static orffi_mode density_at(const orffi_lattice *twice, const orffi_mode *rho, const long *k) {
    long minus[ORFF_LATTICE_INPUTS];
    if (k[twice->d - 1] >= 0) return rho[orffi_lattice_find(twice, k)];
    for (size_t i = 0; i < twice->d; i++) minus[i] = -k[i];
    return conj(rho[orffi_lattice_find(twice, minus)]);
}

/* The index of the first unknown of mode i. */
static size_t first_of(const orffi_lattice_block *b, size_t i) {
    return i ? (2 * i - 1) * b->system->r : 0;
}

/* The four numbers of a pair of modes: (re, re), (re, im), (im, re), (im, im), without the factors of W. */
static void pair_of(const orffi_lattice *l, const orffi_lattice *twice, const orffi_mode *rho, const long *k,
                    const long *j, double out[4]) {
    long minus[ORFF_LATTICE_INPUTS], plus[ORFF_LATTICE_INPUTS];
    for (size_t i = 0; i < l->d; i++) {
        minus[i] = k[i] - j[i];
        plus[i] = k[i] + j[i];
    }
    const orffi_mode a = density_at(twice, rho, minus), b = density_at(twice, rho, plus);
    out[0] = creal(a) + creal(b);
    out[1] = cimag(b) - cimag(a);
    out[2] = cimag(a) + cimag(b);
    out[3] = creal(a) - creal(b);
}

/* sum_ab W_ac(k) four_ab W_be(j) for directed rows: four is pairs x 4. */
static double product_of_directed(const orffi_lattice_system *s, size_t c, size_t k, size_t e, size_t j,
                                  const double *four, size_t which) {
    double sum = 0.0;
    for (size_t a = 0; a < s->p; a++)
        for (size_t b = 0; b < s->p; b++)
            sum += s->W[(a * s->r + c) * s->H + k] * four[4 * orffi_lattice_pair(s->p, a, b) + which] *
                   s->W[(b * s->r + e) * s->H + j];
    return sum;
}

/* sum_a W_ac(k) W_ae(j) */
static double product_of_roots(const orffi_lattice_system *s, size_t c, size_t k, size_t e, size_t j) {
    double sum = 0.0;
    for (size_t a = 0; a < s->p; a++)
        sum += s->W[(a * s->r + c) * s->H + k] * s->W[(a * s->r + e) * s->H + j];
    return sum;
}

/* four: pairs x 4 */
static void fill_pair(orffi_lattice_block *b, size_t i, size_t j, const double *four) {
    const orffi_lattice_system *s = b->system;
    const size_t r = s->r, row = first_of(b, i), column = first_of(b, j);
    const double front = (i ? 1.0 : 1.0 / ROOT_TWO) * (j ? 1.0 : 1.0 / ROOT_TWO);
    for (size_t c = 0; c < r; c++)
        for (size_t e = 0; e < r; e++) {
            const double size = s->directed ? 0.0 : front * product_of_roots(s, c, b->mode[i], e, b->mode[j]);
            for (size_t u = 0; u < (i ? 2u : 1u); u++)
                for (size_t v = 0; v < (j ? 2u : 1u); v++)
                    b->G[(row + u * r + c) * b->n + column + v * r + e] =
                        s->directed
                            ? front * product_of_directed(s, c, b->mode[i], e, b->mode[j], four, 2 * u + v)
                            : size * four[2 * u + v];
        }
}

static void fill_block(orffi_lattice_block *b, const orffi_mode *rho) {
    const orffi_lattice *l = b->system->lattice;
    const int threads = orffi_thread_count();
    const size_t pairs = b->system->pairs, whole = orffi_lattice_density_modes(l);
    orffi_lattice twice = *l;
    for (size_t i = 0; i < l->d; i++) twice.m[i] = 2 * l->m[i];
#pragma omp parallel for num_threads(threads) if (threads > 1 && b->modes > 64) schedule(dynamic, 8)
    for (size_t i = 0; i < b->modes; i++) {
        long k[ORFF_LATTICE_INPUTS], other[ORFF_LATTICE_INPUTS];
        double four[2 * ORFF_LATTICE_OUTPUTS * (ORFF_LATTICE_OUTPUTS + 1)];
        orffi_lattice_place(l, b->mode[i], k);
        for (size_t j = 0; j < b->modes; j++) {
            orffi_lattice_place(l, b->mode[j], other);
            for (size_t t = 0; t < pairs; t++) pair_of(l, &twice, rho + t * whole, k, other, four + 4 * t);
            fill_pair(b, i, j, four);
        }
    }
}

/* The diagonal of G for column c of mode h: N |W_c(k)|^2. zero: the index of k = 0 in rho. */
static double diagonal_of(const orffi_lattice_system *s, const orffi_mode *rho, size_t zero, size_t c,
                          size_t h) {
    const size_t whole = orffi_lattice_density_modes(s->lattice);
    double sum = 0.0;
    if (!s->directed) return creal(rho[zero]) * product_of_roots(s, c, h, c, h);
    for (size_t a = 0; a < s->p; a++)
        for (size_t b = 0; b < s->p; b++)
            sum += s->W[(a * s->r + c) * s->H + h] * s->W[(b * s->r + c) * s->H + h] *
                   creal(rho[orffi_lattice_pair(s->p, a, b) * whole + zero]);
    return sum;
}

static void fill_diagonal(orffi_lattice_block *b, const orffi_mode *rho) {
    const orffi_lattice_system *s = b->system;
    const long zero[ORFF_LATTICE_INPUTS] = {0};
    orffi_lattice twice = *s->lattice;
    for (size_t i = 0; i < twice.d; i++) twice.m[i] = 2 * s->lattice->m[i];
    const size_t at = orffi_lattice_find(&twice, zero);
    for (size_t c = 0; c < s->r; c++) {
        for (size_t h = 0; h < s->H; h++) b->diagonal[c * s->H + h] = diagonal_of(s, rho, at, c, h);
        for (size_t i = 0; i < b->modes; i++)
            b->diagonal[c * s->H + b->mode[i]] = b->diagonal[c * s->H + b->mirror[i]] = -1.0;
    }
}

/* c^1/2 z of functional i in the block's coordinates (n); waves: scratch, p x n. */
static void fill_functional(const orffi_lattice_block *b, size_t i, double *waves, double *z) {
    const orffi_lattice_functionals *f = b->system->functionals;
    const double root = sqrt(f->weights[i]);
    memset(z, 0, b->n * sizeof *z);
    for (size_t s = f->points[i]; s < f->points[i + 1]; s++) {
        orffi_lattice_block_waves(b, f->X + s * f->lattice->d, waves);
        for (size_t a = 0; a < f->p; a++)
            for (size_t k = 0; k < b->n; k++) z[k] += root * f->along[s * f->p + a] * waves[a * b->n + k];
    }
}

/* G += c z z^T for all functionals. Their entries for modes outside the block are left to the iterations. */
static orff_status add_functionals(orffi_lattice_block *b) {
    const orffi_lattice_functionals *f = b->system->functionals;
    double *waves = NULL, *Z = NULL;
    orff_status status = orffi_alloc(&waves, b->n, b->system->p * sizeof *waves);
    if (!status) status = orffi_alloc(&Z, b->n, FUNCTIONALS * sizeof *Z);
    for (size_t i = 0; !status && i < f->n; i += FUNCTIONALS) {
        const size_t count = f->n - i < FUNCTIONALS ? f->n - i : FUNCTIONALS;
        for (size_t k = 0; k < count; k++) fill_functional(b, i + k, waves, Z + k * b->n);
        orffi_syrk(b->n, count, Z, b->n, 1.0, b->G, b->n);
    }
    for (size_t i = 0; !status && i < b->n; i++)
        for (size_t j = 0; j < i; j++) b->G[i * b->n + j] = b->G[j * b->n + i];
    orffi_release(waves);
    orffi_release(Z);
    return status;
}

orff_status orffi_lattice_block_place(orffi_lattice_block *b, orffi_lattice_system *system, size_t most) {
    *b = (orffi_lattice_block){.system = system};
    return choose_modes(b, most);
}

orff_status orffi_lattice_block_init(orffi_lattice_block *b, orffi_lattice_system *system,
                                     const orffi_mode *rho, size_t most) {
    size_t numbers;
    ORFFI_TRY(orffi_lattice_block_place(b, system, most));
    ORFFI_TRY(orffi_multiply(b->n, b->n, &numbers));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->G, numbers));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->L, numbers));
    ORFFI_TRY(ORFFI_NEW_ARRAY(b->diagonal, system->r * system->H));
    fill_block(b, rho);
    fill_diagonal(b, rho);
    return system->functionals ? add_functionals(b) : ORFF_OK;
}

void orffi_lattice_block_clear(orffi_lattice_block *b) {
    orffi_release(b->mode);
    orffi_release(b->mirror);
    orffi_release(b->G);
    orffi_release(b->L);
    orffi_release(b->diagonal);
    memset(b, 0, sizeof *b);
}

orff_status orffi_lattice_block_factor(orffi_lattice_block *b, double shift) {
    if (b->shift == shift) return ORFF_OK;
    b->shift = 0.0;
    memcpy(b->L, b->G, b->n * b->n * sizeof *b->L);
    for (size_t i = 0; i < b->n; i++) b->L[i * b->n + i] += shift;
    ORFFI_TRY(orffi_cholesky(b->n, b->L));
    b->shift = shift;
    return ORFF_OK;
}

/* ---- vectors */

void orffi_lattice_block_pack(const orffi_lattice_block *b, const orffi_mode *theta, size_t stride,
                              double *x) {
    const orffi_lattice_system *s = b->system;
    for (size_t i = 0; i < b->modes; i++) {
        const size_t first = first_of(b, i);
        for (size_t c = 0; c < s->r; c++) {
            const orffi_mode t = theta[c * s->H + b->mode[i]];
            x[(first + c) * stride] = i ? ROOT_TWO * creal(t) : creal(t);
            if (i) x[(first + s->r + c) * stride] = ROOT_TWO * cimag(t);
        }
    }
}

void orffi_lattice_block_unpack(const orffi_lattice_block *b, size_t stride, const double *x,
                                orffi_mode *theta) {
    const orffi_lattice_system *s = b->system;
    for (size_t i = 0; i < b->modes; i++) {
        const size_t first = first_of(b, i);
        for (size_t c = 0; c < s->r; c++) {
            const double re = x[(first + c) * stride], im = i ? x[(first + s->r + c) * stride] : 0.0;
            const double front = i ? 1.0 / ROOT_TWO : 1.0;
            theta[c * s->H + b->mode[i]] = front * (re + I * im);
            if (b->mirror[i] != b->mode[i]) theta[c * s->H + b->mirror[i]] = front * (re - I * im);
        }
    }
}

orff_status orffi_lattice_block_solve(const orffi_lattice_block *b, size_t count, const orffi_mode *in,
                                      orffi_mode *out) {
    const size_t length = b->system->r * b->system->H;
    double *x;
    ORFFI_TRY(orffi_alloc(&x, b->n, count * sizeof *x));
    for (size_t v = 0; v < count; v++) orffi_lattice_block_pack(b, in + v * length, count, x + v);
    const orff_status status = orffi_cholesky_solve(b->n, b->L, count, x);
    for (size_t v = 0; !status && v < count; v++) {
        for (size_t i = 0; i < length; i++)
            out[v * length + i] = in[v * length + i] / (fmax(b->diagonal[i], 0.0) + b->shift);
        orffi_lattice_block_unpack(b, count, x + v, out + v * length);
    }
    orffi_release(x);
    return status;
}

orff_status orffi_lattice_block_root(const orffi_lattice_block *b, const orffi_mode *in, orffi_mode *out) {
    const size_t length = b->system->r * b->system->H;
    double *x;
    ORFFI_TRY(ORFFI_NEW_ARRAY(x, 2 * b->n));
    orffi_lattice_block_pack(b, in, 1, x);
    orffi_gemm(false, false, b->n, 1, b->n, 1.0, b->L, b->n, x, 1, 0.0, x + b->n, 1);
    for (size_t i = 0; i < length; i++) out[i] = in[i] * sqrt(fmax(b->diagonal[i], 0.0) + b->shift);
    orffi_lattice_block_unpack(b, 1, x + b->n, out);
    orffi_release(x);
    return ORFF_OK;
}

/* <w, x> of a mode; z: the angles of x. */
static double phase_of(const orffi_lattice *l, size_t mode, const double *z) {
    long k[ORFF_LATTICE_INPUTS];
    double phase = 0.0;
    orffi_lattice_place(l, mode, k);
    for (size_t j = 0; j < l->d; j++) phase += (double)k[j] * z[j];
    return phase;
}

void orffi_lattice_block_waves(const orffi_lattice_block *b, const double *x, double *rows) {
    const orffi_lattice_system *s = b->system;
    const orffi_lattice *l = s->lattice;
    const size_t r = s->r, n = b->n;
    double z[ORFF_LATTICE_INPUTS];
    orffi_lattice_angles(l, 1, x, z);
    for (size_t i = 0; i < b->modes; i++) {
        const size_t first = first_of(b, i);
        const double phase = phase_of(l, b->mode[i], z);
        const double re = i ? ROOT_TWO * cos(phase) : 1.0, im = -ROOT_TWO * sin(phase);
        for (size_t a = 0; a < s->p; a++)
            for (size_t c = 0; c < r; c++) {
                const double W = s->W[(a * r + c) * s->H + b->mode[i]];
                rows[a * n + first + c] = W * re;
                if (i) rows[a * n + first + r + c] = W * im;
            }
    }
}

void orffi_lattice_block_slopes(const orffi_lattice_block *b, const double *x, size_t rows, const double *C,
                                double *out) {
    const orffi_lattice *l = b->system->lattice;
    const size_t r = b->system->r, n = b->n;
    double z[ORFF_LATTICE_INPUTS];
    orffi_lattice_angles(l, 1, x, z);
    for (size_t i = 0; i < b->modes; i++) {
        const size_t first = first_of(b, i);
        const double phase = phase_of(l, b->mode[i], z);
        const double re = i ? -ROOT_TWO * sin(phase) : 0.0, im = -ROOT_TWO * cos(phase);
        for (size_t a = 0; a < rows; a++)
            for (size_t c = 0; c < r; c++) {
                const double front = C[(i * r + c) * rows + a];
                out[a * n + first + c] = front * re;
                if (i) out[a * n + first + r + c] = front * im;
            }
    }
}

double orffi_lattice_block_logdet(const orffi_lattice_block *b) {
    const orffi_lattice_system *s = b->system;
    double sum = 0.0;
    for (size_t i = 0; i < b->n; i++) sum += 2.0 * log(b->L[i * b->n + i]);
    for (size_t i = 0; i < s->r * s->H; i++)
        if (b->diagonal[i] >= 0.0)
            sum += orffi_lattice_count(s->lattice, i % s->H) * log(b->diagonal[i] + b->shift);
    return sum;
}
