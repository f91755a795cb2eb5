/* orff plan: how long a fit will take and how much memory, as the library estimates it on this machine. */
#include <math.h>

#include "commands.h"
#include "report.h"
#include "settings.h"

typedef struct task {
    const cli_arguments *arguments;
    size_t n, d, p;
    cli_settings spec;
} task;

/* Memory for the rows that the program holds, with room to grow. */
static double held_bytes(const task *t) {
    return 8.0 * fmin((double)t->n * (double)(t->d + t->p), 64e6) * 1.5;
}

static int read_sizes(task *t) {
    static const cli_option_id ids[] = {CLI_OPT_PLAN_ROWS, CLI_OPT_PLAN_INPUTS, CLI_OPT_PLAN_OUTPUTS};
    size_t *const values[] = {&t->n, &t->d, &t->p};
    for (size_t i = 0; i < 3; i++) {
        if (!cli_given(t->arguments, ids[i])) return cli_wrong(t->arguments, ids[i], "is missing");
        const int status = cli_size(t->arguments, ids[i], 1, i ? 65536 : (size_t)1 << 50, values[i]);
        if (status) return status;
    }
    return CLI_DONE;
}

static int print_cost(const task *t, const orff_cost *cost, double bytes) {
    if (cli_wants_json())
        return cli_print_json(json_pack("{s:f, s:I, s:I, s:I, s:I, s:I}", "seconds", cost->seconds,
                                        "peak_bytes", (json_int_t)bytes, "n", (json_int_t)t->n, "d",
                                        (json_int_t)t->d, "p", (json_int_t)t->p, "features",
                                        (json_int_t)cost->features));
    cli_print_line("about %.3g s and %.3g MB", cost->seconds, bytes / 1e6);
    return cli_check_stdout();
}

static int run(const cli_arguments *a) {
    task t = {.arguments = a};
    orff_cost cost = {0};
    int status = read_sizes(&t);
    const orff_data_shape shape = {.d = t.d, .p = t.p};
    if (!status) status = cli_settings_read(&t.spec, a, &shape);
    if (!status) status = cli_outcome(orff_cost_estimate(&t.spec.settings, t.d, t.p, t.n, &cost), NULL);
    if (!status) status = print_cost(&t, &cost, cost.bytes + (cost.features ? held_bytes(&t) : 0.0));
    cli_settings_clear(&t.spec);
    return status;
}

const cli_command cli_command_plan = {
    .name = "plan",
    .summary = "predict the time and memory of a fit on this machine",
    .usage = "--n N --dim d --outputs p",
    .text =
        "Runs short measurements and extrapolates them to the time and the peak memory of orff fit, with "
        "the engine that fit would choose, or the one given by --engine. A lattice is timed on a field "
        "with details a tenth of its range in size and noise a tenth of its spread; with next to no noise "
        "it can take several times as long. It assumes lambda auto and, without --sigma, sigma auto. The "
        "time to read the file is not included.",
    .example = "  orff plan --n 1000000 --dim 3 --outputs 3 --features 1000 --kernel div-free\n",
    .least = 0,
    .most = 0,
    .bit = CLI_BIT(plan),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_LEARNING | ORFF_USE_SOLVING,
    .run = run,
};
