#include "model/candidate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "solve/minimise.h"

#define MOST_EVALUATIONS 40
#define LONGEST_STEP     1.0  /* in logarithms: nothing grows or shrinks by more than a factor e at once */
#define LONGEST          30.0 /* length scales beyond so many median distances all look alike */
#define LARGEST_WEIGHT   8.0  /* in logarithms: a part with 1/3000 of the variance counts as absent */
/* In logarithms of variances: beside an instrument with a hundredth of its noise, another adds nothing. */
#define LARGEST_RATIO 9.0
#define LARGEST_LOGIT 6.0 /* logit of 1/400: a mix nearer to an end than that counts as that end */

/* An evidence function and the meaning of its unknowns. */
typedef struct form {
    orffi_evidence_form what;
    orff_part *parts;
    size_t *dials;          /* n_parts x d */
    double *x, *low, *high; /* n each */
    size_t n;
    orffi_evidence *evidence;
    orffi_judge *judge;
} form;

void orffi_candidate_clear(orffi_candidate *c) {
    orffi_parts_clear(&c->parts);
    *c = (orffi_candidate){0};
}

orff_status orffi_candidate_copy(orffi_candidate *to, const orffi_candidate *from) {
    *to = (orffi_candidate){.log_noise = from->log_noise, .quality = from->quality, .value = from->value};
    return orffi_parts_copy(&to->parts, &from->parts);
}

/* ---- unknowns */

/* Length scales with equal keys share one unknown. input: the input, or d for all inputs of a field's
 * space. */
typedef struct key {
    size_t part, input;
} key;

static key key_of(const orffi_judge *judge, const orffi_parts *parts, orffi_freedom freedom, size_t m,
                  size_t i) {
    const bool own = !orffi_plan_in_space(judge->plan, i) ||
                     (freedom.each && !orff_rule_describe(parts->list[m].part.rule).physical);
    return (key){freedom.apart ? m : 0, own ? i : parts->d};
}

/* The first place before k with the same key, or k. */
static size_t first_like(const orffi_judge *judge, const orffi_parts *parts, orffi_freedom freedom,
                         size_t k) {
    const size_t d = parts->d;
    const key mine = key_of(judge, parts, freedom, k / d, k % d);
    for (size_t j = 0; j < k; j++) {
        const key other = key_of(judge, parts, freedom, j / d, j % d);
        if (judge->chosen[j / d] && other.part == mine.part && other.input == mine.input) return j;
    }
    return k;
}

static void fill_dials(form *f, const orffi_parts *parts, orffi_freedom freedom) {
    const size_t d = parts->d;
    for (size_t k = 0; k < parts->count * d; k++) {
        const double sigma = parts->list[k / d].sigmas[k % d];
        f->dials[k] = ORFFI_NO_DIAL;
        if (!f->judge->chosen[k / d]) continue;
        const size_t first = first_like(f->judge, parts, freedom, k);
        f->dials[k] = first < k ? f->dials[first] : f->what.scales++;
        if (first < k) continue;
        f->low[f->dials[k]] = log(f->judge->low[k % d] / sigma);
        f->high[f->dials[k]] = log(LONGEST * f->judge->median[k % d] / sigma);
    }
}

static void add_unknown(form *f, double x, double low, double high) {
    f->x[f->n] = x;
    f->low[f->n] = low;
    f->high[f->n++] = high;
}

static bool mixes(const orffi_parts *parts, double *mix) {
    for (size_t m = parts->count; m-- > 0;) {
        if (!orff_rule_describe(parts->list[m].part.rule).mixes) continue;
        *mix = parts->list[m].part.mix;
        return true;
    }
    return false;
}

/* All noise or none of it from known errors: of the row that is measured worst, or best. The best are looked at to where
 * rounding of the kernel's matrix counts. */
static void add_errors(form *f, double logit, const orffi_sample *sample) {
    double least = 1.0, most = 1.0; /* of variances over their mean */
    for (size_t g = 0; g < sample->count; g++)
        for (size_t i = 0; sample->tables[g].known && i < sample->tables[g].n; i++) {
            least = fmin(least, sample->tables[g].known[i]);
            most = fmax(most, sample->tables[g].known[i]);
        }
    const double low = -LARGEST_LOGIT - log(most),
                 high = LARGEST_LOGIT - fmax(log(least), ORFFI_LEAST_LOG_NOISE);
    add_unknown(f, fmin(fmax(logit, low), high), low, high);
}

/* In the order of orffi_evidence_form; length scales and weights are relative to those of the candidate. */
static void fill_unknowns(form *f, const orffi_candidate *c, const orffi_sample *sample,
                          orffi_freedom freedom) {
    const orff_settings *s = &f->judge->plan->settings;
    double mix = 0.5;
    fill_dials(f, &c->parts, freedom);
    f->n = f->what.scales;
    f->what.weights = s->mixture && c->parts.count > 1;
    f->what.mix = s->auto_mix && mixes(&c->parts, &mix);
    for (size_t m = 1; f->what.weights && m < c->parts.count; m++)
        add_unknown(f, 0.0, -LARGEST_WEIGHT, LARGEST_WEIGHT);
    if (f->what.mix) add_unknown(f, log(mix / (1.0 - mix)), -LARGEST_LOGIT, LARGEST_LOGIT);
    f->what.errors = f->judge->plan->quality.errors;
    f->what.instruments = f->judge->plan->quality.instruments;
    if (f->what.errors) add_errors(f, c->quality.logit, sample);
    for (size_t k = 1; k < f->what.instruments; k++)
        add_unknown(f, c->quality.ratios[k], -LARGEST_RATIO, LARGEST_RATIO);
    f->what.offsets = f->judge->plan->quality.offsets;
    if (f->what.offsets) add_unknown(f, c->quality.offset, ORFFI_LEAST_LOG_NOISE, ORFFI_MOST_LOG_NOISE);
    add_unknown(f, c->log_noise, ORFFI_LEAST_LOG_NOISE, ORFFI_MOST_LOG_NOISE);
}

/* ---- the evidence */

static void fill_parts(form *f, const orffi_candidate *c) {
    for (size_t m = 0; m < c->parts.count; m++) {
        f->parts[m] = c->parts.list[m].part;
        if (orff_rule_describe(f->parts[m].rule).physical && !f->parts[m].space)
            f->parts[m].space = f->judge->plan->space;
    }
}

static orff_status create(form *f, const orffi_sample *sample) {
    orffi_evidence_rows *rows;
    ORFFI_TRY(ORFFI_NEW_ARRAY(rows, sample->count));
    for (size_t g = 0; g < sample->count; g++) {
        const orffi_table *t = &sample->tables[g];
        rows[g] =
            (orffi_evidence_rows){t->n, t->X, t->Y, t->weights, t->known, t->instrument, t->along, t->set};
    }
    const orff_status status = orffi_evidence_create(&f->evidence, &f->what, sample->count, rows);
    orffi_release(rows);
    return status;
}

static orff_status build(form *f, const orffi_candidate *c, const orffi_sample *sample,
                         orffi_freedom freedom) {
    const size_t count = c->parts.count, d = c->parts.d,
                 most = count * d + count + 4 + ORFFI_MOST_INSTRUMENTS;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->parts, count));
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->dials, count * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->x, 3 * most));
    f->low = f->x + most;
    f->high = f->low + most;
    fill_parts(f, c);
    fill_unknowns(f, c, sample, freedom);
    f->what.d = d;
    f->what.p = c->parts.p;
    f->what.n_parts = count;
    f->what.parts = f->parts;
    f->what.dials = f->dials;
    f->what.periods = f->judge->plan->periods;
    f->what.amplitudes = f->judge->amplitudes;
    return create(f, sample);
}

static void clear(form *f) {
    orffi_evidence_free(f->evidence);
    orffi_release(f->parts);
    orffi_release(f->dials);
    orffi_release(f->x);
}

/* ---- judging */

static orff_status count_evaluation(orffi_judge *judge) {
    const size_t done = judge->evaluations++;
    return orffi_progress("choosing the kernel", (double)(done < judge->most ? done : judge->most),
                          (double)judge->most);
}

orff_status orffi_candidate_judge(orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample) {
    form f = {.judge = judge};
    c->value = -INFINITY;
    orff_status status = count_evaluation(judge);
    if (!status) status = build(&f, c, sample, (orffi_freedom){0});
    if (!status) status = orffi_evidence_evaluate(f.evidence, f.x, &c->value, NULL);
    clear(&f);
    if (status && status != ORFF_ERROR_NOT_POSITIVE) return status;
    if (status || !isfinite(c->value)) c->value = -INFINITY;
    return ORFF_OK;
}

orff_status orffi_candidate_outputs(const orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                                    double log_noise, double *values, double *variances) {
    form f = {.judge = judge};
    double value;
    orff_status status = count_evaluation(judge);
    if (!status) status = build(&f, c, sample, (orffi_freedom){0});
    if (!status) {
        f.x[f.n - 1] = log_noise;
        status = orffi_evidence_evaluate(f.evidence, f.x, &value, NULL);
    }
    if (!status) orffi_evidence_outputs(f.evidence, values);
    if (!status) orffi_evidence_variances(f.evidence, variances);
    clear(&f);
    return status;
}

/* From the squared errors of all rows, group after group. */
static double score_of(const orffi_sample *sample, const double *squares) {
    const size_t first = sample->tables[0].n;
    double spread = 0.0, near = 0.0;
    for (size_t i = 0; i < first; i++) spread += squares[i] / (double)first;
    for (size_t g = 1, at = first; g < sample->count; at += sample->tables[g++].n)
        near += squares[at] / (double)(sample->count - 1);
    return log(fmax(spread, DBL_MIN)) + log(fmax(near, DBL_MIN)); /* fmax: rows may be predicted exactly */
}

/* Squared errors of all rows, group after group, each row held out in turn. The caller releases *squares;
 * NULL if there are none. */
static orff_status leave_out(const orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                             double **squares) {
    form f = {.judge = judge};
    double value;
    size_t rows = 0;
    for (size_t g = 0; g < sample->count; g++) rows += sample->tables[g].n;
    *squares = NULL;
    orff_status status = count_evaluation(judge);
    if (!status) status = ORFFI_NEW_ARRAY(*squares, rows);
    if (!status) status = build(&f, c, sample, (orffi_freedom){0});
    if (!status) status = orffi_evidence_evaluate(f.evidence, f.x, &value, NULL);
    if (!status) status = orffi_evidence_left_out(f.evidence, *squares);
    clear(&f);
    if (!status) return ORFF_OK;
    orffi_release(*squares);
    *squares = NULL;
    return status == ORFF_ERROR_NOT_POSITIVE ? ORFF_OK : status;
}

orff_status orffi_candidate_left_out(const orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                                     double *score) {
    double *squares;
    ORFFI_TRY(leave_out(c, judge, sample, &squares));
    *score = squares ? score_of(sample, squares) : INFINITY;
    orffi_release(squares);
    return ORFF_OK;
}

orff_status orffi_candidate_squares(const orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                                    double *squares) {
    const bool one = sample->count == 1;
    double *each;
    ORFFI_TRY(leave_out(c, judge, sample, &each));
    for (size_t i = 0, at = 0; i < (one ? sample->tables[0].n : sample->count); i++) {
        squares[i] = each ? each[at] : INFINITY;
        at += one ? 1 : sample->tables[i].n;
    }
    orffi_release(each);
    return ORFF_OK;
}

orff_status orffi_candidate_describe(const orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                                     double *noise, double *shares) {
    form f = {.judge = judge};
    const double s = exp(c->log_noise);
    double value;
    orff_status status = build(&f, c, sample, (orffi_freedom){0});
    if (!status) status = orffi_evidence_evaluate(f.evidence, f.x, &value, NULL);
    if (!status) orffi_evidence_variances(f.evidence, noise);
    if (!status && shares) orffi_evidence_shares(f.evidence, shares);
    for (size_t k = 0; !status && k < c->parts.p; k++) noise[k] = sqrt(noise[k] * s);
    for (size_t m = 0; !status && shares && m < c->parts.count; m++) shares[m] /= 1.0 + s;
    if (!status && shares) shares[c->parts.count] = s / (1.0 + s);
    clear(&f);
    return status;
}

orff_status orffi_candidate_mean(const orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                                 double total, const double *prior, double *mean, bool *found) {
    form f = {.judge = judge};
    double value;
    *found = false;
    orff_status status = build(&f, c, sample, (orffi_freedom){0});
    if (!status) status = orffi_evidence_evaluate(f.evidence, f.x, &value, NULL);
    if (!status) status = orffi_evidence_mean(f.evidence, exp(c->log_noise), total, prior, mean, found);
    clear(&f);
    /* Outputs that are constant in these rows, or a matrix that is singular to rounding, tell nothing. */
    return status == ORFF_ERROR_NOT_POSITIVE || status == ORFF_ERROR_INVALID_ARGUMENT ? ORFF_OK : status;
}

/* ---- improving */

static orff_status find_evidence(void *self, const double *x, double *value, double *gradient) {
    form *f = self;
    ORFFI_TRY(count_evaluation(f->judge));
    return orffi_evidence_evaluate(f->evidence, x, value, gradient);
}

/* Writes the unknowns x into the candidate. */
static void apply_unknowns(const form *f, orffi_candidate *c) {
    const size_t d = c->parts.d;
    const double *at = f->x + f->what.scales;
    for (size_t k = 0; k < c->parts.count * d; k++)
        if (f->dials[k] != ORFFI_NO_DIAL) c->parts.list[k / d].sigmas[k % d] *= exp(f->x[f->dials[k]]);
    for (size_t m = 1; f->what.weights && m < c->parts.count; m++) c->parts.list[m].part.weight *= exp(*at++);
    for (size_t m = 0; f->what.mix && m < c->parts.count; m++)
        c->parts.list[m].part.mix = 1.0 / (1.0 + exp(-*at));
    if (f->what.mix) at++;
    if (f->what.errors) c->quality.logit = *at++;
    for (size_t k = 1; k < f->what.instruments; k++) c->quality.ratios[k] = *at++;
    if (f->what.offsets) c->quality.offset = *at++;
    c->log_noise = f->x[f->n - 1];
}

orff_status orffi_candidate_improve(orffi_candidate *c, orffi_judge *judge, const orffi_sample *sample,
                                    orffi_freedom freedom, double tolerance, size_t *unknowns) {
    form f = {.judge = judge};
    orff_status status = build(&f, c, sample, freedom);
    orffi_minimum m = {.n = f.n,
                       .low = f.low,
                       .high = f.high,
                       .step = LONGEST_STEP,
                       .tolerance = tolerance,
                       .most = MOST_EVALUATIONS};
    if (!status) status = orffi_maximise(&m, find_evidence, &f, f.x);
    if (!status) {
        apply_unknowns(&f, c);
        c->value = m.value;
        if (unknowns) *unknowns = f.n;
    }
    clear(&f);
    return status;
}
