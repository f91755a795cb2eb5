/* orff tune: fits with the settings of smallest cross-validated error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "data.h"
#include "fit.h"
#include "observed.h"
#include "offsets.h"
#include "report.h"
#include "result.h"
#include "settings.h"
#include "walls.h"

#define MOST_CANDIDATES 100000

/* Options given more than once are the axes of a grid of candidates. */
typedef struct grid {
    size_t n_axes, count;
    cli_option_id axes[CLI_MOST_OPTIONS];
    cli_arguments *arguments; /* count: each with one value of every axis */
    cli_settings *specs;      /* count */
    orff_settings *settings;  /* count */
    double *scores;           /* count */
    orff_path_point **paths;  /* count: lambdas and errors of each candidate */
    size_t best;
} grid;

/* Only settings of the library may be repeated. */
static bool may_repeat(cli_option_id id) {
    return id >= CLI_OWN_OPTIONS;
}

static int find_axes(grid *g, const cli_arguments *a) {
    double count = 1.0;
    for (cli_option_id id = 0; cli_option_at(id); id++) {
        if (a->given[id].count < 2 || !may_repeat(id)) continue;
        g->axes[g->n_axes++] = id;
        count *= (double)a->given[id].count;
    }
    if (count > MOST_CANDIDATES)
        return cli_wrong_usage(a->command, "%.0f candidates are too many; at most %d can be compared", count,
                               MOST_CANDIDATES);
    g->count = (size_t)count;
    return CLI_DONE;
}

/* The arguments of candidate i, as if only its values had been given. */
static cli_arguments pick(const grid *g, const cli_arguments *a, size_t i) {
    cli_arguments one = *a;
    for (size_t k = 0; k < g->n_axes; k++) {
        const cli_option_id id = g->axes[k];
        const size_t count = (size_t)a->given[id].count;
        one.given[id].values = a->given[id].values + i % count;
        one.given[id].count = 1;
        i /= count;
    }
    return one;
}

/* Number of points in a candidate's path: one if its lambda is given. */
static size_t path_length(const grid *g, size_t i) {
    return g->settings[i].lambda > 0.0 ? 1 : g->settings[i].lambda_count;
}

static int make_candidates(grid *g, const cli_arguments *a, const cli_data *data) {
    int status = CLI_DONE;
    g->arguments = cli_more(NULL, g->count, sizeof *g->arguments);
    g->specs = cli_more(NULL, g->count, sizeof *g->specs);
    g->settings = cli_more(NULL, g->count, sizeof *g->settings);
    g->scores = cli_more(NULL, g->count, sizeof *g->scores);
    g->paths = cli_more(NULL, g->count, sizeof *g->paths);
    memset(g->specs, 0, g->count * sizeof *g->specs);
    memset(g->paths, 0, g->count * sizeof *g->paths);
    for (size_t i = 0; !status && i < g->count; i++) {
        g->arguments[i] = pick(g, a, i);
        status = cli_settings_read_for(&g->specs[i], &g->arguments[i], data);
        g->settings[i] = g->specs[i].settings;
        if (!status) g->paths[i] = cli_more(NULL, path_length(g, i), sizeof **g->paths);
    }
    return status;
}

static void clear(grid *g) {
    for (size_t i = 0; g->specs && i < g->count; i++) cli_settings_clear(&g->specs[i]);
    free(g->arguments);
    free(g->specs);
    free(g->settings);
    for (size_t i = 0; g->paths && i < g->count; i++) free(g->paths[i]);
    free(g->scores);
    free(g->paths);
}

/* ---- output */

static const char *const shown[] = {"kernel", "base", "sigma", "features", "sampling"};
#define SHOWN (sizeof shown / sizeof *shown)

/* Options in a line of the report: the usual ones and all others that vary. lambda has a column of its
 * own. */
static size_t report_columns(const grid *g, cli_option_id *ids) {
    size_t count = SHOWN;
    for (size_t i = 0; i < SHOWN; i++) ids[i] = cli_setting(shown[i]);
    for (size_t k = 0; k < g->n_axes; k++) {
        bool there = g->axes[k] == cli_setting("lambda");
        for (size_t i = 0; i < SHOWN; i++) there = there || ids[i] == g->axes[k];
        if (!there) ids[count++] = g->axes[k];
    }
    return count;
}

/* Appends a cell and a comma. RFC 4180: a cell with a separator is quoted. */
static void append_cell(cli_string *line, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        cli_append(line, "%s,", text);
        return;
    }
    cli_append(line, "\"");
    for (; *text; text++) cli_append(line, *text == '"' ? "\"\"" : "%c", *text);
    cli_append(line, "\",");
}

/* "div-free, sigma 0.3": kernel, sigma, and all other options that vary. */
static void append_label(const grid *g, size_t i, cli_string *label) {
    const cli_arguments *a = &g->arguments[i];
    cli_append(label, "%s, sigma %s", cli_text(a, cli_setting("kernel")), cli_text(a, cli_setting("sigma")));
    for (size_t k = 0; k < g->n_axes; k++)
        if (g->axes[k] != cli_setting("kernel") && g->axes[k] != cli_setting("sigma"))
            cli_append(label, ", %s %s", cli_option_at(g->axes[k])->name, cli_text(a, g->axes[k]));
}

/* What a path knows besides the errors that decide; a cell is empty where an engine does not compute it. */
static void append_point(cli_string *text, const orff_path_point *point) {
    const double values[] = {point->train_mse, point->gcv, point->dof, point->log_evidence};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        cli_append(text, isnan(values[i]) ? "," : ",%.9g", values[i]);
    cli_append(text, "\n");
}

/* A line for every lambda of a candidate; `before` holds its other cells. Lambdas that are no numbers were not looked at. */
static void put_path(const grid *g, size_t i, const char *before, cli_string *text) {
    const size_t count = path_length(g, i);
    size_t chosen = count;
    for (size_t l = 0; l < count; l++)
        if (g->paths[i][l].cv_mse == g->scores[i]) chosen = l;
    for (size_t l = 0; l < count && !isnan(g->paths[i][l].lambda); l++) {
        const orff_path_point *point = &g->paths[i][l];
        cli_append(text, "%s%.9g,%.17g,%.17g,%d", before, point->lambda, point->cv_mse, sqrt(point->cv_mse),
                   l == chosen);
        append_point(text, point);
    }
}

static void put_report(const grid *g, cli_string *text) {
    cli_option_id ids[SHOWN + CLI_MOST_OPTIONS];
    const size_t count = report_columns(g, ids);
    cli_append(text, "candidate,label");
    for (size_t k = 0; k < count; k++) cli_append(text, ",%s", cli_option_at(ids[k])->name);
    cli_append(text, ",lambda,cv_mse,cv_rmse,chosen,train_mse,gcv,dof,log_evidence\n");
    for (size_t i = 0; i < g->count; i++) {
        cli_string label = {0}, cells = {0};
        append_label(g, i, &label);
        cli_append(&cells, "%zu,", i + 1);
        append_cell(&cells, label.text);
        for (size_t k = 0; k < count; k++) append_cell(&cells, cli_text(&g->arguments[i], ids[k]));
        put_path(g, i, cells.text, text);
        free(label.text);
        free(cells.text);
    }
}

static int write_report(const grid *g, const char *path) {
    cli_string text = {0};
    put_report(g, &text);
    const int status = cli_replace_file(path, text.length, text.text);
    free(text.text);
    return status;
}

static json_t *scores_json(const grid *g) {
    json_t *list = json_array();
    for (size_t i = 0; i < g->count; i++) {
        json_t *entry = json_object();
        for (size_t k = 0; k < g->n_axes; k++)
            json_object_set_new(entry, cli_option_at(g->axes[k])->name,
                                cli_text_or_shown(cli_text(&g->arguments[i], g->axes[k])));
        json_object_set_new(entry, "cv_mse", cli_number_or_null(g->scores[i]));
        json_object_set_new(entry, "cv_rmse", cli_number_or_null(sqrt(g->scores[i])));
        json_array_append_new(list, entry);
    }
    return json_pack("{s:o, s:I, s:o}", "scores", list, "best", (json_int_t)g->best, "cv_rmse",
                     cli_number_or_null(sqrt(g->scores[g->best])));
}

static void say_scores(const grid *g) {
    for (size_t i = 0; i < g->count; i++) {
        cli_string line = {0};
        for (size_t k = 0; k < g->n_axes; k++)
            cli_append(&line, "--%s %s  ", cli_option_at(g->axes[k])->name,
                       cli_text(&g->arguments[i], g->axes[k]));
        cli_say("%s %.6g  %s", i == g->best ? "best" : "    ", sqrt(g->scores[i]),
                line.text ? line.text : "");
        free(line.text);
    }
}

/* ---- */

static int tune(grid *g, const cli_arguments *a, cli_data *data, orff_model **model) {
    int status = find_axes(g, a);
    if (!status) status = make_candidates(g, a, data);
    if (!status) status = cli_walls_read(data, a, &g->settings[0]);
    const orff_observations observations = cli_observed_rows(data);
    if (!status)
        status = cli_outcome(orff_model_tune_observations(model, g->count, g->settings, &observations,
                                                          g->scores, &g->best, g->paths),
                             NULL);
    return status;
}

static int run(const cli_arguments *a) {
    const double start = cli_seconds();
    cli_data data = {0};
    grid g = {0};
    orff_model *model = NULL;
    int status = cli_need_output(a);
    if (!status) status = cli_data_learn(&data, a, 0);
    if (!status) status = tune(&g, a, &data, &model);
    if (!status) say_scores(&g);
    if (!status && cli_given(a, CLI_OPT_REPORT)) status = write_report(&g, cli_text(a, CLI_OPT_REPORT));
    if (!status) status = cli_settings_note(&g.specs[g.best], data.notes);
    if (!status) status = cli_offsets_note(&data, model);
    if (!status)
        status = cli_finish_fit(a, model, data.notes, fmt_table_dropped(data.table), start, scores_json(&g));
    orff_model_free(model);
    clear(&g);
    cli_data_close(&data);
    return status;
}

const cli_command cli_command_tune = {
    .name = "tune",
    .summary = "compare several settings by cross-validation and fit the best",
    .usage = "DATA -o MODEL",
    .text = "Accepts the options of fit. Repeat an option of the kernel, the features or the learning to "
            "give several candidates. All combinations are compared by cross-validation, and the best is "
            "fitted to all rows.",
    .example = "  orff tune wind.csv --inputs x,y --outputs u,v --kernel curl-free --kernel div-free --sigma "
               "0.2 --sigma 0.5 \\\n"
               "      --report scores.csv -o wind.orff\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(tune),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_LEARNING | ORFF_USE_SOLVING,
    .run = run,
};
