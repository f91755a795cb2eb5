/* Nonuniform Fourier transforms of real strengths and real fields in 1 to 3 dimensions.
 *
 *   type 1    F_r(k) = sum_n c_nr exp(-i <k, z_n>)    |k_i| <= K_i, r < count     points to modes
 *   type 2    f_r(z) = sum_k v_r(k) exp(+i <k, z>)     v(-k) = conj v(k)          modes to points
 *
 * The kernel exp(beta (sqrt(1 - x^2) - 1)) spreads each point over `width` nodes of a grid twice as fine as
 * the modes need, in each dimension; a Fourier transform and a division by the kernel's own transform give
 * the modes (Barnett, Magland and af Klinteberg 2019). Type 2 is the transpose. The l2 error relative to that
 * of the result is about the tolerance.
 *
 * Points are sorted into tiles of the grid, block by block, so memory does not grow with n. Every sum has one
 * fixed order, so results have the same bits for any number of threads. All right-hand sides share one sweep
 * over the points.
 *
 * Modes are stored as a half space: (2 kept[0] + 1) x .. x (kept[d-1] + 1), row-major, the first dimensions
 * from -kept to kept, the last from 0 to kept. Where the last index is 0, both k and -k are stored; type 2
 * uses the mean of v(k) and conj v(-k). */
#ifndef ORFFI_LATTICE_NUFFT_H
#define ORFFI_LATTICE_NUFFT_H

#include <complex.h>

#include "base/status.h"

typedef struct orffi_nufft orffi_nufft;
typedef struct orffi_nufft_single orffi_nufft_single;

/* Modes |k_i| <= K[i], i < d; tolerance from 1e-12 (single precision: 1e-6) to 1e-1. */
orff_status orffi_nufft_create(orffi_nufft **out, size_t d, const size_t *K, size_t count, double tolerance);
orff_status orffi_nufft_create_single(orffi_nufft_single **out, size_t d, const size_t *K, size_t count,
                                      double tolerance);
void orffi_nufft_free(orffi_nufft *plan);
void orffi_nufft_free_single(orffi_nufft_single *plan);

/* Type 1, in any number of calls. z is n x d in radians, any finite numbers; c is n x count. A call that
 * fails leaves the sums unchanged. */
orff_status orffi_nufft_spread(orffi_nufft *plan, size_t n, const double *z, const double *c);
orff_status orffi_nufft_spread_single(orffi_nufft_single *plan, size_t n, const float *z, const float *c);

/* The sums so far, |k_i| <= kept[i] <= K[i], for right-hand side r. Spreading may continue afterwards. */
orff_status orffi_nufft_modes(orffi_nufft *plan, size_t r, const size_t *kept, double complex *modes);
orff_status orffi_nufft_modes_single(orffi_nufft_single *plan, size_t r, const size_t *kept,
                                     float complex *modes);

/* Resets all sums to 0. */
void orffi_nufft_reset(orffi_nufft *plan);
void orffi_nufft_reset_single(orffi_nufft_single *plan);

/* Type 2: load the modes of right-hand side r (0 until then), then evaluate f (n x count) at the points z.
 * Evaluating does not change the plan: several threads may do it at once. Spreading and loading are
 * independent of each other. */
orff_status orffi_nufft_load(orffi_nufft *plan, size_t r, const size_t *kept, const double complex *modes);
orff_status orffi_nufft_load_single(orffi_nufft_single *plan, size_t r, const size_t *kept,
                                    const float complex *modes);
orff_status orffi_nufft_evaluate(const orffi_nufft *plan, size_t n, const double *z, double *f);
orff_status orffi_nufft_evaluate_single(const orffi_nufft_single *plan, size_t n, const float *z, float *f);

#endif
