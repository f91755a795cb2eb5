/* k0 and its derivatives without periods: they are those of spectrum.h if no input is periodic, and otherwise
 * the terms of the sums over images. */
#ifndef ORFFI_SPECTRUM_LINE_H
#define ORFFI_SPECTRUM_LINE_H

#include "spectrum/spectrum.h"

/* k0 without the waves of a centre, and the waves alone (spectrum/centre.c): 1 if there is no centre. */
double orffi_line_envelope(const orffi_spectrum *s, const double *delta);
double orffi_centre_wave(const orffi_spectrum *s, const double *delta);

/* Turns the gradient of the envelope into that of k0, in place; does nothing without a centre. */
void orffi_centre_gradient(const orffi_spectrum *s, const double *delta, double *gradient);

/* E|w|^(2k) for a law with a centre. */
double orffi_centre_moment(int k, const double a[4], double c, double b, double e);

double orffi_line_k0(const orffi_spectrum *s, const double *delta);
void orffi_line_curl(const orffi_spectrum *s, const double *delta, double *K);
void orffi_line_gradient(const orffi_spectrum *s, const double *delta, double *gradient);
void orffi_line_curl_gradient(const orffi_spectrum *s, const double *delta, double *T, double *work);
void orffi_line_k0_scales(const orffi_spectrum *s, const double *delta, double *k0, double *slopes);
void orffi_line_curl_scales(const orffi_spectrum *s, const double *delta, double *K, double *along,
                            double *slopes);

#endif
