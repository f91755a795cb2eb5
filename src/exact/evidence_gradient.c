/* The gradient of an evidence. */
#include "exact/evidence_groups.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"

/* Adds W_ii = w of a row to the derivatives by the unknowns of the noise. */
static void add_noise(orffi_evidence *e, const orffi_evidence_group *g, size_t i, double share, double w) {
    e->noises[g->instrument ? g->instrument[i] : 0] += w * g->noise[i];
    if (!g->known) return;
    const double quality = 1.0 - share + share * g->known[i];
    e->shared += w * g->noise[i] / quality * (g->known[i] - 1.0) * share * (1.0 - share);
}

/* Adds the entries of W in row i where offsets add to C. */
static void add_joined(orffi_evidence *e, const orffi_evidence_group *g, size_t i) {
    const size_t order = orffi_evidence_width(e);
    for (size_t j = 0; j < g->n; j++)
        for (size_t a = 0; orffi_evidence_joins(g, i, j) && a < order; a++)
            e->joined += orffi_evidence_joined(e, g, i, j) * g->C[(i * order + a) * g->P + j * order + a];
}

/* Replaces the factor by W = sum_k t_k t_k^T / v_k - copies C^-1, with v_k of the group. */
static orff_status find_weights(orffi_evidence *e, orffi_evidence_group *g, double share) {
    const size_t P = g->P, c = e->copies;
    ORFFI_TRY(orffi_cholesky_inverse(P, g->C));
    for (size_t i = 0; i < P; i++)
        for (size_t k = 0; k < c; k++) g->t[i * c + k] /= sqrt(g->amplitude[k].v);
    orffi_gemm(false, true, P, P, c, 1.0, g->t, c, g->t, c, -(double)c, g->C, P);
    for (size_t i = 0; i < P; i++) add_noise(e, g, i / orffi_evidence_width(e), share, g->C[i * P + i]);
    for (size_t i = 0; g->set && i < g->n; i++) add_joined(e, g, i);
    return ORFF_OK;
}

/* The derivative of the share of part m by log(weight size) of part j is share_m ([m = j] - share_j). */
static void add_share(const orffi_evidence *e, size_t j, double by, double *gradient) {
    const size_t width = e->scales + 2;
    for (size_t m = 0; m < e->n_parts; m++)
        *gradient +=
            0.5 * by * e->sums[m * width] * e->parts[m].share * ((double)(m == j) - e->parts[j].share);
}

/* The size of a part that is not normalised depends on its length scales: a physical part's falls with the
 * square of that of its space, and images add more. So length scales also change the shares. */
static void add_part(const orffi_evidence *e, size_t m, double *gradient) {
    const size_t width = e->scales + 2;
    const orffi_evidence_part *part = &e->parts[m];
    const double *sums = e->sums + m * width;
    for (size_t i = 0; i < e->scales; i++) gradient[i] += 0.5 * part->share * sums[2 + i];
    if (e->mix) gradient[orffi_evidence_at_mix(e)] += 0.5 * part->share * sums[1];
    if (e->weights && m > 0) add_share(e, m, 1.0, &gradient[e->scales + m - 1]);
    if (part->normalise) return;
    for (size_t i = 0; i < e->d; i++) {
        const size_t dial = e->dials[m * e->d + i];
        const bool field = part->part.rule->physical && i == part->part.law.space[0];
        const double by = part->size_by_scale[i] - (field ? 2.0 : 0.0);
        if (dial != ORFFI_NO_DIAL && by != 0.0) add_share(e, m, by, &gradient[dial]);
    }
    if (e->mix) add_share(e, m, part->size_by_mix, &gradient[orffi_evidence_at_mix(e)]);
}

orff_status orffi_evidence_find_gradient(orffi_evidence *e, const double *x, double s, double *gradient) {
    const size_t count = orffi_evidence_unknowns(e), first = orffi_evidence_at_noise(e);
    memset(e->noises, 0, e->instruments * sizeof *e->noises);
    e->shared = e->joined = 0.0;
    memset(gradient, 0, count * sizeof *gradient);
    memset(e->sums, 0, e->n_parts * (e->scales + 2) * sizeof *e->sums);
    for (size_t g = 0; g < e->n_groups; g++) {
        ORFFI_TRY(find_weights(e, &e->groups[g], orffi_evidence_error_share(e, x)));
        ORFFI_TRY(orffi_evidence_contract_group(e, &e->groups[g]));
    }
    for (size_t m = 0; m < e->n_parts; m++) add_part(e, m, gradient);
    if (e->errors) gradient[first] = 0.5 * s * e->shared;
    if (e->offsets) gradient[count - 2] = 0.5 * orffi_evidence_offset(e, x) * e->joined;
    for (size_t k = 0; k < e->instruments; k++) {
        if (k) gradient[first + e->errors + k - 1] = 0.5 * s * e->noises[k];
        gradient[count - 1] += 0.5 * s * e->noises[k];
    }
    return ORFF_OK;
}
