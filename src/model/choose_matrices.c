/* Learned output matrices: of one part by eigenvectors (choose_matrix.c); of a sum of parts, or from rows
 * with missing outputs, by a dense evidence on fewer numbers. Also writes them into the plan. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/coregion_sum.h"
#include "model/choose.h"
#include "model/choose_matrix.h"
#include "model/patches.h"

#define STEPS      80
#define ENOUGH     0.05 /* of log evidence: smaller gains mean nothing */
#define MOST_DENSE 64   /* outputs, for a sum of parts */
#define MOST_WHOLE 1500 /* numbers in a dense evidence, or rows in an eigendecomposition: takes seconds */

bool orffi_plan_learns(const orffi_plan *plan) {
    for (size_t m = 0; m < plan->parts.count; m++)
        if (plan->parts.list[m].part.learn) return true;
    return false;
}

static bool is_dense(const orffi_plan *plan) {
    return plan->directed || plan->parts.count > 1;
}

/* ---- a group as observations of single numbers */

typedef struct observed {
    orffi_coregion_group group;
    double *K, *along, *y, *unit;
    size_t *row, *noise;
} observed;

static void clear_observed(size_t count, observed *list) {
    for (size_t g = 0; list && g < count; g++) {
        double *all[] = {list[g].K, list[g].along, list[g].y, list[g].unit};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
        orffi_release(list[g].row);
        orffi_release(list[g].noise);
    }
    orffi_release(list);
}

static orff_status fill_kernels(const orffi_plan *plan, const orff_kernel *kernel, const orffi_table *t,
                                double *K) {
    const size_t n = t->n, d = plan->d;
    double *delta;
    ORFFI_TRY(ORFFI_NEW_ARRAY(delta, d));
    for (size_t m = 0; m < kernel->n_parts; m++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                for (size_t k = 0; k < d; k++) delta[k] = t->X[i * d + k] - t->X[j * d + k];
                K[(m * n + i) * n + j] = K[(m * n + j) * n + i] =
                    orffi_spectrum_k0(&kernel->parts[m].law, delta);
            }
    orffi_release(delta);
    return ORFF_OK;
}

/* Adds output k of row i. */
static void add_number(const orffi_plan *plan, const orffi_table *t, size_t i, size_t k, observed *o) {
    const size_t at = o->group.n++, p = plan->p;
    o->row[at] = i;
    o->y[at] = t->Y[i * orffi_table_width(t) + k];
    o->unit[at] = orffi_matrix_unit(plan, t, i, false);
    if (t->along)
        memcpy(o->along + at * p, t->along + i * p, p * sizeof *o->along);
    else
        o->along[at * p + k] = 1.0;
    if (t->along)
        o->noise[at] = plan->quality.by_output && t->instrument ? t->instrument[i] : 0;
    else
        o->noise[at] = orffi_matrix_common_noise(plan) ? 0 : k;
}

static orff_status fill_observed(const orffi_plan *plan, const orff_kernel *kernel, const orffi_table *t,
                                 observed *o) {
    const size_t width = orffi_table_width(t), n = t->n * width;
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->K, kernel->n_parts * t->n * t->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->along, n * plan->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->y, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->unit, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->row, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(o->noise, n));
    ORFFI_TRY(fill_kernels(plan, kernel, t, o->K));
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < width && (!t->weights || t->weights[i] > 0.0); k++)
            add_number(plan, t, i, k, o);
    o->group.rows = t->n;
    o->group.K = o->K;
    o->group.row = o->row;
    o->group.along = o->along;
    o->group.y = o->y;
    o->group.unit = o->unit;
    o->group.noise = o->noise;
    return ORFF_OK;
}

/* ---- dense */

static size_t noises_of(const orffi_plan *plan) {
    if (plan->directed) return plan->quality.by_output ? plan->p : 1;
    return orffi_matrix_common_noise(plan) ? 1 : plan->p;
}

static double mean_square(size_t groups, const orffi_coregion_group *group) {
    double square = 0.0, count = 0.0;
    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0; i < group[g].n; i++, count += 1.0) square += group[g].y[i] * group[g].y[i];
    return square > 0.0 ? square / count : 1.0;
}

/* The start: outputs alike in the plan's units, and the noise that the plan knows; without one, half of
 * the variance is noise. */
static void begin(const orffi_plan *plan, double square, double *A, double *s) {
    const size_t p = plan->p, parts = plan->parts.count;
    const double shift = plan->shift > 0.0 ? plan->shift : 1.0, field = square / (1.0 + shift);
    for (size_t m = 0; m < parts; m++)
        for (size_t k = 0; k < p; k++) A[m * p * p + k * (p + 1)] = field / (double)parts;
    for (size_t c = 0; c < noises_of(plan); c++)
        s[c] = field * shift * (plan->quality.by_output ? exp(plan->quality.ratios[c]) : 1.0);
}

static size_t count_all(const orffi_coregion_sum *sum) {
    size_t n = 0;
    for (size_t g = 0; g < sum->groups; g++) n += sum->group[g].n;
    return n;
}

/* Matrices with more and more unknowns: equal outputs, then diagonal, then full. Each stage starts where
 * the last one ended, and must gain more than its unknowns cost. F, t: scratch, as large as A and s. */
typedef struct stage {
    orffi_coregion_shape shape;
    double unknowns; /* in addition to those of ALIKE */
} stage;

static void log_stage(const orffi_coregion_sum *sum, orffi_coregion_shape taken, double gain) {
    if (taken == ORFFI_COREGION_FULL)
        orffi_log(ORFF_LOG_INFO,
                  "by the evidence: output matrices that gain %.1f in log evidence over uncoupled outputs, "
                  "on %zu numbers",
                  gain, count_all(sum));
    else
        orffi_log(ORFF_LOG_INFO, "by the evidence: the outputs are not coupled");
}

static orff_status climb(orffi_coregion_sum *sum, double *A, double *s, double *F, double *t,
                         orffi_coregion_shape *taken) {
    const size_t p = sum->p, size = sum->parts * p * p;
    const double own = (double)(sum->parts * (p - 1)), price = 0.5 * log((double)count_all(sum));
    const stage stages[] = {{ORFFI_COREGION_ALIKE, 0.0},
                            {ORFFI_COREGION_DIAGONAL, own},
                            {ORFFI_COREGION_FULL, own * (1.0 + 0.5 * (double)p)}};
    double best = -INFINITY, before = 0.0, value = 0.0;
    *taken = ORFFI_COREGION_ALIKE;
    memcpy(F, A, size * sizeof *A);
    memcpy(t, s, sum->noises * sizeof *s);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        before = value;
        sum->shape = stages[i].shape;
        ORFFI_TRY(orffi_coregion_sum_learn(sum, F, t, &value));
        if (!(value - price * stages[i].unknowns > best)) continue;
        best = value - price * stages[i].unknowns;
        *taken = sum->shape;
        memcpy(A, F, size * sizeof *A);
        memcpy(s, t, sum->noises * sizeof *s);
    }
    log_stage(sum, *taken, value - before);
    return ORFF_OK;
}

static orff_status learn_dense(const orffi_plan *plan, const orffi_coregion_group *group, size_t groups,
                               double *A, double *s, bool *alike) {
    const size_t p = plan->p, size = plan->parts.count * p * p;
    orffi_coregion_sum sum = {.p = p,
                              .parts = plan->parts.count,
                              .noises = noises_of(plan),
                              .groups = groups,
                              .group = group,
                              .most = STEPS,
                              .tolerance = ENOUGH};
    orffi_coregion_shape taken = ORFFI_COREGION_ALIKE;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, size + p));
    begin(plan, mean_square(groups, group), A, s);
    const orff_status status = climb(&sum, A, s, work, work + size, &taken);
    for (size_t k = sum.noises; k < p; k++) s[k] = s[0];
    *alike = taken == ORFFI_COREGION_ALIKE;
    orffi_release(work);
    return status;
}

/* For several parts, or directed rows. A is parts x p x p. *alike: the outputs do not differ, and each A
 * is a multiple of I. */
static orff_status learn_matrices(const orffi_plan *plan, const orffi_sample *sample, double *A, double *s,
                                  bool *alike) {
    observed *list = NULL;
    orffi_coregion_group *group = NULL;
    orff_kernel *kernel;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    orff_status status = ORFFI_NEW_ARRAY(list, sample->count);
    if (!status) status = ORFFI_NEW_ARRAY(group, sample->count);
    for (size_t g = 0; !status && g < sample->count; g++) {
        status = fill_observed(plan, kernel, &sample->tables[g], &list[g]);
        group[g] = list[g].group;
    }
    if (!status) status = learn_dense(plan, group, sample->count, A, s, alike);
    clear_observed(sample->count, list);
    orffi_release(group);
    orff_kernel_free(kernel);
    return status;
}

/* ---- settling */

/* Divides outputs by their noise, so that engines see one noise for all: A_kl becomes A_kl / sqrt(s_k s_l)
 * times the mean of s. */
static double whiten(orffi_plan *plan, double *A, const double *s) {
    const size_t p = plan->p;
    double mean = 0.0;
    size_t count = 0;
    for (size_t k = 0; k < p; k++) {
        mean += s[k];
        count += s[k] > 0.0;
    }
    mean = count ? mean / (double)count : 0.0;
    if (orffi_matrix_common_noise(plan) || plan->directed || !count) return plan->directed ? s[0] : mean;
    for (size_t i = 0; i < plan->parts.count * p * p; i++) {
        const double row = s[i / p % p], column = s[i % p];
        A[i] *= sqrt(row > 0.0 ? mean / row : 1.0) * sqrt(column > 0.0 ? mean / column : 1.0);
    }
    for (size_t k = 0; k < p; k++)
        if (s[k] > 0.0) plan->units.spread[k] *= sqrt(s[k] / mean);
    return mean;
}

static void close_part(orff_part *part) {
    part->learn = false;
    part->rank = 0;
    part->sparse = false;
    part->sparsity = 0.0;
}

/* Scales a part's matrix to trace p; its weight is its share of the field. A part of zero variance keeps
 * the identity. */
static orff_status set_matrix(orffi_plan *plan, size_t m, const double *A, double size) {
    const size_t p = plan->p;
    orffi_planned_part *one = &plan->parts.list[m];
    double own = 0.0;
    for (size_t k = 0; k < p; k++) own += A[k * (p + 1)] / (double)p;
    close_part(&one->part);
    if (plan->parts.count > 1) one->part.weight = own / size;
    if (!(own > 0.0)) return ORFF_OK;
    orffi_release(one->A);
    one->part.A = one->A = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->A, p * p));
    for (size_t i = 0; i < p * p; i++) one->A[i] = A[i] / own;
    one->part.A = one->A;
    return ORFF_OK;
}

orff_status orffi_matrices_apply(orffi_plan *plan, const double *found, const double *s) {
    const size_t p = plan->p, count = plan->parts.count;
    double *A, size = 0.0;
    ORFFI_TRY(orffi_duplicate(&A, found, count * p * p, sizeof *A));
    const double noise = whiten(plan, A, s);
    orff_status status = ORFF_OK;
    for (size_t i = 0; i < count * p * p; i++)
        if (i / p % p == i % p) size += A[i] / (double)p;
    for (size_t m = 0; !status && m < count; m++) status = set_matrix(plan, m, A + m * p * p, size);
    for (size_t k = 0; plan->quality.by_output && k < p; k++) plan->quality.ratios[k] = log(s[k] / s[0]);
    plan->shift = noise > 0.0 && size > 0.0 ? noise / size : plan->shift;
    plan->settings.mixture = false;
    orffi_release(A);
    return status;
}

/* ---- */

/* Shares of the parts and the noise in the variance of the rows. */
static orff_status compute_shares(orffi_plan *plan) {
    const size_t count = plan->parts.count;
    if (count < 2) return ORFF_OK;
    orffi_release(plan->parts.shares);
    plan->parts.shares = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->parts.shares, count + 1));
    for (size_t m = 0; m < count; m++)
        plan->parts.shares[m] = plan->parts.list[m].part.weight / (1.0 + plan->shift);
    plan->parts.shares[count] = plan->shift / (1.0 + plan->shift);
    return ORFF_OK;
}

/* A single part with equal outputs stays as it would be without a matrix, with the same noise. */
static orff_status learn(orffi_plan *plan, const orffi_sample *sample) {
    const size_t p = plan->p;
    bool alike = false;
    double *A;
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, plan->parts.count * p * p + p));
    double *s = A + plan->parts.count * p * p;
    orff_status status =
        is_dense(plan) ? learn_matrices(plan, sample, A, s, &alike) : orffi_matrix_learn(plan, sample, A, s);
    if (alike && plan->parts.count == 1)
        close_part(&plan->parts.list[0].part);
    else if (!status)
        status = orffi_matrices_apply(plan, A, s);
    if (!status) status = compute_shares(plan);
    orffi_release(A);
    return status;
}

static orff_status check(const orffi_plan *plan) {
    for (size_t m = 0; is_dense(plan) && m < plan->parts.count; m++)
        if (plan->parts.list[m].part.rank || plan->parts.list[m].part.sparse)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED, "an output matrix of a given rank, or a sparse one, is "
                                                      "learned for one part, from rows with all outputs");
    if (is_dense(plan) && plan->p > MOST_DENSE)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "output matrices of sums, and from rows with missing outputs, are learned for up to %d "
            "outputs, not %zu",
            MOST_DENSE, plan->p);
    for (size_t m = 0; m < plan->parts.count; m++)
        if (!plan->parts.list[m].part.learn)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "an output matrix is learned for all parts of a sum, or for none");
    return ORFF_OK;
}

/* Groups that share rows would count those rows several times, and links and variances would seem more
 * certain than they are. If that is the case, or if zeros must be told from small numbers, the true
 * evidence of fewer rows is used. */
static orff_status sample_rows(const orffi_plan *plan, const orffi_table *table, const double *median,
                               orffi_sample *sample) {
    const bool dense = is_dense(plan);
    if (!dense && !plan->parts.list[0].part.sparse && table->n > orffi_sample_room())
        return orffi_sample_many(table, median, 1, sample);
    ORFFI_TRY(ORFFI_NEW_ARRAY(sample->tables, 1));
    sample->count = 1;
    return orffi_patches(table, median, MOST_WHOLE / (dense && !plan->directed ? plan->p : 1),
                         sample->tables);
}

orff_status orffi_choose_matrices(orffi_plan *plan, const orffi_rows *rows) {
    orffi_table table = {0};
    orffi_sample sample = {0};
    double *median = NULL;
    ORFFI_TRY(check(plan));
    orff_status status = orffi_trial_sample(plan, rows, rows->head.n, &table);
    if (!status) status = orffi_sample_center(plan, &table);
    if (!status) status = ORFFI_NEW_ARRAY(median, plan->d);
    if (!status) status = orffi_trial_medians(plan, &table, median);
    if (!status) status = sample_rows(plan, &table, median, &sample);
    if (!status) status = learn(plan, &sample);
    orffi_sample_clear(&sample);
    orffi_table_clear(&table);
    orffi_release(median);
    return status;
}
