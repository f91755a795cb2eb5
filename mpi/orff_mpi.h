/*
 * orff over many processes, by MPI: link with liborff_mpi, liborff and MPI.
 *
 *   1. agreeing        a failure anywhere is the same failure everywhere
 *   2. moments         every rank sums its rows, the sums are added
 *   3. large systems   ridge whose matrix lies in pieces on all ranks, solved by ScaLAPACK
 *   4. iteration       ridge without any matrix, by sweeps of the rows
 *
 *     MPI_Init(&argc, &argv);
 *     orff_status status = orff_moments_read(moments, &my_rows);            (each rank its own rows)
 *     status = orff_mpi_agree(MPI_COMM_WORLD, status, orff_error_message());
 *     if (!status) status = orff_mpi_moments_reduce(MPI_COMM_WORLD, moments, 0);
 *     if (!status && rank == 0) status = orff_model_fit_moments(&model, &settings, moments);
 *
 * Every call here is collective: all ranks of the communicator make it, also those that have failed before, by
 * orff_mpi_agree. All of them return the same status, and orff_mpi_error_message then has the same words on all ranks. Errors
 * of MPI itself go to the error handler of the communicator, which by MPI's default ends all processes.
 */
#ifndef ORFF_MPI_H
#define ORFF_MPI_H

#include <mpi.h>

#include "orff.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- 1. agreeing */

/* The status of the first rank that has failed, ORFF_OK where none has; message: in words what this rank met. */
ORFF_API orff_status orff_mpi_agree(MPI_Comm comm, orff_status status, const char *message);

/* What the last failing call here was about: "rank 3: part-0007.npy: cannot be opened: .." */
ORFF_API const char *orff_mpi_error_message(void);

/* ORFF_ERROR_MISMATCH, with `what` in the message, unless all ranks bring the same number: a digest of settings. */
ORFF_API orff_status orff_mpi_check_same(MPI_Comm comm, uint64_t digest, const char *what);

/* ---------------------------------------------------------------- 2. moments */

/* The moments of rank `root` become the sum of those of all ranks; the others' stay as they are, but with room for rows that only
 * other ranks have (orff_moments_widen). They are sent in pieces of 32 MB, so two pieces more are all the memory that is needed. Moments that do not add up are refused (ORFF_ERROR_MISMATCH) before
 * anything is sent. How sums are rounded depends on the number of ranks, in the last digits; systems that are nearly singular
 * make much of these. */
ORFF_API orff_status orff_mpi_moments_reduce(MPI_Comm comm, orff_moments *moments, int root);
ORFF_API orff_status orff_mpi_lattice_moments_reduce(MPI_Comm comm, orff_lattice_moments *moments, int root);

/* Sums with twice the digits, which come out the same in whatever order they are added: for results that do not depend on the
 * number of ranks. Divide the rows into portions that do not depend on it either, and let each rank sum up those that it has,
 * one by one:
 *
 *     orff_mpi_sum_create(&sum, orff_moments_size(moments));
 *     for (each portion of mine) {
 *         orff_moments_create_like(&one, moments), orff_moments_read(one, &portion);
 *         orff_mpi_sum_add_moments(sum, one), orff_moments_free(one);
 *     }
 *     orff_mpi_sum_moments(comm, sum, moments, 0);
 *
 * Where rows may miss outputs, or have errors or directions, orff_moments_widen comes before: all of a sum have the same room.
 */
typedef struct orff_mpi_sum orff_mpi_sum;

/* These, down to orff_mpi_sum_free, are no collective calls. Memory: 16 bytes for each number. */
ORFF_API orff_status orff_mpi_sum_create(orff_mpi_sum **sum, uint64_t size);
ORFF_API orff_status orff_mpi_sum_add_moments(orff_mpi_sum *sum, const orff_moments *moments);
ORFF_API orff_status orff_mpi_sum_add_lattice_moments(orff_mpi_sum *sum, const orff_lattice_moments *moments);

/* A sum in a file, with a text of the caller's that says which rows it is of: to go on from after a crash. The file is written
 * under a temporary name, synced and renamed. Loading adds what the file has to the sum: ORFF_ERROR_MISMATCH where that is of
 * another size, ORFF_ERROR_FORMAT for a file that is something else, cut short or damaged; the sum is then of no use any more.
 * With NULL for the sum only the text is read. text: from malloc, may be NULL. */
ORFF_API orff_status orff_mpi_sum_save(const orff_mpi_sum *sum, const char *path, const char *text);
ORFF_API orff_status orff_mpi_sum_load(orff_mpi_sum *sum, const char *path, char **text);
ORFF_API void orff_mpi_sum_free(orff_mpi_sum *sum);

/* The moments of rank `root` become the sum of what all ranks have added; as orff_mpi_moments_reduce otherwise. */
ORFF_API orff_status orff_mpi_sum_moments(MPI_Comm comm, orff_mpi_sum *sum, orff_moments *moments, int root);
ORFF_API orff_status orff_mpi_sum_lattice_moments(MPI_Comm comm, orff_mpi_sum *sum,
                                                  orff_lattice_moments *moments, int root);

/* ---------------------------------------------------------------- 3. large systems
 *
 * Ridge (section 9 of orff.h) without moments, for features so many that their system is too large for one machine: it lies in
 * blocks on all ranks, each has its part of it and no rank ever more, and ScaLAPACK solves it by Cholesky. Rows travel instead
 * of sums: every rank sees those of all, some at a time, and computes of phi what its part needs.
 */

typedef struct orff_mpi_ridge_info {
    uint64_t rows;
    double weight;       /* sum of the weights */
    double train_mse;    /* mean of squared errors over rows and outputs */
    size_t order;        /* of the matrix */
    int grid[2];         /* ranks: so many rows of them, and columns */
    double matrix_bytes; /* of this rank's part */
    double row_bytes;    /* of rows that this rank was sent */
    double fill_seconds, solve_seconds;
} orff_mpi_ridge_info;

/* theta (M) and intercept (p, zeros without center) on all ranks, for lambda > 0; reader: the rows of this rank. kernel is that
 * of the features, which have one group of frequencies and blocks of as many columns each. ORFF_ERROR_UNSUPPORTED for others,
 * and where this library was built without ScaLAPACK; ORFF_ERROR_NOT_POSITIVE where lambda is too small. info may be NULL. */
ORFF_API orff_status orff_mpi_ridge(MPI_Comm comm, const orff_kernel *kernel, const orff_features *features,
                                    const orff_reader *reader, bool center, double lambda, double *theta,
                                    double *intercept, orff_mpi_ridge_info *info);

/* ---------------------------------------------------------------- 4. iteration
 *
 * Ridge without moments and without a matrix (section 10 of orff.h), for features so many that no system of them fits: every rank
 * keeps its rows in memory, 8 (d + p + 1) bytes each, and sweeps them at each iteration; M numbers are summed then, twice for pcg.
 */

typedef struct orff_mpi_iterate_info {
    uint64_t rows;
    double weight;    /* sum of the weights */
    double train_mse; /* mean of squared errors over rows and outputs */
    orff_solve_info solve;
} orff_mpi_iterate_info;

/* theta (M) has the start value, the same on all ranks, and receives the result; intercept (p, zeros without center): the mean of y;
 * both on all ranks, and equal there. reader: the rows of this rank, which may be none. The squared loss only:
 * ORFF_ERROR_UNSUPPORTED for sgd. Rows that are the same, in the order of the ranks, have the same result on any number of ranks,
 * also where it stops before it converges: they are summed in blocks of 4096, and at most 4095 rows go to another rank for this.
 * info may be NULL. */
ORFF_API orff_status orff_mpi_iterate(MPI_Comm comm, const orff_features *features, const orff_reader *reader,
                                      bool center, const orff_iteration *how, double *theta,
                                      double *intercept, orff_mpi_iterate_info *info);

#ifdef __cplusplus
}
#endif
#endif
