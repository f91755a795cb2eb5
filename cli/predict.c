/* orff predict and orff sample: from a model and points to a table of predictions, or of posterior
 * samples. */
#include "predict.h"

#include <math.h>
#include <stdlib.h>

#include "mask.h"
#include "report.h"
#include "written.h"

#define MOST_SAMPLES 1000000

const cli_predict_sharing *cli_predict_shared;

/* ---- samples */

static bool needs_samples(const cli_prediction *j) {
    for (size_t i = 0; cli_prediction_has_errors(j) && i < j->n_derived; i++)
        if (!orff_model_has_field_std(j->applied.model, j->derived[i]->field)) return true;
    return j->sampling;
}

static int draw_samples(cli_prediction *j) {
    uint64_t seed = 0;
    int status = cli_size(j->arguments, CLI_OPT_SAMPLES, 1, MOST_SAMPLES, &j->count);
    if (!status) status = cli_whole(j->arguments, CLI_OPT_SEED, 0, UINT64_MAX, &seed);
    if (status) return status;
    if (!needs_samples(j)) {
        j->count = 0;
        if (cli_given(j->arguments, CLI_OPT_SAMPLES) && !cli_prediction_has_errors(j))
            cli_say(
                "--samples is for standard deviations of derived fields (--derive with --std); orff sample "
                "writes samples of the field");
        return CLI_DONE;
    }
    const size_t kept = orff_model_describe(j->applied.model).kept_samples;
    if (!j->sampling && kept && kept < j->count) j->count = kept; /* all that exist */
    status = cli_outcome(orff_samples_draw(&j->samples, j->applied.model, j->count, seed), NULL);
    if (!status && !j->sampling)
        cli_say("standard deviations of derived fields are estimated from %zu samples, to about %.2g %%",
                j->count, 100.0 / sqrt(2.0 * (double)j->count));
    return status;
}

/* ---- */

static int open_points(cli_prediction *j) {
    const cli_arguments *a = j->arguments;
    if (cli_given(a, CLI_OPT_ON_GRID) == (a->n_words > 1))
        return cli_wrong_usage(
            a->command, "%s", a->n_words > 1 ? "give --grid or DATA, not both" : "DATA or --grid is missing");
    if (cli_given(a, CLI_OPT_ON_GRID))
        return cli_lattice_parse(&j->lattice, a, j->applied.notes, j->applied.info.inputs);
    return cli_data_apply(&j->data, a, 1, j->applied.notes, j->applied.info.inputs, j->applied.info.outputs,
                          false);
}

static void clear(cli_prediction *j) {
    for (size_t i = 0; i < j->filled; i++) free(j->names[i]);
    for (size_t i = 0; i < j->n_derived; i++) free(j->units[i]);
    free(j->names);
    free(j->columns);
    free(j->labels);
    orff_samples_free(j->samples);
    cli_coast_clear(&j->coast);
    cli_lattice_clear(&j->lattice);
    cli_data_close(&j->data);
    cli_applied_clear(&j->applied);
}

int cli_predict(const cli_arguments *a, bool samples) {
    const double start = cli_seconds();
    cli_prediction j = {.arguments = a, .sampling = samples};
    int status = cli_need_table_output(a, "predictions");
    if (status) return status;
    status = cli_applied_load(&j.applied, a->words[0]);
    if (!status && j.applied.info.classes && cli_given(a, CLI_OPT_COAST))
        status = cli_wrong(a, CLI_OPT_COAST, "classes cannot be left out on land");
    if (!status) status = cli_coast_open(&j.coast, a, &j.applied);
    if (!status) status = cli_mask_parse(a, &j.applied, &j.mask, &j.masking);
    if (!status) status = open_points(&j);
    if (!status) status = cli_prediction_plan(&j);
    if (!status) status = draw_samples(&j);
    if (!status && j.lattice.rows)
        status = cli_lattice_check(&j.lattice, a, j.sampling ? j.width * j.count : j.width);
    j.last = j.lattice.rows;
    if (cli_predict_shared) status = cli_predict_shared->agree(status);
    if (!status) status = cli_prediction_write(&j, start);
    clear(&j);
    return status;
}

static int run(const cli_arguments *a) {
    return cli_predict(a, false);
}

const cli_command cli_command_predict = {
    .name = "predict",
    .summary = "predict at the points of a table or on a grid",
    .usage = "MODEL DATA|--grid X=LO:HI:COUNT,.. -o OUT",
    .text = "Evaluates a model at the rows of DATA or on a grid. The inputs are the columns of DATA with the "
            "names that the model was learned with. OUT is .csv or .tsv (also .gz), .npy (predictions only), "
            ".nc (a CF grid if the points form one), or - for CSV on standard output.",
    .example = "  orff predict wind.orff points.csv --std -o predicted.csv\n"
               "  orff predict wind.orff --grid x=0:1:50,y=0:1:50 --derive curl -o field.nc\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(predict),
    .run = run,
};
