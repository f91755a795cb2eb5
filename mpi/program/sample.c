#include "sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/observed.h"
#include "cli/report.h"
#include "ranks.h"

#define BLOCK 4096

/* Rows on trial: each is its digest, X, Y and the weight, as numbers of 64 bits. Between cuts there may be twice as many as are
 * wanted. */
typedef struct trial {
    size_t width;             /* numbers of a row, with its digest */
    size_t d, p, most, count; /* p: columns of y, with those of directions and errors */
    uint64_t *rows;
    uint64_t highest; /* rows with digests above this are not among the smallest */
} trial;

static uint64_t mix(uint64_t hash, size_t count, const double *numbers) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        hash *= UINT64_C(0xbf58476d1ce4e5b9);
        hash ^= hash >> 32;
    }
    return hash;
}

static size_t sorted_width; /* of the rows that qsort compares */

static int compare(const void *one, const void *other) {
    const uint64_t *a = one, *b = other;
    for (size_t i = 0; i < sorted_width; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Keeps the smallest, in their order. */
static void cut(trial *t) {
    sorted_width = t->width;
    qsort(t->rows, t->count, t->width * sizeof *t->rows, compare);
    if (t->count < t->most) return;
    t->count = t->most;
    t->highest = t->rows[(t->most - 1) * t->width];
}

static void try_row(trial *t, const double *x, const double *y, double weight) {
    const uint64_t hash = mix(mix(mix(0, t->d, x), t->p, y), 1, &weight);
    if (hash > t->highest) return;
    if (t->count == 2 * t->most) cut(t);
    uint64_t *row = t->rows + t->count++ * t->width;
    row[0] = hash;
    memcpy(row + 1, x, t->d * sizeof *row);
    memcpy(row + 1 + t->d, y, t->p * sizeof *row);
    memcpy(row + 1 + t->d + t->p, &weight, sizeof weight);
}

/* ---- the rows of this rank */

static void widen(size_t d, size_t n, const double *X, double *low, double *high) {
    for (size_t i = 0; i < n * d; i++) {
        low[i % d] = fmin(low[i % d], X[i]);
        high[i % d] = fmax(high[i % d], X[i]);
    }
}

static int scan(cli_data *data, trial *t, double *low, double *high) {
    const orff_reader reader = cli_data_reader(data);
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X);
    double *Y = cli_more(NULL, BLOCK * data->columns, sizeof *Y);
    double *weights = cli_more(NULL, BLOCK, sizeof *weights);
    size_t n = 1;
    int trouble = 0;
    while (n && !trouble) {
        trouble =
            cli_other_failed() || reader.read(reader.self, BLOCK, X, Y, data->weighted ? weights : NULL, &n);
        if (trouble) break;
        widen(data->d, n, X, low, high);
        for (size_t i = 0; i < n; i++)
            try_row(t, X + i * data->d, Y + i * t->p, data->weighted ? weights[i] : 1.0);
    }
    free(X);
    free(Y);
    free(weights);
    cut(t);
    return trouble ? cli_data_outcome(data, ORFF_ERROR_CALLBACK) : CLI_DONE;
}

/* ---- those of all: in a tree, so that no rank has more than three times as many as are wanted */

static void merge_from(trial *t, int rank) {
    int bytes;
    MPI_Status status;
    MPI_Probe(rank, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const size_t more = (size_t)bytes / sizeof *t->rows;
    t->rows = cli_more(t->rows, t->count * t->width + more + 1, sizeof *t->rows);
    MPI_Recv(t->rows + t->count * t->width, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t->count += more / t->width;
    cut(t);
}

static void merge_all(trial *t) {
    const int rank = cli_rank();
    for (int step = 1; step < cli_ranks(); step *= 2) {
        if (rank % (2 * step)) {
            MPI_Send(t->rows, (int)(t->count * t->width * sizeof *t->rows), MPI_BYTE, rank - step, 0,
                     MPI_COMM_WORLD);
            return;
        }
        if (rank + step < cli_ranks()) merge_from(t, rank + step);
    }
}

/* The rows on trial become the rows held, everywhere. */
static void share_sample(cli_data *data, trial *t) {
    uint64_t count = t->count;
    cli_share_bytes(&count, sizeof count);
    const size_t n = (size_t)count, d = t->d, p = t->p;
    if (!cli_is_first()) t->rows = cli_more(t->rows, n * t->width + 1, sizeof *t->rows);
    cli_share_bytes(t->rows, n * t->width * sizeof *t->rows);
    data->X = cli_more(data->X, n * d, sizeof *data->X);
    data->Y = cli_more(data->Y, n * p, sizeof *data->Y);
    if (data->weighted) data->weights = cli_more(data->weights, n, sizeof *data->weights);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *row = t->rows + i * t->width + 1;
        memcpy(data->X + i * d, row, d * sizeof *row);
        memcpy(data->Y + i * p, row + d, p * sizeof *row);
        if (data->weighted) memcpy(data->weights + i, row + d + p, sizeof *row);
    }
    data->n = n;
    data->whole = true;
    cli_observed_place(data);
}

int cli_sample(cli_data *data, size_t most, double *low, double *high) {
    trial t = {.width = data->d + data->columns + 2, .d = data->d, .p = data->columns, .most = most};
    const size_t largest = ((size_t)1 << 30) / (t.width * sizeof *t.rows);
    if (t.most > largest) t.most = largest; /* of a message */
    t.highest = UINT64_MAX;
    t.rows = cli_more(NULL, 2 * t.most * t.width, sizeof *t.rows);
    for (size_t i = 0; i < data->d; i++) {
        low[i] = (double)INFINITY;
        high[i] = (double)-INFINITY;
    }
    const int status = cli_agree_early(scan(data, &t, low, high));
    if (!status) {
        cli_least(data->d, low);
        cli_most(data->d, high);
        merge_all(&t);
        share_sample(data, &t);
    }
    free(t.rows);
    return status;
}

void cli_sample_forget(cli_data *data) {
    free(data->X);
    free(data->Y);
    free(data->weights);
    free(data->directions);
    free(data->errors);
    data->X = data->Y = data->weights = data->directions = data->errors = NULL;
    data->n = data->given = data->room = 0;
    data->whole = false;
}
