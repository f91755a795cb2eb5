/* Rows in memory. */
#ifndef ORFFI_ENGINE_TABLE_H
#define ORFFI_ENGINE_TABLE_H

#include "exact/directed.h"

typedef struct orffi_table {
    size_t n, d, p;
    double *X, *Y, *weights; /* n x d, n x p, n or NULL */
    /* For directed rows n x p, otherwise NULL. Y is then n x 1 and measures f along a direction:
     * y = <along, f(x)>. */
    double *along;
    /* For directed rows that may be sums over points, otherwise NULL: see exact/directed.h; only used by
     * engines. */
    size_t *points;
    /* The last so many directed rows, after walls: they carry no information about the noise. */
    size_t functionals;
    double *known; /* n: known variance of a row's error, relative to its mean over the rows; or NULL */
    /* n: number of the group whose offset a row has (ORFFI_NO_SET: none), or NULL; only used for choices. */
    uint32_t *set;
    uint32_t *instrument; /* n: number of the instrument whose noise a row has; or NULL: all alike */
    /* The last so many directed rows are walls, not measurements, each of weight ORFFI_WALL_WEIGHT. */
    size_t walls;
    /* For directed rows: the number, or weight, of the measurements that they come from; the N of N
     * lambda. */
    double N;
} orffi_table;

/* A wall is three times as accurate as a measurement. Wall points are as dense as the rows, so that
 * together they hold the flow to the wall; place and course of a coast are not known well enough to
 * justify more. */
#define ORFFI_WALL_WEIGHT 10.0

/* Whether row i has a positive weight. */
static inline bool orffi_has_weight(const orffi_table *table, size_t i) {
    return !table->weights || table->weights[i] > 0.0;
}

/* The total weight that determines the noise of directed rows: each wall counts as one. */
static inline double orffi_table_observed(double weights, size_t walls) {
    return weights - (ORFFI_WALL_WEIGHT - 1.0) * (double)walls;
}

/* Directed rows in the form that kernels use. */
static inline orffi_directed orffi_table_directed(const orffi_table *table) {
    return (orffi_directed){table->n, table->points, table->X, table->along};
}

/* Numbers of y in a row. */
static inline size_t orffi_table_width(const orffi_table *table) {
    return table->along ? 1 : table->p;
}

orff_status orffi_table_init(orffi_table *table, size_t n, size_t d, size_t p, bool weighted);
orff_status orffi_table_init_directed(orffi_table *table, size_t n, size_t d, size_t p);
/* A table of n rows with the same arrays as `like`. */
orff_status orffi_table_init_like(orffi_table *table, size_t n, const orffi_table *like);
/* Copies row `from` of another table of the same kind. */
void orffi_table_copy_row(orffi_table *table, size_t to, const orffi_table *other, size_t from);

void orffi_table_clear(orffi_table *table);

/* Reads all rows of a reader; `expected`: their number, exactly or about. */
orff_status orffi_table_gather(orffi_table *table, const orff_reader *reader, size_t expected, size_t d,
                               size_t p);

/* The shortest mean (p) among those that fit directed rows best; for complete rows the weighted mean. */
orff_status orffi_table_mean(const orffi_table *table, double *mean);
void orffi_table_subtract(orffi_table *table, const double *mean);

/* The sum of the weights, or the number of rows without weights; for directed rows their N. This is the N
 * of N lambda. */
double orffi_table_weight(const orffi_table *table);

#endif
