/* phi of a panel of rows, in double or in single, and the two products with it that every operator is made
 * of. */
#ifndef ORFF_SOLVE_PANEL_H
#define ORFF_SOLVE_PANEL_H

#include "features/features.h"

typedef struct orff_panel {
    const orff_features *f;
    bool single;
    size_t room;           /* rows of phi kept at once */
    size_t block;          /* rows handled at a time */
    double *phi, *scratch; /* room x 2D */
    float *phi_single, *scratch_single, *X_single, *V_single, *F_single, *U_single;
    double *V, *sum; /* B theta, and the products phi^T Y summed   (2D x p) */
} orff_panel;

/* Memory for `room` rows of phi, handled at most `block` <= room at a time. End it with orff_panel_clear,
 * also when this fails. */
orff_status orff_panel_fill(orff_panel *panel, const orff_features *f, size_t room, size_t block,
                            bool single);
void orff_panel_clear(orff_panel *panel);

/* phi of n <= block rows of X (n x d) into rows at, at + 1, ... of the panel. */
void orff_panel_phi(orff_panel *panel, size_t at, size_t n, const double *X);

void orff_panel_load(orff_panel *panel, const double *theta);                      /* V = B theta */
void orff_panel_forward(orff_panel *panel, size_t at, size_t n, double *F);        /* F = phi V */
void orff_panel_backward(orff_panel *panel, size_t at, size_t n, const double *Y); /* sum += phi^T Y */
void orff_panel_unload(orff_panel *panel, double *theta); /* theta = B^T sum; sum = 0 */

#endif
