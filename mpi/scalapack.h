/* The functions used from BLAS, BLACS and ScaLAPACK, which have no headers. */
#ifndef ORFF_MPI_SCALAPACK_H
#define ORFF_MPI_SCALAPACK_H

#include <mpi.h>

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);

int numroc_(const int *n, const int *block, const int *mine, const int *first, const int *count);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *row,
               const int *column, const int *context, const int *lld, int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *info);
void pdpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *ia, const int *ja,
              const int *desca, double *b, const int *ib, const int *jb, const int *descb, int *info);

#endif
