/* Moments of a data set under a bank of frequencies. With y~ = (y, 1) in R^(p+1) and row weights c:
 *
 *     S = sum c phi phi^T   (L x L, L = 2D, upper triangle)
 *     R = sum c phi y~^T    (L x (p+1): the last column is sum c phi)
 *     T = sum c y~ y~^T     ((p+1) x (p+1): sum c y y^T, sum c y, sum c)
 */
#ifndef ORFFI_MOMENTS_MOMENTS_H
#define ORFFI_MOMENTS_MOMENTS_H

#include "base/archive.h"
#include "features/features.h"
#include "moments/parted.h"

typedef struct orffi_moment_set {
    uint64_t rows;
    double *S, *R, *T;
    orffi_parted parted; /* of rows that are not whole; orffi_moment_set_init leaves it empty */
} orffi_moment_set;

/* Of all rows that are not whole. */
typedef struct orffi_parted_counts {
    uint64_t rows;
    double N, plain; /* sums of their weights without errors: of rows, and of their numbers */
    bool errors;     /* all rows have errors of their own, so that none counts as whole */
} orffi_parted_counts;

struct orff_moments {
    orffi_bank *bank;
    size_t p;
    orff_moments_settings settings;
    size_t n_sets; /* folds, at least 1 */
    orffi_moment_set *sets;
    orffi_parted_counts counts;
    orff_plane plane; /* where settings.plane points to, or zeros */
    char *notes;      /* the caller's, or NULL */
    uint64_t arrived; /* rows ever accumulated: the number of the next row */
};

/* Allocate one set for L features and p outputs, zeroed; clear accepts half-built ones. */
orff_status orffi_moment_set_init(orffi_moment_set *set, size_t L, size_t p);
void orffi_moment_set_clear(orffi_moment_set *set);

/* into += sign * from. */
void orffi_moment_set_add(orffi_moment_set *into, const orffi_moment_set *from, double sign, size_t L,
                          size_t p);

/* into (zeroed) = sum of all sets but `left_out`; n_sets or more leaves out none. */
void orffi_moments_sum(const orff_moments *moments, size_t left_out, orffi_moment_set *into);

/* Whether there are rows that are not whole; and room for them, for so many pairs. */
bool orffi_moments_is_parted(const orff_moments *moments);
orff_status orffi_moments_widen(orff_moments *moments, size_t pairs);
/* ORFF_ERROR_UNSUPPORTED where there are such rows: `what` is only for whole ones. */
orff_status orffi_moments_refuse_parted(const orff_moments *moments, const char *what);
/* Rows with errors, or without, where there are others. */
orff_status orffi_moments_match(const orff_moments *moments, bool errors);

/* What the weights of the rows of a fold add up to. */
double orffi_moments_weight(const orff_moments *moments, size_t fold);

/* The fold of a row: it follows from the seed and the row's numbers, its block, or the group of its place among all
 * rows (0-based). */
size_t orffi_moments_fold(const orff_moments_settings *settings, uint64_t row, size_t d, const double *x,
                          size_t p, const double *y);

/* Whether there are folds, but fewer than two that have rows of some weight: cross-validation needs two. Folds
 * are random, so that with few rows some may be empty; they have no say. */
bool orffi_moments_too_few(const orff_moments *moments);

/* ORFF_ERROR_INVALID_ARGUMENT for moments without folds, or with too few rows. */
orff_status orffi_moments_check_folds(const orff_moments *moments);

/* Moments without frequencies of their own to draw: for files. Takes over a reference to the bank. */
orff_status orffi_moments_create_on(orff_moments **out, orffi_bank *bank, size_t p,
                                    const orff_moments_settings *settings);

/* How the rows of a reader are added. */
typedef struct orffi_pass {
    size_t block; /* most rows of a block; 0: as many as are quick */
    bool whole; /* blocks are filled however few rows the reader gives at once: sums do not depend on that */
    uint64_t skip; /* rows to pass over first: the moments have them */
    void (*after)(void *self, const orff_moments *moments); /* every block; may be NULL */
    void *self;
} orffi_pass;
orff_status orffi_moments_read(orff_moments *moments, const orff_reader *reader, const orffi_pass *pass);

/* The moments as a part of an archive: member "moments" of its document, the bank and the tensors. *packed is to be
 * released once the archive is written; reading leaves *moments to be freed also when it fails. */
orff_status orffi_moments_pack(const orff_moments *moments, orffi_archive_writer *writer, json_t *document,
                               double **packed);
orff_status orffi_moments_unpack(orff_moments **moments, const orffi_archive *archive);

/* ORFF_ERROR_MISMATCH naming the first difference between two banks. */
orff_status orffi_bank_compare(const orffi_bank *a, const orffi_bank *b);

#endif
