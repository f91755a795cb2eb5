/* A fit on a lattice as waves: both k and -k in one, so that 2 Re V exp(i <w, x>) = a cos + b sin. */
#include "engine/lattice.h"

#define TWO_PI 6.28318530717958647693

static void fill_lattice(const orffi_lattice *l, orffi_term *t) {
    for (size_t i = 0; i < l->d; i++) {
        t->origin[i] = l->center[i];
        t->steps[i] = TWO_PI / l->period[i];
        t->most[i] = l->m[i];
        t->inside[i] = l->inside[i];
    }
}

orff_status orffi_lattice_sum(const void *self, orffi_term *t) {
    const orffi_lattice_fit *fit = self;
    const orffi_lattice *l = &fit->lattice;
    if (fit->rows.Y)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the lattice does not carry the kernel, and values come from the nearest rows: "
                          "they are no sum of waves");
    ORFFI_TRY(orffi_term_waves(t, fit->H, l->d, fit->p, true));
    fill_lattice(l, t);
    for (size_t h = 0; h < fit->H; h++) {
        long k[ORFFI_LATTICE_MOST];
        const double times = orffi_lattice_count(l, h);
        orffi_lattice_place(l, h, k);
        orffi_lattice_frequency(l, k, t->omega + h * l->d);
        for (size_t a = 0; a < fit->p; a++) {
            t->a[h * fit->p + a] = times * creal(fit->V[a * fit->H + h]);
            t->b[h * fit->p + a] = -times * cimag(fit->V[a * fit->H + h]);
        }
    }
    return ORFF_OK;
}
