/* orff fit: rows or moments to a model file. */
#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "checkpoint.h"
#include "commands.h"
#include "data.h"
#include "fit.h"
#include "report.h"
#include "result.h"
#include "spec.h"

int cli_write_model(const cli_arguments *a, orff_model *model, const json_t *notes) {
    const char *path = cli_text(a, CLI_OPT_OUTPUT);
    char *text = json_dumps(notes, JSON_COMPACT | JSON_SORT_KEYS);
    if (!text) return cli_failed("%s: its notes cannot be written", path);
    orff_status status = orff_model_set_notes(model, text);
    if (!status) status = orff_model_save(model, path, cli_given(a, CLI_OPT_COMPACT));
    free(text);
    return cli_outcome(status, status == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
}

/* The most memory this process has had. */
static json_int_t peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (json_int_t)usage.ru_maxrss * 1024;
}

static char *result_text(const cli_result *result, json_t *more) {
    json_t *object = cli_result_json(result);
    json_object_set_new(object, "peak_bytes", json_integer(peak_bytes()));
    if (more) json_object_update(object, more);
    return cli_json_text(object);
}

/* What is told is made before the file is written: who fails for want of memory has not replaced it. */
int cli_finish_fit(const cli_arguments *a, orff_model *model, const json_t *notes, uint64_t dropped,
                   double start, json_t *more) {
    const cli_result result = {.model = model,
                               .notes = notes,
                               .path = cli_text(a, CLI_OPT_OUTPUT),
                               .seconds = cli_seconds() - start,
                               .dropped = dropped};
    char *words = cli_result_words(model, notes);
    char *text = cli_wants_json() ? result_text(&result, more) : NULL;
    int status = cli_write_model(a, model, notes);
    if (!status) cli_result_say(&result, words);
    if (!status && cli_wants_json()) {
        status = cli_print_text(text);
        text = NULL;
    }
    json_decref(more);
    free(words);
    free(text);
    return status;
}

int cli_need_output(const cli_arguments *a) {
    if (cli_given(a, CLI_OPT_OUTPUT)) return CLI_DONE;
    return cli_wrong_usage(a->command, "-o is missing: which file is to be written?");
}

/* ---- from rows */

static int fit_data(const cli_arguments *a, const orff_settings *settings, cli_data *data,
                    orff_model **model) {
    orff_status status;
    if (data->whole) {
        status = orff_model_fit(model, settings, data->d, data->p, data->n, data->X, data->Y, data->weights);
    } else {
        const orff_reader reader = cli_data_reader(data);
        cli_say("the rows are more than --memory %s allows: they are streamed, and what is automatic is "
                "decided on the first",
                cli_text(a, CLI_OPT_MEMORY));
        status = orff_model_fit_stream(model, settings, data->d, data->p, &reader);
    }
    return cli_data_outcome(data, status);
}

/* What has no effect without features. */
static int refuse_features(const cli_arguments *a) {
    static const cli_option_id ids[] = {CLI_OPT_FEATURES, CLI_OPT_SAMPLING,  CLI_OPT_SEED,
                                        CLI_OPT_FOLDS,    CLI_OPT_TOLERANCE, CLI_OPT_ITERATIONS,
                                        CLI_OPT_COMPACT,  CLI_OPT_CHECKPOINT};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (cli_given(a, ids[i])) return cli_wrong(a, ids[i], "has no effect on an exact model");
    return CLI_DONE;
}

int cli_fit_rows(const cli_arguments *a, bool exact) {
    const double start = cli_seconds();
    cli_data data = {0};
    cli_spec spec = {0};
    cli_checkpoint checkpoint = {0};
    orff_settings settings;
    orff_model *model = NULL;
    int status = exact ? CLI_DONE : cli_checkpoint_parse(&checkpoint, a);
    if (!status) status = cli_data_learn(&data, a, 0);
    const size_t p = data.classes ? data.classes - 1 : data.p;
    if (!status) status = cli_spec_parse(&spec, a, data.d, p, data.covariate);
    if (!status) status = cli_spec_output_matrix(&spec, a, &data);
    if (!status) status = cli_settings_parse(&settings, a, &spec, data.classes);
    if (!status && exact) settings.engine = ORFF_ENGINE_EXACT;
    if (!status && settings.engine == ORFF_ENGINE_EXACT) status = refuse_features(a);
    if (!status) cli_settings_auto_features(&settings, a, &spec, data.whole ? data.n : 0, p);
    if (!status) {
        settings.checkpoint = checkpoint.path;
        settings.checkpoint_rows = checkpoint.rows;
        settings.resume = checkpoint.resume;
        status = fit_data(a, &settings, &data, &model);
    }
    if (!status) status = cli_finish_fit(a, model, data.notes, fmt_table_dropped(data.table), start, NULL);
    if (!status) cli_checkpoint_forget(&checkpoint);
    orff_model_free(model);
    cli_spec_clear(&spec);
    cli_data_close(&data);
    return status;
}

/* ---- from moments */

/* What the moments were made for stands where an option is not given. */
static cli_arguments with_kernel_of(const cli_arguments *a, const json_t *notes, const char *values[3]) {
    static const cli_option_id ids[3] = {CLI_OPT_KERNEL, CLI_OPT_BASE, CLI_OPT_SIGMA};
    cli_arguments filled = *a;
    for (size_t i = 0; i < 3; i++) {
        values[i] =
            json_string_value(json_object_get(json_object_get(notes, "kernel"), cli_options[ids[i]].name));
        if (cli_given(a, ids[i]) || !values[i]) continue;
        filled.given[ids[i]].values = &values[i];
        filled.given[ids[i]].count = 1;
    }
    return filled;
}

static int refuse_data_options(const cli_arguments *a) {
    static const cli_option_id ids[] = {
        CLI_OPT_INPUTS,        CLI_OPT_OUTPUTS,    CLI_OPT_WEIGHTS,       CLI_OPT_SELECT,
        CLI_OPT_GEO,           CLI_OPT_MEMORY,     CLI_OPT_SKIP_MISSING,  CLI_OPT_CLASSIFY,
        CLI_OPT_FEATURES,      CLI_OPT_SEED,       CLI_OPT_OUTPUT_MATRIX, CLI_OPT_SAMPLING,
        CLI_OPT_FOLDS,         CLI_OPT_PRECISION,  CLI_OPT_COVARIATES,    CLI_OPT_SCALE_INPUTS,
        CLI_OPT_SCALE_OUTPUTS, CLI_OPT_CHECKPOINT, CLI_OPT_RESUME,        CLI_OPT_CHECKPOINT_ROWS};
    if (a->n_words)
        return cli_wrong_usage(a->command, "there is both --from-moments and data (%s)", a->words[0]);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (cli_given(a, ids[i]))
            return cli_wrong(a, ids[i], "has no effect on moments; it belongs to orff moments");
    return CLI_DONE;
}

static int fit_moments(const cli_arguments *a) {
    const double start = cli_seconds();
    const char *path = cli_text(a, CLI_OPT_FROM_MOMENTS), *values[3];
    orff_moments *moments = NULL;
    cli_spec spec = {0};
    orff_settings settings;
    orff_model *model = NULL;
    int status = refuse_data_options(a);
    if (status) return status;
    status = cli_outcome(orff_moments_load(&moments, path), NULL);
    if (status) return status;
    const orff_moments_info info = orff_moments_describe(moments);
    json_t *notes = NULL;
    status = cli_notes_of_moments(&notes, path, moments);
    if (status) {
        orff_moments_free(moments);
        return status;
    }
    const cli_arguments filled = with_kernel_of(a, notes, values);
    bool *covariate = cli_more(NULL, info.inputs, sizeof *covariate);
    for (size_t i = 0; i < info.inputs; i++) covariate[i] = cli_notes_is_covariate(notes, i);
    status = cli_spec_parse(&spec, &filled, info.inputs, info.outputs, covariate);
    if (!status) status = cli_settings_parse(&settings, &filled, &spec, 0);
    if (!status && spec.auto_sigma)
        status = cli_wrong(a, CLI_OPT_SIGMA, "the moments in %s have theirs; name it", path);
    if (!status) status = cli_outcome(orff_model_fit_moments(&model, &settings, moments), NULL);
    if (!status) status = cli_finish_fit(a, model, notes, 0, start, NULL);
    orff_model_free(model);
    cli_spec_clear(&spec);
    free(covariate);
    json_decref(notes);
    orff_moments_free(moments);
    return status;
}

static int run(const cli_arguments *a) {
    const int status = cli_need_output(a);
    if (status) return status;
    if (cli_given(a, CLI_OPT_FROM_MOMENTS)) return fit_moments(a);
    if (!a->n_words) return cli_wrong_usage(a->command, "DATA is missing; usage: orff fit DATA -o MODEL");
    return cli_fit_rows(a, false);
}

const cli_command cli_command_fit = {
    .name = "fit",
    .summary = "learn a function from data and write a model file",
    .usage = "DATA -o MODEL",
    .text = "Learns y = f(x) from the rows of DATA: a table (.csv, .tsv, also .gz; - is standard input), two "
            "array files X Y "
            "(.npy, IDX, also .gz) or a NetCDF file. Without further options sigma and lambda are chosen "
            "from the data. "
            "Names, units and classes travel in the model, so that predict and evaluate need no options.",
    .example = "  orff fit wind.csv --inputs x,y --outputs u,v --kernel div-free+decomposable -o wind.orff\n",
    .least = 0,
    .most = 2,
    .bit = CLI_FIT_BIT,
    .run = run,
};
