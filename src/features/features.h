/* The feature map of a kernel: a bank of frequencies and, for each, the stacked block B_j of the kernel's
 * parts. */
#ifndef ORFFI_FEATURES_FEATURES_H
#define ORFFI_FEATURES_FEATURES_H

#include "features/bank.h"

/* The position of the kernel's parts in one group of the bank. In theta the coefficients of its cosines start
 * at `first_parameter`, those of its sines at M/2 + first_parameter. */
typedef struct orffi_feature_group {
    size_t columns; /* p' of the stacked block; 0 if no part uses this group */
    size_t first_parameter;
} orffi_feature_group;

struct orff_features {
    orff_kernel *kernel;
    orffi_bank *bank;
    size_t d, p;
    size_t D, M;
    orffi_feature_group *groups; /* bank->n_groups */
    size_t *part_group;          /* for each part, the index of its group in the bank */
    double **blocks; /* for each part, what its blocks depend on at each frequency: w on the field's space
                        (count x p) for physical rules, the block itself (count x p x columns, and x 2 if
                        complex) for stored ones, NULL for decomposable */
    unsigned warnings;
    char warning[256];
};

/* A kernel on an existing bank, which it retains. */
orff_status orffi_features_create_on(orff_features **out, const orffi_bank *bank, const orff_kernel *kernel);

/* Blocks of a part whose functions are missing: count x p x columns, and x 2 if complex. */
typedef struct orffi_kept_blocks {
    size_t count;
    double *B; /* NULL for parts that need none */
} orffi_kept_blocks;

/* The same for a kernel from a file. kept has one entry for each part; blocks that this takes over become
 * NULL there. */
orff_status orffi_features_create_from(orff_features **out, const orffi_bank *bank, const orff_kernel *kernel,
                                       orffi_kept_blocks *kept);

/* Numbers per frequency in blocks[m]. */
static inline size_t orffi_features_block_size(const orffi_kernel_part *part) {
    return part->rule->physical ? part->p : part->p * part->columns * (part->hermitian ? 2 : 1);
}

/* V = rows B_j theta_a (2D x p), so that P_X theta = phi(X) V. A Hermitian part takes each pair of
 * coefficients, of the cosine and of the sine, as one complex number (kernel.h). */
void orffi_features_fold(const orff_features *f, const double *theta, double *V);

/* theta = B_j^T U_a, U = phi(X)^T Y (2D x p). */
void orffi_features_unfold(const orff_features *f, const double *U, double *theta);

/* B of frequency j (p x columns), including the roots of the weights, and its imaginary part; unit is scratch
 * for p numbers. */
void orffi_features_dense_block(const orff_features *f, size_t j, double *B, double *imaginary, double *unit);
size_t orffi_features_block_columns(const orff_features *f, size_t j);

/* trace K~(0) = sum_j q_j |B_j|^2 */
orff_status orffi_features_trace(const orff_features *f, double *trace);

/* The bank's group of frequency j, counted over all groups. */
size_t orffi_features_group_of(const orff_features *f, size_t j);

#endif
