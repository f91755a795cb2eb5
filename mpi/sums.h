/* Moments of either kind, as sequences of numbers, and sums of them. */
#ifndef ORFF_MPI_SUMS_H
#define ORFF_MPI_SUMS_H

#include "orff_mpi.h"

typedef struct orffi_mpi_row {
    void *self; /* NULL: none */
    uint64_t size, digest;
    orff_status (*get)(const void *self, uint64_t first, size_t count, double *numbers);
    orff_status (*set)(void *self, uint64_t first, size_t count, const double *numbers);
} orffi_mpi_row;

orffi_mpi_row orffi_mpi_row_of(orff_moments *moments);
orffi_mpi_row orffi_mpi_row_of_lattice(orff_lattice_moments *moments);

/* Whether the moments of all ranks can be added: the same status on all. */
orff_status orffi_mpi_row_check(MPI_Comm comm, const orffi_mpi_row *row);

/* A number of a sum: high + low, |low| <= half a unit in the last place of high. */
typedef struct orffi_mpi_pair {
    double high, low;
} orffi_mpi_pair;

struct orff_mpi_sum {
    uint64_t size;
    orffi_mpi_pair *numbers;
    double *scratch; /* ORFFI_MPI_PIECE */
};

orffi_mpi_pair orffi_mpi_add_pairs(orffi_mpi_pair a, orffi_mpi_pair b);

/* MPI's operation for adding pairs. */
typedef struct orffi_mpi_adding {
    MPI_Datatype type;
    MPI_Op op;
} orffi_mpi_adding;
orffi_mpi_adding orffi_mpi_adding_begin(void);
void orffi_mpi_adding_end(orffi_mpi_adding *adding);

/* Adds pairs to the numbers from `first` on. */
void orffi_mpi_sum_add_pairs(orff_mpi_sum *sum, uint64_t first, size_t count, const orffi_mpi_pair *pairs);

enum { ORFFI_MPI_PIECE = 1 << 22 }; /* numbers sent at once */

#endif
