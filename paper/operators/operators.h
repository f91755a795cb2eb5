/* What the two files of this item share: a kernel with its features, points and coefficients. */
#ifndef PAPER_OPERATORS_H
#define PAPER_OPERATORS_H

#include "paper.h"

typedef struct operators_setup {
    size_t D, p, n, M;
    orff_kernel *kernel;
    orff_features *features;
    double *X, *Y, *theta, *out; /* n x p, n x p, M, M */
} operators_setup;

/* d = p; the decomposable kernel has a matrix A of full rank. */
operators_setup operators_setup_create(orff_rule rule, size_t D, size_t p, size_t n);
void operators_setup_free(operators_setup *s);

/* "apply", "adjoint", "normal": P_x, P_x^*, P_x^* P_x; and call it: Y, out and out are written. */
extern const char *const operators_names[3];
extern const orff_rule operators_rules[3];
void operators_call(const operators_setup *s, size_t which);

/* Fills formulas.csv. */
void operators_check_formulas(paper_table *table, bool quick);

#endif
