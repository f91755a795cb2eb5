/* Iterative solvers whose rows lie on all ranks: an iteration sums M numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orff_mpi.h"

#define PIECE ((size_t)1 << 16) /* numbers that travel at a time */
#define BLOCK ((size_t)4096)    /* rows that are read or predicted at a time */

/* What a rank is about to do, told to all before anything is summed: to sum so many numbers, or one of these. */
enum { ENDED = 0, FAILED = -1 };

typedef struct adder {
    MPI_Comm comm;
    int rank, size;
    double *piece;
    bool heard; /* another rank has failed, or does something else: nothing is summed any more */
} adder;

/* Whether all ranks do the same. Otherwise none goes on, so that no rank waits for one that will not come. */
static bool meet(adder *a, int64_t what) {
    int64_t range[2] = {what, -what};
    if (a->heard) return false;
    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MIN, a->comm);
    a->heard = range[0] == FAILED || range[0] != -range[1];
    return !a->heard;
}

/* To rank 0 and back, so that all ranks have the same bits: MPI_Allreduce only recommends that. */
static int sum(void *self, size_t count, double *numbers) {
    adder *a = self;
    if (!meet(a, (int64_t)count)) return 1;
    for (size_t first = 0; first < count; first += PIECE) {
        const size_t here = count - first < PIECE ? count - first : PIECE;
        MPI_Reduce(numbers + first, a->piece, (int)here, MPI_DOUBLE, MPI_SUM, 0, a->comm);
        if (a->rank == 0) memcpy(numbers + first, a->piece, here * sizeof *numbers);
        MPI_Bcast(numbers + first, (int)here, MPI_DOUBLE, 0, a->comm);
    }
    return 0;
}

/* The end of work with sums: one status for all, that of the rank which failed by itself. */
static orff_status finish(adder *a, orff_status status) {
    const bool own = status && !a->heard;
    const bool all = meet(a, own ? FAILED : ENDED);
    status = orff_mpi_agree(a->comm, own ? status : ORFF_OK, orff_error_message());
    if (status || all) return status;
    return orff_mpi_agree(a->comm, ORFF_ERROR_MISMATCH,
                          "the ranks came to different numbers of iterations: do all have the same settings "
                          "and the same build?");
}

/* ---- rows */

typedef struct rows {
    size_t n, room, d, p;
    double *X, *Y, *weights; /* weights: NULL where there are none */
} rows;

static void rows_clear(rows *r) {
    free(r->X);
    free(r->Y);
    free(r->weights);
}

static bool grow(double **numbers, size_t count) {
    double *more = count <= SIZE_MAX / sizeof *more ? realloc(*numbers, count * sizeof *more) : NULL;
    if (more) *numbers = more;
    return more != NULL;
}

static orff_status make_room(rows *r, bool weighted) {
    if (r->room - r->n >= BLOCK) return ORFF_OK;
    const size_t room = r->room + r->room / 2 + BLOCK;
    if (!grow(&r->X, room * r->d) || !grow(&r->Y, room * r->p) || (weighted && !grow(&r->weights, room)))
        return ORFF_ERROR_NO_MEMORY;
    r->room = room;
    return ORFF_OK;
}

static orff_status read_all(rows *r, const orff_reader *reader) {
    size_t got = 1;
    while (got) {
        const orff_status status = make_room(r, reader->weighted);
        if (status) return status;
        got = 0;
        if (reader->read(reader->self, BLOCK, r->X + r->n * r->d, r->Y + r->n * r->p,
                         reader->weighted ? r->weights + r->n : NULL, &got) ||
            got > BLOCK)
            return ORFF_ERROR_CALLBACK;
        r->n += got;
    }
    return ORFF_OK;
}

static const char *words_for(orff_status status) {
    return status == ORFF_ERROR_CALLBACK ? "the reader reported failure"
                                         : "not enough memory for the rows of this rank";
}

static double weight_of(const rows *r, size_t i) {
    return r->weights ? r->weights[i] : 1.0;
}

/* ---- what is not the solver's */

/* intercept: the mean of y over all ranks, or zeros. sums: room for p + 2 numbers. */
static orff_status find_mean(adder *a, const rows *r, bool center, double *sums, double *intercept,
                             orff_mpi_iterate_info *info) {
    double *total = sums + r->p;
    memset(sums, 0, (r->p + 2) * sizeof *sums);
    for (size_t i = 0; i < r->n; i++) {
        total[0] += weight_of(r, i);
        for (size_t k = 0; k < r->p; k++) sums[k] += weight_of(r, i) * r->Y[i * r->p + k];
    }
    total[1] = (double)r->n;
    if (sum(a, r->p + 2, sums)) return ORFF_ERROR_CALLBACK;
    for (size_t k = 0; k < r->p; k++) intercept[k] = center && total[0] > 0.0 ? sums[k] / total[0] : 0.0;
    info->weight = total[0];
    info->rows = (uint64_t)total[1];
    return ORFF_OK;
}

/* The mean of squared errors over rows and outputs. F: room for BLOCK rows. */
static orff_status find_errors(adder *a, const orff_features *features, const rows *r, const double *theta,
                               const double *intercept, double *F, orff_mpi_iterate_info *info) {
    double squares = 0.0;
    for (size_t first = 0; first < r->n; first += BLOCK) {
        const size_t count = r->n - first < BLOCK ? r->n - first : BLOCK;
        const orff_status status = orff_features_apply(features, count, r->X + first * r->d, theta, F);
        if (status) return status;
        for (size_t i = 0; i < count * r->p; i++) {
            const double error = F[i] + intercept[i % r->p] - r->Y[first * r->p + i];
            squares += weight_of(r, first + i / r->p) * error * error;
        }
    }
    if (sum(a, 1, &squares)) return ORFF_ERROR_CALLBACK;
    info->train_mse = squares / (info->weight * (double)r->p);
    return ORFF_OK;
}

static orff_status solve(adder *a, const orff_features *features, const rows *r, bool center,
                         const orff_iteration *how, double *scratch, double *theta, double *intercept,
                         orff_mpi_iterate_info *info) {
    const orff_sharing sharing = {.rank = (size_t)a->rank, .count = (size_t)a->size, .sum = sum, .self = a};
    orff_status status = find_mean(a, r, center, scratch, intercept, info);
    if (!status)
        status = orff_iterate_shared(features, r->n, r->X, r->Y, r->weights, intercept, how, &sharing, theta,
                                     &info->solve);
    if (!status) status = find_errors(a, features, r, theta, intercept, scratch, info);
    return finish(a, status);
}

orff_status orff_mpi_iterate(MPI_Comm comm, const orff_features *features, const orff_reader *reader,
                             bool center, const orff_iteration *how, double *theta, double *intercept,
                             orff_mpi_iterate_info *info) {
    const bool right = features && reader && reader->read && how && theta && intercept;
    orff_mpi_iterate_info found = {0};
    adder a = {.comm = comm};
    rows r = {0};
    orff_status status = orff_mpi_agree(comm, right ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT,
                                        "orff_mpi_iterate: NULL argument");
    if (status) return status;
    const orff_features_info shape = orff_features_describe(features);
    MPI_Comm_rank(comm, &a.rank);
    MPI_Comm_size(comm, &a.size);
    r.d = shape.inputs;
    r.p = shape.outputs;
    a.piece = malloc(PIECE * sizeof *a.piece);
    double *scratch = malloc((BLOCK + 2) * r.p * sizeof *scratch);
    status = a.piece && scratch ? read_all(&r, reader) : ORFF_ERROR_NO_MEMORY;
    status = orff_mpi_agree(comm, status, words_for(status));
    if (!status) status = solve(&a, features, &r, center, how, scratch, theta, intercept, &found);
    if (!status && info) *info = found;
    free(a.piece);
    free(scratch);
    rows_clear(&r);
    return status;
}
