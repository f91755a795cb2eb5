/* Making all ranks return the same status. */
#include <stdio.h>
#include <string.h>

#include "orff_mpi.h"

#define ROOM 1024

static _Thread_local char agreed[ROOM];

const char *orff_mpi_error_message(void) {
    return agreed;
}

orff_status orff_mpi_agree(MPI_Comm comm, orff_status status, const char *message) {
    struct {
        int status;
        char message[ROOM];
    } told = {.status = (int)status};
    int rank, size, first, mine;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mine = status ? rank : size;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size) return ORFF_OK;
    if (message && *message) snprintf(told.message, ROOM, "%s", message);
    if (rank == first && !*told.message) snprintf(told.message, ROOM, "%s", orff_status_text(status));
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, comm);
    if (size > 1) {
        snprintf(agreed, ROOM, "rank %d: %.980s", first, told.message);
    } else {
        snprintf(agreed, ROOM, "%s", told.message);
    }
    return (orff_status)told.status;
}

orff_status orff_mpi_check_same(MPI_Comm comm, uint64_t digest, const char *what) {
    char message[ROOM];
    uint64_t first = digest;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm);
    snprintf(message, ROOM, "%s: this rank and rank 0 do not have the same", what);
    return orff_mpi_agree(comm, first == digest ? ORFF_OK : ORFF_ERROR_MISMATCH, message);
}
