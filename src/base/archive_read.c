#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/memory.h"

typedef struct entry {
    const char *name; /* points into the header's JSON */
    orffi_dtype dtype;
    size_t rank, shape[ORFFI_ARCHIVE_RANK];
    size_t begin, end; /* bytes from the start of the first tensor */
} entry;

struct orffi_archive {
    char *path;
    orffi_file_view file;
    size_t head; /* bytes before the tensors */
    json_t *header, *document;
    size_t count;
    entry *entries; /* in the order of the file */
    int version;
    bool inside; /* inside another archive, which owns path, file and header */
};

orff_status orffi_archive_fail(const orffi_archive *archive, const char *format, ...) {
    char what[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return orffi_fail(ORFF_ERROR_FORMAT, "%s: %s", archive->path, what);
}

/* ---- the first bytes */

static uint64_t header_length(const unsigned char *bytes) {
    uint64_t length = 0;
    for (int i = 0; i < 8; i++) length |= (uint64_t)bytes[i] << 8 * i;
    return length;
}

/* Checks the bytes that start every archive, whatever its format. They distinguish damaged archives from
 * other files. */
static orff_status check_start(orffi_archive *a) {
    const size_t size = a->file.size, prefix = strlen(ORFFI_ARCHIVE_PREFIX);
    if (size < 8 + prefix || memcmp(a->file.bytes + 8, ORFFI_ARCHIVE_PREFIX, prefix) != 0)
        return orffi_archive_fail(
            a, "is not an orff file, or its beginning is damaged or cut short (%zu bytes)", size);
    const uint64_t length = header_length(a->file.bytes);
    if (length > ORFFI_ARCHIVE_LARGEST_HEADER || length < prefix + ORFFI_ARCHIVE_DIGITS)
        return orffi_archive_fail(a, "is damaged: a header of %" PRIu64 " bytes", length);
    if (length > size - 8)
        return orffi_archive_fail(a, "the file is cut short: %zu bytes of header, %" PRIu64 " expected",
                                  size - 8, length);
    if ((8 + length) % 8 != 0)
        return orffi_archive_fail(a, "is damaged: its tensors begin at byte %" PRIu64, 8 + length);
    a->head = 8 + (size_t)length;
    return ORFF_OK;
}

static orff_status parse_header(orffi_archive *a) {
    const orff_status status = orffi_json_read((const char *)a->file.bytes + 8, a->head - 8, &a->header);
    if (status != ORFF_ERROR_FORMAT) return status;
    return orffi_archive_fail(a, "is damaged: the header is not JSON: %s", orff_error_message());
}

/* ---- tensors */

static orff_status bad_entry(const orffi_archive *a, const entry *e, const char *what) {
    return orffi_archive_fail(a, "is damaged: tensor \"%.80s\": %s", e->name, what);
}

static bool read_size(const json_t *json, size_t *size) {
    const json_int_t value = json_integer_value(json);
    *size = (size_t)value;
    return json_is_integer(json) && value >= 0 && (uintmax_t)value <= SIZE_MAX;
}

static bool read_dtype(const json_t *json, orffi_dtype *dtype) {
    const char *name = json_string_value(json);
    int i = 0;
    while (name && i < ORFFI_DTYPE_COUNT && strcmp(orffi_dtypes[i].name, name) != 0) i++;
    *dtype = (orffi_dtype)i;
    return name && i < ORFFI_DTYPE_COUNT;
}

static bool read_shape(const json_t *json, entry *e) {
    e->rank = json_array_size(json);
    bool good = json_is_array(json) && e->rank <= ORFFI_ARCHIVE_RANK;
    for (size_t i = 0; good && i < e->rank; i++) good = read_size(json_array_get(json, i), &e->shape[i]);
    return good;
}

static bool read_offsets(const json_t *json, entry *e) {
    return json_array_size(json) == 2 && read_size(json_array_get(json, 0), &e->begin) &&
           read_size(json_array_get(json, 1), &e->end) && e->begin <= e->end;
}

static orff_status read_entry(const orffi_archive *a, const json_t *json, entry *e) {
    size_t bytes;
    if (!json_is_object(json) || json_object_size(json) != 3)
        return bad_entry(a, e, "has not exactly a dtype, a shape and data_offsets");
    if (!read_dtype(json_object_get(json, "dtype"), &e->dtype))
        return bad_entry(a, e, "its dtype is not known");
    if (!read_shape(json_object_get(json, "shape"), e)) return bad_entry(a, e, "its shape is wrong");
    if (!read_offsets(json_object_get(json, "data_offsets"), e))
        return bad_entry(a, e, "its data_offsets are wrong");
    if (orffi_archive_bytes(e->dtype, e->rank, e->shape, &bytes) || bytes != e->end - e->begin)
        return bad_entry(a, e, "its shape and its data_offsets disagree");
    if (e->begin % orffi_dtypes[e->dtype].size != 0) return bad_entry(a, e, "it is not aligned");
    return ORFF_OK;
}

static orff_status read_entries(orffi_archive *a) {
    const char *name;
    json_t *value;
    ORFFI_TRY(ORFFI_NEW_ARRAY(a->entries, json_object_size(a->header)));
    json_object_foreach(a->header, name, value) {
        if (!strcmp(name, "__metadata__")) continue;
        a->entries[a->count].name = name;
        ORFFI_TRY(read_entry(a, value, &a->entries[a->count]));
        a->count++;
    }
    return ORFF_OK;
}

/* By position; an empty tensor comes before the one that starts at the same place. */
static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Checks that tensors follow each other without holes or overlaps, up to the end of the file. */
static orff_status check_places(orffi_archive *a) {
    const size_t have = a->file.size - a->head;
    size_t at = 0;
    qsort(a->entries, a->count, sizeof *a->entries, compare_entries);
    for (size_t i = 0; i < a->count; i++) {
        if (a->entries[i].begin != at)
            return bad_entry(a, &a->entries[i], "it does not begin where the last one ends");
        at = a->entries[i].end;
    }
    if (have < at)
        return orffi_archive_fail(a, "the file is cut short: %zu bytes of tensors, %zu expected", have, at);
    if (have > at) return orffi_archive_fail(a, "%zu bytes of tensors, only %zu expected", have, at);
    return ORFF_OK;
}

/* Compares the digits as text, so that a checksum has only one valid spelling. */
static orff_status check_checksum(const orffi_archive *a) {
    const unsigned char *bytes = a->file.bytes;
    const char *found = (const char *)bytes + 8 + strlen(ORFFI_ARCHIVE_PREFIX);
    char want[ORFFI_ARCHIVE_DIGITS + 1];
    uint32_t crc = orffi_archive_head_checksum(bytes, a->head);
    crc = orffi_crc32c(crc, bytes + a->head, a->file.size - a->head);
    snprintf(want, sizeof want, "%08" PRIx32, crc);
    if (!memcmp(found, want, ORFFI_ARCHIVE_DIGITS)) return ORFF_OK;
    return orffi_archive_fail(a, "is damaged: its checksum is %s, but %.8s is written in it", want, found);
}

/* ---- metadata */

static orff_status check_strings(const orffi_archive *a, json_t *metadata) {
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value) {
        if (!json_is_string(value))
            return orffi_archive_fail(a, "its metadata \"%.80s\" is not a string", key);
    }
    return json_is_object(metadata) ? ORFF_OK : orffi_archive_fail(a, "its metadata is not an object");
}

static orff_status check_format(const orffi_archive *a, const json_t *metadata, const char *want) {
    const char *format = json_string_value(json_object_get(metadata, "format"));
    if (format && !strcmp(format, want)) return ORFF_OK;
    return orffi_archive_fail(a, "is of the format \"%.80s\", \"%s\" was expected", format ? format : "",
                              want);
}

/* Digits only, without leading zeros; -1 for anything else. */
static int parse_version(const char *text) {
    int version = 0;
    if (!text || *text < '1' || *text > '9' || strlen(text) > 9) return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return -1;
        version = 10 * version + (*text - '0');
    }
    return version;
}

static orff_status check_version(orffi_archive *a, const json_t *metadata, int oldest, int newest) {
    const char *by = json_string_value(json_object_get(metadata, "orff_version"));
    a->version = parse_version(json_string_value(json_object_get(metadata, "format_version")));
    if (a->version < 0 || !by) return orffi_archive_fail(a, "does not state its version");
    if (a->version > newest)
        return orffi_archive_fail(
            a,
            "has format version %d, written by orff %.20s; this is orff %s, which reads up to "
            "version %d: upgrade orff to read it",
            a->version, by, orff_version(), newest);
    if (a->version < oldest)
        return orffi_archive_fail(
            a,
            "has format version %d, written by orff %.20s; this is orff %s, which reads version %d and "
            "later: make the file again with a newer orff",
            a->version, by, orff_version(), oldest);
    return ORFF_OK;
}

static orff_status parse_document(orffi_archive *a, const json_t *metadata) {
    const char *text = json_string_value(json_object_get(metadata, "json"));
    if (!text) return orffi_archive_fail(a, "its metadata has no \"json\"");
    const orff_status status = orffi_json_read(text, strlen(text), &a->document);
    if (status == ORFF_ERROR_FORMAT)
        return orffi_archive_fail(a, "its document is not JSON: %s", orff_error_message());
    if (status) return status;
    return json_is_object(a->document) ? ORFF_OK : orffi_archive_fail(a, "its document is not an object");
}

/* ---- opening: the container first, so that damage is reported as damage; then the format, version and
 * document */

static orff_status check_container(orffi_archive *a) {
    ORFFI_TRY(check_start(a));
    ORFFI_TRY(parse_header(a));
    ORFFI_TRY(read_entries(a));
    ORFFI_TRY(check_places(a));
    return check_checksum(a);
}

static orff_status check_content(orffi_archive *a, const char *format, int oldest, int newest) {
    json_t *metadata = json_object_get(a->header, "__metadata__");
    ORFFI_TRY(check_strings(a, metadata));
    ORFFI_TRY(check_format(a, metadata, format));
    ORFFI_TRY(check_version(a, metadata, oldest, newest));
    return parse_document(a, metadata);
}

orff_status orffi_archive_open(orffi_archive **out, const char *path, const char *format, int oldest,
                               int newest) {
    orffi_archive *a;
    ORFFI_TRY(ORFFI_NEW(a));
    orff_status status = orffi_duplicate(&a->path, path, strlen(path) + 1, 1);
    if (!status) status = orffi_file_view_open(&a->file, path);
    if (!status) status = check_container(a);
    if (!status) status = check_content(a, format, oldest, newest);
    if (status) {
        orffi_archive_close(a);
    } else {
        *out = a;
    }
    return status;
}

void orffi_archive_close(orffi_archive *archive) {
    if (!archive) return;
    json_decref(archive->document);
    orffi_release(archive->entries);
    if (archive->inside) {
        orffi_release(archive);
        return;
    }
    json_decref(archive->header);
    orffi_file_view_close(&archive->file);
    orffi_release(archive->path);
    orffi_release(archive);
}

orff_status orffi_archive_inside(orffi_archive **out, const orffi_archive *archive, const char *prefix,
                                 const json_t *document) {
    const size_t length = strlen(prefix);
    orffi_archive *a;
    if (!json_is_object(document)) return orffi_archive_fail(archive, "\"%s\" has no document", prefix);
    ORFFI_TRY(ORFFI_NEW(a));
    *a = *archive;
    a->inside = true;
    a->count = 0;
    a->document = json_incref((json_t *)document);
    const orff_status status = ORFFI_NEW_ARRAY(a->entries, archive->count);
    for (size_t i = 0; !status && i < archive->count; i++) {
        if (strncmp(archive->entries[i].name, prefix, length) != 0) continue;
        a->entries[a->count] = archive->entries[i];
        a->entries[a->count++].name += length;
    }
    if (status) {
        orffi_archive_close(a);
    } else {
        *out = a;
    }
    return status;
}

/* The checksum's digits lie between two parts that are the same in all files of a format. */
bool orffi_archive_begins(const char *path, const char *format) {
    enum { PREFIX = sizeof ORFFI_ARCHIVE_PREFIX - 1 };
    char begin[8 + PREFIX + ORFFI_ARCHIVE_DIGITS + 64] = "", want[64];
    const int length = snprintf(want, sizeof want, "\",\"format\":\"%.40s\"", format);
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const ssize_t got = descriptor < 0 ? -1 : read(descriptor, begin, sizeof begin);
    if (descriptor >= 0) close(descriptor);
    return got >= (ssize_t)(8 + PREFIX + ORFFI_ARCHIVE_DIGITS) + length &&
           !memcmp(begin + 8, ORFFI_ARCHIVE_PREFIX, PREFIX) &&
           !memcmp(begin + 8 + PREFIX + ORFFI_ARCHIVE_DIGITS, want, (size_t)length);
}

/* ---- contents */

int orffi_archive_version(const orffi_archive *archive) {
    return archive->version;
}

const json_t *orffi_archive_document(const orffi_archive *archive) {
    return archive->document;
}

static const entry *find(const orffi_archive *archive, const char *name) {
    size_t i = 0;
    while (i < archive->count && strcmp(archive->entries[i].name, name) != 0) i++;
    return i < archive->count ? &archive->entries[i] : NULL;
}

bool orffi_archive_has(const orffi_archive *archive, const char *name) {
    return find(archive, name) != NULL;
}

static const void *place(const orffi_archive *archive, const entry *e) {
    return archive->file.bytes + archive->head + e->begin;
}

orff_status orffi_archive_get(const orffi_archive *archive, const char *name, orffi_dtype dtype, size_t rank,
                              size_t *shape, void *data) {
    const entry *e = find(archive, name);
    if (!e) return orffi_archive_fail(archive, "has no tensor \"%s\"", name);
    if (e->dtype != dtype || e->rank != rank)
        return orffi_archive_fail(archive, "tensor \"%s\" is %s of rank %zu, %s of rank %zu was expected",
                                  name, orffi_dtypes[e->dtype].name, e->rank, orffi_dtypes[dtype].name, rank);
    const void *at = place(archive, e);
    memcpy(data, &at, sizeof at);
    if (shape && rank) memcpy(shape, e->shape, rank * sizeof *shape);
    return ORFF_OK;
}

orff_status orffi_archive_expect(const orffi_archive *archive, const char *name, orffi_dtype dtype,
                                 size_t rank, const size_t *shape, void *data) {
    size_t found[ORFFI_ARCHIVE_RANK];
    const void *at;
    ORFFI_TRY(orffi_archive_get(archive, name, dtype, rank, found, &at));
    for (size_t i = 0; i < rank; i++)
        if (found[i] != shape[i])
            return orffi_archive_fail(archive,
                                      "tensor \"%s\" has extent %zu in dimension %zu, %zu was expected", name,
                                      found[i], i + 1, shape[i]);
    memcpy(data, &at, sizeof at);
    return ORFF_OK;
}

/* Checks the tensor as a matrix whose row length is the last extent, so that the message names row and
 * column. */
orff_status orffi_archive_check_finite(const orffi_archive *archive, const char *name) {
    const entry *e = find(archive, name);
    orff_status status = ORFF_OK;
    if (!e) return orffi_archive_fail(archive, "has no tensor \"%s\"", name);
    const size_t count = (e->end - e->begin) / orffi_dtypes[e->dtype].size;
    const size_t cols = count && e->rank > 1 ? e->shape[e->rank - 1] : 1;
    if (e->dtype == ORFFI_F64) status = orffi_check_finite(name, count / cols, cols, place(archive, e));
    if (e->dtype == ORFFI_F32)
        status = orffi_check_finite_single(name, count / cols, cols, place(archive, e));
    return status ? orffi_archive_fail(archive, "%s", orff_error_message()) : ORFF_OK;
}

orff_status orffi_archive_matrix(const orffi_archive *archive, const char *name, size_t rows, size_t cols,
                                 const double **data) {
    const size_t shape[2] = {rows, cols};
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, 2, shape, data));
    return orffi_archive_check_finite(archive, name);
}
