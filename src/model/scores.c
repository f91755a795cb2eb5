/* Scores of predictions: sums over rows, from which errors, coverages and proper scores are computed. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/special.h"
#include "model/model.h"

#define PI 3.14159265358979323846

/* Sums for one output. Updates as Welford's keep the spreads exact to rounding. */
typedef struct sums {
    uint64_t n;
    double square, error;              /* of f - y */
    double mean_y, mean_f;             /* means so far */
    double spread_y, spread_f, shared; /* about these means */
    uint64_t errors;                   /* rows with a standard deviation */
    uint64_t inside[ORFF_INTERVALS];
    double crps, log_score;
} sums;

/* Sums for rows as vectors. */
typedef struct vectors {
    uint64_t n, directions;
    double square, error; /* of |f| - |y| */
    double angle;         /* between f and y, in degrees */
} vectors;

struct orff_scores {
    size_t p;
    double limit[ORFF_INTERVALS]; /* quantiles: an interval is f - limit s .. f + limit s */
    sums *outputs;                /* p */
    vectors vectors;              /* for p = 2 and 3 */
    double calm;                  /* speed below which a row has no direction; NAN: not set */
};

static const double levels[ORFF_INTERVALS] = {0.5, 0.8, 0.95};

double orff_scores_level(size_t i) {
    return i < ORFF_INTERVALS ? levels[i] : NAN;
}

orff_status orff_scores_create(orff_scores **out, size_t p) {
    orff_scores *scores;
    if (!out || !p) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_scores_create: no outputs");
    ORFFI_TRY(ORFFI_NEW(scores));
    scores->p = p;
    scores->calm = (double)NAN;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) scores->limit[i] = orffi_normal_quantile(0.5 + levels[i] / 2);
    const orff_status status = ORFFI_NEW_ARRAY(scores->outputs, p);
    if (status) {
        orff_scores_free(scores);
    } else {
        *out = scores;
    }
    return status;
}

void orff_scores_free(orff_scores *scores) {
    if (!scores) return;
    orffi_release(scores->outputs);
    orffi_release(scores);
}

/* ---- one number */

static void add_value(sums *s, double f, double y) {
    const double step_y = y - s->mean_y, step_f = f - s->mean_f;
    s->n++;
    s->square += (f - y) * (f - y);
    s->error += f - y;
    s->mean_y += step_y / (double)s->n;
    s->mean_f += step_f / (double)s->n;
    s->spread_y += step_y * (y - s->mean_y);
    s->spread_f += step_f * (f - s->mean_f);
    s->shared += step_f * (y - s->mean_y);
}

/* The continuous ranked probability score of N(f, s^2) at y = f + s z,
 *
 *     s ( z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi) ),      |y - f| for s = 0      (Gneiting and Raftery 2007)
 *
 * and the logarithmic score, -log density, infinite for s = 0. */
static void add_error(const orff_scores *scores, sums *s, double f, double y, double deviation) {
    const double away = fabs(y - f), z = deviation > 0.0 ? away / deviation : away > 0.0 ? INFINITY : 0.0;
    s->errors++;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) s->inside[i] += z <= scores->limit[i];
    s->crps += deviation > 0.0 ? away * erf(z / sqrt(2.0)) +
                                     deviation * (sqrt(2.0 / PI) * exp(-z * z / 2.0) - 1.0 / sqrt(PI))
                               : away;
    s->log_score += z * z / 2.0 + log(deviation) + log(2.0 * PI) / 2.0;
}

static double length(size_t p, const double *v) {
    double square = 0.0;
    for (size_t k = 0; k < p; k++) square += v[k] * v[k];
    return sqrt(square);
}

/* The angle between two vectors of these lengths, from the tangent of its half, which is accurate near 0
 * and 180 degrees. */
static double angle_between(size_t p, const double *f, const double *y, double lf, double ly) {
    double less = 0.0, more = 0.0;
    for (size_t k = 0; k < p; k++) {
        const double a = f[k] / lf, b = y[k] / ly;
        less += (a - b) * (a - b);
        more += (a + b) * (a + b);
    }
    return 2.0 * atan2(sqrt(less), sqrt(more)) * 180.0 / PI;
}

/* Adds a row with all components measured; skips others. */
static void add_vector(vectors *v, size_t p, double calm, const double *f, const double *y) {
    const double lf = length(p, f), ly = length(p, y);
    for (size_t k = 0; k < p; k++)
        if (isnan(y[k])) return;
    v->n++;
    v->square += (lf - ly) * (lf - ly);
    v->error += lf - ly;
    if (!(ly > calm) || !(lf > 0.0)) return;
    v->directions++;
    v->angle += angle_between(p, f, y, lf, ly);
}

static orff_status check_rows(const orff_scores *scores, size_t n, const double *F, const double *S,
                              const double *Y) {
    ORFFI_TRY(orffi_check_finite("F", n, scores->p, F));
    for (size_t i = 0; i < n * scores->p; i++) {
        if (isinf(Y[i]))
            return orffi_fail(ORFF_ERROR_NOT_FINITE, "Y is infinite in row %zu", i / scores->p + 1);
        if (S && !(S[i] >= 0.0))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the standard deviation of row %zu is %g",
                              i / scores->p + 1, S[i]);
    }
    return ORFF_OK;
}

orff_status orff_scores_set_calm(orff_scores *scores, double speed) {
    if (!scores || !(speed >= 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "calm is a speed of 0 or more, not %g", speed);
    scores->calm = speed;
    return ORFF_OK;
}

/* Rows slower than `calm` have no direction. */
static orff_status add_rows(orff_scores *scores, double calm, size_t n, const double *F, const double *S,
                            const double *Y) {
    if (!scores || (n && (!F || !Y)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_scores_add: NULL argument");
    ORFFI_TRY(check_rows(scores, n, F, S, Y));
    for (size_t i = 0; i < n * scores->p; i++) {
        sums *s = &scores->outputs[i % scores->p];
        if (isnan(Y[i])) continue;
        add_value(s, F[i], Y[i]);
        if (S) add_error(scores, s, F[i], Y[i], S[i]);
    }
    for (size_t i = 0; (scores->p == 2 || scores->p == 3) && i < n; i++)
        add_vector(&scores->vectors, scores->p, calm, F + i * scores->p, Y + i * scores->p);
    return ORFF_OK;
}

orff_status orff_scores_add(orff_scores *scores, size_t n, const double *F, const double *S,
                            const double *Y) {
    return add_rows(scores, scores && scores->calm > 0.0 ? scores->calm : 0.0, n, F, S, Y);
}

/* ---- a model */

orff_status orff_scores_add_model(orff_scores *scores, const orff_model *model, size_t n, const double *X,
                                  const double *Y) {
    double *F = NULL, *S = NULL;
    size_t size;
    if (!scores || !model || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_scores_add_model: NULL argument");
    if (model->classes)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "classes have no errors to score; count those that are wrong");
    if (model->p != scores->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "scores of %zu outputs, a model of %zu", scores->p, model->p);
    ORFFI_TRY(orffi_multiply(n, model->p, &size));
    const bool bars = orff_model_describe(model).has_posterior;
    const double noise = length(model->p, orffi_model_noise(model)), calm = isnan(scores->calm) ? noise : scores->calm;
    orff_status status = ORFFI_NEW_ARRAY(F, size);
    if (!status && bars) status = ORFFI_NEW_ARRAY(S, size);
    if (!status) status = orff_model_predict(model, n, X, F);
    if (!status && bars) status = orff_model_std(model, n, X, true, S);
    if (!status) status = add_rows(scores, calm, n, F, S, Y);
    orffi_release(F);
    orffi_release(S);
    return status;
}

/* ---- results */

/* Adds up spreads about the mean of each output, so that differences between these means do not count as
 * correlation. */
static void join(sums *all, const sums *one) {
    all->n += one->n;
    all->square += one->square;
    all->error += one->error;
    all->spread_y += one->spread_y;
    all->spread_f += one->spread_f;
    all->shared += one->shared;
    all->errors += one->errors;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) all->inside[i] += one->inside[i];
    all->crps += one->crps;
    all->log_score += one->log_score;
}

static orff_score finish(const sums *s) {
    const double n = (double)s->n, spreads = sqrt(s->spread_y) * sqrt(s->spread_f);
    const bool scored = s->errors && s->errors == s->n;
    orff_score score = {.n = s->n, .mse = s->square / n, .rmse = sqrt(s->square / n), .bias = s->error / n};
    score.r2 = s->spread_y > 0.0 ? 1.0 - s->square / s->spread_y : NAN;
    score.correlation = spreads > 0.0 ? s->shared / spreads : NAN;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) score.coverage[i] = scored ? (double)s->inside[i] / n : NAN;
    score.crps = scored ? s->crps / n : NAN;
    score.log_score = scored ? s->log_score / n : NAN;
    return score;
}

orff_score orff_scores_output(const orff_scores *scores, size_t output) {
    if (output >= scores->p) return finish(&(sums){0});
    return finish(&scores->outputs[output]);
}

orff_score orff_scores_all(const orff_scores *scores) {
    sums all = {0};
    for (size_t k = 0; k < scores->p; k++) join(&all, &scores->outputs[k]);
    return finish(&all);
}

orff_vector_score orff_scores_vector(const orff_scores *scores) {
    const vectors *v = &scores->vectors;
    const double n = (double)v->n;
    return (orff_vector_score){.n = v->n,
                               .directions = v->directions,
                               .speed_rmse = v->n ? sqrt(v->square / n) : (double)NAN,
                               .speed_bias = v->n ? v->error / n : (double)NAN,
                               .direction_error =
                                   v->directions ? v->angle / (double)v->directions : (double)NAN};
}
