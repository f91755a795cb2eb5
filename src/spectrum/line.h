/* k0 and what is derived from it where every input is on the line: what those of spectrum.h are without periods, and what
 * they sum over images with them. */
#ifndef ORFFI_SPECTRUM_LINE_H
#define ORFFI_SPECTRUM_LINE_H

#include "spectrum/spectrum.h"

double orffi_line_k0(const orffi_spectrum *s, const double *delta);
void orffi_line_curl(const orffi_spectrum *s, const double *delta, double *K);
void orffi_line_gradient(const orffi_spectrum *s, const double *delta, double *gradient);
void orffi_line_curl_gradient(const orffi_spectrum *s, const double *delta, double *T, double *work);
void orffi_line_k0_scales(const orffi_spectrum *s, const double *delta, double *k0, double *slopes);
void orffi_line_curl_scales(const orffi_spectrum *s, const double *delta, double *K, double *along,
                            double *slopes);

#endif
