/* Sums over ranks, piece by piece. */
#include <stdlib.h>

#include "orff_mpi.h"

#define PIECE ((size_t)1 << 22) /* numbers that travel at a time */

/* Moments of either kind. */
typedef struct sums {
    void *self;
    uint64_t size, digest;
    orff_status (*get)(const void *self, uint64_t first, size_t count, double *numbers);
    orff_status (*set)(void *self, uint64_t first, size_t count, const double *numbers);
} sums;

/* One after another; within a piece MPI adds in a tree. */
static orff_status reduce_pieces(MPI_Comm comm, const sums *s, int root, double *piece) {
    orff_status status = ORFF_OK;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (uint64_t first = 0; first < s->size; first += PIECE) {
        const size_t count = s->size - first < PIECE ? (size_t)(s->size - first) : PIECE;
        if (!status) status = s->get(s->self, first, count, piece);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : piece, piece, (int)count, MPI_DOUBLE, MPI_SUM, root, comm);
        if (!status && rank == root) status = s->set(s->self, first, count, piece);
    }
    return status;
}

static orff_status reduce(MPI_Comm comm, const sums *s, int root) {
    orff_status status = orff_mpi_agree(comm, s->self ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT,
                                        "there are no moments to be added");
    if (!status) status = orff_mpi_check_same(comm, s->digest ^ s->size, "the settings of the moments");
    if (status) return status;
    double *piece = malloc((s->size < PIECE ? (size_t)s->size : PIECE) * sizeof *piece);
    status = orff_mpi_agree(comm, piece ? ORFF_OK : ORFF_ERROR_NO_MEMORY, NULL);
    if (!status) {
        status = reduce_pieces(comm, s, root, piece);
        status = orff_mpi_agree(comm, status, orff_error_message());
    }
    free(piece);
    return status;
}

static orff_status get_features(const void *self, uint64_t first, size_t count, double *numbers) {
    return orff_moments_get(self, first, count, numbers);
}

static orff_status set_features(void *self, uint64_t first, size_t count, const double *numbers) {
    return orff_moments_set(self, first, count, numbers);
}

orff_status orff_mpi_moments_reduce(MPI_Comm comm, orff_moments *moments, int root) {
    sums s = {.self = moments, .get = get_features, .set = set_features};
    if (moments) s.size = orff_moments_size(moments);
    if (moments) s.digest = orff_moments_digest(moments);
    return reduce(comm, &s, root);
}

static orff_status get_lattice(const void *self, uint64_t first, size_t count, double *numbers) {
    return orff_lattice_moments_get(self, first, count, numbers);
}

static orff_status set_lattice(void *self, uint64_t first, size_t count, const double *numbers) {
    return orff_lattice_moments_set(self, first, count, numbers);
}

orff_status orff_mpi_lattice_moments_reduce(MPI_Comm comm, orff_lattice_moments *moments, int root) {
    sums s = {.self = moments, .get = get_lattice, .set = set_lattice};
    if (moments) s.size = orff_lattice_moments_size(moments);
    if (moments) s.digest = orff_lattice_moments_digest(moments);
    return reduce(comm, &s, root);
}
