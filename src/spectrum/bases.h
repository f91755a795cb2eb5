/* The bases, one file each; spectrum.c has the table. */
#ifndef ORFFI_SPECTRUM_BASES_H
#define ORFFI_SPECTRUM_BASES_H

#include "spectrum/spectrum.h"

#define ORFFI_PI 3.14159265358979323846

extern const orffi_base_ops orffi_base_gaussian;
extern const orffi_base_ops orffi_base_laplace;
extern const orffi_base_ops orffi_base_matern;
extern const orffi_base_ops orffi_base_rational_quadratic;
extern const orffi_base_ops orffi_base_cauchy_product;

#endif
