/* The explicit feature map of a point, and the approximate kernel: for inspection, tests and small
 * problems. */
#include <string.h>

#include "base/memory.h"
#include "features/features.h"

/* phi of one or two points (count x 2D), a block and its imaginary part (p x widest each), and a unit vector
 * (p). */
typedef struct explicit_work {
    double *phi, *block, *imaginary, *unit;
} explicit_work;

static void work_clear(explicit_work *work) {
    orffi_release(work->phi);
    orffi_release(work->block);
    orffi_release(work->imaginary);
    orffi_release(work->unit);
}

static orff_status work_fill(explicit_work *work, const orff_features *f, size_t points) {
    size_t widest = 0;
    for (size_t g = 0; g < f->bank->n_groups; g++)
        if (f->groups[g].columns > widest) widest = f->groups[g].columns;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work->phi, points * 2 * f->D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(work->block, f->p * widest));
    ORFFI_TRY(ORFFI_NEW_ARRAY(work->imaginary, f->p * widest));
    return ORFFI_NEW_ARRAY(work->unit, f->p);
}

/* Rows of Phi for frequency j: phi_a B^T, cosine and sine; for a complex B the real and the imaginary part of
 * e^(-i<w,x>) B, transposed. Returns the number of rows of each. */
static size_t map_frequency(const orff_features *f, size_t j, const explicit_work *work, double *cosine,
                            double *sine) {
    const size_t columns = orffi_features_block_columns(f, j);
    const double c = work->phi[j], s = work->phi[f->D + j];
    orffi_features_dense_block(f, j, work->block, work->imaginary, work->unit);
    for (size_t k = 0; k < columns; k++) {
        for (size_t i = 0; i < f->p; i++) {
            const double re = work->block[i * columns + k], im = work->imaginary[i * columns + k];
            cosine[k * f->p + i] = c * re + s * im;
            sine[k * f->p + i] = s * re - c * im;
        }
    }
    return columns;
}

orff_status orff_features_map(const orff_features *f, const double *x, double *Phi) {
    explicit_work work = {0};
    if (!f || !x || !Phi) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_features_map: NULL argument");
    orff_status status = work_fill(&work, f, 1);
    if (!status) status = orff_features_phi(f, 1, x, work.phi);
    size_t row = 0;
    for (size_t j = 0; !status && j < f->D; j++)
        row += map_frequency(f, j, &work, Phi + row * f->p, Phi + (f->M / 2 + row) * f->p);
    work_clear(&work);
    return status;
}

orff_status orff_features_map_complex(const orff_features *f, const double *x, double *Phi) {
    double *real;
    if (!f || !x || !Phi)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_features_map_complex: NULL argument");
    const size_t half = f->M / 2 * f->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(real, 2 * half));
    const orff_status status = orff_features_map(f, x, real);
    for (size_t i = 0; !status && i < half; i++) {
        Phi[2 * i] = real[i];
        Phi[2 * i + 1] = real[half + i];
    }
    orffi_release(real);
    return status;
}

/* K += c Re B B^* + s Im B B^* */
static void add_block(size_t p, size_t columns, double c, double s, const double *B, const double *imaginary,
                      double *K) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            for (size_t k = 0; k < columns; k++) {
                const double bi = B[i * columns + k], bj = B[j * columns + k];
                const double ci = imaginary[i * columns + k], cj = imaginary[j * columns + k];
                K[i * p + j] += c * (bi * bj + ci * cj) + s * (ci * bj - bi * cj);
            }
}

static void sum_blocks(const orff_features *f, const explicit_work *work, double *K) {
    const double *a = work->phi, *b = work->phi + 2 * f->D;
    memset(K, 0, f->p * f->p * sizeof *K);
    for (size_t j = 0; j < f->D; j++) {
        const size_t sine = f->D + j;
        orffi_features_dense_block(f, j, work->block, work->imaginary, work->unit);
        add_block(f->p, orffi_features_block_columns(f, j), a[j] * b[j] + a[sine] * b[sine],
                  a[sine] * b[j] - a[j] * b[sine], work->block, work->imaginary, K);
    }
}

orff_status orff_features_kernel(const orff_features *f, const double *x, const double *z, double *K) {
    explicit_work work = {0};
    if (!f || !x || !z || !K)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_features_kernel: NULL argument");
    orff_status status = work_fill(&work, f, 2);
    if (!status) status = orff_features_phi(f, 1, x, work.phi);
    if (!status) status = orff_features_phi(f, 1, z, work.phi + 2 * f->D);
    if (!status) sum_blocks(f, &work, K);
    work_clear(&work);
    return status;
}
