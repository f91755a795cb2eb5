/* The bases, one file each; spectrum.c has the table. */
#ifndef ORFF_SPECTRUM_BASES_H
#define ORFF_SPECTRUM_BASES_H

#include "spectrum/spectrum.h"

#define ORFF_PI 3.14159265358979323846

extern const orff_base_ops orff_base_gaussian;
extern const orff_base_ops orff_base_laplace;
extern const orff_base_ops orff_base_matern;
extern const orff_base_ops orff_base_rational_quadratic;
extern const orff_base_ops orff_base_cauchy_product;

#endif
