/* One container for models and moments, in the layout of safetensors:
 *
 *     8 bytes    length of the header, little-endian
 *     header     JSON, padded with spaces so that the tensors start at a multiple of 64
 *     tensors    little-endian, one after the other without holes
 *
 * The header is {"__metadata__": {string: string, ...}, name: {"dtype", "shape", "data_offsets"}, ...}. The
 * metadata starts with "checksum", the CRC-32C of the whole file computed with zeros in place of its own
 * digits, followed by "format", "format_version", "orff_version" and "json": a JSON document of the module
 * that writes the archive.
 */
#ifndef ORFFI_BASE_ARCHIVE_H
#define ORFFI_BASE_ARCHIVE_H

#include <jansson.h>

#include "base/file.h"

typedef enum orffi_dtype { ORFFI_F64, ORFFI_F32, ORFFI_I64, ORFFI_DTYPE_COUNT } orffi_dtype;

enum { ORFFI_ARCHIVE_RANK = 8 }; /* largest rank of a tensor */

/* ---- writing */

typedef struct orffi_archive_writer orffi_archive_writer;

/* format, for example "orff-model", and its version (>= 1). */
orff_status orffi_archive_writer_create(orffi_archive_writer **writer, const char *format, int version);
void orffi_archive_writer_free(orffi_archive_writer *writer);

/* The caller's JSON document, an object, whose reference is kept. Without a document: {}. */
orff_status orffi_archive_set_document(orffi_archive_writer *writer, json_t *document);

/* A tensor of rank 0 (one number) to 8. The data is not copied: it must exist, unchanged, until the archive
 * is written. */
orff_status orffi_archive_add(orffi_archive_writer *writer, const char *name, orffi_dtype dtype, size_t rank,
                              const size_t *shape, const void *data);

/* A prefix for the names of all tensors added from now on, such as "trend.0."; "" for none. At most
 * ORFFI_ARCHIVE_PREFIX_LENGTH characters. */
enum { ORFFI_ARCHIVE_PREFIX_LENGTH = 63 };
void orffi_archive_set_prefix(orffi_archive_writer *writer, const char *prefix);

/* Writes by orffi_file_replace, which explains check. May be called again. */
orff_status orffi_archive_write(const orffi_archive_writer *writer, const char *path, orffi_file_check check);

/* Rewords the failure of a check that a file just written cannot be loaded: ORFF_ERROR_NUMERICAL, with the
 * reason, advice, and without the temporary name, which means nothing to users. `what` names the content of
 * the file. Other failures keep their status. */
orff_status orffi_archive_blame(orff_status status, const char *temporary, const char *what);

/* ---- reading */

typedef struct orffi_archive orffi_archive;

/* Opens and validates everything: layout, checksum, format, version (`oldest` to `newest` are accepted) and
 * the document. ORFF_ERROR_IO if the file cannot be read, ORFF_ERROR_FORMAT if its content is wrong; the
 * message names the file. */
orff_status orffi_archive_open(orffi_archive **archive, const char *path, const char *format, int oldest,
                               int newest);
void orffi_archive_close(orffi_archive *archive);

/* An archive inside an archive: the tensors whose names start with a prefix, without that prefix, and another
 * document, an object. Close it before the outer one; tensors stay in place. */
orff_status orffi_archive_inside(orffi_archive **inside, const orffi_archive *archive, const char *prefix,
                                 const json_t *document);

/* Whether a file starts as an archive of this format. Allocates no memory and reads only the start. */
bool orffi_archive_begins(const char *path, const char *format);

int orffi_archive_version(const orffi_archive *archive);

/* The document, always an object; valid while the archive is open. */
const json_t *orffi_archive_document(const orffi_archive *archive);

bool orffi_archive_has(const orffi_archive *archive, const char *name);

/* A tensor that must exist with this dtype and rank: its shape (rank numbers; may be NULL), and a pointer to
 * its numbers, aligned and valid until the archive is closed. `data` is the address of a pointer to const
 * numbers. */
orff_status orffi_archive_get(const orffi_archive *archive, const char *name, orffi_dtype dtype, size_t rank,
                              size_t *shape, void *data);

/* The same, with the shape checked too. */
orff_status orffi_archive_expect(const orffi_archive *archive, const char *name, orffi_dtype dtype,
                                 size_t rank, const size_t *shape, void *data);

/* ORFF_ERROR_FORMAT if a tensor of F64 or F32 contains NaN or infinity; the message says where. */
orff_status orffi_archive_check_finite(const orffi_archive *archive, const char *name);

/* A matrix of doubles of this shape, without NaN and infinity. */
orff_status orffi_archive_matrix(const orffi_archive *archive, const char *name, size_t rows, size_t cols,
                                 const double **data);

/* ORFF_ERROR_FORMAT with a message that begins with the file's name: for what is wrong in the document. */
orff_status orffi_archive_fail(const orffi_archive *archive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- shared by reader and writer */

/* The first bytes of a header, followed by the eight digits of the checksum. */
#define ORFFI_ARCHIVE_PREFIX "{\"__metadata__\":{\"checksum\":\""
enum { ORFFI_ARCHIVE_DIGITS = 8, ORFFI_ARCHIVE_ALIGNMENT = 64, ORFFI_ARCHIVE_LARGEST_HEADER = 64 << 20 };

typedef struct orffi_dtype_info {
    const char *name;
    size_t size;
} orffi_dtype_info;
extern const orffi_dtype_info orffi_dtypes[ORFFI_DTYPE_COUNT];

/* The size in bytes of a tensor of this shape; ORFF_ERROR_NO_MEMORY if it does not fit a size_t. */
orff_status orffi_archive_bytes(orffi_dtype dtype, size_t rank, const size_t *shape, size_t *bytes);

/* The checksum of a file's first part (8 bytes of length, and the header), with zeros in place of its
 * digits. */
uint32_t orffi_archive_head_checksum(const unsigned char *head, size_t bytes);

#endif
