/* One container for models and moments, in the layout of safetensors:
 *
 *     8 bytes    length of the header, little-endian
 *     header     JSON, padded with spaces so that the tensors begin at a multiple of 64
 *     tensors    little-endian, one after the other without holes
 *
 * The header is {"__metadata__": {string: string, ...}, name: {"dtype", "shape", "data_offsets"}, ...}. The
 * metadata begins with "checksum", the CRC-32C of the whole file with the checksum's own digits taken as
 * zeros, followed by "format", "format_version", "orff_version" and "json": a JSON document of whoever
 * writes the archive.
 */
#ifndef ORFF_BASE_ARCHIVE_H
#define ORFF_BASE_ARCHIVE_H

#include <jansson.h>

#include "base/status.h"

typedef enum orff_dtype { ORFF_F64, ORFF_F32, ORFF_I64, ORFF_DTYPE_COUNT } orff_dtype;

enum { ORFF_ARCHIVE_RANK = 8 }; /* largest rank of a tensor */

/* ---- writing */

typedef struct orff_archive_writer orff_archive_writer;

/* format, for example "orff-model", and its version (>= 1). */
orff_status orff_archive_writer_create(orff_archive_writer **writer, const char *format, int version);
void orff_archive_writer_free(orff_archive_writer *writer);

/* The caller's own JSON document, an object: a reference is kept. Without one it is {}. */
orff_status orff_archive_set_document(orff_archive_writer *writer, json_t *document);

/* A tensor of rank 0 (one number) to 8. The data is not copied: it must live, unchanged, until the archive
 * is written. */
orff_status orff_archive_add(orff_archive_writer *writer, const char *name, orff_dtype dtype, size_t rank,
                             const size_t *shape, const void *data);

/* To a temporary name, synced and renamed: see orff_file_replace. May be called again. */
orff_status orff_archive_write(const orff_archive_writer *writer, const char *path);

/* ---- reading */

typedef struct orff_archive orff_archive;

/* Open and validate everything: layout, checksum, format, version (oldest to newest are understood) and the
 * document. ORFF_IO when the file cannot be read, ORFF_FORMAT when it is not what it should be; the message
 * names the file. */
orff_status orff_archive_open(orff_archive **archive, const char *path, const char *format, int oldest,
                              int newest);
void orff_archive_close(orff_archive *archive);

const char *orff_archive_path(const orff_archive *archive);
int orff_archive_version(const orff_archive *archive);

/* The document, always an object; borrowed, as long as the archive is open. */
const json_t *orff_archive_document(const orff_archive *archive);

bool orff_archive_has(const orff_archive *archive, const char *name);

/* A tensor that must be there with this dtype and rank: its shape (rank numbers; may be NULL) and where it
 * lies, aligned to its numbers, until the archive is closed. `data` is the address of a pointer to const
 * numbers. */
orff_status orff_archive_get(const orff_archive *archive, const char *name, orff_dtype dtype, size_t rank,
                             size_t *shape, void *data);

/* The same, and the shape must be this one. */
orff_status orff_archive_expect(const orff_archive *archive, const char *name, orff_dtype dtype, size_t rank,
                                const size_t *shape, void *data);

/* ORFF_FORMAT when a tensor of F64 or F32 holds NaN or infinity, with the place. */
orff_status orff_archive_check_finite(const orff_archive *archive, const char *name);

/* ORFF_FORMAT with a message that begins with the file's name: for what is wrong in the document. */
orff_status orff_archive_fail(const orff_archive *archive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- what both sides agree on */

/* How a header begins; the checksum's eight digits follow. */
#define ORFF_ARCHIVE_PREFIX "{\"__metadata__\":{\"checksum\":\""
enum { ORFF_ARCHIVE_DIGITS = 8, ORFF_ARCHIVE_ALIGNMENT = 64, ORFF_ARCHIVE_LARGEST_HEADER = 64 << 20 };

typedef struct orff_dtype_info {
    const char *name;
    size_t size;
} orff_dtype_info;
extern const orff_dtype_info orff_dtypes[ORFF_DTYPE_COUNT];

/* Numbers in a shape and their bytes; ORFF_NO_MEMORY when they do not fit a size_t. */
orff_status orff_archive_bytes(orff_dtype dtype, size_t rank, const size_t *shape, size_t *bytes);

/* The checksum of a file's first part (8 bytes of length and the header), its digits taken as zeros. */
uint32_t orff_archive_head_checksum(const unsigned char *head, size_t bytes);

#endif
