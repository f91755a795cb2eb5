#include "model/outliers.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/special.h"
#include "base/threads.h"
#include "exact/near.h"

#define NEIGHBOURS 16       /* the median of so many has a third of their standard deviation */
#define BY_CHANCE  700.0    /* one of so many tables of normal errors has a row beyond the limit */
#define TO_NORMAL  1.482602 /* from the median of absolute values to a standard deviation */
#define TO_UPPER   0.869302 /* from their upper quartile to a standard deviation */

/* ---- neighbours */

/* The rows nearest to row i of X (n x d), by exhaustive search. */
static size_t search(size_t n, size_t d, const double *X, size_t i, size_t *found, double *distances) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++) {
        const double most = count < NEIGHBOURS ? INFINITY : distances[count - 1];
        double square = 0.0;
        for (size_t k = 0; k < d && square < most; k++) square += pow(X[i * d + k] - X[j * d + k], 2.0);
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

/* all: n x NEIGHBOURS, filled with n where there are fewer neighbours. */
static orff_status find_neighbours(size_t n, size_t d, const double *X, size_t *all) {
    const double ones[ORFFI_NEAR_MOST] = {1.0, 1.0, 1.0};
    const int threads = orffi_thread_count();
    orffi_near near = {0};
    if (d <= ORFFI_NEAR_MOST) ORFFI_TRY(orffi_near_init(&near, n, d, X, ones, NULL));
    for (size_t i = 0; d <= ORFFI_NEAR_MOST && i < n; i++) orffi_near_add(&near, i);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 64)
    for (size_t i = 0; i < n; i++) {
        double distances[NEIGHBOURS];
        size_t *found = all + i * NEIGHBOURS;
        const size_t count = d <= ORFFI_NEAR_MOST ? find_in_tree(&near, X + i * d, i, found)
                                                  : search(n, d, X, i, found, distances);
        for (size_t j = count; j < NEIGHBOURS; j++) found[j] = n;
    }
    orffi_near_clear(&near);
    return ORFF_OK;
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
    const size_t *near;         /* n x NEIGHBOURS */
    double *y;                  /* n: one output, NAN where it is missing or an outlier */
    double *r, *spread, *sizes; /* n each */
    double limit;
} compared;

/* Sets y to NAN for rows that are still far from the others, and returns their number. Adds their r^2 to
 * *far. */
static size_t remove_far(const compared *c, size_t n, double *far) {
    size_t count = 0, removed = 0;
    for (size_t i = 0; i < n; i++) {
        compare_row(n, c->y, c->near + i * NEIGHBOURS, i, &c->r[i], &c->spread[i]);
        if (!isnan(c->r[i])) c->sizes[count++] = fabs(c->r[i]);
    }
    const double all = TO_NORMAL * median(count, c->sizes);
    if (!(all > 0.0)) return 0; /* most rows equal their neighbours: no errors to compare with */
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(c->r[i]) > c->limit * fmax(all, c->spread[i]))) continue;
        *far += c->r[i] * c->r[i];
        c->y[i] = (double)NAN;
        removed++;
    }
    return removed;
}

/* Repeats for output k until no more are found, as outliers may hide each other. Marks them if their share
 * in the sum of r^2 is more than `least`. */
static void mark_output(orffi_outliers *found, const compared *c, size_t n, size_t p, const double *Y,
                        size_t k, double least) {
    double far = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) c->y[i] = Y[i * p + k];
    while (remove_far(c, n, &far)) {}
    for (size_t i = 0; i < n; i++)
        if (!isnan(c->r[i]) && !isnan(c->y[i])) sum += c->r[i] * c->r[i];
    if (!(far > least * (sum + far))) return;
    found->share = fmax(found->share, far / (sum + far));
    for (size_t i = 0; i < n; i++) {
        if (found->out[i] || isnan(Y[i * p + k]) || !isnan(c->y[i])) continue;
        found->out[i] = true;
        found->count++;
    }
}

orff_status orffi_outliers_find(orffi_outliers *found, size_t n, size_t d, size_t p, const double *X,
                                const double *Y, double share) {
    double *scaled = NULL, *work = NULL;
    size_t *near = NULL;
    *found = (orffi_outliers){0};
    ORFFI_TRY(ORFFI_NEW_ARRAY(found->out, n));
    if (n <= NEIGHBOURS) return ORFF_OK;
    orff_status status = orffi_alloc(&scaled, n, d * sizeof *scaled);
    if (!status) status = orffi_alloc(&work, n, 4 * sizeof *work);
    if (!status) status = orffi_alloc(&near, n, NEIGHBOURS * sizeof *near);
    if (!status) scale_inputs(n, d, X, scaled);
    if (!status) status = find_neighbours(n, d, scaled, near);
    const double limit = -orffi_normal_quantile(0.5 / (BY_CHANCE * (double)n * (double)p));
    for (size_t k = 0; !status && k < p; k++) {
        const compared c = {near, work, work + n, work + 2 * n, work + 3 * n, limit};
        mark_output(found, &c, n, p, Y, k, share);
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

static orff_status keep_settings(orffi_without_outliers *w, size_t count, const orff_settings *settings,
                                 const bool *out, size_t n, size_t left) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->settings, count));
    memcpy(w->settings, settings, count * sizeof *settings);
    ORFFI_TRY(keep((void **)&w->groups, settings->groups, out, n, left, sizeof *w->groups));
    ORFFI_TRY(keep((void **)&w->offsets, settings->offset_groups, out, n, left, sizeof *w->offsets));
    for (size_t m = 0; m < count; m++) {
        w->settings[m].drop_outliers = false;
        if (w->settings[m].groups) w->settings[m].groups = w->groups;
        if (w->settings[m].offset_groups) w->settings[m].offset_groups = w->offsets;
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

orff_status orffi_outliers_drop(orffi_without_outliers *w, size_t count, const orff_settings *settings,
                                const orff_observations *o) {
    orffi_outliers found;
    *w = (orffi_without_outliers){0};
    if (o->directions)
        return orffi_outliers_refuse(settings, "neighbours that are seen along other directions are not alike");
    if (settings->classes) return orffi_outliers_refuse(settings, "classes have no errors of measurement");
    orff_status status = orffi_outliers_find(&found, o->n, o->d, o->p, o->X, o->Y, 0.0);
    const size_t left = o->n - found.count;
    if (!status) status = keep_settings(w, count, settings, found.out, o->n, left);
    if (!status) status = keep_rows(w, o, found.out, left);
    if (!status && found.count)
        orffi_log(ORFF_LOG_WARNING, "%zu of %zu rows are outliers, far from all their neighbours, and left out",
                  found.count, o->n);
    orffi_outliers_clear(&found);
    return status;
}

void orffi_without_outliers_clear(orffi_without_outliers *w) {
    void *all[] = {w->settings, w->X, w->Y, w->weights, w->errors, w->instruments, w->groups, w->offsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    *w = (orffi_without_outliers){0};
}

orff_status orffi_outliers_refuse(const orff_settings *settings, const char *what) {
    if (!settings->drop_outliers) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "outliers cannot be dropped: %s", what);
}
