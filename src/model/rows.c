/* Rows from arrays or readers, labels coded, inputs and outputs transformed. */
#include "model/rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exact/evidence.h"

/* ---- errors in rows */

static int keep_trouble(orffi_rows *rows, orff_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps the error until it can be reported: readers can only return a code. */
static int keep_trouble(orffi_rows *rows, orff_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rows->trouble, sizeof rows->trouble, format, arguments);
    va_end(arguments);
    rows->trouble_status = status;
    return 1;
}

static int check_numbers(orffi_rows *rows, const char *name, size_t first, size_t n, size_t cols,
                         const double *A) {
    for (size_t i = 0; i < n * cols; i++)
        if (!isfinite(A[i]))
            return keep_trouble(rows, ORFF_ERROR_NOT_FINITE, "%s is %g in row %zu, column %zu", name, A[i],
                                first + i / cols + 1, i % cols + 1);
    return 0;
}

static int check_sizes(orffi_rows *rows, const char *name, size_t first, size_t n, size_t cols,
                       const double *A) {
    for (size_t i = 0; i < n * cols; i++)
        if (fabs(A[i]) > ORFFI_LARGEST_NUMBER)
            return keep_trouble(
                rows, ORFF_ERROR_INVALID_ARGUMENT,
                "%s %zu is %g in row %zu, which is too large to learn from: give it in another unit (numbers "
                "up to %g are accepted)",
                name, i % cols + 1, A[i], first + i / cols + 1, ORFFI_LARGEST_NUMBER);
    return 0;
}

static int check_inputs(orffi_rows *rows, size_t first, size_t n, const double *X) {
    const int code = check_numbers(rows, "X", first, n, rows->d, X);
    return code ? code : check_sizes(rows, "input", first, n, rows->d, X);
}

static int check_outputs(orffi_rows *rows, size_t first, size_t n, const double *Y) {
    const int code = check_numbers(rows, "Y", first, n, rows->p, Y);
    return code ? code : check_sizes(rows, "output", first, n, rows->p, Y);
}

static int check_weights(orffi_rows *rows, size_t first, size_t n, const double *weights) {
    for (size_t i = 0; weights && i < n; i++) {
        if (!isfinite(weights[i]))
            return keep_trouble(rows, ORFF_ERROR_NOT_FINITE, "the weight of row %zu is %g", first + i + 1,
                                weights[i]);
        if (weights[i] < 0.0)
            return keep_trouble(rows, ORFF_ERROR_INVALID_ARGUMENT,
                                "the weight of row %zu is %g; it must be at least 0", first + i + 1,
                                weights[i]);
        if (weights[i] > ORFFI_LARGEST_NUMBER)
            return keep_trouble(
                rows, ORFF_ERROR_INVALID_ARGUMENT,
                "the weight of row %zu is %g, which is too large: divide all weights by one number (weights "
                "up to %g are accepted)",
                first + i + 1, weights[i], ORFFI_LARGEST_NUMBER);
    }
    return 0;
}

/* The code of a label; labels are integers 0 .. T-1. */
static int code_label(orffi_rows *rows, size_t row, double label, double *y) {
    if (!(label >= 0.0 && label < (double)rows->classes && label == floor(label)))
        return keep_trouble(rows, ORFF_ERROR_INVALID_ARGUMENT,
                            "the label of row %zu is %g; with %zu classes labels are 0 to %zu", row + 1,
                            label, rows->classes, rows->classes - 1);
    memcpy(y, rows->codes + (size_t)label * rows->p, rows->p * sizeof *y);
    return 0;
}

static int code_labels(orffi_rows *rows, size_t first, size_t n, const double *labels, double *Y) {
    for (size_t i = 0; i < n; i++) {
        const int code = code_label(rows, first + i, labels[i], Y + i * rows->p);
        if (code) return code;
    }
    return 0;
}

/* ---- arrays as a reader */

static size_t width_of(const orffi_rows *rows) {
    return rows->along ? 1 : rows->p;
}

static int copy_arrays(orffi_rows *rows, size_t first, size_t n, double *X, double *Y, double *weights) {
    memcpy(X, rows->X + first * rows->d, n * rows->d * sizeof *X);
    if (weights) memcpy(weights, rows->weights + first, n * sizeof *weights);
    if (rows->classes) return code_labels(rows, first, n, rows->Y + first, Y);
    memcpy(Y, rows->Y + first * width_of(rows), n * width_of(rows) * sizeof *Y);
    return 0;
}

static int read_arrays(orffi_rows *rows, size_t room, double *X, double *Y, double *weights, size_t *n) {
    *n = rows->n - rows->next < room ? rows->n - rows->next : room;
    const int code = copy_arrays(rows, rows->next, *n, X, Y, weights);
    rows->next += *n;
    return code;
}

/* ---- a stream, starting with its head */

/* Reads from the source and checks; labels go through the scratch array. */
static int read_source(orffi_rows *rows, size_t room, double *X, double *Y, double *weights, size_t *n) {
    if (rows->classes && room > rows->labels_room) room = rows->labels_room;
    int code = rows->source.read(rows->source.self, room, X, rows->classes ? rows->labels : Y, weights, n);
    if (!code && *n > room)
        code = keep_trouble(rows, ORFF_ERROR_CALLBACK, "the reader says it filled %zu rows of %zu", *n, room);
    if (!code) code = check_inputs(rows, rows->next, *n, X);
    if (!code) code = check_weights(rows, rows->next, *n, weights);
    if (code) return code;
    return rows->classes ? code_labels(rows, rows->next, *n, rows->labels, Y)
                         : check_outputs(rows, rows->next, *n, Y);
}

static int read_stream(orffi_rows *rows, size_t room, double *X, double *Y, double *weights, size_t *n) {
    const orffi_table *head = &rows->head;
    if (rows->head_given == head->n) {
        const int code = read_source(rows, room, X, Y, weights, n);
        rows->next += *n;
        return code;
    }
    const size_t first = rows->head_given;
    *n = head->n - first < room ? head->n - first : room;
    memcpy(X, head->X + first * rows->d, *n * rows->d * sizeof *X);
    memcpy(Y, head->Y + first * rows->p, *n * rows->p * sizeof *Y);
    if (weights) memcpy(weights, head->weights + first, *n * sizeof *weights);
    rows->head_given += *n;
    return 0;
}

/* ---- the reader for others */

/* Scales one direction; returns s. */
static double turn(size_t p, const double *spread, double *e) {
    double before = 0.0, after = 0.0;
    for (size_t k = 0; k < p; k++) {
        before += e[k] * e[k];
        e[k] *= spread[k];
        after += e[k] * e[k];
    }
    const double s = sqrt(after / before);
    for (size_t k = 0; k < p; k++) e[k] /= s;
    return s;
}

double orffi_units_apply(const orffi_units *units, orffi_table *table) {
    const size_t d = table->d, p = table->p;
    double logs = 0.0;
    for (size_t i = 0; i < table->n * d; i++)
        table->X[i] = (table->X[i] - units->shift[i % d]) / units->unit[i % d];
    for (size_t i = 0; !table->along && i < table->n * p; i++) table->Y[i] /= units->spread[i % p];
    for (size_t i = 0; table->along && i < table->n; i++) {
        const double s = turn(p, units->spread, table->along + i * p);
        table->Y[i] /= s;
        logs += log(s);
    }
    return logs;
}

static void transform(const orffi_rows *rows, size_t n, double *X, double *Y) {
    const orffi_units *units = rows->units;
    for (size_t i = 0; units && i < n; i++) {
        for (size_t k = 0; k < rows->d; k++)
            X[i * rows->d + k] = (X[i * rows->d + k] - units->shift[k]) / units->unit[k];
        for (size_t k = 0; k < rows->p; k++) Y[i * rows->p + k] /= units->spread[k];
    }
}

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    orffi_rows *rows = self;
    *n = 0;
    const int code = (rows->stream ? read_stream : read_arrays)(rows, room, X, Y, weights, n);
    if (!code) transform(rows, *n, X, Y);
    return code;
}

size_t orffi_rows_known(const orffi_rows *rows) {
    return !rows->stream ? rows->n : rows->ended ? rows->head.n : 0;
}

static void copy_directed(const orffi_rows *rows, size_t first, size_t n, orffi_table *table, size_t at) {
    const size_t d = rows->d, p = rows->p;
    memcpy(table->X + at * d, rows->X + first * d, n * d * sizeof *table->X);
    memcpy(table->Y + at, rows->Y + first, n * sizeof *table->Y);
    memcpy(table->weights + at, rows->weights + first, n * sizeof *table->weights);
    memcpy(table->along + at * p, rows->along + first * p, n * p * sizeof *table->along);
}

static orff_status transform_directed(orffi_rows *rows) {
    orffi_table_clear(&rows->whole);
    ORFFI_TRY(orffi_table_init_directed(&rows->whole, rows->n, rows->d, rows->p));
    rows->whole.N = rows->N;
    rows->whole.walls = rows->walls;
    copy_directed(rows, 0, rows->n, &rows->whole, 0);
    if (rows->units) rows->log_spread = orffi_units_apply(rows->units, &rows->whole);
    return ORFF_OK;
}

orff_status orffi_rows_source(orffi_rows *rows, orffi_source *source) {
    rows->next = rows->stream ? rows->next : 0;
    rows->head_given = 0;
    *source = (orffi_source){.reader = {.read = read_rows, .self = rows, .weighted = rows->source.weighted},
                             .expected = rows->stream ? 2 * rows->head.n : rows->n,
                             .known = orffi_rows_known(rows),
                             .checkpoint = rows->checkpoint};
    if (!rows->along) return ORFF_OK;
    source->table = &rows->whole;
    return transform_directed(rows);
}

orff_status orffi_rows_outcome(const orffi_rows *rows, orff_status status) {
    return status == ORFF_ERROR_CALLBACK && rows->trouble_status
               ? orffi_fail(rows->trouble_status, "%s", rows->trouble)
               : status;
}

static orff_status report_trouble(const orffi_rows *rows, int code) {
    if (rows->trouble_status) return orffi_fail(rows->trouble_status, "%s", rows->trouble);
    return orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %zu", code, rows->next);
}

/* ---- heads */

/* The row of the arrays behind row i of `count`, spread evenly. */
static size_t row_of_head(const orffi_rows *rows, size_t count, size_t i) {
    return (size_t)((double)i * ((double)(rows->n - rows->walls) / (double)count));
}

size_t orffi_rows_place(const orffi_rows *rows, size_t i) {
    return rows->stream ? i : row_of_head(rows, rows->head.n, i);
}

static orff_status add_quality(orffi_rows *rows) {
    const size_t count = rows->head.n;
    if (rows->known) ORFFI_TRY(ORFFI_NEW_ARRAY(rows->head.known, count));
    if (rows->instrument) ORFFI_TRY(ORFFI_NEW_ARRAY(rows->head.instrument, count));
    for (size_t i = 0; i < count; i++) {
        const size_t from = row_of_head(rows, count, i);
        if (rows->known) rows->head.known[i] = rows->known[from];
        if (rows->instrument) rows->head.instrument[i] = rows->instrument[from];
    }
    return ORFF_OK;
}

orff_status orffi_rows_qualify(orffi_rows *rows, const double *known, const uint32_t *instrument,
                               size_t instruments) {
    rows->known = known;
    rows->instrument = instrument;
    rows->instruments = instrument ? instruments : 0;
    return add_quality(rows);
}

/* Sorts groups by number. */
static int by_group(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static orff_status number_groups(orffi_rows *rows, const uint64_t *groups, size_t measured) {
    uint64_t *labels = NULL;
    ORFFI_TRY(orffi_duplicate(&labels, groups, measured, sizeof *labels));
    qsort(labels, measured, sizeof *labels, by_group);
    for (size_t i = 0; i < measured; i++)
        if (!i || labels[i] != labels[rows->sets - 1]) labels[rows->sets++] = labels[i];
    for (size_t i = 0; i < rows->n; i++) {
        const uint64_t *at =
            i < measured ? bsearch(&groups[i], labels, rows->sets, sizeof *labels, by_group) : NULL;
        rows->set[i] = at ? (uint32_t)(at - labels) : ORFFI_NO_SET;
    }
    rows->set_labels = labels;
    return ORFF_OK;
}

orff_status orffi_rows_set_groups(orffi_rows *rows, const uint64_t *groups) {
    const size_t count = rows->head.n;
    ORFFI_TRY(ORFFI_NEW_ARRAY(rows->set, rows->n));
    ORFFI_TRY(number_groups(rows, groups, rows->n - rows->walls));
    ORFFI_TRY(ORFFI_NEW_ARRAY(rows->head.set, count));
    for (size_t i = 0; i < count; i++) rows->head.set[i] = rows->set[row_of_head(rows, count, i)];
    return ORFF_OK;
}

static double noise_of(const orffi_rows *rows, const orffi_quality *q, size_t i) {
    const double share = 1.0 / (1.0 + exp(-q->logit));
    return (rows->known ? 1.0 - share + share * rows->known[i] : 1.0) *
           (rows->instrument ? exp(q->ratios[rows->instrument[i]]) : 1.0);
}

/* A precise row has a great weight but counts once: the mean variance, not the mean weight, is that of a
 * typical measurement. */
static void find_typical(const orffi_rows *rows, orffi_quality *q) {
    double weights[ORFFI_MOST_INSTRUMENTS] = {0}, sums[ORFFI_MOST_INSTRUMENTS] = {0};
    for (size_t i = 0; i < rows->n - rows->walls; i++) {
        const size_t k = q->by_output ? rows->instrument[i] : 0;
        const double weight = rows->weights ? rows->weights[i] : 1.0;
        weights[k] += weight;
        sums[k] += weight * noise_of(rows, q, i);
    }
    for (size_t k = 0; k < ORFFI_MOST_INSTRUMENTS; k++)
        q->typical[k] = weights[k] > 0.0 ? sums[k] / weights[k] / q->factor : 1.0;
}

orff_status orffi_rows_weigh(orffi_rows *rows, orffi_quality *q) {
    double before = 0.0, after = 0.0;
    q->factor = 1.0;
    if (!rows->known && !rows->instrument) return ORFF_OK;
    const size_t measured = rows->n - rows->walls;
    ORFFI_TRY(
        orffi_duplicate(&rows->quality, rows->weights, rows->weights ? rows->n : 0, sizeof *rows->quality));
    if (!rows->quality) ORFFI_TRY(ORFFI_NEW_ARRAY(rows->quality, rows->n));
    for (size_t i = 0; i < measured; i++) {
        const double weight = rows->weights ? rows->weights[i] : 1.0;
        rows->quality[i] = weight / noise_of(rows, q, i);
        before += weight;
        after += rows->quality[i];
    }
    if (after > 0.0) q->factor = before / after;
    for (size_t i = 0; i < measured; i++) rows->quality[i] *= q->factor;
    find_typical(rows, q);
    rows->weights = rows->quality;
    rows->source.weighted = true;
    return ORFF_OK;
}

/* Rows spread evenly over the arrays. */
static orff_status sample_head(orffi_rows *rows, size_t count) {
    if (count > rows->n - rows->walls) count = rows->n - rows->walls;
    ORFFI_TRY(rows->along ? orffi_table_init_directed(&rows->head, count, rows->d, rows->p)
                          : orffi_table_init(&rows->head, count, rows->d, rows->p, rows->source.weighted));
    if (rows->n) rows->head.N = rows->N * ((double)count / (double)rows->n);
    for (size_t i = 0; i < count; i++) {
        const size_t from = row_of_head(rows, count, i);
        if (rows->along) copy_directed(rows, from, 1, &rows->head, i);
        if (rows->along) continue;
        const int code = copy_arrays(rows, from, 1, rows->head.X + i * rows->d, rows->head.Y + i * rows->p,
                                     rows->head.weights ? rows->head.weights + i : NULL);
        if (code) return report_trouble(rows, code);
    }
    return ORFF_OK;
}

static orff_status read_head(orffi_rows *rows, size_t count) {
    size_t n = 1;
    ORFFI_TRY(orffi_table_init(&rows->head, count, rows->d, rows->p, rows->source.weighted));
    orffi_table *head = &rows->head;
    head->n = 0;
    while (n && head->n < count) {
        const size_t room = count - head->n;
        n = 0;
        const int code = read_source(rows, room, head->X + head->n * rows->d, head->Y + head->n * rows->p,
                                     head->weights ? head->weights + head->n : NULL, &n);
        if (code) return report_trouble(rows, code);
        head->n += n;
        rows->next += n;
    }
    rows->ended = n == 0;
    return ORFF_OK;
}

static orff_status check_head(const orffi_rows *rows) {
    return rows->head.n ? ORFF_OK
                        : orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
}

orff_status orffi_rows_from_arrays(orffi_rows *rows, size_t d, size_t p, const orffi_codes *codes, size_t n,
                                   const double *X, const double *Y, const double *weights, size_t head) {
    const size_t classes = codes->classes;
    *rows = (orffi_rows){.d = d,
                         .p = classes ? codes->length : p,
                         .classes = classes,
                         .codes = codes->codes,
                         .n = n,
                         .X = X,
                         .Y = Y,
                         .weights = weights,
                         .source = {.weighted = weights != NULL}};
    ORFFI_TRY(orffi_check_finite("X", n, d, X));
    ORFFI_TRY(orffi_check_finite("Y", n, p, Y));
    if (check_sizes(rows, "input", 0, n, d, X) || (!classes && check_sizes(rows, "output", 0, n, p, Y)) ||
        check_weights(rows, 0, n, weights))
        return report_trouble(rows, 1);
    ORFFI_TRY(sample_head(rows, head));
    return check_head(rows);
}

/* A direction must not be zero. */
static orff_status check_directions(size_t n, size_t p, const double *along) {
    ORFFI_TRY(orffi_check_finite("directions", n, p, along));
    for (size_t i = 0; i < n; i++) {
        double square = 0.0;
        for (size_t k = 0; k < p; k++) square += along[i * p + k] * along[i * p + k];
        if (!(square > 0.0))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the direction of row %zu has no length", i + 1);
    }
    return ORFF_OK;
}

static bool are_axes(size_t n, size_t p, const double *along) {
    for (size_t i = 0; i < n; i++) {
        size_t entries = 0;
        for (size_t k = 0; k < p; k++) entries += along[i * p + k] != 0.0;
        if (entries != 1) return false;
    }
    return true;
}

orff_status orffi_rows_from_directed(orffi_rows *rows, size_t d, size_t p, size_t n, const double *X,
                                     const double *Y, const double *weights, const double *along, double N,
                                     size_t walls, size_t head) {
    *rows = (orffi_rows){.d = d,
                         .walls = walls,
                         .p = p,
                         .n = n,
                         .X = X,
                         .Y = Y,
                         .weights = weights,
                         .along = along,
                         .N = N,
                         .source = {.weighted = true}};
    ORFFI_TRY(orffi_check_finite("X", n, d, X));
    ORFFI_TRY(orffi_check_finite("Y", n, 1, Y));
    ORFFI_TRY(check_directions(n, p, along));
    if (check_sizes(rows, "input", 0, n, d, X) || check_sizes(rows, "output", 0, n, 1, Y) ||
        check_weights(rows, 0, n, weights))
        return report_trouble(rows, 1);
    rows->apart = are_axes(n, p, along);
    ORFFI_TRY(sample_head(rows, head));
    return check_head(rows);
}

orff_status orffi_rows_from_reader(orffi_rows *rows, size_t d, size_t p, const orffi_codes *codes,
                                   const orff_reader *reader, size_t head) {
    const size_t classes = codes->classes;
    *rows = (orffi_rows){.d = d,
                         .p = classes ? codes->length : p,
                         .classes = classes,
                         .codes = codes->codes,
                         .stream = true,
                         .source = *reader,
                         .labels_room = 4096};
    if (classes) ORFFI_TRY(ORFFI_NEW_ARRAY(rows->labels, rows->labels_room));
    ORFFI_TRY(read_head(rows, head));
    return check_head(rows);
}

void orffi_rows_clear(orffi_rows *rows) {
    orffi_release(rows->quality);
    orffi_release(rows->set);
    orffi_release(rows->set_labels);
    orffi_table_clear(&rows->whole);
    orffi_table_clear(&rows->head);
    orffi_release(rows->labels);
    memset(rows, 0, sizeof *rows);
}
