/* One pass over the rows, in blocks: phi of a block, then S += phi^T phi and R += phi^T y~, one fold after
 * the other. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/plane.h"
#include "base/random.h"
#include "base/threads.h"
#include "moments/moments.h"

#define FOLD_STREAM 0xf01du

/* The memory of a block of rows. Members of single precision exist in single only, phi in double only. */
typedef struct workspace {
    size_t rows;           /* allocated */
    double *X, *Y;         /* rows x d, rows x (p+1): sorted by fold, scaled by sqrt(weight) */
    double *root;          /* sqrt(weight) of each sorted row */
    double *phi, *scratch; /* rows x L */
    float *X_single, *Y_single, *phi_single, *scratch_single;
    double *R;                  /* n_sets x (p+1) x L: R^T of each fold of the block */
    float *S_single, *R_single; /* L x L, (p+1) x L: products of one fold of the block */
    size_t *fold, *start;       /* fold of each row; where each fold begins, n_sets + 1 */
} workspace;

static void workspace_clear(workspace *w) {
    void *all[] = {w->X,        w->Y,          w->root,           w->phi, w->scratch,  w->X_single,
                   w->Y_single, w->phi_single, w->scratch_single, w->R,   w->S_single, w->R_single,
                   w->fold,     w->start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

/* Blocks of up to 4096 rows, fewer if phi would exceed 64 MiB, but at least 256, because products of fewer
 * rows are slow. */
static size_t block_rows(const orff_moments *m, size_t n) {
    const size_t fit = ((size_t)1 << 23) / (2 * m->bank->D);
    const size_t rows = fit > 4096 ? 4096 : fit < 256 ? 256 : fit;
    return n < rows ? n : rows;
}

static orff_status fill_precision(workspace *w, const orff_moments *m, size_t L) {
    const size_t scratch = orffi_bank_scratch(m->bank);
    if (!m->settings.single) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(w->scratch, scratch));
        ORFFI_TRY(ORFFI_NEW_ARRAY(w->R, m->n_sets * (m->p + 1) * L));
        return ORFFI_NEW_ARRAY(w->phi, w->rows * L);
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->scratch_single, scratch));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->X_single, w->rows * m->bank->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->Y_single, w->rows * (m->p + 1)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->phi_single, w->rows * L));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->S_single, L * L));
    return ORFFI_NEW_ARRAY(w->R_single, L * (m->p + 1));
}

static orff_status workspace_fill(workspace *w, const orff_moments *m, size_t n) {
    w->rows = block_rows(m, n);
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->X, w->rows * m->bank->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->Y, w->rows * (m->p + 1)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->root, w->rows));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->fold, w->rows));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->start, m->n_sets + 2));
    return fill_precision(w, m, 2 * m->bank->D);
}

/* ---- sorting a block by fold */

static uint64_t mix(uint64_t hash, size_t count, const double *numbers) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* The hash of the block that contains x. */
static uint64_t mix_block(size_t d, const double *sides, const double *x) {
    uint64_t hash = 0;
    for (size_t i = 0; i < d; i++) {
        const double place = floor(x[i] / sides[i]) + 0.0; /* no -0 */
        hash = mix(hash, 1, &place);
    }
    return hash;
}

/* The fold of a row depends only on the row's numbers, its block or its group, not on the order of the rows
 * or on other rows. So rows accumulated separately can be subtracted again, and repeated rows never end up in
 * both training and held-out sets. */
size_t orffi_moments_fold(const orff_moments_settings *settings, uint64_t row, size_t d, const double *x,
                          size_t p, const double *y) {
    const orffi_rng rng = {settings->seed, FOLD_STREAM};
    uint64_t hash;
    if (settings->folds < 2) return 0;
    if (settings->groups)
        hash = settings->groups[row];
    else if (settings->blocks)
        hash = mix_block(d, settings->blocks, x);
    else
        hash = mix(mix(0, d, x), p, y);
    return orffi_rng_below(rng, hash, 0, settings->folds);
}

/* Counts so that start[k] .. start[k+1] will hold fold k: a counting sort, two entries ahead because placing
 * rows advances start[k+1]. */
static void count_folds(const orff_moments *m, size_t n, const double *X, const double *Y, workspace *w) {
    memset(w->start, 0, (m->n_sets + 2) * sizeof *w->start);
    for (size_t i = 0; i < n; i++) {
        w->fold[i] = orffi_moments_fold(&m->settings, m->arrived + i, m->bank->d, X + i * m->bank->d, m->p,
                                        Y + i * m->p);
        w->start[w->fold[i] + 2]++;
    }
    for (size_t k = 1; k < m->n_sets + 2; k++) w->start[k] += w->start[k - 1];
}

/* Copies rows to their places: x unchanged, y~ = sqrt(c) (y, 1). */
static void place_rows(const orff_moments *m, size_t n, const double *X, const double *Y,
                       const double *weights, workspace *w) {
    const size_t d = m->bank->d, p = m->p;
    for (size_t i = 0; i < n; i++) {
        const size_t at = w->start[w->fold[i] + 1]++;
        const double root = weights ? sqrt(weights[i]) : 1.0;
        memcpy(w->X + at * d, X + i * d, d * sizeof *X);
        for (size_t k = 0; k < p; k++) w->Y[at * (p + 1) + k] = root * Y[i * p + k];
        w->Y[at * (p + 1) + p] = w->root[at] = root;
    }
}

/* ---- the products */

/* R += turned^T, from whichever precision is not NULL. BLAS computes R^T, which is wide, faster than R. */
static void add_turned(double *R, const double *turned, const float *turned_single, size_t L, size_t q) {
    for (size_t a = 0; a < L; a++)
        for (size_t k = 0; k < q; k++) {
            if (turned) R[a * q + k] += turned[k * L + a];
            if (turned_single) R[a * q + k] += (double)turned_single[k * L + a];
        }
}

/* Columns of a tile: ten tiles or more for the threads to choose from, but none so small, or of a part of the registers that BLAS
 * computes at once, that packing its factors would show; larger ones gain nothing. */
static size_t tile_columns(size_t L) {
    enum { LEAST = 128, MOST = 512, REGISTERS = 32 };
    const size_t quarter = (L / 4 + REGISTERS - 1) / REGISTERS * REGISTERS;
    return quarter < LEAST ? LEAST : quarter > MOST ? MOST : quarter;
}

static void add_vectors(orff_moments *m, size_t k, double *R, const workspace *w) {
    const size_t L = 2 * m->bank->D, q = m->p + 1, first = w->start[k], rows = w->start[k + 1] - first;
    orffi_gemm(true, false, q, L, rows, 1.0, w->Y + first * q, q, w->phi + first * L, L, 0.0, R, L);
    add_turned(m->sets[k].R, R, NULL, L, q);
}

/* Columns of phi from i on with those from j on, j >= i, a tile of each: a piece of the upper triangle of S. */
static void add_tile(orff_moments *m, size_t k, size_t i, size_t j, const workspace *w) {
    const size_t L = 2 * m->bank->D, first = w->start[k], rows = w->start[k + 1] - first;
    const size_t tile = tile_columns(L), height = L - i < tile ? L - i : tile,
                 width = L - j < tile ? L - j : tile;
    const double *phi = w->phi + first * L;
    double *S = m->sets[k].S + i * L + j;
    if (i == j)
        orffi_syrk(width, rows, phi + i, L, 1.0, S, L);
    else
        orffi_gemm(true, false, height, width, rows, 1.0, phi + i, L, phi + j, L, 1.0, S, L);
}

/* The threads of a product of BLAS wait for each other within it, and do so by yielding: on a busy machine that takes longer than
 * the product. Here each takes the next tile of any fold, and all wait once for a block of rows. */
static void add_tiles(orff_moments *m, const workspace *w) {
    const size_t L = 2 * m->bank->D, tile = tile_columns(L), side = (L + tile - 1) / tile,
                 each = side * side + 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(orffi_thread_count())
    for (size_t t = 0; t < m->n_sets * each; t++) {
        const size_t k = t / each, place = t % each, i = place / side * tile, j = place % side * tile;
        if (w->start[k + 1] == w->start[k]) continue;
        if (place == side * side)
            add_vectors(m, k, w->R + k * (m->p + 1) * L, w);
        else if (j >= i)
            add_tile(m, k, i, j, w);
    }
}

static void block_double(orff_moments *m, size_t n, bool weighted, workspace *w) {
    const size_t L = 2 * m->bank->D;
    orffi_phi(m->bank, n, w->X, w->phi, w->scratch);
    for (size_t i = 0; weighted && i < n; i++)
        for (size_t a = 0; a < L; a++) w->phi[i * L + a] *= w->root[i];
    if (orffi_thread_count() > 1 && orffi_products_share_threads()) {
        add_tiles(m, w);
        return;
    }
    for (size_t k = 0; k < m->n_sets; k++) {
        const size_t first = w->start[k], rows = w->start[k + 1] - first;
        if (!rows) continue;
        orffi_syrk(L, rows, w->phi + first * L, L, 1.0, m->sets[k].S, L);
        add_vectors(m, k, w->R, w);
    }
}

/* into += from, upper triangles of L x L. */
static void add_single(double *into, const float *from, size_t L) {
    const int threads = orffi_thread_count();
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < L; i++)
        for (size_t j = i; j < L; j++) into[i * L + j] += (double)from[i * L + j];
}

static void add_vectors_single(orff_moments *m, size_t k, const workspace *w) {
    const size_t L = 2 * m->bank->D, q = m->p + 1, first = w->start[k], rows = w->start[k + 1] - first;
    orffi_gemm_single(true, false, q, L, rows, 1.0f, w->Y_single + first * q, q, w->phi_single + first * L, L,
                      0.0f, w->R_single, L);
    add_turned(m->sets[k].R, NULL, w->R_single, L, q);
}

static void add_tile_single(orff_moments *m, size_t k, size_t i, size_t j, const workspace *w) {
    const size_t L = 2 * m->bank->D, first = w->start[k], rows = w->start[k + 1] - first;
    const size_t tile = tile_columns(L), height = L - i < tile ? L - i : tile,
                 width = L - j < tile ? L - j : tile;
    const float *phi = w->phi_single + first * L;
    float *product = w->S_single + i * L + j;
    double *S = m->sets[k].S + i * L + j;
    if (i == j)
        orffi_syrk_single(width, rows, phi + i, L, 0.0f, product, L);
    else
        orffi_gemm_single(true, false, height, width, rows, 1.0f, phi + i, L, phi + j, L, 0.0f, product, L);
    for (size_t a = 0; a < height; a++)
        for (size_t b = i == j ? a : 0; b < width; b++) S[a * L + b] += (double)product[a * L + b];
}

/* The same of one fold, as there is room for the products of one. */
static void add_tiles_single(orff_moments *m, size_t k, const workspace *w) {
    const size_t L = 2 * m->bank->D, tile = tile_columns(L), side = (L + tile - 1) / tile;
#pragma omp parallel for schedule(dynamic, 1) num_threads(orffi_thread_count())
    for (size_t place = 0; place <= side * side; place++) {
        const size_t i = place / side * tile, j = place % side * tile;
        if (place == side * side)
            add_vectors_single(m, k, w);
        else if (j >= i)
            add_tile_single(m, k, i, j, w);
    }
}

static void block_single(orff_moments *m, size_t n, bool weighted, workspace *w) {
    const size_t L = 2 * m->bank->D, q = m->p + 1;
    for (size_t i = 0; i < n * m->bank->d; i++) w->X_single[i] = (float)w->X[i];
    for (size_t i = 0; i < n * q; i++) w->Y_single[i] = (float)w->Y[i];
    const bool tiled = orffi_thread_count() > 1 && orffi_products_share_threads();
    orffi_phi_single(m->bank, n, w->X_single, w->phi_single, w->scratch_single);
    for (size_t i = 0; weighted && i < n; i++)
        for (size_t a = 0; a < L; a++) w->phi_single[i * L + a] *= (float)w->root[i];
    for (size_t k = 0; k < m->n_sets; k++) {
        const size_t first = w->start[k], rows = w->start[k + 1] - first;
        if (!rows) continue;
        if (tiled) {
            add_tiles_single(m, k, w);
            continue;
        }
        orffi_syrk_single(L, rows, w->phi_single + first * L, L, 0.0f, w->S_single, L);
        add_single(m->sets[k].S, w->S_single, L);
        add_vectors_single(m, k, w);
    }
}

/* T is always summed in double: it is small, and residuals are differences of its entries. */
static void add_outputs(orff_moments *m, const workspace *w) {
    const size_t q = m->p + 1;
    for (size_t k = 0; k < m->n_sets; k++) {
        const size_t first = w->start[k], rows = w->start[k + 1] - first;
        orffi_gemm(true, false, q, q, rows, 1.0, w->Y + first * q, q, w->Y + first * q, q, 1.0, m->sets[k].T,
                   q);
        m->sets[k].rows += rows;
    }
}

static void add_block(orff_moments *m, size_t n, const double *X, const double *Y, const double *weights,
                      workspace *w) {
    count_folds(m, n, X, Y, w);
    place_rows(m, n, X, Y, weights, w);
    (m->settings.single ? block_single : block_double)(m, n, weights != NULL, w);
    add_outputs(m, w);
    m->arrived += n;
}

/* ---- the public calls */

/* Angles, products of two numbers and their sums over a block must not overflow, because an infinity in the
 * sums would stay. */
static orff_status check_sizes(const orff_moments *m, const char *name, size_t n, size_t cols,
                               const double *a, const double *weights) {
    const double most = m->settings.single ? 1e15 : 1e150;
    for (size_t i = 0; i < n; i++) {
        const double root = weights ? sqrt(weights[i]) : 1.0;
        for (size_t k = 0; k < cols; k++)
            if (root * fmax(fabs(a[i * cols + k]), weights ? 1.0 : 0.0) > most)
                return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                                  "%s %zu is %g in row %zu%s: too large to be summed in %s precision; give "
                                  "it in another unit",
                                  name, k + 1, a[i * cols + k], i + 1, weights ? " (with its weight)" : "",
                                  m->settings.single ? "single" : "double");
    }
    return ORFF_OK;
}

static orff_status check_rows(const orff_moments *m, size_t n, const double *X, const double *Y,
                              const double *weights) {
    ORFFI_TRY(orffi_check_finite("X", n, m->bank->d, X));
    ORFFI_TRY(orffi_check_finite("Y", n, m->p, Y));
    if (weights) ORFFI_TRY(orffi_check_finite("weights", n, 1, weights));
    for (size_t i = 0; weights && i < n; i++)
        if (weights[i] < 0.0)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the weight of row %zu is %g; it must be at least 0", i + 1, weights[i]);
    ORFFI_TRY(check_sizes(m, "input", n, m->bank->d, X, NULL));
    return check_sizes(m, "output", n, m->p, Y, weights);
}

/* A copy of the sets, to be restored if a call with several blocks is stopped. */
static orff_status sets_copy(orffi_moment_set **copy, const orff_moments *m) {
    const size_t L = 2 * m->bank->D;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*copy, m->n_sets));
    for (size_t k = 0; k < m->n_sets; k++) {
        ORFFI_TRY(orffi_moment_set_init(&(*copy)[k], L, m->p));
        orffi_moment_set_add(&(*copy)[k], &m->sets[k], 1.0, L, m->p);
    }
    return ORFF_OK;
}

static void sets_free(orffi_moment_set *sets, size_t count) {
    for (size_t k = 0; sets && k < count; k++) orffi_moment_set_clear(&sets[k]);
    orffi_release(sets);
}

static orff_status add_all(orff_moments *m, size_t n, const double *X, const double *Y, const double *weights,
                           workspace *w) {
    for (size_t first = 0; first < n; first += w->rows) {
        const size_t rows = n - first < w->rows ? n - first : w->rows;
        ORFFI_TRY(orffi_progress("moments", (double)first, (double)n));
        add_block(m, rows, X + first * m->bank->d, Y + first * m->p, weights ? weights + first : NULL, w);
    }
    return ORFF_OK;
}

/* Adds all of the rows or none. */
static orff_status accumulate(orff_moments *m, size_t n, const double *X, const double *Y,
                              const double *weights) {
    workspace w = {0};
    orffi_moment_set *before = NULL;
    ORFFI_TRY(check_rows(m, n, X, Y, weights));
    const uint64_t arrived = m->arrived;
    orff_status status = workspace_fill(&w, m, n);
    if (!status && n > w.rows) status = sets_copy(&before, m);
    if (!status) status = add_all(m, n, X, Y, weights, &w);
    if (status && m->arrived != arrived) {
        orffi_moment_set *touched = m->sets;
        m->sets = before;
        before = touched;
        m->arrived = arrived;
    }
    sets_free(before, m->n_sets);
    workspace_clear(&w);
    return status;
}

/* Works on a copy of the rows, projected to the plane. */
static orff_status accumulate_laid(orff_moments *m, size_t n, const double *X, const double *Y,
                                   const double *weights) {
    double *x = NULL, *y = NULL;
    size_t inputs, outputs;
    ORFFI_TRY(orffi_multiply(n, m->bank->d, &inputs));
    ORFFI_TRY(orffi_multiply(n, m->p, &outputs));
    orff_status status = orffi_duplicate(&x, X, inputs, sizeof *x);
    if (!status) status = orffi_duplicate(&y, Y, outputs, sizeof *y);
    if (!status) status = orffi_plane_rows(m->settings.plane, m->bank->d, 0, n, x, y);
    if (!status) status = accumulate(m, n, x, y, weights);
    orffi_release(x);
    orffi_release(y);
    return status;
}

orff_status orff_moments_accumulate(orff_moments *m, size_t n, const double *X, const double *Y,
                                    const double *weights) {
    if (!m || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_accumulate: NULL argument");
    ORFFI_TRY(orffi_moments_match(m, false));
    return (m->settings.plane ? accumulate_laid : accumulate)(m, n, X, Y, weights);
}

/* Buffers that a reader fills. */
typedef struct buffers {
    double *X, *Y, *weights;
} buffers;

static orff_status buffers_fill(buffers *in, const orff_moments *m, size_t rows, bool weighted) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(in->X, rows * m->bank->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(in->Y, rows * m->p));
    return weighted ? ORFFI_NEW_ARRAY(in->weights, rows) : ORFF_OK;
}

/* Reads up to `room` rows into the buffers, from row `at` on. */
static orff_status read_some(const orff_moments *m, const orff_reader *reader, buffers *in, size_t at,
                             size_t room, uint64_t before, size_t *rows) {
    *rows = 0;
    const int code = reader->read(reader->self, room, in->X + at * m->bank->d, in->Y + at * m->p,
                                  in->weights ? in->weights + at : NULL, rows);
    if (code != 0)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %llu", code,
                          (unsigned long long)before);
    if (*rows > room)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the reader says it filled %zu rows of %zu", *rows, room);
    return ORFF_OK;
}

/* Reads what the reader gives at once, or, if pass->whole, a full block. *more: it may have rows left. */
static orff_status read_block(orff_moments *m, const orff_reader *reader, const orffi_pass *pass, buffers *in,
                              workspace *w, bool *more) {
    size_t n = 0, got = 1;
    while (got && n < w->rows && (pass->whole || !n)) {
        ORFFI_TRY(orffi_progress("moments", (double)(m->arrived + n), 0.0));
        ORFFI_TRY(read_some(m, reader, in, n, w->rows - n, m->arrived + n, &got));
        n += got;
    }
    *more = got > 0;
    if (!n) return ORFF_OK;
    if (m->settings.plane)
        ORFFI_TRY(orffi_plane_rows(m->settings.plane, m->bank->d, (size_t)m->arrived, n, in->X, in->Y));
    ORFFI_TRY(check_rows(m, n, in->X, in->Y, in->weights));
    add_block(m, n, in->X, in->Y, in->weights, w);
    if (pass->after) pass->after(pass->self, m);
    return ORFF_OK;
}

static orff_status pass_over(const orff_moments *m, const orff_reader *reader, uint64_t rows, buffers *in,
                             size_t room) {
    for (uint64_t done = 0; done < rows;) {
        const uint64_t left = rows - done;
        size_t got = 0;
        ORFFI_TRY(orffi_progress("rows read before", (double)done, (double)rows));
        ORFFI_TRY(read_some(m, reader, in, 0, left < room ? (size_t)left : room, done, &got));
        if (!got)
            return orffi_fail(ORFF_ERROR_MISMATCH, "there are %llu rows, but %llu are to be skipped",
                              (unsigned long long)done, (unsigned long long)rows);
        done += got;
    }
    return ORFF_OK;
}

orff_status orffi_moments_read(orff_moments *m, const orff_reader *reader, const orffi_pass *pass) {
    workspace w = {0};
    buffers in = {0};
    bool more = true;
    ORFFI_TRY(orffi_moments_match(m, false));
    orff_status status = workspace_fill(&w, m, pass->block ? pass->block : SIZE_MAX);
    if (!status) status = buffers_fill(&in, m, w.rows, reader->weighted);
    if (!status) status = pass_over(m, reader, pass->skip, &in, w.rows);
    while (!status && more) status = read_block(m, reader, pass, &in, &w, &more);
    orffi_release(in.X);
    orffi_release(in.Y);
    orffi_release(in.weights);
    workspace_clear(&w);
    return status;
}

orff_status orff_moments_read(orff_moments *m, const orff_reader *reader) {
    const orffi_pass pass = {0};
    if (!m || !reader || !reader->read)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_read: NULL argument");
    return orffi_moments_read(m, reader, &pass);
}
