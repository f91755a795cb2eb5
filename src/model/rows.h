/* Rows on their way into a model: from arrays or a reader, labels coded, a head kept for automatic
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
    bool errors;                           /* t is known, and e is learned */
    bool offsets;                          /* groups of rows have offsets ... */
    double offset;                         /* ... whose variance over that of the field has this logarithm */
    size_t instruments;                    /* 0 means 1 */
    bool by_output;                        /* the outputs of directed rows count as instruments */
    double factor;                         /* factor applied to the weights: see orffi_rows_weigh */
    double logit;                          /* log(e/(1-e)) */
    double ratios[ORFFI_MOST_INSTRUMENTS]; /* log r; 0 for the first */
    /* Mean variance of measurements over that of a row of weight 1: for each output if by_output,
     * otherwise the first for all. */
    double typical[ORFFI_MOST_INSTRUMENTS];
} orffi_quality;

/* Start of the search for the variance of offsets: a tenth of the field's variance. */
#define ORFFI_FIRST_OFFSET (-2.3)

/* Whether something about the quality is to be learned. */
static inline bool orffi_quality_is_open(const orffi_quality *quality) {
    return quality->errors || quality->offsets || quality->instruments > 1;
}

/* x' = (x - shift)/unit, y' = y/spread. */
typedef struct orffi_units {
    double *shift, *unit; /* d */
    double *spread;       /* p */
} orffi_units;

/* Converts the rows of a table to these units. A measurement along e is divided by s = |e o spread| / |e|
 * and becomes one along e o spread / s. Returns the sum of log s over directed rows, otherwise 0. */
double orffi_units_apply(const orffi_units *units, orffi_table *table);

/* Codes, numbers that are learned in place of the labels of T classes. All zeros: no classes. */
typedef struct orffi_codes {
    size_t classes, length;
    double *codes; /* classes x length */
} orffi_codes;

/* Where the rows come from. For arrays the head is a sample, and the rows can be read again. For a stream the
 * head is its first rows, which are handed out again before the rest. */
typedef struct orffi_rows {
    orff_reader source;
    size_t d, p; /* p: outputs that the model learns, T-1 for classes */
    size_t classes;
    const double *codes; /* T x p, or NULL */
    bool stream;
    orffi_table head;
    size_t head_given; /* rows of a stream's head already handed out again */
    bool ended;        /* the stream has no rows beyond its head */
    double *labels;    /* scratch for one block of labels */
    size_t labels_room;
    const orffi_units *units;     /* NULL: do not transform */
    orffi_checkpoint *checkpoint; /* where progress is saved, or NULL; not owned */
    /* arrays */
    size_t n, next;
    const double *X, *Y, *weights;
    const double *along;        /* for directed rows, see engine/table.h: n x p, Y is n; or NULL */
    double N;                   /* for directed rows: the N of N lambda */
    const double *known;        /* n, or NULL: see engine/table.h */
    const uint32_t *instrument; /* n, or NULL */
    size_t instruments;
    bool by_output; /* the outputs of directed rows count as instruments */
    uint32_t *set;  /* n: number of the group whose offset a row has (ORFFI_NO_SET: none), or NULL */
    size_t sets;
    uint64_t *set_labels; /* sets: the labels of these groups */

    double *quality; /* n: weights computed from the quality and the plan, or NULL */
    /* Functionals given with directed rows: see functionals_fit.h; not owned; or NULL. */
    const struct orffi_functionals *functionals;
    size_t measured; /* measurements from which directed rows were made */
    /* The last so many directed rows are walls, no measurements: no choice depends on them. */
    size_t walls;
    bool apart;                 /* directed rows are single outputs: each direction is an axis */
    double log_spread;          /* for directed rows: see orffi_units_apply */
    orffi_table whole;          /* transformed directed rows, which a reader cannot hand out */
    orff_status trouble_status; /* the error in a row: a reader itself can only return a code */
    char trouble[256];
} orffi_rows;

/* p as the user counts outputs: 1 for classes. */
orff_status orffi_rows_from_arrays(orffi_rows *rows, size_t d, size_t p, const orffi_codes *codes, size_t n,
                                   const double *X, const double *Y, const double *weights, size_t head);
orff_status orffi_rows_from_reader(orffi_rows *rows, size_t d, size_t p, const orffi_codes *codes,
                                   const orff_reader *reader, size_t head);
/* Call this after the rows are set and before they are used. known: squared errors of the rows (n, mean 1;
 * or NULL); their instruments (n, below `instruments`; or NULL). */
orff_status orffi_rows_qualify(orffi_rows *rows, const double *known, const uint32_t *instrument,
                               size_t instruments);

/* Directed rows: along is n x p, Y n, weights n. N: the N of N lambda; the last `walls` rows are walls. */
orff_status orffi_rows_from_directed(orffi_rows *rows, size_t d, size_t p, size_t n, const double *X,
                                     const double *Y, const double *weights, const double *along, double N,
                                     size_t walls, size_t head);
void orffi_rows_clear(orffi_rows *rows);

/* Rows of the same group (n) share an offset: see trend.h. Call this after qualities are set and before
 * the rows are used. */
orff_status orffi_rows_set_groups(orffi_rows *rows, const uint64_t *groups);

/* Replaces the weights of rows by weights of this quality, with the same sum. quality->factor is what the
 * noise variance of a row of weight 1 grows by. */
orff_status orffi_rows_weigh(orffi_rows *rows, orffi_quality *quality);

/* The coded, transformed rows, from the first on, for an engine. */
orff_status orffi_rows_source(orffi_rows *rows, orffi_source *source);

/* The number of row i of the head among all rows, from 0. */
size_t orffi_rows_place(const orffi_rows *rows, size_t i);

/* The number of rows if all are in memory; 0 for a longer stream. */
size_t orffi_rows_known(const orffi_rows *rows);

/* The status of reading through the source; if a row was wrong, the error of that row. */
orff_status orffi_rows_outcome(const orffi_rows *rows, orff_status status);

#endif
