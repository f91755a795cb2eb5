/* Amplitudes of groups of rows: one variance for all, or one for each.
 *
 * Mountains vary more than plains. A kernel with one amplitude everywhere takes the roughness of the
 * mountains for noise and misses the shape of the plains. So each group may draw its own variance: v_g = v /
 * u, with u gamma distributed with mean 1 and shape nu/2. Integrating u out leaves a Student distribution for
 * each group:
 *
 *     log p = sum_g [ ln G((nu + P_g)/2) - ln G(nu/2) - P_g/2 ln(pi nu v) - (nu + P_g)/2 ln(1 + Q_g/(nu v)) ]
 *
 * with Q_g = y^T C_g^-1 y, minus half the sum of log det C_g. One variance for all groups is the limit of
 * infinite nu. v and nu maximise the evidence, and nu is used only if it gains more than the price of one
 * unknown (Schwarz). */
#ifndef ORFFI_EXACT_AMPLITUDES_H
#define ORFFI_EXACT_AMPLITUDES_H

#include <stdbool.h>
#include <stddef.h>

/* One group with its P and Q. level: all its rows have the same value. Student's density would then grow
 * without bound as length scales grow, so such a group keeps the variance v. */
typedef struct orffi_amplitude {
    double P, Q;
    bool level;
    double v; /* out: the derivative of log p by Q is -1/(2 v) */
} orffi_amplitude;

/* log p without the log det terms; also sets v of each group. price: what nu must gain; INFINITY: one
 * variance for all. */
double orffi_amplitudes_judge(size_t groups, orffi_amplitude *list, double price);

#endif
