#include "model/halves.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct entry {
    double at;
    size_t row;
} entry;

/* Ties are ordered by row, so that the order is unique. */
static int by_place(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static size_t widest_input(size_t n, size_t d, const double *X, const entry *list) {
    double most = -INFINITY;
    size_t widest = 0;
    for (size_t k = 0; k < d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            low = fmin(low, X[list[i].row * d + k]);
            high = fmax(high, X[list[i].row * d + k]);
        }
        if (!(high - low > most)) continue;
        most = high - low;
        widest = k;
    }
    return widest;
}

/* Divides the rows of the list into `count` clusters, numbered from `first`. */
static void halve(size_t n, size_t d, const double *X, entry *list, size_t first, size_t count,
                  size_t *cluster) {
    if (count < 2) {
        for (size_t i = 0; i < n; i++) cluster[list[i].row] = first;
        return;
    }
    const size_t k = widest_input(n, d, X, list), middle = n / 2;
    for (size_t i = 0; i < n; i++) list[i].at = X[list[i].row * d + k];
    qsort(list, n, sizeof *list, by_place);
    halve(middle, d, X, list, first, count / 2, cluster);
    halve(n - middle, d, X, list + middle, first + count / 2, count / 2, cluster);
}

orff_status orffi_halves(size_t n, size_t d, const double *X, size_t count, size_t *cluster) {
    entry *list;
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, n));
    for (size_t i = 0; i < n; i++) list[i].row = i;
    halve(n, d, X, list, 0, count, cluster);
    orffi_release(list);
    return ORFF_OK;
}
