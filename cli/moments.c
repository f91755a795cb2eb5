/* orff moments: sums over all rows, in one pass, to a file for ridge regression. */
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
#include "settings.h"

/* ---- the kernel of the moments */

/* The parts of the kernel, all with known length scales. */
typedef struct kernel_of {
    size_t n, d;
    orff_part *parts;
    double *sigmas; /* n x d */
} kernel_of;

static void clear_kernel(kernel_of *k) {
    free(k->parts);
    free(k->sigmas);
}

/* Length scales and bases that are auto are chosen by a small fit to the rows in memory. */
static int choose_scales(kernel_of *k, orff_settings settings, const cli_data *data) {
    orff_model *model = NULL;
    settings.sampling.features = 300;
    settings.sampling.omega = NULL;
    settings.posterior = ORFF_SWITCH_NO;
    settings.checkpoint = NULL;
    settings.resume = false;
    int status = cli_outcome(
        orff_model_fit(&model, &settings, data->d, data->p, data->n, data->X, data->Y, data->weights), NULL);
    for (size_t m = 0; !status && m < k->n; m++) {
        orff_part part;
        status = cli_outcome(orff_model_part(model, m, &part), NULL);
        for (size_t i = 0; !status && i < k->d; i++)
            k->sigmas[m * k->d + i] = part.sigmas ? part.sigmas[i] : part.sigma;
        if (!status && k->parts[m].base == ORFF_BASE_AUTO) {
            k->parts[m].base = part.base;
            k->parts[m].shape = part.shape;
        }
    }
    orff_model_free(model);
    return status;
}

static int fill_kernel(kernel_of *k, const cli_settings *s, const cli_arguments *a, const cli_data *data) {
    const orff_settings *settings = &s->settings;
    *k = (kernel_of){.n = settings->n_parts, .d = data->d};
    k->parts = cli_more(NULL, k->n, sizeof *k->parts);
    k->sigmas = cli_more(NULL, k->n * k->d, sizeof *k->sigmas);
    for (size_t i = 0; i < k->n * k->d; i++) {
        const orff_part *part = &settings->parts[i / k->d];
        k->sigmas[i] = part->sigmas ? part->sigmas[i % k->d] : part->sigma;
    }
    if (s->auto_sigma && !data->n)
        return cli_wrong(a, cli_setting("sigma"),
                         "auto needs rows in memory; give a number, or raise --memory");
    memcpy(k->parts, settings->parts, k->n * sizeof *k->parts);
    const int status = s->auto_sigma ? choose_scales(k, *settings, data) : CLI_DONE;
    for (size_t m = 0; m < k->n; m++) {
        k->parts[m].sigma = k->sigmas[m * k->d];
        k->parts[m].sigmas = k->sigmas + m * k->d;
    }
    return status;
}

/* The same scale for every input is written once. */
static void append_scales(cli_string *text, size_t d, const double *sigmas) {
    bool same = true;
    for (size_t i = 1; i < d; i++) same = same && sigmas[i] == sigmas[0];
    for (size_t i = 0; i < (same ? 1 : d); i++) cli_append(text, "%s%.17g", i ? "," : "", sigmas[i]);
}

/* A base and its shape as the option takes them. */
static void append_base(cli_string *text, const orff_part *part) {
    const char *name = orff_base_short_name(part->base, part->shape);
    cli_append(text, "%s", name);
    if (orff_base_has_shape(part->base) && !strcmp(name, orff_base_name(part->base)))
        cli_append(text, "/%.17g", part->shape);
}

static int note_kernel(orff_notes *notes, const kernel_of *k) {
    cli_string kernel = {0}, base = {0}, sigma = {0};
    for (size_t m = 0; m < k->n; m++) {
        const char *plus = m ? "+" : "";
        cli_append(&kernel, "%s%s", plus, orff_rule_name(k->parts[m].rule));
        cli_append(&base, "%s", plus);
        append_base(&base, &k->parts[m]);
        cli_append(&sigma, "%s", plus);
        append_scales(&sigma, k->d, k->sigmas + m * k->d);
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

/* Empty moments on the frequencies of the kernel. */
static int start(const cli_data *data, const orff_settings *settings, const kernel_of *k,
                 orff_moments **moments) {
    const orff_moments_settings how = {
        .folds = settings->folds, .seed = settings->sampling.seed, .single = settings->single};
    orff_sampling sampling = settings->sampling;
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    if (!sampling.features) sampling.features = orff_sampling_default().features;
    int status = cli_outcome(orff_kernel_create(&kernel, data->d, data->p, k->n, k->parts), NULL);
    if (!status) status = cli_outcome(orff_features_create(&features, kernel, &sampling), NULL);
    if (!status) status = cli_outcome(orff_moments_create(moments, features, &how), NULL);
    const char *text = "";
    if (!status) status = cli_outcome(orff_notes_text(data->notes, &text), NULL);
    if (!status) status = cli_outcome(orff_moments_set_notes(*moments, text), NULL);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

/* All rows of the data. Length scales that are auto are chosen first; the kernel is put into the data's notes, for
 * --from-moments. */
static int accumulate(const cli_arguments *a, cli_data *data, const cli_settings *s, orff_moments **moments) {
    const orff_reader reader = cli_data_reader(data);
    const orff_settings *how = &s->settings;
    kernel_of kernel;
    int status = fill_kernel(&kernel, s, a, data);
    if (!status) status = note_kernel(data->notes, &kernel);
    if (!status) status = start(data, how, &kernel, moments);
    clear_kernel(&kernel);
    if (status) return status;
    return cli_data_outcome(data, how->checkpoint
                                      ? orff_moments_read_resumable(*moments, &reader, how->checkpoint,
                                                                    how->checkpoint_rows, how->resume)
                                      : orff_moments_read(*moments, &reader));
}

/* ---- the command */

static char *result_text(const cli_arguments *a, const cli_data *data, const orff_moments *moments,
                         double seconds) {
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

static void say(const cli_arguments *a, const cli_data *data, const orff_moments *moments, const char *scales,
                double seconds) {
    const orff_moments_info info = orff_moments_describe(moments);
    cli_say("%" PRIu64 " rows, %" PRIu64 " dropped, %zu frequencies, %zu folds, sigma %s, %.2f s: %s",
            info.rows, fmt_table_dropped(data->table), info.frequencies, info.folds, scales, seconds,
            cli_text(a, CLI_OPT_OUTPUT));
}

/* The texts for the user are made before the file is written: see cli_json_text. */
static int finish(const cli_arguments *a, const cli_data *data, const orff_moments *moments, double begin) {
    const double seconds = cli_seconds() - begin;
    char *text = cli_wants_json() ? result_text(a, data, moments, seconds) : NULL;
    char *scales = cli_notes_scales(data->notes);
    int status = save(moments, cli_text(a, CLI_OPT_OUTPUT));
    if (status) {
        free(text);
    } else {
        cli_checkpoint_forget(a);
        say(a, data, moments, scales, seconds);
        if (text) status = cli_print_text(text);
    }
    free(scales);
    return status;
}

static int run(const cli_arguments *a) {
    const double begin = cli_seconds();
    cli_data data = {0};
    cli_settings s = {0};
    orff_moments *moments = NULL;
    int status = cli_need_output(a);
    if (!status) status = cli_checkpoint_check(a);
    if (!status) status = cli_data_learn(&data, a, 0);
    if (!status) status = cli_settings_read_for(&s, a, &data);
    if (!status) status = cli_settings_note(&s, data.notes);
    if (!status) status = accumulate(a, &data, &s, &moments);
    if (!status) status = finish(a, &data, moments, begin);
    orff_moments_free(moments);
    cli_settings_clear(&s);
    cli_data_close(&data);
    return status;
}

const cli_command cli_command_moments = {
    .name = "moments",
    .summary = "sum up data in a file of moments, for merge and fit --from-moments",
    .usage = "DATA -o FILE",
    .text = "Moments are sums over the rows. They hold all that a fit with the squared loss needs, "
            "and their size does not grow with the number of rows. Files made with the same kernel "
            "options can be added (orff merge). Give all of them the same --sigma.",
    .example = "  orff moments monday.csv --inputs x,y --outputs u,v --kernel div-free --sigma 0.3 -o "
               "monday.moments\n"
               "  orff fit --from-moments monday.moments -o monday.orff\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(moments),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_STREAM,
    .run = run,
};
