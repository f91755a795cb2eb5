/* Sums in files: the head, the text, the pairs, and a digest of these. Numbers are stored in this machine's
 * format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"

#define MOST_TEXT ((uint64_t)1 << 24)

typedef struct head {
    char magic[8];
    double order; /* has another value if the byte order differs */
    uint64_t size, text_length, text_digest;
} head;

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (; size; at += 8, size = size > 8 ? size - 8 : 0) {
        uint64_t word = 0;
        memcpy(&word, at, size < 8 ? size : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static head make_head(const orff_mpi_sum *sum, const char *text) {
    head h = {.order = 1.0 + 0x1p-40, .size = sum->size, .text_length = strlen(text)};
    memcpy(h.magic, "orffsum1", sizeof h.magic);
    h.text_digest = mix(h.text_length, text, strlen(text));
    return h;
}

/* ---- writing */

static orff_status write_all(orff_file *file, const orff_mpi_sum *sum, const char *text) {
    const head h = make_head(sum, text);
    uint64_t digest = mix(0, &h, sizeof h);
    orff_status status = orff_file_write(file, &h, sizeof h);
    if (!status) status = orff_file_write(file, text, strlen(text));
    for (uint64_t first = 0; !status && first < sum->size; first += ORFFI_MPI_PIECE) {
        const uint64_t left = sum->size - first;
        const size_t bytes = (size_t)(left < ORFFI_MPI_PIECE ? left : ORFFI_MPI_PIECE) * sizeof *sum->numbers;
        digest = mix(digest, sum->numbers + first, bytes);
        status = orff_file_write(file, sum->numbers + first, bytes);
    }
    if (!status) status = orff_file_write(file, &digest, sizeof digest);
    return status ? status : orff_file_commit(file);
}

orff_status orff_mpi_sum_save(const orff_mpi_sum *sum, const char *path, const char *text) {
    orff_file *file = NULL;
    if (!sum || !path || !text || strlen(text) > MOST_TEXT) return ORFF_ERROR_INVALID_ARGUMENT;
    orff_status status = orff_file_create(&file, path);
    if (!status) status = write_all(file, sum, text);
    orff_file_free(file);
    return status;
}

/* ---- reading */

static orff_status read_head(FILE *file, head *h, char **text) {
    const head known = make_head(&(orff_mpi_sum){0}, "");
    if (fread(h, sizeof *h, 1, file) != 1 || memcmp(h->magic, known.magic, sizeof known.magic) != 0 ||
        memcmp(&h->order, &known.order, sizeof known.order) != 0 || h->text_length > MOST_TEXT)
        return ORFF_ERROR_FORMAT;
    *text = calloc((size_t)h->text_length + 1, 1);
    if (!*text) return ORFF_ERROR_NO_MEMORY;
    const size_t length = (size_t)h->text_length;
    return fread(*text, 1, length, file) == length && mix(length, *text, length) == h->text_digest
               ? ORFF_OK
               : ORFF_ERROR_FORMAT;
}

static orff_status read_pairs(FILE *file, const head *h, orff_mpi_sum *sum) {
    orffi_mpi_pair *piece = malloc(ORFFI_MPI_PIECE * sizeof *piece);
    uint64_t digest = mix(0, h, sizeof *h), expected;
    orff_status status = piece ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
    for (uint64_t first = 0; !status && first < sum->size; first += ORFFI_MPI_PIECE) {
        const uint64_t left = sum->size - first;
        const size_t count = (size_t)(left < ORFFI_MPI_PIECE ? left : ORFFI_MPI_PIECE);
        status = fread(piece, sizeof *piece, count, file) == count ? ORFF_OK : ORFF_ERROR_FORMAT;
        if (status) break;
        digest = mix(digest, piece, count * sizeof *piece);
        orffi_mpi_sum_add_pairs(sum, first, count, piece);
    }
    if (!status && (fread(&expected, sizeof expected, 1, file) != 1 || expected != digest))
        status = ORFF_ERROR_FORMAT;
    free(piece);
    return status;
}

orff_status orff_mpi_sum_load(orff_mpi_sum *sum, const char *path, char **text) {
    head h;
    char *own = NULL;
    if (!path) return ORFF_ERROR_INVALID_ARGUMENT;
    FILE *file = fopen(path, "rb");
    if (!file) return ORFF_ERROR_IO;
    orff_status status = read_head(file, &h, &own);
    if (!status && sum) status = h.size == sum->size ? read_pairs(file, &h, sum) : ORFF_ERROR_MISMATCH;
    fclose(file);
    if (!status && text) {
        *text = own;
    } else {
        free(own);
    }
    return status;
}
