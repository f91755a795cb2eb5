/* orff moments: one pass over data, all that ridge regression needs in a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "commands.h"
#include "data.h"
#include "fit.h"
#include "report.h"
#include "result.h"
#include "spec.h"

/* ---- the kernel of the moments */

static int take_scales(cli_spec *spec, const orff_model *model) {
    for (size_t m = 0; m < spec->n; m++) {
        orff_part part;
        const int status = cli_outcome(orff_model_part(model, m, &part), NULL);
        if (status) return status;
        double *sigmas = spec->sigmas + m * spec->d;
        for (size_t i = 0; i < spec->d; i++) sigmas[i] = part.sigmas ? part.sigmas[i] : part.sigma;
        spec->parts[m].sigma = sigmas[0];
        spec->parts[m].sigmas = sigmas;
    }
    spec->auto_sigma = false;
    return CLI_DONE;
}

static int resolve_sigma(cli_spec *spec, const cli_arguments *a, const cli_data *data) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    if (!spec->auto_sigma) return CLI_DONE;
    if (!data->n)
        return cli_wrong(a, CLI_OPT_SIGMA, "auto needs rows in memory; give a number or more --memory");
    settings.n_parts = spec->n;
    settings.parts = spec->parts;
    settings.sampling.features = 300;
    settings.posterior = ORFF_SWITCH_NO;
    int status = cli_outcome(
        orff_model_fit(&model, &settings, data->d, data->p, data->n, data->X, data->Y, data->weights), NULL);
    if (!status) status = take_scales(spec, model);
    orff_model_free(model);
    return status;
}

static const char *base_word(const orff_part *part) {
    static const struct {
        orff_base base;
        double shape;
        const char *word;
    } words[] = {{ORFF_BASE_MATERN, 0.5, "matern12"},
                 {ORFF_BASE_MATERN, 1.5, "matern32"},
                 {ORFF_BASE_MATERN, 2.5, "matern52"},
                 {ORFF_BASE_MATERN, 3.5, "matern72"},
                 {ORFF_BASE_RATIONAL_QUADRATIC, 1.0, "cauchy"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].base == part->base && words[i].shape == part->shape) return words[i].word;
    return orff_base_name(part->base);
}

/* The same scale for every input is written once. */
static void append_scales(cli_string *text, const cli_spec *spec, size_t m) {
    const double *sigmas = spec->sigmas + m * spec->d;
    bool same = true;
    for (size_t i = 1; i < spec->d; i++) same = same && sigmas[i] == sigmas[0];
    for (size_t i = 0; i < (same ? 1 : spec->d); i++) cli_append(text, "%s%.17g", i ? "," : "", sigmas[i]);
}

static int note_kernel(orff_notes *notes, const cli_spec *spec) {
    cli_string kernel = {0}, base = {0}, sigma = {0};
    for (size_t m = 0; m < spec->n; m++) {
        const char *plus = m ? "+" : "";
        cli_append(&kernel, "%s%s", plus, orff_rule_name(spec->parts[m].rule));
        cli_append(&base, "%s%s", plus, base_word(&spec->parts[m]));
        cli_append(&sigma, "%s", plus);
        append_scales(&sigma, spec, m);
    }
    const int status = cli_outcome(orff_notes_set_kernel(notes, kernel.text, base.text, sigma.text), NULL);
    free(kernel.text);
    free(base.text);
    free(sigma.text);
    return status;
}

/* ---- accumulating */

static int save(const orff_moments *moments, const char *path) {
    const orff_status status = orff_moments_save(moments, path);
    return cli_outcome(status, status == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
}

static int parse(const cli_arguments *a, orff_sampling *sampling, orff_moments_settings *how) {
    const char *precision = cli_text(a, CLI_OPT_PRECISION);
    int status = cli_sampling_parse(a, sampling);
    *how = (orff_moments_settings){.seed = sampling->seed, .single = !strcmp(precision, "single")};
    if (!status && !how->single && strcmp(precision, "double"))
        status = cli_wrong(a, CLI_OPT_PRECISION, "\"%s\" is neither double nor single", precision);
    return status ? status : cli_size(a, CLI_OPT_FOLDS, 1, 1000, &how->folds);
}

/* Without rows yet, on the kernel's frequencies. */
static int start(const cli_arguments *a, const cli_data *data, const cli_spec *spec, orff_moments **moments) {
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling;
    orff_moments_settings how;
    int status = parse(a, &sampling, &how);
    if (!status)
        status = cli_outcome(orff_kernel_create(&kernel, data->d, data->p, spec->n, spec->parts), NULL);
    if (!status) status = cli_outcome(orff_features_create(&features, kernel, &sampling), NULL);
    if (!status) status = cli_outcome(orff_moments_create(moments, features, &how), NULL);
    const char *text = "";
    if (!status) status = cli_outcome(orff_notes_text(data->notes, &text), NULL);
    if (!status) status = cli_outcome(orff_moments_set_notes(*moments, text), NULL);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

/* All rows of the data. Length scales that are auto are settled in the spec, by a small fit to the rows held; the
 * kernel is put into the data's notes, for --from-moments. */
static int accumulate(const cli_arguments *a, const cli_checkpoint *checkpoint, cli_data *data,
                      cli_spec *spec, orff_moments **moments) {
    const orff_reader reader = cli_data_reader(data);
    int status = resolve_sigma(spec, a, data);
    if (status) return status;
    status = note_kernel(data->notes, spec);
    if (!status) status = start(a, data, spec, moments);
    if (status) return status;
    return cli_data_outcome(data, checkpoint->path
                                      ? orff_moments_read_resumable(*moments, &reader, checkpoint->path,
                                                                    checkpoint->rows, checkpoint->resume)
                                      : orff_moments_read(*moments, &reader));
}

/* ---- the command */

static char *told(const cli_arguments *a, const cli_data *data, const orff_moments *moments, double seconds) {
    const orff_moments_info info = orff_moments_describe(moments);
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}", "n", (json_int_t)info.rows,
                               "dropped", (json_int_t)fmt_table_dropped(data->table), "d",
                               (json_int_t)info.inputs, "p", (json_int_t)info.outputs, "features",
                               (json_int_t)info.frequencies, "folds", (json_int_t)info.folds, "seconds",
                               seconds, "moments", cli_text_or_shown(cli_text(a, CLI_OPT_OUTPUT)));
    static const char *const words[] = {"kernel", "base", "sigma"};
    for (size_t i = 0; i < 3; i++)
        json_object_set_new(object, words[i], json_string(orff_notes_kernel(data->notes, words[i])));
    return cli_json_text(object);
}

static void say(const cli_arguments *a, const cli_data *data, const orff_moments *moments, double seconds) {
    const orff_moments_info info = orff_moments_describe(moments);
    cli_say("%" PRIu64 " rows, %" PRIu64 " dropped, %zu frequencies, %zu folds, sigma %s, %.2f s: %s",
            info.rows, fmt_table_dropped(data->table), info.frequencies, info.folds,
            orff_notes_kernel(data->notes, "sigma"), seconds, cli_text(a, CLI_OPT_OUTPUT));
}

/* What is told is made before the file is written: see cli_json_text. */
static int finish(const cli_arguments *a, const cli_checkpoint *checkpoint, const cli_data *data,
                  const orff_moments *moments, double begin) {
    const double seconds = cli_seconds() - begin;
    char *text = cli_wants_json() ? told(a, data, moments, seconds) : NULL;
    const int status = save(moments, cli_text(a, CLI_OPT_OUTPUT));
    if (status) {
        free(text);
        return status;
    }
    cli_checkpoint_forget(checkpoint);
    say(a, data, moments, seconds);
    return cli_wants_json() ? cli_print_text(text) : CLI_DONE;
}

static int run(const cli_arguments *a) {
    const double begin = cli_seconds();
    cli_data data = {0};
    cli_spec spec = {0};
    cli_checkpoint checkpoint = {0};
    orff_moments *moments = NULL;
    int status = cli_need_output(a);
    if (!status) status = cli_checkpoint_parse(&checkpoint, a);
    if (!status) status = cli_data_learn(&data, a, 0);
    if (!status) status = cli_spec_parse(&spec, a, data.d, data.p, data.covariate);
    if (!status) status = accumulate(a, &checkpoint, &data, &spec, &moments);
    if (!status) status = finish(a, &checkpoint, &data, moments, begin);
    orff_moments_free(moments);
    cli_spec_clear(&spec);
    cli_data_close(&data);
    return status;
}

const cli_command cli_command_moments = {
    .name = "moments",
    .summary = "accumulate data into a file of moments, for merge and fit --from-moments",
    .usage = "DATA -o FILE",
    .text = "Moments are all that the squared loss needs to know of the data, whatever the number of rows. "
            "Files accumulated "
            "apart with the same kernel options add up (orff merge); give all of them the same --sigma.",
    .example = "  orff moments monday.csv --inputs x,y --outputs u,v --kernel div-free --sigma 0.3 -o "
               "monday.moments\n"
               "  orff fit --from-moments monday.moments -o monday.orff\n",
    .least = 1,
    .most = 2,
    .bit = CLI_MOMENTS_BIT,
    .run = run,
};
