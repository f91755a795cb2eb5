/* Where the rows of a model were: a place for each of them, or, where they are many, one for each cell of a grid that holds
 * some. A model keeps these and not its rows, and can tell how far a point is from all of them.
 *
 * The cells begin as small as numbers are, and double whenever there are more than ORFFI_COVER_MOST: so the result needs
 * one pass and depends on the order of the rows only within a cell. A distance to the places is too long by less than the
 * diagonal of a cell, and never too short.
 */
#ifndef ORFFI_MODEL_COVER_H
#define ORFFI_MODEL_COVER_H

#include "base/fields.h"

enum { ORFFI_COVER_MOST = 16384, ORFFI_COVER_INPUTS = 6 };

typedef struct orffi_cover {
    size_t k;                          /* inputs that distances are of; 0: nothing is kept */
    size_t inputs[ORFFI_COVER_INPUTS]; /* k */
    double cell;                       /* side of a cell, in the inputs' units; 0: every place is kept */
    size_t n;
    double *
        places; /* n x k, with room for ORFFI_COVER_MOST; in the end they stand in the order of their first number */
    /* while rows are added, all as small as can be, as every row looks into them: */
    double *cells;   /* n x k, those of the places */
    uint32_t *table; /* 1 + place, by hash of the cell; 0: free */
} orffi_cover;

/* For the inputs that are a field's space, those of the plane, or all of them. Nothing is kept where they are more than
 * ORFFI_COVER_INPUTS. */
orff_status orffi_cover_begin(orffi_cover *cover, const orff_settings *settings, size_t d, size_t p);

/* n rows X (n x d); those of weight 0 (weights may be NULL) are passed over. */
void orffi_cover_add(orffi_cover *cover, size_t n, size_t d, const double *X, const double *weights);

/* No more rows: what only adding needs goes, and places are put in order. */
void orffi_cover_end(orffi_cover *cover);
void orffi_cover_clear(orffi_cover *cover);

/* A reader that passes on what another reads, and adds it. */
typedef struct orffi_covering {
    orffi_cover *cover;
    orff_reader source;
    size_t d;
} orffi_covering;
orff_reader orffi_covering_reader(orffi_covering *covering);

/* The distance from x (k numbers) to the nearest place; periods (k): see base/periods.h. */
double orffi_cover_distance(const orffi_cover *cover, const double *periods, const double *x);

/* ---- as member "cover" of a file's object, absent for none, and the tensor "places" */
int orffi_cover_pack(const orffi_cover *cover, json_t *object);
orff_status orffi_cover_write(const orffi_cover *cover, orffi_archive_writer *writer);
orff_status orffi_cover_read(orffi_cover *cover, const orffi_fields *in, size_t d);

#endif
