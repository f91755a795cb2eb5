/* Notes: creating, reading and querying them. */
#include "base/notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for notes");
}

static orff_status null_argument(void) {
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_notes: NULL argument");
}

/* ---- whole notes */

static orff_status create(orff_notes **out, const orffi_notes_sizes *sizes, json_t *object) {
    orff_notes *notes = NULL;
    const orff_status status = object ? ORFFI_NEW(notes) : no_memory();
    if (status) {
        json_decref(object);
        return status;
    }
    *notes = (orff_notes){.sizes = *sizes, .object = object};
    *out = notes;
    return ORFF_OK;
}

orff_status orff_notes_create(orff_notes **notes, size_t inputs, size_t outputs) {
    const orffi_notes_sizes sizes = {inputs, outputs, 0};
    return notes ? create(notes, &sizes, json_object()) : null_argument();
}

orff_status orff_notes_parse(orff_notes **notes, const char *text, size_t inputs, size_t outputs,
                             size_t classes) {
    const orffi_notes_sizes sizes = {inputs, outputs, classes};
    char problem[256];
    if (!notes || !text) return null_argument();
    json_t *object = json_loads(text, 0, NULL);
    if (!json_is_object(object)) {
        json_decref(object);
        return create(notes, &sizes, json_object());
    }
    if (orffi_notes_check(object, &sizes, problem, sizeof problem)) return create(notes, &sizes, object);
    json_decref(object);
    return orffi_fail(ORFF_ERROR_FORMAT, "notes are damaged or do not belong to it: %s", problem);
}

orff_status orff_notes_text(orff_notes *notes, const char **text) {
    if (!notes || !text) return null_argument();
    char *dumped = json_dumps(notes->object, JSON_COMPACT | JSON_SORT_KEYS);
    if (!dumped) return no_memory();
    free(notes->text);
    *text = notes->text = dumped;
    return ORFF_OK;
}

void orff_notes_free(orff_notes *notes) {
    if (!notes) return;
    json_decref(notes->object);
    free(notes->text);
    orffi_release(notes);
}

/* ---- texts */

/* Text that is not UTF-8 is kept as orff_text_show would show it. */
static json_t *text_or_shown(const char *text) {
    char *shown;
    const size_t room = 4 * strlen(text) + 1;
    if (orffi_text_is_utf8(text)) return json_string(text);
    if (ORFFI_NEW_ARRAY(shown, room)) return NULL;
    orff_text_show(shown, room, text);
    json_t *string = json_string(shown);
    orffi_release(shown);
    return string;
}

static orff_status set(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value) ? no_memory() : ORFF_OK;
}

/* ---- columns */

static const char *const sides[] = {"inputs", "outputs"};

static json_t *column(const orff_notes *notes, orff_side side, size_t i) {
    if (!notes || (unsigned)side > ORFF_SIDE_OUTPUT) return NULL;
    return json_array_get(json_object_get(notes->object, sides[side]), i);
}

/* Makes entries for all columns, named x1, x2, .. or y1, .. until they get other names. */
static orff_status make_columns(orff_notes *notes, orff_side side) {
    const size_t count = side == ORFF_SIDE_INPUT ? notes->sizes.inputs : notes->sizes.outputs;
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; i < count && !failed; i++) {
        char name[32];
        snprintf(name, sizeof name, "%c%zu", side == ORFF_SIDE_INPUT ? 'x' : 'y', i + 1);
        failed = json_array_append_new(list, json_pack("{ss}", "name", name));
    }
    if (!failed) return set(notes->object, sides[side], list);
    json_decref(list);
    return no_memory();
}

static orff_status find_column(orff_notes *notes, orff_side side, size_t i, json_t **found) {
    if (!notes) return null_argument();
    if ((unsigned)side > ORFF_SIDE_OUTPUT ||
        i >= (side == ORFF_SIDE_INPUT ? notes->sizes.inputs : notes->sizes.outputs))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no column %zu (0-based) of the %s", i,
                          side == ORFF_SIDE_INPUT ? "inputs" : "outputs");
    if (!json_object_get(notes->object, sides[side])) ORFFI_TRY(make_columns(notes, side));
    *found = column(notes, side, i);
    return ORFF_OK;
}

static orff_status set_text(orff_notes *notes, orff_side side, size_t i, const char *key, const char *text) {
    json_t *found = NULL;
    if (!text) return null_argument();
    ORFFI_TRY(find_column(notes, side, i, &found));
    return set(found, key, text_or_shown(text));
}

static const char *get_text(const orff_notes *notes, orff_side side, size_t i, const char *key) {
    return json_string_value(json_object_get(column(notes, side, i), key));
}

orff_status orff_notes_set_name(orff_notes *notes, orff_side side, size_t i, const char *name) {
    return set_text(notes, side, i, "name", name);
}
orff_status orff_notes_set_units(orff_notes *notes, orff_side side, size_t i, const char *units) {
    return set_text(notes, side, i, "units", units);
}
orff_status orff_notes_set_standard_name(orff_notes *notes, orff_side side, size_t i, const char *name) {
    return set_text(notes, side, i, "standard_name", name);
}
const char *orff_notes_name(const orff_notes *notes, orff_side side, size_t i) {
    return get_text(notes, side, i, "name");
}
const char *orff_notes_units(const orff_notes *notes, orff_side side, size_t i) {
    return get_text(notes, side, i, "units");
}
const char *orff_notes_standard_name(const orff_notes *notes, orff_side side, size_t i) {
    return get_text(notes, side, i, "standard_name");
}

orff_status orff_notes_set_range(orff_notes *notes, size_t i, double low, double high) {
    json_t *found = NULL;
    if (!isfinite(low) || !isfinite(high) || low > high)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "input %zu (0-based) cannot go from %g to %g", i, low,
                          high);
    ORFFI_TRY(find_column(notes, ORFF_SIDE_INPUT, i, &found));
    ORFFI_TRY(set(found, "low", json_real(low)));
    return set(found, "high", json_real(high));
}

bool orff_notes_range(const orff_notes *notes, size_t i, double *low, double *high) {
    const json_t *found = column(notes, ORFF_SIDE_INPUT, i), *least = json_object_get(found, "low");
    *low = json_number_value(least);
    *high = json_number_value(json_object_get(found, "high"));
    return least != NULL;
}

orff_status orff_notes_set_named(orff_notes *notes, bool named) {
    return notes ? set(notes->object, "named", json_boolean(named)) : null_argument();
}
bool orff_notes_named(const orff_notes *notes) {
    return notes && json_is_true(json_object_get(notes->object, "named"));
}

/* ---- covariates and labels */

orff_status orff_notes_set_covariates(orff_notes *notes, const bool *covariate) {
    json_t *list = json_array();
    if (!notes || !covariate) {
        json_decref(list);
        return null_argument();
    }
    for (size_t i = 0; i < notes->sizes.inputs; i++)
        if (covariate[i] && json_array_append_new(list, json_integer((json_int_t)i))) {
            json_decref(list);
            return no_memory();
        }
    return set(notes->object, "covariates", list);
}

bool orff_notes_is_covariate(const orff_notes *notes, size_t i) {
    const json_t *list = notes ? json_object_get(notes->object, "covariates") : NULL;
    for (size_t k = 0; k < json_array_size(list); k++)
        if ((size_t)json_integer_value(json_array_get(list, k)) == i) return true;
    return false;
}

/* Sets a list of texts; those that are not UTF-8 as orff_text_show would show them. */
static orff_status set_texts(orff_notes *notes, const char *key, size_t count, const char *const *texts) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(list, text_or_shown(texts[i]))) {
            json_decref(list);
            return no_memory();
        }
    return set(notes->object, key, list);
}

static const char *text_of(const orff_notes *notes, const char *key, size_t i) {
    return notes ? json_string_value(json_array_get(json_object_get(notes->object, key), i)) : NULL;
}

orff_status orff_notes_set_labels(orff_notes *notes, size_t classes, const char *const *labels) {
    char problem[256];
    if (!notes || !labels) return null_argument();
    ORFFI_TRY(set_texts(notes, "labels", classes, labels));
    notes->sizes.classes = classes;
    if (orffi_notes_check(notes->object, &notes->sizes, problem, sizeof problem)) return ORFF_OK;
    json_object_del(notes->object, "labels");
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s", problem);
}

size_t orff_notes_labels(const orff_notes *notes) {
    return notes ? json_array_size(json_object_get(notes->object, "labels")) : 0;
}
const char *orff_notes_label(const orff_notes *notes, size_t i) {
    return text_of(notes, "labels", i);
}

orff_status orff_notes_set_groups(orff_notes *notes, size_t count, const char *const *groups) {
    return !notes || !groups ? null_argument() : set_texts(notes, "group_names", count, groups);
}
const char *orff_notes_group(const orff_notes *notes, size_t i) {
    return text_of(notes, "group_names", i);
}

/* ---- plane, kernel and members of other kinds */

static const char local[] = "azimuthal-equidistant";

orff_status orff_notes_set_plane(orff_notes *notes, const orff_plane *plane) {
    if (!notes || !plane) return null_argument();
    return set(notes->object, "geo",
               json_pack("{s:s, s:f, s:f, s:s}", "projection", *plane->crs ? plane->crs : local, "lon",
                         plane->lon, "lat", plane->lat, "units", "km"));
}

bool orff_notes_plane(const orff_notes *notes, orff_plane *plane) {
    const json_t *geo = notes ? json_object_get(notes->object, "geo") : NULL;
    size_t found = 0;
    if (!geo) return false;
    *plane = (orff_plane){.lon = json_number_value(json_object_get(geo, "lon")),
                          .lat = json_number_value(json_object_get(geo, "lat"))};
    const char *projection = json_string_value(json_object_get(geo, "projection"));
    if (projection && strcmp(projection, local) && strlen(projection) < ORFF_CRS_ROOM)
        memcpy(plane->crs, projection, strlen(projection) + 1);
    for (size_t i = 0; found < 2 && i < notes->sizes.inputs; i++)
        if (!orff_notes_is_covariate(notes, i)) plane->inputs[found++] = i;
    return found == 2;
}

orff_status orff_notes_set_kernel(orff_notes *notes, const char *kernel, const char *base,
                                  const char *sigma) {
    if (!notes || !kernel || !base || !sigma) return null_argument();
    return set(notes->object, "kernel",
               json_pack("{s:s, s:s, s:s}", "kernel", kernel, "base", base, "sigma", sigma));
}

const char *orff_notes_kernel(const orff_notes *notes, const char *key) {
    return notes ? json_string_value(json_object_get(json_object_get(notes->object, "kernel"), key)) : NULL;
}

orff_status orff_notes_set_member(orff_notes *notes, const char *key, const char *json) {
    char problem[256];
    if (!notes || !key || !json) return null_argument();
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL), *before = json_object_get(notes->object, key);
    if (!value) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the note \"%s\" is not JSON", key);
    json_incref(before);
    orff_status status = set(notes->object, key, value);
    if (!status && !orffi_notes_check(notes->object, &notes->sizes, problem, sizeof problem)) {
        if (before)
            json_object_set(notes->object, key, before);
        else
            json_object_del(notes->object, key);
        status = orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s", problem);
    }
    json_decref(before);
    return status;
}

/* ---- units */

const char *orff_notes_length_units(const orff_notes *notes) {
    const char *units = NULL;
    if (!notes) return "";
    if (json_object_get(notes->object, "geo")) return "km";
    for (size_t i = 0; i < notes->sizes.inputs; i++) {
        const char *own = orff_notes_units(notes, ORFF_SIDE_INPUT, i);
        if (orff_notes_is_covariate(notes, i)) continue;
        if (!own || (units && strcmp(units, own))) return "";
        units = own;
    }
    return units ? units : "";
}

bool orff_notes_derived_units(const orff_notes *notes, bool integrated, char *units, size_t room) {
    const char *own = orff_notes_units(notes, ORFF_SIDE_OUTPUT, 0), *length = orff_notes_length_units(notes);
    if (!own || !*length) return false;
    const int used = snprintf(units, room, integrated ? "%s %s" : "%s %s-1", own, length);
    return used >= 0 && (size_t)used < room;
}
