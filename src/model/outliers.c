#include "model/outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/special.h"
#include "base/threads.h"
#include "exact/near.h"
#include "model/rows.h"

#define NEIGHBOURS 16       /* a median of so many is known to a third of their spread */
#define BY_CHANCE  700.0    /* tables of normal errors, of which one has a row beyond the limit */
#define TOGETHER   4096     /* rows between two reports of progress */
#define TO_NORMAL  1.482602 /* of the median of absolute values */
#define TO_UPPER   0.869302 /* of their upper quartile */

/* ---- neighbours */

/* The rows nearest to row i of X (n x d), by exhaustive search. */
static size_t search(size_t n, size_t d, const double *X, size_t i, size_t *found, double *distances) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++) {
        const double most = count < NEIGHBOURS ? INFINITY : distances[count - 1];
        double square = 0.0;
        for (size_t k = 0; k < d && square < most; k++) {
            const double step = X[i * d + k] - X[j * d + k];
            square += step * step;
        }
        if (j == i || !(square < most)) continue;
        size_t at = count < NEIGHBOURS ? count++ : count - 1;
        for (; at > 0 && distances[at - 1] > square; at--) {
            distances[at] = distances[at - 1];
            found[at] = found[at - 1];
        }
        distances[at] = square;
        found[at] = j;
    }
    return count;
}

/* The tree finds row i itself too, unless many rows share one place. */
static size_t find_in_tree(const orffi_near *near, const double *x, size_t i, size_t *found) {
    size_t all[NEIGHBOURS + 1], count = 0;
    double distances[NEIGHBOURS + 1];
    const size_t n = orffi_near_find(near, x, NEIGHBOURS + 1, all, distances);
    for (size_t j = 0; j < n && count < NEIGHBOURS; j++)
        if (all[j] != i) found[count++] = all[j];
    return count;
}

/* Inputs over their standard deviations; constant inputs stay as they are. */
static void scale_inputs(size_t n, size_t d, const double *X, double *scaled) {
    for (size_t k = 0; k < d; k++) {
        double mean = 0.0, square = 0.0;
        for (size_t i = 0; i < n; i++) mean += X[i * d + k] / (double)n;
        for (size_t i = 0; i < n; i++) square += pow(X[i * d + k] - mean, 2.0) / (double)n;
        for (size_t i = 0; i < n; i++)
            scaled[i * d + k] = (X[i * d + k] - mean) / (square > 0.0 ? sqrt(square) : 1.0);
    }
}

/* all: n x NEIGHBOURS, with n where there are fewer. */
static orff_status find_among(size_t n, size_t d, const double *X, size_t *all) {
    const double ones[ORFFI_NEAR_MOST] = {1.0, 1.0, 1.0};
    const bool tree = d <= ORFFI_NEAR_MOST;
    const int threads = orffi_thread_count();
    orffi_near near = {0};
    orff_status status = tree ? orffi_near_init(&near, n, d, X, ones, NULL) : ORFF_OK;
    for (size_t i = 0; !status && tree && i < n; i++) orffi_near_add(&near, i);
    for (size_t first = 0; !status && first < n; first += TOGETHER) {
        const size_t end = n - first < TOGETHER ? n : first + TOGETHER;
        status = orffi_progress("looking for outliers", (double)first, (double)n);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 64)
        for (size_t i = first; i < (status ? first : end); i++) {
            double distances[NEIGHBOURS];
            size_t *found = all + i * NEIGHBOURS;
            const size_t count =
                tree ? find_in_tree(&near, X + i * d, i, found) : search(n, d, X, i, found, distances);
            for (size_t j = count; j < NEIGHBOURS; j++) found[j] = n;
        }
    }
    orffi_near_clear(&near);
    return status;
}

typedef struct entry {
    uint64_t group;
    size_t row;
} entry;

static int by_group(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* The neighbours of the `count` rows of one group, X (n x d) being all of them. */
static orff_status find_in_group(const entry *list, size_t count, size_t n, size_t d, const double *X,
                                 size_t *all) {
    double *own = NULL;
    size_t *found = NULL;
    orff_status status = orffi_alloc(&own, count, d * sizeof *own);
    if (!status) status = orffi_alloc(&found, count, NEIGHBOURS * sizeof *found);
    for (size_t i = 0; !status && i < count; i++) memcpy(own + i * d, X + list[i].row * d, d * sizeof *own);
    if (!status) status = find_among(count, d, own, found);
    for (size_t i = 0; !status && i < count * NEIGHBOURS; i++)
        all[list[i / NEIGHBOURS].row * NEIGHBOURS + i % NEIGHBOURS] =
            found[i] < count ? list[found[i]].row : n;
    orffi_release(own);
    orffi_release(found);
    return status;
}

/* Rows that have an offset in common are neighbours of each other alone: the others differ by the offset. */
static orff_status find_neighbours(size_t n, size_t d, const double *X, const uint64_t *offsets,
                                   size_t *all) {
    entry *list;
    orff_status status = ORFF_OK;
    if (!offsets) return find_among(n, d, X, all);
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, n));
    for (size_t i = 0; i < n; i++) list[i] = (entry){offsets[i], i};
    qsort(list, n, sizeof *list, by_group);
    for (size_t first = 0, end; !status && first < n; first = end) {
        for (end = first + 1; end < n && list[end].group == list[first].group;) end++;
        status = find_in_group(list + first, end - first, n, d, X, all);
    }
    orffi_release(list);
    return status;
}

/* ---- medians */

static void swap(double *a, double *b) {
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* The value of rank `middle`, from 0; reorders the values. NAN if n is 0 (Hoare 1961). */
static double select(size_t n, size_t middle, double *values) {
    if (!n) return (double)NAN;
    size_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        size_t left = low, right = high;
        while (true) {
            while (values[left] < pivot) left++;
            while (pivot < values[right]) right--;
            if (left >= right) break;
            swap(&values[left++], &values[right--]);
        }
        if (middle <= right)
            high = right;
        else
            low = right + 1;
    }
    return values[middle];
}

static double median(size_t n, double *values) {
    return select(n, n / 2, values);
}

/* r of row i, and the spread of its neighbours. A row at a step resembles a quarter of its neighbours,
 * which the upper quartile takes into account. NAN if the output is missing in the row, or in all
 * neighbours. */
static void compare_row(size_t n, const double *y, const size_t *near, size_t i, double *r, double *spread) {
    double values[NEIGHBOURS];
    size_t count = 0;
    for (size_t j = 0; j < NEIGHBOURS; j++)
        if (near[j] < n && !isnan(y[near[j]])) values[count++] = y[near[j]];
    const double middle = median(count, values);
    for (size_t j = 0; j < count; j++) values[j] = fabs(values[j] - middle);
    *spread = TO_UPPER * select(count, count - count / 4 - (count > 0), values);
    *r = y[i] - middle;
}

/* ---- distant rows */

/* What the rows of an output are compared with. */
typedef struct compared {
    const size_t *near; /* n x NEIGHBOURS */
    const orff_observations *rows;
    size_t output;
    double *y; /* n: of the output, NAN where it is missing or an outlier */
    double *r, *spread, *sizes,
        *own; /* n each; own: what a row of its known error, by its instrument, spreads by */
    double limit;
} compared;

static double known_error(const compared *c, size_t i) {
    return c->rows->errors ? c->rows->errors[i * c->rows->p + c->output] : 1.0;
}

/* Known errors are right but for a factor, that of their instrument where this has rows enough to tell. */
static void fill_own(const compared *c, size_t instrument) {
    const uint32_t *which = c->rows->instruments;
    size_t count = 0;
    for (size_t i = 0; i < c->rows->n; i++)
        if ((!which || which[i] == instrument) && !isnan(c->r[i]) && known_error(c, i) > 0.0)
            c->sizes[count++] = fabs(c->r[i]) / known_error(c, i);
    const double factor = count > NEIGHBOURS ? TO_NORMAL * median(count, c->sizes) : 0.0;
    for (size_t i = 0; i < c->rows->n; i++)
        if (!which || which[i] == instrument) c->own[i] = factor * known_error(c, i);
}

/* How many more rows are far from the others: their y becomes NAN. *far: gains their r^2. */
static size_t remove_far(const compared *c, double *far) {
    const size_t n = c->rows->n;
    size_t count = 0, removed = 0;
    for (size_t i = 0; i < n; i++) {
        compare_row(n, c->y, c->near + i * NEIGHBOURS, i, &c->r[i], &c->spread[i]);
        if (!isnan(c->r[i])) c->sizes[count++] = fabs(c->r[i]);
    }
    const double all = TO_NORMAL * median(count, c->sizes);
    if (!(all > 0.0)) return 0; /* most rows are what their neighbours are: no errors to compare with */
    if (c->rows->errors || c->rows->instruments)
        for (size_t k = 0; k < (c->rows->instruments ? ORFF_INSTRUMENTS : 1); k++) fill_own(c, k);
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(c->r[i]) > c->limit * fmax(fmax(all, c->own[i]), c->spread[i]))) continue;
        *far += c->r[i] * c->r[i];
        c->y[i] = (double)NAN;
        removed++;
    }
    return removed;
}

/* Again and again, as outliers may hide each other; marks those that have more than `least` of the sum of r^2. */
static void mark_output(orffi_outliers *found, const compared *c, double least) {
    const size_t n = c->rows->n, p = c->rows->p;
    const double *Y = c->rows->Y + c->output;
    double far = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) c->y[i] = Y[i * p];
    memset(c->own, 0, n * sizeof *c->own);
    while (remove_far(c, &far)) {}
    for (size_t i = 0; i < n; i++)
        if (!isnan(c->r[i]) && !isnan(c->y[i])) sum += c->r[i] * c->r[i];
    if (!(far > least * (sum + far))) return;
    found->share = fmax(found->share, far / (sum + far));
    for (size_t i = 0; i < n; i++) {
        if (found->out[i] || isnan(Y[i * p]) || !isnan(c->y[i])) continue;
        found->out[i] = true;
        found->count++;
    }
}

static orff_status none_of(orffi_outliers *found, size_t n) {
    *found = (orffi_outliers){0};
    return ORFFI_NEW_ARRAY(found->out, n);
}

orff_status orffi_outliers_find(orffi_outliers *found, const orff_observations *rows, const uint64_t *offsets,
                                double share) {
    const size_t n = rows->n, d = rows->d, p = rows->p;
    double *scaled = NULL, *work = NULL;
    size_t *near = NULL;
    ORFFI_TRY(none_of(found, n));
    if (n <= NEIGHBOURS) return ORFF_OK;
    orff_status status = orffi_alloc(&scaled, n, d * sizeof *scaled);
    if (!status) status = orffi_alloc(&work, n, 5 * sizeof *work);
    if (!status) status = orffi_alloc(&near, n, NEIGHBOURS * sizeof *near);
    if (!status) scale_inputs(n, d, rows->X, scaled);
    if (!status) status = find_neighbours(n, d, scaled, offsets, near);
    const double limit = -orffi_normal_quantile(0.5 / (BY_CHANCE * (double)n * (double)p));
    for (size_t k = 0; !status && k < p; k++) {
        const compared c = {near, rows, k, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, limit};
        mark_output(found, &c, share);
    }
    orffi_release(scaled);
    orffi_release(work);
    orffi_release(near);
    return status;
}

void orffi_outliers_clear(orffi_outliers *outliers) {
    orffi_release(outliers->out);
    *outliers = (orffi_outliers){0};
}

/* ---- rows without them */

/* Copies the rows that stay, of `bytes` bytes each; NULL stays NULL. */
static orff_status keep(void **to, const void *from, const bool *out, size_t n, size_t left, size_t bytes) {
    const char *source = from;
    size_t at = 0;
    *to = NULL;
    if (!from) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(to, left, bytes));
    for (size_t i = 0; i < n; i++)
        if (!out[i]) memcpy((char *)*to + bytes * at++, source + bytes * i, bytes);
    return ORFF_OK;
}

/* The groups of each candidate: those that candidates share are copied once for each. */
static orff_status keep_groups(const uint64_t **groups, uint64_t **copy, const bool *out, size_t n,
                               size_t left) {
    ORFFI_TRY(keep((void **)copy, *groups, out, n, left, sizeof **copy));
    *groups = *copy;
    return ORFF_OK;
}

static orff_status keep_settings(orffi_without_outliers *w, size_t count, const orff_settings *settings,
                                 const bool *out, size_t n, size_t left) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->settings, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->groups, 2 * count));
    w->count = count;
    memcpy(w->settings, settings, count * sizeof *settings);
    for (size_t m = 0; m < count; m++) {
        w->settings[m].drop_outliers = false;
        ORFFI_TRY(keep_groups(&w->settings[m].groups, &w->groups[2 * m], out, n, left));
        ORFFI_TRY(keep_groups(&w->settings[m].offset_groups, &w->groups[2 * m + 1], out, n, left));
    }
    return ORFF_OK;
}

static orff_status keep_rows(orffi_without_outliers *w, const orff_observations *o, const bool *out,
                             size_t left) {
    const size_t number = sizeof(double);
    ORFFI_TRY(keep((void **)&w->X, o->X, out, o->n, left, o->d * number));
    ORFFI_TRY(keep((void **)&w->Y, o->Y, out, o->n, left, o->p * number));
    ORFFI_TRY(keep((void **)&w->weights, o->weights, out, o->n, left, number));
    ORFFI_TRY(keep((void **)&w->errors, o->errors, out, o->n, left, o->p * number));
    ORFFI_TRY(keep((void **)&w->instruments, o->instruments, out, o->n, left, sizeof *w->instruments));
    w->rows = *o;
    w->rows.n = left;
    w->rows.X = w->X;
    w->rows.Y = w->Y;
    w->rows.weights = w->weights;
    w->rows.errors = w->errors;
    w->rows.instruments = w->instruments;
    return ORFF_OK;
}

static bool are_sound(size_t count, const double *numbers, double least) {
    for (size_t i = 0; i < count; i++)
        if (!isnan(numbers[i]) && !(numbers[i] >= least && numbers[i] <= ORFFI_LARGEST_NUMBER)) return false;
    return true;
}

/* Rows with numbers that no fit takes are left as they are: it refuses them, and says which row it is. */
static bool is_sound(const orff_observations *o) {
    for (size_t i = 0; i < o->n * o->d; i++)
        if (isnan(o->X[i])) return false;
    return are_sound(o->n * o->d, o->X, -ORFFI_LARGEST_NUMBER) &&
           are_sound(o->n * o->p, o->Y, -ORFFI_LARGEST_NUMBER) &&
           (!o->weights || are_sound(o->n, o->weights, 0.0)) &&
           (!o->errors || are_sound(o->n * o->p, o->errors, 0.0));
}

orff_status orffi_outliers_drop(orffi_without_outliers *w, size_t count, const orff_settings *settings,
                                const orff_observations *o) {
    orffi_outliers found;
    *w = (orffi_without_outliers){0};
    if (o->directions)
        return orffi_outliers_refuse(settings,
                                     "neighbours that are seen along other directions are not alike");
    if (settings->classes) return orffi_outliers_refuse(settings, "classes have no errors of measurement");
    orff_status status =
        is_sound(o) ? orffi_outliers_find(&found, o, settings->offset_groups, 0.0) : none_of(&found, o->n);
    const size_t left = o->n - found.count;
    if (!status) status = keep_settings(w, count, settings, found.out, o->n, left);
    if (!status) status = keep_rows(w, o, found.out, left);
    if (!status && found.count)
        orffi_log(ORFF_LOG_WARNING,
                  "%zu of %zu rows are outliers, far from all their neighbours, and left out", found.count,
                  o->n);
    orffi_outliers_clear(&found);
    return status;
}

void orffi_without_outliers_clear(orffi_without_outliers *w) {
    for (size_t i = 0; i < 2 * w->count; i++) orffi_release(w->groups[i]);
    void *all[] = {w->settings, w->X, w->Y, w->weights, w->errors, w->instruments, w->groups};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    *w = (orffi_without_outliers){0};
}

orff_status orffi_outliers_refuse(const orff_settings *settings, const char *what) {
    if (!settings->drop_outliers) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "outliers cannot be dropped: %s", what);
}

orff_status orffi_outliers_compare(size_t count, const orff_settings *candidates) {
    for (size_t m = 1; m < count; m++)
        if (candidates[m].drop_outliers != candidates[0].drop_outliers)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "drop-outliers: candidate %zu differs from the first; all candidates are "
                              "compared on the same rows",
                              m + 1);
    return ORFF_OK;
}
