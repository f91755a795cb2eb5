#include "base/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

orff_fields orff_fields_of(const orff_archive *archive) {
    return (orff_fields){.archive = archive, .object = orff_archive_document(archive)};
}

orff_status orff_fields_fail(const orff_fields *in, const char *key, const char *what) {
    return orff_archive_fail(in->archive, "\"%s%s%s\" %s", in->where, *in->where ? "." : "", key, what);
}

orff_status orff_fields_blame(const orff_fields *in, orff_status status) {
    if (status == ORFF_OK || status == ORFF_NO_MEMORY) return status;
    return orff_archive_fail(in->archive, "%s%s%s", in->where, *in->where ? ": " : "", orff_error_message());
}

static const json_t *member(const orff_fields *in, const char *key) {
    return json_object_get(in->object, key);
}

static orff_status refuse(const orff_fields *in, const char *key, const char *wanted) {
    char what[64];
    snprintf(what, sizeof what, "%s %s", member(in, key) ? "is not" : "is missing; it must be", wanted);
    return orff_fields_fail(in, key, what);
}

/* ---- objects and lists */

orff_status orff_fields_object(const orff_fields *in, const char *key, orff_fields *out) {
    const json_t *found = member(in, key);
    if (!json_is_object(found)) return refuse(in, key, "an object");
    out->archive = in->archive;
    out->object = found;
    snprintf(out->where, sizeof out->where, "%.40s%s%.40s", in->where, *in->where ? "." : "", key);
    return ORFF_OK;
}

orff_status orff_fields_list(const orff_fields *in, const char *key, size_t *length) {
    const json_t *found = member(in, key);
    if (!json_is_array(found)) return refuse(in, key, "a list");
    *length = json_array_size(found);
    return ORFF_OK;
}

orff_status orff_fields_item(const orff_fields *in, const char *key, size_t i, orff_fields *out) {
    const json_t *found = json_array_get(member(in, key), i);
    if (!json_is_object(found)) return refuse(in, key, "a list of objects");
    out->archive = in->archive;
    out->object = found;
    snprintf(out->where, sizeof out->where, "%.40s%s%.24s[%zu]", in->where, *in->where ? "." : "", key, i);
    return ORFF_OK;
}

bool orff_fields_has(const orff_fields *in, const char *key) {
    const json_t *found = member(in, key);
    return found && !json_is_null(found);
}

/* ---- single values */

static bool to_size(const json_t *json, size_t *out) {
    const json_int_t value = json_integer_value(json);
    if (!json_is_integer(json) || value < 0 || (uintmax_t)value > SIZE_MAX) return false;
    *out = (size_t)value;
    return true;
}

static bool to_number(const json_t *json, double *out) {
    if (!json_is_number(json) || !isfinite(json_number_value(json))) return false;
    *out = json_number_value(json);
    return true;
}

/* Digits alone, without leading zeros, up to 2^64 - 1. */
static bool to_whole(const json_t *json, uint64_t *out) {
    const char *text = json_string_value(json);
    uint64_t value = 0;
    if (!text || !*text || (text[0] == '0' && text[1])) return false;
    for (; *text; text++) {
        const unsigned digit = (unsigned)(unsigned char)*text - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = value;
    return true;
}

orff_status orff_fields_size(const orff_fields *in, const char *key, size_t *out) {
    return to_size(member(in, key), out) ? ORFF_OK : refuse(in, key, "a whole number of at least 0");
}

orff_status orff_fields_flag(const orff_fields *in, const char *key, bool *out) {
    const json_t *found = member(in, key);
    if (!json_is_boolean(found)) return refuse(in, key, "true or false");
    *out = json_is_true(found);
    return ORFF_OK;
}

orff_status orff_fields_text(const orff_fields *in, const char *key, const char **out) {
    const json_t *found = member(in, key);
    if (!json_is_string(found)) return refuse(in, key, "a string");
    *out = json_string_value(found);
    return ORFF_OK;
}

orff_status orff_fields_number(const orff_fields *in, const char *key, double *out) {
    return to_number(member(in, key), out) ? ORFF_OK : refuse(in, key, "a number");
}

orff_status orff_fields_any_number(const orff_fields *in, const char *key, double *out) {
    const json_t *found = member(in, key);
    const char *text = json_string_value(found);
    if (json_is_null(found)) {
        *out = (double)NAN;
    } else if (text && !strcmp(text, "inf")) {
        *out = (double)INFINITY;
    } else if (text && !strcmp(text, "-inf")) {
        *out = (double)-INFINITY;
    } else if (!to_number(found, out)) {
        return refuse(in, key, "a number or null");
    }
    return ORFF_OK;
}

orff_status orff_fields_whole(const orff_fields *in, const char *key, uint64_t *out) {
    return to_whole(member(in, key), out) ? ORFF_OK : refuse(in, key, "a string of decimal digits");
}

orff_status orff_fields_whole_item(const orff_fields *in, const char *key, size_t i, uint64_t *out) {
    return to_whole(json_array_get(member(in, key), i), out) ? ORFF_OK
                                                             : refuse(in, key, "a list of decimal strings");
}

/* ---- lists of values */

static orff_status check_length(const orff_fields *in, const char *key, size_t count) {
    size_t length = 0;
    char what[64];
    ORFF_TRY(orff_fields_list(in, key, &length));
    snprintf(what, sizeof what, "has %zu entries, %zu were expected", length, count);
    return length == count ? ORFF_OK : orff_fields_fail(in, key, what);
}

orff_status orff_fields_numbers(const orff_fields *in, const char *key, size_t count, double **out) {
    double *list;
    bool good = true;
    ORFF_TRY(check_length(in, key, count));
    ORFF_TRY(ORFF_NEW_ARRAY(list, count));
    for (size_t i = 0; good && i < count; i++) good = to_number(json_array_get(member(in, key), i), &list[i]);
    if (!good) {
        orff_release(list);
        return refuse(in, key, "a list of numbers");
    }
    *out = list;
    return ORFF_OK;
}

orff_status orff_fields_sizes(const orff_fields *in, const char *key, size_t count, size_t **out) {
    size_t *list;
    bool good = true;
    ORFF_TRY(check_length(in, key, count));
    ORFF_TRY(ORFF_NEW_ARRAY(list, count));
    for (size_t i = 0; good && i < count; i++) good = to_size(json_array_get(member(in, key), i), &list[i]);
    if (!good) {
        orff_release(list);
        return refuse(in, key, "a list of whole numbers");
    }
    *out = list;
    return ORFF_OK;
}

/* ---- writing */

json_t *orff_json_number(double value) {
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

json_t *orff_json_whole(uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static json_t *checked(json_t *list, int failed) {
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

json_t *orff_json_numbers(size_t count, const double *values) {
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; i < count && !failed; i++) failed = json_array_append_new(list, json_real(values[i]));
    return checked(list, failed);
}

json_t *orff_json_sizes(size_t count, const size_t *values) {
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; i < count && !failed; i++)
        failed = json_array_append_new(list, json_integer((json_int_t)values[i]));
    return checked(list, failed);
}

orff_status orff_fields_notes(const orff_fields *in, char **out) {
    const char *text = NULL;
    if (!orff_fields_has(in, "notes")) return ORFF_OK;
    ORFF_TRY(orff_fields_text(in, "notes", &text));
    return orff_replace_text(out, text);
}

orff_status orff_notes_set(char **notes, const char *text) {
    json_t *string = text ? json_string(text) : NULL;
    if (!string) return orff_fail(ORFF_INVALID_ARGUMENT, "notes are text in UTF-8");
    json_decref(string);
    return orff_replace_text(notes, text);
}
