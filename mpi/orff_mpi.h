/*
 * orff on many processes, by MPI: link with liborff_mpi, liborff and MPI.
 *
 *   1. agreeing        a failure on one rank becomes the same failure on all
 *   2. moments         every rank sums its rows, and the sums are added
 *   3. large systems   ridge with its matrix distributed over all ranks, solved by ScaLAPACK
 *   4. iteration       ridge without any matrix, by sweeps over the rows
 *
 *     MPI_Init(&argc, &argv);
 *     orff_status status = orff_moments_read(moments, &my_rows);            (each rank its own rows)
 *     status = orff_mpi_agree(MPI_COMM_WORLD, status, orff_error_message());
 *     if (!status) status = orff_mpi_moments_reduce(MPI_COMM_WORLD, moments, 0);
 *     if (!status && rank == 0) status = orff_model_fit_moments(&model, &settings, moments);
 *
 * Every call here is collective: all ranks of the communicator make it, also those that have failed before,
 * by orff_mpi_agree. All of them return the same status, and orff_mpi_error_message then has the same text on
 * all ranks. Errors of MPI itself go to the error handler of the communicator, which by MPI's default ends
 * all processes.
 */
#ifndef ORFF_MPI_H
#define ORFF_MPI_H

#include <mpi.h>

#include "orff.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- 1. agreeing */

/* The status of the first rank that has failed, ORFF_OK if none has; message: this rank's message. */
ORFF_API orff_status orff_mpi_agree(MPI_Comm comm, orff_status status, const char *message);

/* The message of the last failing call: "rank 3: part-0007.npy: cannot be opened: .." */
ORFF_API const char *orff_mpi_error_message(void);

/* ORFF_ERROR_MISMATCH, with `what` in the message, unless all ranks give the same number: a digest of
 * settings. */
ORFF_API orff_status orff_mpi_check_same(MPI_Comm comm, uint64_t digest, const char *what);

/* ---------------------------------------------------------------- 2. moments */

/* The moments of rank `root` become the sum of those of all ranks. The others' are unchanged, except that
 * they get room for rows that only other ranks have (orff_moments_widen). They are sent in pieces of 32 MB,
 * so the call needs memory for two further pieces. Moments that cannot be added are refused
 * (ORFF_ERROR_MISMATCH) before anything is sent. The rounding of the sums depends on the number of ranks, in
 * the last digits; systems that are nearly singular amplify that. */
ORFF_API orff_status orff_mpi_moments_reduce(MPI_Comm comm, orff_moments *moments, int root);
ORFF_API orff_status orff_mpi_lattice_moments_reduce(MPI_Comm comm, orff_lattice_moments *moments, int root);

/* Sums with twice the precision, which do not depend on the order of addition: for results that are the same
 * for any number of ranks. Divide the rows into portions that do not depend on that number, and let each rank
 * add its portions one by one:
 *
 *     orff_mpi_sum_create(&sum, orff_moments_size(moments));
 *     for (each portion of mine) {
 *         orff_moments_create_like(&one, moments), orff_moments_read(one, &portion);
 *         orff_mpi_sum_add_moments(sum, one), orff_moments_free(one);
 *     }
 *     orff_mpi_sum_moments(comm, sum, moments, 0);
 *
 * If rows may lack outputs, or have errors or directions, call orff_moments_widen first: all moments in a sum
 * must have the same room.
 */
typedef struct orff_mpi_sum orff_mpi_sum;

/* The calls from here to orff_mpi_sum_free are not collective. Memory: 16 bytes per number. */
ORFF_API orff_status orff_mpi_sum_create(orff_mpi_sum **sum, uint64_t size);
ORFF_API orff_status orff_mpi_sum_add_moments(orff_mpi_sum *sum, const orff_moments *moments);
ORFF_API orff_status orff_mpi_sum_add_lattice_moments(orff_mpi_sum *sum, const orff_lattice_moments *moments);

/* A sum in a file, with a text of the caller that identifies its rows: to resume after a crash. The file is
 * written under a temporary name, synced and renamed. Loading adds the file's sum to `sum`:
 * ORFF_ERROR_MISMATCH if its size differs, ORFF_ERROR_FORMAT if the file is something else, cut short or
 * damaged; `sum` is then unusable. If sum is NULL, only the text is read. text: from malloc, may be NULL. */
ORFF_API orff_status orff_mpi_sum_save(const orff_mpi_sum *sum, const char *path, const char *text);
ORFF_API orff_status orff_mpi_sum_load(orff_mpi_sum *sum, const char *path, char **text);
ORFF_API void orff_mpi_sum_free(orff_mpi_sum *sum);

/* The moments of rank `root` become the sum of what all ranks have added; otherwise like
 * orff_mpi_moments_reduce. */
ORFF_API orff_status orff_mpi_sum_moments(MPI_Comm comm, orff_mpi_sum *sum, orff_moments *moments, int root);
ORFF_API orff_status orff_mpi_sum_lattice_moments(MPI_Comm comm, orff_mpi_sum *sum,
                                                  orff_lattice_moments *moments, int root);

/* ---------------------------------------------------------------- 3. large systems
 *
 * Ridge (section 9 of orff.h) without moments, for so many features that their system is too large for one
 * machine. The matrix is distributed in blocks over all ranks, no rank ever has more than its part, and
 * ScaLAPACK solves the system by Cholesky. Rows are sent instead of sums: every rank sees all rows, some at a
 * time, and computes the part of phi that it needs.
 */

typedef struct orff_mpi_ridge_info {
    uint64_t rows;
    double weight;       /* sum of the weights */
    double train_mse;    /* mean squared error over rows and outputs */
    size_t order;        /* of the matrix */
    int grid[2];         /* rows and columns of the grid of ranks */
    double matrix_bytes; /* of this rank's part */
    double row_bytes;    /* of the rows sent to this rank */
    double fill_seconds, solve_seconds;
} orff_mpi_ridge_info;

/* theta (M) and intercept (p, zeros without center) on all ranks, for lambda > 0; reader: the rows of this
 * rank. kernel must be that of the features, with one group of frequencies and blocks with the same number of
 * columns. ORFF_ERROR_UNSUPPORTED for others, and if this library was built without ScaLAPACK;
 * ORFF_ERROR_NOT_POSITIVE if lambda is too small. info may be NULL. */
ORFF_API orff_status orff_mpi_ridge(MPI_Comm comm, const orff_kernel *kernel, const orff_features *features,
                                    const orff_reader *reader, bool center, double lambda, double *theta,
                                    double *intercept, orff_mpi_ridge_info *info);

/* ---------------------------------------------------------------- 4. iteration
 *
 * Ridge without moments and without a matrix (section 10 of orff.h), for so many features that no system of
 * them fits. Every rank keeps its rows in memory, 8 (d + p + 1) bytes each, and sweeps over them at each
 * iteration, which sums M numbers over the ranks, twice for pcg.
 */

typedef struct orff_mpi_iterate_info {
    uint64_t rows;
    double weight;    /* sum of the weights */
    double train_mse; /* mean squared error over rows and outputs */
    orff_solve_info solve;
} orff_mpi_iterate_info;

/* theta (M) is the start value, the same on all ranks, and receives the result; intercept (p, zeros without
 * center) receives the mean of y; both are set, and equal, on all ranks. reader: the rows of this rank,
 * possibly none. Only the squared loss: ORFF_ERROR_UNSUPPORTED for sgd. The same rows, in the order of the
 * ranks, give the same result on any number of ranks, even if it stops before convergence: they are summed in
 * blocks of 4096, for which at most 4095 rows move to another rank. info may be NULL. */
ORFF_API orff_status orff_mpi_iterate(MPI_Comm comm, const orff_features *features, const orff_reader *reader,
                                      bool center, const orff_iteration *how, double *theta,
                                      double *intercept, orff_mpi_iterate_info *info);

#ifdef __cplusplus
}
#endif
#endif
