/* Fields derived from a model, analytically. In the user's units
 *
 *     f(x) = mean + sum_j sqrt(q_j) ( cos<w_j, x - shift> v_j + sin<w_j, x - shift> v'_j )
 *
 * with w = w' / unit and v = spread * V. A derivative replaces a cosine by minus a sine, a sine by a
 * cosine, and v by a linear function of v that depends on w; a potential does the same with the opposite
 * sign. So each field is phi(x') times a matrix, like f itself. */
#include "base/memory.h"
#include "engine/derived.h"
#include "engine/features.h"

/* ---- the matrix of a field */

/* Scratch for a frequency: w, w on the field's space, and v. */
typedef struct scratch {
    double *w, *in_space, *v;
} scratch;

/* Row `to` of C (k entries) from row `from` of V. */
static void turn_row(const orffi_features_fit *fit, const orffi_wave_field *f, const orffi_derived *what,
                     const double *w, size_t from, size_t to, double sign, double *v, double *C) {
    const size_t d = fit->features->d, p = fit->features->p;
    for (size_t i = 0; i < p; i++) v[i] = sign * what->spread[i] * fit->V[from * p + i];
    f->coefficient(d, p, w, v, C + to * what->k);
}

static orff_status fill_group(const orffi_features_fit *fit, const orffi_wave_field *f,
                              const orffi_derived *what, const orffi_bank_group *group, scratch *s,
                              double *C) {
    const size_t D = fit->features->D, d = fit->features->d, p = fit->features->p;
    for (size_t j = 0; j < group->drawn.count; j++) {
        const size_t cosine = group->first + j, sine = D + cosine;
        const double *w = what->space ? s->in_space : s->w;
        ORFFI_TRY(orffi_frequencies_row(&group->drawn, j, s->w));
        for (size_t i = 0; i < d; i++) s->w[i] /= what->unit[i];
        for (size_t i = 0; what->space && i < p; i++) s->in_space[i] = s->w[what->space[i]];
        turn_row(fit, f, what, w, cosine, sine, -f->sign, s->v, C);
        turn_row(fit, f, what, w, sine, cosine, f->sign, s->v, C);
    }
    return ORFF_OK;
}

/* C (2D x k), such that the field is phi(x') C. */
static orff_status fill_matrix(const orffi_features_fit *fit, const orffi_wave_field *f,
                               const orffi_derived *what, double *C) {
    const orffi_bank *bank = fit->features->bank;
    const size_t d = fit->features->d, p = fit->features->p;
    scratch s;
    double *all;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all, d + 2 * p));
    s = (scratch){.w = all, .in_space = all + d, .v = all + d + p};
    orff_status status = ORFF_OK;
    for (size_t g = 0; !status && g < bank->n_groups; g++)
        status = fill_group(fit, f, what, &bank->groups[g], &s, C);
    orffi_release(all);
    return status;
}

orff_status orffi_features_derive(const void *self, const orffi_derived *what, size_t n, const double *x,
                                  double *out) {
    const orffi_features_fit *fit = self;
    size_t size;
    double *C;
    ORFFI_TRY(orffi_multiply(2 * fit->features->D, what->k, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(C, size));
    orff_status status = fill_matrix(fit, orffi_wave_field_find(what->field), what, C);
    if (!status) status = orffi_features_apply_matrix(fit, what->k, C, n, x, out);
    orffi_release(C);
    return status;
}
