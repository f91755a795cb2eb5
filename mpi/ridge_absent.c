/* Built without ScaLAPACK. */
#include "orff_mpi.h"

orff_status orff_mpi_ridge(MPI_Comm comm, const orff_kernel *kernel, const orff_features *features,
                           const orff_reader *reader, bool center, double lambda, double *theta,
                           double *intercept, orff_mpi_ridge_info *info) {
    (void)kernel, (void)features, (void)reader, (void)center, (void)lambda, (void)theta, (void)intercept,
        (void)info;
    return orff_mpi_agree(comm, ORFF_ERROR_UNSUPPORTED,
                          "this build has no ScaLAPACK (libscalapack-openmpi-dev was missing)");
}
