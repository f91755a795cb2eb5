/* Held-out rows, shared by several files: rows sorted by blocks, what is held out together, and what it is
 * predicted from. */
#ifndef ORFFI_MODEL_HELD_OUT_UNIT_H
#define ORFFI_MODEL_HELD_OUT_UNIT_H

#include "base/nearest.h"
#include "model/held_out.h"

#define ORFFI_LEFT_EACH    12  /* rows of a block that are predicted each time the block is drawn ... */
#define ORFFI_LEFT_MOST    60  /* ... but at most so many */
#define ORFFI_LEFT_NUMBERS 256 /* order of a local system, about: factored in a millisecond */
/* Cells along the side of a block: half a length scale, over which rows may be averaged. */
#define ORFFI_LEFT_CELLS 4

typedef struct orffi_left_entry {
    uint64_t key; /* of its block */
    size_t row;
} orffi_left_entry;

/* A block with rows. */
typedef struct orffi_left_block {
    size_t first, count; /* range in `order` */
} orffi_left_block;

typedef struct orffi_left_field {
    const orffi_plan *plan;
    const orff_model *model;
    const orff_kernel *kernel;
    orffi_table table;      /* in the plan's units, y without the mean */
    const uint64_t *groups; /* or NULL: blocks are held out */
    double total;           /* sum of the weights */
    size_t measured;        /* rows that may be predicted; those after them are walls */
    bool scalar;            /* K = k I */
    size_t q;     /* numbers per row in a system: 1 for a scalar kernel and for directed rows, otherwise p */
    size_t width; /* numbers of y in a row */
    bool apart;   /* each row is a single output */
    orffi_left_entry *order; /* n */
    orffi_left_block *blocks;
    double *places; /* blocks x d: integers */
    size_t n_blocks;
    double *blur; /* q: the variance of a cell's mean about the value in its middle */
} orffi_left_field;

typedef struct orffi_left_unit {
    size_t block, group_row;             /* a row of the group that is left out */
    size_t tests, test[ORFFI_LEFT_MOST]; /* rows that are predicted ... */
    size_t wanted;                       /* ... of so many that may be */
    size_t n_seen, room;                 /* rows around */
    orffi_neighbour *seen;               /* by their distance from the unit, squared, in sides of blocks */
    size_t used;                         /* what is learned from: rows, or means of rows */
    double *Z, *y, *weight;              /* used x d, used x width, used */
    double *along;                       /* of directed rows: used x p */
    bool *mean;                          /* used: it is one of several rows */
} orffi_left_unit;

/* ---- rows */

/* Copies all rows that are in memory, in the plan's units; the second sorts them by block. */
orff_status orffi_left_copy_rows(orffi_left_field *field, const orffi_rows *rows);
orff_status orffi_left_sort_rows(orffi_left_field *field);
void orffi_left_field_clear(orffi_left_field *field);

/* ---- a unit */

/* Whether a row belongs to the held-out group. */
bool orffi_left_is_out(const orffi_left_field *field, const orffi_left_unit *unit, size_t row);

/* Find the rows around a unit, and choose those of them, or their means, that it is predicted from. */
orff_status orffi_left_gather(const orffi_left_field *field, orffi_left_unit *unit);
orff_status orffi_left_choose_rows(const orffi_left_field *field, orffi_left_unit *unit);
void orffi_left_unit_clear(orffi_left_unit *unit);

/* ---- the local process */

/* The variance of a cell's mean about the value in its middle. */
orff_status orffi_left_fill_blur(orffi_left_field *field);

/* The divisor of directed row i: see orffi_units_apply. */
double orffi_left_divisor(const orffi_left_field *field, size_t row);

/* Number k of the y of a row, in the user's units. */
double orffi_left_value(const orffi_left_field *field, size_t row, size_t k);

/* F and S (tests x width): predictions and their standard deviations, in the user's units. */
orff_status orffi_left_predict(const orffi_left_field *field, orffi_left_unit *unit, double *F, double *S);

#endif
