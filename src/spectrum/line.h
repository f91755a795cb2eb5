/* k0 and what is derived from it where every input is on the line: what those of spectrum.h are without periods, and what
 * they sum over images with them. */
#ifndef ORFFI_SPECTRUM_LINE_H
#define ORFFI_SPECTRUM_LINE_H

#include "spectrum/spectrum.h"

/* k0 without the waves of a centre, and these alone (spectrum/centre.c): 1 where there is none. */
double orffi_line_envelope(const orffi_spectrum *s, const double *delta);
double orffi_centre_wave(const orffi_spectrum *s, const double *delta);

/* From the gradient of the envelope to that of k0, in place; nothing where there is no centre. */
void orffi_centre_gradient(const orffi_spectrum *s, const double *delta, double *gradient);

/* E|w|^(2k) of a law with a centre. */
double orffi_centre_moment(int k, const double a[4], double c, double b, double e);

double orffi_line_k0(const orffi_spectrum *s, const double *delta);
void orffi_line_curl(const orffi_spectrum *s, const double *delta, double *K);
void orffi_line_gradient(const orffi_spectrum *s, const double *delta, double *gradient);
void orffi_line_curl_gradient(const orffi_spectrum *s, const double *delta, double *T, double *work);
void orffi_line_k0_scales(const orffi_spectrum *s, const double *delta, double *k0, double *slopes);
void orffi_line_curl_scales(const orffi_spectrum *s, const double *delta, double *K, double *along,
                            double *slopes);

#endif
