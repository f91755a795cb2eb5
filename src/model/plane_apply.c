#include "model/plane_apply.h"

#include "base/memory.h"
#include "base/plane.h"

/* Points on the plane, the angles by which vectors turn there, and a copy of the model without its plane,
 * which shares everything else. */
typedef struct laid {
    double *X;     /* n x d */
    double *turns; /* n x 2 */
    orff_model flat;
} laid;

static void laid_clear(laid *l) {
    orffi_release(l->X);
    orffi_release(l->turns);
}

static orff_status laid_fill(laid *l, const orff_model *model, size_t n, const double *X) {
    size_t size, pairs;
    *l = (laid){.flat = *model};
    l->flat.on_plane = false;
    ORFFI_TRY(orffi_check_finite("X", n, model->d, X));
    ORFFI_TRY(orffi_multiply(n, model->d, &size));
    ORFFI_TRY(orffi_multiply(n, 2, &pairs));
    ORFFI_TRY(orffi_duplicate(&l->X, X, size, sizeof *X));
    ORFFI_TRY(ORFFI_NEW_ARRAY(l->turns, pairs));
    return orffi_plane_places(&model->plane, model->d, 0, n, l->X, l->turns);
}

/* ---- turning back */

/* T C T^T */
static void turn_covariance(const double turn[2], double *C) {
    const double c = turn[0], s = turn[1], xx = C[0], xy = C[1], yy = C[3];
    C[0] = c * c * xx + 2.0 * c * s * xy + s * s * yy;
    C[1] = C[2] = (c * c - s * s) * xy + c * s * (yy - xx);
    C[3] = s * s * xx - 2.0 * c * s * xy + c * c * yy;
}

/* Turns two numbers. */
static void turn_pair(const double turn[2], double *first, double *second) {
    double vector[2] = {*first, *second};
    orffi_plane_vector_from(turn, vector);
    *first = vector[0];
    *second = vector[1];
}

/* J (2 x d): outputs by row, the two inputs of the plane by column. */
static void turn_jacobian(const orff_model *model, const double turn[2], double *J) {
    const size_t d = model->d, *inputs = model->plane.inputs;
    for (size_t i = 0; i < d; i++) turn_pair(turn, &J[i], &J[d + i]);
    for (size_t k = 0; k < 2; k++) turn_pair(turn, &J[k * d + inputs[0]], &J[k * d + inputs[1]]);
}

/* T C T^T, where T turns a Jacobian: turns the rows, then the columns as rows of the transpose. */
static void turn_jacobian_covariance(const orff_model *model, const double turn[2], double *C) {
    const size_t k = 2 * model->d;
    for (size_t twice = 0; twice < 2; twice++) {
        for (size_t i = 0; i < k; i++) turn_jacobian(model, turn, C + i * k);
        for (size_t i = 0; i < k; i++)
            for (size_t l = 0; l < i; l++) {
                const double other = C[i * k + l];
                C[i * k + l] = C[l * k + i];
                C[l * k + i] = other;
            }
    }
}

static void turn_all(const orff_model *model, orffi_turning turning, size_t n, const double *turns,
                     double *out) {
    for (size_t i = 0; i < n; i++, turns += 2) {
        if (turning == ORFFI_TURN_VECTOR) orffi_plane_vector_from(turns, out + 2 * i);
        if (turning == ORFFI_TURN_COVARIANCE) turn_covariance(turns, out + 4 * i);
        if (turning == ORFFI_TURN_JACOBIAN) turn_jacobian(model, turns, out + 2 * model->d * i);
        if (turning == ORFFI_TURN_JACOBIAN_COVARIANCE)
            turn_jacobian_covariance(model, turns, out + 4 * model->d * model->d * i);
    }
}

/* ---- the calls */

orff_status orffi_plane_apply_to(const orff_model *model, orffi_compute_of_fn compute, const void *what,
                                 orffi_turning turning, size_t n, const double *X, double *out) {
    laid l;
    if (!model->on_plane) return compute(model, what, n, X, out);
    orff_status status = laid_fill(&l, model, n, X);
    if (!status) status = compute(&l.flat, what, n, l.X, out);
    if (!status) turn_all(model, turning, n, l.turns, out);
    laid_clear(&l);
    return status;
}

static orff_status compute_plain(const orff_model *model, const void *what, size_t n, const double *X,
                                 double *out) {
    return (*(const orffi_compute_fn *)what)(model, n, X, out);
}

orff_status orffi_plane_apply(const orff_model *model, orffi_compute_fn compute, orffi_turning turning,
                              size_t n, const double *X, double *out) {
    return orffi_plane_apply_to(model, compute_plain, &compute, turning, n, X, out);
}

static orff_status predict_places(const laid *l, size_t n, float *F) {
    float *x;
    ORFFI_TRY(ORFFI_NEW_ARRAY(x, n * l->flat.d));
    for (size_t i = 0; i < n * l->flat.d; i++) x[i] = (float)l->X[i];
    const orff_status status = orff_model_predict_single(&l->flat, n, x, F);
    for (size_t i = 0; !status && i < n; i++) {
        double vector[2] = {(double)F[2 * i], (double)F[2 * i + 1]};
        orffi_plane_vector_from(l->turns + 2 * i, vector);
        F[2 * i] = (float)vector[0];
        F[2 * i + 1] = (float)vector[1];
    }
    orffi_release(x);
    return status;
}

/* Computes places in double: in km from the centre, single precision loses less than in degrees. */
orff_status orffi_plane_predict_single(const orff_model *model, size_t n, const float *X, float *F) {
    laid l;
    double *wide;
    size_t size;
    ORFFI_TRY(orffi_check_finite_single("X", n, model->d, X));
    ORFFI_TRY(orffi_multiply(n, model->d, &size));
    ORFFI_TRY(ORFFI_NEW_ARRAY(wide, size));
    for (size_t i = 0; i < size; i++) wide[i] = (double)X[i];
    orff_status status = laid_fill(&l, model, n, wide);
    if (!status) status = predict_places(&l, n, F);
    laid_clear(&l);
    orffi_release(wide);
    return status;
}
