/* Replaces the kernel of highest evidence where held-out rows favour another one.
 *
 * The evidence is the joint probability of all rows, each measured against the variance that the kernel
 * predicts for it. Where no stationary kernel is right, as on tracks that cross calm and stormy regions,
 * many calm rows outvote the few that cause most of the error, and the winner may predict far worse than a
 * spline. So the winner is compared with splines: rough kernels of a long length scale, smoothed by the
 * noise (matern12 is the linear radial function, matern32 is close to a thin plate), stretched as the
 * winner is, or equally in all inputs. Each held-out row is predicted from all others, or from the nearest
 * ones, which screen off those farther away if the kernel is rough (Stein 2002). Smooth kernels have no
 * such screening, so none is tried. The best spline replaces the winner if its held-out errors are much
 * smaller, by more than chance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/near.h"
#include "model/choice.h"
#include "model/halves.h"
#include "model/patches.h"

#define FEWEST   100  /* rows: fewer seldom know more than the evidence does */
#define WHOLE    400  /* up to so many rows, each is predicted from all others, in some milliseconds */
#define LOOKED   300  /* held-out rows of a larger table: enough to find candidates with ... */
#define PROVED   1200 /* ... and to test the best one, most of them not used before */
#define NEAREST  48   /* rows that each held-out row is predicted from */
#define CLUSTERS 32   /* rows close together have similar errors: a cluster counts as one */
#define CHANCE   2.0  /* standard errors, one-sided: wrong one time in fifty */
/* Least gain in the log mean square: errors a tenth smaller. A spline is no model of the field and its
 * error bars in gaps are worse, so a smaller gain does not justify it. */
#define WORTH 0.19
#define STEP  1.38629436111989061883 /* log 4: smaller steps hardly change the errors */
#define STEPS 6
#define HALF  0.69314718055994530942 /* log 2 */

static const double shapes[] = {0.5, 1.5};

/* Where a search starts: noise variance over the variance that the kernel puts between neighbours, from
 * rough to smooth. */
static const double start_noises[] = {0.1, 3.0, 100.0};

/* Held-out rows, and the cluster of each. */
typedef struct left_rows {
    orffi_sample sample;
    size_t count, *cluster;
} left_rows;

typedef struct search {
    orffi_choice *choice;
    left_rows rows;
    /* Squared errors of the winner, of the best spline, of the one being tried. */
    double *winner, *least, *squares;
    orffi_candidate best; /* best spline */
    double score;         /* its log mean square */
} search;

/* ---- rows */

static void left_rows_clear(left_rows *rows) {
    orffi_sample_clear(&rows->sample);
    orffi_release(rows->cluster);
    *rows = (left_rows){0};
}

static void search_clear(search *s) {
    left_rows_clear(&s->rows);
    orffi_candidate_clear(&s->best);
    orffi_release(s->winner);
}

static orff_status copy_table(const orffi_table *from, orffi_table *to) {
    ORFFI_TRY(orffi_table_init_like(to, from->n, from));
    for (size_t i = 0; i < from->n; i++) orffi_table_copy_row(to, i, from, i);
    return ORFF_OK;
}

static orff_status fill_sample(const orffi_choice *c, size_t most, left_rows *rows) {
    const bool whole = c->table.n <= WHOLE;
    rows->count = whole || c->table.n < most ? c->table.n : most;
    rows->sample.count = whole ? 1 : rows->count;
    ORFFI_TRY(ORFFI_NEW_ARRAY(rows->sample.tables, rows->sample.count));
    if (whole) return copy_table(&c->table, rows->sample.tables);
    return orffi_patches_around(&c->table, c->judge.median, c->plan->periods, rows->count, NEAREST,
                                rows->sample.tables);
}

static orff_status fill_clusters(size_t d, left_rows *rows) {
    double *X;
    ORFFI_TRY(ORFFI_NEW_ARRAY(rows->cluster, rows->count));
    ORFFI_TRY(orffi_alloc(&X, rows->count, d * sizeof *X));
    for (size_t i = 0; i < rows->count; i++) {
        const bool whole = rows->sample.count == 1;
        memcpy(X + i * d, whole ? rows->sample.tables[0].X + i * d : rows->sample.tables[i].X, d * sizeof *X);
    }
    const orff_status status = orffi_halves(rows->count, d, X, CLUSTERS, rows->cluster);
    orffi_release(X);
    return status;
}

/* Draws the held-out rows, and allocates room for their squares. */
static orff_status search_fill(search *s, size_t most) {
    left_rows_clear(&s->rows);
    orffi_release(s->winner);
    s->winner = NULL;
    ORFFI_TRY(fill_sample(s->choice, most, &s->rows));
    ORFFI_TRY(fill_clusters(s->choice->plan->d, &s->rows));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->winner, 3 * s->rows.count));
    s->least = s->winner + s->rows.count;
    s->squares = s->least + s->rows.count;
    return ORFF_OK;
}

/* ---- errors */

static double log_mean(const search *s, const double *squares) {
    double sum = 0.0;
    for (size_t i = 0; i < s->rows.count; i++) sum += squares[i] / (double)s->rows.count;
    return log(fmax(sum, DBL_MIN));
}

static orff_status judge(search *s, const orffi_candidate *candidate, double *squares) {
    return orffi_candidate_squares(candidate, &s->choice->judge, &s->rows.sample, squares);
}

static double gain(const search *s) {
    return log_mean(s, s->winner) - log_mean(s, s->least);
}

/* The standard error of the difference of two log mean squares, from paired errors and to first order. */
static double chance(const search *s, const double *x, const double *y) {
    const double a = exp(log_mean(s, x)), b = exp(log_mean(s, y));
    double sums[CLUSTERS] = {0}, square = 0.0;
    for (size_t i = 0; i < s->rows.count; i++)
        sums[s->rows.cluster[i]] += (x[i] / a - y[i] / b) / (double)s->rows.count;
    for (size_t k = 0; k < CLUSTERS; k++) square += sums[k] * sums[k];
    return sqrt(square * (double)CLUSTERS / (double)(CLUSTERS - 1));
}

/* ---- looking */

static orff_status keep(search *s, const orffi_candidate *candidate) {
    memcpy(s->least, s->squares, s->rows.count * sizeof *s->least);
    s->score = log_mean(s, s->least);
    orffi_candidate_clear(&s->best);
    return orffi_candidate_copy(&s->best, candidate);
}

static orff_status try_candidate(search *s, const orffi_candidate *candidate, bool *better) {
    ORFFI_TRY(judge(s, candidate, s->squares));
    *better = log_mean(s, s->squares) < s->score;
    return *better ? keep(s, candidate) : ORFF_OK;
}

static void set_noise(orffi_candidate *candidate, double log_noise) {
    candidate->log_noise = fmin(fmax(log_noise, ORFFI_LEAST_LOG_NOISE), ORFFI_MOST_LOG_NOISE);
}

/* Length scales in the ratios of `from`, the shortest one equal to the median distance. */
static orff_status try_spline(search *s, const orffi_candidate *from, double shape, double noise) {
    const orffi_choice *c = s->choice;
    const double *median = c->judge.median;
    orffi_candidate candidate = {0};
    double shortest = INFINITY;
    bool better;
    orff_status status = orffi_candidate_copy(&candidate, from);
    if (!status) {
        orffi_planned_part *one = candidate.parts.list;
        for (size_t i = 0; i < c->plan->d; i++) shortest = fmin(shortest, one->sigmas[i] / median[i]);
        for (size_t i = 0; i < c->plan->d; i++) one->sigmas[i] /= shortest;
        one->part.base = ORFF_BASE_MATERN;
        one->part.shape = shape;
        set_noise(&candidate, log(noise) + 2.0 * shape * log(c->spacing / median[0]));
        status = try_candidate(s, &candidate, &better);
    }
    orffi_candidate_clear(&candidate);
    return status;
}

static orff_status try_splines(search *s, const orffi_candidate *from) {
    if (!from->parts.list) return ORFF_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < sizeof start_noises / sizeof *start_noises; k++)
            ORFFI_TRY(try_spline(s, from, shapes[i], start_noises[k]));
    return ORFF_OK;
}

/* The best candidate with its length scales or its noise multiplied. */
static orff_status make_other(const search *s, double by_scale, double by_noise, orffi_candidate *other) {
    const orffi_choice *c = s->choice;
    ORFFI_TRY(orffi_candidate_copy(other, &s->best));
    double *sigmas = other->parts.list[0].sigmas;
    for (size_t i = 0; i < c->plan->d; i++) sigmas[i] = fmax(sigmas[i] * exp(by_scale), c->judge.low[i]);
    set_noise(other, other->log_noise + by_noise);
    return ORFF_OK;
}

/* Repeats the step while it improves the error. *any: at least one step did. */
static orff_status descend_along(search *s, double by_scale, double by_noise, bool *any) {
    bool better = true;
    *any = false;
    for (int i = 0; better && i < STEPS; i++) {
        orffi_candidate other = {0};
        orff_status status = make_other(s, by_scale, by_noise, &other);
        if (!status) status = try_candidate(s, &other, &better);
        orffi_candidate_clear(&other);
        ORFFI_TRY(status);
        *any = *any || better;
    }
    return ORFF_OK;
}

/* First along the noise, then along the length scales. */
static orff_status descend(search *s) {
    bool any;
    ORFFI_TRY(descend_along(s, 0.0, STEP, &any));
    if (!any) ORFFI_TRY(descend_along(s, 0.0, -STEP, &any));
    ORFFI_TRY(descend_along(s, -HALF, 0.0, &any));
    return any ? ORFF_OK : descend_along(s, HALF, 0.0, &any);
}

/* For near rows, kernels with the same spectrum at high frequencies predict the same. Of these, take the
 * shortest length scale that is as good within one standard error: it claims least far from all rows. */
static orff_status shorten(search *s) {
    const double score = s->score;
    bool good = true;
    while (good) {
        const double log_noise = s->best.log_noise, by_noise = 2.0 * s->best.parts.list[0].part.shape * HALF;
        orffi_candidate other = {0};
        if (log_noise + by_noise > ORFFI_MOST_LOG_NOISE) break;
        orff_status status = make_other(s, -HALF, by_noise, &other);
        if (!status) status = judge(s, &other, s->squares);
        good = !status && log_mean(s, s->squares) - score < chance(s, s->squares, s->least);
        if (good) {
            orffi_candidate_clear(&s->best);
            s->best = other;
        } else {
            orffi_candidate_clear(&other);
        }
        ORFFI_TRY(status);
    }
    return ORFF_OK;
}

/* ---- the verdict */

static void replace_winner(search *s) {
    orffi_choice *c = s->choice;
    c->left_out = exp(0.5 * gain(s));
    orffi_log(ORFF_LOG_INFO,
              "the kernel of most evidence misses rows left out by %.3g times as much as another, "
              "which is taken",
              c->left_out);
    orffi_candidate_clear(&c->best);
    c->best = s->best;
    s->best = (orffi_candidate){0};
}

static orff_status run(search *s) {
    const orffi_choice *c = s->choice;
    s->score = INFINITY;
    ORFFI_TRY(search_fill(s, LOOKED));
    ORFFI_TRY(judge(s, &c->best, s->winner));
    ORFFI_TRY(try_splines(s, &c->best));
    ORFFI_TRY(try_splines(s, &c->plain));
    if (!s->best.parts.list || !(gain(s) > chance(s, s->winner, s->least))) return ORFF_OK;
    ORFFI_TRY(descend(s));
    ORFFI_TRY(shorten(s));
    ORFFI_TRY(search_fill(s, PROVED));
    ORFFI_TRY(judge(s, &c->best, s->winner));
    ORFFI_TRY(judge(s, &s->best, s->least));
    if (gain(s) > WORTH && gain(s) > CHANCE * chance(s, s->winner, s->least)) replace_winner(s);
    return ORFF_OK;
}

/* One kernel k I whose base, length scales and noise are all open, rows of equal quality, neighbours that
 * can be found. */
static bool applies(const orffi_choice *c) {
    const orffi_plan *plan = c->plan;
    return c->order == 1 && plan->parts.count == 1 && c->judge.chosen[0] &&
           plan->parts.list[0].part.base == ORFF_BASE_AUTO && !c->table.along && !c->table.weights &&
           plan->settings.lambda == 0.0 && !plan->settings.auto_kernel && !plan->parts.list[0].part.learn &&
           c->table.n >= FEWEST && (c->table.n <= WHOLE || plan->d <= ORFFI_NEAR_MOST) &&
           !orffi_quality_is_open(&plan->quality);
}

orff_status orffi_choice_try_left_out(orffi_choice *c) {
    search s = {.choice = c};
    const bool amplitudes = c->judge.amplitudes;
    if (!applies(c)) return ORFF_OK;
    c->judge.amplitudes = false; /* the errors do not depend on amplitudes */
    const orff_status status = run(&s);
    c->judge.amplitudes = amplitudes;
    search_clear(&s);
    return status;
}
