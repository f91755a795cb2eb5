/* The normal law. The quantile is three rational functions of degree 7/7 fitted to 60-digit values for the
 * least maximum relative error: below 1e-16 before rounding. */
#include <math.h>

#include "base/special.h"

enum { TERMS = 8 };

typedef struct rational {
    double top[TERMS], bottom[TERMS]; /* lowest power first */
} rational;

/* z/q for u = 1/2 + q, |q| <= 0.425, in s = 0.425^2 - q^2. */
static const rational centre = {
    {3.3871328727963665, 133.14030222380038, 1971.54632390969, 13731.176723500803, 45919.387419629726,
     67260.53205587718, 33427.09868230959, 2508.7438334627805},
    {1, 42.312927508683686, 687.1726205216484, 5394.009029631618, 21212.70798436841, 39305.103665303286,
     28726.372039425798, 5225.860334179923}};

/* -z for u = exp(-r^2): up to r = 5 in r - 1.6, then, to the smallest double, in r - 5. */
static const rational near_tail = {
    {1.4234371107496837, 4.63370670780024, 5.779846453360146, 3.6593783556167767, 1.2763907717132121,
     0.24323435052331996, 0.022877966787861265, 0.0007796627501383186},
    {1, 2.0555583357942506, 1.680815997104823, 0.6927558575239088, 0.14897653893143314, 0.015301892260678284,
     0.000551212318997736, 1.0510718978587271e-09}};
static const rational far_tail = {
    {6.657904643501104, 5.4611499396598315, 1.7828496757912895, 0.2959866338488522, 0.026450988607382663,
     0.0012369041441953525, 2.6929199815157725e-05, 1.9900975646174166e-07},
    {1, 0.5994364406737719, 0.1367203517514293, 0.014834907826215634, 0.0007834169166816716,
     1.8338559304388187e-05, 1.4072023484114528e-07, 1.9870347460403717e-15}};

static double ratio(const rational *f, double t) {
    double top = f->top[TERMS - 1], bottom = f->bottom[TERMS - 1];
    for (int k = TERMS - 2; k >= 0; k--) {
        top = top * t + f->top[k];
        bottom = bottom * t + f->bottom[k];
    }
    return top / bottom;
}

double orffi_normal_quantile(double u) {
    const double q = u - 0.5;
    if (fabs(q) <= 0.425) return q * ratio(&centre, 0.180625 - q * q);
    const double tail = q < 0 ? u : 1 - u;
    if (!(tail > 0)) return tail == 0 ? copysign(INFINITY, q) : NAN;
    const double r = sqrt(-log(tail));
    const double z = r <= 5 ? ratio(&near_tail, r - 1.6) : ratio(&far_tail, r - 5);
    return q < 0 ? -z : z;
}

/* erfc(h)/2 at h = -x/sqrt(2). In the lower tail erfc magnifies the rounding error e of h by 2 h^2, so it is
 * corrected to first order: erfc(h + e) = erfc(h) - 2/sqrt(pi) exp(-h^2) e. */
double orffi_normal_cdf(double x) {
    const double root_half = 0.7071067811865476, root_half_rest = -4.833646656726457e-17;
    const double h = -x * root_half;
    if (!(h > 1) || isinf(h)) return 0.5 * erfc(h);
    const double e = fma(-x, root_half, -h) - x * root_half_rest;
    return 0.5 * (erfc(h) - 1.1283791670955126 * exp(-h * h) * e);
}
