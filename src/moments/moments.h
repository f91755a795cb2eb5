/* Moments of a data set for a bank of frequencies. With y~ = (y, 1) in R^(p+1) and row weights c:
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
    orffi_parted parted; /* for rows that are not whole; orffi_moment_set_init leaves it empty */
} orffi_moment_set;

/* For all rows that are not whole. */
typedef struct orffi_parted_counts {
    uint64_t rows;
    double N, plain; /* sums of weights without errors: of the rows, and of their numbers */
    bool errors;     /* all rows have errors of their own, so none counts as whole */
} orffi_parted_counts;

struct orff_moments {
    orffi_bank *bank;
    size_t p;
    orff_moments_settings settings;
    size_t n_sets; /* number of folds, at least 1 */
    orffi_moment_set *sets;
    orffi_parted_counts counts;
    orff_plane plane; /* settings.plane points here if there is a plane */
    char *notes;      /* the caller's, or NULL */
    uint64_t arrived; /* rows ever accumulated: the index of the next row */
};

/* Allocates one set for L features and p outputs, zeroed; clear accepts half-built ones. */
orff_status orffi_moment_set_init(orffi_moment_set *set, size_t L, size_t p);
void orffi_moment_set_clear(orffi_moment_set *set);

/* into += sign * from. */
void orffi_moment_set_add(orffi_moment_set *into, const orffi_moment_set *from, double sign, size_t L,
                          size_t p);

/* into (zeroed) = sum of all sets except `left_out`; n_sets or more: all sets. */
void orffi_moments_sum(const orff_moments *moments, size_t left_out, orffi_moment_set *into);

/* Whether there are rows that are not whole; and room for such rows, with `pairs` pairs. */
bool orffi_moments_is_parted(const orff_moments *moments);
orff_status orffi_moments_widen(orff_moments *moments, size_t pairs);
/* ORFF_ERROR_UNSUPPORTED if there are such rows: `what` works only for whole rows. */
orff_status orffi_moments_refuse_parted(const orff_moments *moments, const char *what);
/* Fails if rows with errors would join rows without, or the other way round. */
orff_status orffi_moments_match(const orff_moments *moments, bool errors);

/* The total weight of the rows of a fold. */
double orffi_moments_weight(const orff_moments *moments, size_t fold);

/* The fold of a row. It depends on the seed and on the row's numbers, its block, or the group given for its
 * index among all rows (0-based). */
size_t orffi_moments_fold(const orff_moments_settings *settings, uint64_t row, size_t d, const double *x,
                          size_t p, const double *y);

/* Whether there are folds, but fewer than two have rows with positive weight; cross-validation needs two.
 * Folds are random, so with few rows some may be empty; they are skipped. */
bool orffi_moments_too_few(const orff_moments *moments);

/* ORFF_ERROR_INVALID_ARGUMENT for moments without folds, or with too few rows for them. */
orff_status orffi_moments_check_folds(const orff_moments *moments);

/* Moments on an existing bank, for files. Takes over a reference to the bank. */
orff_status orffi_moments_create_on(orff_moments **out, orffi_bank *bank, size_t p,
                                    const orff_moments_settings *settings);

/* How the rows of a reader are added. */
typedef struct orffi_pass {
    size_t block;  /* most rows in a block; 0: as many as are quick */
    bool whole;    /* fill blocks even if the reader gives few rows at a time, so that sums do not depend on
                   that */
    uint64_t skip; /* rows to skip first, because the moments already have them */
    void (*after)(void *self, const orff_moments *moments); /* called after every block; may be NULL */
    void *self;
} orffi_pass;
orff_status orffi_moments_read(orff_moments *moments, const orff_reader *reader, const orffi_pass *pass);

/* The moments as part of an archive: member "moments" of its document, the bank and the tensors. Release
 * *packed after the archive is written. If reading fails, *moments must still be freed. */
orff_status orffi_moments_pack(const orff_moments *moments, orffi_archive_writer *writer, json_t *document,
                               double **packed);
orff_status orffi_moments_unpack(orff_moments **moments, const orffi_archive *archive);

/* ORFF_ERROR_MISMATCH that names the first difference between two banks. */
orff_status orffi_bank_compare(const orffi_bank *a, const orffi_bank *b);

#endif
