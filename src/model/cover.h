/* Where the rows of a model were: a place for each row, or, for many rows, one place for each grid cell
 * that holds some. A model keeps these places instead of its rows, and can tell how far a point is from
 * all rows.
 *
 * Cells begin as small as numbers allow and double whenever there are more than ORFFI_COVER_MOST. So one
 * pass suffices, and the result depends on the order of the rows only within a cell. A distance to the
 * places is never too short, and too long by less than the diagonal of a cell. */
#ifndef ORFFI_MODEL_COVER_H
#define ORFFI_MODEL_COVER_H

#include "base/fields.h"

enum { ORFFI_COVER_MOST = 16384, ORFFI_COVER_INPUTS = 6 };

typedef struct orffi_cover {
    size_t k;                          /* number of inputs that distances use; 0: nothing is kept */
    size_t inputs[ORFFI_COVER_INPUTS]; /* k */
    double cell;                       /* side of a cell, in the inputs' units; 0: every place is kept */
    size_t n;
    double *places; /* n x k, with room for ORFFI_COVER_MOST; at the end sorted by the first coordinate */
    /* only while rows are added; compact, as every row accesses them: */
    double *cells;   /* n x k: cells of the places */
    uint32_t *table; /* 1 + number of the place, by hash of the cell; 0: free */
} orffi_cover;

/* The inputs used are those of a field's space, those of the plane, or all. If there are more than
 * ORFFI_COVER_INPUTS, nothing is kept. */
orff_status orffi_cover_begin(orffi_cover *cover, const orff_settings *settings, size_t d, size_t p);

/* n rows X (n x d); rows of weight 0 are skipped (weights may be NULL). */
void orffi_cover_add(orffi_cover *cover, size_t n, size_t d, const double *X, const double *weights);

/* After the last row: frees what only adding needs, and sorts the places. */
void orffi_cover_end(orffi_cover *cover);
void orffi_cover_clear(orffi_cover *cover);

/* A reader that passes on the rows of another reader and adds them to the cover. */
typedef struct orffi_covering {
    orffi_cover *cover;
    orff_reader source;
    size_t d;
} orffi_covering;
orff_reader orffi_covering_reader(orffi_covering *covering);

/* The distance from x (k numbers) to the nearest place; periods (k): see base/periods.h. */
double orffi_cover_distance(const orffi_cover *cover, const double *periods, const double *x);

/* ---- in a file: member "cover" of an object, absent if nothing is kept, and the tensor "places" */
int orffi_cover_pack(const orffi_cover *cover, json_t *object);
orff_status orffi_cover_write(const orffi_cover *cover, orffi_archive_writer *writer);
orff_status orffi_cover_read(orffi_cover *cover, const orffi_fields *in, size_t d);

#endif
