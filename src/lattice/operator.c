/* G theta by Fourier transforms. */
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "lattice/fft.h"
#include "lattice/functionals.h"
#include "lattice/system.h"

/* Where row i of the modes (all but the last input) starts in the grid's spectrum; negative k_i count from
 * the end. */
static size_t grid_row(const orffi_lattice *l, const size_t *m, size_t row) {
    size_t place = 0, stride = l->grid[l->d - 1] / 2 + 1;
    for (size_t i = l->d - 1; i-- > 0;) {
        const size_t side = 2 * m[i] + 1, k = row % side;
        place += stride * (k >= m[i] ? k - m[i] : k + l->grid[i] - m[i]);
        stride *= l->grid[i];
        row /= side;
    }
    return place;
}

static size_t row_count(const orffi_lattice *l, const size_t *m) {
    size_t rows = 1;
    for (size_t i = 0; i + 1 < l->d; i++) rows *= 2 * m[i] + 1;
    return rows;
}

/* The spectrum of a grid that has exactly these modes. */
static void embed(const orffi_lattice *l, const size_t *m, const orffi_mode *modes, orffi_mode *spectrum) {
    const size_t rows = row_count(l, m), side = m[l->d - 1] + 1;
    memset(spectrum, 0, orffi_lattice_spectrum(l) * sizeof *spectrum);
    for (size_t i = 0; i < rows; i++)
        memcpy(spectrum + grid_row(l, m, i), modes + i * side, side * sizeof *modes);
}

static void restrict_modes(const orffi_lattice *l, const orffi_mode *spectrum, orffi_mode *modes) {
    const size_t rows = row_count(l, l->m), side = l->m[l->d - 1] + 1;
    for (size_t i = 0; i < rows; i++)
        memcpy(modes + i * side, spectrum + grid_row(l, l->m, i), side * sizeof *modes);
}

orff_status orffi_lattice_system_fill(orffi_lattice_system *s, const orffi_mode *rho) {
    const orffi_lattice *l = s->lattice;
    const size_t points = orffi_lattice_points(l);
    size_t twice[ORFF_LATTICE_INPUTS];
    orffi_mode *spectrum;
    for (size_t i = 0; i < l->d; i++) twice[i] = 2 * l->m[i];
    ORFFI_TRY(ORFFI_NEW_ARRAY(spectrum, orffi_lattice_spectrum(l)));
    orff_status status = ORFF_OK;
    for (size_t r = 0; !status && r < s->pairs; r++) {
        double *density = s->density + r * points;
        embed(l, twice, rho + r * orffi_lattice_density_modes(l), spectrum);
        status = orffi_fft_backward(l->d, l->grid, 1, spectrum, density);
        for (size_t i = 0; !status && i < points; i++) density[i] /= (double)points;
    }
    orffi_release(spectrum);
    return status;
}

/* ---- fields of modes */

/* Multiplies the fields of all outputs at one grid point, `points` apart in memory, by the densities
 * there. */
static void mix_outputs(const orffi_lattice_system *s, size_t points, size_t j, double *fields) {
    const size_t p = s->p;
    double out[ORFF_LATTICE_OUTPUTS];
    for (size_t a = 0; a < p; a++) {
        out[a] = 0.0;
        for (size_t b = 0; b < p; b++)
            out[a] += s->density[orffi_lattice_pair(p, a, b) * points + j] * fields[b * points + j];
    }
    for (size_t a = 0; a < p; a++) fields[a * points + j] = out[a];
}

/* Modes (count x H) to the grid, times the density, back to modes. */
static orff_status convolve(const orffi_lattice_system *s, size_t count, const orffi_mode *in,
                            orffi_mode *out, orffi_mode *spectra, double *fields) {
    const orffi_lattice *l = s->lattice;
    const size_t points = orffi_lattice_points(l), size = orffi_lattice_spectrum(l);
    const int threads = orffi_thread_count();
    if (s->functionals) ORFFI_TRY(orffi_lattice_functionals_weigh(s->functionals, count / s->p, in));
    for (size_t i = 0; i < count; i++) embed(l, l->m, in + i * s->H, spectra + i * size);
    ORFFI_TRY(orffi_fft_backward(l->d, l->grid, count, spectra, fields));
#pragma omp parallel for num_threads(threads) if (threads > 1 && count * points > 65536) schedule(static)
    for (size_t j = 0; j < points; j++) {
        for (size_t i = 0; !s->directed && i < count; i++) fields[i * points + j] *= s->density[j];
        for (size_t i = 0; s->directed && i < count; i += s->p)
            mix_outputs(s, points, j, fields + i * points);
    }
    ORFFI_TRY(orffi_fft_forward(l->d, l->grid, count, fields, spectra));
    for (size_t i = 0; i < count; i++) restrict_modes(l, spectra + i * size, out + i * s->H);
    return s->functionals ? orffi_lattice_functionals_spread(s->functionals, count / s->p, out) : ORFF_OK;
}

/* v_a = sum_c W_ac theta_c */
static void apply_roots(const orffi_lattice_system *s, const orffi_mode *theta, orffi_mode *v) {
    for (size_t a = 0; a < s->p; a++)
        for (size_t c = 0; c < s->r; c++) {
            const double *W = s->W + (a * s->r + c) * s->H;
            const orffi_mode *t = theta + c * s->H;
            orffi_mode *to = v + a * s->H;
            for (size_t h = 0; h < s->H; h++) to[h] = c ? to[h] + W[h] * t[h] : W[h] * t[h];
        }
}

/* theta_c = sum_a W_ac v_a */
static void adjoint_roots(const orffi_lattice_system *s, const orffi_mode *v, orffi_mode *theta) {
    for (size_t c = 0; c < s->r; c++)
        for (size_t a = 0; a < s->p; a++) {
            const double *W = s->W + (a * s->r + c) * s->H;
            const orffi_mode *from = v + a * s->H;
            orffi_mode *to = theta + c * s->H;
            for (size_t h = 0; h < s->H; h++) to[h] = a ? to[h] + W[h] * from[h] : W[h] * from[h];
        }
}

/* Scratch for several fields, kept between calls because allocating clears it. */
struct orffi_lattice_room {
    size_t count; /* fields */
    orffi_mode *v, *spectra;
    double *fields;
};

static orff_status fill_room(struct orffi_lattice_room *t, const orffi_lattice_system *s, size_t count) {
    t->count = count;
    ORFFI_TRY(orffi_alloc(&t->v, count * sizeof *t->v, s->H));
    ORFFI_TRY(orffi_alloc(&t->spectra, count * sizeof *t->spectra, orffi_lattice_spectrum(s->lattice)));
    return orffi_alloc(&t->fields, count * sizeof *t->fields, orffi_lattice_points(s->lattice));
}

void orffi_lattice_room_free(struct orffi_lattice_room *t) {
    if (!t) return;
    orffi_release(t->v);
    orffi_release(t->spectra);
    orffi_release(t->fields);
    orffi_release(t);
}

/* Makes room for at least `count` fields. */
static orff_status need_room(orffi_lattice_system *s, size_t count) {
    if (s->room && s->room->count >= count) return ORFF_OK;
    orffi_lattice_room_free(s->room);
    s->room = NULL;
    ORFFI_TRY(ORFFI_NEW(s->room));
    const orff_status status = fill_room(s->room, s, count);
    if (!status) return ORFF_OK;
    orffi_lattice_room_free(s->room);
    s->room = NULL;
    return status;
}

static size_t at_a_time(const orffi_lattice_system *s, size_t count) {
    const size_t most = ORFFI_LATTICE_FIELDS / s->p ? ORFFI_LATTICE_FIELDS / s->p : 1;
    return count < most ? count : most;
}

orff_status orffi_lattice_system_apply(orffi_lattice_system *s, size_t count, const orffi_mode *in,
                                       orffi_mode *out) {
    const size_t step = at_a_time(s, count), length = s->r * s->H, fields = s->p * s->H;
    ORFFI_TRY(need_room(s, step * s->p));
    struct orffi_lattice_room *t = s->room;
    for (size_t i = 0; i < count; i += step) {
        const size_t n = count - i < step ? count - i : step;
        for (size_t j = 0; j < n; j++) apply_roots(s, in + (i + j) * length, t->v + j * fields);
        ORFFI_TRY(convolve(s, n * s->p, t->v, t->v, t->spectra, t->fields));
        for (size_t j = 0; j < n; j++) adjoint_roots(s, t->v + j * fields, out + (i + j) * length);
    }
    return ORFF_OK;
}

orff_status orffi_lattice_system_convolve(orffi_lattice_system *s, size_t count, const orffi_mode *v,
                                          orffi_mode *out) {
    const size_t step = s->directed ? s->p : 1;
    ORFFI_TRY(need_room(s, step));
    for (size_t i = 0; i < count; i += step)
        ORFFI_TRY(convolve(s, step, v + i * s->H, out + i * s->H, s->room->spectra, s->room->fields));
    return ORFF_OK;
}

/* ---- between outputs and the axes of A */

void orffi_lattice_system_right(const orffi_lattice_system *s, const orffi_mode *R, orffi_mode *b) {
    if (!s->turn) {
        adjoint_roots(s, R, b);
        return;
    }
    for (size_t j = 0; j < s->axes; j++)
        for (size_t h = 0; h < s->H; h++) {
            orffi_mode sum = 0.0;
            for (size_t a = 0; a < s->outputs; a++) sum += s->turn[j * s->outputs + a] * R[a * s->H + h];
            b[j * s->H + h] = s->W[h] * sum;
        }
}

void orffi_lattice_system_field(const orffi_lattice_system *s, const orffi_mode *theta, orffi_mode *V) {
    if (!s->turn) {
        apply_roots(s, theta, V);
        return;
    }
    for (size_t a = 0; a < s->outputs; a++)
        for (size_t h = 0; h < s->H; h++) {
            orffi_mode sum = 0.0;
            for (size_t j = 0; j < s->axes; j++) sum += s->turn[j * s->outputs + a] * theta[j * s->H + h];
            V[a * s->H + h] = s->W[h] * sum;
        }
}
