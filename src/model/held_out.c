/* Leaving out blocks of rows, or groups, at a small part of the cost of fitting again without them.
 *
 * Some of the blocks are taken, each with a probability that grows with its rows. A block is predicted by a Gaussian
 * process of the model's kernel, noise and lambda on the rows around it, at least one block wide on all sides: farther
 * ones are hidden behind these. Where they are too many for a small system, the nearest stand for themselves, and the others for
 * their means over cells that are small beside a length scale. Groups: the rows of a group in one block, from all rows of
 * other groups there and around.
 */
#include "model/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/periods.h"
#include "base/random.h"
#include "base/small.h"
#include "base/threads.h"
#include "exact/learn.h"

#define STREAM   0x4845u
#define UNITS    80  /* blocks that are looked at: 5 % of them are counted to within 2.4 % */
#define TOGETHER 16  /* blocks between two reports of progress */
#define EACH     12  /* rows of a block that are predicted, for each time that it is drawn ... */
#define MOST     60  /* ... but no more than these */
#define NUMBERS  256 /* of a local system, about: factored in a millisecond */
#define CELLS    4   /* along the side of a block, whose rows may stand for their mean: half a length scale */

/* ---- rows, block after block */

typedef struct entry {
    uint64_t key; /* of its block */
    size_t row;
} entry;

/* A block that has rows. */
typedef struct block {
    size_t first, count; /* in the order */
} block;

typedef struct field {
    const orffi_plan *plan;
    const orff_model *model;
    const orff_kernel *kernel;
    orffi_table table;      /* in the plan's units; y less the mean */
    const uint64_t *groups; /* or NULL: blocks are left out */
    double total;           /* sum of the weights */
    bool scalar;            /* K = k I */
    size_t q;               /* numbers of a row in a system */
    entry *order;           /* n */
    block *blocks;
    double *places; /* blocks x d: whole numbers */
    size_t n_blocks;
    double *blur; /* q: the variance of the mean of a cell about the value in its middle */
} field;

static void field_clear(field *f) {
    orffi_table_clear(&f->table);
    orffi_release(f->order);
    orffi_release(f->blocks);
    orffi_release(f->places);
    orffi_release(f->blur);
}

static double place_of(const field *f, size_t i, double x) {
    const double *periods = f->plan->periods, side = f->plan->blocks[i];
    if (orffi_is_periodic(periods, i)) x -= periods[i] * floor(x / periods[i]);
    return floor(x / side) + 0.0;
}

static uint64_t key_of(const field *f, const double *x) {
    uint64_t hash = 0;
    for (size_t i = 0; i < f->plan->d; i++) {
        const double place = place_of(f, i, x[i]);
        uint64_t bits;
        memcpy(&bits, &place, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static orff_status sort_rows(field *f) {
    const size_t n = f->table.n, d = f->plan->d;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->order, n));
    for (size_t i = 0; i < n; i++) f->order[i] = (entry){key_of(f, f->table.X + i * d), i};
    qsort(f->order, n, sizeof *f->order, compare_entries);
    for (size_t i = 0; i < n; i++) f->n_blocks += !i || f->order[i].key != f->order[i - 1].key;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->blocks, f->n_blocks));
    ORFFI_TRY(orffi_alloc(&f->places, f->n_blocks, d * sizeof *f->places));
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const double *x = f->table.X + f->order[i].row * d;
        if (i && f->order[i].key != f->order[i - 1].key) at++;
        if (!f->blocks[at].count++) f->blocks[at].first = i;
        for (size_t k = 0; k < d; k++) f->places[at * d + k] = place_of(f, k, x[k]);
    }
    return ORFF_OK;
}

/* All rows, as far as they are in memory; classes are not asked for. */
static orff_status copy_rows(field *f, const orffi_rows *rows) {
    const orffi_units *units = &f->plan->units;
    const size_t d = rows->d, p = rows->p, n = rows->stream ? rows->head.n : rows->n;
    const double *X = rows->stream ? rows->head.X : rows->X, *Y = rows->stream ? rows->head.Y : rows->Y;
    const double *weights = rows->stream ? rows->head.weights : rows->weights;
    ORFFI_TRY(orffi_table_init(&f->table, n, d, p, weights != NULL));
    for (size_t i = 0; i < n * d; i++) f->table.X[i] = (X[i] - units->shift[i % d]) / units->unit[i % d];
    for (size_t i = 0; i < n * p; i++)
        f->table.Y[i] = (Y[i] - f->model->mean[i % p]) / f->model->spread[i % p];
    if (weights) memcpy(f->table.weights, weights, n * sizeof *weights);
    f->total = orffi_table_weight(&f->table);
    return ORFF_OK;
}

/* ---- one unit: what is left out together */

typedef struct seen {
    double away; /* from the unit, squared, in sides of blocks */
    size_t row;
} seen;

typedef struct unit {
    size_t block, group_row;  /* a row of the group that is left out */
    size_t tests, test[MOST]; /* rows that are predicted ... */
    size_t wanted;            /* ... of so many that may be */
    size_t n_seen, room;      /* rows around */
    seen *seen;
    size_t used;            /* what is learned from: rows, or means of rows */
    double *Z, *y, *weight; /* used x d, used x p, used */
    bool *mean;             /* used: it is one of several rows */
} unit;

static void unit_clear(unit *u) {
    orffi_release(u->seen);
    orffi_release(u->Z);
    orffi_release(u->y);
    orffi_release(u->weight);
    orffi_release(u->mean);
}

static size_t most_used(const field *f) {
    return NUMBERS / f->q + 1;
}

static bool is_left_out(const field *f, const unit *u, size_t row) {
    return f->groups ? f->groups[row] == f->groups[u->group_row] : false;
}

/* How many blocks lie between two, along the input where that is most; on a circle the shorter way. */
static double blocks_between(const field *f, size_t a, size_t b) {
    double most = 0.0;
    for (size_t i = 0; i < f->plan->d; i++) {
        const double *periods = f->plan->periods;
        double step = fabs(f->places[a * f->plan->d + i] - f->places[b * f->plan->d + i]);
        if (orffi_is_periodic(periods, i)) step = fmin(step, round(periods[i] / f->plan->blocks[i]) - step);
        most = fmax(most, step);
    }
    return most;
}

/* Of a row from the block that is left out, or from the first row that is predicted of a group. */
static double distance(const field *f, const unit *u, const double *x) {
    const size_t d = f->plan->d;
    double sum = 0.0;
    for (size_t i = 0; i < d; i++) {
        const double side = f->plan->blocks[i], *periods = f->plan->periods;
        const double low = f->groups ? f->table.X[u->test[0] * d + i] : f->places[u->block * d + i] * side;
        const double at = orffi_is_periodic(periods, i) ? x[i] - periods[i] * floor(x[i] / periods[i]) : x[i];
        double step = fmax(low - at, at - low - (f->groups ? 0.0 : side));
        if (orffi_is_periodic(periods, i)) step = fmin(step, periods[i] - side - step);
        step = fmax(step, 0.0) / side;
        sum += step * step;
    }
    return sum;
}

static orff_status see_block(const field *f, unit *u, size_t b) {
    const size_t need = u->n_seen + f->blocks[b].count;
    if (need > u->room) {
        seen *more;
        ORFFI_TRY(ORFFI_NEW_ARRAY(more, 2 * need));
        if (u->n_seen) memcpy(more, u->seen, u->n_seen * sizeof *more);
        orffi_release(u->seen);
        u->seen = more;
        u->room = 2 * need;
    }
    for (size_t i = 0; i < f->blocks[b].count; i++) {
        const size_t row = f->order[f->blocks[b].first + i].row;
        if (is_left_out(f, u, row) || (f->table.weights && !(f->table.weights[row] > 0.0))) continue;
        u->seen[u->n_seen++] = (seen){distance(f, u, f->table.X + row * f->plan->d), row};
    }
    return ORFF_OK;
}

/* The rows of the blocks around, one block wide; wider until there are as many as are used. */
static orff_status look_around(const field *f, unit *u) {
    double farthest = 0.0;
    for (size_t b = 0; b < f->n_blocks; b++) farthest = fmax(farthest, blocks_between(f, u->block, b));
    for (double wide = 1.0; u->n_seen < most_used(f) && (wide <= farthest || wide == 1.0); wide *= 2.0) {
        u->n_seen = 0;
        for (size_t b = 0; b < f->n_blocks; b++) {
            const double between = blocks_between(f, u->block, b);
            if (between <= wide && (between > 0.0 || f->groups)) ORFFI_TRY(see_block(f, u, b));
        }
    }
    return ORFF_OK;
}

/* ---- what is learned from */

static int compare_seen(const void *a, const void *b) {
    const seen *x = a, *y = b;
    if (x->away != y->away) return x->away < y->away ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The `count` nearest first, in any order (Hoare 1961). */
static void nearest_first(seen *list, size_t n, size_t count) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        const seen pivot = list[low + (high - low) / 2];
        size_t left = low, right = high;
        while (true) {
            while (compare_seen(&list[left], &pivot) < 0) left++;
            while (compare_seen(&pivot, &list[right]) < 0) right--;
            if (left >= right) break;
            const seen kept = list[left];
            list[left++] = list[right];
            list[right--] = kept;
        }
        if (count <= right)
            high = right;
        else
            low = right + 1;
    }
}

static void use_row(const field *f, unit *u, size_t row) {
    const size_t d = f->plan->d, p = f->plan->p, at = u->used++;
    memcpy(u->Z + at * d, f->table.X + row * d, d * sizeof *u->Z);
    memcpy(u->y + at * p, f->table.Y + row * p, p * sizeof *u->y);
    u->weight[at] = f->table.weights ? f->table.weights[row] : 1.0;
}

static int compare_keys(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* One more row of the mean at `at`. */
static void add_to_mean(const field *f, unit *u, size_t at, size_t row) {
    const size_t d = f->plan->d, p = f->plan->p;
    const double c = f->table.weights ? f->table.weights[row] : 1.0, share = c / (u->weight[at] + c);
    for (size_t k = 0; k < d; k++) u->Z[at * d + k] += share * (f->table.X[row * d + k] - u->Z[at * d + k]);
    for (size_t k = 0; k < p; k++) u->y[at * p + k] += share * (f->table.Y[row * p + k] - u->y[at * p + k]);
    u->weight[at] += c;
    u->mean[at] = true;
}

static uint64_t cell_of(const field *f, const double *x) {
    uint64_t hash = 0;
    for (size_t i = 0; i < f->plan->d; i++) {
        const double place = floor(x[i] * CELLS / f->plan->blocks[i]) + 0.0;
        uint64_t bits;
        memcpy(&bits, &place, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* A cell whose rows stand for their mean. */
typedef struct cell {
    double away;
    size_t first, count;
} cell;

static int compare_cells(const void *a, const void *b) {
    const cell *x = a, *y = b;
    if (x->away != y->away) return x->away < y->away ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Means over the nearest cells of the rows from `first` on. rows: sorted by cell. */
static void use_cells(const field *f, unit *u, size_t n, const entry *rows, const double *away, size_t most,
                      cell *cells) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!i || rows[i].key != rows[i - 1].key) cells[count++] = (cell){INFINITY, i, 0};
        cells[count - 1].count++;
        cells[count - 1].away = fmin(cells[count - 1].away, away[i]);
    }
    qsort(cells, count, sizeof *cells, compare_cells);
    for (size_t c = 0; c < count && u->used < most; c++) {
        const size_t at = u->used;
        use_row(f, u, rows[cells[c].first].row);
        for (size_t i = 1; i < cells[c].count; i++) add_to_mean(f, u, at, rows[cells[c].first + i].row);
    }
}

static orff_status use_means(const field *f, unit *u, size_t first, size_t most) {
    const size_t n = u->n_seen - first;
    entry *rows = NULL;
    cell *cells = NULL;
    double *away = NULL;
    orff_status status = ORFFI_NEW_ARRAY(rows, n);
    if (!status) status = ORFFI_NEW_ARRAY(cells, n);
    if (!status) status = ORFFI_NEW_ARRAY(away, n);
    for (size_t i = 0; !status && i < n; i++)
        rows[i] =
            (entry){cell_of(f, f->table.X + u->seen[first + i].row * f->plan->d), u->seen[first + i].row};
    if (!status) {
        qsort(rows, n, sizeof *rows, compare_keys);
        for (size_t i = 0; i < n; i++) away[i] = distance(f, u, f->table.X + rows[i].row * f->plan->d);
        use_cells(f, u, n, rows, away, most, cells);
    }
    orffi_release(rows);
    orffi_release(cells);
    orffi_release(away);
    return status;
}

/* All rows around where they are few; else the nearest, and means of the others. */
static orff_status choose_rows(const field *f, unit *u) {
    const size_t most = most_used(f), d = f->plan->d, p = f->plan->p;
    const size_t single = u->n_seen <= most ? u->n_seen : most / 2;
    ORFFI_TRY(orffi_alloc(&u->Z, most, d * sizeof *u->Z));
    ORFFI_TRY(orffi_alloc(&u->y, most, p * sizeof *u->y));
    ORFFI_TRY(ORFFI_NEW_ARRAY(u->weight, most));
    ORFFI_TRY(ORFFI_NEW_ARRAY(u->mean, most));
    if (single < u->n_seen) nearest_first(u->seen, u->n_seen, single);
    for (size_t i = 0; i < single; i++) use_row(f, u, u->seen[i].row);
    return single < u->n_seen ? use_means(f, u, single, most) : ORFF_OK;
}

/* ---- the local process */

/* K between two points: q x q into a matrix whose rows are `stride` apart. own: p x p. */
static orff_status put_kernel(const field *f, const double *x, const double *z, double *K, size_t stride,
                              double *delta, double *own) {
    const orff_kernel *kernel = f->kernel;
    const size_t q = f->q;
    for (size_t i = 0; i < kernel->d; i++) delta[i] = x[i] - z[i];
    if (!f->scalar) {
        ORFFI_TRY(orffi_kernel_exact(kernel, delta, own));
        for (size_t a = 0; a < q * q; a++) K[a / q * stride + a % q] = own[a];
        return ORFF_OK;
    }
    K[0] = 0.0;
    for (size_t m = 0; m < kernel->n_parts; m++)
        K[0] +=
            kernel->parts[m].root * kernel->parts[m].root * orffi_spectrum_k0(&kernel->parts[m].law, delta);
    return ORFF_OK;
}

/* K between points: (n q) x (m q). Of the same points only the lower triangle of blocks. */
static orff_status fill_kernel(const field *f, size_t n, const double *X, size_t m, const double *Z,
                               double *K) {
    const size_t d = f->plan->d, q = f->q;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, d + f->plan->p * f->plan->p));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < n; i++)
        for (size_t j = 0; !status && j < (X == Z ? i + 1 : m); j++)
            status = put_kernel(f, X + i * d, Z + j * d, K + i * q * m * q + j * q, m * q, work, work + d);
    orffi_release(work);
    return status;
}

/* What the mean of a cell may differ by from the value in its middle: as much as f does over half of its half width. */
static orff_status fill_blur(field *f) {
    const size_t d = f->plan->d, q = f->q;
    double *points = NULL, *K = NULL;
    orff_status status = ORFFI_NEW_ARRAY(f->blur, q);
    if (!status) status = ORFFI_NEW_ARRAY(points, 2 * d);
    if (!status) status = ORFFI_NEW_ARRAY(K, 4 * q * q);
    for (size_t i = 0; !status && i < d; i++) points[d + i] = f->plan->blocks[i] / (4.0 * CELLS);
    if (!status) status = fill_kernel(f, 2, points, 2, points, K);
    for (size_t a = 0; !status && a < q; a++)
        f->blur[a] = fmax(K[a * 2 * q + a] - K[(q + a) * 2 * q + a], 0.0);
    orffi_release(points);
    orffi_release(K);
    return status;
}

/* The matrices of one unit. */
typedef struct local {
    size_t side, tests; /* numbers that are learned from, and predicted */
    double *K, *A;      /* side x side: without noise, and with it, then its factor */
    double *C, *V;      /* tests x side: with those that are predicted; the same, solved */
    double *own;        /* q x q: of one point */
    double *y;          /* side */
} local;

static void local_clear(local *l) {
    double *all[] = {l->K, l->A, l->C, l->V, l->own, l->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

static orff_status local_fill(const field *f, const unit *u, local *l) {
    const size_t d = f->plan->d, q = f->q;
    double *x;
    l->side = u->used * q;
    l->tests = u->tests * q;
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->K, l->side * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->A, l->side * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->C, l->tests * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->V, l->tests * l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->own, q * q));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->y, l->side));
    ORFFI_TRY(ORFFI_NEW_ARRAY(x, u->tests * d));
    for (size_t i = 0; i < u->tests; i++) memcpy(x + i * d, f->table.X + u->test[i] * d, d * sizeof *x);
    orff_status status = fill_kernel(f, u->used, u->Z, u->used, u->Z, l->K);
    if (!status) status = fill_kernel(f, u->tests, x, u->used, u->Z, l->C);
    if (!status) status = fill_kernel(f, 1, x, 1, x, l->own);
    orffi_release(x);
    return status;
}

/* A = K + noise, factored; V = C A^-1. shift: the noise of a row of weight 1 in the kernel's units. */
static orff_status local_factor(const field *f, const unit *u, local *l, double shift) {
    memcpy(l->A, l->K, l->side * l->side * sizeof *l->A);
    for (size_t i = 0; i < l->side; i++)
        l->A[i * (l->side + 1)] +=
            shift / u->weight[i / f->q] + (u->mean[i / f->q] ? f->blur[i % f->q] : 0.0);
    if (!orffi_small_cholesky(l->side, l->A)) return ORFF_ERROR_NUMERICAL;
    memcpy(l->V, l->C, l->tests * l->side * sizeof *l->V);
    for (size_t i = 0; i < l->tests; i++) orffi_small_solve(l->side, l->A, l->V + i * l->side);
    return ORFF_OK;
}

/* Number a of test i: output k. F and S (tests x p) in the user's units. */
static void predict_one(const field *f, const unit *u, local *l, size_t i, size_t a, size_t k, double shift,
                        double *F, double *S) {
    const size_t p = f->plan->p, q = f->q, line = i * q + a;
    const double spread = f->model->spread[k];
    const double c = f->table.weights ? f->table.weights[u->test[i]] : 1.0;
    double value = 0.0, known = 0.0;
    for (size_t j = 0; j < l->side; j++) {
        value += l->V[line * l->side + j] * u->y[j / q * p + (q == 1 ? k : j % q)];
        known += l->V[line * l->side + j] * l->C[line * l->side + j];
    }
    const double variance =
        fmax(l->own[a * q + a] - known, 0.0) / shift + 1.0 / c; /* in those of the noise */
    F[i * p + k] = f->model->mean[k] + spread * value;
    S[i * p + k] = f->model->noise[k] * sqrt(variance);
}

static orff_status predict(const field *f, unit *u, double *F, double *S) {
    const size_t p = f->plan->p, q = f->q;
    const double shift = f->model->lambda * f->total;
    local l = {0};
    orff_status status = local_fill(f, u, &l);
    if (!status) status = local_factor(f, u, &l, shift);
    for (size_t i = 0; !status && i < u->tests; i++)
        for (size_t k = 0; k < p; k++) predict_one(f, u, &l, i, q == 1 ? 0 : k, k, shift, F, S);
    local_clear(&l);
    return status;
}

/* ---- all units */

/* Some rows of the unit of a row, drawn without looking at them. */
static void choose_tests(const field *f, unit *u, size_t draw) {
    const block *b = &f->blocks[u->block];
    const orffi_rng rng = {f->plan->settings.sampling.seed, STREAM};
    size_t met = 0;
    for (size_t i = 0; i < b->count; i++) {
        const size_t row = f->order[b->first + i].row;
        if (f->groups && !is_left_out(f, u, row)) continue;
        if (f->table.weights && !(f->table.weights[row] > 0.0)) continue;
        const size_t at =
            met < u->wanted ? met : (size_t)orffi_rng_below(rng, i, (uint32_t)draw + 1, met + 1);
        if (at < u->wanted) u->test[at] = row;
        met++;
    }
    u->tests = met < u->wanted ? met : u->wanted;
}

static size_t block_of(const field *f, size_t place) {
    size_t low = 0, high = f->n_blocks;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(f->blocks[middle].first <= place ? &low : &high) = middle;
    }
    return low;
}

/* What came of a unit. */
typedef struct outcome {
    orff_status status;
    uint64_t id;       /* of its block, or its group */
    size_t tests;      /* 0: it had no rows to predict, or none to predict them from */
    double *F, *S, *Y; /* MOST x p */
} outcome;

/* The place in the order of one row of each of `units` equal shares of all rows, block after block. */
static size_t draw_place(const field *f, size_t draw, size_t units) {
    const orffi_rng rng = {f->plan->settings.sampling.seed, STREAM};
    const size_t n = f->table.n;
    const double from = (double)n / (double)units * ((double)draw + orffi_rng_uniform(rng, draw, 0));
    return (size_t)from < n ? (size_t)from : n - 1;
}

/* Unit number `draw`. A block that is drawn several times is one unit, that of its first draw, with more rows to predict; the
 * others have none. */
static unit make_unit(const field *f, size_t draw, size_t units) {
    const size_t place = draw_place(f, draw, units);
    unit u = {.block = block_of(f, place), .group_row = f->order[place].row, .wanted = EACH};
    for (size_t i = 0; !f->groups && i < units; i++) {
        if (i == draw || block_of(f, draw_place(f, i, units)) != u.block) continue;
        if (i < draw) return u;
        u.wanted = u.wanted + EACH <= MOST ? u.wanted + EACH : MOST;
    }
    choose_tests(f, &u, draw);
    return u;
}

static void do_unit(const field *f, size_t draw, size_t units, outcome *out) {
    const size_t p = f->plan->p;
    unit u = make_unit(f, draw, units);
    out->id = f->groups ? f->groups[u.group_row] : u.block;
    orff_status status = u.tests ? look_around(f, &u) : ORFF_OK;
    const bool possible = !status && u.tests && u.n_seen;
    if (possible) status = choose_rows(f, &u);
    if (possible && !status) status = predict(f, &u, out->F, out->S);
    for (size_t i = 0; possible && !status && i < u.tests * p; i++)
        out->Y[i] = f->model->mean[i % p] + f->model->spread[i % p] * f->table.Y[u.test[i / p] * p + i % p];
    out->tests = possible && !status ? u.tests : 0;
    out->status =
        status == ORFF_ERROR_NUMERICAL ? ORFF_OK : status; /* too close to be told apart: passed over */
    unit_clear(&u);
}

static orff_status keep_scores(orff_model *model, const orff_scores *scores, size_t blocks) {
    const orff_score all = orff_scores_all(scores);
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->held.outputs, model->p));
    for (size_t k = 0; k < model->p; k++) model->held.outputs[k] = orff_scores_output(scores, k).mse;
    model->held.mse = all.mse;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) model->held.coverage[i] = all.coverage[i];
    model->held.rows = (size_t)all.n / model->p;
    model->held.blocks = blocks;
    return ORFF_OK;
}

/* Units [first, first + count), each by one thread. */
static orff_status do_some(const field *f, size_t first, size_t count, size_t units, outcome *outcomes) {
    const int threads = orffi_thread_count();
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 1)
    for (size_t i = first; i < first + count; i++) do_unit(f, i, units, &outcomes[i]);
    for (size_t i = first; i < first + count; i++)
        if (outcomes[i].status)
            return orffi_fail(outcomes[i].status, "rows could not be left out: %s",
                              orff_status_text(outcomes[i].status));
    return ORFF_OK;
}

static orff_status add_scores(orff_model *model, size_t units, const outcome *outcomes) {
    orff_scores *scores = NULL;
    size_t done = 0;
    orff_status status = orff_scores_create(&scores, model->p);
    for (size_t i = 0; !status && i < units; i++) {
        const outcome *one = &outcomes[i];
        bool again = false;
        for (size_t j = 0; j < i; j++) again = again || (outcomes[j].tests && outcomes[j].id == one->id);
        status = orff_scores_add(scores, one->tests, one->F, one->S, one->Y);
        done += one->tests > 0 && !again;
    }
    if (!status && done > 1) status = keep_scores(model, scores, done);
    orff_scores_free(scores);
    return status;
}

static orff_status do_units(orff_model *model, const field *f) {
    const size_t units = f->table.n < UNITS ? f->table.n : UNITS, p = f->plan->p;
    outcome outcomes[UNITS] = {0};
    double *numbers = NULL;
    orff_status status = orffi_alloc(&numbers, 3 * units * MOST, p * sizeof *numbers);
    for (size_t i = 0; !status && i < units; i++) {
        outcomes[i].F = numbers + 3 * i * MOST * p;
        outcomes[i].S = outcomes[i].F + MOST * p;
        outcomes[i].Y = outcomes[i].S + MOST * p;
    }
    for (size_t i = 0; !status && i < units; i += TOGETHER) {
        status = orffi_progress("leaving out blocks", (double)i, (double)units);
        if (!status) status = do_some(f, i, units - i < TOGETHER ? units - i : TOGETHER, units, outcomes);
    }
    if (!status) status = add_scores(model, units, outcomes);
    orffi_release(numbers);
    return status;
}

/* K = k I: one system serves all outputs. */
static bool is_scalar(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_kernel_part *part = &kernel->parts[m];
        if (!part->rule->separable || part->A || part->B) return false;
    }
    return true;
}

static orff_status leave_out(orff_model *model, const orffi_plan *plan, const orffi_rows *rows) {
    field f = {.plan = plan, .model = model, .kernel = orffi_model_kernel(model)};
    f.groups = plan->folds == ORFF_FOLDS_GROUPS ? plan->settings.groups : NULL;
    f.scalar = is_scalar(f.kernel);
    f.q = f.scalar ? 1 : plan->p;
    orff_status status = copy_rows(&f, rows);
    if (!status) status = sort_rows(&f);
    if (!status) status = fill_blur(&f);
    if (!status) status = do_units(model, &f);
    field_clear(&f);
    return status;
}

/* ---- which way */

static orff_status can_leave_out(const orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                 bool *can) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    double size;
    *can = false;
    if (plan->engine->draws || model->classes || kernel->has_callbacks || plan->p > NUMBERS / 2)
        return ORFF_OK;
    if (plan->folds == ORFF_FOLDS_RANDOM || !plan->blocks || !orffi_rows_known(rows)) return ORFF_OK;
    const orff_status status = orffi_exact_size(kernel, &size); /* is there an exact form? */
    *can = status == ORFF_OK;
    return status == ORFF_ERROR_NO_MEMORY ? status : ORFF_OK;
}

orff_status orffi_held_out_fill(orff_model *model, const orffi_plan *plan, const orffi_rows *rows) {
    const bool crossed = isfinite(model->cv_mse);
    bool can;
    model->held.folds = plan->folds;
    ORFFI_TRY(can_leave_out(model, plan, rows, &can));
    if (can) {
        ORFFI_TRY(leave_out(model, plan, rows));
    } else if (crossed && (plan->engine->draws || plan->folds == ORFF_FOLDS_RANDOM)) {
        model->held.mse = model->cv_mse;
        ORFFI_TRY(orffi_duplicate(&model->held.outputs, model->output_cv_mse, model->p, sizeof(double)));
    }
    if (!isfinite(model->held.mse)) model->held.folds = ORFF_FOLDS_AUTO;
    return ORFF_OK;
}
