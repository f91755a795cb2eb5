#include "solve/data.h"

#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"

static const size_t keep_bytes = (size_t)1 << 28; /* limit on phi kept between sweeps */
static const size_t gram_bytes = (size_t)1 << 28; /* scratch of orffi_data_gram */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

orff_status orffi_data_fill(orffi_data *data, const orff_features *f, size_t n, const double *X,
                            const double *root, bool single, const orffi_monitor *monitor) {
    const size_t block = smaller(orffi_bank_block_rows(f->bank), n);
    const size_t row_bytes = 2 * f->D * (single ? sizeof(float) : sizeof(double));
    const size_t room = n <= keep_bytes / row_bytes ? n : block;
    *data = (orffi_data){.n = n, .X = X, .root = root, .monitor = monitor};
    ORFFI_TRY(orffi_panel_fill(&data->panel, f, room, block, single));
    ORFFI_TRY(ORFFI_NEW_ARRAY(data->F, block * f->p));
    return ORFFI_NEW_ARRAY(data->Y, block * f->p);
}

void orffi_data_clear(orffi_data *data) {
    orffi_panel_clear(&data->panel);
    orffi_release(data->F);
    orffi_release(data->Y);
    orffi_release(data->part);
    orffi_release(data->low);
    *data = (orffi_data){0};
}

orff_status orffi_data_share(orffi_data *data, const orff_sharing *sharing) {
    data->sharing = sharing;
    if (!sharing) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(data->part, data->panel.f->M));
    return ORFFI_NEW_ARRAY(data->low, data->panel.f->M);
}

/* Computes phi of some rows, unless kept; returns their position in the panel. Rows 0 to data->kept have been
 * kept. */
static size_t block_phi(orffi_data *data, size_t first, size_t rows) {
    const bool keeps = data->panel.room == data->n;
    const size_t at = keeps ? first : 0;
    if (first + rows <= data->kept) return at;
    orffi_panel_phi(&data->panel, at, rows, data->X + first * data->panel.f->d);
    if (keeps && first <= data->kept) data->kept = first + rows;
    return at;
}

/* Rows of to = sqrt(c_i) from + c to; `to` is not read if c = 0. */
static void weigh(const orffi_data *data, size_t first, size_t rows, const double *from, double c,
                  double *to) {
    const size_t p = data->panel.f->p;
    for (size_t i = 0; i < rows; i++) {
        const double root = data->root ? data->root[first + i] : 1.0;
        for (size_t k = i * p; k < (i + 1) * p; k++) to[k] = root * from[k] + (c == 0.0 ? 0.0 : c * to[k]);
    }
}

/* u = A x + c u on one block, then sum += A^* u. */
static void sweep_block(orffi_data *data, size_t first, size_t rows, bool forward, double c, double *u,
                        bool backward) {
    const size_t at = block_phi(data, first, rows);
    double *here = u ? u + first * data->panel.f->p : data->Y;
    if (forward) {
        orffi_panel_forward(&data->panel, at, rows, data->F);
        weigh(data, first, rows, data->F, u ? c : 0.0, here);
    }
    if (!backward) return;
    weigh(data, first, rows, here, 0.0, data->F);
    orffi_panel_backward(&data->panel, at, rows, data->F);
}

static orff_status report(const orffi_data *data, size_t first) {
    if (!data->monitor) return ORFF_OK;
    const double part = (double)first / (double)data->n;
    return orffi_progress("iterate", (double)data->monitor->done + part, (double)data->monitor->limit);
}

static orff_status sweep_rows(orffi_data *data, size_t first, size_t end, bool forward, double c, double *u,
                              bool backward) {
    memset(data->panel.sum, 0, 2 * data->panel.f->D * data->panel.f->p * sizeof *data->panel.sum);
    for (; first < end; first += data->panel.block) {
        ORFFI_TRY(report(data, first));
        sweep_block(data, first, smaller(data->panel.block, end - first), forward, c, u, backward);
    }
    return ORFF_OK;
}

/* Adds A^* u of a block of shared rows to out. */
static void add_part(orffi_data *data, double *out) {
    orffi_panel_unload(&data->panel, data->part);
    for (size_t i = 0; i < data->panel.f->M; i++) orffi_sharing_add(&out[i], &data->low[i], data->part[i]);
}

static orff_status sweep_shared(orffi_data *data, bool forward, double c, double *u, double *out) {
    const size_t M = data->panel.f->M, block = data->sharing->block ? data->sharing->block : data->n;
    if (out) memset(out, 0, M * sizeof *out);
    memset(data->low, 0, M * sizeof *data->low);
    for (size_t first = 0; first < data->n; first += block) {
        ORFFI_TRY(sweep_rows(data, first, first + smaller(block, data->n - first), forward, c, u, out));
        if (out) add_part(data, out);
    }
    return out ? orffi_sharing_sum(data->sharing, M, out, data->low) : ORFF_OK;
}

static orff_status sweep(void *self, const double *x, double c, double *u, double *out) {
    orffi_data *data = self;
    if (x) orffi_panel_load(&data->panel, x);
    if (data->sharing) return sweep_shared(data, x, c, u, out);
    ORFFI_TRY(sweep_rows(data, 0, data->n, x, c, u, out));
    if (out) orffi_panel_unload(&data->panel, out);
    return ORFF_OK;
}

orffi_operator orffi_data_operator(orffi_data *data) {
    return (orffi_operator){data->n * data->panel.f->p, data->panel.f->M, sweep, data, data->sharing};
}

/* ---- K = A A^*: with G_j = B_j B_j^T, row j of phi W gives the columns of K for the points that W was made
 * from, where W(a; i, s, t) = phi_a(x_i) G_j(a)(s,t). A Hermitian G = Re G + i Im G adds -sin Im G(t,s) to
 * the cosines and cos Im G(t,s) to the sines. */

/* G_j for all frequencies   (D x p x p), and, if the kernel is Hermitian, the transpose of its imaginary part
 * in `H`. */
static orff_status fill_squares(const orff_features *f, double *G, double *H) {
    double *B = NULL, *unit = NULL;
    size_t widest = 0;
    for (size_t g = 0; g < f->bank->n_groups; g++)
        if (f->groups[g].columns > widest) widest = f->groups[g].columns;
    orff_status status = ORFFI_NEW_ARRAY(B, 2 * f->p * widest);
    if (!status) status = ORFFI_NEW_ARRAY(unit, f->p);
    for (size_t j = 0; !status && j < f->D; j++) {
        const size_t columns = orffi_features_block_columns(f, j), p = f->p, at = j * p * p;
        double *C = B + p * columns;
        orffi_features_dense_block(f, j, B, C, unit);
        orffi_gemm(false, true, p, p, columns, 1, B, columns, B, columns, 0, G + at, p);
        if (!H) continue;
        orffi_gemm(false, true, p, p, columns, 1, C, columns, C, columns, 1, G + at, p);
        orffi_gemm(false, true, p, p, columns, 1, B, columns, C, columns, 0, H + at, p);
        orffi_gemm(false, true, p, p, columns, -1, C, columns, B, columns, 1, H + at, p);
    }
    orffi_release(B);
    orffi_release(unit);
    return status;
}

/* W of the points first .. first + rows, from their phi at `at`; W has `width` points in total, these from
 * `column` on. */
static void fill_wide(const orffi_data *data, size_t first, size_t rows, size_t at, const double *G,
                      const double *H, size_t column, size_t width, double *W) {
    const size_t D = data->panel.f->D, square = data->panel.f->p * data->panel.f->p;
    for (size_t a = 0; a < 2 * D; a++) {
        double *row = W + (a * width + column) * square;
        for (size_t i = 0; i < rows; i++) {
            const double root = data->root ? data->root[first + i] : 1.0;
            const double *point = data->panel.phi + (at + i) * 2 * D;
            const double phi = root * point[a], other = root * (a < D ? -point[D + a] : point[a - D]);
            for (size_t k = 0; k < square; k++) row[i * square + k] = phi * G[a % D * square + k];
            for (size_t k = 0; H && k < square; k++) row[i * square + k] += other * H[a % D * square + k];
        }
    }
}

/* Copies rows of `block` (rows x width p p) to K and their mirror image: points from `row` on against points
 * from `column` on. */
static void place(const orffi_data *data, size_t row, size_t rows, size_t column, size_t width,
                  const double *block, double *K) {
    const size_t p = data->panel.f->p, order = data->n * p;
    for (size_t i = 0; i < rows; i++) {
        const double root = data->root ? data->root[row + i] : 1.0;
        for (size_t j = 0; j < width * p; j++)
            for (size_t t = 0; t < p; t++) {
                const double value = root * block[(i * width * p + j) * p + t];
                K[((row + i) * p + t) * order + column * p + j] = value;
                K[(column * p + j) * order + (row + i) * p + t] = value;
            }
    }
}

/* The columns of K for `width` points from `first` on, at and below the diagonal. */
static void gram_columns(orffi_data *data, size_t first, size_t width, const double *G, const double *H,
                         double *W, double *product, double *K) {
    const size_t length = 2 * data->panel.f->D, across = width * data->panel.f->p * data->panel.f->p;
    size_t rows;
    for (size_t i = first; i < first + width; i += rows) {
        rows = smaller(data->panel.block, first + width - i);
        fill_wide(data, i, rows, block_phi(data, i, rows), G, H, i - first, width, W);
    }
    for (size_t i = first; i < data->n; i += rows) {
        rows = smaller(data->panel.block, data->n - i);
        const double *phi = data->panel.phi + block_phi(data, i, rows) * length;
        orffi_gemm(false, false, rows, across, length, 1, phi, length, W, across, 0, product, across);
        place(data, i, rows, first, width, product, K);
    }
}

orff_status orffi_data_gram(orffi_data *data, double *K) {
    const orff_features *f = data->panel.f;
    const size_t square = f->p * f->p, point = 2 * f->D * square;
    const size_t fit = gram_bytes / sizeof(double) / point, width = smaller(fit ? fit : 1, data->n);
    double *G = NULL, *H = NULL, *W = NULL, *product = NULL;
    orff_status status = ORFFI_NEW_ARRAY(G, f->D * square);
    if (!status && f->kernel->hermitian) status = ORFFI_NEW_ARRAY(H, f->D * square);
    if (!status) status = ORFFI_NEW_ARRAY(W, width * point);
    if (!status) status = ORFFI_NEW_ARRAY(product, data->panel.block * width * square);
    if (!status) status = fill_squares(f, G, H);
    for (size_t first = 0; !status && first < data->n; first += width) {
        status = report(data, first);
        if (!status) gram_columns(data, first, smaller(width, data->n - first), G, H, W, product, K);
    }
    orffi_release(G);
    orffi_release(H);
    orffi_release(W);
    orffi_release(product);
    return status;
}
