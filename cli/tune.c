/* orff tune: of several settings the one with the smallest cross-validated error. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "data.h"
#include "fit.h"
#include "report.h"
#include "result.h"
#include "spec.h"

#define MOST_CANDIDATES 100000

/* Options that were given more than once are the axes of a grid of candidates. */
typedef struct grid {
    size_t n_axes, count;
    orff_option_id axes[ORFF_OPTION_COUNT];
    orff_arguments *arguments; /* count: each with one value of every axis */
    orff_spec *specs;          /* count */
    orff_settings *settings;   /* count */
    double *scores;            /* count */
    size_t best;
} grid;

static bool may_repeat(size_t id) {
    const char *group = orff_options[id].group;
    return !strcmp(group, "Kernel") || !strcmp(group, "Features") || !strcmp(group, "Learning");
}

static int find_axes(grid *g, const orff_arguments *a) {
    double count = 1.0;
    for (size_t id = 0; id < ORFF_OPTION_COUNT; id++) {
        if (a->given[id].count < 2 || !may_repeat(id) || !orff_options[id].argument) continue;
        g->axes[g->n_axes++] = (orff_option_id)id;
        count *= (double)a->given[id].count;
    }
    if (count > MOST_CANDIDATES) return orff_wrong_usage(a->command, "%.0f candidates are too many", count);
    g->count = (size_t)count;
    return ORFF_DONE;
}

/* Candidate i as if only its values had been given. */
static orff_arguments pick(const grid *g, const orff_arguments *a, size_t i) {
    orff_arguments one = *a;
    for (size_t k = 0; k < g->n_axes; k++) {
        const orff_option_id id = g->axes[k];
        const size_t count = (size_t)a->given[id].count;
        one.given[id].values = a->given[id].values + i % count;
        one.given[id].count = 1;
        i /= count;
    }
    return one;
}

static int make_candidates(grid *g, const orff_arguments *a, const orff_data *data) {
    const size_t p = data->classes ? data->classes - 1 : data->p;
    int status = ORFF_DONE;
    g->arguments = orff_more(NULL, g->count, sizeof *g->arguments);
    g->specs = orff_more(NULL, g->count, sizeof *g->specs);
    g->settings = orff_more(NULL, g->count, sizeof *g->settings);
    g->scores = orff_more(NULL, g->count, sizeof *g->scores);
    memset(g->specs, 0, g->count * sizeof *g->specs);
    for (size_t i = 0; !status && i < g->count; i++) {
        g->arguments[i] = pick(g, a, i);
        status = orff_spec_parse(&g->specs[i], &g->arguments[i], data->d, p, data->covariate);
        if (!status) status = orff_spec_output_matrix(&g->specs[i], &g->arguments[i], data);
        if (!status)
            status = orff_settings_parse(&g->settings[i], &g->arguments[i], &g->specs[i], data->classes);
        if (!status) orff_settings_auto_features(&g->settings[i], &g->arguments[i], &g->specs[i], data->n, p);
    }
    return status;
}

static void clear(grid *g) {
    for (size_t i = 0; g->specs && i < g->count; i++) orff_spec_clear(&g->specs[i]);
    free(g->arguments);
    free(g->specs);
    free(g->settings);
    free(g->scores);
}

/* ---- telling */

static const orff_option_id shown[] = {ORFF_OPT_KERNEL, ORFF_OPT_BASE,     ORFF_OPT_SIGMA,
                                       ORFF_OPT_LAMBDA, ORFF_OPT_FEATURES, ORFF_OPT_SAMPLING};
#define SHOWN (sizeof shown / sizeof *shown)

/* Options of a line of the report: the usual ones and whatever else was varied. */
static size_t report_columns(const grid *g, orff_option_id *ids) {
    size_t count = SHOWN;
    memcpy(ids, shown, sizeof shown);
    for (size_t k = 0; k < g->n_axes; k++) {
        bool there = false;
        for (size_t i = 0; i < SHOWN; i++) there = there || shown[i] == g->axes[k];
        if (!there) ids[count++] = g->axes[k];
    }
    return count;
}

/* RFC 4180: quotes around what has a separator in it. */
static void put_cell(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

static void put_report(const grid *g, FILE *file) {
    orff_option_id ids[SHOWN + ORFF_OPTION_COUNT];
    const size_t count = report_columns(g, ids);
    for (size_t k = 0; k < count; k++) fprintf(file, "%s,", orff_options[ids[k]].name);
    fputs("cv_mse,cv_rmse\n", file);
    for (size_t i = 0; i < g->count; i++) {
        for (size_t k = 0; k < count; k++) {
            put_cell(file, orff_text(&g->arguments[i], ids[k]));
            fputc(',', file);
        }
        fprintf(file, "%.17g,%.17g\n", g->scores[i], sqrt(g->scores[i]));
    }
}

/* Under a temporary name first, like every file. */
static int write_report(const grid *g, const char *path) {
    orff_string temporary = {0};
    orff_append(&temporary, "%s.part", path);
    FILE *file = fopen(temporary.text, "w");
    bool bad = !file;
    if (file) {
        put_report(g, file);
        bad = ferror(file) || fflush(file);
        bad = fclose(file) || bad || rename(temporary.text, path);
        if (bad) remove(temporary.text);
    }
    free(temporary.text);
    return bad ? orff_failed("%s: cannot be written: %s", path, strerror(errno)) : ORFF_DONE;
}

static json_t *scores_json(const grid *g) {
    json_t *list = json_array();
    for (size_t i = 0; i < g->count; i++) {
        json_t *entry = json_object();
        for (size_t k = 0; k < g->n_axes; k++)
            json_object_set_new(entry, orff_options[g->axes[k]].name,
                                json_string(orff_text(&g->arguments[i], g->axes[k])));
        json_object_set_new(entry, "cv_mse", orff_number_or_null(g->scores[i]));
        json_object_set_new(entry, "cv_rmse", orff_number_or_null(sqrt(g->scores[i])));
        json_array_append_new(list, entry);
    }
    return json_pack("{s:o, s:I, s:o}", "scores", list, "best", (json_int_t)g->best, "cv_rmse",
                     orff_number_or_null(sqrt(g->scores[g->best])));
}

static void say_scores(const grid *g) {
    for (size_t i = 0; i < g->count; i++) {
        orff_string line = {0};
        for (size_t k = 0; k < g->n_axes; k++)
            orff_append(&line, "--%s %s  ", orff_options[g->axes[k]].name,
                        orff_text(&g->arguments[i], g->axes[k]));
        orff_say("%s %.6g  %s", i == g->best ? "best" : "    ", sqrt(g->scores[i]),
                 line.text ? line.text : "");
        free(line.text);
    }
}

/* ---- */

static int tune(grid *g, const orff_arguments *a, const orff_data *data, orff_model **model) {
    int status = find_axes(g, a);
    if (!status) status = make_candidates(g, a, data);
    if (!status)
        status = orff_outcome(orff_model_tune(model, g->count, g->settings, data->d, data->p, data->n,
                                              data->X, data->Y, data->weights, g->scores, &g->best),
                              NULL);
    return status;
}

static int run(const orff_arguments *a) {
    const double start = orff_seconds();
    orff_data data = {0};
    grid g = {0};
    orff_model *model = NULL;
    int status = orff_need_output(a);
    if (!status) status = orff_data_learn(&data, a, 0);
    if (!status) status = tune(&g, a, &data, &model);
    if (!status) say_scores(&g);
    if (!status && orff_given(a, ORFF_OPT_REPORT)) status = write_report(&g, orff_text(a, ORFF_OPT_REPORT));
    if (!status)
        status =
            orff_finish_fit(a, model, data.notes, orff_table_dropped(data.table), start, scores_json(&g));
    orff_model_free(model);
    clear(&g);
    orff_data_close(&data);
    return status;
}

const orff_command orff_command_tune = {
    .name = "tune",
    .summary = "fit the best of several settings by cross-validation",
    .usage = "DATA -o MODEL",
    .text = "The options of fit. Those of the kernel, the features and of learning may be repeated to name "
            "candidates; all "
            "combinations are compared by cross-validation, and the best is fitted to all rows.",
    .example = "  orff tune wind.csv --inputs x,y --outputs u,v --kernel curl-free --kernel div-free --sigma "
               "0.2 --sigma 0.5 \\\n"
               "      --report scores.csv -o wind.orff\n",
    .least = 1,
    .most = 2,
    .bit = ORFF_TUNE_BIT,
    .run = run,
};
