/* Base, length scales, noise, weights and mix by the evidence: the parts under which the outputs are most
 * probable.
 *
 * First on few rows: length scales from a list, then each base up to its top, the next one from where the last one ended;
 * then whether a length scale for each part, or for each input, gains enough. The winner goes on to its top on more rows, and so do
 * bases that it was hardly better than. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/near.h"
#include "model/choice.h"
#include "model/choose.h"
#include "model/patches.h"
#include "model/smoothness.h"
#include "model/survey.h"

/* Orders of matrices (rows, or rows times outputs if the kernel is not k I). An evaluation costs their
 * cube: some milliseconds for the few rows, about ten times that for the many. A patch of 100 rows is 10
 * rows wide in the plane. If 300 of 30 000 rows are spread over all, neighbours among them are as far
 * apart as a patch is wide, so that no length scale falls between the two. */
static const struct size {
    size_t whole; /* up to here all rows in one group: the true evidence */
    size_t tiled; /* and up to here every row is in one patch */
    size_t spread, patch, patches;
} few_rows = {400, 400, 300, 100, 8}, many_rows = {ORFFI_EVIDENCE_WHOLE, 16000, 500, 160, 24};

#define STARTS      5    /* length scales tried first */
#define ROUGHLY     0.1  /* differences of the log evidence below this mean nothing */
#define FINELY      0.01 /* the maximum is flat: this gives length scales to within about 1 % */
#define MOST_INPUTS 20   /* a few hundred rows cannot tell apart more length scales than that */
#define EVALUATIONS 100  /* evaluations of one choice, about */

/* The log of a ratio of likelihoods has about twice its mean for a variance: where it is D in favour of the wrong base, that is
 * a chance of sqrt(2 D) standard deviations or more. More than three of them are none. */
#define DOUBTFUL 4.5

/* The order of a matrix that is factored a few times, in a tenth of a second each or two. */
#define PROOF 2000

static const double start_noises[] = {0.01, 0.3}; /* of the variance: almost none, and much */

/* ---- samples */

void orffi_sample_clear(orffi_sample *sample) {
    for (size_t g = 0; sample->tables && g < sample->count; g++) orffi_table_clear(&sample->tables[g]);
    orffi_release(sample->tables);
    *sample = (orffi_sample){0};
}

static orff_status fill_sample(const orffi_table *table, const double *median, size_t order, struct size size,
                               orffi_sample *sample) {
    const size_t all = table->n * order, cover = all / size.patch + 1;
    orffi_grouping how = {.spread = size.spread / order + 1,
                          .patches = size.patches < cover ? size.patches : cover,
                          .patch = size.patch / order + 1};
    if (all <= size.tiled)
        for (how.patches = 1; all > size.patch * how.patches; how.patches *= 2) {}
    sample->count = all <= size.whole ? 1 : how.patches + 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(sample->tables, sample->count));
    if (all <= size.whole) return orffi_patches(table, median, table->n, sample->tables);
    if (all <= size.tiled) return orffi_patches_tiled(table, median, &how, sample->tables);
    return orffi_patches_apart(table, median, &how, sample->tables);
}

orff_status orffi_sample_few(const orffi_table *table, const double *median, size_t order,
                             orffi_sample *sample) {
    return fill_sample(table, median, order, few_rows, sample);
}

orff_status orffi_sample_many(const orffi_table *table, const double *median, size_t order,
                              orffi_sample *sample) {
    return fill_sample(table, median, order, many_rows, sample);
}

size_t orffi_sample_room(void) {
    return many_rows.spread + many_rows.patches * many_rows.patch;
}

/* Subtracts the weighted mean of each output, as the model does. */
orff_status orffi_sample_center(const orffi_plan *plan, orffi_table *table) {
    double *mean;
    if (!plan->settings.center) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(mean, plan->p));
    const orff_status status = orffi_table_mean(table, mean);
    if (!status) orffi_table_subtract(table, mean);
    orffi_release(mean);
    return status;
}

/* Whether some row with positive weight differs from the mean. */
static bool varies(const orffi_sample *sample) {
    for (size_t g = 0; g < sample->count; g++) {
        const orffi_table *t = &sample->tables[g];
        const size_t width = orffi_table_width(t);
        for (size_t i = 0; i < t->n * width; i++)
            if (t->Y[i] != 0.0 && (!t->weights || t->weights[i / width] > 0.0)) return true;
    }
    return false;
}

/* ---- starts */

/* In the field's space length scales become `scale`; covariates get the median of their distances. */
static void set_scales(const orffi_choice *c, orffi_candidate *candidate, double scale) {
    for (size_t m = 0; m < candidate->parts.count; m++)
        for (size_t i = 0; c->judge.chosen[m] && i < c->plan->d; i++)
            candidate->parts.list[m].sigmas[i] = orffi_plan_in_space(c->plan, i) ? scale : c->judge.median[i];
}

static double space_median(const orffi_choice *c) {
    for (size_t i = 0; i < c->plan->d; i++)
        if (orffi_plan_in_space(c->plan, i)) return c->judge.median[i];
    return 1.0;
}

/* From the distance of neighbours to three median distances, in equal ratios. */
static double start_scale(const orffi_choice *c, size_t i) {
    const double low = fmin(c->spacing, space_median(c)), high = 3.0 * space_median(c);
    return low * pow(high / low, (double)i / (STARTS - 1));
}

/* The best start with this noise. */
static orff_status find_start(orffi_choice *c, orffi_candidate *candidate, double noise) {
    double best = -INFINITY, scale = start_scale(c, STARTS / 2);
    bool any = false;
    for (size_t m = 0; m < c->plan->parts.count; m++) any |= c->judge.chosen[m];
    candidate->log_noise = log(noise);
    for (size_t i = 0; any && i < STARTS; i++) {
        set_scales(c, candidate, start_scale(c, i));
        ORFFI_TRY(orffi_candidate_judge(candidate, &c->judge, &c->few));
        if (candidate->value <= best) continue;
        best = candidate->value;
        scale = start_scale(c, i);
    }
    set_scales(c, candidate, scale);
    return ORFF_OK;
}

static void replace_best(orffi_candidate *best, orffi_candidate *other) {
    orffi_candidate_clear(best);
    *best = *other;
    *other = (orffi_candidate){0};
}

/* Keeps the better of two candidates in `best`, and clears the other. */
static void keep_better(orffi_candidate *best, orffi_candidate *other) {
    if (!best->parts.list || other->value > best->value) replace_best(best, other);
    orffi_candidate_clear(other);
}

static orff_status climb_from_starts(orffi_choice *c, const orffi_candidate *from) {
    for (size_t i = 0; i < sizeof start_noises / sizeof *start_noises; i++) {
        orffi_candidate candidate = {0};
        orff_status status = orffi_candidate_copy(&candidate, from);
        if (!status) status = find_start(c, &candidate, start_noises[i]);
        if (!status)
            status =
                orffi_candidate_improve(&candidate, &c->judge, &c->few, (orffi_freedom){0}, ROUGHLY, NULL);
        if (status) orffi_candidate_clear(&candidate);
        ORFFI_TRY(status);
        keep_better(&c->best, &candidate);
    }
    return ORFF_OK;
}

/* Parts that are alike would stay alike: they begin somewhat apart. */
static void spread_parts(const orffi_choice *c, orffi_candidate *candidate) {
    for (size_t m = 1; m < candidate->parts.count; m++)
        for (size_t i = 0; c->judge.chosen[m] && i < c->plan->d; i++)
            candidate->parts.list[m].sigmas[i] *= pow(0.5, (double)m);
}

/* ---- bases and their shapes */

static bool is_open(const orffi_choice *c, size_t m) {
    return c->judge.chosen[m] && orffi_smoothness_is_open(&c->plan->parts.list[m].part);
}

/* Bases are some way apart. Shapes of one base are so close to each other that it matters little which of them is taken. */
static bool is_base_open(const orffi_choice *c) {
    for (size_t m = 0; m < c->plan->parts.count; m++)
        if (is_open(c, m) && c->plan->parts.list[m].part.base == ORFF_BASE_AUTO) return true;
    return false;
}

/* The places of all open parts together; false: none is open. */
static bool find_span(const orffi_choice *c, size_t *low, size_t *high) {
    bool any = false;
    for (size_t m = 0; m < c->plan->parts.count; m++) {
        size_t from, to;
        if (!is_open(c, m)) continue;
        orffi_smoothness_span(&c->plan->parts.list[m].part, &from, &to);
        *low = any && *low < from ? *low : from;
        *high = any && *high > to ? *high : to;
        any = true;
    }
    return any;
}

static void set_base(const orffi_choice *c, orffi_candidate *candidate, size_t place) {
    for (size_t m = 0; m < candidate->parts.count; m++)
        if (is_open(c, m))
            orffi_smoothness_set(&c->plan->parts.list[m].part, place, &candidate->parts.list[m].part);
}

bool orffi_choice_next_base(const orffi_choice *c, size_t base, int step, orffi_candidate *candidate) {
    size_t low, high;
    if (!find_span(c, &low, &high) || (step > 0 ? base >= high : base <= low)) return false;
    set_base(c, candidate, step > 0 ? base + 1 : base - 1);
    return true;
}

/* The candidate takes the place of the best one if it is ahead of it. Else it stays as the one beside that. */
static void compare_base(orffi_choice *c, orffi_candidate *candidate, bool smoother, double ahead) {
    if (ahead > 0.0) {
        replace_best(&c->beside[!smoother], &c->best);
        replace_best(&c->best, candidate);
        orffi_candidate_clear(&c->beside[smoother]);
        c->behind[!smoother] = ahead;
        c->behind[smoother] = INFINITY;
    } else {
        replace_best(&c->beside[smoother], candidate);
        c->behind[smoother] = -ahead;
    }
}

/* From a start of its own: what one base takes for roughness another takes for noise, and between the two lies a valley. Smoother
 * ones leave more to the noise. */
static orff_status start_base(orffi_choice *c, size_t which, bool smoother, orffi_candidate *candidate) {
    ORFFI_TRY(orffi_candidate_copy(candidate, &c->best));
    set_base(c, candidate, which);
    ORFFI_TRY(find_start(c, candidate, start_noises[smoother]));
    return orffi_candidate_improve(candidate, &c->judge, &c->few, (orffi_freedom){0}, ROUGHLY, NULL);
}

/* On few rows, with the next base; from where the best one is too. */
static orff_status try_base(orffi_choice *c, size_t which, bool smoother, double *ahead) {
    orffi_candidate candidate = {0}, other = {0};
    orff_status status = orffi_candidate_copy(&candidate, &c->best);
    if (!status) set_base(c, &candidate, which);
    if (!status)
        status = orffi_candidate_improve(&candidate, &c->judge, &c->few, (orffi_freedom){0}, ROUGHLY, NULL);
    if (!status && is_base_open(c)) status = start_base(c, which, smoother, &other);
    if (!status) {
        if (other.parts.list) keep_better(&candidate, &other);
        *ahead = candidate.value - c->best.value;
        compare_base(c, &candidate, smoother, *ahead);
    }
    orffi_candidate_clear(&candidate);
    orffi_candidate_clear(&other);
    return status;
}

/* The evidence that decides between bases. */
static orff_status prove(orffi_choice *c, const orffi_candidate *candidate, double *value) {
    orffi_candidate copy = {0};
    *value = candidate->value;
    if (!c->proof.count) return ORFF_OK;
    orff_status status = orffi_candidate_copy(&copy, candidate);
    if (!status) status = orffi_candidate_judge(&copy, &c->judge, &c->proof);
    *value = copy.value;
    orffi_candidate_clear(&copy);
    return status;
}

/* On many rows, with the next base; from what it had on few, if it was tried there. */
static orff_status try_base_again(orffi_choice *c, size_t which, bool smoother, orffi_freedom freedom,
                                  double *ahead) {
    const orffi_candidate *from = c->beside[smoother].parts.list ? &c->beside[smoother] : &c->best;
    orffi_candidate candidate = {0};
    double value;
    orff_status status = orffi_candidate_copy(&candidate, from);
    if (!status) set_base(c, &candidate, which);
    if (!status && freedom.apart && from != &c->best) spread_parts(c, &candidate);
    if (!status) status = orffi_candidate_improve(&candidate, &c->judge, &c->many, freedom, FINELY, NULL);
    if (!status) status = prove(c, &candidate, &value);
    if (!status) {
        *ahead = value - c->proved;
        c->proved = fmax(c->proved, value);
        compare_base(c, &candidate, smoother, *ahead);
    }
    orffi_candidate_clear(&candidate);
    return status;
}

/* Along bases as long as that is better: smoother ones, or rougher. again: on many rows. *any: it was. */
static orff_status climb_along(orffi_choice *c, bool smoother, bool again, orffi_freedom freedom, bool *any) {
    size_t low, high;
    double ahead = 1.0;
    *any = false;
    if (!find_span(c, &low, &high)) return ORFF_OK;
    while (ahead > 0.0 && (smoother ? c->base < high : c->base > low)) {
        const size_t next = smoother ? c->base + 1 : c->base - 1;
        ORFFI_TRY(again ? try_base_again(c, next, smoother, freedom, &ahead)
                        : try_base(c, next, smoother, &ahead));
        if (!(ahead > 0.0)) break;
        *any = true;
        c->base = next;
    }
    return ORFF_OK;
}

/* Smoothness is a line along which the evidence has one top: up, or else down, as long as it is better. */
static orff_status climb_bases(orffi_choice *c) {
    bool any;
    ORFFI_TRY(climb_along(c, true, false, (orffi_freedom){0}, &any));
    return any ? ORFF_OK : climb_along(c, false, false, (orffi_freedom){0}, &any);
}

static orff_status choose_base(orffi_choice *c, orffi_candidate *first) {
    c->base = ORFFI_SMOOTHNESS_MIDDLE;
    c->behind[0] = c->behind[1] = INFINITY;
    set_base(c, first, c->base);
    ORFFI_TRY(climb_from_starts(c, first));
    return climb_bases(c);
}

/* ---- more length scales */

static size_t observations(const orffi_sample *sample) {
    size_t count = 0;
    for (size_t g = 0; g < sample->count; g++)
        count += sample->tables[g].n * orffi_table_width(&sample->tables[g]);
    return count;
}

static void keep_plain(orffi_choice *c) {
    orffi_candidate_clear(&c->plain);
    c->plain = c->best;
    c->best = (orffi_candidate){0};
}

/* Each additional unknown must gain half the logarithm of the number of observations (Schwarz), unless the
 * user asked for it. */
static orff_status try_freedom(orffi_choice *c, orffi_freedom freedom, bool asked, orffi_freedom *taken) {
    orffi_candidate candidate = {0};
    size_t before = 0, after = 0;
    orff_status status = orffi_candidate_copy(&candidate, &c->best);
    if (!status && freedom.apart && !taken->apart) spread_parts(c, &candidate);
    if (!status) status = orffi_candidate_improve(&c->best, &c->judge, &c->few, *taken, ROUGHLY, &before);
    if (!status) status = orffi_candidate_improve(&candidate, &c->judge, &c->few, freedom, ROUGHLY, &after);
    const double price = 0.5 * log((double)observations(&c->few)) * (double)(after - before);
    if (!status && (asked || candidate.value > c->best.value + price)) {
        *taken = freedom;
        if (freedom.each) keep_plain(c);
        replace_best(&c->best, &candidate);
    }
    orffi_candidate_clear(&candidate);
    return status;
}

/* Whether some open part may get a length scale for each input, and whether the user asked for that. */
static bool may_stretch(const orffi_choice *c, bool *asked) {
    size_t inputs = 0;
    bool any = false;
    *asked = false;
    for (size_t i = 0; i < c->plan->d; i++) inputs += orffi_plan_in_space(c->plan, i);
    for (size_t m = 0; m < c->plan->parts.count; m++) {
        const orff_part *part = &c->plan->parts.list[m].part;
        if (!c->judge.chosen[m] || orff_rule_describe(part->rule).physical) continue;
        any = true;
        *asked |= part->sigma == ORFF_SIGMA_ARD;
    }
    return any && inputs > 1 && (*asked || inputs <= MOST_INPUTS);
}

static orff_status choose_freedom(orffi_choice *c, orffi_freedom *taken) {
    size_t open = 0;
    bool asked;
    *taken = (orffi_freedom){0};
    for (size_t m = 0; m < c->plan->parts.count; m++) open += c->judge.chosen[m];
    if (open > 1) ORFFI_TRY(try_freedom(c, (orffi_freedom){.apart = true}, false, taken));
    if (!may_stretch(c, &asked)) return ORFF_OK;
    return try_freedom(c, (orffi_freedom){.apart = taken->apart, .each = true}, asked, taken);
}

/* ---- bases again */

/* Groups of neighbours tell a base by what is near, of which there is little in more than some inputs: there bases differ in how
 * all rows hang together. So few enough are taken all at once, and of more inputs as many that are spread over all. */
static orff_status fill_proof(orffi_choice *c) {
    const bool all = c->table.n * c->order <= PROOF;
    if (!all && c->plan->d <= ORFFI_NEAR_MOST) return ORFF_OK;
    const orffi_grouping how = {.spread = PROOF / c->order};
    ORFFI_TRY(ORFFI_NEW_ARRAY(c->proof.tables, 1));
    c->proof.count = 1;
    if (all) return orffi_patches(&c->table, c->judge.median, c->table.n, c->proof.tables);
    return orffi_patches_apart(&c->table, c->judge.median, &how, c->proof.tables);
}

/* Where the few rows left a doubt, others decide. */
static orff_status review_bases(orffi_choice *c, orffi_freedom freedom) {
    const double rougher = c->behind[0], smoother = c->behind[1];
    bool any = false;
    if (c->few.count == 1 || !is_base_open(c)) return ORFF_OK; /* they are all rows, or it is given */
    ORFFI_TRY(fill_proof(c));
    ORFFI_TRY(prove(c, &c->best, &c->proved));
    if (c->proof.count || smoother < DOUBTFUL) ORFFI_TRY(climb_along(c, true, true, freedom, &any));
    if (any || !(c->proof.count || rougher < DOUBTFUL)) return ORFF_OK;
    return climb_along(c, false, true, freedom, &any);
}

/* ---- all of it */

/* Numbers as text, one for all where they are equal. */
static void list_numbers(char *text, size_t room, size_t count, const double *numbers) {
    size_t used = 0;
    bool same = true;
    for (size_t i = 1; i < count; i++) same &= fabs(numbers[i] - numbers[0]) <= 1e-9 * fabs(numbers[0]);
    text[0] = '\0';
    for (size_t i = 0; i < (same && count ? 1 : count) && used + 16 < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%.4g", i ? ", " : "", numbers[i]);
}

/* "div-free matern32, length scale 0.7 + .."; "rational-quadratic/0.5" where there is no short name */
static void append_part(const orffi_choice *c, size_t m, double *numbers, char *text, size_t room) {
    const orffi_planned_part *one = &c->plan->parts.list[m];
    const size_t used = strlen(text);
    const char *base = orff_base_short_name(one->part.base, one->part.shape);
    char scales[256], shape[32] = "";
    if (!strcmp(base, orff_base_name(one->part.base)) && orff_base_has_shape(one->part.base))
        snprintf(shape, sizeof shape, "/%.4g", one->part.shape);
    for (size_t i = 0; i < c->plan->d; i++) numbers[i] = one->sigmas[i] * c->plan->units.unit[i];
    list_numbers(scales, sizeof scales, c->plan->d, numbers);
    snprintf(text + used, room - used, "%s%s %s%s, length scale %s", m ? " + " : "",
             orff_rule_name(one->part.rule), base, shape, scales);
}

/* Logs what was learned about the quality of rows. */
static void log_quality(const orffi_quality *q) {
    if (q->errors)
        orffi_log(ORFF_LOG_INFO, "errors that are known make up %.0f %% of the variance of the noise",
                  100.0 / (1.0 + exp(-q->logit)));
    for (size_t k = 1; !q->by_output && k < q->instruments; k++)
        orffi_log(ORFF_LOG_INFO, "noise of instrument %zu: %.3g times that of the first", k + 1,
                  exp(0.5 * q->ratios[k]));
}

/* Logs the kernel and the noise in the user's units, after giving outputs a noise of their own where that
 * pays. */
static orff_status set_noises(orffi_choice *c) {
    const orffi_plan *plan = c->plan;
    char text[1024] = "", noise[256];
    double *numbers;
    ORFFI_TRY(ORFFI_NEW_ARRAY(numbers, plan->d + plan->p));
    for (size_t m = 0; m < plan->parts.count; m++) append_part(c, m, numbers, text, sizeof text);
    orff_status status = orffi_candidate_describe(&c->best, &c->judge, &c->many, numbers, plan->parts.shares);
    for (size_t k = 0; k < plan->p; k++)
        numbers[k] *=
            plan->units.spread[k] * (c->best.quality.by_output ? exp(0.5 * c->best.quality.ratios[k]) : 1.0);
    if (!status) status = orffi_choice_part_noises(c, numbers);
    list_numbers(noise, sizeof noise, plan->p, numbers);
    if (!status) orffi_log(ORFF_LOG_INFO, "by the evidence: %s; noise %s (standard deviation)", text, noise);
    orffi_release(numbers);
    return status;
}

static orff_status find_order(orffi_choice *c) {
    const orffi_parts *planned = &c->plan->parts;
    orff_part *parts;
    if (c->table.along) c->order = 1;
    if (c->order) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(parts, planned->count));
    for (size_t m = 0; m < planned->count; m++) parts[m] = planned->list[m].part;
    c->order = orffi_evidence_order(planned->count, parts, planned->p, 1);
    orffi_release(parts);
    return ORFF_OK;
}

static orff_status prepare(orffi_choice *c, const orffi_rows *rows) {
    orffi_plan *plan = c->plan;
    ORFFI_TRY(orffi_trial_dense_sample(plan, rows, &c->table));
    if (plan->settings.center) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(c->mean, plan->p));
        ORFFI_TRY(orffi_table_mean(&c->table, c->mean));
        orffi_table_subtract(&c->table, c->mean);
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(c->judge.median, 2 * plan->d));
    c->judge.low = c->judge.median + plan->d;
    ORFFI_TRY(orffi_trial_medians(plan, &c->table, c->judge.median));
    c->spacing = orffi_trial_spacing(plan, &c->table);
    /* With a length scale of half the distance between neighbours their correlation is next to nothing
     * (0.14 for a Gaussian). Below that a field cannot be told from noise, and noise is the simpler
     * explanation. */
    for (size_t i = 0; i < plan->d; i++)
        c->judge.low[i] = orffi_plan_in_space(plan, i) ? 0.5 * fmin(c->spacing, c->judge.median[i])
                                                       : 0.01 * c->judge.median[i];
    ORFFI_TRY(find_order(c));
    ORFFI_TRY(fill_sample(&c->table, c->judge.median, c->order, few_rows, &c->few));
    return orffi_sample_many(&c->table, c->judge.median, c->order, &c->many);
}

static orff_status search(orffi_choice *c) {
    const orffi_candidate from = {.parts = c->plan->parts, .quality = c->plan->quality};
    orffi_candidate first = {0};
    orffi_freedom taken;
    orff_status status = orffi_candidate_copy(&first, &from);
    if (!status) status = choose_base(c, &first);
    orffi_candidate_clear(&first);
    ORFFI_TRY(status);
    ORFFI_TRY(choose_freedom(c, &taken));
    ORFFI_TRY(orffi_candidate_improve(&c->best, &c->judge, &c->many, taken, FINELY, &c->unknowns));
    ORFFI_TRY(review_bases(c, taken));
    ORFFI_TRY(orffi_choice_try_amplitudes(c, taken));
    return orffi_choice_try_left_out(c);
}

orff_status orffi_choice_make(orffi_choice *c, orffi_plan *plan, const orffi_rows *rows, const bool *chosen,
                              size_t order) {
    *c = (orffi_choice){
        .plan = plan, .order = order, .judge = {.plan = plan, .chosen = chosen, .most = EVALUATIONS}};
    ORFFI_TRY(prepare(c, rows));
    c->found = varies(&c->few) && varies(&c->many);
    return c->found ? search(c) : ORFF_OK;
}

double orffi_choice_score(const orffi_choice *c) {
    return c->best.value - 0.5 * log((double)observations(&c->many)) * (double)c->unknowns;
}

orff_status orffi_choice_apply(orffi_choice *c) {
    for (size_t m = 0; m < c->plan->parts.count; m++) {
        orffi_planned_part *to = &c->plan->parts.list[m];
        const orffi_planned_part *from = &c->best.parts.list[m];
        memcpy(to->sigmas, from->sigmas, c->plan->d * sizeof *to->sigmas);
        to->part.base = from->part.base;
        to->part.shape = from->part.shape;
        to->part.weight = from->part.weight;
        to->part.mix = from->part.mix;
    }
    c->plan->quality = c->best.quality;
    log_quality(&c->best.quality);
    c->plan->shift = exp(c->best.log_noise);
    c->plan->left_out = c->left_out;
    return set_noises(c);
}

void orffi_choice_clear(orffi_choice *c) {
    orffi_candidate_clear(&c->best);
    orffi_candidate_clear(&c->plain);
    for (size_t i = 0; i < 2; i++) orffi_candidate_clear(&c->beside[i]);
    orffi_sample_clear(&c->few);
    orffi_sample_clear(&c->many);
    orffi_sample_clear(&c->proof);
    orffi_table_clear(&c->table);
    orffi_release(c->judge.median);
    orffi_release(c->mean);
    *c = (orffi_choice){0};
}

orff_status orffi_choose_evidence(orffi_plan *plan, const orffi_rows *rows, const bool *chosen, bool *found) {
    orffi_choice c;
    orff_status status = orffi_choice_make(&c, plan, rows, chosen, 0);
    *found = c.found;
    if (!status && c.found) status = orffi_choice_mean(&c, &plan->mean);
    if (!status && c.found) status = orffi_choice_apply(&c);
    orffi_choice_clear(&c);
    return status;
}

/* ---- whether there is an evidence */

/* Randomly drawn frequencies may be too few for the kernel of highest evidence. Errors on held-out rows
 * show how good a kernel is with these frequencies. */
bool orffi_has_evidence(const orffi_plan *plan) {
    const bool judged = plan->directed || orffi_quality_is_open(&plan->quality);
    if (plan->engine->draws && !judged) return false;
    if (plan->settings.loss != ORFF_LOSS_SQUARED || plan->settings.classes) return false;
    for (size_t m = 0; m < plan->parts.count; m++)
        if (!orffi_evidence_serves(1, &plan->parts.list[m].part)) return false;
    return true;
}
