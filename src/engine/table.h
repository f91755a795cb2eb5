/* Rows in memory. */
#ifndef ORFFI_ENGINE_TABLE_H
#define ORFFI_ENGINE_TABLE_H

#include "exact/directed.h"

typedef struct orffi_table {
    size_t n, d, p;
    double *X, *Y, *weights; /* n x d, n x p, n or NULL */
    /* Of directed rows, else NULL: n x p. Y is then n x 1, and says what f has along this: y = <along, f(x)>. */
    double *along;
    size_t *
        points; /* of directed rows that may be sums over points, else NULL: see exact/directed.h. Engines alone see them */
    size_t functionals; /* the last so many directed rows, behind walls, tell nothing of the noise */
    double *known;      /* n: what is known of the variance of a row's error, over its mean; or NULL */
    uint32_t
        *set; /* n: whose offset a row has (ORFFI_NO_SET: none), or NULL: there are none. For choices alone */
    uint32_t *instrument; /* n: whose noise a row has; or NULL: they are alike */
    size_t walls; /* the last so many directed rows are no measurements, each of weight ORFFI_WALL_WEIGHT */
    double
        N; /* of directed rows: the number, or weight, of the measurements they are parts of; lambda goes with it */
} orffi_table;

/* A wall is known three times as well as what is measured. Its points are as dense as the rows, so that together they hold
 * the flow to it; the place and the course of a coast are not known so well that more would be true. */
#define ORFFI_WALL_WEIGHT 10.0

/* Whether row i counts at all. */
static inline bool orffi_has_weight(const orffi_table *table, size_t i) {
    return !table->weights || table->weights[i] > 0.0;
}

/* What the noise of directed rows is told by: their weights, a wall counting as one. */
static inline double orffi_table_observed(double weights, size_t walls) {
    return weights - (ORFFI_WALL_WEIGHT - 1.0) * (double)walls;
}

/* Directed rows, as they are between kernels. */
static inline orffi_directed orffi_table_directed(const orffi_table *table) {
    return (orffi_directed){table->n, table->points, table->X, table->along};
}

/* Numbers of y in a row. */
static inline size_t orffi_table_width(const orffi_table *table) {
    return table->along ? 1 : table->p;
}

orff_status orffi_table_init(orffi_table *table, size_t n, size_t d, size_t p, bool weighted);
orff_status orffi_table_init_directed(orffi_table *table, size_t n, size_t d, size_t p);
/* As many rows as n, with what `like` has. */
orff_status orffi_table_init_like(orffi_table *table, size_t n, const orffi_table *like);
/* Row `from` of another table of the same kind. */
void orffi_table_copy_row(orffi_table *table, size_t to, const orffi_table *other, size_t from);

void orffi_table_clear(orffi_table *table);

/* All rows that a reader has; `expected` of them, or about so many. */
orff_status orffi_table_gather(orffi_table *table, const orff_reader *reader, size_t expected, size_t d,
                               size_t p);

/* The shortest mean (p) that fits directed rows best: the weighted mean where they are whole measurements. */
orff_status orffi_table_mean(const orffi_table *table, double *mean);
void orffi_table_subtract(orffi_table *table, const double *mean);

/* The sum of the weights; the number of rows without any. What lambda goes with: of directed rows their N. */
double orffi_table_weight(const orffi_table *table);

#endif
