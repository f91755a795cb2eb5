#include "base/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct check {
    const json_t *notes;
    const orffi_notes_sizes *sizes;
    char *problem;
    size_t room;
} check;

static bool refuse(const check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(const check *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->problem, c->room, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- columns */

static bool is_text(const json_t *value) {
    return !value || json_is_string(value);
}

/* low and high must come together. */
static bool check_range(const check *c, const char *side, size_t i, const json_t *column) {
    const json_t *low = json_object_get(column, "low"), *high = json_object_get(column, "high");
    if (!low && !high) return true;
    if (!json_is_number(low) || !json_is_number(high))
        return refuse(c, "\"%s[%zu]\" has not both numbers, \"low\" and \"high\"", side, i);
    const double a = json_number_value(low), b = json_number_value(high);
    if (!isfinite(a) || !isfinite(b) || a > b)
        return refuse(c, "\"%s[%zu]\" goes from %g to %g", side, i, a, b);
    return true;
}

static bool check_column(const check *c, const char *side, size_t i, const json_t *column) {
    static const char *const texts[] = {"name", "units", "standard_name"};
    if (!json_is_object(column)) return refuse(c, "\"%s[%zu]\" is not an object", side, i);
    if (!json_object_get(column, "name")) return refuse(c, "\"%s[%zu]\" has no \"name\"", side, i);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (!is_text(json_object_get(column, texts[k])))
            return refuse(c, "\"%s[%zu].%s\" is not a text", side, i, texts[k]);
    return check_range(c, side, i, column);
}

static bool check_columns(const check *c, const char *side, size_t count) {
    const json_t *list = json_object_get(c->notes, side);
    if (!list) return true;
    if (!json_is_array(list)) return refuse(c, "\"%s\" is not a list", side);
    if (json_array_size(list) != count)
        return refuse(c, "\"%s\" names %zu columns; there are %zu", side, json_array_size(list), count);
    for (size_t i = 0; i < count; i++)
        if (!check_column(c, side, i, json_array_get(list, i))) return false;
    return true;
}

static bool check_named(const check *c) {
    const json_t *named = json_object_get(c->notes, "named");
    return !named || json_is_boolean(named) || refuse(c, "\"named\" is neither true nor false");
}

/* ---- covariates */

static bool is_place(const json_t *value, size_t below) {
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           (uintmax_t)json_integer_value(value) < below;
}

/* The list is no longer than the inputs, so searching it for repetitions is cheap. */
static bool check_covariates(const check *c) {
    const json_t *list = json_object_get(c->notes, "covariates");
    const size_t count = json_array_size(list), inputs = c->sizes->inputs;
    if (!list) return true;
    if (!json_is_array(list)) return refuse(c, "\"covariates\" is not a list");
    if (count > inputs)
        return refuse(c, "\"covariates\" has %zu entries; there are %zu inputs", count, inputs);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);
        if (!is_place(value, inputs))
            return refuse(c, "\"covariates[%zu]\" is not the place of an input, 0 to %zu", i, inputs - 1);
        for (size_t k = 0; k < i; k++)
            if (json_equal(value, json_array_get(list, k)))
                return refuse(c, "\"covariates[%zu]\" is there twice", i);
    }
    return true;
}

/* ---- labels */

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* texts has room for the labels and is sorted on return. */
static bool check_label_texts(const check *c, const json_t *list, const char **texts) {
    const size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (!texts[i]) return refuse(c, "\"labels[%zu]\" is not a text", i);
    }
    qsort(texts, count, sizeof *texts, compare_texts);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(texts[i - 1], texts[i])) return refuse(c, "two of the \"labels\" are the same");
    return true;
}

/* Names of groups that have offsets. */
static bool check_groups(const check *c) {
    const json_t *list = json_object_get(c->notes, "group_names");
    if (list && !json_is_array(list)) return refuse(c, "\"group_names\" is not a list");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return refuse(c, "\"group_names[%zu]\" is not a text", i);
    return true;
}

static bool check_labels(const check *c) {
    const json_t *list = json_object_get(c->notes, "labels");
    const size_t count = json_array_size(list), classes = c->sizes->classes;
    if (!list) return true;
    if (!json_is_array(list)) return refuse(c, "\"labels\" is not a list");
    if (count != classes)
        return refuse(c, "\"labels\" has %zu entries; there are %zu classes", count, classes);
    const char **texts;
    if (ORFFI_NEW_ARRAY(texts, count))
        return refuse(c, "there is no memory to look at %zu \"labels\"", count);
    const bool good = check_label_texts(c, list, texts);
    orffi_release(texts);
    return good;
}

/* ---- the plane, the kernel and the settings */

static bool is_within(const json_t *value, double most) {
    return json_is_number(value) && fabs(json_number_value(value)) <= most;
}

/* A plane needs two inputs for places and two outputs, which turn with it. */
static bool check_geo(const check *c) {
    const json_t *geo = json_object_get(c->notes, "geo");
    const size_t covariates = json_array_size(json_object_get(c->notes, "covariates"));
    if (!geo) return true;
    if (!json_is_object(geo)) return refuse(c, "\"geo\" is not an object");
    if (!is_within(json_object_get(geo, "lon"), 360.0))
        return refuse(c, "\"geo.lon\" is not a longitude in degrees");
    if (!is_within(json_object_get(geo, "lat"), 90.0))
        return refuse(c, "\"geo.lat\" is not a latitude in degrees");
    if (c->sizes->inputs - covariates < 2 || c->sizes->outputs != 2)
        return refuse(c,
                      "\"geo\" is for two inputs besides covariates and two outputs; there are %zu and %zu",
                      c->sizes->inputs - covariates, c->sizes->outputs);
    return true;
}

static bool check_settings(const check *c) {
    return is_text(json_object_get(c->notes, "settings")) || refuse(c, "\"settings\" is not a text");
}

static bool check_kernel(const check *c) {
    static const char *const texts[] = {"kernel", "base", "sigma"};
    const json_t *kernel = json_object_get(c->notes, "kernel");
    if (!kernel) return true;
    if (!json_is_object(kernel)) return refuse(c, "\"kernel\" is not an object");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_is_string(json_object_get(kernel, texts[i])))
            return refuse(c, "\"kernel.%s\" is not a text", texts[i]);
    return true;
}

bool orffi_notes_check(const json_t *notes, const orffi_notes_sizes *sizes, char *problem, size_t room) {
    const check c = {notes, sizes, problem, room};
    if (!json_is_object(notes)) return refuse(&c, "they are not an object");
    return check_columns(&c, "inputs", sizes->inputs) && check_columns(&c, "outputs", sizes->outputs) &&
           check_named(&c) && check_covariates(&c) && check_labels(&c) && check_groups(&c) && check_geo(&c) &&
           check_kernel(&c) && check_settings(&c);
}
