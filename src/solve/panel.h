/* phi of a panel of rows, in double or in single, and the two products with it that every operator is made
 * of. */
#ifndef ORFFI_SOLVE_PANEL_H
#define ORFFI_SOLVE_PANEL_H

#include "features/features.h"

typedef struct orffi_panel {
    const orff_features *f;
    bool single;
    size_t room;           /* rows of phi kept at once */
    size_t block;          /* rows handled at a time */
    double *phi, *scratch; /* room x 2D */
    float *phi_single, *scratch_single, *X_single, *V_single, *F_single, *U_single;
    double *V, *sum; /* B theta, and the products phi^T Y summed   (2D x p) */
} orffi_panel;

/* Memory for `room` rows of phi, handled at most `block` <= room at a time. End it with orffi_panel_clear,
 * also when this fails. */
orff_status orffi_panel_fill(orffi_panel *panel, const orff_features *f, size_t room, size_t block,
                             bool single);
void orffi_panel_clear(orffi_panel *panel);

/* phi of n <= block rows of X (n x d) into rows at, at + 1, ... of the panel. */
void orffi_panel_phi(orffi_panel *panel, size_t at, size_t n, const double *X);

void orffi_panel_load(orffi_panel *panel, const double *theta);                      /* V = B theta */
void orffi_panel_forward(orffi_panel *panel, size_t at, size_t n, double *F);        /* F = phi V */
void orffi_panel_backward(orffi_panel *panel, size_t at, size_t n, const double *Y); /* sum += phi^T Y */
void orffi_panel_unload(orffi_panel *panel, double *theta); /* theta = B^T sum; sum = 0 */

#endif
