/* Ridge with the matrix distributed over all ranks. */
#include "spread.h"

static const char *words_for(orff_status status) {
    if (status == ORFF_ERROR_UNSUPPORTED)
        return "a matrix in pieces is for kernels of one group of frequencies, whose blocks have as many "
               "columns each";
    return status == ORFF_ERROR_NO_MEMORY ? "not enough memory for this rank's part of the matrix"
                                          : orff_error_message();
}

static void fill_info(const orffi_spread *s, double mse, const double when[3], orff_mpi_ridge_info *info) {
    *info = (orff_mpi_ridge_info){.rows = s->n,
                                  .weight = s->T[(s->p + 1) * (s->p + 1) - 1],
                                  .train_mse = mse,
                                  .order = s->L * s->u,
                                  .grid = {s->grid[0], s->grid[1]},
                                  .matrix_bytes = 8.0 * (double)(s->rows.count * s->u) *
                                                  (double)(s->columns.count * s->u),
                                  .row_bytes = s->bytes,
                                  .fill_seconds = when[1] - when[0],
                                  .solve_seconds = when[2] - when[1]};
}

orff_status orff_mpi_ridge(MPI_Comm comm, const orff_kernel *kernel, const orff_features *features,
                           const orff_reader *reader, bool center, double lambda, double *theta,
                           double *intercept, orff_mpi_ridge_info *info) {
    const bool right = kernel && features && reader && reader->read && theta && intercept && lambda > 0.0;
    orffi_spread s = {0};
    double mse = 0.0, when[3];
    orff_status status = orff_mpi_agree(comm, right ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT,
                                        "orff_mpi_ridge: NULL argument, or lambda is not positive");
    if (status) return status;
    when[0] = MPI_Wtime();
    status = orffi_spread_create(&s, comm, kernel, features);
    status = orff_mpi_agree(comm, status, words_for(status));
    if (!status) status = orffi_spread_fill(&s, reader);
    when[1] = MPI_Wtime();
    if (!status)
        status = orff_mpi_agree(comm, s.n ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT, "there are no rows");
    if (!status) status = orffi_spread_solve(&s, center, lambda, theta, intercept, &mse);
    when[2] = MPI_Wtime();
    if (!status && info) fill_info(&s, mse, when, info);
    orffi_spread_clear(&s);
    return status;
}
