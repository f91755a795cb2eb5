/* orff fit: from rows or moments to a model file. */
#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "checkpoint.h"
#include "commands.h"
#include "data.h"
#include "fit.h"
#include "moments_file.h"
#include "observed.h"
#include "offsets.h"
#include "report.h"
#include "result.h"
#include "settings.h"
#include "walls.h"

/* Puts the notes into the model and writes it to -o. */
static int write_model(const cli_arguments *a, orff_model *model, orff_notes *notes) {
    const char *path = cli_text(a, CLI_OPT_OUTPUT);
    const orff_model_info info = orff_model_describe(model);
    const char *text = "";
    orff_status status = info.on_plane ? orff_notes_set_plane(notes, &info.plane) : ORFF_OK;
    if (!status) status = orff_notes_text(notes, &text);
    if (!status) status = orff_model_set_notes(model, text);
    if (!status) status = orff_model_save(model, path, cli_given(a, CLI_OPT_COMPACT));
    return cli_outcome(status, status == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
}

/* The peak memory of this process. */
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

/* Makes the text for the user before the file is written: if memory runs out, the old file stays. */
int cli_finish_fit(const cli_arguments *a, orff_model *model, orff_notes *notes, uint64_t dropped,
                   double start, json_t *more) {
    const cli_result result = {.model = model,
                               .notes = notes,
                               .path = cli_text(a, CLI_OPT_OUTPUT),
                               .seconds = cli_seconds() - start,
                               .dropped = dropped};
    char *words = cli_result_words(model, notes);
    char *text = cli_wants_json() ? result_text(&result, more) : NULL;
    int status = write_model(a, model, notes);
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
    return cli_wrong_usage(a->command, "-o is missing: which file should be written?");
}

/* ---- from rows */

static int fit_data(const cli_arguments *a, const orff_settings *settings, cli_data *data,
                    orff_model **model) {
    orff_status status;
    if (data->whole) {
        const orff_observations observations = cli_observed_rows(data);
        status = orff_model_fit_observations(model, settings, &observations);
    } else {
        const orff_reader reader = cli_data_reader(data);
        cli_say("the data are larger than --memory %s, so they are read in one pass; automatic choices "
                "use the first %zu rows",
                cli_text(a, CLI_OPT_MEMORY), data->n < settings->subsample ? data->n : settings->subsample);
        status = orff_model_fit_stream(model, settings, data->d, data->p, &reader);
    }
    return cli_data_outcome(data, status);
}

/* Fails for options without effect on exact models. */
static int refuse_features(const cli_arguments *a) {
    if (cli_given(a, CLI_OPT_COMPACT))
        return cli_wrong(a, CLI_OPT_COMPACT, "has no effect on an exact model");
    for (size_t i = 0; orff_setting_at(i); i++) {
        const bool heard = orff_setting_at(i)->uses & (ORFF_USE_KERNEL | ORFF_USE_LEARNING);
        const bool asked = !strcmp(orff_setting_at(i)->name, "engine");
        if (!heard && !asked && cli_given(a, CLI_OWN_OPTIONS + i))
            return cli_wrong(a, CLI_OWN_OPTIONS + i, "has no effect on an exact model");
    }
    return CLI_DONE;
}

/* Learns from all rows at once, or from a stream of complete rows. */
static int learn_rows(const cli_arguments *a, bool exact, cli_data *data, cli_settings *s, double start) {
    orff_model *model = NULL;
    int status = s->settings.engine == ORFF_ENGINE_EXACT ? refuse_features(a) : CLI_DONE;
    if (!status) status = cli_walls_read(data, a, &s->settings);
    if (!status) status = fit_data(a, &s->settings, data, &model);
    if (!status && exact)
        status =
            cli_outcome(orff_options_set(s->options, "engine", orff_engine_name(ORFF_ENGINE_EXACT)), NULL);
    if (!status) status = cli_settings_note(s, data->notes);
    if (!status) status = cli_offsets_note(data, model);
    if (!status) status = cli_finish_fit(a, model, data->notes, fmt_table_dropped(data->table), start, NULL);
    if (!status && !exact) cli_checkpoint_forget(a);
    orff_model_free(model);
    return status;
}

int cli_fit_rows(const cli_arguments *a, bool exact) {
    const double start = cli_seconds();
    cli_data data = {0};
    cli_settings s = {0};
    int status = exact ? CLI_DONE : cli_checkpoint_check(a);
    if (!status) status = cli_data_learn(&data, a, 0);
    if (!status) status = cli_settings_read_for(&s, a, &data);
    if (!status && exact) s.settings.engine = ORFF_ENGINE_EXACT;
    const bool summed = !data.whole && data.layout.observed;
    if (!status)
        status = summed ? cli_fit_summed(a, &data, &s, start) : learn_rows(a, exact, &data, &s, start);
    cli_settings_clear(&s);
    cli_data_close(&data);
    return status;
}

/* ---- from moments */

#define FROM_NOTES 4

/* Fills options that are not given with those that the moments were made with. */
static cli_arguments with_kernel_of(const cli_arguments *a, const orff_notes *notes, const char *covariates,
                                    const char *values[FROM_NOTES]) {
    static const char *const names[FROM_NOTES] = {"kernel", "base", "sigma", "covariates"};
    cli_arguments filled = *a;
    for (size_t i = 0; i < FROM_NOTES; i++) {
        const cli_option_id id = cli_setting(names[i]);
        values[i] = i < 3 ? orff_notes_kernel(notes, names[i]) : covariates;
        if (cli_given(a, id) || !values[i]) continue;
        filled.given[id].values = &values[i];
        filled.given[id].count = 1;
    }
    return filled;
}

/* The numbers of the covariates, counted from 1; NULL if there are none. Free the text. */
static char *covariates_of(const orff_notes *notes, size_t d) {
    cli_string text = {0};
    for (size_t i = 0; i < d; i++)
        if (orff_notes_is_covariate(notes, i)) cli_append(&text, "%s%zu", text.length ? "," : "", i + 1);
    return text.text;
}

static bool belongs_to_moments(const orff_setting *setting) {
    static const char *const others[] = {"covariates", "geo", "scale-inputs", "scale-outputs"};
    bool named = false;
    /* The library says if the engine does not fit the moments. */
    if (!strcmp(setting->name, "engine")) return false;
    for (size_t i = 0; i < 4; i++) named = named || !strcmp(setting->name, others[i]);
    return named || setting->uses & (ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_STREAM);
}

static int refuse_data_options(const cli_arguments *a) {
    static const cli_option_id ids[] = {CLI_OPT_INPUTS, CLI_OPT_OUTPUTS,      CLI_OPT_WEIGHTS, CLI_OPT_SELECT,
                                        CLI_OPT_MEMORY, CLI_OPT_SKIP_MISSING, CLI_OPT_CLASSIFY};
    if (a->n_words)
        return cli_wrong_usage(a->command, "give --from-moments or data (%s), not both", a->words[0]);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (cli_given(a, ids[i]))
            return cli_wrong(a, ids[i], "has no effect on moments; give it to orff moments instead");
    for (size_t i = 0; orff_setting_at(i); i++)
        if (cli_given(a, CLI_OWN_OPTIONS + i) && belongs_to_moments(orff_setting_at(i)))
            return cli_wrong(a, CLI_OWN_OPTIONS + i,
                             "has no effect on moments; give it to orff moments instead");
    return CLI_DONE;
}

/* Moments of a lattice leave length scales open, moments of features do not. */
static int fit_settings(const cli_arguments *a, const cli_moments *moments, const cli_settings *s,
                        orff_model **model) {
    if (moments->lattice)
        return cli_outcome(orff_model_fit_lattice_moments(model, &s->settings, moments->lattice), NULL);
    if (s->auto_sigma)
        return cli_wrong(a, cli_setting("sigma"),
                         "must be the length scale that the moments were made with; give that number");
    return cli_outcome(orff_model_fit_moments(model, &s->settings, moments->features), NULL);
}

int cli_fit_moments(const cli_arguments *a, const cli_moments *moments, orff_notes *notes, uint64_t dropped,
                    double start) {
    const cli_moments_info info = cli_moments_describe(moments);
    const size_t classes = orff_notes_labels(notes); /* the outputs are their codes */
    const orff_data_shape shape = {.d = info.inputs, .p = classes ? 1 : info.outputs, .classes = classes};
    const char *values[FROM_NOTES];
    char *covariates = covariates_of(notes, info.inputs);
    const cli_arguments filled = with_kernel_of(a, notes, covariates, values);
    cli_settings s = {0};
    orff_model *model = NULL;
    json_t *all = cli_notes_json(notes);
    const char *lines = json_string_value(json_object_get(all, "settings"));
    int status = cli_settings_read_over(&s, &filled, &shape, lines ? lines : "");
    json_decref(all);
    if (!status) status = fit_settings(a, moments, &s, &model);
    if (!status) status = cli_finish_fit(a, model, notes, dropped, start, NULL);
    orff_model_free(model);
    cli_settings_clear(&s);
    free(covariates);
    return status;
}

static int fit_moments(const cli_arguments *a) {
    const double start = cli_seconds();
    const char *path = cli_text(a, CLI_OPT_FROM_MOMENTS);
    cli_moments moments = {0};
    orff_notes *notes = NULL;
    int status = refuse_data_options(a);
    if (!status) status = cli_moments_load(&moments, path);
    if (!status) status = cli_notes_of_moments(&notes, path, &moments);
    if (!status) status = cli_fit_moments(a, &moments, notes, 0, start);
    orff_notes_free(notes);
    cli_moments_clear(&moments);
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
            "array files X Y (.npy, IDX, also .gz) or a NetCDF file. Engine, base, length scale and lambda "
            "are chosen from the data unless you give them. The model remembers names, units and classes, so "
            "predict and evaluate need no options.",
    .example = "  orff fit wind.csv --inputs x,y --outputs u,v --kernel div-free+decomposable -o wind.orff\n",
    .least = 0,
    .most = 2,
    .bit = CLI_BIT(fit),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_LEARNING | ORFF_USE_SOLVING |
            ORFF_USE_STREAM,
    .run = run,
};
