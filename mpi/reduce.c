/* Sums over ranks, piece by piece. */
#include <stdlib.h>

#include "sums.h"

/* Sums one piece after another; within a piece MPI adds in a tree. Not in place, because some MPIs fail at
 * that for roots other than 0. */
static orff_status reduce_pieces(MPI_Comm comm, const orffi_mpi_row *row, int root, double *piece,
                                 double *sum) {
    orff_status status = ORFF_OK;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (uint64_t first = 0; first < row->size; first += ORFFI_MPI_PIECE) {
        const size_t count =
            row->size - first < ORFFI_MPI_PIECE ? (size_t)(row->size - first) : ORFFI_MPI_PIECE;
        if (!status) status = row->get(row->self, first, count, piece);
        MPI_Reduce(piece, sum, (int)count, MPI_DOUBLE, MPI_SUM, root, comm);
        if (!status && rank == root) status = row->set(row->self, first, count, sum);
    }
    return status;
}

static orff_status reduce(MPI_Comm comm, const orffi_mpi_row *row, int root) {
    orff_status status = orffi_mpi_row_check(comm, row);
    if (status) return status;
    double *piece = malloc(2 * ORFFI_MPI_PIECE * sizeof *piece);
    status = orff_mpi_agree(comm, piece ? ORFF_OK : ORFF_ERROR_NO_MEMORY, NULL);
    if (!status) {
        status = reduce_pieces(comm, row, root, piece, piece + ORFFI_MPI_PIECE);
        status = orff_mpi_agree(comm, status, orff_error_message());
    }
    free(piece);
    return status;
}

/* The room needed for the rows of all ranks. */
static orff_rows widest(MPI_Comm comm, orff_rows mine) {
    int room = (int)mine, most;
    MPI_Allreduce(&room, &most, 1, MPI_INT, MPI_MAX, comm);
    return (orff_rows)most;
}

orff_status orff_mpi_moments_reduce(MPI_Comm comm, orff_moments *moments, int root) {
    const orff_rows rows = widest(comm, moments ? orff_moments_room(moments) : ORFF_ROWS_WHOLE);
    const orff_status status =
        orff_mpi_agree(comm, moments ? orff_moments_widen(moments, rows) : ORFF_OK, orff_error_message());
    const orffi_mpi_row row = orffi_mpi_row_of(moments);
    return status ? status : reduce(comm, &row, root);
}

orff_status orff_mpi_lattice_moments_reduce(MPI_Comm comm, orff_lattice_moments *moments, int root) {
    const orff_rows rows = widest(comm, moments ? orff_lattice_moments_room(moments) : ORFF_ROWS_WHOLE);
    const orff_status status = orff_mpi_agree(
        comm, moments ? orff_lattice_moments_widen(moments, rows) : ORFF_OK, orff_error_message());
    const orffi_mpi_row row = orffi_mpi_row_of_lattice(moments);
    return status ? status : reduce(comm, &row, root);
}
