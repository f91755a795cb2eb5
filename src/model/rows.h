/* Rows on their way into a model: from arrays or a reader, labels coded, a head kept for the automatic
 * choices, inputs and outputs transformed block by block. */
#ifndef ORFFI_MODEL_ROWS_H
#define ORFFI_MODEL_ROWS_H

#include "engine/engine.h"

/* Numbers that a fit takes: their squares, the sums of these over the rows, and those divided by what rounding leaves of a
 * matrix are far from overflowing. */
#define ORFFI_LARGEST_NUMBER 1e100

/* Of what quality rows are: their noise is r_g (1 - e + e t) / weight, see exact/evidence.h. */
enum { ORFFI_MOST_INSTRUMENTS = ORFF_INSTRUMENTS };
typedef struct orffi_quality {
    bool errors;        /* t is known, and e open */
    bool offsets;       /* sets of rows have them ... */
    double offset;      /* ... whose variance, over that of the field, has this logarithm */
    size_t instruments; /* 0 as 1 */
    bool by_output;     /* instruments are the outputs of directed rows */
    double factor;      /* what weights were multiplied by: see orffi_rows_weigh */
    double logit;       /* log(e/(1-e)) */
    double ratios[ORFFI_MOST_INSTRUMENTS]; /* log r; that of the first is 0 */
    /* Mean variance of measurements over that of a row of weight 1: of each output where by_output, else the first is of all. */
    double typical[ORFFI_MOST_INSTRUMENTS];
} orffi_quality;

#define ORFFI_FIRST_OFFSET \
    (-2.3) /* from a tenth of the field's variance the evidence looks for that of offsets */

/* Whether there is something to be found of it. */
static inline bool orffi_quality_is_open(const orffi_quality *quality) {
    return quality->errors || quality->offsets || quality->instruments > 1;
}

/* x' = (x - shift)/unit, y' = y/spread. */
typedef struct orffi_units {
    double *shift, *unit; /* d */
    double *spread;       /* p */
} orffi_units;

/* The rows of a table in these units. What was measured along e is divided by s = |e o spread| / |e|, and is then measured
 * along e o spread / s. Returns the sum of log s over directed rows, else 0. */
double orffi_units_apply(const orffi_units *units, orffi_table *table);

/* Where the rows come from. For arrays the head is a sample and the rows can be read again; for a stream
 * the head is its first rows, which are handed out again before the rest. */
/* What stands for the labels of T classes: numbers that are learned instead. All zeros: there are no classes. */
typedef struct orffi_codes {
    size_t classes, length;
    double *codes; /* classes x length */
} orffi_codes;

typedef struct orffi_rows {
    orff_reader source;
    size_t d, p; /* p as the model sees it: T-1 for classes */
    size_t classes;
    const double *codes; /* T x p, or NULL */
    bool stream;
    orffi_table head;
    size_t head_given; /* rows of a stream's head handed out again */
    bool ended;        /* the stream has no rows but its head */
    double *labels;    /* scratch for one block of labels */
    size_t labels_room;
    const orffi_units *units;     /* NULL: as they are */
    orffi_checkpoint *checkpoint; /* where what comes of them is saved on the way, or NULL; not owned */
    /* arrays */
    size_t n, next;
    const double *X, *Y, *weights;
    const double *along;        /* of directed rows, see engine/table.h: n x p, Y is n; or NULL */
    double N;                   /* of directed rows */
    const double *known;        /* n, or NULL: see engine/table.h */
    const uint32_t *instrument; /* n, or NULL */
    size_t instruments;
    bool by_output; /* they are the outputs of directed rows */
    uint32_t *set;  /* n: whose offset a row has (ORFFI_NO_SET: none), or NULL */
    size_t sets;
    uint64_t *set_labels; /* sets: the groups that they are */

    double *quality; /* n: the weights that follow from them and the plan, or NULL */
    const struct orffi_functionals
        *functionals;  /* that directed rows come with: see functionals_fit.h; not owned; or NULL */
    size_t measured;   /* measurements that directed rows are parts of */
    size_t walls;      /* the last so many directed rows are no measurements: nothing is chosen by them */
    bool apart;        /* directed rows are single outputs: each direction is an axis */
    double log_spread; /* of directed rows: see orffi_units_apply */
    orffi_table whole; /* directed rows, transformed: a reader has no way of handing them out */
    orff_status trouble_status; /* what was wrong with a row: a reader can only return a code */
    char trouble[256];
} orffi_rows;

/* p is the user's: 1 for classes. */
orff_status orffi_rows_from_arrays(orffi_rows *rows, size_t d, size_t p, const orffi_codes *codes, size_t n,
                                   const double *X, const double *Y, const double *weights, size_t head);
orff_status orffi_rows_from_reader(orffi_rows *rows, size_t d, size_t p, const orffi_codes *codes,
                                   const orff_reader *reader, size_t head);
/* Directed rows: along is n x p, Y n, weights n; N: what lambda goes with; the last `walls` are no measurements. */
/* Afterwards, before anything is looked at: what is known of the errors of the rows (n, mean 1; or NULL), and their
 * instruments (n, below `instruments`; or NULL). */
orff_status orffi_rows_qualify(orffi_rows *rows, const double *known, const uint32_t *instrument,
                               size_t instruments);

orff_status orffi_rows_from_directed(orffi_rows *rows, size_t d, size_t p, size_t n, const double *X,
                                     const double *Y, const double *weights, const double *along, double N,
                                     size_t walls, size_t head);
void orffi_rows_clear(orffi_rows *rows);

/* Rows of the same group (n) have an offset: see trend.h. After qualities are set, before anything is looked at. */
orff_status orffi_rows_set_groups(orffi_rows *rows, const uint64_t *groups);

/* The weights of rows of these qualities, in the place of those they had. They add up to as much: quality->factor is what the
 * noise of a row of weight 1 grows by. */
orff_status orffi_rows_weigh(orffi_rows *rows, orffi_quality *quality);

/* The coded, transformed rows, from the first on, for an engine. */
orff_status orffi_rows_source(orffi_rows *rows, orffi_source *source);

/* The number, from 0, that row i of the head has among all rows. */
size_t orffi_rows_place(const orffi_rows *rows, size_t i);

/* How many rows there are, where all of them are in memory; 0 for a longer stream. */
size_t orffi_rows_known(const orffi_rows *rows);

/* What came of reading through the source, told by the row that was wrong if one was. */
orff_status orffi_rows_outcome(const orffi_rows *rows, orff_status status);

#endif
