/* Sums with twice the precision: every number is high + low, |low| <= half a unit in the last place of
 * high. */
#include <stdlib.h>
#include <string.h>

#include "sums.h"

typedef orffi_mpi_pair pair;

/* a + b = s + e exactly. */
static inline double two_sum(double a, double b, double *e) {
    const double s = a + b, t = s - a;
    *e = (a - (s - t)) + (b - t);
    return s;
}

pair orffi_mpi_add_pairs(pair a, pair b) {
    double e, f;
    const double s = two_sum(a.high, b.high, &e), t = two_sum(a.low, b.low, &f);
    const double u = two_sum(s, e + t, &e);
    const double high = two_sum(u, e + f, &e);
    return (pair){high, e};
}

static uint64_t piece_at(uint64_t size, uint64_t first) {
    return size - first < ORFFI_MPI_PIECE ? size - first : ORFFI_MPI_PIECE;
}

/* ---- on one rank */

orff_status orff_mpi_sum_create(orff_mpi_sum **out, uint64_t size) {
    orff_mpi_sum *sum = calloc(1, sizeof *sum);
    if (!out || !sum || size > SIZE_MAX / sizeof(pair)) {
        free(sum);
        return out ? ORFF_ERROR_NO_MEMORY : ORFF_ERROR_INVALID_ARGUMENT;
    }
    sum->size = size;
    sum->numbers = calloc((size_t)size, sizeof *sum->numbers);
    sum->scratch = malloc(ORFFI_MPI_PIECE * sizeof *sum->scratch);
    if (sum->numbers && sum->scratch) {
        *out = sum;
        return ORFF_OK;
    }
    orff_mpi_sum_free(sum);
    return ORFF_ERROR_NO_MEMORY;
}

void orff_mpi_sum_free(orff_mpi_sum *sum) {
    if (!sum) return;
    free(sum->numbers);
    free(sum->scratch);
    free(sum);
}

static orff_status add(orff_mpi_sum *sum, const orffi_mpi_row *row) {
    orff_status status = sum && row->self && row->size == sum->size ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT;
    for (uint64_t first = 0; !status && first < sum->size; first += ORFFI_MPI_PIECE) {
        const size_t count = (size_t)piece_at(sum->size, first);
        status = row->get(row->self, first, count, sum->scratch);
        for (size_t i = 0; !status && i < count; i++)
            sum->numbers[first + i] = orffi_mpi_add_pairs(sum->numbers[first + i], (pair){sum->scratch[i], 0.0});
    }
    return status;
}

orff_status orff_mpi_sum_add_moments(orff_mpi_sum *sum, const orff_moments *moments) {
    const orffi_mpi_row row = orffi_mpi_row_of((orff_moments *)moments);
    return add(sum, &row);
}

orff_status orff_mpi_sum_add_lattice_moments(orff_mpi_sum *sum, const orff_lattice_moments *moments) {
    const orffi_mpi_row row = orffi_mpi_row_of_lattice((orff_lattice_moments *)moments);
    return add(sum, &row);
}

void orffi_mpi_sum_add_pairs(orff_mpi_sum *sum, uint64_t first, size_t count, const orffi_mpi_pair *pairs) {
    for (size_t i = 0; i < count; i++) sum->numbers[first + i] = orffi_mpi_add_pairs(sum->numbers[first + i], pairs[i]);
}

/* ---- on all ranks */

static void add_in_mpi(void *in, void *inout, int *count, MPI_Datatype *type) {
    pair *into = inout;
    const pair *from = in;
    (void)type;
    for (int i = 0; i < *count; i++) into[i] = orffi_mpi_add_pairs(into[i], from[i]);
}

orffi_mpi_adding orffi_mpi_adding_begin(void) {
    orffi_mpi_adding adding;
    MPI_Type_contiguous(2, MPI_DOUBLE, &adding.type);
    MPI_Type_commit(&adding.type);
    MPI_Op_create(add_in_mpi, 1, &adding.op);
    return adding;
}

void orffi_mpi_adding_end(orffi_mpi_adding *adding) {
    MPI_Op_free(&adding->op);
    MPI_Type_free(&adding->type);
}

static orff_status reduce_pieces(MPI_Comm comm, orff_mpi_sum *sum, const orffi_mpi_row *row, int root,
                                 pair *total) {
    orff_status status = ORFF_OK;
    orffi_mpi_adding adding = orffi_mpi_adding_begin();
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (uint64_t first = 0; first < sum->size; first += ORFFI_MPI_PIECE) {
        const size_t count = (size_t)piece_at(sum->size, first);
        const pair *piece = sum->numbers + first;
        MPI_Reduce(piece, total, (int)count, adding.type, adding.op, root, comm);
        for (size_t i = 0; rank == root && i < count; i++) sum->scratch[i] = total[i].high;
        if (!status && rank == root) status = row->set(row->self, first, count, sum->scratch);
    }
    orffi_mpi_adding_end(&adding);
    return status;
}

static orff_status reduce(MPI_Comm comm, orff_mpi_sum *sum, const orffi_mpi_row *row, int root) {
    const bool right = sum && row->self && sum->size == row->size;
    orff_status status = orff_mpi_agree(comm, right ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT,
                                        "the sum is not one of these moments");
    if (!status) status = orffi_mpi_row_check(comm, row);
    if (status) return status;
    pair *total = malloc(ORFFI_MPI_PIECE * sizeof *total);
    status = orff_mpi_agree(comm, total ? ORFF_OK : ORFF_ERROR_NO_MEMORY, NULL);
    if (!status) {
        status = reduce_pieces(comm, sum, row, root, total);
        status = orff_mpi_agree(comm, status, orff_error_message());
    }
    free(total);
    return status;
}

orff_status orff_mpi_sum_moments(MPI_Comm comm, orff_mpi_sum *sum, orff_moments *moments, int root) {
    const orffi_mpi_row row = orffi_mpi_row_of(moments);
    return reduce(comm, sum, &row, root);
}

orff_status orff_mpi_sum_lattice_moments(MPI_Comm comm, orff_mpi_sum *sum, orff_lattice_moments *moments,
                                         int root) {
    const orffi_mpi_row row = orffi_mpi_row_of_lattice(moments);
    return reduce(comm, sum, &row, root);
}
