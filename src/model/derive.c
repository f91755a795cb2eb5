/* Fields derived from a model, in the user's units. */
#include "model/model.h"
#include "model/plane_apply.h"

/* How many numbers a field has at a point. */
typedef enum field_size {
    ENTRIES, /* p d */
    SCALAR,
    TURN /* 1 in the plane, 3 in space */
} field_size;

/* The inputs that are the field's space, in the order of the outputs; NULL: all of them. */
static orff_status find_space(const orff_model *model, const char *name, const size_t **space) {
    const orff_kernel *kernel = orffi_model_kernel(model);
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

static orff_status check_field(const orff_model *model, field_size size, orffi_derived *what) {
    const size_t p = model->p;
    what->k = 1;
    if (size == ENTRIES) {
        what->k = p * model->d;
        return ORFF_OK;
    }
    ORFFI_TRY(find_space(model, what->name, &what->space));
    if (size == TURN && p != 2 && p != 3)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s is defined in 2 and 3 dimensions; the model has %zu outputs", what->name,
                          p);
    if (size == TURN) what->k = p == 2 ? 1 : 3;
    return ORFF_OK;
}

static orff_status at_points(const orff_model *model, const void *what, size_t n, const double *x,
                             double *out) {
    return model->engine->derive(model->fit, what, n, x, out);
}

/* A field, and the public call for it. */
typedef struct derived_field {
    const char *name;
    orffi_field field;
    field_size size;
    orffi_compute_fn call;
} derived_field;

static orff_status derive(const orff_model *model, const derived_field *f, size_t n, const double *X,
                          double *out) {
    if (!model || !X || !out)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the %s: NULL argument", f->name);
    if (model->on_plane)
        return orffi_plane_apply(model, f->call,
                                 f->size == ENTRIES ? ORFFI_TURN_JACOBIAN : ORFFI_TURN_NOTHING, n, X, out);
    orffi_derived what = {.field = f->field, .name = f->name, .unit = model->unit, .spread = model->spread};
    ORFFI_TRY(check_field(model, f->size, &what));
    return orffi_model_evaluate(model, f->name, at_points, &what, what.k, n, X, out);
}

orff_status orff_model_jacobian(const orff_model *model, size_t n, const double *X, double *J) {
    static const derived_field f = {"jacobian", ORFFI_FIELD_JACOBIAN, ENTRIES, orff_model_jacobian};
    return derive(model, &f, n, X, J);
}

orff_status orff_model_divergence(const orff_model *model, size_t n, const double *X, double *out) {
    static const derived_field f = {"divergence", ORFFI_FIELD_DIVERGENCE, SCALAR, orff_model_divergence};
    return derive(model, &f, n, X, out);
}

orff_status orff_model_curl(const orff_model *model, size_t n, const double *X, double *out) {
    static const derived_field f = {"curl", ORFFI_FIELD_CURL, TURN, orff_model_curl};
    return derive(model, &f, n, X, out);
}

orff_status orff_model_potential(const orff_model *model, size_t n, const double *X, double *out) {
    static const derived_field f = {"potential", ORFFI_FIELD_POTENTIAL, SCALAR, orff_model_potential};
    return derive(model, &f, n, X, out);
}

orff_status orff_model_stream_function(const orff_model *model, size_t n, const double *X, double *out) {
    static const derived_field f = {"stream function", ORFFI_FIELD_STREAM, TURN, orff_model_stream_function};
    return derive(model, &f, n, X, out);
}
