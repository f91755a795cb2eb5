#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/archive.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/memory.h"

typedef struct tensor {
    char *name;
    orffi_dtype dtype;
    size_t rank, shape[ORFFI_ARCHIVE_RANK];
    orffi_span span;
} tensor;

struct orffi_archive_writer {
    char *format;
    int version;
    json_t *document;
    size_t count, room;
    tensor *tensors;
    char prefix[ORFFI_ARCHIVE_PREFIX_LENGTH + 1];
};

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the header of a file");
}

orff_status orffi_archive_writer_create(orffi_archive_writer **out, const char *format, int version) {
    orffi_archive_writer *writer;
    ORFFI_TRY(ORFFI_NEW(writer));
    writer->version = version;
    orff_status status = orffi_duplicate(&writer->format, format, strlen(format) + 1, 1);
    if (!status) {
        writer->document = json_object();
        if (!writer->document) status = no_memory();
    }
    if (status) {
        orffi_archive_writer_free(writer);
    } else {
        *out = writer;
    }
    return status;
}

void orffi_archive_writer_free(orffi_archive_writer *writer) {
    if (!writer) return;
    for (size_t i = 0; i < writer->count; i++) orffi_release(writer->tensors[i].name);
    orffi_release(writer->tensors);
    orffi_release(writer->format);
    json_decref(writer->document);
    orffi_release(writer);
}

orff_status orffi_archive_set_document(orffi_archive_writer *writer, json_t *document) {
    if (!json_is_object(document))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the document of an archive must be a JSON object");
    json_incref(document);
    json_decref(writer->document);
    writer->document = document;
    return ORFF_OK;
}

static orff_status grow(orffi_archive_writer *writer) {
    const size_t room = writer->room ? 2 * writer->room : 8;
    tensor *larger;
    if (writer->count < writer->room) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(larger, room));
    if (writer->count) memcpy(larger, writer->tensors, writer->count * sizeof *larger);
    orffi_release(writer->tensors);
    writer->tensors = larger;
    writer->room = room;
    return ORFF_OK;
}

static orff_status check_tensor(const orffi_archive_writer *writer, const char *name, orffi_dtype dtype,
                                size_t rank) {
    bool taken = !strcmp(name, "__metadata__");
    for (size_t i = 0; i < writer->count; i++) taken |= !strcmp(writer->tensors[i].name, name);
    if (taken || !*name)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "\"%s\" cannot name one more tensor", name);
    if ((unsigned)dtype >= ORFFI_DTYPE_COUNT || rank > ORFFI_ARCHIVE_RANK)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "tensor %s: no dtype %d, or rank %zu above %d", name,
                          (int)dtype, rank, ORFFI_ARCHIVE_RANK);
    return ORFF_OK;
}

void orffi_archive_set_prefix(orffi_archive_writer *writer, const char *prefix) {
    snprintf(writer->prefix, sizeof writer->prefix, "%s", prefix);
}

static orff_status add_named(orffi_archive_writer *writer, tensor *new) {
    ORFFI_TRY(check_tensor(writer, new->name, new->dtype, new->rank));
    ORFFI_TRY(orffi_archive_bytes(new->dtype, new->rank, new->shape, &new->span.bytes));
    if (!new->span.data &&new->span.bytes)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "tensor %s is NULL", new->name);
    ORFFI_TRY(grow(writer));
    writer->tensors[writer->count++] = *new;
    return ORFF_OK;
}

orff_status orffi_archive_add(orffi_archive_writer *writer, const char *name, orffi_dtype dtype, size_t rank,
                              const size_t *shape, const void *data) {
    tensor new = {.dtype = dtype, .rank = rank, .span.data = data};
    const size_t before = strlen(writer->prefix), length = strlen(name);
    if (rank && rank <= ORFFI_ARCHIVE_RANK) memcpy(new.shape, shape, rank * sizeof *shape);
    ORFFI_TRY(ORFFI_NEW_ARRAY(new.name, before + length + 1));
    memcpy(new.name, writer->prefix, before);
    memcpy(new.name + before, name, length);
    const orff_status status = add_named(writer, &new);
    if (status) orffi_release(new.name);
    return status;
}

/* ---- the header */

/* The text of a JSON value, terminated by a zero byte that `bytes` does not count. */
static orff_status print(const json_t *json, char **text, size_t *bytes) {
    const size_t flags = JSON_COMPACT, needed = json_dumpb(json, NULL, 0, flags);
    if (!needed) return no_memory();
    ORFFI_TRY(ORFFI_NEW_ARRAY(*text, needed + 1));
    *bytes = json_dumpb(json, *text, needed, flags);
    if (*bytes == needed) return ORFF_OK;
    orffi_release(*text);
    *text = NULL;
    return no_memory();
}

static orff_status describe_archive(const orffi_archive_writer *writer, json_t *header) {
    char version[16], *document = NULL;
    size_t bytes = 0;
    snprintf(version, sizeof version, "%d", writer->version);
    ORFFI_TRY(print(writer->document, &document, &bytes));
    json_t *made = json_pack("{ss ss ss ss ss}", "checksum", "00000000", "format", writer->format,
                             "format_version", version, "orff_version", orff_version(), "json", document);
    orffi_release(document);
    return json_object_set_new(header, "__metadata__", made) ? no_memory() : ORFF_OK;
}

static json_t *describe(const tensor *t, size_t first) {
    json_t *shape = json_array();
    int failed = shape == NULL;
    for (size_t i = 0; i < t->rank; i++)
        failed |= json_array_append_new(shape, json_integer((json_int_t)t->shape[i]));
    if (failed) {
        json_decref(shape);
        return NULL;
    }
    return json_pack("{ss so s[II]}", "dtype", orffi_dtypes[t->dtype].name, "shape", shape, "data_offsets",
                     (json_int_t)first, (json_int_t)(first + t->span.bytes));
}

/* Numbers of 8 bytes come before those of 4, so that all are aligned without holes. */
static orff_status describe_tensors(const orffi_archive_writer *writer, json_t *header, orffi_span *spans) {
    size_t offset = 0, placed = 0;
    for (size_t size = 8; size >= 4; size /= 2)
        for (size_t i = 0; i < writer->count; i++) {
            const tensor *t = &writer->tensors[i];
            if (orffi_dtypes[t->dtype].size != size) continue;
            if (json_object_set_new(header, t->name, describe(t, offset))) return no_memory();
            offset += t->span.bytes;
            spans[placed++] = t->span;
        }
    return ORFF_OK;
}

/* Length, text and padding, with zeros in place of the checksum's digits. */
static orff_status lay_out(const json_t *header, orffi_span *head, char **memory) {
    char *text = NULL;
    size_t bytes = 0;
    ORFFI_TRY(print(header, &text, &bytes));
    const size_t total =
        (8 + bytes + ORFFI_ARCHIVE_ALIGNMENT - 1) / ORFFI_ARCHIVE_ALIGNMENT * ORFFI_ARCHIVE_ALIGNMENT;
    orff_status status = ORFFI_NEW_ARRAY(*memory, total);
    if (!status && total - 8 > ORFFI_ARCHIVE_LARGEST_HEADER)
        status = orffi_fail(ORFF_ERROR_UNSUPPORTED, "a file's header would take %zu bytes; %d are allowed",
                            total - 8, ORFFI_ARCHIVE_LARGEST_HEADER);
    if (!status) {
        memset(*memory, ' ', total);
        memcpy(*memory + 8, text, bytes);
        for (int i = 0; i < 8; i++) (*memory)[i] = (char)((uint64_t)(total - 8) >> 8 * i & 0xff);
        *head = (orffi_span){*memory, total};
    }
    orffi_release(text);
    return status;
}

static orff_status build_head(const orffi_archive_writer *writer, orffi_span *spans, char **memory) {
    json_t *header = json_object();
    orff_status status = header ? ORFF_OK : no_memory();
    if (!status) status = describe_archive(writer, header);
    if (!status) status = describe_tensors(writer, header, spans + 1);
    if (!status) status = lay_out(header, &spans[0], memory);
    json_decref(header);
    return status;
}

/* Puts in the checksum of the head and then of the tensors, in the order of the spans. */
static void seal(size_t count, const orffi_span *spans, char *head) {
    char digits[ORFFI_ARCHIVE_DIGITS + 1];
    uint32_t crc = orffi_archive_head_checksum(spans[0].data, spans[0].bytes);
    for (size_t i = 1; i < count; i++) crc = orffi_crc32c(crc, spans[i].data, spans[i].bytes);
    snprintf(digits, sizeof digits, "%08" PRIx32, crc);
    memcpy(head + 8 + strlen(ORFFI_ARCHIVE_PREFIX), digits, ORFFI_ARCHIVE_DIGITS);
}

orff_status orffi_archive_write(const orffi_archive_writer *writer, const char *path,
                                orffi_file_check check) {
    orffi_span *spans = NULL;
    char *head = NULL;
    const size_t count = writer->count + 1;
    orff_status status = ORFFI_NEW_ARRAY(spans, count);
    if (!status) status = build_head(writer, spans, &head);
    if (!status) {
        seal(count, spans, head);
        status = orffi_file_replace(path, count, spans, check);
    }
    orffi_release(spans);
    orffi_release(head);
    return status;
}

/* Strips "temporary: " from the message. */
orff_status orffi_archive_blame(orff_status status, const char *temporary, const char *what) {
    const char *message = orff_error_message();
    const size_t length = strlen(temporary);
    if (!strncmp(message, temporary, length) && !strncmp(message + length, ": ", 2)) message += length + 2;
    if (status != ORFF_ERROR_FORMAT) return status ? orffi_fail(status, "%s", message) : ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "the %s cannot be saved, and no file was written: %s. Its numbers are too extreme to compute with: give inputs, outputs and "
        "weights in units that make them neither huge nor tiny, or another lambda",
        what, message);
}
