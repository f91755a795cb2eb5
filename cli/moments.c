/* orff moments: sums over all rows, in one pass, for ridge regression. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "commands.h"
#include "data.h"
#include "fit.h"
#include "moments_file.h"
#include "moments_kernel.h"
#include "moments_lattice.h"
#include "observed.h"
#include "report.h"
#include "result.h"
#include "settings.h"

/* ---- summing up */

int cli_moments_start(const cli_data *data, const orff_settings *settings, const cli_kernel *k,
                      const orff_plane *plane, orff_moments **moments) {
    const orff_moments_settings how = {.folds = settings->folds,
                                       .seed = settings->sampling.seed,
                                       .single = settings->single,
                                       .plane = plane};
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

int cli_features_moments_make(const cli_arguments *a, cli_data *data, const cli_settings *s,
                              orff_moments **moments) {
    const orff_reader reader = cli_data_reader(data);
    const orff_settings *how = &s->settings;
    cli_kernel kernel;
    int status = cli_kernel_fill(&kernel, s, a, data);
    if (!status) status = cli_kernel_note(data->notes, &kernel, NULL);
    if (!status) status = cli_moments_start(data, how, &kernel, NULL, moments);
    cli_kernel_clear(&kernel);
    if (status) return status;
    if (data->layout.observed && how->checkpoint)
        return cli_wrong(a, cli_setting("checkpoint"),
                         "is for complete rows: leave it out, or give --missing-outputs refuse");
    if (data->layout.observed) {
        const orff_observation_reader observations = cli_observed_reader(data);
        return cli_data_outcome(data, orff_moments_read_observations(*moments, &observations));
    }
    return cli_data_outcome(data, how->checkpoint
                                      ? orff_moments_read_resumable(*moments, &reader, how->checkpoint,
                                                                    how->checkpoint_rows, how->resume)
                                      : orff_moments_read(*moments, &reader));
}

/* ---- the command */

/* The JSON of new moments, with the number of rows left out, and the kernel. */
static char *result_text(const cli_arguments *a, const cli_data *data, const cli_moments *moments,
                         double seconds) {
    static const char *const words[] = {"kernel", "base", "sigma"};
    json_t *object = cli_moments_json(moments);
    json_object_set_new(object, "dropped", json_integer((json_int_t)data->dropped));
    json_object_set_new(object, "seconds", json_real(seconds));
    json_object_set_new(object, "moments", cli_text_or_shown(cli_text(a, CLI_OPT_OUTPUT)));
    for (size_t i = 0; i < 3; i++) {
        const char *word = orff_notes_kernel(data->notes, words[i]);
        if (word) json_object_set_new(object, words[i], json_string(word));
    }
    return cli_json_text(object);
}

static void say(const cli_arguments *a, const cli_data *data, const cli_moments *moments, const char *scales,
                double seconds) {
    const cli_moments_info info = cli_moments_describe(moments);
    cli_say("%" PRIu64 " rows, %" PRIu64 " dropped, %zu %s, %zu folds, sigma %s, %.2f s: %s", info.rows,
            data->dropped, info.waves, moments->lattice ? "waves" : "frequencies", info.folds, scales,
            seconds, cli_text(a, CLI_OPT_OUTPUT));
}

/* Makes the texts for the user before the file is written: see cli_json_text. */
int cli_moments_finish(const cli_arguments *a, const cli_data *data, const cli_moments *moments,
                       double begin) {
    const double seconds = cli_seconds() - begin;
    char *text = cli_wants_json() ? result_text(a, data, moments, seconds) : NULL;
    char *scales =
        moments->lattice ? cli_lattice_moments_scales(moments->lattice) : cli_notes_scales(data->notes);
    const int status = cli_moments_save(moments, cli_text(a, CLI_OPT_OUTPUT));
    if (!status) {
        cli_checkpoint_forget(a);
        say(a, data, moments, scales, seconds);
    }
    free(scales);
    if (!status && text) return cli_print_text(text);
    free(text);
    return status;
}

static int make(const cli_arguments *a, cli_data *data, cli_settings *s, cli_moments *moments) {
    const bool like = cli_given(a, CLI_OPT_LIKE);
    if (like || s->settings.engine == ORFF_ENGINE_LATTICE) {
        s->settings.engine = ORFF_ENGINE_LATTICE;
        return cli_lattice_moments_make(a, data, s, &moments->lattice);
    }
    if (s->settings.auto_mix)
        return cli_wrong(a, cli_setting("mix"), "moments do not depend on it; give a number to the fit");
    if (s->settings.engine == ORFF_ENGINE_EXACT)
        return cli_wrong(a, cli_setting("engine"),
                         "there are no moments of the exact kernel; ask for %s or %s",
                         orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(ORFF_ENGINE_FEATURES));
    const int status = cli_lattice_moments_refuse(a);
    return status ? status : cli_features_moments_make(a, data, s, &moments->features);
}

static int run(const cli_arguments *a) {
    const double begin = cli_seconds();
    cli_data data = {0};
    cli_settings s = {0};
    cli_moments moments = {0};
    int status = cli_need_output(a);
    if (!status) status = cli_checkpoint_check(a);
    if (!status) status = cli_data_learn(&data, a, 0);
    if (!status) status = cli_settings_read_for(&s, a, &data);
    if (!status) status = cli_settings_note(&s, data.notes);
    if (!status) status = make(a, &data, &s, &moments);
    if (!status) data.dropped = fmt_table_dropped(data.table);
    if (!status) status = cli_moments_finish(a, &data, &moments, begin);
    cli_moments_clear(&moments);
    cli_settings_clear(&s);
    cli_data_close(&data);
    return status;
}

const cli_command cli_command_moments = {
    .name = "moments",
    .summary = "sum up data in a file of moments, for merge and fit --from-moments",
    .usage = "DATA -o FILE",
    .text =
        "Moments are sums over the rows. They contain all that a fit with the squared loss needs, and their "
        "size does not grow with the number of rows. Files made with the same kernel options can be added "
        "(orff merge). Give all of them the same --sigma.\n\nFor up to three inputs, --engine lattice makes "
        "moments that do not depend on the kernel: a later fit may use any rule, base, weights and lambda, "
        "and any length scale within --sigma-range. Files that you want to add need the same lattice: give "
        "them the same --extent and --sigma-range, or give --like with the first of them.",
    .example = "  orff moments monday.csv --inputs x,y --outputs u,v --kernel div-free --sigma 0.3 -o "
               "monday.moments\n"
               "  orff fit --from-moments monday.moments -o monday.orff\n"
               "  orff moments monday.csv --inputs x,y --outputs u,v --engine lattice --sigma-range 0.1:1 -o "
               "lattice.moments\n"
               "  orff fit --from-moments lattice.moments --kernel curl-free --base matern52 --sigma 0.8 -o "
               "curl.orff\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(moments),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_STREAM,
    .run = run,
};
