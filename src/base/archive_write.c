#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/archive.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/memory.h"

typedef struct tensor {
    char *name;
    orff_dtype dtype;
    size_t rank, shape[ORFF_ARCHIVE_RANK];
    orff_span span;
} tensor;

struct orff_archive_writer {
    char *format;
    int version;
    json_t *document;
    size_t count, room;
    tensor *tensors;
};

static orff_status no_memory(void) {
    return orff_fail(ORFF_NO_MEMORY, "no memory for the header of a file");
}

orff_status orff_archive_writer_create(orff_archive_writer **out, const char *format, int version) {
    orff_archive_writer *writer;
    ORFF_TRY(ORFF_NEW(writer));
    writer->version = version;
    orff_status status = orff_duplicate(&writer->format, format, strlen(format) + 1, 1);
    if (!status) {
        writer->document = json_object();
        if (!writer->document) status = no_memory();
    }
    if (status) {
        orff_archive_writer_free(writer);
    } else {
        *out = writer;
    }
    return status;
}

void orff_archive_writer_free(orff_archive_writer *writer) {
    if (!writer) return;
    for (size_t i = 0; i < writer->count; i++) orff_release(writer->tensors[i].name);
    orff_release(writer->tensors);
    orff_release(writer->format);
    json_decref(writer->document);
    orff_release(writer);
}

orff_status orff_archive_set_document(orff_archive_writer *writer, json_t *document) {
    if (!json_is_object(document))
        return orff_fail(ORFF_INVALID_ARGUMENT, "the document of an archive must be a JSON object");
    json_incref(document);
    json_decref(writer->document);
    writer->document = document;
    return ORFF_OK;
}

static orff_status grow(orff_archive_writer *writer) {
    const size_t room = writer->room ? 2 * writer->room : 8;
    tensor *larger;
    if (writer->count < writer->room) return ORFF_OK;
    ORFF_TRY(ORFF_NEW_ARRAY(larger, room));
    if (writer->count) memcpy(larger, writer->tensors, writer->count * sizeof *larger);
    orff_release(writer->tensors);
    writer->tensors = larger;
    writer->room = room;
    return ORFF_OK;
}

static orff_status check_tensor(const orff_archive_writer *writer, const char *name, orff_dtype dtype,
                                size_t rank) {
    bool taken = !strcmp(name, "__metadata__");
    for (size_t i = 0; i < writer->count; i++) taken |= !strcmp(writer->tensors[i].name, name);
    if (taken || !*name) return orff_fail(ORFF_INVALID_ARGUMENT, "\"%s\" cannot name one more tensor", name);
    if ((unsigned)dtype >= ORFF_DTYPE_COUNT || rank > ORFF_ARCHIVE_RANK)
        return orff_fail(ORFF_INVALID_ARGUMENT, "tensor %s: no dtype %d, or rank %zu above %d", name,
                         (int)dtype, rank, ORFF_ARCHIVE_RANK);
    return ORFF_OK;
}

orff_status orff_archive_add(orff_archive_writer *writer, const char *name, orff_dtype dtype, size_t rank,
                             const size_t *shape, const void *data) {
    tensor new = {.dtype = dtype, .rank = rank, .span.data = data};
    ORFF_TRY(check_tensor(writer, name, dtype, rank));
    ORFF_TRY(orff_archive_bytes(dtype, rank, shape, &new.span.bytes));
    if (!data && new.span.bytes) return orff_fail(ORFF_INVALID_ARGUMENT, "tensor %s is NULL", name);
    if (rank) memcpy(new.shape, shape, rank * sizeof *shape);
    ORFF_TRY(grow(writer));
    ORFF_TRY(orff_duplicate(&new.name, name, strlen(name) + 1, 1));
    writer->tensors[writer->count++] = new;
    return ORFF_OK;
}

/* ---- the header */

/* The text of a JSON value, ended with a zero; `bytes` without it. */
static orff_status print(const json_t *json, char **text, size_t *bytes) {
    const size_t flags = JSON_COMPACT, needed = json_dumpb(json, NULL, 0, flags);
    if (!needed) return no_memory();
    ORFF_TRY(ORFF_NEW_ARRAY(*text, needed + 1));
    *bytes = json_dumpb(json, *text, needed, flags);
    return ORFF_OK;
}

static orff_status describe_archive(const orff_archive_writer *writer, json_t *header) {
    char version[16], *document = NULL;
    size_t bytes = 0;
    snprintf(version, sizeof version, "%d", writer->version);
    ORFF_TRY(print(writer->document, &document, &bytes));
    json_t *made = json_pack("{ss ss ss ss ss}", "checksum", "00000000", "format", writer->format,
                             "format_version", version, "orff_version", orff_version(), "json", document);
    orff_release(document);
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
    return json_pack("{ss so s[II]}", "dtype", orff_dtypes[t->dtype].name, "shape", shape, "data_offsets",
                     (json_int_t)first, (json_int_t)(first + t->span.bytes));
}

/* Numbers of 8 bytes come first, then those of 4: so all are aligned although there are no holes. */
static orff_status describe_tensors(const orff_archive_writer *writer, json_t *header, orff_span *spans) {
    size_t offset = 0, placed = 0;
    for (size_t size = 8; size >= 4; size /= 2)
        for (size_t i = 0; i < writer->count; i++) {
            const tensor *t = &writer->tensors[i];
            if (orff_dtypes[t->dtype].size != size) continue;
            if (json_object_set_new(header, t->name, describe(t, offset))) return no_memory();
            offset += t->span.bytes;
            spans[placed++] = t->span;
        }
    return ORFF_OK;
}

/* Length, text and padding, the checksum's digits still zeros. */
static orff_status lay_out(const json_t *header, orff_span *head, char **memory) {
    char *text = NULL;
    size_t bytes = 0;
    ORFF_TRY(print(header, &text, &bytes));
    const size_t total =
        (8 + bytes + ORFF_ARCHIVE_ALIGNMENT - 1) / ORFF_ARCHIVE_ALIGNMENT * ORFF_ARCHIVE_ALIGNMENT;
    orff_status status = ORFF_NEW_ARRAY(*memory, total);
    if (!status && total - 8 > ORFF_ARCHIVE_LARGEST_HEADER)
        status = orff_fail(ORFF_UNSUPPORTED, "a file's header would take %zu bytes; %d are allowed",
                           total - 8, ORFF_ARCHIVE_LARGEST_HEADER);
    if (!status) {
        memset(*memory, ' ', total);
        memcpy(*memory + 8, text, bytes);
        for (int i = 0; i < 8; i++) (*memory)[i] = (char)((uint64_t)(total - 8) >> 8 * i & 0xff);
        *head = (orff_span){*memory, total};
    }
    orff_release(text);
    return status;
}

static orff_status build_head(const orff_archive_writer *writer, orff_span *spans, char **memory) {
    json_t *header = json_object();
    orff_status status = header ? ORFF_OK : no_memory();
    if (!status) status = describe_archive(writer, header);
    if (!status) status = describe_tensors(writer, header, spans + 1);
    if (!status) status = lay_out(header, &spans[0], memory);
    json_decref(header);
    return status;
}

/* Over the head and then the tensors, in the order of the spans. */
static void seal(size_t count, const orff_span *spans, char *head) {
    char digits[ORFF_ARCHIVE_DIGITS + 1];
    uint32_t crc = orff_archive_head_checksum(spans[0].data, spans[0].bytes);
    for (size_t i = 1; i < count; i++) crc = orff_crc32c(crc, spans[i].data, spans[i].bytes);
    snprintf(digits, sizeof digits, "%08" PRIx32, crc);
    memcpy(head + 8 + strlen(ORFF_ARCHIVE_PREFIX), digits, ORFF_ARCHIVE_DIGITS);
}

orff_status orff_archive_write(const orff_archive_writer *writer, const char *path) {
    orff_span *spans = NULL;
    char *head = NULL;
    const size_t count = writer->count + 1;
    orff_status status = ORFF_NEW_ARRAY(spans, count);
    if (!status) status = build_head(writer, spans, &head);
    if (!status) {
        seal(count, spans, head);
        status = orff_file_replace(path, count, spans);
    }
    orff_release(spans);
    orff_release(head);
    return status;
}
