#include "base/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

orffi_fields orffi_fields_of(const orffi_archive *archive) {
    return (orffi_fields){.archive = archive, .object = orffi_archive_document(archive)};
}

orff_status orffi_fields_fail(const orffi_fields *in, const char *key, const char *what) {
    return orffi_archive_fail(in->archive, "\"%s%s%s\" %s", in->where, *in->where ? "." : "", key, what);
}

orff_status orffi_fields_blame(const orffi_fields *in, orff_status status) {
    if (status == ORFF_OK || status == ORFF_ERROR_NO_MEMORY) return status;
    return orffi_archive_fail(in->archive, "%s%s%s", in->where, *in->where ? ": " : "", orff_error_message());
}

static const json_t *member(const orffi_fields *in, const char *key) {
    return json_object_get(in->object, key);
}

static orff_status refuse(const orffi_fields *in, const char *key, const char *wanted) {
    char what[64];
    snprintf(what, sizeof what, "%s %s", member(in, key) ? "is not" : "is missing; it must be", wanted);
    return orffi_fields_fail(in, key, what);
}

/* ---- objects and lists */

orff_status orffi_fields_object(const orffi_fields *in, const char *key, orffi_fields *out) {
    const json_t *found = member(in, key);
    if (!json_is_object(found)) return refuse(in, key, "an object");
    out->archive = in->archive;
    out->object = found;
    snprintf(out->where, sizeof out->where, "%.40s%s%.40s", in->where, *in->where ? "." : "", key);
    return ORFF_OK;
}

orff_status orffi_fields_list(const orffi_fields *in, const char *key, size_t *length) {
    const json_t *found = member(in, key);
    if (!json_is_array(found)) return refuse(in, key, "a list");
    *length = json_array_size(found);
    return ORFF_OK;
}

orff_status orffi_fields_item(const orffi_fields *in, const char *key, size_t i, orffi_fields *out) {
    const json_t *found = json_array_get(member(in, key), i);
    if (!json_is_object(found)) return refuse(in, key, "a list of objects");
    out->archive = in->archive;
    out->object = found;
    snprintf(out->where, sizeof out->where, "%.40s%s%.24s[%zu]", in->where, *in->where ? "." : "", key, i);
    return ORFF_OK;
}

bool orffi_fields_has(const orffi_fields *in, const char *key) {
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

orff_status orffi_fields_size(const orffi_fields *in, const char *key, size_t *out) {
    return to_size(member(in, key), out) ? ORFF_OK : refuse(in, key, "a whole number of at least 0");
}

orff_status orffi_fields_flag(const orffi_fields *in, const char *key, bool *out) {
    const json_t *found = member(in, key);
    if (!json_is_boolean(found)) return refuse(in, key, "true or false");
    *out = json_is_true(found);
    return ORFF_OK;
}

orff_status orffi_fields_text(const orffi_fields *in, const char *key, const char **out) {
    const json_t *found = member(in, key);
    if (!json_is_string(found)) return refuse(in, key, "a string");
    *out = json_string_value(found);
    return ORFF_OK;
}

orff_status orffi_fields_number(const orffi_fields *in, const char *key, double *out) {
    return to_number(member(in, key), out) ? ORFF_OK : refuse(in, key, "a number");
}

orff_status orffi_fields_any_number(const orffi_fields *in, const char *key, double *out) {
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

orff_status orffi_fields_whole(const orffi_fields *in, const char *key, uint64_t *out) {
    return to_whole(member(in, key), out) ? ORFF_OK : refuse(in, key, "a string of decimal digits");
}

orff_status orffi_fields_whole_item(const orffi_fields *in, const char *key, size_t i, uint64_t *out) {
    return to_whole(json_array_get(member(in, key), i), out) ? ORFF_OK
                                                             : refuse(in, key, "a list of decimal strings");
}

/* ---- lists of values */

static orff_status check_length(const orffi_fields *in, const char *key, size_t count) {
    size_t length = 0;
    char what[64];
    ORFFI_TRY(orffi_fields_list(in, key, &length));
    snprintf(what, sizeof what, "has %zu entries, %zu were expected", length, count);
    return length == count ? ORFF_OK : orffi_fields_fail(in, key, what);
}

orff_status orffi_fields_numbers(const orffi_fields *in, const char *key, size_t count, double **out) {
    double *list;
    bool good = true;
    ORFFI_TRY(check_length(in, key, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, count));
    for (size_t i = 0; good && i < count; i++) good = to_number(json_array_get(member(in, key), i), &list[i]);
    if (!good) {
        orffi_release(list);
        return refuse(in, key, "a list of numbers");
    }
    *out = list;
    return ORFF_OK;
}

orff_status orffi_fields_sizes(const orffi_fields *in, const char *key, size_t count, size_t **out) {
    size_t *list;
    bool good = true;
    ORFFI_TRY(check_length(in, key, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, count));
    for (size_t i = 0; good && i < count; i++) good = to_size(json_array_get(member(in, key), i), &list[i]);
    if (!good) {
        orffi_release(list);
        return refuse(in, key, "a list of whole numbers");
    }
    *out = list;
    return ORFF_OK;
}

/* ---- writing */

int orffi_json_set_text(json_t *object, const char *key, const char *text) {
    return text ? json_object_set_new(object, key, json_string(text)) : 0;
}

json_t *orffi_json_number(double value) {
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

json_t *orffi_json_whole(uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

static json_t *checked(json_t *list, int failed) {
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

json_t *orffi_json_numbers(size_t count, const double *values) {
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; i < count && !failed; i++) failed = json_array_append_new(list, json_real(values[i]));
    return checked(list, failed);
}

json_t *orffi_json_sizes(size_t count, const size_t *values) {
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; i < count && !failed; i++)
        failed = json_array_append_new(list, json_integer((json_int_t)values[i]));
    return checked(list, failed);
}

orff_status orffi_fields_notes(const orffi_fields *in, char **out) {
    const char *text = NULL;
    if (!orffi_fields_has(in, "notes")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_text(in, "notes", &text));
    return orffi_replace_text(out, text);
}

orff_status orffi_notes_set(char **notes, const char *text) {
    if (!text || !orffi_text_is_utf8(text))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "notes are text in UTF-8");
    return orffi_replace_text(notes, text);
}
