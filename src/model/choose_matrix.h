/* Output matrices by the evidence of some of the rows: what choose_matrix.c and choose_matrices.c share. */
#ifndef ORFFI_MODEL_CHOOSE_MATRIX_H
#define ORFFI_MODEL_CHOOSE_MATRIX_H

#include "model/choice.h"

/* Whether all outputs have one noise: their units are not to be touched. */
bool orffi_matrix_common_noise(const orffi_plan *plan);

/* The variance of the noise of a row relative to that of one of quality 1. outputs: those of directed rows have ratios too. */
double orffi_matrix_unit(const orffi_plan *plan, const orffi_table *table, size_t i, bool outputs);

/* Of one part, from whole rows in groups. A is p x p, s: p. */
orff_status orffi_matrix_learn(const orffi_plan *plan, const orffi_sample *sample, double *A, double *s);

/* Of one part from the numbers of an eigenbasis (exact/coregion.h), with outputs that do not vary left out. */
struct orffi_coregion_data;
orff_status orffi_matrix_of_eigen(const orff_part *part, size_t p, size_t m, const double *e, const double *z,
                                  double zeros, const double *rest, bool common, double *A, double *s);

/* What was found becomes the plan's: matrices, weights, units of the outputs, noise. */
orff_status orffi_matrices_apply(orffi_plan *plan, const double *A, const double *s);

#endif
