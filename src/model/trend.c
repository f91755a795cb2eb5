/* The terms of a trend, and what is computed from their coefficients. */
#include "model/trend.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "engine/derived.h"
#include "model/model.h"

static const char *const names[] = {ORFF_TREND_LIST(ORFFI_NAME_OF) NULL};

const char *orff_trend_name(orff_trend trend) {
    return (unsigned)trend < ORFF_TREND_COUNT ? names[trend] : NULL;
}

const char *const *orff_trend_names(void) {
    return names;
}

orff_status orff_trend_parse(const char *name, orff_trend *trend) {
    size_t place;
    if (!trend) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_trend_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("trend", name, names, &place));
    *trend = (orff_trend)place;
    return ORFF_OK;
}

/* ---- making */

static void add_factors(orffi_trend *t, size_t count, size_t first, size_t second) {
    t->factors[t->terms++] = (orffi_trend_factors){count, {first, second}};
}

/* 1, then the inputs, then their products. */
static orff_status fill_terms(orffi_trend *t) {
    size_t used = 0;
    for (size_t k = 0; k < t->d; k++) used += t->inputs[k];
    const size_t linear = t->kind >= ORFF_TREND_LINEAR ? used : 0;
    const size_t products = t->kind >= ORFF_TREND_QUADRATIC ? used * (used + 1) / 2 : 0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->factors, 1 + linear + products + t->offsets));
    add_factors(t, 0, 0, 0);
    for (size_t k = 0; linear && k < t->d; k++)
        if (t->inputs[k]) add_factors(t, 1, k, k);
    for (size_t k = 0; products && k < t->d; k++)
        for (size_t l = k; t->inputs[k] && l < t->d; l++)
            if (t->inputs[l]) add_factors(t, 2, k, l);
    for (size_t k = 0; k < t->offsets; k++) add_factors(t, 0, 0, 0);
    return ORFF_OK;
}

static orff_status allocate(orffi_trend *t, const bool *inputs) {
    ORFFI_TRY(orffi_duplicate(&t->inputs, inputs, t->d, sizeof *inputs));
    ORFFI_TRY(fill_terms(t));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->centre, t->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->scale, t->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->at, t->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->by, t->d));
    ORFFI_TRY(orffi_alloc(&t->beta, t->terms, t->p * sizeof *t->beta));
    ORFFI_TRY(orffi_alloc(&t->coefficients, t->terms, t->p * sizeof *t->coefficients));
    ORFFI_TRY(orffi_alloc(&t->errors, t->terms, t->p * sizeof *t->errors));
    for (size_t k = 0; k < t->d; k++) t->scale[k] = t->by[k] = 1.0;
    return ORFF_OK;
}

orff_status orffi_trend_create(orffi_trend **out, orff_trend kind, size_t d, size_t p, const bool *inputs,
                               size_t offsets, const uint64_t *labels) {
    orffi_trend *t;
    ORFFI_TRY(ORFFI_NEW(t));
    t->kind = kind;
    t->d = d;
    t->p = p;
    t->offsets = offsets;
    orff_status status = orffi_duplicate(&t->labels, labels, offsets, sizeof *labels);
    if (!status) status = allocate(t, inputs);
    if (status) {
        orffi_trend_free(t);
    } else {
        *out = t;
    }
    return status;
}

void orffi_trend_drop_fits(orffi_trend *t) {
    for (size_t i = 0; t->fits && i < t->n_fits; i++) t->engine->free(t->fits[i]);
    orffi_release(t->fits);
    t->fits = NULL;
    t->n_fits = 0;
}

void orffi_trend_free(orffi_trend *t) {
    if (!t) return;
    double *all[] = {t->centre, t->scale, t->at, t->by, t->beta, t->coefficients, t->errors, t->root};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_trend_drop_fits(t);
    orffi_release(t->inputs);
    orffi_release(t->factors);
    orffi_release(t->labels);
    orffi_release(t);
}

orff_status orffi_trend_make_columns(orffi_trend *t, const orffi_engine *engine, bool shared) {
    size_t entries;
    t->engine = engine;
    t->shared = shared;
    t->columns = shared ? t->terms : t->terms * t->p;
    t->n_fits = shared ? (t->terms + t->p - 1) / t->p : t->columns;
    ORFFI_TRY(orffi_multiply(t->columns, t->columns, &entries));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->root, entries));
    return ORFFI_NEW_ARRAY(t->fits, t->n_fits);
}

void orffi_trend_rescale(orffi_trend *t, const double *shift, const double *unit) {
    for (size_t k = 0; k < t->d; k++) {
        t->at[k] = (t->centre[k] - shift[k]) / unit[k];
        t->by[k] = t->scale[k] / unit[k];
    }
}

/* ---- terms */

void orffi_trend_terms(const orffi_trend *t, const double *x, double *h) {
    memset(h + t->terms - t->offsets, 0, t->offsets * sizeof *h);
    for (size_t j = 0; j < t->terms - t->offsets; j++) {
        const orffi_trend_factors *f = &t->factors[j];
        h[j] = 1.0;
        for (size_t i = 0; i < f->count; i++)
            h[j] *= (x[f->inputs[i]] - t->at[f->inputs[i]]) / t->by[f->inputs[i]];
    }
}

void orffi_trend_slopes(const orffi_trend *t, const double *x, double *slopes) {
    memset(slopes, 0, t->terms * t->d * sizeof *slopes);
    for (size_t j = 0; j < t->terms; j++) {
        const orffi_trend_factors *f = &t->factors[j];
        for (size_t i = 0; i < f->count; i++) {
            const size_t k = f->inputs[i], other = f->inputs[1 - i];
            const double rest = f->count == 2 ? (x[other] - t->at[other]) / t->by[other] : 1.0;
            slopes[j * t->d + k] += rest / t->scale[k];
        }
    }
}

/* ---- coefficients */

/* The factor of term j in z relative to the same term in x - centre. */
static double per_input(const orffi_trend *t, size_t j) {
    double factor = 1.0;
    for (size_t i = 0; i < t->factors[j].count; i++) factor /= t->scale[t->factors[j].inputs[i]];
    return factor;
}

void orffi_trend_report(orffi_trend *t, const double *noise) {
    const size_t p = t->p, Q = t->columns;
    for (size_t j = 0; j < t->terms; j++)
        for (size_t a = 0; a < p; a++) {
            const double *row = t->root + (t->shared ? j : j * p + a) * Q;
            double square = 0.0;
            for (size_t s = 0; s < Q; s++) square += row[s] * row[s];
            t->coefficients[j * p + a] = per_input(t, j) * t->beta[j * p + a];
            t->errors[j * p + a] = per_input(t, j) * noise[a] * sqrt(square);
        }
}

orff_status orff_model_trend(const orff_model *model, size_t i, orff_trend_term *out) {
    if (!model || !out) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_trend: NULL argument");
    const orffi_trend *t = model->trend;
    const size_t terms = t ? t->terms - t->offsets : 0;
    if (i >= terms)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no term %zu of a trend among %zu (0-based)",
                          i, terms);
    *out = (orff_trend_term){.factors = t->factors[i].count,
                             .inputs = {t->factors[i].inputs[0], t->factors[i].inputs[1]},
                             .coefficients = t->coefficients + i * t->p,
                             .errors = t->errors + i * t->p};
    return ORFF_OK;
}

orff_status orff_model_offset(const orff_model *model, size_t i, orff_offset *out) {
    if (!model || !out) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_offset: NULL argument");
    const orffi_trend *t = model->trend;
    if (!t || i >= t->offsets)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no offset %zu among %zu (0-based)", i,
                          t ? t->offsets : 0);
    const size_t at = (t->terms - t->offsets + i) * t->p;
    *out = (orff_offset){t->labels[i], t->coefficients + at, t->errors + at};
    return ORFF_OK;
}

/* ---- values */

orff_status orffi_trend_add(const orffi_trend *t, size_t n, const double *x, double *F) {
    const size_t p = t->p;
    double *h;
    ORFFI_TRY(ORFFI_NEW_ARRAY(h, t->terms));
    for (size_t i = 0; i < n; i++) {
        orffi_trend_terms(t, x + i * t->d, h);
        for (size_t j = 0; j < t->terms; j++)
            for (size_t a = 0; a < p; a++) F[i * p + a] += h[j] * t->beta[j * p + a];
    }
    orffi_release(h);
    return ORFF_OK;
}

orff_status orffi_trend_check_field(const orffi_trend *t, const orffi_derived *what) {
    if (!t || !(orffi_wave_field_find(what->field)->sign < 0.0)) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the %s of a model with a trend is not known, for the trend need be neither a gradient nor a "
        "curl: fit without one, about the mean of the outputs",
        what->name);
}

void orffi_field_of_jacobian(const orffi_derived *what, size_t d, size_t p, const double *J, double *out) {
    const size_t every[] = {0, 1, 2}, *s = what->space ? what->space : every;
    if (what->field == ORFF_FIELD_JACOBIAN)
        for (size_t i = 0; i < p * d; i++) out[i] += J[i];
    if (what->field == ORFF_FIELD_DIVERGENCE)
        for (size_t a = 0; a < p; a++) out[0] += J[a * d + (what->space ? what->space[a] : a)];
    if (what->field == ORFF_FIELD_CURL && p == 2) out[0] += J[d + s[0]] - J[s[1]];
    for (size_t i = 0; what->field == ORFF_FIELD_CURL && p == 3 && i < 3; i++) {
        const size_t k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] += J[l * d + s[k]] - J[k * d + s[l]];
    }
}

/* slopes: terms x d. J = sum over terms of b times its slopes (p x d); adds the field derived from J. */
static void add_field(const orffi_trend *t, const orffi_derived *what, const double *slopes, double *J,
                      double *out) {
    const size_t d = t->d, p = t->p;
    memset(J, 0, p * d * sizeof *J);
    for (size_t j = 0; j < t->terms; j++)
        for (size_t i = 0; i < p * d; i++) J[i] += t->beta[j * p + i / d] * slopes[j * d + i % d];
    orffi_field_of_jacobian(what, d, p, J, out);
}

orff_status orffi_trend_add_derived(const orffi_trend *t, const orffi_derived *what, size_t n,
                                    const double *x, double *out) {
    double *slopes = NULL, *J = NULL;
    ORFFI_TRY(orffi_trend_check_field(t, what));
    orff_status status = orffi_alloc(&slopes, t->terms, t->d * sizeof *slopes);
    if (!status) status = orffi_alloc(&J, t->p, t->d * sizeof *J);
    for (size_t i = 0; !status && i < n; i++) {
        orffi_trend_slopes(t, x + i * t->d, slopes);
        add_field(t, what, slopes, J, out + i * what->k);
    }
    orffi_release(slopes);
    orffi_release(J);
    return status;
}
