/* Fields derived from a model, in the user's units. */
#include "model/model.h"

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
        "outputs, and no curl-free, div-free or helmholtz part that says which inputs these are",
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

static orff_status derive(const orff_model *model, const char *name, orffi_field field, field_size size,
                          size_t n, const double *X, double *out) {
    if (!model || !X || !out) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the %s: NULL argument", name);
    orffi_derived what = {.field = field, .name = name, .unit = model->unit, .spread = model->spread};
    ORFFI_TRY(check_field(model, size, &what));
    return orffi_model_evaluate(model, name, at_points, &what, what.k, n, X, out);
}

orff_status orff_model_jacobian(const orff_model *model, size_t n, const double *X, double *J) {
    return derive(model, "jacobian", ORFFI_FIELD_JACOBIAN, ENTRIES, n, X, J);
}

orff_status orff_model_divergence(const orff_model *model, size_t n, const double *X, double *out) {
    return derive(model, "divergence", ORFFI_FIELD_DIVERGENCE, SCALAR, n, X, out);
}

orff_status orff_model_curl(const orff_model *model, size_t n, const double *X, double *out) {
    return derive(model, "curl", ORFFI_FIELD_CURL, TURN, n, X, out);
}

orff_status orff_model_potential(const orff_model *model, size_t n, const double *X, double *out) {
    return derive(model, "potential", ORFFI_FIELD_POTENTIAL, SCALAR, n, X, out);
}

orff_status orff_model_stream_function(const orff_model *model, size_t n, const double *X, double *out) {
    return derive(model, "stream function", ORFFI_FIELD_STREAM, TURN, n, X, out);
}
