/* The evidence of a sum and its gradient, from moments. */
#include "solve/mixture.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

#define LOG_TWO_PI 1.83787706640934548356

/* ---- columns and scales */

/* Whether A(w) of the part equals alpha along w and beta across it. */
static bool in_frame(const orffi_kernel_part *part) {
    return part->rule->physical || (part->rule->separable && !part->A);
}

/* The first physical part on group g; n_parts if there is none. */
static size_t physical_part(const orff_features *f, size_t g) {
    size_t m = 0;
    while (m < f->kernel->n_parts && !(f->part_group[m] == g && f->kernel->parts[m].rule->physical)) m++;
    return m;
}

/* Whether all parts on the group are in the frame of w. */
static bool group_in_frame(const orff_features *f, size_t g) {
    const orffi_kernel_part *parts = f->kernel->parts;
    const size_t first = physical_part(f, g);
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        if (f->part_group[m] != g) continue;
        if (!in_frame(&parts[m])) return false;
        if (parts[m].rule->physical && !orffi_spectrum_same_space(&parts[m].law, &parts[first].law))
            return false;
    }
    return true;
}

/* a_mi of a part in the frame: along w (k = 0) or across it. */
static double frame_scale(const orffi_kernel_part *part, double norm2, size_t k) {
    const double v = part->root * part->root;
    double along, across;
    if (!part->rule->frame) return v;
    part->rule->frame(part, &along, &across);
    return v * norm2 * (k == 0 ? along : across);
}

/* Row k of Q: orthonormal vectors, q_0 = w/|w| and the rest from a Householder reflection; the axes if w =
 * 0. */
static void frame_vectors(size_t p, const double *w, double *Q, double *norm2) {
    *norm2 = 0.0;
    memset(Q, 0, p * p * sizeof *Q);
    for (size_t i = 0; w && i < p; i++) *norm2 += w[i] * w[i];
    for (size_t i = 0; i < p; i++) Q[i * p + i] = 1.0;
    if (!(*norm2 > 0.0)) return;
    /* H = I - 2 h h^T / |h|^2 with h = u + sgn e_0 maps e_0 to -sgn u; its other columns are across w. */
    const double n = sqrt(*norm2), sign = w[0] >= 0.0 ? 1.0 : -1.0;
    const double scale = 1.0 / (1.0 + fabs(w[0]) / n); /* 2 / |h|^2 */
    for (size_t k = 0; k < p; k++) {
        const double hk = w[k] / n + (k == 0 ? sign : 0.0);
        for (size_t i = 0; i < p; i++) {
            const double hi = w[i] / n + (i == 0 ? sign : 0.0);
            Q[k * p + i] -= scale * hk * hi;
        }
    }
}

/* The number of columns for each feature of group g. */
static size_t group_width(const orff_features *f, size_t g) {
    if (!f->groups[g].columns) return 0;
    return group_in_frame(f, g) ? f->p : f->groups[g].columns;
}

static void fill_frame(orffi_mixture *mix, size_t g, size_t local, size_t at) {
    const orff_features *f = mix->features;
    const size_t first = physical_part(f, g);
    const double *w = first < mix->parts ? f->blocks[first] + local * f->p : NULL;
    double norm2;
    frame_vectors(f->p, w, mix->columns.B + at * f->p, &norm2);
    for (size_t k = 0; k < f->p; k++)
        for (size_t m = 0; m < mix->parts; m++)
            if (f->part_group[m] == g)
                mix->a[(at + k) * mix->parts + m] = frame_scale(&f->kernel->parts[m], norm2, k);
}

/* The stacked block unchanged: column k belongs to one part. block is p x width. */
static void fill_stacked(orffi_mixture *mix, size_t g, const double *block, const double *imaginary,
                         size_t at) {
    const orff_features *f = mix->features;
    const size_t width = f->groups[g].columns;
    for (size_t k = 0; k < width; k++) {
        for (size_t i = 0; i < f->p; i++) mix->columns.B[(at + k) * f->p + i] = block[i * width + k];
        for (size_t i = 0; mix->columns.C && i < f->p; i++)
            mix->columns.C[(at + k) * f->p + i] = imaginary[i * width + k];
        for (size_t m = 0; m < mix->parts; m++) {
            const orffi_kernel_part *part = &f->kernel->parts[m];
            if (f->part_group[m] == g && k >= part->first_column && k < part->first_column + part->columns)
                mix->a[(at + k) * mix->parts + m] = 1.0;
        }
    }
}

/* trace K~_m(0) = sum_i q_j a_mi |b_i|^2 */
static void fill_traces(orffi_mixture *mix) {
    const orff_features *f = mix->features;
    for (size_t i = 0; i < mix->half; i++) {
        const double amplitude = f->bank->amplitude[mix->columns.j[i]];
        const double *b = mix->columns.B + i * f->p, *c = mix->columns.C ? mix->columns.C + i * f->p : NULL;
        const double norm2 = orffi_dot(f->p, b, b) + (c ? orffi_dot(f->p, c, c) : 0.0);
        for (size_t m = 0; m < mix->parts; m++)
            mix->trace[m] += amplitude * amplitude * norm2 * mix->a[i * mix->parts + m];
    }
}

static orff_status fill_columns(orffi_mixture *mix) {
    const orff_features *f = mix->features;
    double *block = NULL, *unit = NULL;
    size_t at = 0, widest = 0;
    for (size_t g = 0; g < f->bank->n_groups; g++) {
        mix->half += f->bank->groups[g].drawn.count * group_width(f, g);
        if (f->groups[g].columns > widest) widest = f->groups[g].columns;
    }
    mix->M = 2 * mix->half;
    mix->columns.count = mix->half;
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->columns.j, mix->half));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->columns.B, mix->half * f->p));
    if (f->kernel->hermitian) ORFFI_TRY(ORFFI_NEW_ARRAY(mix->columns.C, mix->half * f->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->a, mix->half * mix->parts));
    ORFFI_TRY(ORFFI_NEW_ARRAY(mix->trace, mix->parts));
    orff_status status = ORFFI_NEW_ARRAY(block, 2 * f->p * widest);
    if (!status) status = ORFFI_NEW_ARRAY(unit, f->p);
    for (size_t j = 0; !status && j < f->D; j++) {
        const size_t g = orffi_features_group_of(f, j), width = group_width(f, g);
        for (size_t k = 0; k < width; k++) mix->columns.j[at + k] = j;
        if (width && group_in_frame(f, g)) {
            fill_frame(mix, g, j - f->bank->groups[g].first, at);
        } else if (width) {
            orffi_features_dense_block(f, j, block, block + f->p * widest, unit);
            fill_stacked(mix, g, block, block + f->p * widest, at);
        }
        at += width;
    }
    orffi_release(block);
    orffi_release(unit);
    if (!status) fill_traces(mix);
    return status;
}

/* ---- the data */

static orff_status fill_data(orffi_mixture *mix, orffi_moment_set *sum, bool center, const double *mean) {
    const size_t L = 2 * mix->features->D, p = mix->features->p;
    orffi_centre centre = {0};
    orff_status status = orffi_centre_fill(&centre, sum, L, p, center, mean);
    if (!status) {
        mix->N = centre.N;
        mix->yy = centre.yy;
        mix->P = centre.N * (double)p;
        orffi_columns_product(&mix->columns, mix->features->D, p, centre.R, mix->b1);
        orffi_mirror(L, sum->S);
        status = orffi_assemble(&mix->columns, mix->features->D, p, sum->S, mix->G1);
    }
    mix->mean = centre.mean;
    centre.mean = NULL;
    orffi_centre_clear(&centre);
    return status;
}

/* Mirrors sum->S in place. */
static orff_status init_from(orffi_mixture *mix, const orff_features *f, orffi_moment_set *sum, bool center,
                             const double *mean) {
    memset(mix, 0, sizeof *mix);
    mix->features = f;
    mix->parts = f->kernel->n_parts;
    orff_status status = fill_columns(mix);
    if (!status) status = ORFFI_NEW_ARRAY(mix->G1, mix->M * mix->M);
    if (!status) status = ORFFI_NEW_ARRAY(mix->b1, mix->M);
    if (!status) status = ORFFI_NEW_ARRAY(mix->C, mix->M * mix->M);
    if (!status) status = ORFFI_NEW_ARRAY(mix->theta, mix->M);
    if (!status) status = ORFFI_NEW_ARRAY(mix->d, mix->half);
    if (!status) status = ORFFI_NEW_ARRAY(mix->root, mix->M);
    if (!status) status = fill_data(mix, sum, center, mean);
    if (status) orffi_mixture_clear(mix);
    return status;
}

orff_status orffi_mixture_init(orffi_mixture *mix, const orff_features *f, const orff_moments *moments,
                               size_t left_out, bool center, const double *mean) {
    orffi_moment_set sum = {0};
    orff_status status = orffi_moment_set_init(&sum, 2 * f->D, f->p);
    if (!status) orffi_moments_sum(moments, left_out, &sum);
    if (!status) status = init_from(mix, f, &sum, center, mean);
    orffi_moment_set_clear(&sum);
    return status;
}

orff_status orffi_mixture_init_fold(orffi_mixture *mix, const orff_features *f, const orff_moments *moments,
                                    size_t fold, const double *mean) {
    orffi_moment_set sum = {0};
    orff_status status = orffi_moment_set_init(&sum, 2 * f->D, f->p);
    if (!status) orffi_moment_set_add(&sum, &moments->sets[fold], 1.0, 2 * f->D, f->p);
    if (!status) status = init_from(mix, f, &sum, false, mean);
    orffi_moment_set_clear(&sum);
    return status;
}

void orffi_mixture_clear(orffi_mixture *mix) {
    double *all[] = {mix->a, mix->trace, mix->mean, mix->G1, mix->b1, mix->C, mix->theta, mix->d, mix->root};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_columns_clear(&mix->columns);
    memset(mix, 0, sizeof *mix);
}

/* ---- the evidence */

/* d_i(v), C = sqrt(d_i d_k) G1 + s2 I. */
static void fill_matrix(orffi_mixture *mix, const double *x) {
    const double s2 = exp(x[mix->parts]);
    memset(mix->d, 0, mix->half * sizeof *mix->d);
    for (size_t m = 0; m < mix->parts; m++) {
        const double v = exp(x[m]);
        for (size_t i = 0; i < mix->half; i++) mix->d[i] += v * mix->a[i * mix->parts + m];
    }
    for (size_t i = 0; i < mix->half; i++) mix->root[i] = mix->root[mix->half + i] = sqrt(mix->d[i]);
    for (size_t i = 0; i < mix->M; i++) {
        const double *G1 = mix->G1 + i * mix->M;
        double *C = mix->C + i * mix->M;
        for (size_t k = 0; k < mix->M; k++) C[k] = mix->root[i] * mix->root[k] * G1[k];
        C[i] += s2;
    }
}

orff_status orffi_mixture_solve(orffi_mixture *mix, const double *x) {
    fill_matrix(mix, x);
    ORFFI_TRY(orffi_cholesky(mix->M, mix->C));
    for (size_t i = 0; i < mix->M; i++) mix->theta[i] = mix->root[i] * mix->b1[i];
    return orffi_cholesky_solve(mix->M, mix->C, 1, mix->theta);
}

/* C already holds the inverse. */
static void fill_gradient(const orffi_mixture *mix, const double *x, double misfit, double *gradient) {
    const double s2 = exp(x[mix->parts]);
    double square = 0.0, trace = 0.0;
    memset(gradient, 0, (mix->parts + 1) * sizeof *gradient);
    for (size_t i = 0; i < mix->M; i++) {
        const double theta2 = mix->theta[i] * mix->theta[i], inverse = mix->C[i * mix->M + i];
        const size_t column = i % mix->half;
        square += theta2;
        trace += inverse;
        if (!(mix->d[column] > 0.0)) continue;
        const double pull = 0.5 * (theta2 - 1.0 + s2 * inverse) / mix->d[column];
        for (size_t m = 0; m < mix->parts; m++) gradient[m] += pull * mix->a[column * mix->parts + m];
    }
    for (size_t m = 0; m < mix->parts; m++) gradient[m] *= exp(x[m]);
    gradient[mix->parts] = -0.5 * (square - misfit / s2 + s2 * trace + mix->P - (double)mix->M);
}

orff_status orffi_mixture_evidence(orffi_mixture *mix, const double *x, double *value, double *gradient) {
    const double s2 = exp(x[mix->parts]);
    double logs = 0.0, quadratic = 0.0;
    ORFFI_TRY(orffi_mixture_solve(mix, x));
    for (size_t i = 0; i < mix->M; i++) {
        logs += 2.0 * log(mix->C[i * mix->M + i]);
        quadratic += mix->root[i] * mix->b1[i] * mix->theta[i];
    }
    const double misfit = fmax(mix->yy - quadratic, 0.0);
    *value = -0.5 * (misfit / s2 + logs + (mix->P - (double)mix->M) * log(s2) + mix->P * LOG_TWO_PI);
    if (!gradient) return ORFF_OK;
    ORFFI_TRY(orffi_cholesky_inverse(mix->M, mix->C));
    fill_gradient(mix, x, misfit, gradient);
    return ORFF_OK;
}
