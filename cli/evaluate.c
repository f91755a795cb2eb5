/* orff evaluate: the errors of a model on data. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "commands.h"
#include "data.h"
#include "report.h"
#include "result.h"

#define BLOCK 4096

/* What is gathered over the rows. */
typedef struct sums {
    uint64_t n, wrong;   /* rows; those of another class */
    orff_scores *scores; /* NULL for classes */
} sums;

static int add_block(sums *s, const cli_applied *ap, size_t n, const double *X, const double *Y,
                     size_t *labels) {
    s->n += n;
    if (!ap->info.classes) return cli_outcome(orff_scores_add_model(s->scores, ap->model, n, X, Y), NULL);
    const int status = cli_outcome(orff_model_classify(ap->model, n, X, labels), NULL);
    for (size_t i = 0; !status && i < n; i++) s->wrong += labels[i] != (size_t)Y[i];
    return status;
}

static int sweep(sums *s, const cli_applied *ap, cli_data *data) {
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X), *Y = cli_more(NULL, BLOCK * data->p, sizeof *Y);
    size_t *labels = cli_more(NULL, BLOCK, sizeof *labels), n = 1;
    int status = CLI_DONE;
    while (n && !status) {
        status = cli_data_read(data, BLOCK, X, Y, &n);
        if (!status && n) status = add_block(s, ap, n, X, Y, labels);
    }
    free(X);
    free(Y);
    free(labels);
    return status ? status
           : s->n ? CLI_DONE
                  : cli_failed("%s: there are no rows", fmt_table_path(data->table));
}

/* ---- output */

/* Why there are no intervals; NULL where there are. */
static const char *without_intervals(const cli_applied *ap) {
    if (ap->info.has_posterior) return NULL;
    return "the model keeps no posterior, so it has no error bars; fit it with --posterior yes";
}

static json_t *score_json(const orff_score *score, bool intervals) {
    json_t *entry =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "rmse", cli_number_or_null(score->rmse), "mse",
                  cli_number_or_null(score->mse), "r2", cli_number_or_null(score->r2), "bias",
                  cli_number_or_null(score->bias), "correlation", cli_number_or_null(score->correlation));
    for (size_t i = 0; intervals && i < ORFF_INTERVALS; i++) {
        char key[24];
        snprintf(key, sizeof key, "coverage_%.0f", 100.0 * orff_scores_level(i));
        json_object_set_new(entry, key, cli_number_or_null(score->coverage[i]));
    }
    if (!intervals) return entry;
    json_object_set_new(entry, "crps", cli_number_or_null(score->crps));
    json_object_set_new(entry, "log_score", cli_number_or_null(score->log_score));
    return entry;
}

static json_t *regression(const sums *s, const cli_applied *ap) {
    json_t *list = json_array();
    const bool intervals = !without_intervals(ap);
    for (size_t k = 0; k < ap->info.outputs; k++) {
        const char *name = orff_notes_name(ap->notes, ORFF_SIDE_OUTPUT, k);
        const orff_score score = orff_scores_output(s->scores, k);
        json_t *entry = score_json(&score, intervals);
        json_object_set_new(entry, "name", name ? json_string(name) : json_null());
        json_array_append_new(list, entry);
    }
    const orff_score all = orff_scores_all(s->scores);
    json_t *object = score_json(&all, intervals);
    json_object_set_new(object, "per_output", list);
    if (!intervals) json_object_set_new(object, "no_intervals", json_string(without_intervals(ap)));
    return object;
}

/* Columns of the table, by their members in JSON: those that are not there are left out. */
static const struct column {
    const char *member, *title;
    int width, digits; /* digits behind the point; negative: significant ones */
} columns[] = {
    {"rmse", "rmse", 12, -6},           {"mse", "mse", 12, -6},         {"r2", "r2", 10, 5},
    {"bias", "bias", 12, -3},           {"correlation", "corr.", 9, 5}, {"coverage_50", "50 %", 7, 3},
    {"coverage_80", "80 %", 7, 3},      {"coverage_95", "95 %", 7, 3},  {"crps", "crps", 12, -5},
    {"log_score", "log score", 11, -4},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void print_line(const char *name, const json_t *entry) {
    cli_print("%-16s", name);
    for (size_t i = 0; i < COLUMNS; i++) {
        const json_t *value = json_object_get(entry, columns[i].member);
        const int digits = columns[i].digits;
        if (!value) continue;
        if (!json_is_real(value))
            cli_print(" %*s", columns[i].width, "-");
        else if (digits < 0)
            cli_print(" %*.*g", columns[i].width, -digits, json_real_value(value));
        else
            cli_print(" %*.*f", columns[i].width, digits, json_real_value(value));
    }
    cli_end_line();
}

static void print_titles(const json_t *object) {
    cli_print("%-16s", "output");
    for (size_t i = 0; i < COLUMNS; i++)
        if (json_object_get(object, columns[i].member)) cli_print(" %*s", columns[i].width, columns[i].title);
    cli_end_line();
}

static void print_table(const json_t *object) {
    const json_t *list = json_object_get(object, "per_output");
    print_titles(object);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *entry = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(entry, "name"));
        char made[24];
        snprintf(made, sizeof made, "y%zu", k + 1);
        print_line(name ? name : made, entry);
    }
    print_line("all", object);
}

static int print_result(const sums *s, const cli_applied *ap, const cli_data *data) {
    const uint64_t dropped = fmt_table_dropped(data->table);
    json_t *object = ap->info.classes ? json_object() : regression(s, ap);
    const double rate = (double)s->wrong / (double)s->n;
    json_object_set_new(object, "n", json_integer((json_int_t)s->n));
    json_object_set_new(object, "dropped", json_integer((json_int_t)dropped));
    if (ap->info.classes) json_object_set_new(object, "error_rate", json_real(rate));
    cli_say("%" PRIu64 " rows, %" PRIu64 " dropped", s->n, dropped);
    if (!ap->info.classes && without_intervals(ap))
        cli_say("no coverage, CRPS and log score: %s", without_intervals(ap));
    if (cli_wants_json()) return cli_print_json(object);
    if (ap->info.classes)
        cli_print_line("error rate %.5f (%" PRIu64 " of %" PRIu64 ")", rate, s->wrong, s->n);
    else
        print_table(object);
    json_decref(object);
    return cli_check_stdout();
}

static int run(const cli_arguments *a) {
    cli_applied ap;
    cli_data data = {0};
    sums s = {0};
    int status = cli_applied_load(&ap, a->words[0]);
    if (!status) status = cli_data_apply(&data, a, 1, ap.notes, ap.info.inputs, ap.info.outputs, true);
    if (!status && !ap.info.classes)
        status = cli_outcome(orff_scores_create(&s.scores, ap.info.outputs), NULL);
    if (!status) status = sweep(&s, &ap, &data);
    if (!status) status = print_result(&s, &ap, &data);
    orff_scores_free(s.scores);
    cli_data_close(&data);
    cli_applied_clear(&ap);
    return status;
}

const cli_command cli_command_evaluate = {
    .name = "evaluate",
    .summary = "print the errors of a model on data it has not seen",
    .usage = "MODEL DATA",
    .text =
        "Prints for each output and for all together the root mean square error, the mean square error, R "
        "squared, the bias (mean of predicted minus measured) and the correlation, or the error rate for "
        "classes. A model with error bars is also asked how right they are: the shares of measurements "
        "inside "
        "its intervals of 50, 80 and 95 % (noise included), the continuous ranked probability score in the "
        "units of the output, and the logarithmic score, the mean of -log density; both are better when "
        "smaller. Columns are found by the names that the model remembers.",
    .example = "  orff evaluate wind.orff held_out.csv\n",
    .least = 2,
    .most = 3,
    .bit = CLI_BIT(evaluate),
    .run = run,
};
