/* Automatic choices, each from moments of a subsample: one pass for each length scale, everything else
 * without another. */
#include "model/choose.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/mixture.h"
#include "model/survey.h"

#define MOST_ROWS        5000
#define MOST_UNKNOWNS    1200
#define MIXES            7
#define FEW_OBSERVATIONS 2000      /* rows x outputs up to which the exact kernel is the cheaper way ... */
#define FEW_NUMBERS      (1 << 26) /* ... and what its matrices may hold in all */
#define SMALLEST_SHARE   0.01      /* of the variance: parts below leave a mixture */

/* Few inputs: fields, which vary on much shorter scales than the distance between two points picked at
 * random. */
static const double scales_low[] = {0.05, 0.1, 0.2, 0.4, 0.8};
static const double scales_high[] = {0.5, 1.0, 2.0};
static const double scales_mixture[] = {0.08, 0.16, 0.32, 0.64, 1.28};
static const double mixes[MIXES] = {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0};

/* ---- moments of the subsample */

/* Some rows of the head, in the plan's units. */
static orff_status sample(const orff_plan *plan, const orff_rows *rows, orff_table *table) {
    const orff_table *head = &rows->head;
    const size_t n = head->n < MOST_ROWS ? head->n : MOST_ROWS;
    ORFF_TRY(orff_table_init(table, n, plan->d, plan->p, head->weights != NULL));
    for (size_t i = 0; i < n; i++) {
        const size_t from = (size_t)((double)i * ((double)head->n / (double)n));
        for (size_t k = 0; k < plan->d; k++)
            table->X[i * plan->d + k] =
                (head->X[from * plan->d + k] - plan->units.shift[k]) / plan->units.unit[k];
        for (size_t k = 0; k < plan->p; k++)
            table->Y[i * plan->p + k] = head->Y[from * plan->p + k] / plan->units.spread[k];
        if (table->weights) table->weights[i] = head->weights[from];
    }
    return ORFF_OK;
}

/* Coefficients for each feature, about: the columns of the parts' blocks together, 1 for a Stein equation. */
static size_t columns_of(const orff_plan *plan) {
    const size_t n = plan->settings.n_parts;
    size_t columns = 0;
    if (n == 1 && plan->parts[0].rule == ORFF_DECOMPOSABLE) return 1;
    for (size_t m = 0; m < n; m++)
        columns += plan->parts[m].rule == ORFF_CURL_FREE  ? 1
                   : plan->parts[m].rule == ORFF_DIV_FREE ? plan->p - 1
                                                          : plan->p;
    return columns > 0 ? columns : 1;
}

/* Half as many frequencies as rows are as many features as rows: more would not tell candidates apart
 * better. And no more than keep the systems small: there is one to factor for every candidate and fold. */
static size_t fewer_features(const orff_plan *plan, const orff_table *table) {
    const size_t D = plan->settings.sampling.features, enough = table->n < 200 ? 100 : table->n / 2;
    const size_t small = MOST_UNKNOWNS / (2 * columns_of(plan)), quick = small < 50 ? 50 : small;
    const size_t most = enough < quick ? enough : quick;
    return D && D < most ? D : most;
}

/* Features of the plan as it stands and the moments of the table under them. */
static orff_status look(const orff_plan *plan, const orff_table *table, size_t folds,
                        orff_features **features, orff_moments **moments) {
    const orff_moments_settings how = {.folds = folds, .seed = plan->settings.sampling.seed};
    ORFF_TRY(orff_plan_features(plan, fewer_features(plan, table), features));
    ORFF_TRY(orff_moments_create(moments, *features, &how));
    return orff_moments_accumulate(*moments, table->n, table->X, table->Y, table->weights);
}

static size_t fewer_folds(const orff_plan *plan, const orff_table *table) {
    const size_t folds = plan->settings.folds > 1 && plan->settings.folds < 3 ? plan->settings.folds : 3;
    return table->n < 30 ? 2 : folds;
}

/* ---- length scales */

static bool wants_scale(const orff_part *part) {
    return part->rule != ORFF_SIGNATURE && part->sigma == 0.0;
}

/* Median distances: over the field's space (or all inputs), and over each other input by itself. */
static orff_status medians(const orff_plan *plan, const orff_table *table, double *median) {
    size_t *all;
    double together;
    const bool split = plan->space && plan->d > plan->p;
    ORFF_TRY(ORFF_NEW_ARRAY(all, plan->d));
    for (size_t i = 0; i < plan->d; i++) all[i] = i;
    orff_status status =
        orff_median_distance(table->n, plan->d, table->X, split ? plan->p : plan->d,
                             split ? plan->space : all, NULL, plan->settings.sampling.seed, &together);
    for (size_t i = 0; !status && i < plan->d; i++) {
        bool apart = split;
        for (size_t k = 0; split && k < plan->p; k++) apart = apart && plan->space[k] != i;
        median[i] = together;
        if (apart)
            status = orff_median_distance(table->n, plan->d, table->X, 1, &i, NULL,
                                          plan->settings.sampling.seed, &median[i]);
    }
    orff_release(all);
    return status;
}

static bool in_space(const orff_plan *plan, size_t i) {
    if (!plan->space || plan->d == plan->p) return true;
    for (size_t k = 0; k < plan->p; k++)
        if (plan->space[k] == i) return true;
    return false;
}

/* Covariates keep their own median: only the scales of the field's space are searched. */
static void set_scales(orff_plan *plan, const bool *chosen, const double *median, double multiple) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        for (size_t i = 0; chosen[m] && i < plan->d; i++)
            plan->sigmas[m * plan->d + i] = median[i] * (in_space(plan, i) ? multiple : 1.0);
}

static void set_mix(orff_plan *plan, double c) {
    for (size_t m = 0; m < plan->settings.n_parts; m++) plan->parts[m].mix = c;
}

/* The cross-validated error of the plan as it stands. */
static orff_status try_plan(const orff_plan *plan, const orff_table *table, double *error) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_best_lambda best = {0};
    orff_status status = look(plan, table, fewer_folds(plan, table), &features, &moments);
    if (!status) status = orff_plan_cross_validate(plan, features, moments, &best);
    *error = best.cv_mse;
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

/* The same for Helmholtz weight c, on moments that are there. */
static orff_status try_mix(orff_plan *plan, const orff_features *features, const orff_moments *moments,
                           double c, double *error) {
    orff_kernel *kernel = NULL;
    orff_features *bound = NULL;
    orff_best_lambda best = {0};
    set_mix(plan, c);
    orff_status status = orff_plan_kernel(plan, &kernel);
    if (!status) status = orff_features_rebind(&bound, features, kernel);
    if (!status) status = orff_plan_cross_validate(plan, bound, moments, &best);
    *error = best.cv_mse;
    orff_features_free(bound);
    orff_kernel_free(kernel);
    return status;
}

/* One pass over the table serves all of them. */
static orff_status search_mix(orff_plan *plan, const orff_table *table) {
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    double best = INFINITY, best_c = 0.5, error = INFINITY;
    orff_status status = look(plan, table, fewer_folds(plan, table), &features, &moments);
    for (size_t i = 0; !status && i < MIXES; i++) {
        status = try_mix(plan, features, moments, mixes[i], &error);
        if (!status && error < best) {
            best = error;
            best_c = mixes[i];
        }
    }
    set_mix(plan, best_c);
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

static orff_status search_scales(orff_plan *plan, const orff_table *table, const bool *chosen,
                                 const double *median) {
    const size_t inputs = plan->space ? plan->p : plan->d;
    const double *multiples = inputs <= 3 ? scales_low : scales_high;
    const size_t count =
        inputs <= 3 ? sizeof scales_low / sizeof *scales_low : sizeof scales_high / sizeof *scales_high;
    double best = INFINITY, best_multiple = multiples[0], error;
    for (size_t i = 0; i < count; i++) {
        ORFF_TRY(orff_progress("choosing scales", (double)i, (double)count));
        set_scales(plan, chosen, median, multiples[i]);
        ORFF_TRY(try_plan(plan, table, &error));
        if (error < best) {
            best = error;
            best_multiple = multiples[i];
        }
    }
    set_scales(plan, chosen, median, best_multiple);
    orff_log(ORFF_LOG_INFO, "length scale %g: %g of the median distance between inputs, by cross-validation",
             median[plan->space ? plan->space[0] : 0] * best_multiple, best_multiple);
    return ORFF_OK;
}

orff_status orff_choose_scales(orff_plan *plan, const orff_rows *rows) {
    orff_table table = {0};
    double *median = NULL;
    bool *chosen = NULL;
    const size_t n = plan->settings.n_parts;
    orff_status status = sample(plan, rows, &table);
    if (!status) status = ORFF_NEW_ARRAY(median, plan->d);
    if (!status) status = ORFF_NEW_ARRAY(chosen, n);
    if (!status) status = medians(plan, &table, median);
    for (size_t m = 0; !status && m < n; m++)
        chosen[m] = wants_scale(&plan->parts[m]) && !plan->parts[m].sigmas;
    if (!status && memchr(chosen, true, n * sizeof *chosen))
        status = search_scales(plan, &table, chosen, median);
    if (!status && plan->settings.auto_mix) status = search_mix(plan, &table);
    orff_table_clear(&table);
    orff_release(median);
    orff_release(chosen);
    return status;
}

/* ---- mixtures */

/* One line of the dictionary: a rule, and how its length scales stand to the median distances. */
typedef struct entry {
    orff_rule rule;
    bool stretched; /* by the spread of each input of the field's space: what has no w to follow may */
} entry;
enum { MOST_ENTRIES = 4 };

/* Whether the base has the second moment that curl-free and divergence-free parts need. */
static bool is_smooth(const orff_plan *plan, const orff_part *part) {
    orff_part probe = *part;
    double moments[3];
    probe.rule = ORFF_DECOMPOSABLE;
    probe.sigma = 1.0;
    return orff_part_moments(&probe, plan->d, plan->p, moments) == ORFF_OK && isfinite(moments[0]);
}

/* Decomposable always, curl-free and divergence-free where there is a field; stretched where inputs spread
 * unequally. */
static size_t fill_entries(const orff_plan *plan, const orff_part *part, const double *stretch,
                           entry *entries) {
    double low = stretch[0], high = stretch[0];
    size_t count = 0;
    for (size_t i = 1; i < plan->d; i++) {
        low = fmin(low, stretch[i]);
        high = fmax(high, stretch[i]);
    }
    entries[count++] = (entry){ORFF_DECOMPOSABLE, false};
    if (high > 1.25 * low) entries[count++] = (entry){ORFF_DECOMPOSABLE, true};
    if (orff_plan_has_field(plan) && is_smooth(plan, part)) {
        entries[count++] = (entry){ORFF_CURL_FREE, false};
        entries[count++] = (entry){ORFF_DIV_FREE, false};
    }
    return count;
}

/* The spread of each input of a field's space relative to their root mean square; ones elsewhere. */
static orff_status stretches(const orff_plan *plan, const orff_table *table, double *stretch) {
    double *spread, square = 0.0;
    ORFF_TRY(ORFF_NEW_ARRAY(spread, plan->d));
    orff_column_statistics(table->n, plan->d, table->X, NULL, spread, NULL);
    for (size_t i = 0; i < plan->d; i++) stretch[i] = 1.0;
    for (size_t k = 0; orff_plan_has_field(plan) && k < plan->p; k++)
        square += spread[plan->space[k]] * spread[plan->space[k]] / (double)plan->p;
    for (size_t k = 0; orff_plan_has_field(plan) && k < plan->p; k++)
        stretch[plan->space[k]] = spread[plan->space[k]] / sqrt(square);
    orff_release(spread);
    return ORFF_OK;
}

/* entries x scales, every part normalised so that weights are variances. */
static orff_status fill_dictionary(orff_plan *plan, const double *median, const double *stretch) {
    const size_t n_scales = sizeof scales_mixture / sizeof *scales_mixture;
    entry entries[MOST_ENTRIES];
    orff_part part = orff_part_default();
    part.base = plan->parts[0].base;
    part.shape = plan->parts[0].shape;
    part.normalise = true;
    const size_t n_entries = fill_entries(plan, &part, stretch, entries), n = n_entries * n_scales;
    orff_release(plan->parts);
    orff_release(plan->sigmas);
    plan->parts = NULL;
    plan->sigmas = NULL;
    ORFF_TRY(ORFF_NEW_ARRAY(plan->parts, n));
    ORFF_TRY(ORFF_NEW_ARRAY(plan->sigmas, n * plan->d));
    for (size_t m = 0; m < n; m++) {
        const entry *e = &entries[m % n_entries];
        plan->parts[m] = part;
        plan->parts[m].rule = e->rule;
        for (size_t i = 0; i < plan->d; i++)
            plan->sigmas[m * plan->d + i] = median[i] *
                                            (in_space(plan, i) ? scales_mixture[m / n_entries] : 1.0) *
                                            (e->stretched ? stretch[i] : 1.0);
    }
    plan->settings.n_parts = n;
    plan->settings.parts = plan->parts;
    return ORFF_OK;
}

/* Parts of weight 0 go; shares move along, noise's last. */
static orff_status keep_parts(orff_plan *plan, const double *weights) {
    size_t kept = 0;
    const size_t n = plan->settings.n_parts;
    for (size_t m = 0; m < n; m++) {
        if (!(weights[m] > 0.0)) continue;
        plan->parts[kept] = plan->parts[m];
        plan->parts[kept].weight *= weights[m];
        plan->shares[kept] = plan->shares[m];
        memmove(plan->sigmas + kept * plan->d, plan->sigmas + m * plan->d, plan->d * sizeof *plan->sigmas);
        kept++;
    }
    plan->shares[kept] = plan->shares[n];
    plan->settings.n_parts = kept;
    if (kept) return ORFF_OK;
    return orff_fail(ORFF_NUMERICAL,
                     "the evidence keeps no part of the mixture: the outputs look like pure noise");
}

orff_status orff_plan_learn_weights(orff_plan *plan, const orff_features *features,
                                    const orff_moments *moments) {
    double *weights, lambda;
    const size_t n = plan->settings.n_parts;
    ORFF_TRY(ORFF_NEW_ARRAY(weights, n));
    orff_release(plan->shares);
    orff_status status = ORFF_NEW_ARRAY(plan->shares, n + 1);
    for (size_t m = 0; m < n; m++) weights[m] = 1.0;
    if (!status)
        status = orff_mixture_learn(features, moments, plan->settings.center, ORFF_EVIDENCE, SMALLEST_SHARE,
                                    weights, &lambda, plan->shares, NULL);
    if (!status) status = keep_parts(plan, weights);
    orff_release(weights);
    return status;
}

static bool is_few(const orff_plan *plan, size_t rows) {
    const size_t P = rows * plan->p;
    return rows <= FEW_OBSERVATIONS && P <= FEW_OBSERVATIONS &&
           (plan->settings.n_parts + 2) * P * P <= FEW_NUMBERS;
}

/* Few rows without weights: the exact kernel, no features. */
static orff_status learn_exact(orff_plan *plan, const orff_table *table) {
    double *weights = NULL, lambda;
    orff_kernel *kernel = NULL;
    const size_t n = plan->settings.n_parts;
    orff_release(plan->shares);
    plan->shares = NULL;
    orff_status status = ORFF_NEW_ARRAY(plan->shares, n + 1);
    if (!status) status = ORFF_NEW_ARRAY(weights, n);
    if (!status) status = orff_plan_kernel(plan, &kernel);
    for (size_t m = 0; !status && m < n; m++) weights[m] = 1.0;
    if (!status)
        status = orff_exact_mixture_learn(kernel, table->n, table->X, table->Y, plan->settings.center,
                                          SMALLEST_SHARE, weights, &lambda, plan->shares);
    orff_kernel_free(kernel);
    if (!status) status = keep_parts(plan, weights);
    orff_release(weights);
    return status;
}

static orff_status learn(orff_plan *plan, const orff_table *table) {
    if (is_few(plan, table->n) && !table->weights) return learn_exact(plan, table);
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    orff_status status = look(plan, table, 1, &features, &moments);
    if (!status) status = orff_plan_learn_weights(plan, features, moments);
    orff_moments_free(moments);
    orff_features_free(features);
    return status;
}

orff_status orff_choose_mixture(orff_plan *plan, const orff_rows *rows) {
    orff_table table = {0};
    double *median = NULL, *stretch = NULL;
    orff_status status = sample(plan, rows, &table);
    if (!status) status = ORFF_NEW_ARRAY(median, plan->d);
    if (!status) status = ORFF_NEW_ARRAY(stretch, plan->d);
    if (!status) status = medians(plan, &table, median);
    if (!status) status = stretches(plan, &table, stretch);
    if (!status) status = fill_dictionary(plan, median, stretch);
    if (!status) status = learn(plan, &table);
    orff_table_clear(&table);
    orff_release(median);
    orff_release(stretch);
    return status;
}

/* Custom parts may have no exact form. */
static bool has_exact(const orff_plan *plan) {
    for (size_t m = 0; m < plan->settings.n_parts; m++)
        if (plan->parts[m].rule == ORFF_CUSTOM_A || plan->parts[m].rule == ORFF_CUSTOM_B) return false;
    return true;
}

orff_status orff_choose_weights(orff_plan *plan, const orff_rows *rows) {
    orff_table table = {0};
    const orff_table *head = &rows->head;
    const bool all = rows->stream ? head->n < plan->settings.subsample : head->n == rows->n;
    if (!all || head->weights || !is_few(plan, head->n) || !has_exact(plan)) return ORFF_OK;
    orff_status status = sample(plan, rows, &table);
    if (!status) status = learn_exact(plan, &table);
    if (!status) plan->settings.mixture = false;
    orff_table_clear(&table);
    return status;
}
