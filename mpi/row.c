#include "sums.h"

static orff_status get_features(const void *self, uint64_t first, size_t count, double *numbers) {
    return orff_moments_get(self, first, count, numbers);
}

static orff_status set_features(void *self, uint64_t first, size_t count, const double *numbers) {
    return orff_moments_set(self, first, count, numbers);
}

orffi_mpi_row orffi_mpi_row_of(orff_moments *moments) {
    orffi_mpi_row row = {.self = moments, .get = get_features, .set = set_features};
    if (moments) row.size = orff_moments_size(moments);
    if (moments) row.digest = orff_moments_digest(moments);
    return row;
}

static orff_status get_lattice(const void *self, uint64_t first, size_t count, double *numbers) {
    return orff_lattice_moments_get(self, first, count, numbers);
}

static orff_status set_lattice(void *self, uint64_t first, size_t count, const double *numbers) {
    return orff_lattice_moments_set(self, first, count, numbers);
}

orffi_mpi_row orffi_mpi_row_of_lattice(orff_lattice_moments *moments) {
    orffi_mpi_row row = {.self = moments, .get = get_lattice, .set = set_lattice};
    if (moments) row.size = orff_lattice_moments_size(moments);
    if (moments) row.digest = orff_lattice_moments_digest(moments);
    return row;
}

orff_status orffi_mpi_row_check(MPI_Comm comm, const orffi_mpi_row *row) {
    const orff_status status = orff_mpi_agree(comm, row->self ? ORFF_OK : ORFF_ERROR_INVALID_ARGUMENT,
                                              "there are no moments to be added");
    return status ? status
                  : orff_mpi_check_same(comm, row->digest ^ row->size, "the settings of the moments");
}
