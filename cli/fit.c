/* orff fit: rows or moments to a model file. */
#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "commands.h"
#include "data.h"
#include "fit.h"
#include "moments.h"
#include "report.h"
#include "result.h"
#include "spec.h"

int orff_write_model(const orff_arguments *a, orff_model *model, const json_t *notes) {
    const char *path = orff_text(a, ORFF_OPT_OUTPUT);
    char *text = json_dumps(notes, JSON_COMPACT | JSON_SORT_KEYS);
    orff_status status = orff_model_set_notes(model, text ? text : "");
    if (!status) status = orff_model_save(model, path, orff_given(a, ORFF_OPT_COMPACT));
    free(text);
    return orff_outcome(status, status == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
}

/* The most memory this process has had. */
static json_int_t peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (json_int_t)usage.ru_maxrss * 1024;
}

int orff_finish_fit(const orff_arguments *a, orff_model *model, const json_t *notes, uint64_t dropped,
                    double start, json_t *more) {
    orff_result result = {
        .model = model, .notes = notes, .path = orff_text(a, ORFF_OPT_OUTPUT), .dropped = dropped};
    const int status = orff_write_model(a, model, notes);
    if (status) {
        json_decref(more);
        return status;
    }
    result.seconds = orff_seconds() - start;
    orff_result_say(&result);
    if (!orff_wants_json()) {
        json_decref(more);
        return ORFF_DONE;
    }
    json_t *object = orff_result_json(&result);
    json_object_set_new(object, "peak_bytes", json_integer(peak_bytes()));
    if (more) json_object_update(object, more);
    json_decref(more);
    return orff_print_json(object);
}

int orff_need_output(const orff_arguments *a) {
    if (orff_given(a, ORFF_OPT_OUTPUT)) return ORFF_DONE;
    return orff_wrong_usage(a->command, "-o is missing: which file is to be written?");
}

/* ---- from rows */

static int fit_data(const orff_arguments *a, const orff_settings *settings, orff_data *data,
                    orff_model **model) {
    orff_status status;
    if (data->whole) {
        status = orff_model_fit(model, settings, data->d, data->p, data->n, data->X, data->Y, data->weights);
    } else {
        const orff_reader reader = orff_data_reader(data);
        orff_say("the rows are more than --memory %s allows: they are streamed, and what is automatic is "
                 "decided on the first",
                 orff_text(a, ORFF_OPT_MEMORY));
        status = orff_model_fit_stream(model, settings, data->d, data->p, &reader);
    }
    return orff_data_outcome(data, status);
}

/* By moments of our own, which can be saved on the way; their inputs and outputs are as in the data. */
static int fit_in_stages(const orff_arguments *a, const orff_settings *settings, orff_spec *spec,
                         orff_data *data, orff_model **model) {
    orff_moments *moments = NULL;
    if (data->classes) return orff_wrong(a, ORFF_OPT_CHECKPOINT, "is not there for --classify");
    if (spec->auto_kernel || spec->auto_mix)
        return orff_wrong(a, ORFF_OPT_CHECKPOINT,
                          "needs a kernel that is named: neither --kernel auto nor --mix auto");
    if (settings->scale_outputs || settings->scale_inputs == ORFF_YES)
        return orff_wrong(a, ORFF_OPT_CHECKPOINT, "does not go with --scale-inputs or --scale-outputs");
    if (settings->loss != ORFF_SQUARED ||
        (settings->solver != ORFF_SOLVER_AUTO && settings->solver != ORFF_DIRECT))
        return orff_wrong(a, ORFF_OPT_CHECKPOINT, "is for the squared loss and the direct solver");
    int status = orff_accumulate(a, data, spec, &moments);
    if (!status) status = orff_outcome(orff_model_fit_moments(model, settings, moments), NULL);
    orff_moments_free(moments);
    return status;
}

/* What has no effect without features. */
static int refuse_features(const orff_arguments *a) {
    static const orff_option_id ids[] = {ORFF_OPT_FEATURES, ORFF_OPT_SAMPLING,  ORFF_OPT_SEED,
                                         ORFF_OPT_FOLDS,    ORFF_OPT_TOLERANCE, ORFF_OPT_ITERATIONS,
                                         ORFF_OPT_COMPACT,  ORFF_OPT_CHECKPOINT};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (orff_given(a, ids[i])) return orff_wrong(a, ids[i], "has no effect on an exact model");
    return ORFF_DONE;
}

int orff_fit_rows(const orff_arguments *a, bool exact) {
    const double start = orff_seconds();
    orff_data data;
    orff_spec spec = {0};
    orff_settings settings;
    orff_model *model = NULL;
    int status = orff_data_learn(&data, a, 0);
    const size_t p = data.classes ? data.classes - 1 : data.p;
    if (!status) status = orff_spec_parse(&spec, a, data.d, p, data.covariate);
    if (!status) status = orff_spec_output_matrix(&spec, a, &data);
    if (!status) status = orff_settings_parse(&settings, a, &spec, data.classes);
    if (!status && exact) settings.solver = ORFF_SOLVER_EXACT;
    if (!status && settings.solver == ORFF_SOLVER_EXACT) status = refuse_features(a);
    if (!status) orff_settings_auto_features(&settings, a, &spec, data.whole ? data.n : 0, p);
    if (!status)
        status = orff_given(a, ORFF_OPT_CHECKPOINT) ? fit_in_stages(a, &settings, &spec, &data, &model)
                                                    : fit_data(a, &settings, &data, &model);
    if (!status) status = orff_finish_fit(a, model, data.notes, orff_table_dropped(data.table), start, NULL);
    if (!status) orff_forget_checkpoint(a);
    orff_model_free(model);
    orff_spec_clear(&spec);
    orff_data_close(&data);
    return status;
}

/* ---- from moments */

/* What the moments were made for stands where an option is not given. */
static orff_arguments with_kernel_of(const orff_arguments *a, const json_t *notes, const char *values[3]) {
    static const orff_option_id ids[3] = {ORFF_OPT_KERNEL, ORFF_OPT_BASE, ORFF_OPT_SIGMA};
    orff_arguments filled = *a;
    for (size_t i = 0; i < 3; i++) {
        values[i] =
            json_string_value(json_object_get(json_object_get(notes, "kernel"), orff_options[ids[i]].name));
        if (orff_given(a, ids[i]) || !values[i]) continue;
        filled.given[ids[i]].values = &values[i];
        filled.given[ids[i]].count = 1;
    }
    return filled;
}

static int refuse_data_options(const orff_arguments *a) {
    static const orff_option_id ids[] = {
        ORFF_OPT_INPUTS,        ORFF_OPT_OUTPUTS,    ORFF_OPT_WEIGHTS,       ORFF_OPT_SELECT,
        ORFF_OPT_GEO,           ORFF_OPT_MEMORY,     ORFF_OPT_SKIP_MISSING,  ORFF_OPT_CLASSIFY,
        ORFF_OPT_FEATURES,      ORFF_OPT_SEED,       ORFF_OPT_OUTPUT_MATRIX, ORFF_OPT_SAMPLING,
        ORFF_OPT_FOLDS,         ORFF_OPT_PRECISION,  ORFF_OPT_COVARIATES,    ORFF_OPT_SCALE_INPUTS,
        ORFF_OPT_SCALE_OUTPUTS, ORFF_OPT_CHECKPOINT, ORFF_OPT_RESUME,        ORFF_OPT_CHECKPOINT_ROWS};
    if (a->n_words)
        return orff_wrong_usage(a->command, "there is both --from-moments and data (%s)", a->words[0]);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (orff_given(a, ids[i]))
            return orff_wrong(a, ids[i], "has no effect on moments; it belongs to orff moments");
    return ORFF_DONE;
}

static int fit_moments(const orff_arguments *a) {
    const double start = orff_seconds();
    const char *path = orff_text(a, ORFF_OPT_FROM_MOMENTS), *values[3];
    orff_moments *moments = NULL;
    orff_spec spec = {0};
    orff_settings settings;
    orff_model *model = NULL;
    int status = refuse_data_options(a);
    if (status) return status;
    status = orff_outcome(orff_moments_load(&moments, path), NULL);
    if (status) return status;
    const orff_moments_info info = orff_moments_describe(moments);
    json_t *notes = orff_notes_parse(orff_moments_notes(moments));
    const orff_arguments filled = with_kernel_of(a, notes, values);
    bool *covariate = orff_more(NULL, info.inputs, sizeof *covariate);
    for (size_t i = 0; i < info.inputs; i++) covariate[i] = orff_notes_is_covariate(notes, i);
    status = orff_spec_parse(&spec, &filled, info.inputs, info.outputs, covariate);
    if (!status) status = orff_settings_parse(&settings, &filled, &spec, 0);
    if (!status && spec.auto_sigma)
        status = orff_wrong(a, ORFF_OPT_SIGMA, "the moments in %s have theirs; name it", path);
    if (!status) status = orff_outcome(orff_model_fit_moments(&model, &settings, moments), NULL);
    if (!status) status = orff_finish_fit(a, model, notes, 0, start, NULL);
    orff_model_free(model);
    orff_spec_clear(&spec);
    free(covariate);
    json_decref(notes);
    orff_moments_free(moments);
    return status;
}

static int run(const orff_arguments *a) {
    const int status = orff_need_output(a);
    if (status) return status;
    if (orff_given(a, ORFF_OPT_FROM_MOMENTS)) return fit_moments(a);
    if (orff_given(a, ORFF_OPT_RESUME) && !orff_given(a, ORFF_OPT_CHECKPOINT))
        return orff_wrong(a, ORFF_OPT_RESUME, "needs --checkpoint FILE");
    if (!a->n_words) return orff_wrong_usage(a->command, "DATA is missing; usage: orff fit DATA -o MODEL");
    return orff_fit_rows(a, false);
}

const orff_command orff_command_fit = {
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
    .bit = ORFF_FIT_BIT,
    .run = run,
};
