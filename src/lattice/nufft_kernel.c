#include "lattice/nufft_kernel.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* One node per digit plus one, on a grid twice as fine as the modes need. */
int orffi_nufft_width(double tolerance) {
    const int width = 1 + (int)ceil(-log10(tolerance) - 1e-9);
    return width < ORFFI_NUFFT_LEAST_WIDTH  ? ORFFI_NUFFT_LEAST_WIDTH
           : width > ORFFI_NUFFT_MOST_WIDTH ? ORFFI_NUFFT_MOST_WIDTH
                                            : width;
}

static double beta_of(int width) {
    return width * (width == 3 ? 2.26 : width == 4 ? 2.38 : 2.30);
}

static double psi(double beta, double x) {
    const double square = 1 - x * x;
    return square < 0 ? 0 : exp(beta * (sqrt(square) - 1));
}

/* ---- polynomials: Chebyshev interpolation, converted to powers */

enum { MOST_TERMS = ORFFI_NUFFT_DEGREE(ORFFI_NUFFT_MOST_WIDTH) + 1 };

/* sum_m series[m] T_m(tau) as a polynomial in powers of tau, lowest first. T_m+1 = 2 tau T_m - T_m-1. */
static void powers_of_chebyshev(int terms, const long double *series, long double *power) {
    long double before[MOST_TERMS + 1] = {0}, here[MOST_TERMS + 1] = {1};
    for (int i = 0; i < terms; i++) power[i] = 0;
    for (int m = 0; m < terms; m++) {
        long double next[MOST_TERMS + 1] = {0};
        for (int i = 0; i <= m; i++) power[i] += series[m] * here[i];
        for (int i = 0; i <= m; i++) next[i + 1] = (m ? 2 : 1) * here[i];
        for (int i = 0; i <= m; i++) next[i] -= m ? before[i] : 0;
        for (int i = 0; i <= m + 1; i++) before[i] = here[i], here[i] = next[i];
    }
}

static void chebyshev_of_node(int width, int node, int terms, long double *series) {
    for (int m = 0; m < terms; m++) series[m] = 0;
    for (int i = 0; i < terms; i++) {
        const double angle = PI * (i + 0.5) / terms;
        const double value = psi(beta_of(width), (2 * node + 1 - width - cos(angle)) / width);
        for (int m = 0; m < terms; m++)
            series[m] += (m ? 2 : 1) * value * cosl((long double)angle * m) / terms;
    }
}

void orffi_nufft_polynomials(int width, double *coefficients) {
    const int terms = ORFFI_NUFFT_DEGREE(width) + 1;
    for (int i = 0; i < terms * ORFFI_NUFFT_LANES; i++) coefficients[i] = 0;
    for (int node = 0; node < width; node++) {
        long double series[MOST_TERMS], power[MOST_TERMS];
        chebyshev_of_node(width, node, terms, series);
        powers_of_chebyshev(terms, series, power);
        for (int i = 0; i < terms; i++)
            coefficients[(terms - 1 - i) * ORFFI_NUFFT_LANES + node] = (double)power[i];
    }
}

/* ---- the kernel's transform, by Gauss-Legendre quadrature */

enum { QUADRATURE = 40 };

/* P_n(x) and its derivative. */
static double legendre(int n, double x, double *slope) {
    double before = 1, here = x;
    for (int m = 2; m <= n; m++) {
        const double next = ((2 * m - 1) * x * here - (m - 1) * before) / m;
        before = here;
        here = next;
    }
    *slope = n * (x * here - before) / (x * x - 1);
    return here;
}

static void gauss_legendre(int n, double *node, double *weight) {
    for (int i = 0; i < n; i++) {
        double x = cos(PI * (i + 0.75) / (n + 0.5)), slope;
        for (int step = 0; step < 8; step++) {
            const double value = legendre(n, x, &slope);
            x -= value / slope;
        }
        legendre(n, x, &slope);
        node[i] = x;
        weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* width / 2 times the integral over [-1, 1] of psi(s) cos(pi k width s / n). psi is even, so half of the
 * nodes suffice, counted twice. */
void orffi_nufft_deconvolution(int width, size_t n, size_t K, double *deconvolution) {
    double node[QUADRATURE], weight[QUADRATURE];
    gauss_legendre(QUADRATURE, node, weight);
    for (int i = 0; i < QUADRATURE; i++) {
        node[i] = (1 + node[i]) / 2;
        weight[i] *= 0.5 * width * psi(beta_of(width), node[i]);
    }
    for (size_t k = 0; k <= K; k++) {
        double sum = 0;
        for (int i = 0; i < QUADRATURE; i++)
            sum += weight[i] * cos(PI * (double)k * width * node[i] / (double)n);
        deconvolution[k] = 1 / sum;
    }
}
