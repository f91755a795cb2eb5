/* Reads the members of an archive's document one by one, with their types. A member that is missing or has
 * another type is refused (ORFF_ERROR_FORMAT); the message names the file and the member, as in
 * "kernel.parts[1].base". */
#ifndef ORFFI_BASE_FIELDS_H
#define ORFFI_BASE_FIELDS_H

#include "base/archive.h"

/* One object of the document, borrowed from the archive. */
typedef struct orffi_fields {
    const orffi_archive *archive;
    const json_t *object;
    char where[96]; /* "" for the document itself */
} orffi_fields;

orffi_fields orffi_fields_of(const orffi_archive *archive);

/* A member that is an object; a member that is a list; object i of a list. */
orff_status orffi_fields_object(const orffi_fields *in, const char *key, orffi_fields *out);
orff_status orffi_fields_list(const orffi_fields *in, const char *key, size_t *length);
orff_status orffi_fields_item(const orffi_fields *in, const char *key, size_t i, orffi_fields *out);

/* Whether a member exists and is not null. */
bool orffi_fields_has(const orffi_fields *in, const char *key);

orff_status orffi_fields_size(const orffi_fields *in, const char *key, size_t *out);
orff_status orffi_fields_flag(const orffi_fields *in, const char *key, bool *out);
orff_status orffi_fields_text(const orffi_fields *in, const char *key, const char **out);

/* A finite number; any number written by orffi_json_number. */
orff_status orffi_fields_number(const orffi_fields *in, const char *key, double *out);
orff_status orffi_fields_any_number(const orffi_fields *in, const char *key, double *out);

/* 64 bits, as decimal digits in a string, because not every reader preserves JSON numbers above 2^53. Item i
 * of a list of them. */
orff_status orffi_fields_whole(const orffi_fields *in, const char *key, uint64_t *out);
orff_status orffi_fields_whole_item(const orffi_fields *in, const char *key, size_t i, uint64_t *out);

/* Lists of exactly `count` finite numbers, or sizes, allocated only after their length was checked. *out is
 * unchanged on failure. */
orff_status orffi_fields_numbers(const orffi_fields *in, const char *key, size_t count, double **out);
orff_status orffi_fields_sizes(const orffi_fields *in, const char *key, size_t count, size_t **out);

/* ORFF_ERROR_FORMAT: says what is wrong with a member. */
orff_status orffi_fields_fail(const orffi_fields *in, const char *key, const char *what);

/* Turns the failure of a check on the content into ORFF_ERROR_FORMAT, with the file's name before its
 * message. ORFF_OK and ORFF_ERROR_NO_MEMORY pass unchanged. */
orff_status orffi_fields_blame(const orffi_fields *in, orff_status status);

/* The text "notes" of the library's caller: *out becomes a copy, or stays NULL if there is none. */
orff_status orffi_fields_notes(const orffi_fields *in, char **out);

/* Replaces *notes by a copy of the text: ORFF_ERROR_INVALID_ARGUMENT if it is not UTF-8, which JSON
 * requires. */
orff_status orffi_notes_set(char **notes, const char *text);

/* ---- writing: returns NULL if memory runs out, which json_object_set_new passes on */

/* json_pack's "ss*" omits a member both for NULL and when memory runs out. This distinguishes the two: it
 * returns nonzero on failure, and sets nothing for NULL. */
int orffi_json_set_text(json_t *object, const char *key, const char *text);

json_t *orffi_json_number(double value); /* NaN is null, infinities are "inf" and "-inf" */
json_t *orffi_json_whole(uint64_t value);
json_t *orffi_json_numbers(size_t count, const double *values);
json_t *orffi_json_sizes(size_t count, const size_t *values);

#endif
