/* Banks and kernels in files: members "bank" and "kernel" of an archive's document, and tensors.
 *
 *     omega.<g>  count x d    the frequencies of group g of the bank ...
 *     scale.<g>  count        ... or, if they are structured, the scales of their rows
 *     weight.<g> count        their weights q
 *     part.<m>.B p x columns  the output factor of part m of the kernel, unless it is the identity
 *     part.<m>.blocks  count x p x columns  B at the frequencies of its group, if part m is a function of the
 *                             caller, which a file cannot hold; complex blocks have pairs, 2 columns
 *
 * Frequencies that a recipe can draw again may be omitted. Their checksum is then stored instead, to detect
 * another machine's rounding. docs/files.md describes every member. */
#ifndef ORFFI_FEATURES_RECIPE_H
#define ORFFI_FEATURES_RECIPE_H

#include "base/fields.h"
#include "features/features.h"

/* Adds a bank to the archive and to its document. Omits groups of at most `most` frequencies that a recipe
 * can draw again; 0 omits none. The bank must live until the archive is written. */
orff_status orffi_bank_write(const orffi_bank *bank, size_t most, orffi_archive_writer *writer,
                             json_t *document);

/* The bank of an archive. `most` limits the frequencies drawn again; it must follow from the size of the
 * file's own tensors. */
orff_status orffi_bank_read(orffi_bank **bank, const orffi_archive *archive, size_t most);

/* The same for a kernel, which must live until the archive is written. */
orff_status orffi_kernel_write(const orff_kernel *kernel, orffi_archive_writer *writer, json_t *document);

/* The kernel of an archive whose tensors are for d inputs and p outputs. Its custom parts have no
 * functions. */
orff_status orffi_kernel_read(orff_kernel **kernel, const orffi_archive *archive, size_t d, size_t p);

/* ORFF_ERROR_UNSUPPORTED if exact values, and so a file for them, need functions of the caller. */
orff_status orffi_kernel_check_closed(const orff_kernel *kernel);

/* The blocks of parts that are functions of the caller; the features must live until the archive is
 * written. */
orff_status orffi_blocks_write(const orff_features *features, orffi_archive_writer *writer);

/* The features of an archive's kernel on its bank. */
orff_status orffi_features_read(orff_features **features, const orffi_archive *archive,
                                const orffi_bank *bank, const orff_kernel *kernel);

/* ---- shared by banks and kernels */

enum { ORFFI_TENSOR_NAME = 48 }; /* room for a tensor's name */

/* The members base, shape, scales and space of an object; returns nonzero if memory runs out. */
int orffi_law_write(json_t *object, const orffi_spectrum *law);
orff_status orffi_law_read_base(const orffi_fields *in, orff_base *base, double *shape);

/* Lists that the caller releases, even on failure; space stays NULL for all inputs in order. */
orff_status orffi_law_read_lists(const orffi_fields *in, size_t d, double **scales, size_t *space_count,
                                 size_t **space);

#endif
