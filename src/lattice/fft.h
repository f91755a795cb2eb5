/* Fourier transforms of real fields on regular grids in 1 to 3 dimensions.
 *
 *   forward    modes[k]  = sum_j fields[j] exp(-2 pi i sum_a k_a j_a / n_a)
 *   backward   fields[j] = sum_k modes[k]  exp(+2 pi i sum_a k_a j_a / n_a)      over the full set of modes
 *
 * A field is n[0] x .. x n[d-1], row-major. Its modes are n[0] x .. x (n[d-1] / 2 + 1); the others are
 * conjugate to these. Neither direction is normalised: backward after forward multiplies by n[0] .. n[d-1].
 *
 * FFTW transforms the lines of one dimension after the other, and our threads share the lines. Plans are kept
 * for the next call of the same shape, and chosen by estimate, never by measuring, so the same call gives the
 * same bits in every run and for any number of threads. Everything here may be called from several threads,
 * and in a child of fork. */
#ifndef ORFFI_LATTICE_FFT_H
#define ORFFI_LATTICE_FFT_H

#include <complex.h>

#include "base/status.h"

/* Whether transforms are built in (ORFF_FFT=fftw); and ORFF_ERROR_UNSUPPORTED, with a message that says what
 * to do, if they are not. */
bool orffi_fft_available(void);
orff_status orffi_fft_require(void);

/* The least even 2^a 3^b 5^c 7^e >= least: sizes with fast transforms. SIZE_MAX - 1, too large for any
 * machine, if there is none. */
size_t orffi_fft_size(size_t least);

/* `count` fields, one after the other, into their modes, one after the other; leaves the fields unchanged. */
orff_status orffi_fft_forward(size_t d, const size_t *n, size_t count, double *fields, double complex *modes);
orff_status orffi_fft_forward_single(size_t d, const size_t *n, size_t count, float *fields,
                                     float complex *modes);

/* The backward transform. Destroys the modes. */
orff_status orffi_fft_backward(size_t d, const size_t *n, size_t count, double complex *modes,
                               double *fields);
orff_status orffi_fft_backward_single(size_t d, const size_t *n, size_t count, float complex *modes,
                                      float *fields);

#endif
