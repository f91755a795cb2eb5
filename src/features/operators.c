/* The operators of a feature map: P_X theta, P_X^* Y, P_X^* P_X theta, and phi itself. */
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "features/features.h"

/* A block of phi has about 4 million numbers: large enough for matrix products at full speed, small enough
 * for any machine. */
size_t orffi_bank_block_rows(const orffi_bank *bank) {
    const size_t rows = ((size_t)1 << 22) / (2 * bank->D);
    return rows < 16 ? 16 : rows > 1024 ? 1024 : rows;
}

#define REAL      double
#define PHI       orffi_phi
#define GEMM      orffi_gemm
#define CHECK     orffi_check_finite
#define NAME(x)   x##_double
#define PUBLIC(x) orff_features_##x
#include "features/operators.inc"

#define REAL      float
#define PHI       orffi_phi_single
#define GEMM      orffi_gemm_single
#define CHECK     orffi_check_finite_single
#define NAME(x)   x##_single
#define PUBLIC(x) orff_features_##x##_single
#include "features/operators.inc"
