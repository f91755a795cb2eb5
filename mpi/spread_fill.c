/* Fills the matrix; all ranks see all rows, some at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack.h"
#include "spread.h"

/* Rows of all ranks, one after the other: x, y, c of each (d + p + 1 numbers). */
typedef struct intake {
    size_t width, room; /* numbers in a row; rows that a rank contributes to a round */
    double *X, *Y, *weights, *mine, *all, *x;
    int *counts, *places; /* ranks: the count of numbers from each, and their positions */
} intake;

static orff_status prepare(const orffi_spread *s, intake *in, bool weighted) {
    const size_t ranks = (size_t)s->size;
    in->width = s->d + s->p + 1;
    in->room = s->round / ranks ? s->round / ranks : 1;
    in->X = malloc(in->room * s->d * sizeof *in->X);
    in->Y = malloc(in->room * s->p * sizeof *in->Y);
    in->weights = malloc((weighted ? in->room : 1) * sizeof *in->weights);
    in->mine = malloc(in->room * in->width * sizeof *in->mine);
    in->all = malloc(ranks * in->room * in->width * sizeof *in->all);
    in->x = malloc(ranks * in->room * s->d * sizeof *in->x);
    in->counts = malloc(ranks * sizeof *in->counts);
    in->places = malloc(ranks * sizeof *in->places);
    const bool all =
        in->X && in->Y && in->weights && in->mine && in->all && in->x && in->counts && in->places;
    return all ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
}

static void clear(intake *in) {
    void *const arrays[] = {in->X, in->Y, in->weights, in->mine, in->all, in->x, in->counts, in->places};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

static orff_status prepare_sides(orffi_spread *s, size_t rows) {
    orffi_side *const sides[] = {&s->rows, &s->columns};
    for (size_t i = 0; i < 2; i++) {
        sides[i]->phi = malloc((rows * sides[i]->count + 1) * sizeof *sides[i]->phi);
        sides[i]->wide = malloc((rows * 2 * sides[i]->frequencies + 1) * sizeof *sides[i]->wide);
        if (!sides[i]->phi || !sides[i]->wide) return ORFF_ERROR_NO_MEMORY;
    }
    return ORFF_OK;
}

/* ---- one round */

static bool is_finite(size_t count, const double *numbers) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

/* Reads rows of this rank into `mine`; fewer at the end. */
static orff_status read_some(const orffi_spread *s, intake *in, const orff_reader *reader, size_t *n) {
    double *weights = reader->weighted ? in->weights : NULL;
    *n = 0;
    if (reader->read(reader->self, in->room, in->X, in->Y, weights, n) || *n > in->room)
        return ORFF_ERROR_CALLBACK;
    for (size_t i = 0; i < *n; i++) {
        double *row = in->mine + i * in->width;
        memcpy(row, in->X + i * s->d, s->d * sizeof *row);
        memcpy(row + s->d, in->Y + i * s->p, s->p * sizeof *row);
        row[s->d + s->p] = weights ? weights[i] : 1.0;
    }
    return is_finite(*n * in->width, in->mine) ? ORFF_OK : ORFF_ERROR_NOT_FINITE;
}

/* Sends what each rank has read to all. */
static size_t exchange(orffi_spread *s, intake *in, size_t mine) {
    const int count = (int)(mine * in->width);
    int total = 0;
    MPI_Allgather(&count, 1, MPI_INT, in->counts, 1, MPI_INT, s->comm);
    for (int r = 0; r < s->size; r++) {
        in->places[r] = total;
        total += in->counts[r];
    }
    MPI_Allgatherv(in->mine, count, MPI_DOUBLE, in->all, in->counts, in->places, MPI_DOUBLE, s->comm);
    s->bytes += 8.0 * (total - count);
    const size_t n = (size_t)total / in->width;
    for (size_t i = 0; i < n; i++) memcpy(in->x + i * s->d, in->all + i * in->width, s->d * sizeof *in->x);
    s->n += n;
    return n;
}

/* phi for the features of a side (n x count). */
static orff_status compute_side(orffi_side *side, size_t n, const double *x) {
    const size_t wide = 2 * side->frequencies;
    if (!side->count) return ORFF_OK;
    const orff_status status = orff_features_phi(side->features, n, x, side->wide);
    for (size_t i = 0; !status && i < n; i++)
        for (size_t a = 0; a < side->count; a++)
            side->phi[i * side->count + a] = side->wide[i * wide + side->column[a]];
    return status;
}

/* S += phi_I^T c phi_J: in each block column the blocks on and below the diagonal. */
static void add_products(orffi_spread *s, size_t n, const intake *in) {
    const double one = 1.0;
    const size_t m = s->rows.count, width = s->columns.count;
    const int k = (int)n, lda = (int)m, ldb = (int)width;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < width; a++)
            s->columns.phi[i * width + a] *= in->all[i * in->width + s->d + s->p];
    for (size_t j = 0, i = 0; j < width; j += s->block) {
        const size_t first = s->columns.index[j] / s->block * s->block; /* first feature of this block */
        const int columns = (int)(width - j < s->block ? width - j : s->block);
        while (i < m && s->rows.index[i] < first) i++;
        const int rows = (int)(m - i);
        if (rows)
            dgemm_("N", "T", &rows, &columns, &k, &one, s->rows.phi + i, &lda, s->columns.phi + j, &ldb, &one,
                   s->S + i + j * m, &lda);
    }
}

/* R += phi_I^T c (y, 1), T += c (y, 1)(y, 1)^T. */
static void add_outputs(orffi_spread *s, size_t n, const intake *in) {
    const size_t side = s->p + 1, m = s->rows.count;
    for (size_t i = 0; i < n; i++) {
        const double *y = in->all + i * in->width + s->d, c = y[s->p];
        for (size_t a = 0; a < side; a++) {
            const double ya = a < s->p ? y[a] : 1.0;
            for (size_t b = 0; b < side; b++) s->T[a * side + b] += c * ya * (b < s->p ? y[b] : 1.0);
            for (size_t f = 0; f < m; f++) s->R[f * side + a] += c * ya * s->rows.phi[i * m + f];
        }
    }
}

static orff_status add_round(orffi_spread *s, size_t n, const intake *in) {
    orff_status status = compute_side(&s->rows, n, in->x);
    if (!status) status = compute_side(&s->columns, n, in->x);
    if (status) return status;
    add_outputs(s, n, in);
    add_products(s, n, in);
    return ORFF_OK;
}

static const char *words_for(orff_status status) {
    if (status == ORFF_ERROR_CALLBACK) return "the reader reported failure";
    if (status == ORFF_ERROR_NOT_FINITE) return "a number of the rows is NaN or infinite";
    return orff_error_message();
}

orff_status orffi_spread_fill(orffi_spread *s, const orff_reader *reader) {
    intake in = {0};
    size_t n = 1;
    uint64_t round = s->round; /* parts differ in size, and the smallest round fits all */
    MPI_Allreduce(MPI_IN_PLACE, &round, 1, MPI_UINT64_T, MPI_MIN, s->comm);
    s->round = (size_t)round;
    orff_status status = prepare(s, &in, reader->weighted);
    if (!status) status = prepare_sides(s, in.room * (size_t)s->size);
    status = orff_mpi_agree(s->comm, status, NULL);
    while (!status && n) {
        size_t mine;
        status = read_some(s, &in, reader, &mine);
        status = orff_mpi_agree(s->comm, status, words_for(status));
        n = status ? 0 : exchange(s, &in, mine);
        if (n) status = add_round(s, n, &in);
    }
    clear(&in);
    return orff_mpi_agree(s->comm, status, orff_error_message());
}
