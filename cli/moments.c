/* orff moments: one pass over data, all that ridge regression needs in a file. */
#define _POSIX_C_SOURCE 200809L

#include "moments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "fit.h"
#include "report.h"

#define BLOCK 4096

/* ---- the kernel of the moments */

static int take_scales(orff_spec *spec, const orff_model *model) {
    for (size_t m = 0; m < spec->n; m++) {
        orff_part part;
        const int status = orff_outcome(orff_model_part(model, m, &part), NULL);
        if (status) return status;
        double *sigmas = spec->sigmas + m * spec->d;
        for (size_t i = 0; i < spec->d; i++) sigmas[i] = part.sigmas ? part.sigmas[i] : part.sigma;
        spec->parts[m].sigma = sigmas[0];
        spec->parts[m].sigmas = sigmas;
    }
    spec->auto_sigma = false;
    return ORFF_DONE;
}

static int resolve_sigma(orff_spec *spec, const orff_arguments *a, const orff_data *data) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    if (!spec->auto_sigma) return ORFF_DONE;
    if (!data->n)
        return orff_wrong(a, ORFF_OPT_SIGMA, "auto needs rows in memory; give a number or more --memory");
    settings.n_parts = spec->n;
    settings.parts = spec->parts;
    settings.sampling.features = 300;
    settings.posterior = ORFF_NO;
    int status = orff_outcome(
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
    } words[] = {{ORFF_MATERN, 0.5, "matern12"},
                 {ORFF_MATERN, 1.5, "matern32"},
                 {ORFF_MATERN, 2.5, "matern52"},
                 {ORFF_MATERN, 3.5, "matern72"},
                 {ORFF_RATIONAL_QUADRATIC, 1.0, "cauchy"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].base == part->base && words[i].shape == part->shape) return words[i].word;
    return orff_base_name(part->base);
}

/* The same scale for every input is written once. */
static void append_scales(orff_string *text, const orff_spec *spec, size_t m) {
    const double *sigmas = spec->sigmas + m * spec->d;
    bool same = true;
    for (size_t i = 1; i < spec->d; i++) same = same && sigmas[i] == sigmas[0];
    for (size_t i = 0; i < (same ? 1 : spec->d); i++) orff_append(text, "%s%.17g", i ? "," : "", sigmas[i]);
}

static void note_kernel(json_t *notes, const orff_spec *spec) {
    orff_string kernel = {0}, base = {0}, sigma = {0};
    for (size_t m = 0; m < spec->n; m++) {
        const char *plus = m ? "+" : "";
        orff_append(&kernel, "%s%s", plus, orff_rule_name(spec->parts[m].rule));
        orff_append(&base, "%s%s", plus, base_word(&spec->parts[m]));
        orff_append(&sigma, "%s", plus);
        append_scales(&sigma, spec, m);
    }
    json_object_set_new(
        notes, "kernel",
        json_pack("{s:s, s:s, s:s}", "kernel", kernel.text, "base", base.text, "sigma", sigma.text));
    free(kernel.text);
    free(base.text);
    free(sigma.text);
}

/* ---- accumulating */

typedef struct work {
    const orff_arguments *arguments;
    orff_data *data;
    orff_moments *moments;
    const char *checkpoint;
    uint64_t every, saved; /* rows between checkpoints; rows at the last one */
    double *X, *Y, *weights;
} work;

static int save(const orff_moments *moments, const char *path) {
    const orff_status status = orff_moments_save(moments, path);
    return orff_outcome(status, status == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
}

static int save_now_and_then(work *w) {
    const uint64_t rows = orff_moments_describe(w->moments).rows;
    if (!w->checkpoint || rows - w->saved < w->every) return ORFF_DONE;
    w->saved = rows;
    return save(w->moments, w->checkpoint);
}

static int read_block(work *w, const orff_reader *reader, size_t room, size_t *n) {
    const int code = reader->read(reader->self, room, w->X, w->Y, w->weights, n);
    return code ? orff_data_outcome(w->data, ORFF_CALLBACK) : ORFF_DONE;
}

/* Passes over the rows that a checkpoint has. */
static int skip_rows(work *w, const orff_reader *reader, uint64_t rows) {
    int status = ORFF_DONE;
    while (rows && !status) {
        size_t n = 0;
        status = read_block(w, reader, rows < BLOCK ? (size_t)rows : BLOCK, &n);
        if (!status && !n)
            status = orff_failed("%s: has %" PRIu64 " rows more than the data", w->checkpoint, rows);
        rows -= n;
    }
    return status;
}

static int accumulate(work *w) {
    const orff_reader reader = orff_data_reader(w->data);
    size_t n = 1;
    const size_t room = w->every < BLOCK ? (size_t)w->every : BLOCK;
    w->saved = orff_moments_describe(w->moments).rows;
    int status = skip_rows(w, &reader, w->saved);
    while (n && !status) {
        status = read_block(w, &reader, room, &n);
        if (!status && n)
            status = orff_outcome(orff_moments_accumulate(w->moments, n, w->X, w->Y, w->weights), NULL);
        if (!status && n) status = save_now_and_then(w);
        if (!status && !orff_progress_show("moments", (double)orff_moments_describe(w->moments).rows,
                                           w->data->whole ? (double)w->data->n : 0.0))
            status = orff_failed("interrupted");
    }
    return status;
}

/* ---- beginning, or beginning again */

static int start(work *w, const orff_spec *spec) {
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling;
    orff_moments_settings how = {.single = !strcmp(orff_text(w->arguments, ORFF_OPT_PRECISION), "single")};
    int status = orff_sampling_parse(w->arguments, &sampling);
    if (!status && !how.single && strcmp(orff_text(w->arguments, ORFF_OPT_PRECISION), "double"))
        status = orff_wrong(w->arguments, ORFF_OPT_PRECISION, "\"%s\" is neither double nor single",
                            orff_text(w->arguments, ORFF_OPT_PRECISION));
    if (!status) status = orff_size(w->arguments, ORFF_OPT_FOLDS, 1, 1000, &how.folds);
    how.seed = sampling.seed;
    if (!status)
        status =
            orff_outcome(orff_kernel_create(&kernel, w->data->d, w->data->p, spec->n, spec->parts), NULL);
    if (!status) status = orff_outcome(orff_features_create(&features, kernel, &sampling), NULL);
    if (!status) status = orff_outcome(orff_moments_create(&w->moments, features, &how), NULL);
    char *text = json_dumps(w->data->notes, JSON_COMPACT | JSON_SORT_KEYS);
    if (!status) status = orff_outcome(orff_moments_set_notes(w->moments, text ? text : ""), NULL);
    free(text);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return status;
}

/* The checkpoint must be of the same frequencies and folds: adding nothing to it tells. */
static int resume(work *w) {
    orff_moments *saved = NULL;
    if (!orff_given(w->arguments, ORFF_OPT_RESUME)) return ORFF_DONE;
    if (!w->checkpoint) return orff_wrong(w->arguments, ORFF_OPT_RESUME, "needs --checkpoint FILE");
    if (access(w->checkpoint, F_OK)) return ORFF_DONE;
    int status = orff_outcome(orff_moments_load(&saved, w->checkpoint), NULL);
    if (!status) status = orff_outcome(orff_moments_add(saved, w->moments), w->checkpoint);
    if (status) {
        orff_moments_free(saved);
        return status;
    }
    orff_moments_free(w->moments);
    w->moments = saved;
    orff_say("resumed after %" PRIu64 " rows", orff_moments_describe(saved).rows);
    return ORFF_DONE;
}

static int work_through(work *w, const orff_spec *spec) {
    int status = orff_whole(w->arguments, ORFF_OPT_CHECKPOINT_ROWS, 1, UINT64_MAX / 2, &w->every);
    if (!status) status = start(w, spec);
    if (!status) status = resume(w);
    if (status) return status;
    w->X = orff_more(NULL, BLOCK * w->data->d, sizeof *w->X);
    w->Y = orff_more(NULL, BLOCK * w->data->p, sizeof *w->Y);
    w->weights = w->data->weighted ? orff_more(NULL, BLOCK, sizeof *w->weights) : NULL;
    status = accumulate(w);
    free(w->X);
    free(w->Y);
    free(w->weights);
    return status;
}

int orff_accumulate(const orff_arguments *a, orff_data *data, orff_spec *spec, orff_moments **moments) {
    work w = {.arguments = a, .data = data, .checkpoint = orff_text(a, ORFF_OPT_CHECKPOINT)};
    int status = resolve_sigma(spec, a, data);
    if (!status) note_kernel(data->notes, spec);
    if (!status) status = work_through(&w, spec);
    if (status) {
        orff_moments_free(w.moments);
    } else {
        *moments = w.moments;
    }
    return status;
}

void orff_forget_checkpoint(const orff_arguments *a) {
    if (orff_given(a, ORFF_OPT_CHECKPOINT)) remove(orff_text(a, ORFF_OPT_CHECKPOINT));
}

/* ---- the command */

static int tell(const orff_arguments *a, const orff_data *data, const orff_moments *moments, double begin) {
    const orff_moments_info info = orff_moments_describe(moments);
    const char *path = orff_text(a, ORFF_OPT_OUTPUT);
    const uint64_t dropped = orff_table_dropped(data->table);
    const double seconds = orff_seconds() - begin;
    json_t *kernel = json_object_get(data->notes, "kernel");
    orff_say("%" PRIu64 " rows, %" PRIu64 " dropped, %zu frequencies, %zu folds, sigma %s, %.2f s: %s",
             info.rows, dropped, info.frequencies, info.folds,
             json_string_value(json_object_get(kernel, "sigma")), seconds, path);
    if (!orff_wants_json()) return ORFF_DONE;
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:s}", "n", (json_int_t)info.rows,
                               "dropped", (json_int_t)dropped, "d", (json_int_t)info.inputs, "p",
                               (json_int_t)info.outputs, "features", (json_int_t)info.frequencies, "folds",
                               (json_int_t)info.folds, "seconds", seconds, "moments", path);
    json_object_update_missing(object, kernel);
    return orff_print_json(object);
}

static int run(const orff_arguments *a) {
    const double begin = orff_seconds();
    orff_data data = {0};
    orff_spec spec = {0};
    orff_moments *moments = NULL;
    int status = orff_need_output(a);
    if (!status) status = orff_data_learn(&data, a, 0);
    if (!status) status = orff_spec_parse(&spec, a, data.d, data.p, data.covariate);
    if (!status) status = orff_accumulate(a, &data, &spec, &moments);
    if (!status) status = save(moments, orff_text(a, ORFF_OPT_OUTPUT));
    if (!status) orff_forget_checkpoint(a);
    if (!status) status = tell(a, &data, moments, begin);
    orff_moments_free(moments);
    orff_spec_clear(&spec);
    orff_data_close(&data);
    return status;
}

const orff_command orff_command_moments = {
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
    .bit = ORFF_MOMENTS_BIT,
    .run = run,
};
