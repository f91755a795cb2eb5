/* Held-out rows: blocks, and the rows around a block. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"
#include "model/held_out_unit.h"

/* ---- rows, block after block */

void orffi_left_field_clear(orffi_left_field *f) {
    orffi_table_clear(&f->table);
    orffi_release(f->order);
    orffi_release(f->blocks);
    orffi_release(f->places);
    orffi_release(f->blur);
}

static double place_of(const orffi_left_field *f, size_t i, double x) {
    const double *periods = f->plan->periods, side = f->plan->blocks[i];
    if (orffi_is_periodic(periods, i)) x -= periods[i] * floor(x / periods[i]);
    return floor(x / side) + 0.0;
}

static uint64_t key_of(const orffi_left_field *f, const double *x) {
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
    const orffi_left_entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

orff_status orffi_left_sort_rows(orffi_left_field *f) {
    const size_t n = f->table.n, d = f->plan->d;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->order, n));
    for (size_t i = 0; i < n; i++) f->order[i] = (orffi_left_entry){key_of(f, f->table.X + i * d), i};
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

/* Directed rows are copied as the engine had them, minus the mean. */
static orff_status copy_directed(orffi_left_field *f, const orffi_rows *rows) {
    const orffi_table *from = &rows->whole;
    double *mean;
    ORFFI_TRY(orffi_table_init_like(&f->table, from->n, from));
    for (size_t i = 0; i < from->n; i++) orffi_table_copy_row(&f->table, i, from, i);
    ORFFI_TRY(ORFFI_NEW_ARRAY(mean, from->p));
    for (size_t k = 0; k < from->p; k++) mean[k] = f->model->mean[k] / f->model->spread[k];
    orffi_table_subtract(&f->table, mean);
    orffi_release(mean);
    f->total = from->N;
    f->measured = from->n - rows->walls;
    return ORFF_OK;
}

double orffi_left_divisor(const orffi_left_field *f, size_t row) {
    const double *e = f->table.along + row * f->plan->p;
    double whole = 0.0, divided = 0.0;
    for (size_t k = 0; k < f->plan->p; k++) {
        whole += e[k] * e[k];
        divided += e[k] * e[k] / (f->model->spread[k] * f->model->spread[k]);
    }
    return sqrt(whole / divided);
}

/* Copies all rows that are in memory; not for classes. */
orff_status orffi_left_copy_rows(orffi_left_field *f, const orffi_rows *rows) {
    const orffi_units *units = &f->plan->units;
    if (rows->along) return copy_directed(f, rows);
    const size_t d = rows->d, p = rows->p, n = rows->stream ? rows->head.n : rows->n;
    const double *X = rows->stream ? rows->head.X : rows->X, *Y = rows->stream ? rows->head.Y : rows->Y;
    const double *weights = rows->stream ? rows->head.weights : rows->weights;
    ORFFI_TRY(orffi_table_init(&f->table, n, d, p, weights != NULL));
    for (size_t i = 0; i < n * d; i++) f->table.X[i] = (X[i] - units->shift[i % d]) / units->unit[i % d];
    for (size_t i = 0; i < n * p; i++)
        f->table.Y[i] = (Y[i] - f->model->mean[i % p]) / f->model->spread[i % p];
    if (weights) memcpy(f->table.weights, weights, n * sizeof *weights);
    f->total = orffi_table_weight(&f->table);
    f->measured = n;
    return ORFF_OK;
}

/* ---- a unit: what is held out together */

void orffi_left_unit_clear(orffi_left_unit *u) {
    orffi_release(u->seen);
    orffi_release(u->Z);
    orffi_release(u->y);
    orffi_release(u->weight);
    orffi_release(u->mean);
    orffi_release(u->along);
}

static size_t most_used(const orffi_left_field *f) {
    return ORFFI_LEFT_NUMBERS / f->q + 1;
}

bool orffi_left_is_out(const orffi_left_field *f, const orffi_left_unit *u, size_t row) {
    return f->groups ? f->groups[row] == f->groups[u->group_row] : false;
}

/* The number of blocks from one to another, along the input where it is largest; on a circle the shorter
 * way. */
static double blocks_between(const orffi_left_field *f, size_t a, size_t b) {
    double most = 0.0;
    for (size_t i = 0; i < f->plan->d; i++) {
        const double *periods = f->plan->periods;
        double step = fabs(f->places[a * f->plan->d + i] - f->places[b * f->plan->d + i]);
        if (orffi_is_periodic(periods, i)) step = fmin(step, round(periods[i] / f->plan->blocks[i]) - step);
        most = fmax(most, step);
    }
    return most;
}

/* Squared distance of a row, in sides of blocks, from the held-out block, or from the first predicted row
 * of a group. */
static double distance(const orffi_left_field *f, const orffi_left_unit *u, const double *x) {
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

static orff_status see_block(const orffi_left_field *f, orffi_left_unit *u, size_t b) {
    const size_t need = u->n_seen + f->blocks[b].count;
    if (need > u->room) {
        orffi_neighbour *more;
        ORFFI_TRY(ORFFI_NEW_ARRAY(more, 2 * need));
        if (u->n_seen) memcpy(more, u->seen, u->n_seen * sizeof *more);
        orffi_release(u->seen);
        u->seen = more;
        u->room = 2 * need;
    }
    for (size_t i = 0; i < f->blocks[b].count; i++) {
        const size_t row = f->order[f->blocks[b].first + i].row;
        if (orffi_left_is_out(f, u, row) || (f->table.weights && !(f->table.weights[row] > 0.0))) continue;
        u->seen[u->n_seen++] = (orffi_neighbour){distance(f, u, f->table.X + row * f->plan->d), row};
    }
    return ORFF_OK;
}

/* Collects the rows around, one block wide; wider until there are as many as the prediction uses. */
orff_status orffi_left_gather(const orffi_left_field *f, orffi_left_unit *u) {
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

/* ---- rows to learn from */

static void use_row(const orffi_left_field *f, orffi_left_unit *u, size_t row) {
    const size_t d = f->plan->d, p = f->plan->p, width = f->width, at = u->used++;
    memcpy(u->Z + at * d, f->table.X + row * d, d * sizeof *u->Z);
    memcpy(u->y + at * width, f->table.Y + row * width, width * sizeof *u->y);
    if (u->along) memcpy(u->along + at * p, f->table.along + row * p, p * sizeof *u->along);
    u->weight[at] = f->table.weights ? f->table.weights[row] : 1.0;
}

static int compare_keys(const void *a, const void *b) {
    const orffi_left_entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Adds a row to the mean at `at`. */
static void add_to_mean(const orffi_left_field *f, orffi_left_unit *u, size_t at, size_t row) {
    const size_t d = f->plan->d, p = f->plan->p;
    const double c = f->table.weights ? f->table.weights[row] : 1.0, share = c / (u->weight[at] + c);
    for (size_t k = 0; k < d; k++) u->Z[at * d + k] += share * (f->table.X[row * d + k] - u->Z[at * d + k]);
    for (size_t k = 0; k < p; k++) u->y[at * p + k] += share * (f->table.Y[row * p + k] - u->y[at * p + k]);
    u->weight[at] += c;
    u->mean[at] = true;
}

static uint64_t cell_of(const orffi_left_field *f, const double *x) {
    uint64_t hash = 0;
    for (size_t i = 0; i < f->plan->d; i++) {
        const double place = floor(x[i] * ORFFI_LEFT_CELLS / f->plan->blocks[i]) + 0.0;
        uint64_t bits;
        memcpy(&bits, &place, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* A cell whose rows are replaced by their mean. */
typedef struct cell {
    double away;
    size_t first, count;
} cell;

static int compare_cells(const void *a, const void *b) {
    const cell *x = a, *y = b;
    if (x->away != y->away) return x->away < y->away ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Adds the means over the nearest cells, from the rows beyond the nearest ones. rows: sorted by cell. */
static void use_cells(const orffi_left_field *f, orffi_left_unit *u, size_t n, const orffi_left_entry *rows,
                      const double *away, size_t most, cell *cells) {
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

static orff_status use_means(const orffi_left_field *f, orffi_left_unit *u, size_t first, size_t most) {
    const size_t n = u->n_seen - first;
    orffi_left_entry *rows = NULL;
    cell *cells = NULL;
    double *away = NULL;
    orff_status status = ORFFI_NEW_ARRAY(rows, n);
    if (!status) status = ORFFI_NEW_ARRAY(cells, n);
    if (!status) status = ORFFI_NEW_ARRAY(away, n);
    for (size_t i = 0; !status && i < n; i++)
        rows[i] = (orffi_left_entry){cell_of(f, f->table.X + u->seen[first + i].row * f->plan->d),
                                     u->seen[first + i].row};
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

/* If they are few, all rows around; otherwise the nearest rows, and means of the others. Directed rows are
 * never averaged. */
orff_status orffi_left_choose_rows(const orffi_left_field *f, orffi_left_unit *u) {
    const size_t most = most_used(f), d = f->plan->d, p = f->plan->p;
    const bool directed = f->table.along != NULL;
    const size_t single = u->n_seen <= most ? u->n_seen : directed ? most : most / 2;
    if (directed) ORFFI_TRY(orffi_alloc(&u->along, most, p * sizeof *u->along));
    ORFFI_TRY(orffi_alloc(&u->Z, most, d * sizeof *u->Z));
    ORFFI_TRY(orffi_alloc(&u->y, most, p * sizeof *u->y));
    ORFFI_TRY(ORFFI_NEW_ARRAY(u->weight, most));
    ORFFI_TRY(ORFFI_NEW_ARRAY(u->mean, most));
    if (single < u->n_seen) orffi_nearest_first(u->seen, u->n_seen, single);
    for (size_t i = 0; i < single; i++) use_row(f, u, u->seen[i].row);
    return single < u->n_seen && !directed ? use_means(f, u, single, most) : ORFF_OK;
}
