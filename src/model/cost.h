/* What the files that estimate costs share. */
#ifndef ORFFI_MODEL_COST_H
#define ORFFI_MODEL_COST_H

#include "model/plan.h"

#define ORFFI_COST_ALWAYS 30e6 /* bytes of the process itself */

double orffi_cost_now(void); /* seconds */

/* Rows as a fit might meet them: X (n x d) evenly in a cube of this side about the middle of 0 to 1, Y (n x p) waves of a third and
 * of a tenth of that range, with noise. One allocation, whose address is X. */
orff_status orffi_cost_rows(size_t n, size_t d, size_t p, double side, double **X, double **Y);

/* The settings that a trial fit has: no messages, places, groups or classes. */
orff_settings orffi_cost_settings(const orff_settings *asked, orff_engine engine);

/* Seconds for a fit of n such rows. */
orff_status orffi_cost_time_fit(const orff_settings *settings, size_t d, size_t p, size_t n, double *seconds);

/* Seconds and bytes of a fit of n rows on a lattice. */
orff_status orffi_cost_lattice(const orff_settings *settings, size_t d, size_t p, size_t n, orff_cost *cost);

#endif
