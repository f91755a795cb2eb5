#include "solve/loss.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

/* Slope of max(0, t), smoothed over the width. */
static double rise(double t, double width) {
    return t <= 0.0 ? 0.0 : t >= width ? 1.0 : t / width;
}

/* gradient = f - y; returns the norm. */
static double difference(size_t p, const double *f, const double *y, double *gradient) {
    double square = 0.0;
    for (size_t i = 0; i < p; i++) {
        square += (f[i] - y[i]) * (f[i] - y[i]);
        if (gradient) gradient[i] = f[i] - y[i];
    }
    return sqrt(square);
}

static void scale(size_t p, double factor, double *gradient) {
    for (size_t i = 0; gradient && i < p; i++) gradient[i] *= factor;
}

/* |f - y|^2 */
static double squared(const orffi_loss_function *loss, const double *f, const double *y, double *gradient) {
    double value = 0.0;
    for (size_t i = 0; i < loss->p; i++) {
        value += (f[i] - y[i]) * (f[i] - y[i]);
        if (gradient) gradient[i] = 2.0 * (f[i] - y[i]);
    }
    return value;
}

/* n^2/2 up to delta, then delta (n - delta/2) */
static double huber(const orffi_loss_function *loss, const double *f, const double *y, double *gradient) {
    const double n = difference(loss->p, f, y, gradient), delta = loss->parameter;
    if (n <= delta) return 0.5 * n * n;
    scale(loss->p, delta / n, gradient);
    return delta * (n - 0.5 * delta);
}

/* max(0, n - epsilon) */
static double insensitive(const orffi_loss_function *loss, const double *f, const double *y,
                          double *gradient) {
    const double n = difference(loss->p, f, y, gradient), beyond = n - loss->parameter;
    scale(loss->p, beyond > 0.0 ? rise(beyond, loss->width) / n : 0.0, gradient);
    return fmax(0.0, beyond);
}

/* sum of tau max(0, r) + (1 - tau) max(0, -r), r = y - f */
static double pinball(const orffi_loss_function *loss, const double *f, const double *y, double *gradient) {
    const double up = loss->parameter, down = 1.0 - loss->parameter;
    double value = 0.0;
    for (size_t i = 0; i < loss->p; i++) {
        const double r = y[i] - f[i];
        value += up * fmax(0.0, r) + down * fmax(0.0, -r);
        if (gradient) gradient[i] = down * rise(-r, loss->width) - up * rise(r, loss->width);
    }
    return value;
}

/* ---- classes */

static double product(size_t p, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < p; i++) sum += a[i] * b[i];
    return sum;
}

/* The class whose code is nearest to y. Codes have equal lengths, so it has the largest product with y. */
static size_t class_of(const orffi_loss_function *loss, const double *y) {
    size_t best = 0;
    for (size_t k = 0; k <= loss->p; k++) {
        loss->scores[k] = product(loss->p, loss->codes + k * loss->p, y);
        if (loss->scores[k] > loss->scores[best]) best = k;
    }
    return best;
}

/* gradient = sum_k scores_k c_k */
static void combine(const orffi_loss_function *loss, double *gradient) {
    memset(gradient, 0, loss->p * sizeof *gradient);
    for (size_t k = 0; k <= loss->p; k++)
        for (size_t i = 0; i < loss->p; i++) gradient[i] += loss->scores[k] * loss->codes[k * loss->p + i];
}

/* log sum_k exp(c_k.f) - c_cls.f. The largest score is subtracted from the exponents, and its term 1 is kept
 * out of the sum. */
static double logistic(const orffi_loss_function *loss, const double *f, const double *y, double *gradient) {
    const size_t cls = class_of(loss, y), T = loss->p + 1;
    size_t top = 0;
    for (size_t k = 0; k < T; k++) {
        loss->scores[k] = product(loss->p, loss->codes + k * loss->p, f);
        if (loss->scores[k] > loss->scores[top]) top = k;
    }
    const double largest = loss->scores[top], own = loss->scores[cls];
    double others = 0.0;
    for (size_t k = 0; k < T; k++) {
        loss->scores[k] = exp(loss->scores[k] - largest);
        if (k != top) others += loss->scores[k];
    }
    for (size_t k = 0; k < T; k++) loss->scores[k] /= 1.0 + others;
    loss->scores[cls] -= 1.0;
    if (gradient) combine(loss, gradient);
    return log1p(others) + (largest - own);
}

/* sum over k != cls of max(0, 1/(T-1) + c_k.f) */
static double hinge(const orffi_loss_function *loss, const double *f, const double *y, double *gradient) {
    const size_t cls = class_of(loss, y);
    double value = 0.0;
    for (size_t k = 0; k <= loss->p; k++) {
        const double margin = 1.0 / (double)loss->p + product(loss->p, loss->codes + k * loss->p, f);
        loss->scores[k] = k == cls ? 0.0 : rise(margin, loss->width);
        if (k != cls) value += fmax(0.0, margin);
    }
    if (gradient) combine(loss, gradient);
    return value;
}

/* ---- the table. Curvatures of the last two: with T = p + 1 classes, sum_k c_k c_k^T = T/(T-1) I, and the
 * variance of the codes in any direction is largest if two of them are equally likely: |c_k - c_l|^2/4 =
 * T/(2(T-1)). */

static double curvature_two(double parameter, size_t p) {
    (void)parameter, (void)p;
    return 2.0;
}

static double curvature_one(double parameter, size_t p) {
    (void)parameter, (void)p;
    return 1.0;
}

static double curvature_side(double parameter, size_t p) {
    (void)p;
    return fmax(parameter, 1.0 - parameter);
}

static double curvature_spread(double parameter, size_t p) {
    (void)parameter;
    return 0.5 * (double)(p + 1) / (double)p;
}

static double curvature_frame(double parameter, size_t p) {
    (void)parameter;
    return (double)(p + 1) / (double)p;
}

static bool positive(double parameter) {
    return parameter > 0.0 && isfinite(parameter);
}

static bool not_negative(double parameter) {
    return parameter >= 0.0 && isfinite(parameter);
}

static bool a_quantile(double parameter) {
    return parameter > 0.0 && parameter < 1.0;
}

typedef struct loss_row {
    double (*evaluate)(const orffi_loss_function *loss, const double *f, const double *y, double *gradient);
    double (*curvature)(double parameter, size_t p);
    bool smooth, classes;
    bool (*accepts)(double parameter); /* NULL: the loss has no parameter */
    const char *wanted;
} loss_row;

static const loss_row losses[ORFF_LOSS_COUNT] = {
    [ORFF_LOSS_SQUARED] = {squared, curvature_two, true, false, NULL, NULL},
    [ORFF_LOSS_HUBER] = {huber, curvature_one, true, false, positive, "above 0"},
    [ORFF_LOSS_EPSILON] = {insensitive, curvature_one, false, false, not_negative, "at least 0"},
    [ORFF_LOSS_PINBALL] = {pinball, curvature_side, false, false, a_quantile, "a quantile between 0 and 1"},
    [ORFF_LOSS_LOGISTIC] = {logistic, curvature_spread, true, true, NULL, NULL},
    [ORFF_LOSS_HINGE] = {hinge, curvature_frame, false, true, NULL, NULL},
};

static const char *const names[] = {ORFF_LOSS_LIST(ORFFI_NAME_OF) NULL};

const char *orff_loss_name(orff_loss loss) {
    return (unsigned)loss < ORFF_LOSS_COUNT ? names[loss] : NULL;
}

const char *const *orff_loss_names(void) {
    return names;
}

orff_status orff_loss_parse(const char *name, orff_loss *loss) {
    size_t place;
    if (!loss) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_loss_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("loss", name, names, &place));
    *loss = (orff_loss)place;
    return ORFF_OK;
}

orff_loss_info orff_loss_describe(orff_loss loss) {
    if ((unsigned)loss >= ORFF_LOSS_COUNT) return (orff_loss_info){false, false};
    return (orff_loss_info){.classes = losses[loss].classes, .parametrised = losses[loss].accepts != NULL};
}

static orff_status fill_codes(orffi_loss_function *loss) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(loss->codes, (loss->p + 1) * loss->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(loss->scores, loss->p + 1));
    return orff_simplex_codes(loss->p + 1, loss->codes);
}

orff_status orffi_loss_make(orffi_loss_function *loss, orff_loss id, double parameter, size_t p) {
    *loss = (orffi_loss_function){0};
    if ((unsigned)id >= ORFF_LOSS_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "loss %d does not exist", (int)id);
    const loss_row *row = &losses[id];
    if (p == 0) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a loss needs at least one output");
    if (row->accepts && !row->accepts(parameter))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the parameter of the %s loss is %g; it must be %s",
                          names[id], parameter, row->wanted);
    *loss = (orffi_loss_function){.evaluate = row->evaluate,
                                  .smooth = row->smooth,
                                  .p = p,
                                  .parameter = parameter,
                                  .curvature = row->curvature(parameter, p)};
    const orff_status status = row->classes ? fill_codes(loss) : ORFF_OK;
    if (status) orffi_loss_clear(loss);
    return status;
}

void orffi_loss_clear(orffi_loss_function *loss) {
    orffi_release(loss->codes);
    orffi_release(loss->scores);
    *loss = (orffi_loss_function){0};
}

orff_status orff_loss_evaluate(orff_loss id, double parameter, size_t p, const double *f, const double *y,
                               double *value, double *gradient) {
    orffi_loss_function loss;
    if (!f || !y || !value)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_loss_evaluate: NULL argument");
    ORFFI_TRY(orffi_check_finite("f", 1, p, f));
    ORFFI_TRY(orffi_check_finite("y", 1, p, y));
    ORFFI_TRY(orffi_loss_make(&loss, id, parameter, p));
    *value = loss.evaluate(&loss, f, y, gradient);
    orffi_loss_clear(&loss);
    return ORFF_OK;
}
