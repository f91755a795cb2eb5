#include "model/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"

enum { TABLE = 4 * ORFFI_COVER_MOST }; /* entries: a power of 2 */
#define FIRST_CELL 0x1p-20             /* times the longest side of the range of the places */

/* ---- beginning and ending */

static void choose_inputs(orffi_cover *cover, const orff_settings *settings, size_t d, size_t p) {
    const size_t *space = settings->geo_inputs;
    cover->k = space ? 2 : d;
    for (size_t m = 0; !space && settings->parts && m < settings->n_parts; m++)
        if (settings->parts[m].space) {
            space = settings->parts[m].space;
            cover->k = p;
        }
    if (cover->k > ORFFI_COVER_INPUTS) cover->k = 0;
    for (size_t i = cover->k; i-- > 0;) {
        cover->inputs[i] = space ? space[i] : i;
        if (cover->inputs[i] >= d) cover->k = 0; /* an error elsewhere */
    }
}

orff_status orffi_cover_begin(orffi_cover *cover, const orff_settings *settings, size_t d, size_t p) {
    *cover = (orffi_cover){0};
    choose_inputs(cover, settings, d, p);
    if (!cover->k) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(cover->table, TABLE));
    ORFFI_TRY(ORFFI_NEW_ARRAY(cover->cells, ORFFI_COVER_MOST * cover->k));
    return ORFFI_NEW_ARRAY(cover->places, ORFFI_COVER_MOST * cover->k);
}

static int compare_first(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void orffi_cover_end(orffi_cover *cover) {
    orffi_release(cover->table);
    orffi_release(cover->cells);
    cover->table = NULL;
    cover->cells = NULL;
    if (cover->n) qsort(cover->places, cover->n, cover->k * sizeof *cover->places, compare_first);
}

void orffi_cover_clear(orffi_cover *cover) {
    orffi_release(cover->table);
    orffi_release(cover->cells);
    orffi_release(cover->places);
    *cover = (orffi_cover){0};
}

/* ---- cells */

/* The cell of a place. With a cell size of 0 it is the place itself, with -0 replaced by 0. */
static void find_cell(const orffi_cover *cover, const double *place, double *cell) {
    for (size_t i = 0; i < cover->k; i++)
        cell[i] = (cover->cell > 0.0 ? floor(place[i] / cover->cell) : place[i]) + 0.0;
}

/* FNV-1a over the cell's bytes, mixed so that the low bits depend on all. */
static size_t hash(size_t k, const double *cell) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < k; i++) {
        uint64_t bits;
        memcpy(&bits, &cell[i], sizeof bits);
        h = (h ^ bits) * UINT64_C(1099511628211);
        h ^= h >> 29;
    }
    return (size_t)(h ^ h >> 32) & (TABLE - 1);
}

static bool same_cell(size_t k, const double *a, const double *b) {
    for (size_t i = 0; i < k; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* Position of a cell in the table, or the free position where it would be. */
static size_t find(const orffi_cover *cover, const double *cell) {
    const size_t k = cover->k;
    size_t at = hash(k, cell);
    while (cover->table[at] && !same_cell(k, cover->cells + (cover->table[at] - 1) * k, cell))
        at = (at + 1) & (TABLE - 1);
    return at;
}

/* Keeps the place if its cell has none yet. `place` may be one of the old places behind those kept so far. */
static void keep(orffi_cover *cover, const double *place) {
    double cell[ORFFI_COVER_INPUTS];
    find_cell(cover, place, cell);
    const size_t k = cover->k, at = find(cover, cell);
    if (cover->table[at]) return;
    memmove(cover->places + cover->n * k, place, k * sizeof *place);
    memcpy(cover->cells + cover->n * k, cell, k * sizeof *cell);
    cover->table[at] = (uint32_t)++cover->n;
}

static double longest_side(const orffi_cover *cover) {
    double longest = 0.0;
    for (size_t i = 0; i < cover->k; i++) {
        double low = cover->places[i], high = low;
        for (size_t a = 1; a < cover->n; a++) {
            low = fmin(low, cover->places[a * cover->k + i]);
            high = fmax(high, cover->places[a * cover->k + i]);
        }
        longest = fmax(longest, high - low);
    }
    return longest;
}

/* Doubles the cells, each being a union of previous cells, until a quarter of the room is free. */
static void coarsen(orffi_cover *cover) {
    while (cover->n > ORFFI_COVER_MOST / 4 * 3) {
        const size_t n = cover->n;
        cover->cell = cover->cell > 0.0 ? 2.0 * cover->cell : FIRST_CELL * longest_side(cover);
        memset(cover->table, 0, TABLE * sizeof *cover->table);
        cover->n = 0;
        for (size_t a = 0; a < n; a++) keep(cover, cover->places + a * cover->k);
    }
}

void orffi_cover_add(orffi_cover *cover, size_t n, size_t d, const double *X, const double *weights) {
    double place[ORFFI_COVER_INPUTS];
    for (size_t a = 0; cover->k && a < n; a++) {
        bool finite = true;
        for (size_t i = 0; i < cover->k; i++) {
            place[i] = X[a * d + cover->inputs[i]];
            finite = finite && isfinite(place[i]);
        }
        if (!finite || (weights && !(weights[a] > 0.0))) continue; /* invalid rows are an error elsewhere */
        keep(cover, place);
        if (cover->n == ORFFI_COVER_MOST) coarsen(cover);
    }
}

/* ---- a stream */

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    const orffi_covering *c = self;
    const int code = c->source.read(c->source.self, room, X, Y, weights, rows);
    if (!code && *rows <= room) orffi_cover_add(c->cover, *rows, c->d, X, weights);
    return code;
}

orff_reader orffi_covering_reader(orffi_covering *covering) {
    return (orff_reader){.read = read_rows, .self = covering, .weighted = covering->source.weighted};
}

/* ---- distances */

static double square_to(const orffi_cover *cover, const double *periods, const double *x, size_t a) {
    double square = 0.0;
    for (size_t i = 0; i < cover->k; i++) {
        const double step = orffi_shortest(periods, i, x[i] - cover->places[a * cover->k + i]);
        square += step * step;
    }
    return square;
}

/* The first place whose first coordinate is not below x. */
static size_t find_first(const orffi_cover *cover, double x) {
    size_t low = 0, high = cover->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cover->places[middle * cover->k] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether place a may be nearer than `least`, judged by the first input alone. */
static bool may_be_nearer(const orffi_cover *cover, const double *periods, double x, size_t a, double least) {
    const double step = cover->places[a * cover->k] - x;
    return orffi_is_periodic(periods, 0) || step * step < least;
}

/* From the nearest along the first input towards both sides, as far as nearer places are possible. */
double orffi_cover_distance(const orffi_cover *cover, const double *periods, const double *x) {
    const size_t middle = find_first(cover, x[0]);
    double least = INFINITY;
    for (size_t a = middle; a < cover->n && may_be_nearer(cover, periods, x[0], a, least); a++)
        least = fmin(least, square_to(cover, periods, x, a));
    for (size_t a = middle; a-- > 0 && may_be_nearer(cover, periods, x[0], a, least);)
        least = fmin(least, square_to(cover, periods, x, a));
    return sqrt(least);
}

/* ---- files */

int orffi_cover_pack(const orffi_cover *cover, json_t *object) {
    if (!cover->k) return 0;
    return json_object_set_new(object, "cover",
                               json_pack("{so so}", "inputs", orffi_json_sizes(cover->k, cover->inputs),
                                         "cell", orffi_json_number(cover->cell)));
}

orff_status orffi_cover_write(const orffi_cover *cover, orffi_archive_writer *writer) {
    const size_t shape[2] = {cover->n, cover->k};
    if (!cover->k) return ORFF_OK;
    return orffi_archive_add(writer, "places", ORFFI_F64, 2, shape, cover->places);
}

/* Distinct inputs of the model. */
static orff_status read_inputs(orffi_cover *cover, const orffi_fields *in, size_t k, size_t d) {
    size_t *inputs = NULL;
    if (k == 0 || k > ORFFI_COVER_INPUTS || k > d)
        return orffi_fields_fail(in, "inputs", "are too many or none");
    ORFFI_TRY(orffi_fields_sizes(in, "inputs", k, &inputs));
    bool right = true;
    for (size_t i = 0; i < k; i++) {
        right = right && inputs[i] < d;
        for (size_t l = 0; l < i; l++) right = right && inputs[l] != inputs[i];
        cover->inputs[i] = inputs[i];
    }
    orffi_release(inputs);
    return right ? ORFF_OK : orffi_fields_fail(in, "inputs", "are not inputs of the model");
}

orff_status orffi_cover_read(orffi_cover *cover, const orffi_fields *in, size_t d) {
    orffi_fields own;
    const double *places;
    size_t shape[2], k;
    if (!orffi_fields_has(in, "cover")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(in, "cover", &own));
    ORFFI_TRY(orffi_fields_list(&own, "inputs", &k));
    ORFFI_TRY(read_inputs(cover, &own, k, d));
    ORFFI_TRY(orffi_fields_number(&own, "cell", &cover->cell));
    if (cover->cell < 0.0) return orffi_fields_fail(&own, "cell", "is negative");
    ORFFI_TRY(orffi_archive_get(in->archive, "places", ORFFI_F64, 2, shape, &places));
    ORFFI_TRY(orffi_archive_check_finite(in->archive, "places"));
    if (shape[0] == 0 || shape[0] > ORFFI_COVER_MOST || shape[1] != k)
        return orffi_fields_fail(&own, "inputs", "are not those of the places");
    ORFFI_TRY(orffi_duplicate(&cover->places, places, shape[0] * k, sizeof *places));
    cover->n = shape[0];
    cover->k = k;
    orffi_cover_end(cover);
    return ORFF_OK;
}
