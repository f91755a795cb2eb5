/* Amplitudes of groups of rows: one variance for all, or one for each.
 *
 * Mountains vary more than plains. A kernel with the same amplitude everywhere then calls the noise what is the roughness of
 * the one, and is blind to the shape of the other. So the variance of a group may be drawn: v_g = v / u, u gamma distributed
 * with mean 1 and shape nu/2. It is integrated out, which leaves Student's distribution of each group:
 *
 *     log p = sum_g [ ln G((nu + P_g)/2) - ln G(nu/2) - P_g/2 ln(pi nu v) - (nu + P_g)/2 ln(1 + Q_g/(nu v)) ]
 *
 * with Q_g = y^T C_g^-1 y, less half of the log det's of C_g. nu without bound is one variance for all. v and nu are those of
 * the most evidence, and nu has to be worth what an unknown costs (Schwarz). */
#ifndef ORFFI_EXACT_AMPLITUDES_H
#define ORFFI_EXACT_AMPLITUDES_H

#include <stdbool.h>
#include <stddef.h>

/* One group: its numbers P and Q. level: its rows are all alike, so that Student's density would grow without bound for ever
 * longer length scales; such a group has the variance v. */
typedef struct orffi_amplitude {
    double P, Q;
    bool level;
    double v; /* out: log p moves by -Q/(2 v) with Q */
} orffi_amplitude;

/* log p, but for the log det's, and the v of each. price: of nu; INFINITY: one variance for all. */
double orffi_amplitudes_judge(size_t groups, orffi_amplitude *list, double price);

#endif
