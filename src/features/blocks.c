/* From coefficients to block products and back: V_a = B_j theta_a, theta_a = B_j^T U_a. With V and U of size
 * 2D x p, every kernel is one scalar feature map; B_j is applied in O(p), once for a whole data set. */
#include <string.h>

#include "features/features.h"

/* What the block of part m at frequency j of its group depends on (see orffi_rule_ops). */
static const double *block_at(const orff_features *f, size_t m, size_t j) {
    return f->blocks[m] ? f->blocks[m] + j * orffi_features_block_size(&f->kernel->parts[m]) : NULL;
}

/* Where the coefficients of part m begin for feature (half, j), j counted in the part's group. */
static size_t coefficients(const orff_features *f, size_t m, size_t half, size_t j) {
    const orffi_feature_group *group = &f->groups[f->part_group[m]];
    return half * (f->M / 2) + group->first_parameter + j * group->columns + f->kernel->parts[m].first_column;
}

void orffi_features_fold(const orff_features *f, const double *theta, double *V) {
    memset(V, 0, 2 * f->D * f->p * sizeof *V);
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &f->kernel->parts[m];
        const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
        for (size_t half = 0; half < 2; half++)
            for (size_t j = 0; j < group->drawn.count; j++)
                part->rule->apply(part, block_at(f, m, j), theta + coefficients(f, m, half, j),
                                  V + (half * f->D + group->first + j) * f->p);
    }
}

void orffi_features_unfold(const orff_features *f, const double *U, double *theta) {
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &f->kernel->parts[m];
        const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
        for (size_t half = 0; half < 2; half++)
            for (size_t j = 0; j < group->drawn.count; j++)
                part->rule->adjoint(part, block_at(f, m, j), U + (half * f->D + group->first + j) * f->p,
                                    theta + coefficients(f, m, half, j));
    }
}

size_t orffi_features_group_of(const orff_features *f, size_t j) {
    size_t g = 0;
    while (j >= f->bank->groups[g].first + f->bank->groups[g].drawn.count) g++;
    return g;
}

/* Rows of B^T (columns x p): B^T e_i is column i, one adjoint product of each part for each output. */
void orffi_features_dense_block(const orff_features *f, size_t j, double *B, double *unit) {
    const size_t g = orffi_features_group_of(f, j), local = j - f->bank->groups[g].first;
    memset(unit, 0, f->p * sizeof *unit);
    for (size_t i = 0; i < f->p; i++) {
        unit[i] = 1.0;
        for (size_t m = 0; m < f->kernel->n_parts; m++) {
            const orffi_kernel_part *part = &f->kernel->parts[m];
            if (f->part_group[m] == g)
                part->rule->adjoint(part, block_at(f, m, local), unit,
                                    B + i * f->groups[g].columns + part->first_column);
        }
        unit[i] = 0.0;
    }
}

size_t orffi_features_block_columns(const orff_features *f, size_t j) {
    return f->groups[orffi_features_group_of(f, j)].columns;
}
