/* The weights of a sum's parts and lambda, from some rows, by the evidence of the exact kernel:
 *
 *     log p(y) = -1/2 [ y^T C^-1 y + log det C + P log 2 pi ],   C = sum_m v_m K_m + s2 I     (P x P, P = n p)
 *
 * For few rows this is cheaper than features, and free of their error. If every part is k_m I, the outputs
 * are independent draws of one scalar process, and P = n. */
#ifndef ORFFI_EXACT_MIXTURE_H
#define ORFFI_EXACT_MIXTURE_H

#include "kernel/kernel.h"

/* P */
size_t orffi_exact_mixture_side(const orff_kernel *kernel, size_t n);

/* Arguments as orff_mixture_learn; needs memory for (parts + 2) P^2 numbers. */
orff_status orffi_exact_mixture_learn(const orff_kernel *kernel, size_t n, const double *X, const double *Y,
                                      bool center, double drop, double *weights, double *lambda,
                                      double *shares);

#endif
