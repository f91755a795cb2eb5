/* Functionals beside the rows of a fit: the rows alone decide all choices, then rows and functionals are
 * fitted together. */
#ifndef ORFFI_MODEL_FUNCTIONALS_FIT_H
#define ORFFI_MODEL_FUNCTIONALS_FIT_H

#include "model/plan.h"

/* In the coordinates and units of the rows. */
typedef struct orffi_functionals {
    size_t n;
    size_t *points;                /* n + 1 */
    double *X, *along;             /* points x d, points x p */
    const double *values, *errors; /* n */
} orffi_functionals;

/* Checks the functionals and copies the x and e of their points into X and along. */
orff_status orffi_functionals_read(orffi_functionals *functionals, const orff_functionals *given, size_t d,
                                   size_t p);
void orffi_functionals_clear(orffi_functionals *functionals);

/* Replaces a model just learned from directed rows by a model of the rows and the functionals. */
orff_status orffi_functionals_join(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                   const orffi_functionals *functionals);

#endif
