/* phi of a panel of rows, in double or single precision, and the two products with it from which every
 * operator is built. */
#ifndef ORFFI_SOLVE_PANEL_H
#define ORFFI_SOLVE_PANEL_H

#include "features/features.h"

typedef struct orffi_panel {
    const orff_features *f;
    bool single;
    size_t room;           /* rows of phi kept */
    size_t block;          /* rows processed at once */
    double *phi, *scratch; /* room x 2D */
    float *phi_single, *scratch_single, *X_single, *V_single, *F_single, *U_single;
    double *V, *sum; /* B theta, and the sum of products phi^T Y   (2D x p) */
} orffi_panel;

/* Allocates memory for `room` rows of phi, processed at most `block` <= room at once. Call orffi_panel_clear
 * even if this fails. */
orff_status orffi_panel_fill(orffi_panel *panel, const orff_features *f, size_t room, size_t block,
                             bool single);
void orffi_panel_clear(orffi_panel *panel);

/* Writes phi of n <= block rows of X (n x d) to rows at, at + 1, ... of the panel. */
void orffi_panel_phi(orffi_panel *panel, size_t at, size_t n, const double *X);

void orffi_panel_load(orffi_panel *panel, const double *theta);                      /* V = B theta */
void orffi_panel_forward(orffi_panel *panel, size_t at, size_t n, double *F);        /* F = phi V */
void orffi_panel_backward(orffi_panel *panel, size_t at, size_t n, const double *Y); /* sum += phi^T Y */
void orffi_panel_unload(orffi_panel *panel, double *theta); /* theta = B^T sum; sum = 0 */

#endif
