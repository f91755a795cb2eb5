/* orff bound: the error of features and the number needed, by the bounds of the paper, printed and
 * corrected, and by measurement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "commands.h"
#include "report.h"
#include "result.h"

#define MEASURE_FEATURES 500   /* default for measuring */
#define CONSTANTS_DRAWS  20000 /* frequencies for measuring constants that are unknown */

/* ---- work */

static int measure(cli_bound_task *t, const orff_kernel *kernel, const orff_sampling *sampling,
                   cli_bound_measurement *m) {
    orff_measure how = orff_measure_default();
    orff_features *features = NULL;
    how.diameter = t->question.diameter;
    how.repeats = t->repeats;
    how.quantile = t->question.probability;
    int status = cli_outcome(orff_features_create(&features, kernel, sampling), NULL);
    if (!status) {
        const orff_features_info info = orff_features_describe(features);
        m->scheme = cli_frequencies_word(info.scheme);
        m->features = info.frequencies;
        status = cli_outcome(orff_bound_measure(kernel, sampling, &how, &m->value, NULL), NULL);
    }
    m->there = !status;
    orff_features_free(features);
    return status;
}

static int measure_both(cli_bound_task *t) {
    orff_kernel *kernel = NULL;
    orff_sampling iid = t->sampling;
    double *extent = cli_more(NULL, t->d, sizeof *extent);
    for (size_t i = 0; i < t->d; i++) extent[i] = t->question.diameter / sqrt((double)t->d);
    iid.scheme = ORFF_SCHEME_IID;
    iid.importance = ORFF_SWITCH_NO;
    iid.omega = iid.weights = NULL;
    t->sampling.extent = extent;
    int status = cli_outcome(
        orff_kernel_create(&kernel, t->d, t->p, t->spec.settings.n_parts, t->spec.settings.parts), NULL);
    if (!status) status = measure(t, kernel, &iid, &t->measured[0]);
    if (!status) status = measure(t, kernel, &t->sampling, &t->measured[1]);
    orff_kernel_free(kernel);
    free(extent);
    return status;
}

static int evaluate(cli_bound_task *t) {
    const orff_settings *s = &t->spec.settings;
    t->question.features = s->sampling.features;
    return cli_outcome(orff_bound_evaluate_sum(s->n_parts, s->parts, t->d, t->p, &t->question, &t->report),
                       NULL);
}

/* ---- options */

static int parse_problem(cli_bound_task *t) {
    const cli_arguments *a = t->arguments;
    const cli_option_id needed[] = {CLI_OPT_PLAN_INPUTS, CLI_OPT_DIAMETER, CLI_OPT_EPSILON};
    bool physical;
    for (size_t i = 0; i < 3; i++)
        if (!cli_given(a, needed[i])) return cli_wrong(a, needed[i], "is missing");
    t->question = orff_bound_question_default();
    t->question.relative = cli_given(a, CLI_OPT_RELATIVE);
    t->question.draws = CONSTANTS_DRAWS;
    int status = cli_settings_is_field(a, &physical);
    if (!status) status = cli_size(a, CLI_OPT_PLAN_INPUTS, 1, 65536, &t->d);
    t->p = physical ? t->d : 1;
    if (!status && cli_given(a, CLI_OPT_PLAN_OUTPUTS))
        status = cli_size(a, CLI_OPT_PLAN_OUTPUTS, 1, 65536, &t->p);
    if (!status && physical && t->p != t->d && !cli_given(a, cli_setting("covariates")))
        return cli_wrong(a, CLI_OPT_PLAN_OUTPUTS, "is %zu, but %s has as many outputs as inputs, here %zu",
                         t->p, cli_text(a, cli_setting("kernel")), t->d);
    if (!status) status = cli_number(a, CLI_OPT_DIAMETER, 1e-300, 1e300, &t->question.diameter);
    if (!status) status = cli_number(a, CLI_OPT_EPSILON, 1e-300, 1e300, &t->question.epsilon);
    if (!status) status = cli_number(a, CLI_OPT_PROBABILITY, 1e-12, 1.0 - 1e-12, &t->question.probability);
    if (!status && cli_given(a, CLI_OPT_BOUND_B))
        status = cli_number(a, CLI_OPT_BOUND_B, 1e-300, 1e300, &t->question.b);
    if (!status && cli_given(a, CLI_OPT_BOUND_M))
        status = cli_number(a, CLI_OPT_BOUND_M, 1e-300, 1e300, &t->question.m);
    if (!status && cli_given(a, CLI_OPT_SIGMA_P))
        status = cli_number(a, CLI_OPT_SIGMA_P, 1e-150, 1e150, &t->question.sigma_p);
    if (!status && cli_given(a, CLI_OPT_EMPIRICAL))
        status = cli_size(a, CLI_OPT_EMPIRICAL, 1, 1000000, &t->repeats);
    return status;
}

static int parse_kernel(cli_bound_task *t) {
    const cli_arguments *a = t->arguments;
    const orff_data_shape shape = {.d = t->d, .p = t->p, .fixed = true};
    const int status = cli_settings_read(&t->spec, a, &shape);
    if (status) return status;
    t->sampling = t->spec.settings.sampling;
    if (!cli_given(a, cli_setting("features")) && !t->sampling.omega) t->sampling.features = MEASURE_FEATURES;
    return CLI_DONE;
}

static int run(const cli_arguments *a) {
    cli_bound_task t = {.arguments = a};
    int status = parse_problem(&t);
    if (!status) status = parse_kernel(&t);
    if (!status) status = evaluate(&t);
    if (!status && t.repeats) status = measure_both(&t);
    if (!status) status = cli_wants_json() ? cli_bound_print_json(&t) : cli_bound_print_text(&t);
    cli_settings_clear(&t.spec);
    return status;
}

const cli_command cli_command_bound = {
    .name = "bound",
    .summary = "bound the error of features, and find how many are needed",
    .usage = "--kernel K --sigma S --dim d --diameter L --epsilon E",
    .text =
        "Bounds P{ sup |K~(x,z) - K(x,z)| >= epsilon } over the points of a set of diameter L, for D "
        "independent frequencies. It compares the theorem of the paper as printed, the same theorem with its "
        "errors corrected, and better bounds where they apply. It prints the constants, the D that each "
        "bound needs to keep the error below epsilon with probability P and, with --features, the bound at "
        "that D. If a bound does not apply to the base, it says why. With --empirical it measures the error "
        "on 1500 pairs in a cube of diameter L, for independent frequencies and for those of --sampling.",
    .example =
        "  orff bound --kernel curl-free --sigma 1 --dim 2 --diameter 2.828 --epsilon 0.3 --features 20000\n"
        "  orff bound --sigma 1 --dim 2 --diameter 2.828 --epsilon 0.1 --empirical 20\n"
        "  orff bound --kernel div-free@1+decomposable@0.5 --dim 2 --diameter 2 --epsilon 0.3 --relative\n",
    .least = 0,
    .most = 0,
    .bit = CLI_BIT(bound),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES,
    .run = run,
};
