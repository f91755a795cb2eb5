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

/* The caller's own JSON document, an object: a reference is kept. Without one it is {}. */
orff_status orffi_archive_set_document(orffi_archive_writer *writer, json_t *document);

/* A tensor of rank 0 (one number) to 8. The data is not copied: it must live, unchanged, until the archive
 * is written. */
orff_status orffi_archive_add(orffi_archive_writer *writer, const char *name, orffi_dtype dtype, size_t rank,
                              const size_t *shape, const void *data);

/* What is put before the names of tensors that are added from now on, such as "trend.0."; "" for nothing. At most
 * ORFFI_ARCHIVE_PREFIX_LENGTH characters. */
enum { ORFFI_ARCHIVE_PREFIX_LENGTH = 63 };
void orffi_archive_set_prefix(orffi_archive_writer *writer, const char *prefix);

/* By orffi_file_replace, which explains check. May be called again. */
orff_status orffi_archive_write(const orffi_archive_writer *writer, const char *path, orffi_file_check check);

/* What a check says of a file just written that cannot be loaded (the message stands): ORFF_ERROR_NUMERICAL with what
 * to do, and without the temporary name, which means nothing to anybody. `what` was to be written. Other failures stay
 * what they are. */
orff_status orffi_archive_blame(orff_status status, const char *temporary, const char *what);

/* ---- reading */

typedef struct orffi_archive orffi_archive;

/* Open and validate everything: layout, checksum, format, version (oldest to newest are understood) and the
 * document. ORFF_ERROR_IO when the file cannot be read, ORFF_ERROR_FORMAT when it is not what it should be; the message
 * names the file. */
orff_status orffi_archive_open(orffi_archive **archive, const char *path, const char *format, int oldest,
                               int newest);
void orffi_archive_close(orffi_archive *archive);

/* The tensors of an archive whose names begin with a prefix, without it, and another document, an object: an archive inside
 * of one. It is closed like one, before the other; tensors stay where they are. */
orff_status orffi_archive_inside(orffi_archive **inside, const orffi_archive *archive, const char *prefix,
                                 const json_t *document);

/* Whether a file begins as an archive of a format does. Takes no memory and looks no further. */
bool orffi_archive_begins(const char *path, const char *format);

int orffi_archive_version(const orffi_archive *archive);

/* The document, always an object; borrowed, as long as the archive is open. */
const json_t *orffi_archive_document(const orffi_archive *archive);

bool orffi_archive_has(const orffi_archive *archive, const char *name);

/* A tensor that must be there with this dtype and rank: its shape (rank numbers; may be NULL) and where it
 * lies, aligned to its numbers, until the archive is closed. `data` is the address of a pointer to const
 * numbers. */
orff_status orffi_archive_get(const orffi_archive *archive, const char *name, orffi_dtype dtype, size_t rank,
                              size_t *shape, void *data);

/* The same, and the shape must be this one. */
orff_status orffi_archive_expect(const orffi_archive *archive, const char *name, orffi_dtype dtype,
                                 size_t rank, const size_t *shape, void *data);

/* ORFF_ERROR_FORMAT when a tensor of F64 or F32 holds NaN or infinity, with the place. */
orff_status orffi_archive_check_finite(const orffi_archive *archive, const char *name);

/* A matrix of doubles of this shape, without NaN and infinity. */
orff_status orffi_archive_matrix(const orffi_archive *archive, const char *name, size_t rows, size_t cols,
                                 const double **data);

/* ORFF_ERROR_FORMAT with a message that begins with the file's name: for what is wrong in the document. */
orff_status orffi_archive_fail(const orffi_archive *archive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- what both sides agree on */

/* How a header begins; the checksum's eight digits follow. */
#define ORFFI_ARCHIVE_PREFIX "{\"__metadata__\":{\"checksum\":\""
enum { ORFFI_ARCHIVE_DIGITS = 8, ORFFI_ARCHIVE_ALIGNMENT = 64, ORFFI_ARCHIVE_LARGEST_HEADER = 64 << 20 };

typedef struct orffi_dtype_info {
    const char *name;
    size_t size;
} orffi_dtype_info;
extern const orffi_dtype_info orffi_dtypes[ORFFI_DTYPE_COUNT];

/* Numbers in a shape and their bytes; ORFF_ERROR_NO_MEMORY when they do not fit a size_t. */
orff_status orffi_archive_bytes(orffi_dtype dtype, size_t rank, const size_t *shape, size_t *bytes);

/* The checksum of a file's first part (8 bytes of length and the header), its digits taken as zeros. */
uint32_t orffi_archive_head_checksum(const unsigned char *head, size_t bytes);

#endif
