/* The members of an archive's document, read one by one with their type: whatever is missing or of another
 * type is refused (ORFF_FORMAT) with the file's name and the member's place, as in "kernel.parts[1].base". */
#ifndef ORFF_BASE_FIELDS_H
#define ORFF_BASE_FIELDS_H

#include "base/archive.h"

/* One object of the document, borrowed from the archive. */
typedef struct orff_fields {
    const orff_archive *archive;
    const json_t *object;
    char where[96]; /* "" for the document itself */
} orff_fields;

orff_fields orff_fields_of(const orff_archive *archive);

/* A member that is an object; a member that is a list; object i of a list. */
orff_status orff_fields_object(const orff_fields *in, const char *key, orff_fields *out);
orff_status orff_fields_list(const orff_fields *in, const char *key, size_t *length);
orff_status orff_fields_item(const orff_fields *in, const char *key, size_t i, orff_fields *out);

/* Whether a member is there and is not null. */
bool orff_fields_has(const orff_fields *in, const char *key);

orff_status orff_fields_size(const orff_fields *in, const char *key, size_t *out);
orff_status orff_fields_flag(const orff_fields *in, const char *key, bool *out);
orff_status orff_fields_text(const orff_fields *in, const char *key, const char **out);

/* A finite number; any number, written by orff_json_number. */
orff_status orff_fields_number(const orff_fields *in, const char *key, double *out);
orff_status orff_fields_any_number(const orff_fields *in, const char *key, double *out);

/* 64 bits, as decimal digits in a string: JSON numbers beyond 2^53 do not survive every reader. Item i of a
 * list of them. */
orff_status orff_fields_whole(const orff_fields *in, const char *key, uint64_t *out);
orff_status orff_fields_whole_item(const orff_fields *in, const char *key, size_t i, uint64_t *out);

/* Lists of exactly so many finite numbers, or sizes: allocated once their length is known to be right. *out
 * is untouched on failure. */
orff_status orff_fields_numbers(const orff_fields *in, const char *key, size_t count, double **out);
orff_status orff_fields_sizes(const orff_fields *in, const char *key, size_t count, size_t **out);

/* ORFF_FORMAT: `what` is wrong with a member. */
orff_status orff_fields_fail(const orff_fields *in, const char *key, const char *what);

/* What a check of the library found wrong with the content (its message stands) becomes ORFF_FORMAT with the
 * file's name; ORFF_OK and ORFF_NO_MEMORY stay what they are. */
orff_status orff_fields_blame(const orff_fields *in, orff_status status);

/* A text the caller of the library wrote, "notes": *out becomes a copy, or stays NULL when there is none. */
orff_status orff_fields_notes(const orff_fields *in, char **out);

/* *notes becomes a copy of a text that JSON can hold: ORFF_INVALID_ARGUMENT when it is not UTF-8. */
orff_status orff_notes_set(char **notes, const char *text);

/* ---- writing: NULL when there is no memory, which json_object_set_new passes on */

json_t *orff_json_number(double value); /* NaN is null, infinities are "inf" and "-inf" */
json_t *orff_json_whole(uint64_t value);
json_t *orff_json_numbers(size_t count, const double *values);
json_t *orff_json_sizes(size_t count, const size_t *values);

#endif
