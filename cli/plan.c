/* orff plan: how long a fit will take and how much memory, as the library estimates it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "spec.h"

typedef struct task {
    const cli_arguments *arguments;
    size_t n, d, p, folds;
    cli_spec spec;
    orff_sampling sampling;
    bool single, exact;
} task;

/* The rows that the program holds, with room to grow. */
static double held_bytes(const task *t) {
    return 8.0 * fmin((double)t->n * (double)(t->d + t->p), 64e6) * 1.5;
}

static int estimate(const task *t, orff_cost *cost) {
    orff_settings settings = orff_settings_default();
    settings.n_parts = t->spec.n;
    settings.parts = t->spec.parts;
    settings.sampling = t->sampling;
    settings.folds = t->folds;
    settings.single = t->single;
    settings.solver = t->exact ? ORFF_SOLVER_EXACT : ORFF_SOLVER_AUTO;
    const int status = cli_outcome(orff_cost_estimate(&settings, t->d, t->p, t->n, cost), NULL);
    if (!status && !t->exact) cost->bytes += held_bytes(t);
    return status;
}

static int parse_solver(task *t) {
    const char *solver = cli_text(t->arguments, CLI_OPT_SOLVER);
    t->exact = !strcmp(solver, "exact");
    if (t->exact || !strcmp(solver, "auto") || !strcmp(solver, "direct")) return CLI_DONE;
    return cli_wrong(t->arguments, CLI_OPT_SOLVER, "\"%s\" cannot be planned; auto, direct and exact can",
                     solver);
}

static int parse_sizes(task *t) {
    static const cli_option_id ids[] = {CLI_OPT_PLAN_ROWS, CLI_OPT_PLAN_INPUTS, CLI_OPT_PLAN_OUTPUTS};
    size_t *const values[] = {&t->n, &t->d, &t->p};
    for (size_t i = 0; i < 3; i++) {
        if (!cli_given(t->arguments, ids[i])) return cli_wrong(t->arguments, ids[i], "is missing");
        const int status = cli_size(t->arguments, ids[i], 1, i ? 65536 : (size_t)1 << 50, values[i]);
        if (status) return status;
    }
    return cli_size(t->arguments, CLI_OPT_FOLDS, 2, 1000, &t->folds);
}

static int parse(task *t) {
    const char *precision = cli_text(t->arguments, CLI_OPT_PRECISION);
    int status = parse_sizes(t);
    if (!status) status = parse_solver(t);
    t->single = !strcmp(precision, "single");
    if (!status && !t->single && strcmp(precision, "double"))
        status = cli_wrong(t->arguments, CLI_OPT_PRECISION, "\"%s\" is neither double nor single", precision);
    if (!status) status = cli_sampling_parse(t->arguments, &t->sampling);
    return status ? status : cli_spec_parse(&t->spec, t->arguments, t->d, t->p, NULL);
}

static int run(const cli_arguments *a) {
    task t = {.arguments = a};
    orff_cost cost = {0};
    int status = parse(&t);
    if (!status) status = estimate(&t, &cost);
    if (!status && cli_wants_json()) {
        status = cli_print_json(json_pack("{s:f, s:I, s:I, s:I, s:I, s:I}", "seconds", cost.seconds,
                                          "peak_bytes", (json_int_t)cost.bytes, "n", (json_int_t)t.n, "d",
                                          (json_int_t)t.d, "p", (json_int_t)t.p, "features",
                                          (json_int_t)(t.exact ? 0 : t.sampling.features)));
    } else if (!status) {
        cli_print_line("about %.3g s and %.3g MB", cost.seconds, cost.bytes / 1e6);
        status = cli_check_stdout();
    }
    cli_spec_clear(&t.spec);
    return status;
}

const cli_command cli_command_plan = {
    .name = "plan",
    .summary = "predicted time and memory of a fit on this machine",
    .usage = "--n N --dim d --outputs p",
    .text = "Measures for a moment and scales up: the time and the peak memory of orff fit with the direct "
            "solver, or of orff exact with --solver exact, lambda auto "
            "and, without --sigma, sigma auto. Reading the file is not included.",
    .example = "  orff plan --n 1000000 --dim 3 --outputs 3 --features 1000 --kernel div-free\n",
    .least = 0,
    .most = 0,
    .bit = CLI_PLAN_BIT,
    .run = run,
};
