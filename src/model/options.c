/* Settings by name and text. */
#include <stdio.h>
#include <string.h>

#include "base/crs.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/plane.h"
#include "model/kernel_text.h"
#include "model/settings.h"

#define MOST_SETTINGS 64

struct orff_options {
    char *texts[MOST_SETTINGS]; /* in the order of the table; NULL: not given */
    char culprit[32];
    orffi_kernel_read kernel;
    double *omega, *weights; /* the user's frequencies */
    double *periods;         /* d */
    double *codes;           /* classes x code_length */
    bool *trend_inputs;      /* d */
    size_t hidden[ORFFI_MOST_WIDTHS];
    size_t geo_inputs[2];
    double *X, *Y; /* the rows, projected to a plane */
};

/* Position of a setting in the table; past the end if there is none. */
static size_t place_of(const char *name) {
    size_t i = 0;
    while (orff_setting_at(i) && !(name && !strcmp(orff_setting_at(i)->name, name))) i++;
    return i;
}

orff_status orff_options_create(orff_options **options) {
    if (!options) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_options_create: NULL argument");
    if (place_of(NULL) > MOST_SETTINGS)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the table of settings is too long");
    return ORFFI_NEW(*options);
}

static void clear_resolved(orff_options *o) {
    orffi_kernel_read_clear(&o->kernel);
    orffi_release(o->omega);
    orffi_release(o->weights);
    orffi_release(o->periods);
    orffi_release(o->codes);
    orffi_release(o->trend_inputs);
    orffi_release(o->X);
    orffi_release(o->Y);
    o->omega = o->weights = o->periods = o->codes = o->X = o->Y = NULL;
    o->trend_inputs = NULL;
}

void orff_options_free(orff_options *options) {
    if (!options) return;
    for (size_t i = 0; i < MOST_SETTINGS; i++) orffi_release(options->texts[i]);
    clear_resolved(options);
    orffi_release(options);
}

/* ---- texts */

static orff_status refuse_name(const char *name) {
    const char *names[MOST_SETTINGS + 1] = {NULL};
    for (size_t i = 0; i < MOST_SETTINGS && orff_setting_at(i); i++) names[i] = orff_setting_at(i)->name;
    const char *near = name ? orff_text_nearest(name, names) : NULL;
    return near ? orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no setting \"%s\"; did you mean \"%s\"?",
                             name, near)
                : orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no setting \"%s\"", name ? name : "");
}

orff_status orff_options_set(orff_options *options, const char *name, const char *text) {
    if (!options || !text) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_options_set: NULL argument");
    const orff_setting *setting = orff_setting_find(name);
    options->culprit[0] = '\0';
    if (!setting) return refuse_name(name);
    snprintf(options->culprit, sizeof options->culprit, "%s", setting->name);
    if (strpbrk(text, "\n\r"))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: there is a line break in the value",
                          setting->name);
    if (!*text) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: there is no value", setting->name);
    ORFFI_TRY(orffi_setting_check(setting, text));
    return orffi_replace_text(&options->texts[place_of(name)], text);
}

bool orff_options_given(const orff_options *options, const char *name) {
    const size_t i = place_of(name);
    return i < MOST_SETTINGS && options->texts[i];
}

const char *orff_options_get(const orff_options *options, const char *name) {
    const orff_setting *setting = orff_setting_find(name);
    if (!setting) return NULL;
    return orff_options_given(options, name) ? options->texts[place_of(name)] : setting->fallback;
}

const char *orff_options_culprit(const orff_options *options) {
    return options->culprit;
}

/* ---- to settings */

/* NULL if the setting was not given, so that the default applies. */
static const char *given(const orff_options *o, const char *name) {
    return orff_options_given(o, name) ? orff_options_get(o, name) : NULL;
}

static orff_status read_kernel(orff_options *o, const orff_data_shape *shape, orff_settings *settings) {
    const orffi_kernel_texts texts = {.kernel = orff_options_get(o, "kernel"),
                                      .base = orff_options_get(o, "base"),
                                      .shape = given(o, "shape"),
                                      .sigma = orff_options_get(o, "sigma"),
                                      .wavelength = given(o, "wavelength"),
                                      .weight = orff_options_get(o, "weight"),
                                      .mix = given(o, "mix"),
                                      .matrix = given(o, "output-matrix"),
                                      .delays = given(o, "delays"),
                                      .covariates = given(o, "covariates"),
                                      .periods = o->periods};
    const orff_status status = orffi_kernel_text_read(&o->kernel, &texts, shape);
    snprintf(o->culprit, sizeof o->culprit, "%s", status ? o->kernel.culprit : "");
    settings->n_parts = o->kernel.n;
    settings->parts = o->kernel.parts;
    settings->mixture = o->kernel.mixture;
    settings->auto_kernel = o->kernel.automatic;
    settings->auto_mix = o->kernel.auto_mix;
    return status;
}

static orff_status read_periods(orff_options *o, const orff_data_shape *shape, orff_settings *settings) {
    const char *text = given(o, "period");
    if (!text) return ORFF_OK;
    snprintf(o->culprit, sizeof o->culprit, "period");
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->periods, shape->d));
    ORFFI_TRY(orffi_periods_read(text, shape, o->periods));
    for (size_t i = 0; settings->geo != ORFF_GEO_NONE && i < 2; i++)
        if (o->periods[o->geo_inputs[i]] > 0.0)
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "period: input %zu is projected by geo, so it cannot be periodic",
                              o->geo_inputs[i] + 1);
    settings->periods = o->periods;
    return ORFF_OK;
}

/* One of the names, or a list of the inputs that enter linearly. */
static orff_status read_trend(orff_options *o, const orff_data_shape *shape, orff_settings *settings) {
    const char *text = given(o, "trend");
    if (!text) return ORFF_OK;
    for (size_t i = 0; i < ORFF_TREND_COUNT; i++)
        if (!strcmp(text, orff_trend_name((orff_trend)i))) {
            settings->trend = (orff_trend)i;
            return ORFF_OK;
        }
    snprintf(o->culprit, sizeof o->culprit, "trend");
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->trend_inputs, shape->d));
    const char *near = orff_text_nearest(text, orff_trend_names());
    const orff_status status = orffi_inputs_read("trend", text, shape, o->trend_inputs);
    if (status == ORFF_ERROR_INVALID_ARGUMENT && near)
        return orffi_fail(status, "trend: \"%s\" is neither a trend nor an input; did you mean \"%s\"?", text,
                          near);
    if (status) return status;
    settings->trend = ORFF_TREND_LINEAR;
    settings->trend_inputs = o->trend_inputs;
    return ORFF_OK;
}

/* One row per class. The kernel then has as many outputs as a code has numbers. */
static orff_status read_codes(orff_options *o, orff_data_shape *shape, orff_settings *settings) {
    const char *text = given(o, "codes");
    size_t rows;
    if (!text) return ORFF_OK;
    snprintf(o->culprit, sizeof o->culprit, "codes");
    if (!shape->classes) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "codes: they are for classes");
    const char *end = orffi_matrix_read(text, &rows, &settings->code_length, &o->codes);
    if (!end || *end || rows != shape->classes)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "codes: expected a matrix with %zu rows, one for each class", shape->classes);
    settings->codes = o->codes;
    shape->classes = 0;
    shape->p = settings->code_length;
    shape->Y = NULL;
    return ORFF_OK;
}

static orff_status read_stack(orff_options *o, orff_settings *settings) {
    const char *text = given(o, "stack");
    snprintf(o->culprit, sizeof o->culprit, "stack");
    if (text) ORFFI_TRY(orffi_widths_read(text, &settings->n_hidden, o->hidden));
    if (text) settings->hidden = o->hidden;
    snprintf(o->culprit, sizeof o->culprit, "stack-base");
    if (!orff_base_parse(orff_options_get(o, "stack-base"), &settings->hidden_base,
                         &settings->hidden_shape) &&
        (settings->hidden_shape > 0.0 || !orff_base_has_shape(settings->hidden_base)))
        return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "stack-base: \"%s\" is not a scalar kernel with a shape of its own, such as %s",
                      orff_options_get(o, "stack-base"), orff_base_short_name(ORFF_BASE_MATERN, 2.5));
}

/* D x d, or D x (d + 1) with weights in the last column. */
static orff_status read_frequencies(orff_options *o, const orff_data_shape *shape, orff_sampling *sampling) {
    const char *text = given(o, "frequencies");
    size_t D, cols;
    double *numbers = NULL;
    if (!text) return ORFF_OK;
    snprintf(o->culprit, sizeof o->culprit, "frequencies");
    const char *end = orffi_matrix_read(text, &D, &cols, &numbers);
    orff_status status = ORFF_OK;
    if (!end || *end || (cols != shape->d && cols != shape->d + 1)) {
        status =
            orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                       "frequencies: expected a matrix with %zu columns, or %zu with a weight in the last",
                       shape->d, shape->d + 1);
    }
    if (!status) status = ORFFI_NEW_ARRAY(o->omega, D * shape->d);
    if (!status && cols > shape->d) status = ORFFI_NEW_ARRAY(o->weights, D);
    for (size_t j = 0; !status && j < D; j++) {
        memcpy(o->omega + j * shape->d, numbers + j * cols, shape->d * sizeof *numbers);
        if (o->weights) o->weights[j] = numbers[j * cols + shape->d];
    }
    orffi_release(numbers);
    sampling->features = D;
    sampling->omega = o->omega;
    sampling->weights = o->weights;
    return status;
}

/* For inputs in degrees, everything computed from the rows is computed on their plane. */
static orff_status lay_on_plane(orff_options *o, const bool *covariate, orff_data_shape *shape) {
    orff_plane plane;
    const size_t n = shape->n, d = shape->d;
    ORFFI_TRY(orff_geo_inputs(d, shape->classes ? 1 : shape->p, covariate, o->geo_inputs));
    if (!n || !shape->X) return ORFF_OK;
    o->culprit[0] = '\0'; /* from here on the rows are to blame, not a setting */
    ORFFI_TRY(orffi_plane_find(&plane, given(o, "crs"), d, o->geo_inputs, n, shape->X));
    ORFFI_TRY(orffi_duplicate(&o->X, shape->X, n * d, sizeof *o->X));
    ORFFI_TRY(orffi_duplicate(&o->Y, shape->Y, n * shape->p, sizeof *o->Y));
    ORFFI_TRY(orff_plane_project(&plane, d, n, o->X, o->Y));
    shape->X = o->X;
    shape->Y = o->Y;
    return ORFF_OK;
}

orff_status orff_options_covariates(orff_options *options, const orff_data_shape *shape, bool *covariate) {
    if (!options || !shape || !covariate)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_options_covariates: NULL argument");
    snprintf(options->culprit, sizeof options->culprit, "covariates");
    return orffi_covariates_read(given(options, "covariates"), shape, covariate);
}

/* A crs implies that inputs are degrees. */
static orff_status read_crs(orff_options *o, orff_settings *settings) {
    settings->crs = given(o, "crs");
    if (!settings->crs) return ORFF_OK;
    snprintf(o->culprit, sizeof o->culprit, "crs");
    if (given(o, "geo") && settings->geo == ORFF_GEO_NONE)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "crs: it is for inputs in degrees, but geo is none; coordinates that are already lengths in a "
            "plane need no crs");
    settings->geo = ORFF_GEO_LONLAT;
    return orffi_crs_check(settings->crs);
}

static orff_status read_geo(orff_options *o, orff_data_shape *shape, orff_settings *settings) {
    bool *covariate;
    ORFFI_TRY(read_crs(o, settings));
    if (settings->geo == ORFF_GEO_NONE) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(covariate, shape->d));
    orff_status status = orff_options_covariates(o, shape, covariate);
    if (!status) {
        snprintf(o->culprit, sizeof o->culprit, "geo");
        status = lay_on_plane(o, covariate, shape);
    }
    settings->geo_inputs = o->geo_inputs;
    orffi_release(covariate);
    return status;
}

orff_status orff_options_resolve(orff_options *options, const orff_data_shape *shape,
                                 orff_settings *settings) {
    if (!options || !shape || !settings)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_options_resolve: NULL argument");
    if (!shape->d || !shape->p)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a model needs inputs and outputs (d=%zu, p=%zu)", shape->d,
                          shape->p);
    orff_settings resolved = orff_settings_default();
    options->culprit[0] = '\0';
    clear_resolved(options);
    for (size_t i = 0; orff_setting_at(i); i++)
        if (options->texts[i])
            ORFFI_TRY(orffi_setting_apply(&resolved, orff_setting_at(i), options->texts[i]));
    orff_data_shape inner = *shape;
    ORFFI_TRY(read_geo(options, &inner, &resolved));
    ORFFI_TRY(read_periods(options, &inner, &resolved));
    ORFFI_TRY(read_codes(options, &inner, &resolved));
    ORFFI_TRY(read_kernel(options, &inner, &resolved));
    ORFFI_TRY(read_frequencies(options, &inner, &resolved.sampling));
    ORFFI_TRY(read_trend(options, &inner, &resolved));
    ORFFI_TRY(read_stack(options, &resolved));
    options->culprit[0] = '\0';
    resolved.checkpoint = given(options, "checkpoint");
    resolved.classes = shape->classes;
    *settings = resolved;
    return ORFF_OK;
}

/* ---- as one text */

orff_status orff_options_write(const orff_options *options, char **text) {
    size_t room = 1, used = 0;
    if (!options || !text)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_options_write: NULL argument");
    for (size_t i = 0; orff_setting_at(i); i++)
        if (options->texts[i]) room += strlen(orff_setting_at(i)->name) + strlen(options->texts[i]) + 2;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*text, room));
    for (size_t i = 0; orff_setting_at(i); i++)
        if (options->texts[i])
            used += (size_t)snprintf(*text + used, room - used, "%s=%s\n", orff_setting_at(i)->name,
                                     options->texts[i]);
    return ORFF_OK;
}

/* Files of version 0.1 list engines among the solvers. */
static const char *name_today(const char *name, const char *text) {
    const bool engine = !strcmp(name, "solver") && !strcmp(text, orff_engine_name(ORFF_ENGINE_EXACT));
    return engine ? "engine" : name;
}

static orff_status read_line(orff_options *options, const char *line, size_t length) {
    char *copy, *equals;
    ORFFI_TRY(ORFFI_NEW_ARRAY(copy, length + 1));
    memcpy(copy, line, length);
    equals = strchr(copy, '=');
    if (equals) *equals = '\0';
    const orff_status status =
        equals ? orff_options_set(options, name_today(copy, equals + 1), equals + 1)
               : orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "\"%.60s\" is not name=text", copy);
    orffi_release(copy);
    return status;
}

orff_status orff_options_read(orff_options *options, const char *text) {
    if (!options || !text) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_options_read: NULL argument");
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length) ORFFI_TRY(read_line(options, text, length));
        text += length + (text[length] == '\n');
    }
    return ORFF_OK;
}

void orff_text_free(char *text) {
    orffi_release(text);
}
