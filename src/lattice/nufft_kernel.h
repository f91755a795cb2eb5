/* The kernel of the nonuniform transforms, psi(x) = exp(beta (sqrt(1 - x^2) - 1)) on [-1, 1], stretched over
 * `width` nodes.
 *
 * A point at the fraction (1 + tau) / 2 of a cell, tau in [-1, 1), contributes to node j = 0 .. width-1
 *
 *   psi_j(tau) = psi((2 j + 1 - width - tau) / width)
 *
 * evaluated as a polynomial in tau, one for each node. */
#ifndef ORFFI_LATTICE_NUFFT_KERNEL_H
#define ORFFI_LATTICE_NUFFT_KERNEL_H

#include "base/status.h"

enum {
    ORFFI_NUFFT_LEAST_WIDTH = 3,
    ORFFI_NUFFT_MOST_WIDTH = 13,
    ORFFI_NUFFT_LANES = 16 /* room for the nodes of a row, in whole vectors of any processor */
};

/* The degree at which the polynomials are as accurate as the kernel itself, whose error is the jump of psi at
 * its ends, exp(-beta). */
#define ORFFI_NUFFT_DEGREE(width) ((width) + ((width) < 8))

/* Nodes needed for a relative error of about `tolerance`. */
int orffi_nufft_width(double tolerance);

/* Coefficients, highest power first: (degree + 1) x ORFFI_NUFFT_LANES, 0 beyond the width. */
void orffi_nufft_polynomials(int width, double *coefficients);

/* deconvolution[k] = 1 / sum over t of psi(2 t / width) exp(-2 pi i k t / n) dt, k = 0 .. K, on a grid of n
 * nodes. */
void orffi_nufft_deconvolution(int width, size_t n, size_t K, double *deconvolution);

#endif
