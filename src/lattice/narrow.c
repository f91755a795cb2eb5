/* Moments on fewer modes of their lattice: enough for a kernel with longer length scales than the
 * shortest. */
#include "lattice/moments.h"

#include <math.h>
#include <string.h>

/* Adds the modes |k_i| <= times m_i of the smaller lattice. */
static void add_modes(const orffi_lattice *from, const orffi_lattice *to, size_t times, const orffi_mode *a,
                      orffi_mode *b) {
    orffi_lattice large = *from, small = *to;
    long k[ORFF_LATTICE_INPUTS];
    for (size_t i = 0; i < from->d; i++) {
        large.m[i] *= times;
        small.m[i] *= times;
    }
    for (size_t h = 0; h < orffi_lattice_modes(&small); h++) {
        orffi_lattice_place(&small, h, k);
        b[h] += a[orffi_lattice_find(&large, k)];
    }
}

static void add_set(const orffi_lattice_moments *from, const orffi_lattice_moments *to,
                    const orffi_lattice_set *a, orffi_lattice_set *b) {
    const orffi_lattice *l = &from->lattice, *k = &to->lattice;
    const size_t H = orffi_lattice_modes(l), less = orffi_lattice_modes(k), side = to->p + 1;
    for (size_t i = 0; i < orffi_lattice_pairs(to); i++)
        add_modes(l, k, 2, a->rho + i * orffi_lattice_density_modes(l),
                  b->rho + i * orffi_lattice_density_modes(k));
    for (size_t i = 0; i < to->p; i++) add_modes(l, k, 1, a->R + i * H, b->R + i * less);
    for (size_t i = 0; i < side * side; i++) b->T[i] += a->T[i];
    b->weight += a->weight;
    b->logs += a->logs;
    b->rows += a->rows;
}

orff_status orffi_lattice_moments_narrow(orffi_lattice_moments **out, const orffi_lattice_moments *from,
                                         const orffi_lattice *lattice, bool folds) {
    orffi_lattice_pass pass = {.p = from->p, .directed = from->directed, .draws = folds ? from->draws : 0};
    const size_t H = orffi_lattice_modes(&from->lattice), less = orffi_lattice_modes(lattice);
    pass.folds.folds = folds ? from->n_sets : 1;
    ORFFI_TRY(orffi_lattice_moments_create(out, lattice, &pass));
    memcpy((*out)->low, from->low, lattice->d * sizeof *from->low);
    memcpy((*out)->high, from->high, lattice->d * sizeof *from->high);
    for (size_t r = 0; r < pass.draws * from->p; r++)
        add_modes(&from->lattice, lattice, 1, from->E + r * H, (*out)->E + r * less);
    for (size_t f = 0; f < from->n_sets; f++)
        add_set(from, *out, &from->sets[f], &(*out)->sets[folds ? f : 0]);
    return ORFF_OK;
}

static void scale_modes(size_t n, double factor, orffi_mode *modes) {
    for (size_t i = 0; i < n; i++) modes[i] *= factor;
}

void orffi_lattice_moments_scale(orffi_lattice_moments *m, double factor) {
    const size_t H = orffi_lattice_modes(&m->lattice), side = m->p + 1;
    const size_t rho = orffi_lattice_pairs(m) * orffi_lattice_density_modes(&m->lattice);
    for (size_t f = 0; f < m->n_sets; f++) {
        orffi_lattice_set *set = &m->sets[f];
        scale_modes(rho, factor, set->rho);
        scale_modes(m->p * H, factor, set->R);
        for (size_t i = 0; i < side * side; i++) set->T[i] *= factor;
        set->weight *= factor;
        set->logs += (double)set->rows * log(factor);
    }
    scale_modes(m->draws * m->p * H, sqrt(factor), m->E);
}
