#include "model/doubts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/special.h"
#include "base/threads.h"
#include "exact/learn.h"
#include "exact/near.h"
#include "model/held_out.h"
#include "model/outliers.h"
#include "model/trial.h"

#define STREAM  0x4454u
#define QUERIES 500  /* rows whose nearest one is looked for */
#define WORK    2e8  /* numbers that are compared for it, at most */
#define BETWEEN 1000 /* points between rows where f is looked at */
#define BEYOND \
    2.0 /* ranges of the outputs outside of it: fields overshoot, but not by twice all that was measured */
#define LOWEST     0.90 /* coverage of 95 % that is still right: length scales and noise are estimates */
#define HIGHEST    0.65 /* coverage of 50 % likewise: of 95 % too many cannot be told from chance */
#define NEGLIGIBLE 0.01 /* of the spread of the outputs: errors whose bars are not asked about */
#define CHANCE     3.0  /* standard errors of a binomial count: one of 700 fits errs by chance */
#define OUTLYING   0.5  /* share of outliers in squares: the noise seems larger by a factor of 1.4 */
#define TOP        9.1  /* log of noise over field: just below the largest that candidate.c tries */

static const unsigned all_flags = ORFF_WARN_LAMBDA_AT_END | ORFF_WARN_FEW_FEATURES | ORFF_WARN_WILD |
                                  ORFF_WARN_COVERAGE | ORFF_WARN_OUTLIERS | ORFF_WARN_REPEATED |
                                  ORFF_WARN_MEAN;

/* ---- lambda */

/* Whether lambda is an end of the path that the settings name, or all was found to be noise. A step of the path is far
 * more than what the size of an approximate kernel differs by. relative: lambda over the kernel's size. */
static bool is_at_end(const orffi_plan *plan, double relative) {
    const orff_settings *s = &plan->settings;
    if (plan->shift > 0.0 && plan->engine->evident && log(plan->shift) > TOP) return true;
    if ((s->lambda > 0.0 && !plan->path_taken) || plan->shift > 0.0 || s->lambda_count < 2) return false;
    const double step = pow(s->lambda_high / s->lambda_low, 0.5 / (double)(s->lambda_count - 1));
    return relative < s->lambda_low * step || relative > s->lambda_high / step;
}

/* Whether the field varies by less than the mean errs that was subtracted: its variance a K(0) is less than that of the noise
 * a N lambda over N. The posterior, which takes this mean as known, then says far too little of f. */
static bool is_mean_alone(const orff_model *model, const orffi_plan *plan, double relative) {
    const bool chosen = plan->path_taken || !(plan->settings.lambda > 0.0);
    return plan->settings.center && !plan->trend && !plan->directed && !model->classes && chosen &&
           relative > 1.0;
}

static orff_status find_lambda(orff_model *model, const orffi_plan *plan) {
    double size = NAN; /* kernels without an exact form have none */
    if (orffi_exact_size(orffi_model_kernel(model), &size) == ORFF_ERROR_NO_MEMORY)
        return ORFF_ERROR_NO_MEMORY;
    const double relative = model->lambda / size;
    const bool at_end = is_at_end(plan, relative);
    if (is_mean_alone(model, plan, relative) && (!at_end || plan->shift > 0.0)) {
        model->doubts.flags |= ORFF_WARN_MEAN;
    } else if (at_end) {
        model->doubts.flags |= ORFF_WARN_LAMBDA_AT_END;
    }
    return ORFF_OK;
}

/* ---- too few features */

/* The inputs of the head in their units, divided once and not in every distance. */
static orff_status scale_inputs(const orffi_plan *plan, const orffi_table *head, double **X) {
    const size_t d = plan->d;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*X, head->n * d));
    for (size_t i = 0; i < head->n * d; i++) (*X)[i] = head->X[i] / plan->units.unit[i % d];
    return ORFF_OK;
}

/* The row nearest to row i of X (n x d); n if there is no other. */
static size_t nearest_row(size_t n, size_t d, const double *X, size_t i) {
    size_t near = n;
    double least = INFINITY;
    for (size_t j = 0; j < n; j++) {
        double square = 0.0;
        for (size_t k = 0; k < d && square < least; k++) {
            const double step = X[i * d + k] - X[j * d + k];
            square += step * step;
        }
        if (square < least && j != i) {
            least = square;
            near = j;
        }
    }
    return near;
}

/* The mean square error, averaged over the outputs, of predicting rows of the head by the value of their
 * nearest row. On average it is at least twice the variance of the noise. */
static orff_status nearest_error(const orffi_plan *plan, const orffi_table *head, double *error) {
    const size_t d = plan->d, p = plan->p, n = head->n;
    size_t queries = n < QUERIES ? n : QUERIES, *near = NULL;
    const double most = WORK / ((double)n * (double)d);
    const int threads = orffi_thread_count();
    double *X = NULL;
    if ((double)queries > most) queries = most < 2.0 ? 2 : (size_t)most;
    *error = 0.0;
    orff_status status = scale_inputs(plan, head, &X);
    if (!status) status = ORFFI_NEW_ARRAY(near, queries);
    if (!status) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (size_t q = 0; q < queries; q++) near[q] = nearest_row(n, d, X, q * (n / queries));
    }
    for (size_t q = 0; !status && q < queries; q++)
        for (size_t k = 0; near[q] < n && k < p; k++) {
            const double step = head->Y[q * (n / queries) * p + k] - head->Y[near[q] * p + k];
            *error += step * step / (double)(queries * p);
        }
    orffi_release(X);
    orffi_release(near);
    return status;
}

/* ---- between the rows */

/* How far |f| (F: BETWEEN x p) exceeds the largest directed measurement, in units of twice that
 * measurement. */
static double beyond_directed(const orffi_table *head, const double *F) {
    double seen = 0.0, most = 0.0;
    for (size_t i = 0; i < head->n; i++) seen = fmax(seen, fabs(head->Y[i]));
    for (size_t i = 0; i < BETWEEN * head->p; i++) most = fmax(most, fabs(F[i]));
    return seen > 0.0 ? fmax(most - seen, 0.0) / (2.0 * seen) : 0.0;
}

/* How far f leaves the range of an output, in units of that range, at points between two rows; the largest
 * value over all outputs. */
static orff_status check_between(const orff_model *model, const orffi_plan *plan, const orffi_table *head,
                                 double *beyond) {
    const orffi_rng rng = {plan->settings.sampling.seed, STREAM};
    const size_t d = plan->d, p = plan->p;
    double *X = NULL, *F = NULL;
    orff_status status = ORFFI_NEW_ARRAY(X, BETWEEN * d);
    if (!status) status = ORFFI_NEW_ARRAY(F, BETWEEN * p);
    for (size_t i = 0; !status && i < BETWEEN; i++) {
        const double *a = head->X + orffi_rng_below(rng, i, 0, head->n) * d;
        const double *b = head->X + orffi_rng_below(rng, i, 1, head->n) * d, t = orffi_rng_uniform(rng, i, 2);
        for (size_t k = 0; k < d; k++) X[i * d + k] = a[k] + t * (b[k] - a[k]);
    }
    if (!status) status = orff_model_predict(model, BETWEEN, X, F);
    if (head->along && !status) *beyond = beyond_directed(head, F);
    for (size_t k = 0; !status && !head->along && k < p; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < head->n; i++) {
            low = fmin(low, head->Y[i * p + k]);
            high = fmax(high, head->Y[i * p + k]);
        }
        for (size_t i = 0; high > low && i < BETWEEN; i++)
            *beyond = fmax(*beyond, fmax(F[i * p + k] - high, low - F[i * p + k]) / (high - low));
    }
    orffi_release(X);
    orffi_release(F);
    return status;
}

/* ---- coverage */

/* Errors of the rows of a block are similar, so a block counts as one trial. */
static bool is_too_low(double coverage, size_t blocks) {
    return coverage < LOWEST - CHANCE * sqrt(LOWEST * (1.0 - LOWEST) / (double)blocks);
}

static bool is_too_high(double coverage, size_t blocks) {
    return coverage > HIGHEST + CHANCE * sqrt(HIGHEST * (1.0 - HIGHEST) / (double)blocks);
}

/* The variance, averaged over the outputs. */
static double variance(const orffi_table *head) {
    double sum = 0.0;
    const size_t width = orffi_table_width(head);
    for (size_t k = 0; k < width; k++) {
        double mean = 0.0;
        for (size_t i = 0; i < head->n; i++) mean += head->Y[i * width + k] / (double)head->n;
        for (size_t i = 0; i < head->n; i++) sum += pow(head->Y[i * width + k] - mean, 2.0);
    }
    return sum / ((double)head->n * (double)width);
}

/* With few blocks or groups, counting says little. So each block yields a number of mean 1 and variance at
 * most 2 if the error bars hold. Its mean is `most` for error bars so small that 95 % intervals hold a
 * share of LOWEST. */
static bool has_excess(double excess, size_t blocks) {
    const double most = pow(orffi_normal_quantile(0.975) / orffi_normal_quantile(0.5 + 0.5 * LOWEST), 2.0);
    return excess > most * (1.0 + CHANCE * sqrt(2.0 / (double)blocks));
}

/* Errors that are small compared with the outputs, as for functions without noise, raise no doubt. */
static bool is_wrong(const orff_model *model, const orffi_table *head) {
    const size_t blocks = model->held.blocks;
    if (!blocks || model->held.mse < NEGLIGIBLE * NEGLIGIBLE * variance(head)) return false;
    return is_too_low(model->held.coverage[2], blocks) || is_too_high(model->held.coverage[0], blocks) ||
           (model->held.coverage[2] < LOWEST && has_excess(model->held.excess, blocks));
}

/* Errors of a normal law whose bars are too wide by a factor s are within z s of them: if intervals of 50 % hold too many,
 * those of 95 % hold next to all. Errors beyond, more than chance allows and more than one, are those of another law. */
static bool has_tails(const orff_model *model) {
    const size_t blocks = model->held.blocks;
    const double s = orffi_normal_quantile(0.5 + 0.5 * fmin(model->held.coverage[0], 1.0 - 1e-9)) /
                     orffi_normal_quantile(0.75);
    const double beyond = 2.0 * orffi_normal_cdf(-s * orffi_normal_quantile(0.975));
    const double most = beyond + CHANCE * sqrt(beyond / (double)blocks) + 1.0 / (double)model->held.rows;
    return is_too_high(model->held.coverage[0], blocks) && 1.0 - model->held.coverage[2] > most;
}

/* ---- inputs of few values */

/* Rows with the same value of an input may come from one building or one day: other rows of it say
 * everything about them, but nothing about a new one. Blocks do not notice that if rows of the same value
 * lie in several blocks. */
static bool is_repeated(const orff_model *model, double by_blocks, const orffi_table *head) {
    const size_t groups = model->held.blocks;
    const double chance = 1.0 + CHANCE * sqrt(2.0 / (double)groups); /* of a mean of so many squares */
    const double coverage = model->held.coverage[2];
    if (model->held.mse < NEGLIGIBLE * NEGLIGIBLE * variance(head)) return false;
    return model->held.mse > by_blocks * chance &&
           (is_too_low(coverage, groups) || (coverage < LOWEST && has_excess(model->held.excess, groups)));
}

static orff_status try_input(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                             size_t input) {
    const double by_blocks = model->held.mse;
    double *outputs = model->held.outputs;
    size_t values;
    const size_t known = model->doubts.repeated.values;
    orff_model kept = *model;
    const orff_status status = orffi_held_out_values(model, plan, rows, input, &values);
    /* Of several inputs, keep the one with most values: the building, not its number of floors. */
    if (!status && values > known && is_repeated(model, by_blocks, &rows->head)) {
        kept.doubts.flags |= ORFF_WARN_REPEATED;
        kept.doubts.repeated.input = input + 1;
        kept.doubts.repeated.values = values;
        kept.doubts.repeated.mse = model->held.mse;
        kept.doubts.repeated.coverage = model->held.coverage[2];
    }
    if (model->held.outputs != outputs) orffi_release(model->held.outputs);
    *model = kept;
    return status;
}

/* A coordinate of a field: on a grid it has few values too, but they are no groups. */
static bool is_coordinate(const orffi_plan *plan, size_t input) {
    return plan->physical && orffi_plan_in_space(plan, input);
}

/* ---- outliers */

/* What is known of the errors of rows, as standard deviations in some unit: n x p. */
static orff_status fill_errors(const orffi_table *head, double **errors) {
    if (!head->known) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(errors, head->n, head->p * sizeof **errors));
    for (size_t i = 0; i < head->n * head->p; i++) (*errors)[i] = sqrt(head->known[i / head->p]);
    return ORFF_OK;
}

static orff_status find_outliers(orff_model *model, const orffi_plan *plan, const orffi_rows *rows) {
    const orffi_table *head = &rows->head;
    orffi_outliers found = {0};
    double *errors = NULL;
    size_t named = 0;
    if (model->classes || head->along) return ORFF_OK;
    if (plan->d > ORFFI_NEAR_MOST && (double)head->n * (double)head->n * (double)plan->d > WORK)
        return ORFF_OK;
    orff_status status = fill_errors(head, &errors);
    const orff_observations all = {.d = plan->d,
                                   .p = plan->p,
                                   .n = head->n,
                                   .X = head->X,
                                   .Y = head->Y,
                                   .errors = errors,
                                   .instruments = head->instrument};
    /* Where a few errors are known to be far larger than all others, the rows they may come from are named, however few. */
    const bool tails = model->doubts.flags & ORFF_WARN_COVERAGE && has_tails(model);
    if (!status) status = orffi_outliers_find(&found, &all, NULL, tails ? 0.0 : OUTLYING);
    if (!status && found.count) {
        model->doubts.flags |= ORFF_WARN_OUTLIERS;
        model->doubts.outlying = found.share;
        model->doubts.outliers = found.count;
        model->doubts.looked_at = head->n;
    }
    for (size_t i = 0; !status && i < head->n && named < ORFFI_FIRST_OUTLIERS; i++)
        if (found.out[i]) model->doubts.first[named++] = orffi_rows_place(rows, i) + 1;
    orffi_outliers_clear(&found);
    orffi_release(errors);
    return status;
}

orff_status orffi_doubts_find(orff_model *model, const orffi_plan *plan, const orffi_rows *rows) {
    const orffi_table *head = &rows->head;
    ORFFI_TRY(find_lambda(model, plan));
    if (!model->classes && head->n > 1) {
        /* Neighbours of directed rows may have other directions, and a user who gives lambda may want f
         * smooth. */
        const bool tells = plan->engine->draws && !head->along && !(plan->settings.lambda > 0.0);
        if (tells) ORFFI_TRY(nearest_error(plan, head, &model->doubts.nearest_mse));
        if (tells && model->train_mse > model->doubts.nearest_mse)
            model->doubts.flags |= ORFF_WARN_FEW_FEATURES;
        ORFFI_TRY(check_between(model, plan, head, &model->doubts.beyond));
        if (model->doubts.beyond > BEYOND) model->doubts.flags |= ORFF_WARN_WILD;
    }
    if (is_wrong(model, head)) model->doubts.flags |= ORFF_WARN_COVERAGE;
    ORFFI_TRY(find_outliers(model, plan, rows));
    if (model->doubts.flags & ORFF_WARN_OUTLIERS)
        model->doubts.flags &= ~ORFF_WARN_MEAN; /* they hide the field */
    for (size_t k = 0; k < plan->d; k++)
        if (!is_coordinate(plan, k)) ORFFI_TRY(try_input(model, plan, rows, k));
    orffi_doubts_say(model);
    return ORFF_OK;
}

/* ---- in words */

static void say(orff_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(orff_model *model, const char *format, ...) {
    const size_t used = strlen(model->warning), room = sizeof model->warning - used;
    va_list arguments;
    if (used && room > 3) memcpy(model->warning + used, "; ", 3);
    const size_t more = used && room > 3 ? 2 : 0;
    va_start(arguments, format);
    vsnprintf(model->warning + used + more, room - more, format, arguments);
    va_end(arguments);
}

static void say_outliers(orff_model *model) {
    char rows[256] = "";
    for (size_t i = 0; i < ORFFI_FIRST_OUTLIERS && model->doubts.first[i]; i++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s%zu", i ? ", " : "",
                 model->doubts.first[i]);
    say(model,
        "%zu of %zu rows (counted from 1: %s%s) are far from all their neighbours, and are %.0f %% of the "
        "squares that rows "
        "differ from theirs by: if they are mistakes, learn without them (drop-outliers yes), and compare",
        model->doubts.outliers, model->doubts.looked_at, rows,
        model->doubts.outliers > ORFFI_FIRST_OUTLIERS ? ", .." : "", 100.0 * model->doubts.outlying);
}

void orffi_doubts_say(orff_model *model) {
    const unsigned flags = model->doubts.flags;
    const bool draws = model->engine->draws;
    model->warnings |= flags;
    if (flags & ORFF_WARN_OUTLIERS) say_outliers(model);
    if (flags & ORFF_WARN_LAMBDA_AT_END)
        say(model,
            "lambda, %.3g, is at the end of the range that was searched, so the best value may lie outside: "
            "give a wider "
            "lambda-grid, or lambda",
            model->lambda);
    if (flags & ORFF_WARN_MEAN)
        say(model,
            "the outputs look like noise about their mean; the error bars of the field leave out the error "
            "of this mean and are too small: check the columns, or give trend constant, which includes it");
    if (flags & ORFF_WARN_FEW_FEATURES)
        say(model,
            "at the training rows the error of the model is %.3g, more than that of the value at the nearest "
            "row (%.3g): there are too few features for the detail of the data, or lambda or sigma are too "
            "large; give more features, or for up to three inputs the engine lattice",
            sqrt(model->train_mse), sqrt(model->doubts.nearest_mse));
    if (flags & ORFF_WARN_WILD)
        say(model,
            "between the rows the function exceeds the range of the outputs by %.3g times that range: do not "
            "trust it in gaps; %s",
            model->doubts.beyond,
            draws ? "give more features or a larger lambda, or for up to three inputs the engine lattice"
                  : "give a larger lambda or a shorter sigma");
    if (flags & ORFF_WARN_REPEATED)
        say(model,
            "input %zu has %zu values; if all rows of a value are held out the error is %.3g instead of "
            "%.3g, and "
            "intervals of 95 %% contain %.0f %% of them, so the other errors flatter predictions for new "
            "values: give its "
            "column as groups (--groups COLUMN)",
            model->doubts.repeated.input, model->doubts.repeated.values, sqrt(model->doubts.repeated.mse),
            sqrt(model->held.mse), 100.0 * model->doubts.repeated.coverage);
    if (flags & ORFF_WARN_OUTLIERS) return; /* its error bars are wide because of them */
    if (flags & ORFF_WARN_COVERAGE && has_tails(model))
        say(model,
            "intervals of 50 and 95 %% contain %.0f and %.0f %% of the rows held out by %s: a few errors are "
            "far larger than all others. Look for outliers (the loss %s tolerates them), or for a value that "
            "most rows share",
            100.0 * model->held.coverage[0], 100.0 * model->held.coverage[2],
            orff_folds_name(model->held.folds), orff_loss_name(ORFF_LOSS_HUBER));
    else if (flags & ORFF_WARN_COVERAGE)
        say(model,
            "intervals of 50 and 95 %% contain %.0f and %.0f %% of the rows held out by %s, so error bars "
            "are too %s: try another base or kernel, and sigma and lambda auto if they were given",
            100.0 * model->held.coverage[0], 100.0 * model->held.coverage[2],
            orff_folds_name(model->held.folds),
            is_too_low(model->held.coverage[2], model->held.blocks) ||
                    !is_too_high(model->held.coverage[0], model->held.blocks)
                ? "small"
                : "large");
}

/* ---- files */

/* Outliers: their share, their number, the rows examined, and the numbers of the first ones. */
static json_t *pack_outliers(const orff_model *model) {
    double numbers[3 + ORFFI_FIRST_OUTLIERS] = {model->doubts.outlying, (double)model->doubts.outliers,
                                                (double)model->doubts.looked_at};
    for (size_t i = 0; i < ORFFI_FIRST_OUTLIERS; i++) numbers[3 + i] = (double)model->doubts.first[i];
    return orffi_json_numbers(3 + ORFFI_FIRST_OUTLIERS, numbers);
}

static json_t *pack_repeated(const orff_model *model) {
    const double numbers[] = {(double)model->doubts.repeated.input, (double)model->doubts.repeated.values,
                              model->doubts.repeated.mse, model->doubts.repeated.coverage};
    return orffi_json_numbers(4, numbers);
}

static orff_status unpack_repeated(const orffi_fields *in, orff_model *model) {
    double *numbers;
    ORFFI_TRY(orffi_fields_numbers(in, "repeated", 4, &numbers));
    const bool right = numbers[0] >= 1.0 && numbers[0] <= (double)model->d && numbers[1] >= 2.0 &&
                       numbers[1] < 9e15 && numbers[2] >= 0.0 && numbers[3] >= 0.0 && numbers[3] <= 1.0;
    if (right) {
        model->doubts.repeated.input = (size_t)numbers[0];
        model->doubts.repeated.values = (size_t)numbers[1];
        model->doubts.repeated.mse = numbers[2];
        model->doubts.repeated.coverage = numbers[3];
    }
    orffi_release(numbers);
    return right ? ORFF_OK : orffi_fields_fail(in, "repeated", "has a number out of range");
}

static orff_status unpack_outliers(const orffi_fields *in, orff_model *model) {
    double *numbers;
    ORFFI_TRY(orffi_fields_numbers(in, "outliers", 3 + ORFFI_FIRST_OUTLIERS, &numbers));
    bool right = true;
    for (size_t i = 0; i < 3 + ORFFI_FIRST_OUTLIERS; i++) /* Integers that a double represents exactly. */
        right = right && numbers[i] >= 0.0 && numbers[i] < 9e15;
    if (right) {
        model->doubts.outlying = numbers[0];
        model->doubts.outliers = (size_t)numbers[1];
        model->doubts.looked_at = (size_t)numbers[2];
    }
    for (size_t i = 0; right && i < ORFFI_FIRST_OUTLIERS; i++)
        model->doubts.first[i] = (size_t)numbers[3 + i];
    orffi_release(numbers);
    return right ? ORFF_OK : orffi_fields_fail(in, "outliers", "has a number out of range");
}

int orffi_doubts_pack(const orff_model *model, json_t *object) {
    json_t *doubts = json_pack("{sI so so}", "flags", (json_int_t)model->doubts.flags, "nearest_mse",
                               orffi_json_number(model->doubts.nearest_mse), "beyond",
                               orffi_json_number(model->doubts.beyond));
    int failed = json_object_set_new(object, "doubts", doubts);
    if (!failed && model->doubts.outliers)
        failed = json_object_set_new(doubts, "outliers", pack_outliers(model));
    if (!failed && model->doubts.repeated.values)
        failed = json_object_set_new(doubts, "repeated", pack_repeated(model));
    if (failed || !model->held.outputs) return failed;
    json_t *held =
        json_pack("{ss so so so sI sI}", "folds", orff_folds_name(model->held.folds), "mse",
                  orffi_json_number(model->held.mse), "outputs",
                  orffi_json_numbers(model->p, model->held.outputs), "coverage",
                  model->held.blocks ? orffi_json_numbers(ORFF_INTERVALS, model->held.coverage) : json_null(),
                  "rows", (json_int_t)model->held.rows, "blocks", (json_int_t)model->held.blocks);
    return json_object_set_new(object, "held_out", held);
}

static orff_status unpack_held(const orffi_fields *in, orff_model *model) {
    const char *name;
    double *coverage = NULL;
    ORFFI_TRY(orffi_fields_text(in, "folds", &name));
    ORFFI_TRY(orffi_fields_blame(in, orff_folds_parse(name, &model->held.folds)));
    ORFFI_TRY(orffi_fields_number(in, "mse", &model->held.mse));
    ORFFI_TRY(orffi_fields_size(in, "rows", &model->held.rows));
    ORFFI_TRY(orffi_fields_size(in, "blocks", &model->held.blocks));
    ORFFI_TRY(orffi_fields_numbers(in, "outputs", model->p, &model->held.outputs));
    for (size_t k = 0; k < model->p; k++)
        if (!(model->held.outputs[k] >= 0.0) || !(model->held.mse >= 0.0))
            return orffi_fields_fail(in, "outputs", "has a negative error");
    if (!orffi_fields_has(in, "coverage")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_numbers(in, "coverage", ORFF_INTERVALS, &coverage));
    memcpy(model->held.coverage, coverage, sizeof model->held.coverage);
    orffi_release(coverage);
    return ORFF_OK;
}

/* Older files have neither. */
orff_status orffi_doubts_unpack(const orffi_fields *about, orff_model *model) {
    orffi_fields in;
    size_t flags;
    if (orffi_fields_has(about, "held_out")) {
        ORFFI_TRY(orffi_fields_object(about, "held_out", &in));
        ORFFI_TRY(unpack_held(&in, model));
    }
    if (!orffi_fields_has(about, "doubts")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(about, "doubts", &in));
    ORFFI_TRY(orffi_fields_size(&in, "flags", &flags));
    ORFFI_TRY(orffi_fields_any_number(&in, "nearest_mse", &model->doubts.nearest_mse));
    ORFFI_TRY(orffi_fields_any_number(&in, "beyond", &model->doubts.beyond));
    if (orffi_fields_has(&in, "outliers")) ORFFI_TRY(unpack_outliers(&in, model));
    if (orffi_fields_has(&in, "repeated")) ORFFI_TRY(unpack_repeated(&in, model));
    model->doubts.flags = (unsigned)flags & all_flags;
    return ORFF_OK;
}
