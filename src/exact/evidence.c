#include "exact/evidence.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/vector.h"
#include "exact/amplitudes.h"
#include "exact/evidence_part.h"

#define ALONE 1200 /* matrices up to this order take one thread milliseconds: waking others does not pay */

typedef struct group {
    size_t n, P;          /* rows, order */
    double *X;            /* n x d */
    double *columns;      /* d x n: X again, where parts are radial; else NULL */
    double *noise;        /* n: that of C is s times this */
    double *unit;         /* n: 1/weight */
    double *known;        /* n, or NULL */
    uint32_t *instrument; /* n, or NULL */
    double *along;        /* n x p, or NULL */
    uint32_t *set;        /* n, or NULL */
    double *y, *t;        /* P x copies: outputs, C^-1 y */
    double *C;            /* P x P: C, its factor, its inverse, then W */
    double log_det;
    orffi_amplitude *amplitude; /* copies */
} group;

struct orffi_evidence {
    orff_kernel *kernel;
    size_t d, p, n_parts, n_groups, scales;
    bool directed;  /* rows have one number each */
    bool radial;    /* outputs are draws of one scalar process, whose parts depend on distances alone */
    size_t q;       /* outputs in a block: p, or 1 where they are draws of one scalar process ... */
    size_t copies;  /* ... of which so many are not constant; else 1 */
    size_t *output; /* copies: which they are */
    size_t *dials;  /* n_parts x d */
    bool weights, mix, errors, offsets, amplitudes;
    size_t instruments;
    orffi_evidence_part *parts;
    group *groups;
    size_t order;   /* sum of P */
    double *v;      /* copies: the variance of all groups together */
    double *values; /* copies: log p */
    double *sums;   /* n_parts x (scales + 2): see orffi_evidence_sink */
    double *noises; /* instruments: sums of W times the noise of C over the rows of each */
    double joined;  /* the sum of W over what offsets add to */
    double shared;  /* the same of what log(e/(1-e)) does to it */
};

/* ---- which kernels */

bool orffi_evidence_serves(size_t n_parts, const orff_part *parts) {
    for (size_t m = 0; m < n_parts; m++) {
        const orffi_rule_ops *rule = orffi_rule_find(parts[m].rule);
        if (!rule || !(rule->separable || (rule->physical && rule->frame))) return false;
    }
    return true;
}

static bool is_scalar(size_t n_parts, const orff_part *parts) {
    for (size_t m = 0; m < n_parts; m++)
        if (!orffi_rule_find(parts[m].rule)->separable || parts[m].A || parts[m].B) return false;
    return true;
}

size_t orffi_evidence_order(size_t n_parts, const orff_part *parts, size_t p, size_t n) {
    return is_scalar(n_parts, parts) ? n : n * p;
}

/* ---- building */

static orff_status build_part(orffi_evidence_part *e, const orffi_kernel_part *from, const orff_part *given) {
    e->part = *from;
    e->part.law = (orffi_spectrum){0};
    e->weight = given->weight;
    e->normalise = given->normalise;
    ORFFI_TRY(orffi_spectrum_copy(&e->part.law, &from->law));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->size_by_scale, from->d));
    return orffi_duplicate(&e->scale, from->law.scale, from->d, sizeof *e->scale);
}

static orff_status build_parts(orffi_evidence *e, const orffi_evidence_form *form) {
    const orffi_kernel_how how = {.periods = form->periods};
    ORFFI_TRY(orffi_kernel_create_as(&e->kernel, e->d, e->p, e->n_parts, form->parts, &how));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->parts, e->n_parts));
    for (size_t m = 0; m < e->n_parts; m++)
        ORFFI_TRY(build_part(&e->parts[m], &e->kernel->parts[m], &form->parts[m]));
    ORFFI_TRY(orffi_duplicate(&e->dials, form->dials, e->n_parts * e->d, sizeof *e->dials));
    return ORFFI_NEW_ARRAY(e->sums, e->n_parts * (e->scales + 2));
}

static bool counts(const orffi_evidence_rows *rows, size_t i) {
    return !rows->weights || rows->weights[i] > 0.0;
}

/* Numbers of y in a row. */
static size_t width_of(const orffi_evidence *e) {
    return e->directed ? 1 : e->p;
}

/* And of those that one matrix is for. */
static size_t order_of(const orffi_evidence *e) {
    return e->directed ? 1 : e->q;
}

static bool is_constant(const orffi_evidence *e, size_t k, const orffi_evidence_rows *rows) {
    for (size_t g = 0; g < e->n_groups; g++)
        for (size_t i = 0; i < rows[g].n; i++)
            if (counts(&rows[g], i) && rows[g].Y[i * width_of(e) + k] != 0.0) return false;
    return true;
}

static orff_status find_outputs(orffi_evidence *e, const orffi_evidence_rows *rows) {
    size_t varying = 0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->output, e->p));
    for (size_t k = 0; k < width_of(e); k++)
        if (!is_constant(e, k, rows)) e->output[varying++] = k;
    if (!varying) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the outputs are constant");
    e->copies = order_of(e) == 1 ? varying : 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->values, e->copies));
    return ORFFI_NEW_ARRAY(e->v, e->copies);
}

/* Whether a draw has the same value in all rows of a group. */
static bool is_level(const orffi_evidence *e, const group *g, size_t k) {
    const size_t width = g->n ? g->P * e->copies / g->n : 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t a = 0; a < (e->copies > 1 ? 1 : width); a++)
            if (g->y[i * width + k + a] != g->y[k + a]) return false;
    return true;
}

static orff_status build_amplitudes(const orffi_evidence *e, group *g) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->amplitude, e->copies));
    for (size_t k = 0; k < e->copies; k++)
        g->amplitude[k] = (orffi_amplitude){.P = (double)g->P, .level = is_level(e, g, k)};
    return ORFF_OK;
}

static orff_status make_columns(const orffi_evidence *e, group *g) {
    if (!e->radial) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->columns, g->n * e->d));
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < e->d; k++) g->columns[k * g->n + i] = g->X[i * e->d + k];
    return ORFF_OK;
}

static orff_status build_group(const orffi_evidence *e, group *g, const orffi_evidence_rows *rows) {
    const size_t d = e->d, p = e->p, order = order_of(e), width = order == 1 ? e->copies : p;
    size_t side, square;
    for (size_t i = 0; i < rows->n; i++) g->n += counts(rows, i);
    ORFFI_TRY(orffi_multiply(g->n, order, &side));
    ORFFI_TRY(orffi_multiply(side, side, &square));
    g->P = side;
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->X, g->n * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->noise, g->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->unit, g->n));
    if (e->errors) ORFFI_TRY(ORFFI_NEW_ARRAY(g->known, g->n));
    if (e->instruments > 1) ORFFI_TRY(ORFFI_NEW_ARRAY(g->instrument, g->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->y, g->n * width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->t, g->n * width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->C, square));
    if (e->directed) ORFFI_TRY(ORFFI_NEW_ARRAY(g->along, g->n * p));
    if (e->offsets) ORFFI_TRY(ORFFI_NEW_ARRAY(g->set, g->n));
    for (size_t i = 0, at = 0; i < rows->n; i++) {
        if (!counts(rows, i)) continue;
        memcpy(g->X + at * d, rows->X + i * d, d * sizeof *g->X);
        g->unit[at] = rows->weights ? 1.0 / rows->weights[i] : 1.0;
        if (g->known) g->known[at] = rows->known[i];
        if (g->instrument) g->instrument[at] = rows->instrument[i];
        for (size_t k = 0; k < width; k++)
            g->y[at * width + k] = rows->Y[i * width_of(e) + (order == 1 ? e->output[k] : k)];
        if (e->offsets) g->set[at] = rows->set[i];
        if (e->directed) memcpy(g->along + at * p, rows->along + i * p, p * sizeof *g->along);
        at++;
    }
    ORFFI_TRY(make_columns(e, g));
    return build_amplitudes(e, g);
}

static orff_status build(orffi_evidence *e, const orffi_evidence_form *form,
                         const orffi_evidence_rows *rows) {
    ORFFI_TRY(build_parts(e, form));
    e->radial = e->q == 1 && !e->directed;
    for (size_t m = 0; m < e->n_parts; m++)
        e->radial &= e->parts[m].part.rule->separable && orffi_spectrum_is_radial(&e->parts[m].part.law);
    ORFFI_TRY(find_outputs(e, rows));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->groups, e->n_groups));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->noises, e->instruments));
    for (size_t g = 0; g < e->n_groups; g++) {
        ORFFI_TRY(build_group(e, &e->groups[g], &rows[g]));
        e->order += e->groups[g].P;
    }
    return ORFF_OK;
}

orff_status orffi_evidence_create(orffi_evidence **out, const orffi_evidence_form *form, size_t groups,
                                  const orffi_evidence_rows *rows) {
    orffi_evidence *e;
    ORFFI_TRY(ORFFI_NEW(e));
    *e = (orffi_evidence){.d = form->d,
                          .p = form->p,
                          .n_parts = form->n_parts,
                          .n_groups = groups,
                          .scales = form->scales,
                          .directed = groups && rows[0].along,
                          .q = is_scalar(form->n_parts, form->parts) ? 1 : form->p,
                          .weights = form->weights,
                          .mix = form->mix,
                          .errors = form->errors,
                          .offsets = form->offsets,
                          .amplitudes = form->amplitudes,
                          .instruments = form->instruments ? form->instruments : 1};
    const orff_status status = build(e, form, rows);
    if (status) {
        orffi_evidence_free(e);
    } else {
        *out = e;
    }
    return status;
}

static void clear_group(group *g) {
    orffi_release(g->instrument);
    orffi_release(g->set);
    orffi_release(g->amplitude);
    double *all[] = {g->X, g->columns, g->noise, g->unit, g->known, g->along, g->y, g->t, g->C};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

void orffi_evidence_free(orffi_evidence *e) {
    if (!e) return;
    for (size_t m = 0; e->parts && m < e->n_parts; m++) {
        orffi_spectrum_clear(&e->parts[m].part.law);
        orffi_release(e->parts[m].scale);
        orffi_release(e->parts[m].size_by_scale);
    }
    for (size_t g = 0; e->groups && g < e->n_groups; g++) clear_group(&e->groups[g]);
    orff_kernel_free(e->kernel);
    orffi_release(e->parts);
    orffi_release(e->groups);
    orffi_release(e->output);
    orffi_release(e->dials);
    orffi_release(e->v);
    orffi_release(e->values);
    orffi_release(e->sums);
    orffi_release(e->noises);
    orffi_release(e);
}

/* Where the mix is among the unknowns, and what comes after it. */
static size_t at_mix(const orffi_evidence *e) {
    return e->scales + (e->weights ? e->n_parts - 1 : 0);
}

static size_t first_of_noise(const orffi_evidence *e) {
    return at_mix(e) + e->mix;
}

size_t orffi_evidence_unknowns(const orffi_evidence *e) {
    return first_of_noise(e) + e->errors + e->instruments + e->offsets;
}

/* ---- the kernel at x */

static const double *mix_of(const orffi_evidence *e, const double *x) {
    return e->mix ? x + at_mix(e) : NULL;
}

/* Shares: weights times sizes, where a part is not normalised, of their sum. */
static orff_status set_parts(orffi_evidence *e, const double *x) {
    double sum = 0.0;
    for (size_t m = 0; m < e->n_parts; m++) {
        orffi_evidence_part *part = &e->parts[m];
        const bool open = e->weights && m > 0;
        ORFFI_TRY(orffi_evidence_part_set(part, e->dials + m * e->d, x, mix_of(e, x)));
        part->share =
            part->weight * (part->normalise ? 1.0 : part->size) * (open ? exp(x[e->scales + m - 1]) : 1.0);
        sum += part->share;
    }
    for (size_t m = 0; m < e->n_parts; m++) e->parts[m].share /= sum;
    return isfinite(sum) && sum > 0.0 ? ORFF_OK : ORFF_ERROR_NOT_POSITIVE;
}

/* ---- the noise at x, but for s */

static double share_of(const orffi_evidence *e, const double *x) {
    return e->errors ? 1.0 / (1.0 + exp(-x[first_of_noise(e)])) : 0.0;
}

/* log r of an instrument */
static double ratio_of(const orffi_evidence *e, const double *x, size_t instrument) {
    return instrument ? x[first_of_noise(e) + e->errors + instrument - 1] : 0.0;
}

static void set_noise(orffi_evidence *e, const double *x) {
    const double share = share_of(e, x);
    for (size_t k = 0; k < e->n_groups; k++) {
        group *g = &e->groups[k];
        for (size_t i = 0; i < g->n; i++) {
            const double quality = g->known ? 1.0 - share + share * g->known[i] : 1.0;
            g->noise[i] =
                quality * g->unit[i] * (g->instrument ? exp(ratio_of(e, x, g->instrument[i])) : 1.0);
        }
    }
}

/* t, of unknowns x */
static double offset_of(const orffi_evidence *e, const double *x) {
    return e->offsets ? exp(x[orffi_evidence_unknowns(e) - 2]) : 0.0;
}

/* ---- over pairs of rows */

/* For each thread: a difference, a block, what parts need, and its own sums; or two rows of numbers beside the sums. */
static size_t scratch_size(const orffi_evidence *e, const group *g) {
    return (e->radial ? 2 * g->n : 2 * e->d + 6 * e->p * e->p) + e->n_parts * (e->scales + 2);
}

static int team_of(const group *g) {
    return g->P <= ALONE ? 1 : orffi_thread_count();
}

static void subtract(size_t d, const double *x, const double *z, double *delta) {
    for (size_t k = 0; k < d; k++) delta[k] = x[k] - z[k];
}

/* What rows i and j have of entry (a, b) of a block: e_a e_b, or <e_i, e_j> where outputs are alike. */
static double shared(const orffi_evidence *e, const group *g, size_t i, size_t j, size_t a, size_t b) {
    const double *left = g->along + i * e->p, *right = g->along + j * e->p;
    double sum = 0.0;
    if (e->q > 1) return left[a] * right[b];
    for (size_t k = 0; k < e->p; k++) sum += left[k] * right[k];
    return sum;
}

static bool joins(const group *g, size_t i, size_t j) {
    return g->set && g->set[i] == g->set[j] && g->set[i] != ORFFI_NO_SET;
}

/* Between the same outputs of rows of one set, all outputs alike. */
static double joined(const orffi_evidence *e, const group *g, size_t i, size_t j) {
    double sum = 0.0;
    if (!e->directed) return 1.0;
    for (size_t k = 0; k < e->p; k++) sum += g->along[i * e->p + k] * g->along[j * e->p + k];
    return sum;
}

/* Row i of C up to the diagonal, where parts are radial: a whole row at once. work: n. */
static void fill_radial(const orffi_evidence *e, group *g, size_t i, double t, double *work) {
    double *C = g->C + i * g->P;
    memset(C, 0, (i + 1) * sizeof *C);
    for (size_t m = 0; m < e->n_parts; m++) {
        const orffi_evidence_part *part = &e->parts[m];
        orffi_spectrum_squares(&part->part.law, g->X + i * e->d, i + 1, g->columns, g->n, work);
        orffi_spectrum_k0_many(&part->part.law, i + 1, work, NULL);
        for (size_t j = 0; j <= i; j++) C[j] += part->share / part->size * work[j];
    }
    for (size_t j = 0; g->set && j <= i; j++)
        if (joins(g, i, j)) C[j] += t;
}

/* Row i of blocks of C, up to the diagonal, without noise. */
static void fill_blocks(const orffi_evidence *e, group *g, size_t i, double t, double *work) {
    const size_t q = e->q, order = order_of(e), P = g->P;
    double *delta = work, *K = delta + e->d, *sum = K + q * q, *scratch = sum + q * q;
    for (size_t j = 0; j <= i; j++) {
        double *C = g->C + i * order * P + j * order;
        subtract(e->d, g->X + i * e->d, g->X + j * e->d, delta);
        memset(sum, 0, q * q * sizeof *sum);
        for (size_t m = 0; m < e->n_parts; m++) {
            orffi_evidence_part_block(&e->parts[m], q, delta, K, scratch);
            for (size_t a = 0; a < q * q; a++) sum[a] += e->parts[m].share * K[a];
        }
        for (size_t a = 0; a < order; a++) memset(C + a * P, 0, order * sizeof *C);
        for (size_t a = 0; a < q * q; a++) {
            if (e->directed)
                C[0] += shared(e, g, i, j, a / q, a % q) * sum[a];
            else
                C[a / q * P + a % q] = sum[a];
        }
        for (size_t a = 0; joins(g, i, j) && a < order; a++) C[a * P + a] += t * joined(e, g, i, j);
    }
}

static void fill_row(const orffi_evidence *e, group *g, size_t i, double s, double t, double *work) {
    const size_t order = order_of(e);
    if (e->radial)
        fill_radial(e, g, i, t, work);
    else
        fill_blocks(e, g, i, t, work);
    for (size_t a = i * order; a < (i + 1) * order; a++) g->C[a * g->P + a] += s * g->noise[i];
}

/* The same for W against what the unknowns do to C. work: the sums, then 2 n. */
static void contract_radial(const orffi_evidence *e, const group *g, size_t i, double *work) {
    const size_t width = e->scales + 2, end = i + 1;
    const double *W = g->C + i * g->P, *x = g->X + i * e->d;
    double *k0 = work + e->n_parts * width, *g1 = k0 + g->n;
    for (size_t m = 0; m < e->n_parts; m++) {
        const orffi_evidence_part *part = &e->parts[m];
        double *whole = work + m * width, *by_scale = whole + 2;
        orffi_spectrum_squares(&part->part.law, x, end, g->columns, g->n, k0);
        orffi_spectrum_k0_many(&part->part.law, end, k0, g1);
        for (size_t j = 0; j < end; j++) { /* off the diagonal twice; on it slopes are 0 */
            const double w = W[j] * (j == i ? 1.0 : 2.0) / part->size;
            *whole += w * k0[j];
            g1[j] *= w;
        }
        for (size_t k = 0; k < e->d; k++) {
            const size_t dial = e->dials[m * e->d + k];
            if (dial != ORFFI_NO_DIAL)
                by_scale[dial] += orffi_vector_level_here()->weigh_squares(
                    end, x[k], 1.0 / part->part.law.scale[k], g->columns + k * g->n, g1);
        }
    }
}

/* Row i of blocks of W against what the unknowns do to those of C; blocks beside the diagonal count twice. */
static void contract_blocks(const orffi_evidence *e, const group *g, size_t i, double *work) {
    const size_t q = e->q, order = order_of(e), width = e->scales + 2;
    double *sums = work, *delta = sums + e->n_parts * width, *own = delta + e->d, *scratch = own + q * q;
    for (size_t j = 0; j <= i; j++) {
        const double *W = g->C + i * order * g->P + j * order;
        subtract(e->d, g->X + i * e->d, g->X + j * e->d, delta);
        for (size_t a = 0; e->directed && a < q * q; a++) own[a] = W[0] * shared(e, g, i, j, a / q, a % q);
        for (size_t m = 0; m < e->n_parts; m++) {
            double *mine = sums + m * width;
            const orffi_evidence_sink sink = {mine, mine + 1, mine + 2};
            orffi_evidence_part_contract(&e->parts[m], q, e->dials + m * e->d, e->mix, delta,
                                         e->directed ? own : W, e->directed ? q : g->P, i == j ? 1.0 : 2.0,
                                         &sink, scratch);
        }
    }
}

static void contract_row(const orffi_evidence *e, const group *g, size_t i, double *work) {
    if (e->radial)
        contract_radial(e, g, i, work);
    else
        contract_blocks(e, g, i, work);
}

static orff_status fill_group(const orffi_evidence *e, group *g, double s, double t) {
    const int threads = team_of(g);
    const size_t room = scratch_size(e, g);
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, room * (size_t)threads));
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < g->n; i++) fill_row(e, g, i, s, t, work + room * (size_t)orffi_thread_index());
    orffi_release(work);
    return ORFF_OK;
}

/* Each thread has rows of its own, always the same: sums are then the same in every run. */
static orff_status contract_group(const orffi_evidence *e, const group *g) {
    const int threads = team_of(g);
    const size_t room = scratch_size(e, g), count = e->n_parts * (e->scales + 2);
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, room * (size_t)threads));
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < g->n; i++) contract_row(e, g, i, work + room * (size_t)orffi_thread_index());
    for (size_t t = 0; t < (size_t)threads; t++)
        for (size_t k = 0; k < count; k++) e->sums[k] += work[t * room + k];
    orffi_release(work);
    return ORFF_OK;
}

/* ---- value */

static orff_status factor_group(const orffi_evidence *e, group *g, double s, double t) {
    const size_t P = g->P;
    ORFFI_TRY(fill_group(e, g, s, t));
    ORFFI_TRY(orffi_cholesky(P, g->C));
    memcpy(g->t, g->y, P * e->copies * sizeof *g->t);
    ORFFI_TRY(orffi_cholesky_solve(P, g->C, e->copies, g->t));
    g->log_det = 0.0;
    for (size_t i = 0; i < P; i++) g->log_det += 2.0 * log(g->C[i * P + i]);
    for (size_t k = 0; k < e->copies; k++) {
        double Q = 0.0;
        for (size_t i = 0; i < P; i++) Q += g->y[i * e->copies + k] * g->t[i * e->copies + k];
        g->amplitude[k].Q = Q;
        e->v[k] += Q / (double)e->order;
    }
    return ORFF_OK;
}

/* log p of draw k, with the sum of the log det's; every group gets its v. */
static orff_status judge_draw(orffi_evidence *e, size_t k, double logs) {
    orffi_amplitude *list;
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, e->n_groups));
    for (size_t g = 0; g < e->n_groups; g++) list[g] = e->groups[g].amplitude[k];
    const double price = e->amplitudes ? 0.5 * log((double)e->order) : INFINITY;
    e->values[k] = orffi_amplitudes_judge(e->n_groups, list, price) - 0.5 * logs;
    for (size_t g = 0; g < e->n_groups; g++) e->groups[g].amplitude[k] = list[g];
    orffi_release(list);
    return ORFF_OK;
}

static orff_status find_value(orffi_evidence *e, double s, double t, double *value) {
    double logs = 0.0;
    memset(e->v, 0, e->copies * sizeof *e->v);
    for (size_t g = 0; g < e->n_groups; g++) {
        ORFFI_TRY(factor_group(e, &e->groups[g], s, t));
        logs += e->groups[g].log_det;
    }
    *value = 0.0;
    for (size_t k = 0; k < e->copies; k++) {
        ORFFI_TRY(judge_draw(e, k, logs));
        *value += e->values[k];
    }
    return ORFF_OK;
}

/* ---- gradient */

/* What W_ii = w of a row does to the slopes of the noise's unknowns. */
static void add_noise(orffi_evidence *e, const group *g, size_t i, double share, double w) {
    e->noises[g->instrument ? g->instrument[i] : 0] += w * g->noise[i];
    if (!g->known) return;
    const double quality = 1.0 - share + share * g->known[i];
    e->shared += w * g->noise[i] / quality * (g->known[i] - 1.0) * share * (1.0 - share);
}

/* What W of row i has where offsets add to C. */
static void add_joined(orffi_evidence *e, const group *g, size_t i) {
    const size_t order = order_of(e);
    for (size_t j = 0; j < g->n; j++)
        for (size_t a = 0; joins(g, i, j) && a < order; a++)
            e->joined += joined(e, g, i, j) * g->C[(i * order + a) * g->P + j * order + a];
}

/* W = sum_k t_k t_k^T / v_k - copies C^-1 in place of the factor, v_k that of the group. */
static orff_status find_weights(orffi_evidence *e, group *g, double share) {
    const size_t P = g->P, c = e->copies;
    ORFFI_TRY(orffi_cholesky_inverse(P, g->C));
    for (size_t i = 0; i < P; i++)
        for (size_t k = 0; k < c; k++) g->t[i * c + k] /= sqrt(g->amplitude[k].v);
    orffi_gemm(false, true, P, P, c, 1.0, g->t, c, g->t, c, -(double)c, g->C, P);
    for (size_t i = 0; i < P; i++) add_noise(e, g, i / order_of(e), share, g->C[i * P + i]);
    for (size_t i = 0; g->set && i < g->n; i++) add_joined(e, g, i);
    return ORFF_OK;
}

/* What the share of a part does when log(weight size) of part j grows: share_m ([m = j] - share_j). */
static void add_share(const orffi_evidence *e, size_t j, double by, double *gradient) {
    const size_t width = e->scales + 2;
    for (size_t m = 0; m < e->n_parts; m++)
        *gradient +=
            0.5 * by * e->sums[m * width] * e->parts[m].share * ((double)(m == j) - e->parts[j].share);
}

/* The size of a field that is not normalised falls with the square of its length scale; with images, more goes on. */
static void add_part(const orffi_evidence *e, size_t m, double *gradient) {
    const size_t width = e->scales + 2;
    const orffi_evidence_part *part = &e->parts[m];
    const double *sums = e->sums + m * width;
    for (size_t i = 0; i < e->scales; i++) gradient[i] += 0.5 * part->share * sums[2 + i];
    if (e->mix) gradient[at_mix(e)] += 0.5 * part->share * sums[1];
    if (e->weights && m > 0) add_share(e, m, 1.0, &gradient[e->scales + m - 1]);
    if (part->normalise) return;
    for (size_t i = 0; i < e->d; i++) {
        const size_t dial = e->dials[m * e->d + i];
        const bool field = part->part.rule->physical && i == part->part.law.space[0];
        const double by = part->size_by_scale[i] - (field ? 2.0 : 0.0);
        if (dial != ORFFI_NO_DIAL && by != 0.0) add_share(e, m, by, &gradient[dial]);
    }
    if (e->mix) add_share(e, m, part->size_by_mix, &gradient[at_mix(e)]);
}

static orff_status find_gradient(orffi_evidence *e, const double *x, double s, double *gradient) {
    const size_t count = orffi_evidence_unknowns(e), first = first_of_noise(e);
    memset(e->noises, 0, e->instruments * sizeof *e->noises);
    e->shared = e->joined = 0.0;
    memset(gradient, 0, count * sizeof *gradient);
    memset(e->sums, 0, e->n_parts * (e->scales + 2) * sizeof *e->sums);
    for (size_t g = 0; g < e->n_groups; g++) {
        ORFFI_TRY(find_weights(e, &e->groups[g], share_of(e, x)));
        ORFFI_TRY(contract_group(e, &e->groups[g]));
    }
    for (size_t m = 0; m < e->n_parts; m++) add_part(e, m, gradient);
    if (e->errors) gradient[first] = 0.5 * s * e->shared;
    if (e->offsets) gradient[count - 2] = 0.5 * offset_of(e, x) * e->joined;
    for (size_t k = 0; k < e->instruments; k++) {
        if (k) gradient[first + e->errors + k - 1] = 0.5 * s * e->noises[k];
        gradient[count - 1] += 0.5 * s * e->noises[k];
    }
    return ORFF_OK;
}

static orff_status evaluate(orffi_evidence *e, const double *x, double *value, double *gradient) {
    const double s = exp(x[orffi_evidence_unknowns(e) - 1]);
    ORFFI_TRY(set_parts(e, x));
    set_noise(e, x);
    ORFFI_TRY(find_value(e, s, offset_of(e, x), value));
    return gradient ? find_gradient(e, x, s, gradient) : ORFF_OK;
}

orff_status orffi_evidence_evaluate(orffi_evidence *e, const double *x, double *value, double *gradient) {
    bool alone = true;
    for (size_t g = 0; g < e->n_groups; g++) alone &= e->groups[g].P <= ALONE;
    const int before = orffi_team_limit(alone ? 1 : 0);
    const orff_status status = evaluate(e, x, value, gradient);
    orffi_team_limit(before);
    return status;
}

void orffi_evidence_variances(const orffi_evidence *e, double *v) {
    const bool alike = order_of(e) > 1 || e->directed;
    for (size_t k = 0; k < e->p; k++) v[k] = alike ? e->v[0] : 0.0;
    for (size_t k = 0; !alike && k < e->copies; k++) v[e->output[k]] = e->v[k];
}

void orffi_evidence_shares(const orffi_evidence *e, double *shares) {
    for (size_t m = 0; m < e->n_parts; m++) shares[m] = e->parts[m].share;
}

void orffi_evidence_outputs(const orffi_evidence *e, double *values) {
    memset(values, 0, e->p * sizeof *values);
    for (size_t k = 0; order_of(e) == 1 && k < e->copies; k++) values[e->output[k]] = e->values[k];
}

/* y_i - f_(-i)(x_i) = (C^-1 y)_i / (C^-1)_ii */
orff_status orffi_evidence_left_out(orffi_evidence *e, double *squares) {
    for (size_t k = 0; k < e->n_groups; squares += e->groups[k++].P) {
        group *g = &e->groups[k];
        ORFFI_TRY(orffi_cholesky_inverse(g->P, g->C));
        memset(squares, 0, g->P * sizeof *squares);
        for (size_t i = 0; i < g->P * e->copies; i++) {
            const size_t row = i / e->copies;
            const double error = g->t[i] / g->C[row * g->P + row];
            squares[row] += error * error;
        }
    }
    return ORFF_OK;
}
