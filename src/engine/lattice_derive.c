/* Fields derived from a fit on a lattice: their modes are those of f times factors that depend on w. */
#include "base/memory.h"
#include "engine/derived.h"
#include "engine/lattice.h"

void orffi_lattice_wave_field(const orffi_lattice *l, size_t p, const orffi_derived *what, const long *place,
                              const double *v, double *out) {
    double w[ORFF_LATTICE_INPUTS], in_space[ORFF_LATTICE_INPUTS];
    orffi_lattice_frequency(l, place, w);
    for (size_t i = 0; i < l->d; i++) w[i] /= what->unit[i];
    for (size_t i = 0; what->space && i < p; i++) in_space[i] = w[what->space[i]];
    orffi_wave_field_find(what->field)->coefficient(l->d, p, what->space ? in_space : w, v, out);
}

/* The modes of the field (k x H). In the user's units w = w' / unit and v = spread V. */
static void fill_modes(const orffi_lattice_fit *fit, const orffi_derived *what, double *work,
                       orffi_mode *modes) {
    const double sign = orffi_wave_field_find(what->field)->sign;
    const size_t p = fit->p, H = fit->H;
    double *re = work, *im = work + p, *a = work + 2 * p, *b = a + what->k;
    for (size_t h = 0; h < H; h++) {
        long k[ORFF_LATTICE_INPUTS];
        orffi_lattice_place(&fit->lattice, h, k);
        for (size_t i = 0; i < p; i++) {
            re[i] = what->spread[i] * creal(fit->V[i * H + h]);
            im[i] = what->spread[i] * cimag(fit->V[i * H + h]);
        }
        orffi_lattice_wave_field(&fit->lattice, p, what, k, re, a);
        orffi_lattice_wave_field(&fit->lattice, p, what, k, im, b);
        for (size_t i = 0; i < what->k; i++) modes[i * H + h] = sign * (I * a[i] - b[i]);
    }
}

orff_status orffi_lattice_derive(const void *self, const orffi_derived *what, size_t n, const double *x,
                                 double *out) {
    const orffi_lattice_fit *fit = self;
    double *work = NULL;
    orffi_mode *modes = NULL;
    orff_status status = ORFFI_NEW_ARRAY(work, 2 * (fit->p + what->k));
    if (!status) status = orffi_alloc(&modes, fit->H * sizeof *modes, what->k);
    if (!status) {
        fill_modes(fit, what, work, modes);
        status = orffi_lattice_evaluate_modes(fit, what->k, modes, n, x, out);
    }
    orffi_release(work);
    orffi_release(modes);
    return status;
}
