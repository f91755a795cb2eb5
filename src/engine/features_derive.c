/* Fields derived from a model, analytically. In the user's units
 *
 *     f(x) = mean + sum_j sqrt(q_j) ( cos<w_j, x - shift> v_j + sin<w_j, x - shift> v'_j )
 *
 * with w = w' / unit and v = spread * V. A derivative turns a cosine into minus a sine and a sine into a
 * cosine, and v into something linear in v that depends on w; a potential does the same with the other
 * sign. So each field is phi(x') times a matrix, like f itself.
 */
#include <float.h>

#include "base/memory.h"
#include "engine/features.h"

/* coefficient: from w and v to the field's numbers. w is that of the field's space (p entries), or for
 * the Jacobian the whole (d entries). */
typedef struct field {
    double sign; /* 1 for derivatives, -1 for what they are derivatives of */
    void (*coefficient)(size_t d, size_t p, const double *w, const double *v, double *out);
} field;

/* ---- the fields */

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Divide by |w|^2; w = 0 is a constant and has no potential. */
static void divide(size_t p, const double *w, size_t n, double *out) {
    const double square = dot(p, w, w);
    for (size_t i = 0; i < n; i++) out[i] = square > DBL_MIN ? out[i] / square : 0.0;
}

static void jacobian(size_t d, size_t p, const double *w, const double *v, double *out) {
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < d; k++) out[i * d + k] = v[i] * w[k];
}

static void divergence(size_t d, size_t p, const double *w, const double *v, double *out) {
    (void)d;
    *out = dot(p, w, v);
}

/* w x v */
static void curl(size_t d, size_t p, const double *w, const double *v, double *out) {
    (void)d;
    if (p == 2) {
        *out = w[0] * v[1] - w[1] * v[0];
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        const size_t k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = w[k] * v[l] - w[l] * v[k];
    }
}

/* grad sin<w,x> <w,v>/|w|^2 = cos<w,x> times v's part along w. */
static void potential(size_t d, size_t p, const double *w, const double *v, double *out) {
    divergence(d, p, w, v, out);
    divide(p, w, 1, out);
}

/* (-d2, d1) sin<w,x> (w x v)/|w|^2, or the curl of sin<w,x> (v x w)/|w|^2, is cos<w,x> times v's part
 * across w. */
static void stream(size_t d, size_t p, const double *w, const double *v, double *out) {
    curl(d, p, w, v, out);
    for (size_t i = 0; p == 3 && i < 3; i++) out[i] = -out[i];
    divide(p, w, p == 2 ? 1 : 3, out);
}

/* ---- the matrix of a field */

/* The scratch of a frequency: w and w on the space, and v. */
typedef struct scratch {
    double *w, *in_space, *v;
} scratch;

/* Row `from` of V turned into row `to` of C (k entries). */
static void turn_row(const orffi_features_fit *fit, const field *f, const orffi_derived *what,
                     const double *w, size_t from, size_t to, double sign, double *v, double *C) {
    const size_t d = fit->features->d, p = fit->features->p;
    for (size_t i = 0; i < p; i++) v[i] = sign * what->spread[i] * fit->V[from * p + i];
    f->coefficient(d, p, w, v, C + to * what->k);
}

static orff_status fill_group(const orffi_features_fit *fit, const field *f, const orffi_derived *what,
                              const orffi_bank_group *group, scratch *s, double *C) {
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

/* C (2D x k), so that the field is phi(x') C. */
static orff_status fill_matrix(const orffi_features_fit *fit, const field *f, const orffi_derived *what,
                               double *C) {
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
    static const field fields[] = {[ORFFI_FIELD_JACOBIAN] = {1.0, jacobian},
                                   [ORFFI_FIELD_DIVERGENCE] = {1.0, divergence},
                                   [ORFFI_FIELD_CURL] = {1.0, curl},
                                   [ORFFI_FIELD_POTENTIAL] = {-1.0, potential},
                                   [ORFFI_FIELD_STREAM] = {-1.0, stream}};
    const orffi_features_fit *fit = self;
    size_t size;
    double *C;
    ORFFI_TRY(orffi_multiply(2 * fit->features->D, what->k, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(C, size));
    orff_status status = fill_matrix(fit, &fields[what->field], what, C);
    if (!status) status = orffi_features_apply_matrix(fit, what->k, C, n, x, out);
    orffi_release(C);
    return status;
}
