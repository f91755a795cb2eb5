#include "spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* ---- sums: words with + between */

static bool is_auto(const char *text) {
    return !strcmp(text, "auto");
}

static bool physical(orff_rule rule) {
    return rule == ORFF_RULE_CURL_FREE || rule == ORFF_RULE_DIV_FREE || rule == ORFF_RULE_HELMHOLTZ;
}

/* Calls take for each word of a sum; *count receives how many there are. */
static int each_word(const cli_arguments *a, cli_option_id id, cli_spec *spec,
                     int (*take)(const cli_arguments *a, cli_spec *spec, size_t i, const char *word),
                     size_t *count) {
    const char *text = cli_text(a, id);
    for (*count = 0;; text++) {
        char word[64];
        const size_t length = strcspn(text, "+");
        if (*count == CLI_MOST_PARTS) return cli_wrong(a, id, "there are more than %d parts", CLI_MOST_PARTS);
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
        const int status = take(a, spec, (*count)++, word);
        if (status) return status;
        text += length;
        if (!*text) return CLI_DONE;
    }
}

static const char *const rule_names[] = {"decomposable", "curl-free", "div-free", "helmholtz", "auto"};

static int take_rule(const cli_arguments *a, cli_spec *spec, size_t i, const char *word) {
    const size_t count = sizeof rule_names / sizeof *rule_names;
    size_t known = 0;
    while (known < count && strcmp(rule_names[known], word)) known++;
    if (known == count) {
        const char *near = cli_suggest(word, count, rule_names);
        if (near)
            return cli_wrong(a, CLI_OPT_KERNEL, "there is no kernel \"%s\"; did you mean \"%s\"?", word,
                             near);
        return cli_wrong(a, CLI_OPT_KERNEL, "there is no kernel \"%s\"; there are %s", word,
                         cli_options[CLI_OPT_KERNEL].argument);
    }
    if (is_auto(word)) return cli_wrong(a, CLI_OPT_KERNEL, "auto stands alone: it is a sum already");
    spec->parts = cli_more(spec->parts, i + 1, sizeof *spec->parts);
    spec->parts[i] = orff_part_default();
    return cli_outcome(orff_rule_parse(word, &spec->parts[i].rule), "--kernel");
}

static int take_base(const cli_arguments *a, cli_spec *spec, size_t i, const char *word) {
    static const char *const names[] = {"gaussian", "laplace",  "matern12", "matern32",
                                        "matern52", "matern72", "cauchy",   "cauchy-product"};
    orff_base base;
    double shape = 1.0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(names[k], word)) continue;
        const int status = cli_outcome(orff_base_parse(word, &base, &shape), "--base");
        if (status || i >= spec->n) return status;
        spec->parts[i].base = base;
        spec->parts[i].shape = shape;
        return CLI_DONE;
    }
    const char *near = cli_suggest(word, sizeof names / sizeof *names, names);
    return near ? cli_wrong(a, CLI_OPT_BASE, "there is no base \"%s\"; did you mean \"%s\"?", word, near)
                : cli_wrong(a, CLI_OPT_BASE, "there is no base \"%s\"; there are %s", word,
                            cli_options[CLI_OPT_BASE].argument);
}

static int wrong_count(const cli_arguments *a, cli_option_id id, size_t count, size_t n) {
    return cli_wrong(a, id, "%zu values for %zu %s of the kernel; expected one, or one for each", count, n,
                     n == 1 ? "part" : "parts");
}

static int parse_base(cli_spec *spec, const cli_arguments *a) {
    size_t count;
    const int status = each_word(a, CLI_OPT_BASE, spec, take_base, &count);
    if (status) return status;
    if (count != 1 && count != spec->n) return wrong_count(a, CLI_OPT_BASE, count, spec->n);
    for (size_t i = count; i < spec->n; i++) {
        spec->parts[i].base = spec->parts[0].base;
        spec->parts[i].shape = spec->parts[0].shape;
    }
    return CLI_DONE;
}

/* ---- numbers of parts */

/* The scales of one part: a number, one for each input, or auto (zeros). Returns where they end, NULL when
 * wrong. */
static const char *scan_scales(const char *text, size_t d, double *sigmas, size_t *count) {
    *count = 0;
    if (!strncmp(text, "auto", 4) && (!text[4] || text[4] == '+')) {
        memset(sigmas, 0, d * sizeof *sigmas);
        *count = 1;
        return text + 4;
    }
    for (;; text++) {
        double value;
        text = cli_scan_number(text, ",+", &value);
        if (!text || !(value > 0.0)) return NULL;
        if (*count < d) sigmas[*count] = value;
        ++*count;
        if (*text != ',') break;
    }
    for (size_t i = 1; *count == 1 && i < d; i++) sigmas[i] = sigmas[0];
    return text;
}

static int parse_sigma(cli_spec *spec, const cli_arguments *a) {
    const char *text = cli_text(a, CLI_OPT_SIGMA), *at = text;
    size_t given = 0, count;
    spec->sigmas = cli_more(NULL, CLI_MOST_PARTS * spec->d, sizeof *spec->sigmas);
    for (;; at++) {
        if (given == CLI_MOST_PARTS) return wrong_count(a, CLI_OPT_SIGMA, given + 1, spec->n);
        at = scan_scales(at, spec->d, spec->sigmas + given++ * spec->d, &count);
        if (!at)
            return cli_wrong(a, CLI_OPT_SIGMA, "\"%s\" is no positive length scale, list of them, or auto",
                             text);
        if (count != 1 && count != spec->d)
            return cli_wrong(a, CLI_OPT_SIGMA, "%zu values for %zu inputs; expected one, or one for each",
                             count, spec->d);
        if (*at != '+') break;
    }
    if (given != 1 && given != spec->n) return wrong_count(a, CLI_OPT_SIGMA, given, spec->n);
    for (size_t m = 0; m < spec->n; m++) {
        double *sigmas = spec->sigmas + m * spec->d;
        if (given == 1 && m) memcpy(sigmas, spec->sigmas, spec->d * sizeof *sigmas);
        spec->parts[m].sigma = sigmas[0];
        spec->parts[m].sigmas = sigmas[0] > 0.0 ? sigmas : NULL;
        spec->auto_sigma = spec->auto_sigma || sigmas[0] == 0.0;
    }
    return CLI_DONE;
}

static int parse_weight(cli_spec *spec, const cli_arguments *a) {
    const char *text = cli_text(a, CLI_OPT_WEIGHT), *at = text;
    size_t given = 0;
    double value = 1.0;
    spec->mixture = is_auto(text);
    for (; !spec->mixture; at++) {
        at = cli_scan_number(at, "+", &value);
        if (!at || value < 0.0)
            return cli_wrong(a, CLI_OPT_WEIGHT, "\"%s\" is no weight of 0 or more, sum of them, or auto",
                             text);
        if (given < spec->n) spec->parts[given].weight = value;
        given++;
        if (*at != '+') break;
    }
    if (given > 1 && given != spec->n) return wrong_count(a, CLI_OPT_WEIGHT, given, spec->n);
    for (size_t m = given; given && m < spec->n; m++) spec->parts[m].weight = value;
    return CLI_DONE;
}

static int parse_mix(cli_spec *spec, const cli_arguments *a) {
    double mix = 0.5;
    bool any = false;
    for (size_t m = 0; m < spec->n; m++) any = any || spec->parts[m].rule == ORFF_RULE_HELMHOLTZ;
    if (cli_given(a, CLI_OPT_MIX) && !any) return cli_wrong(a, CLI_OPT_MIX, "is for --kernel helmholtz");
    spec->auto_mix = is_auto(cli_text(a, CLI_OPT_MIX));
    const int status = spec->auto_mix ? CLI_DONE : cli_number(a, CLI_OPT_MIX, 0.0, 1.0, &mix);
    for (size_t m = 0; m < spec->n; m++) spec->parts[m].mix = mix;
    return status;
}

/* ---- the field's space */

static int set_space(cli_spec *spec, const cli_arguments *a, size_t p, const bool *covariate) {
    size_t count = 0;
    bool any = spec->auto_kernel;
    spec->space = cli_more(NULL, spec->d, sizeof *spec->space);
    for (size_t i = 0; i < spec->d; i++)
        if (!covariate || !covariate[i]) spec->space[count++] = i;
    for (size_t m = 0; m < spec->n; m++) {
        if (!physical(spec->parts[m].rule) && !spec->auto_kernel) continue;
        any = true;
        if (count != p && !spec->auto_kernel)
            return cli_wrong(a, CLI_OPT_KERNEL,
                             "%s needs as many inputs as outputs, but there are %zu and %zu%s",
                             orff_rule_name(spec->parts[m].rule), count, p,
                             count > p ? "; name those outside of the field's space with --covariates" : "");
        if (count == p && count < spec->d) spec->parts[m].space = spec->space;
    }
    if (count < spec->d && !any)
        return cli_wrong(a, CLI_OPT_COVARIATES,
                         "is for kernels with a field's space: curl-free, div-free, helmholtz, auto");
    return CLI_DONE;
}

static int parse_auto(cli_spec *spec, const cli_arguments *a) {
    const cli_option_id others[] = {CLI_OPT_WEIGHT, CLI_OPT_MIX, CLI_OPT_OUTPUT_MATRIX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_given(a, others[i])) return cli_wrong(a, others[i], "--kernel auto chooses this itself");
    if (!is_auto(cli_text(a, CLI_OPT_SIGMA)))
        return cli_wrong(a, CLI_OPT_SIGMA, "--kernel auto chooses this itself");
    spec->auto_kernel = true;
    spec->n = 1;
    spec->parts = cli_more(NULL, 1, sizeof *spec->parts);
    spec->parts[0] = orff_part_default();
    spec->parts[0].sigma = 0.0;
    return parse_base(spec, a);
}

/* ---- */

static bool can_choose(const cli_arguments *a) {
    return a->command->bit & (CLI_FIT_BIT | CLI_TUNE_BIT | CLI_EXACT_BIT);
}

static int check_choices(const cli_spec *spec, const cli_arguments *a) {
    if (can_choose(a)) return CLI_DONE;
    if (spec->auto_kernel) return cli_wrong(a, CLI_OPT_KERNEL, "auto is for fit, tune and exact");
    if (spec->mixture) return cli_wrong(a, CLI_OPT_WEIGHT, "auto is for fit, tune and exact");
    if (spec->auto_mix) return cli_wrong(a, CLI_OPT_MIX, "auto is for fit, tune and exact");
    return CLI_DONE;
}

int cli_spec_parse(cli_spec *spec, const cli_arguments *a, size_t d, size_t p, const bool *covariate) {
    *spec = (cli_spec){.d = d};
    int status;
    if (is_auto(cli_text(a, CLI_OPT_KERNEL))) {
        status = parse_auto(spec, a);
    } else {
        status = each_word(a, CLI_OPT_KERNEL, spec, take_rule, &spec->n);
        if (!status) status = parse_base(spec, a);
        if (!status) status = parse_sigma(spec, a);
        if (!status) status = parse_weight(spec, a);
        if (!status) status = parse_mix(spec, a);
    }
    for (size_t m = 0; !status && m < spec->n; m++) spec->parts[m].normalise = spec->n > 1;
    if (!status) status = check_choices(spec, a);
    return status ? status : set_space(spec, a, p, covariate);
}

void cli_spec_clear(cli_spec *spec) {
    free(spec->parts);
    free(spec->sigmas);
    free(spec->space);
    free(spec->A);
    *spec = (cli_spec){0};
}

/* ---- output matrices */

static int laplacian(const char *path, size_t p, double *A) {
    double *W = cli_more(NULL, p * p, sizeof *W);
    int status = cli_data_matrix(path, p, W);
    if (!status) status = cli_outcome(orff_output_laplacian(p, W, 0.0, A), path);
    free(W);
    return status;
}

int cli_spec_output_matrix(cli_spec *spec, const cli_arguments *a, const cli_data *data) {
    const char *text = cli_text(a, CLI_OPT_OUTPUT_MATRIX);
    const size_t p = data->classes ? data->classes - 1 : data->p;
    bool any = false;
    int status;
    if (!strcmp(text, "identity")) return CLI_DONE;
    for (size_t m = 0; m < spec->n; m++) any = any || spec->parts[m].rule == ORFF_RULE_DECOMPOSABLE;
    if (!any) return cli_wrong(a, CLI_OPT_OUTPUT_MATRIX, "is for decomposable parts of a kernel");
    spec->A = cli_more(NULL, p * p, sizeof *spec->A);
    if (!strcmp(text, "covariance")) {
        if (data->classes) return cli_wrong(a, CLI_OPT_OUTPUT_MATRIX, "covariance is not for --classify");
        status = cli_outcome(orff_output_covariance(data->n, p, data->Y, spec->A), "--output-matrix");
    } else if (!strncmp(text, "laplacian:", 10)) {
        status = laplacian(text + 10, p, spec->A);
    } else {
        status = cli_data_matrix(text, p, spec->A);
    }
    for (size_t m = 0; m < spec->n; m++)
        if (spec->parts[m].rule == ORFF_RULE_DECOMPOSABLE) spec->parts[m].A = spec->A;
    return status;
}

/* ---- sampling and settings */

/* A name of the library's, through its own parser. */
#define PARSE_NAME(id, parse, value)                         \
    if (parse(cli_text(a, id), value)) {                     \
        return cli_wrong(a, id, "%s", orff_error_message()); \
    }

int cli_sampling_parse(const cli_arguments *a, orff_sampling *sampling) {
    *sampling = orff_sampling_default();
    PARSE_NAME(CLI_OPT_SAMPLING, orff_scheme_parse, &sampling->scheme)
    const int status = is_auto(cli_text(a, CLI_OPT_FEATURES))
                           ? CLI_DONE
                           : cli_size(a, CLI_OPT_FEATURES, 1, (size_t)1 << 24, &sampling->features);
    return status ? status : cli_whole(a, CLI_OPT_SEED, 0, UINT64_MAX, &sampling->seed);
}

/* LO:HI:COUNT, all three. */
static bool scan_path(const char *text, double *low, double *high, double *count) {
    const char *at = cli_scan_number(text, ":", low);
    if (at) at = *at == ':' ? cli_scan_number(at + 1, ":", high) : NULL;
    if (at) at = *at == ':' ? cli_scan_number(at + 1, "", count) : NULL;
    return at != NULL;
}

static int parse_path(const cli_arguments *a, orff_settings *s) {
    const char *text = cli_text(a, CLI_OPT_LAMBDA_GRID);
    double count;
    if (!scan_path(text, &s->lambda_low, &s->lambda_high, &count) || !(s->lambda_low > 0.0) ||
        !(s->lambda_high > s->lambda_low) || count < 2.0 || count > 10000.0 || count != floor(count))
        return cli_wrong(a, CLI_OPT_LAMBDA_GRID,
                         "\"%s\" is not LO:HI:COUNT with 0 < LO < HI and COUNT from 2 to 10000", text);
    s->lambda_count = (size_t)count;
    return CLI_DONE;
}

static int parse_lambda(const cli_arguments *a, orff_settings *s) {
    const char *text = cli_text(a, CLI_OPT_LAMBDA);
    double lambda;
    if (is_auto(text)) return parse_path(a, s);
    if (!cli_scan_number(text, "", &lambda) || !(lambda > 0.0))
        return cli_wrong(a, CLI_OPT_LAMBDA, "\"%s\" is neither a positive number nor auto", text);
    s->lambda = lambda;
    return parse_path(a, s);
}

static int parse_switch(const cli_arguments *a, cli_option_id id, orff_switch *value) {
    const char *text = cli_text(a, id);
    bool yes = false;
    if (is_auto(text)) return CLI_DONE;
    const int status = cli_yes_no(a, id, &yes);
    *value = yes ? ORFF_SWITCH_YES : ORFF_SWITCH_NO;
    return status;
}

static int parse_precision(const cli_arguments *a, bool *single) {
    const char *text = cli_text(a, CLI_OPT_PRECISION);
    *single = !strcmp(text, "single");
    if (*single || !strcmp(text, "double")) return CLI_DONE;
    return cli_wrong(a, CLI_OPT_PRECISION, "\"%s\" is neither double nor single", text);
}

static int parse_learning(const cli_arguments *a, orff_settings *s) {
    PARSE_NAME(CLI_OPT_LOSS, orff_loss_parse, &s->loss)
    if (!strcmp(cli_text(a, CLI_OPT_SOLVER), orff_engine_name(ORFF_ENGINE_EXACT)))
        s->engine = ORFF_ENGINE_EXACT;
    else
        PARSE_NAME(CLI_OPT_SOLVER, orff_solver_parse, &s->solver)
    int status = parse_lambda(a, s);
    if (!status) status = cli_size(a, CLI_OPT_FOLDS, 2, 1000, &s->folds);
    if (!status) status = cli_number(a, CLI_OPT_LOSS_PARAMETER, 0.0, 1e300, &s->loss_parameter);
    if (!status) status = cli_number(a, CLI_OPT_TOLERANCE, 0.0, 1.0, &s->tolerance);
    if (!status) status = cli_size(a, CLI_OPT_ITERATIONS, 1, (size_t)1 << 40, &s->max_iterations);
    if (!status) status = cli_yes_no(a, CLI_OPT_CENTER, &s->center);
    if (!status) status = parse_switch(a, CLI_OPT_SCALE_INPUTS, &s->scale_inputs);
    if (!status) status = cli_yes_no(a, CLI_OPT_SCALE_OUTPUTS, &s->scale_outputs);
    if (!status) status = parse_switch(a, CLI_OPT_POSTERIOR, &s->posterior);
    return status;
}

int cli_settings_parse(orff_settings *s, const cli_arguments *a, const cli_spec *spec, size_t classes) {
    *s = orff_settings_default();
    s->n_parts = spec->n;
    s->parts = spec->parts;
    s->mixture = spec->mixture;
    s->auto_kernel = spec->auto_kernel;
    s->auto_mix = spec->auto_mix;
    s->classes = classes;
    int status = cli_sampling_parse(a, &s->sampling);
    if (!status) status = parse_precision(a, &s->single);
    return status ? status : parse_learning(a, s);
}

/* ---- how many frequencies */

/* The library decides; what it decides is told. */
void cli_settings_auto_features(orff_settings *settings, const cli_arguments *a, const cli_spec *spec,
                                size_t rows, size_t p) {
    if (!is_auto(cli_text(a, CLI_OPT_FEATURES))) return;
    settings->sampling.features = 0;
    settings->sampling.features = orff_settings_features(settings, spec->d, p, rows);
}
