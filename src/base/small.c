#include "base/small.h"

#include "base/vector.h"

bool orffi_small_cholesky(size_t n, double *A, size_t stride) {
    return orffi_vector_level_here()->cholesky(n, A, stride);
}

void orffi_small_solve_lower(size_t n, const double *L, size_t stride, double *b) {
    orffi_vector_level_here()->solve_lower(n, L, stride, b);
}

void orffi_small_solve_upper(size_t n, const double *L, size_t stride, double *b) {
    orffi_vector_level_here()->solve_upper(n, L, stride, b);
}
