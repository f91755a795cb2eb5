/* Functionals beside the rows of a fit: what is chosen is chosen by the rows, then all are fitted together. */
#ifndef ORFFI_MODEL_FUNCTIONALS_FIT_H
#define ORFFI_MODEL_FUNCTIONALS_FIT_H

#include "model/plan.h"

/* In the coordinates and units that rows come in. */
typedef struct orffi_functionals {
    size_t n;
    size_t *points;                /* n + 1 */
    double *X, *along;             /* points x d, points x p */
    const double *values, *errors; /* n */
} orffi_functionals;

/* Checked, with its points apart from each other. */
orff_status orffi_functionals_read(orffi_functionals *functionals, const orff_functionals *given, size_t d,
                                   size_t p);
void orffi_functionals_clear(orffi_functionals *functionals);

/* The model of directed rows, just learned as planned, becomes that of the rows and the functionals. */
orff_status orffi_functionals_join(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                   const orffi_functionals *functionals);

#endif
