#define _XOPEN_SOURCE 700

#include "moments/checkpoint_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { VERSION = 1, VALUE_ROOM = 64, PLACE_ROOM = 96 };
static const char format[] = "orff-checkpoint";

/* ---- writing */

static json_t *pack_coefficients(const orffi_coefficients *reached) {
    char features[ORFFI_DIGEST_ROOM];
    if (!reached) return json_null();
    orffi_digest_write(&reached->features, features);
    return json_pack("{so sf sf ss}", "iterations", orffi_json_whole(reached->iterations), "width",
                     reached->width, "caution", reached->caution, "features", features);
}

static orff_status describe(const orffi_checkpoint *c, const orffi_coefficients *reached, json_t *document) {
    char units[ORFFI_DIGEST_ROOM];
    orffi_digest_write(&c->units, units);
    json_t *object = json_pack("{sO ss so so}", "question", c->question, "units", units, "marks",
                               orffi_witness_json(&c->witness), "coefficients", pack_coefficients(reached));
    return json_object_set_new(document, "checkpoint", object)
               ? orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file")
               : ORFF_OK;
}

static orff_status add_coefficients(const orffi_coefficients *reached, orffi_archive_writer *writer,
                                    json_t *document) {
    ORFFI_TRY(orffi_check_finite("theta", 1, reached->count, reached->theta));
    ORFFI_TRY(orffi_archive_add(writer, "theta", ORFFI_F64, 1, &reached->count, reached->theta));
    return orffi_archive_set_document(writer, document);
}

orff_status orffi_checkpoint_write(const orffi_checkpoint *c, const orff_moments *moments,
                                   const orffi_coefficients *reached) {
    double *packed = NULL;
    orffi_archive_writer *writer = NULL;
    json_t *document = json_object();
    orff_status status = orffi_archive_writer_create(&writer, format, VERSION);
    if (!status) status = describe(c, reached, document);
    if (!status)
        status = moments ? orffi_moments_pack(moments, writer, document, &packed)
                         : add_coefficients(reached, writer, document);
    if (!status) status = orffi_archive_write(writer, c->path, NULL);
    orffi_archive_writer_free(writer);
    json_decref(document);
    orffi_release(packed);
    return status;
}

/* ---- an existing file */

/* Running out of memory says nothing about the file; after any other failure it cannot be used and must be
 * left alone. */
static orff_status open_checkpoint(orffi_archive **archive, const char *path) {
    const orff_status status = orffi_archive_open(archive, path, format, 1, VERSION);
    if (status != ORFF_ERROR_FORMAT) return status;
    return orffi_fail(
        status,
        "%s; this is not a checkpoint to continue from, so it is left alone: name another file, or remove it",
        orff_error_message());
}

static orff_status refuse_unwanted(const char *path) {
    return orffi_fail(ORFF_ERROR_IO,
                      "%s: there is already a checkpoint of an earlier run; resume it, or remove it to start "
                      "again",
                      path);
}

orff_status orff_checkpoint_check(const char *path, bool resume) {
    orffi_target target;
    orffi_archive *archive = NULL;
    ORFFI_TRY(orff_file_check(path));
    ORFFI_TRY(orffi_target_find(path, &target));
    const bool exists = target.exists;
    orffi_target_clear(&target);
    if (!exists) return ORFF_OK;
    ORFFI_TRY(open_checkpoint(&archive, path));
    orffi_archive_close(archive);
    return resume ? ORFF_OK : refuse_unwanted(path);
}

static orff_status cannot_remove(const char *path) {
    return orffi_fail(ORFF_ERROR_IO, "%s: cannot be removed: %s", path, strerror(errno));
}

/* The result is safe by now, and memory may be short, so this allocates none. */
orff_status orff_checkpoint_remove(const char *path) {
    char target[PATH_MAX]; /* links are resolved, so a link stays */
    if (!path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_checkpoint_remove: NULL argument");
    if (!realpath(path, target)) return errno == ENOENT ? ORFF_OK : cannot_remove(path);
    if (!orffi_archive_begins(target, format))
        return orffi_fail(ORFF_ERROR_FORMAT, "%s: is not a checkpoint, so it is left alone", path);
    return unlink(target) && errno != ENOENT ? cannot_remove(path) : ORFF_OK;
}

/* ---- comparing questions */

/* A value in a few words. */
static void show(const json_t *value, size_t digits, char text[VALUE_ROOM]) {
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits);
    char *whole = value ? json_dumps(value, flags) : NULL;
    orff_text_show(text, VALUE_ROOM, whole ? whole : "nothing");
    free(whole);
}

static orff_status compare(const char *path, const char *place, const json_t *then, const json_t *now);

static orff_status compare_objects(const char *path, const char *place, const json_t *then,
                                   const json_t *now) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)now, key, value) {
        char deeper[PLACE_ROOM];
        snprintf(deeper, sizeof deeper, "%.60s%s%.30s", place, *place ? "." : "", key);
        ORFFI_TRY(compare(path, deeper, json_object_get(then, key), value));
    }
    return ORFF_OK;
}

static orff_status compare_lists(const char *path, const char *place, const json_t *then, const json_t *now) {
    for (size_t i = 0; i < json_array_size(now); i++) {
        char deeper[PLACE_ROOM];
        snprintf(deeper, sizeof deeper, "%.60s[%zu]", place, i + 1);
        ORFFI_TRY(compare(path, deeper, json_array_get(then, i), json_array_get(now, i)));
    }
    return ORFF_OK;
}

/* ORFF_ERROR_MISMATCH that names the first difference between two questions. */
static orff_status compare(const char *path, const char *place, const json_t *then, const json_t *now) {
    char before[VALUE_ROOM], after[VALUE_ROOM];
    if (json_equal(then, now)) return ORFF_OK;
    if (json_is_object(then) && json_is_object(now)) ORFFI_TRY(compare_objects(path, place, then, now));
    if (json_is_array(then) && json_array_size(then) == json_array_size(now))
        ORFFI_TRY(compare_lists(path, place, then, now));
    for (size_t digits = 15; digits <= 17;
         digits += 2) { /* 15 digits, as a person would write them, if that shows the difference */
        show(then, digits, before);
        show(now, digits, after);
        if (strcmp(before, after)) break;
    }
    return orffi_fail(ORFF_ERROR_MISMATCH,
                      "%s was made with other settings: %s was %s and is %s now; remove it to start again",
                      path, *place ? place : "something", before, after);
}

/* ---- reading */

static orff_status load_coefficients(orffi_checkpoint *c, const orffi_fields *in,
                                     const orffi_archive *archive) {
    orffi_fields fields;
    orffi_coefficients *from = &c->from;
    const char *features;
    const double *theta;
    ORFFI_TRY(orffi_fields_object(in, "coefficients", &fields));
    ORFFI_TRY(orffi_fields_whole(&fields, "iterations", &from->iterations));
    ORFFI_TRY(orffi_fields_number(&fields, "width", &from->width));
    ORFFI_TRY(orffi_fields_number(&fields, "caution", &from->caution));
    ORFFI_TRY(orffi_fields_text(&fields, "features", &features));
    if (!orffi_digest_read(features, &from->features))
        return orffi_fields_fail(&fields, "features", "is no digest");
    if (from->width < 0.0 || from->caution < 0.0) return orffi_fields_fail(&fields, "width", "is negative");
    ORFFI_TRY(orffi_archive_get(archive, "theta", ORFFI_F64, 1, &from->count, &theta));
    ORFFI_TRY(orffi_archive_check_finite(archive, "theta"));
    return orffi_duplicate(&from->theta, theta, from->count, sizeof *theta);
}

/* Sums over more rows than the digest covers could not be trusted. */
static orff_status load_moments(orffi_checkpoint *c, const orffi_fields *in, const orffi_archive *archive) {
    const orffi_marks *marks = &c->witness.expected;
    ORFFI_TRY(orffi_moments_unpack(&c->moments, archive));
    if (c->moments->arrived > marks->list[marks->count - 1].rows)
        return orffi_fields_fail(in, "marks", "end before the rows that were added");
    return ORFF_OK;
}

static orff_status load(orffi_checkpoint *c, const orffi_archive *archive) {
    const orffi_fields document = orffi_fields_of(archive);
    orffi_fields in, question;
    const char *units;
    ORFFI_TRY(orffi_fields_object(&document, "checkpoint", &in));
    ORFFI_TRY(orffi_fields_object(&in, "question", &question));
    ORFFI_TRY(compare(c->path, "", question.object, c->question));
    ORFFI_TRY(orffi_fields_text(&in, "units", &units));
    if (!orffi_digest_read(units, &c->units)) return orffi_fields_fail(&in, "units", "is no digest");
    ORFFI_TRY(orffi_witness_expect(&c->witness, &in));
    return (orffi_fields_has(&in, "coefficients") ? load_coefficients : load_moments)(c, &in, archive);
}

orff_status orffi_checkpoint_load(orffi_checkpoint *c, bool wanted) {
    orffi_archive *archive = NULL;
    ORFFI_TRY(open_checkpoint(&archive, c->path));
    const orff_status status = wanted ? load(c, archive) : refuse_unwanted(c->path);
    orffi_archive_close(archive);
    return status;
}
