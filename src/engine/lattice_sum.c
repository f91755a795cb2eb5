/* A fit on a lattice as waves, or as the rows that it predicts from. A wave combines k and -k, so that 2
 * Re V exp(i <w, x>) = a cos + b sin. */
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

/* The component along axis j of the outputs. */
static double along(const orffi_lattice_system *s, size_t j, size_t p, const double *y) {
    double sum = 0.0;
    for (size_t a = 0; a < p; a++) sum += s->turn[j * p + a] * y[a];
    return sum;
}

static orff_status check_nearest(const orffi_lattice_fit *fit) {
    bool known = fit->system.turn != NULL;
    for (size_t m = 0; m < fit->kernel->n_parts; m++) {
        const orffi_spectrum *law = &fit->kernel->parts[m].law;
        known = known && !law->centre && !law->period;
    }
    return known ? ORFF_OK
                 : orffi_fail(
                       ORFF_ERROR_UNSUPPORTED,
                       "the lattice does not carry the kernel, and values come from the nearest rows by a "
                       "kernel that is not k A, or has wavelengths or periods");
}

static orff_status fill_nearest(const orffi_lattice_fit *fit, orffi_term *t) {
    const orffi_lattice_system *s = &fit->system;
    const size_t n = fit->rows.n, d = fit->lattice.d, p = fit->p, parts = fit->kernel->n_parts;
    ORFFI_TRY(check_nearest(fit));
    ORFFI_TRY(orffi_term_nearest(t, n, parts, s->axes, d, p, fit->rows.weights != NULL));
    t->nearest = ORFFI_LATTICE_NEAREST;
    for (size_t i = 0; i < n * d; i++) t->z[i] = fit->rows.X[i];
    for (size_t i = 0; fit->rows.weights && i < n; i++) t->weights[i] = fit->rows.weights[i];
    for (size_t i = 0; i < n * s->axes; i++)
        t->y[i] = along(s, i % s->axes, p, fit->rows.Y + i / s->axes * p);
    for (size_t j = 0; j < s->axes; j++) {
        t->noise[j] = fit->shift / s->size[j];
        for (size_t a = 0; a < p; a++) t->turn[a * s->axes + j] = s->turn[j * p + a];
    }
    for (size_t m = 0; m < parts; m++)
        t->amplitude[m] = fit->kernel->parts[m].root * fit->kernel->parts[m].root;
    return ORFF_OK;
}

orff_status orffi_lattice_sum(const void *self, orffi_term *t) {
    const orffi_lattice_fit *fit = self;
    const orffi_lattice *l = &fit->lattice;
    if (fit->rows.Y) return fill_nearest(fit, t);
    ORFFI_TRY(orffi_term_waves(t, fit->H, l->d, fit->p, true));
    fill_lattice(l, t);
    for (size_t h = 0; h < fit->H; h++) {
        long k[ORFF_LATTICE_INPUTS];
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
