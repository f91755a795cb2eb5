/* From coefficients to block products and back: V_a = B_j theta_a, theta_a = B_j^T U_a. With V and U of size
 * 2D x p, every kernel uses one scalar feature map; B_j is applied in O(p), once for a whole data set. */
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "features/features.h"

/* What the block of part m at frequency j of its group depends on (see orffi_rule_ops). */
static const double *block_at(const orff_features *f, size_t m, size_t j) {
    return f->blocks[m] ? f->blocks[m] + j * orffi_features_block_size(&f->kernel->parts[m]) : NULL;
}

/* Where the coefficients of part m start for feature (half, j), with j counted in the part's group. */
static size_t coefficients(const orff_features *f, size_t m, size_t half, size_t j) {
    const orffi_feature_group *group = &f->groups[f->part_group[m]];
    return half * (f->M / 2) + group->first_parameter + j * group->columns + f->kernel->parts[m].first_column;
}

/* Whether one dense matrix B serves all frequencies of part m, so that one product handles them all. */
static bool is_constant(const orff_features *f, size_t m) {
    return !f->blocks[m] && f->kernel->parts[m].B;
}

/* The cosines and sines of a Hermitian part together. */
static void fold_pairs(const orff_features *f, size_t m, const double *theta, double *V) {
    const orffi_kernel_part *part = &f->kernel->parts[m];
    const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
    for (size_t j = 0; j < group->drawn.count; j++) {
        double *y = V + (group->first + j) * f->p;
        orffi_pair_apply(
            part, block_at(f, m, j),
            (const double *const[]){theta + coefficients(f, m, 0, j), theta + coefficients(f, m, 1, j)},
            (double *const[]){y, y + f->D * f->p});
    }
}

static void unfold_pairs(const orff_features *f, size_t m, const double *U, double *theta) {
    const orffi_kernel_part *part = &f->kernel->parts[m];
    const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
    for (size_t j = 0; j < group->drawn.count; j++) {
        const double *y = U + (group->first + j) * f->p;
        orffi_pair_adjoint(
            part, block_at(f, m, j), (const double *const[]){y, y + f->D * f->p},
            (double *const[]){theta + coefficients(f, m, 0, j), theta + coefficients(f, m, 1, j)});
    }
}

/* Part m of V in one half, theta count x p' and V count x p with the strides of all parts: V += root theta
 * B^T. */
static void fold_part(const orff_features *f, size_t m, size_t half, const double *theta, double *V) {
    const orffi_kernel_part *part = &f->kernel->parts[m];
    const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
    double *to = V + (half * f->D + group->first) * f->p;
    if (is_constant(f, m)) {
        orffi_gemm(false, true, group->drawn.count, f->p, part->columns, part->root,
                   theta + coefficients(f, m, half, 0), f->groups[f->part_group[m]].columns, part->B,
                   part->columns, 1.0, to, f->p);
        return;
    }
    for (size_t j = 0; j < group->drawn.count; j++)
        part->rule->apply(part, block_at(f, m, j), theta + coefficients(f, m, half, j), to + j * f->p);
}

void orffi_features_fold(const orff_features *f, const double *theta, double *V) {
    memset(V, 0, 2 * f->D * f->p * sizeof *V);
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        if (f->kernel->parts[m].hermitian) fold_pairs(f, m, theta, V);
        for (size_t half = 0; half < 2 && !f->kernel->parts[m].hermitian; half++)
            fold_part(f, m, half, theta, V);
    }
}

/* theta = root U B */
static void unfold_part(const orff_features *f, size_t m, size_t half, const double *U, double *theta) {
    const orffi_kernel_part *part = &f->kernel->parts[m];
    const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
    const double *from = U + (half * f->D + group->first) * f->p;
    if (is_constant(f, m)) {
        orffi_gemm(false, false, group->drawn.count, part->columns, f->p, part->root, from, f->p, part->B,
                   part->columns, 0.0, theta + coefficients(f, m, half, 0),
                   f->groups[f->part_group[m]].columns);
        return;
    }
    for (size_t j = 0; j < group->drawn.count; j++)
        part->rule->adjoint(part, block_at(f, m, j), from + j * f->p, theta + coefficients(f, m, half, j));
}

void orffi_features_unfold(const orff_features *f, const double *U, double *theta) {
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        if (f->kernel->parts[m].hermitian) unfold_pairs(f, m, U, theta);
        for (size_t half = 0; half < 2 && !f->kernel->parts[m].hermitian; half++)
            unfold_part(f, m, half, U, theta);
    }
}

size_t orffi_features_group_of(const orff_features *f, size_t j) {
    size_t g = 0;
    while (j >= f->bank->groups[g].first + f->bank->groups[g].drawn.count) g++;
    return g;
}

/* Row i of part m's block at frequency j of its group: B^T e_i, with e_i in `unit`. imaginary: that row of
 * the imaginary part. */
static void block_row(const orff_features *f, size_t m, size_t j, size_t i, const double *unit, double *row,
                      double *imaginary) {
    const orffi_kernel_part *part = &f->kernel->parts[m];
    const double *at = block_at(f, m, j);
    for (size_t k = 0; k < part->columns; k++)
        imaginary[k] = part->hermitian ? part->root * at[2 * (i * part->columns + k) + 1] : 0.0;
    if (part->hermitian) {
        for (size_t k = 0; k < part->columns; k++) row[k] = part->root * at[2 * (i * part->columns + k)];
        return;
    }
    if (!is_constant(f, m)) {
        part->rule->adjoint(part, block_at(f, m, j), unit, row);
        return;
    }
    for (size_t k = 0; k < part->columns; k++) row[k] = part->root * part->B[i * part->columns + k];
}

void orffi_features_dense_block(const orff_features *f, size_t j, double *B, double *imaginary,
                                double *unit) {
    const size_t g = orffi_features_group_of(f, j), local = j - f->bank->groups[g].first;
    memset(unit, 0, f->p * sizeof *unit);
    for (size_t i = 0; i < f->p; i++) {
        unit[i] = 1.0;
        for (size_t m = 0; m < f->kernel->n_parts; m++) {
            const size_t at = i * f->groups[g].columns + f->kernel->parts[m].first_column;
            if (f->part_group[m] == g) block_row(f, m, local, i, unit, B + at, imaginary + at);
        }
        unit[i] = 0.0;
    }
}

/* |B|^2 of part m at frequency j of its group; work has room for p + 2 columns. */
static double block_square(const orff_features *f, size_t m, size_t j, double *work) {
    const size_t columns = f->kernel->parts[m].columns;
    double *row = work + f->p, square = 0.0;
    memset(work, 0, f->p * sizeof *work);
    for (size_t i = 0; i < f->p; i++) {
        work[i] = 1.0;
        block_row(f, m, j, i, work, row, row + columns);
        work[i] = 0.0;
        square += orffi_dot(2 * columns, row, row);
    }
    return square;
}

orff_status orffi_features_trace(const orff_features *f, double *trace) {
    double *work;
    size_t widest = 0;
    for (size_t m = 0; m < f->kernel->n_parts; m++)
        if (f->kernel->parts[m].columns > widest) widest = f->kernel->parts[m].columns;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, f->p + 2 * widest));
    *trace = 0.0;
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const orffi_bank_group *group = &f->bank->groups[f->part_group[m]];
        double square = 0.0;
        for (size_t j = 0; j < group->drawn.count; j++) {
            const double amplitude = f->bank->amplitude[group->first + j];
            if (f->blocks[m] || j == 0) square = block_square(f, m, j, work);
            *trace += amplitude * amplitude * square;
        }
    }
    orffi_release(work);
    return ORFF_OK;
}

size_t orffi_features_block_columns(const orff_features *f, size_t j) {
    return f->groups[orffi_features_group_of(f, j)].columns;
}
