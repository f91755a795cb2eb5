/* Special functions missing from the C library, to nearly full double precision. */
#ifndef ORFFI_BASE_SPECIAL_H
#define ORFFI_BASE_SPECIAL_H

double orffi_normal_cdf(double x);
double orffi_normal_quantile(double u); /* u in (0,1); -inf at 0, inf at 1, NaN outside */

/* Regularised incomplete gamma functions P(a,x) and Q(a,x) = 1 - P, a > 0, x >= 0. */
double orffi_gamma_p(double a, double x);
double orffi_gamma_q(double a, double x);

/* x with P(a,x) = u: the quantile of Gamma(shape a, rate 1). Relative error about 1e-13. */
double orffi_gamma_quantile(double a, double u);

/* Chi law with dof degrees of freedom (dof > 0, not necessarily an integer). */
double orffi_chi_cdf(double dof, double x);
double orffi_chi_quantile(double dof, double u);

/* log Gamma(a), a > 0; unlike the C library's, it writes no global. */
double orffi_log_gamma(double a);

/* log Gamma(a) - [(a - 1/2) log a - a + log(2 pi)/2] for a >= 10, by Stirling's series. */
double orffi_stirling_rest(double a);

/* exp(x) x^nu K_nu(x) 2^(1-nu)/Gamma(nu) for nu > 0, x >= 0: the Matern function, times exp(x) so that it
 * neither overflows at 0 (where it is 1) nor underflows far out. */
double orffi_matern_scaled(double nu, double x);

/* exp(x) K_nu(x), any real nu, x > 0. */
double orffi_bessel_k_scaled(double nu, double x);

#endif
