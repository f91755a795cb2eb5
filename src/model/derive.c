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
#include "model/plane_apply.h"
#include "model/sweep.h"

/* How many numbers a field has at a point. */
typedef enum field_size {
    ENTRIES, /* p d */
    SCALAR,
    TURN /* 1 in the plane, 3 in space */
} field_size;

/* coefficient: from w and v to the field's numbers. w is that of the field's space (p entries), or for
 * ENTRIES the whole (d entries). */
typedef struct field {
    const char *name;
    field_size size;
    double sign; /* 1 for derivatives, -1 for what they are derivatives of */
    void (*coefficient)(size_t d, size_t p, const double *w, const double *v, double *out);
    orffi_compute_fn call; /* the public one */
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

/* The inputs that are the field's space, in the order of the outputs; NULL: all of them. */
static orff_status find_space(const orff_model *model, const char *name, const size_t **space) {
    const orff_kernel *kernel = model->features->kernel;
    *space = NULL;
    for (size_t m = 0; m < kernel->n_parts; m++) {
        if (!kernel->parts[m].rule->physical) continue;
        *space = kernel->parts[m].law.space;
        return ORFF_OK;
    }
    if (model->d == model->p) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the %s needs one output for each input of the field's space: the model has %zu inputs and %zu "
        "outputs, and no part of its kernel says which inputs these are",
        name, model->d, model->p);
}

/* The scratch of a frequency: w and w on the space, and v. */
typedef struct scratch {
    double *w, *in_space, *v;
} scratch;

/* Row `from` of V turned into row `to` of C (k entries). */
static void turn_row(const orff_model *model, const field *what, const double *w, size_t from, size_t to,
                     double sign, size_t k, double *v, double *C) {
    for (size_t i = 0; i < model->p; i++) v[i] = sign * model->spread[i] * model->V[from * model->p + i];
    what->coefficient(model->d, model->p, w, v, C + to * k);
}

static orff_status fill_group(const orff_model *model, const field *what, const size_t *space,
                              const orffi_bank_group *group, size_t k, scratch *s, double *C) {
    const size_t D = model->features->D;
    for (size_t j = 0; j < group->drawn.count; j++) {
        const size_t cosine = group->first + j, sine = D + cosine;
        const double *w = space ? s->in_space : s->w;
        ORFFI_TRY(orffi_frequencies_row(&group->drawn, j, s->w));
        for (size_t i = 0; i < model->d; i++) s->w[i] /= model->unit[i];
        for (size_t i = 0; space && i < model->p; i++) s->in_space[i] = s->w[space[i]];
        turn_row(model, what, w, cosine, sine, -what->sign, k, s->v, C);
        turn_row(model, what, w, sine, cosine, what->sign, k, s->v, C);
    }
    return ORFF_OK;
}

/* C (2D x k), so that the field is phi(x') C. */
static orff_status fill_matrix(const orff_model *model, const field *what, const size_t *space, size_t k,
                               double *C) {
    const orffi_bank *bank = model->features->bank;
    scratch s;
    double *all;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all, model->d + 2 * model->p));
    s = (scratch){.w = all, .in_space = all + model->d, .v = all + model->d + model->p};
    orff_status status = ORFF_OK;
    for (size_t g = 0; !status && g < bank->n_groups; g++)
        status = fill_group(model, what, space, &bank->groups[g], k, &s, C);
    orffi_release(all);
    return status;
}

static orff_status check_field(const orff_model *model, const field *what, const size_t **space, size_t *k) {
    const size_t p = model->p;
    *space = NULL;
    *k = 1;
    if (what->size == ENTRIES) return orffi_multiply(p, model->d, k);
    ORFFI_TRY(find_space(model, what->name, space));
    if (what->size == TURN && p != 2 && p != 3)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s is defined in 2 and 3 dimensions; the model has %zu outputs", what->name,
                          p);
    if (what->size == TURN) *k = p == 2 ? 1 : 3;
    return ORFF_OK;
}

static orff_status derive(const orff_model *model, const field *what, size_t n, const double *X,
                          double *out) {
    const size_t *space;
    size_t k, size;
    double *C;
    if (!model || !X || !out)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the %s: NULL argument", what->name);
    if (model->on_plane)
        return orffi_plane_apply(model, what->call,
                                 what->size == ENTRIES ? ORFFI_TURN_JACOBIAN : ORFFI_TURN_NOTHING, n, X, out);
    if (model->exact)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s of an exact model is not there: fit with features (another solver) for "
                          "derived fields",
                          what->name);
    ORFFI_TRY(check_field(model, what, &space, &k));
    ORFFI_TRY(orffi_multiply(2 * model->features->D, k, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(C, size));
    orff_status status = fill_matrix(model, what, space, k, C);
    if (!status) status = orffi_model_sweep(model, what->name, k, C, NULL, NULL, n, X, out);
    orffi_release(C);
    return status;
}

orff_status orff_model_jacobian(const orff_model *model, size_t n, const double *X, double *J) {
    static const field what = {"jacobian", ENTRIES, 1.0, jacobian, orff_model_jacobian};
    return derive(model, &what, n, X, J);
}

orff_status orff_model_divergence(const orff_model *model, size_t n, const double *X, double *out) {
    static const field what = {"divergence", SCALAR, 1.0, divergence, orff_model_divergence};
    return derive(model, &what, n, X, out);
}

orff_status orff_model_curl(const orff_model *model, size_t n, const double *X, double *out) {
    static const field what = {"curl", TURN, 1.0, curl, orff_model_curl};
    return derive(model, &what, n, X, out);
}

orff_status orff_model_potential(const orff_model *model, size_t n, const double *X, double *out) {
    static const field what = {"potential", SCALAR, -1.0, potential, orff_model_potential};
    return derive(model, &what, n, X, out);
}

orff_status orff_model_stream_function(const orff_model *model, size_t n, const double *X, double *out) {
    static const field what = {"stream function", TURN, -1.0, stream, orff_model_stream_function};
    return derive(model, &what, n, X, out);
}
