/* Iterative solvers with rows on all ranks: each iteration sums M numbers.
 *
 * Iterations amplify rounding, so all sums must be the same for any number of ranks: rows are summed in
 * blocks that do not depend on it, and blocks are added with twice the precision. A block belongs to the rank
 * that has its first row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"

#define PIECE ((size_t)1 << 16) /* numbers sent at once */
#define BLOCK ((size_t)4096)    /* rows read, summed or predicted at once */

/* The next step of a rank, exchanged before anything is summed: to sum this many numbers, or one of these. */
enum { ENDED = 0, FAILED = -1 };

typedef struct adder {
    MPI_Comm comm;
    int rank, size;
    orffi_mpi_adding adding;
    orffi_mpi_pair *pairs, *sums; /* PIECE each */
    bool heard;                   /* another rank has failed, or does something else: no more sums */
} adder;

/* Whether all ranks do the same. Otherwise none continues, so that no rank waits for one that will not
 * come. */
static bool meet(adder *a, int64_t what) {
    int64_t range[2] = {what, -what};
    if (a->heard) return false;
    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MIN, a->comm);
    a->heard = range[0] == FAILED || range[0] != -range[1];
    return !a->heard;
}

/* Sums on rank 0 and sends the result back, so that all ranks have the same bits; MPI only recommends that
 * for MPI_Allreduce. */
static void sum_piece(const adder *a, size_t count, double *numbers, const double *low) {
    for (size_t i = 0; i < count; i++) a->pairs[i] = (orffi_mpi_pair){numbers[i], low ? low[i] : 0.0};
    MPI_Reduce(a->pairs, a->sums, (int)count, a->adding.type, a->adding.op, 0, a->comm);
    for (size_t i = 0; a->rank == 0 && i < count; i++) numbers[i] = a->sums[i].high + a->sums[i].low;
    MPI_Bcast(numbers, (int)count, MPI_DOUBLE, 0, a->comm);
}

static int sum(void *self, size_t count, double *numbers, const double *low) {
    adder *a = self;
    if (!meet(a, (int64_t)count)) return 1;
    for (size_t first = 0; first < count; first += PIECE)
        sum_piece(a, count - first < PIECE ? count - first : PIECE, numbers + first,
                  low ? low + first : NULL);
    return 0;
}

static orff_status begin(adder *a, MPI_Comm comm) {
    *a = (adder){.comm = comm, .adding = orffi_mpi_adding_begin()};
    MPI_Comm_rank(comm, &a->rank);
    MPI_Comm_size(comm, &a->size);
    a->pairs = malloc(2 * PIECE * sizeof *a->pairs);
    if (a->pairs) a->sums = a->pairs + PIECE;
    return a->pairs ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
}

static void end(adder *a) {
    orffi_mpi_adding_end(&a->adding);
    free(a->pairs);
}

/* The end of a computation with sums: one status for all ranks, that of the rank that failed on its own. */
static orff_status finish(adder *a, orff_status status) {
    const bool own = status && !a->heard;
    const bool all = meet(a, own ? FAILED : ENDED);
    status = orff_mpi_agree(a->comm, own ? status : ORFF_OK, orff_error_message());
    if (status || all) return status;
    return orff_mpi_agree(a->comm, ORFF_ERROR_MISMATCH,
                          "the ranks made different numbers of iterations: do all have the same settings and "
                          "the same build?");
}

/* ---- rows */

typedef struct rows {
    size_t n, room, d, p;
    double *X, *Y, *weights; /* weights: NULL if there are none */
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

/* ---- whole blocks */

/* Rank k has rows start[k] to start[k + 1] - 1 of all. */
static void find_starts(const adder *a, size_t n, uint64_t *start) {
    const uint64_t mine = n;
    start[0] = 0;
    MPI_Allgather(&mine, 1, MPI_UINT64_T, start + 1, 1, MPI_UINT64_T, a->comm);
    for (int k = 0; k < a->size; k++) start[k + 1] += start[k];
}

/* Sends rows of X, Y and the weights, from `first` on, to another rank, or receives them; less than a
 * block. */
static void move_rows(const adder *a, const rows *r, size_t first, size_t count, int other, bool out) {
    double *const arrays[] = {r->X, r->Y, r->weights};
    const size_t widths[] = {r->d, r->p, 1};
    for (size_t i = 0; i < 3 && arrays[i]; i++) {
        double *at = arrays[i] + first * widths[i];
        const int numbers = (int)(count * widths[i]);
        if (out)
            MPI_Send(at, numbers, MPI_DOUBLE, other, 0, a->comm);
        else
            MPI_Recv(at, numbers, MPI_DOUBLE, other, 0, a->comm, MPI_STATUS_IGNORE);
    }
}

/* Removes the first `count` rows. */
static void drop_front(rows *r, size_t count) {
    double *const arrays[] = {r->X, r->Y, r->weights};
    const size_t widths[] = {r->d, r->p, 1};
    r->n -= count;
    for (size_t i = 0; count && i < 3 && arrays[i]; i++)
        memmove(arrays[i], arrays[i] + count * widths[i], r->n * widths[i] * sizeof *arrays[i]);
}

/* Sends rows of a block that starts on an earlier rank to that rank, and receives those that complete the
 * last block of this rank. Every rank sends to an earlier one before it receives, so the first can always
 * proceed. */
static void exchange_blocks(const adder *a, rows *r, const uint64_t *start) {
    const uint64_t from = start[a->rank], to = start[a->rank + 1], begins = from / BLOCK * BLOCK;
    const uint64_t ahead = from == begins ? 0 : begins + BLOCK - from;
    const size_t given = ahead < r->n ? (size_t)ahead : r->n;
    const uint64_t end = to % BLOCK && given < r->n ? (to / BLOCK + 1) * BLOCK : to;
    int owner = a->rank;
    while (start[owner] > begins) owner--;
    while (start[owner + 1] <= begins) owner++; /* skips ranks without rows */
    if (given) move_rows(a, r, 0, given, owner, true);
    for (int k = a->rank + 1; k < a->size && start[k] < end; k++) {
        const size_t count = (size_t)((start[k + 1] < end ? start[k + 1] : end) - start[k]);
        if (count) move_rows(a, r, r->n, count, k, false);
        r->n += count;
    }
    drop_front(r, given);
}

/* read_all left room for the rows received. */
static orff_status align(const adder *a, rows *r) {
    uint64_t *start = malloc(((size_t)a->size + 1) * sizeof *start);
    const orff_status status =
        orff_mpi_agree(a->comm, start ? ORFF_OK : ORFF_ERROR_NO_MEMORY, "not enough memory");
    if (!status) find_starts(a, r->n, start);
    if (!status && start[a->size]) exchange_blocks(a, r, start);
    free(start);
    return status;
}

static const char *words_for(orff_status status) {
    return status == ORFF_ERROR_CALLBACK ? "the reader reported failure"
                                         : "not enough memory for the rows of this rank";
}

static double weight_of(const rows *r, size_t i) {
    return r->weights ? r->weights[i] : 1.0;
}

/* ---- mean and errors */

/* high + low += x */
static void add_to(double *high, double *low, double x) {
    const orffi_mpi_pair sum = orffi_mpi_add_pairs((orffi_mpi_pair){*high, *low}, (orffi_mpi_pair){x, 0.0});
    *high = sum.high;
    *low = sum.low;
}

/* intercept: the mean of y over all ranks, or zeros. sums: room for 2 p + 4 numbers. */
static orff_status find_mean(adder *a, const rows *r, bool center, double *sums, double *intercept,
                             orff_mpi_iterate_info *info) {
    double *total = sums + r->p, *low = total + 2;
    memset(sums, 0, 2 * (r->p + 2) * sizeof *sums);
    for (size_t i = 0; i < r->n; i++) {
        add_to(&total[0], &low[r->p], weight_of(r, i));
        for (size_t k = 0; k < r->p; k++) add_to(&sums[k], &low[k], weight_of(r, i) * r->Y[i * r->p + k]);
    }
    total[1] = (double)r->n;
    if (sum(a, r->p + 2, sums, low)) return ORFF_ERROR_CALLBACK;
    for (size_t k = 0; k < r->p; k++) intercept[k] = center && total[0] > 0.0 ? sums[k] / total[0] : 0.0;
    info->weight = total[0];
    info->rows = (uint64_t)total[1];
    return ORFF_OK;
}

/* The mean of squared errors over rows and outputs. F: room for BLOCK rows. */
static orff_status find_errors(adder *a, const orff_features *features, const rows *r, const double *theta,
                               const double *intercept, double *F, orff_mpi_iterate_info *info) {
    double squares = 0.0, low = 0.0;
    for (size_t first = 0; first < r->n; first += BLOCK) {
        const size_t count = r->n - first < BLOCK ? r->n - first : BLOCK;
        const orff_status status = orff_features_apply(features, count, r->X + first * r->d, theta, F);
        if (status) return status;
        for (size_t i = 0; i < count * r->p; i++) {
            const double error = F[i] + intercept[i % r->p] - r->Y[first * r->p + i];
            add_to(&squares, &low, weight_of(r, first + i / r->p) * error * error);
        }
    }
    if (sum(a, 1, &squares, &low)) return ORFF_ERROR_CALLBACK;
    info->train_mse = squares / (info->weight * (double)r->p);
    return ORFF_OK;
}

static orff_status solve(adder *a, const orff_features *features, const rows *r, bool center,
                         const orff_iteration *how, double *scratch, double *theta, double *intercept,
                         orff_mpi_iterate_info *info) {
    const orff_sharing sharing = {
        .rank = (size_t)a->rank, .count = (size_t)a->size, .block = BLOCK, .sum = sum, .self = a};
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
    adder a;
    rows r = {0};
    orff_status status = orff_mpi_agree(comm, right ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT,
                                        "orff_mpi_iterate: NULL argument");
    if (status) return status;
    const orff_features_info shape = orff_features_describe(features);
    r.d = shape.inputs;
    r.p = shape.outputs;
    double *scratch = malloc((BLOCK + 4) * r.p * sizeof *scratch);
    status = begin(&a, comm);
    if (!status) status = scratch ? read_all(&r, reader) : ORFF_ERROR_NO_MEMORY;
    status = orff_mpi_agree(comm, status, words_for(status));
    if (!status) status = orff_mpi_check_same(comm, reader->weighted, "whether rows have weights");
    if (!status) status = align(&a, &r);
    if (!status) status = solve(&a, features, &r, center, how, scratch, theta, intercept, &found);
    if (!status && info) *info = found;
    end(&a);
    free(scratch);
    rows_clear(&r);
    return status;
}
