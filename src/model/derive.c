/* Fields derived from a model, in the user's units. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/plane_apply.h"

enum { BLOCK = 4096 };

/* How many numbers a field has at a point. */
typedef enum field_size {
    OUTPUTS, /* p */
    ENTRIES, /* p d */
    SCALAR,
    TURN /* 1 in the plane, 3 in space */
} field_size;

/* The inputs of the field's space, in the order of the outputs; NULL: all of them. */
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

static orff_status check_size(const orff_model *model, field_size size, orffi_derived *what) {
    const size_t p = model->p;
    what->k = size == OUTPUTS ? p : size == ENTRIES ? p * model->d : 1;
    if (size == OUTPUTS || size == ENTRIES) return ORFF_OK;
    ORFFI_TRY(find_space(model, what->name, &what->space));
    if (size == TURN && p != 2 && p != 3)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s is defined in 2 and 3 dimensions; the model has %zu outputs", what->name,
                          p);
    if (size == TURN) what->k = p == 2 ? 1 : 3;
    return ORFF_OK;
}

typedef struct named_field {
    const char *name;
    field_size size;
    orffi_turning turning;
} named_field;

static const named_field fields[ORFF_FIELD_COUNT] = {
    [ORFF_FIELD_VALUES] = {"values", OUTPUTS, ORFFI_TURN_VECTOR},
    [ORFF_FIELD_JACOBIAN] = {"jacobian", ENTRIES, ORFFI_TURN_JACOBIAN},
    [ORFF_FIELD_DIVERGENCE] = {"divergence", SCALAR, ORFFI_TURN_NOTHING},
    [ORFF_FIELD_CURL] = {"curl", TURN, ORFFI_TURN_NOTHING},
    [ORFF_FIELD_POTENTIAL] = {"potential", SCALAR, ORFFI_TURN_NOTHING},
    [ORFF_FIELD_STREAM] = {"stream function", TURN, ORFFI_TURN_NOTHING}};

orff_status orffi_field_describe(const orff_model *model, orff_field field, orffi_derived *what,
                                 orffi_turning *turning) {
    if ((unsigned)field >= ORFF_FIELD_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no field number %d", (int)field);
    *what = (orffi_derived){
        .field = field, .name = fields[field].name, .unit = model->unit, .spread = model->spread};
    *turning = fields[field].turning;
    return check_size(model, fields[field].size, what);
}

static orff_status at_points(const orff_model *model, const void *what, size_t n, const double *x,
                             double *out) {
    ORFFI_TRY(orffi_trend_check_field(model->trend, what));
    ORFFI_TRY(model->engine->derive(model->fit, what, n, x, out));
    return model->trend ? orffi_trend_add_derived(model->trend, what, n, x, out) : ORFF_OK;
}

/* For a model without a plane, or in coordinates of the plane. */
static orff_status derive_flat(const orff_model *model, const void *self, size_t n, const double *X,
                               double *out) {
    const orffi_derived *what = self;
    return orffi_model_evaluate(model, what->name, at_points, what, what->k, n, X, out);
}

orff_status orff_model_field(const orff_model *model, orff_field field, size_t n, const double *X,
                             double *out) {
    orffi_derived what;
    orffi_turning turning = ORFFI_TURN_NOTHING;
    if (!model || !X || !out)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the %s: NULL argument",
                          (unsigned)field < ORFF_FIELD_COUNT ? fields[field].name : "field");
    if (field == ORFF_FIELD_VALUES) return orff_model_predict(model, n, X, out);
    ORFFI_TRY(orffi_field_describe(model, field, &what, &turning));
    return orffi_plane_apply_to(model, derive_flat, &what, turning, n, X, out);
}

size_t orff_model_field_size(const orff_model *model, orff_field field) {
    orffi_derived what;
    orffi_turning turning = ORFFI_TURN_NOTHING;
    return model && !orffi_field_describe(model, field, &what, &turning) ? what.k : 0;
}

orff_status orff_model_jacobian(const orff_model *model, size_t n, const double *X, double *J) {
    return orff_model_field(model, ORFF_FIELD_JACOBIAN, n, X, J);
}

orff_status orff_model_divergence(const orff_model *model, size_t n, const double *X, double *out) {
    return orff_model_field(model, ORFF_FIELD_DIVERGENCE, n, X, out);
}

orff_status orff_model_curl(const orff_model *model, size_t n, const double *X, double *out) {
    return orff_model_field(model, ORFF_FIELD_CURL, n, X, out);
}

orff_status orff_model_potential(const orff_model *model, size_t n, const double *X, double *out) {
    return orff_model_field(model, ORFF_FIELD_POTENTIAL, n, X, out);
}

orff_status orff_model_stream_function(const orff_model *model, size_t n, const double *X, double *out) {
    return orff_model_field(model, ORFF_FIELD_STREAM, n, X, out);
}

/* ---- errors in closed form */

bool orff_model_has_field_std(const orff_model *model, orff_field field) {
    orffi_derived what;
    orffi_turning turning = ORFFI_TURN_NOTHING;
    if (!model || !orff_model_describe(model).has_posterior ||
        orffi_field_describe(model, field, &what, &turning))
        return false;
    const orffi_engine *engine = model->engine;
    return field == ORFF_FIELD_VALUES ||
           (engine->has_derived_covariance && engine->has_derived_covariance(model->fit, &what));
}

static orff_status covariance_at_points(const orff_model *model, const void *what, size_t n, const double *x,
                                        double *out) {
    ORFFI_TRY(orffi_trend_check_field(model->trend, what));
    ORFFI_TRY(model->engine->derived_covariance(model->fit, what, n, x, out));
    return model->trend ? orffi_trend_add_derived_covariance(model->trend, what, n, x, out) : ORFF_OK;
}

static orff_status covariance_flat(const orff_model *model, const void *self, size_t n, const double *X,
                                   double *out) {
    const orffi_derived *what = self;
    return orffi_model_evaluate(model, what->name, covariance_at_points, what, what->k * what->k, n, X, out);
}

/* C: room for the covariances of BLOCK points. */
static orff_status fill_std(const orff_model *model, const orffi_derived *what, orffi_turning turning,
                            size_t n, const double *X, double *C, double *S) {
    const size_t k = what->k;
    if (turning == ORFFI_TURN_JACOBIAN) turning = ORFFI_TURN_JACOBIAN_COVARIANCE;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t rows = n - first < BLOCK ? n - first : BLOCK;
        ORFFI_TRY(orffi_plane_apply_to(model, covariance_flat, what, turning, rows, X + first * model->d, C));
        for (size_t i = 0; i < rows * k; i++) S[first * k + i] = sqrt(fmax(C[i * k + i % k], 0.0));
    }
    return ORFF_OK;
}

orff_status orff_model_field_std(const orff_model *model, orff_field field, size_t n, const double *X,
                                 double *S) {
    orffi_derived what;
    orffi_turning turning = ORFFI_TURN_NOTHING;
    double *C = NULL, *values = NULL;
    size_t size;
    if (!model || !X || !S)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_field_std: NULL argument");
    if (field == ORFF_FIELD_VALUES) return orff_model_std(model, n, X, false, S);
    ORFFI_TRY(orffi_field_describe(model, field, &what, &turning));
    what.spread = model->noise; /* engines compute errors for a noise of 1 */
    ORFFI_TRY(orffi_model_check_posterior(model));
    if (!orff_model_has_field_std(model, field))
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the standard deviation of the %s has no closed form for this model: draw samples and call "
            "orff_samples_std",
            what.name);
    ORFFI_TRY(orffi_multiply(n, what.k, &size));
    orff_status status = ORFFI_NEW_ARRAY(C, (n < BLOCK ? n : BLOCK) * what.k * what.k);
    if (!status) status = ORFFI_NEW_ARRAY(values, size);
    if (!status) status = fill_std(model, &what, turning, n, X, C, values);
    if (!status) memcpy(S, values, size * sizeof *S);
    orffi_release(C);
    orffi_release(values);
    return status;
}
