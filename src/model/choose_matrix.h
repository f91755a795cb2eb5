/* Output matrices by the evidence of some of the rows: what choose_matrix.c and choose_matrices.c share. */
#ifndef ORFFI_MODEL_CHOOSE_MATRIX_H
#define ORFFI_MODEL_CHOOSE_MATRIX_H

#include "model/choice.h"

/* Whether all outputs have the same noise, so that their units must stay as they are. */
bool orffi_matrix_common_noise(const orffi_plan *plan);

/* The noise variance of a row relative to a row of quality 1. outputs: include the ratios between outputs
 * of directed rows. */
double orffi_matrix_unit(const orffi_plan *plan, const orffi_table *table, size_t i, bool outputs);

/* For one part, from complete rows in groups. A is p x p, s is p. */
orff_status orffi_matrix_learn(const orffi_plan *plan, const orffi_sample *sample, double *A, double *s);

/* For one part, from the numbers of an eigenbasis (exact/coregion.h); outputs that do not vary are left
 * out. */
struct orffi_coregion_data;
orff_status orffi_matrix_of_eigen(const orff_part *part, size_t p, size_t m, const double *e, const double *z,
                                  double zeros, const double *rest, bool common, double *A, double *s);

/* Write matrices, weights, units of the outputs and noise into the plan. */
orff_status orffi_matrices_apply(orffi_plan *plan, const double *A, const double *s);

#endif
