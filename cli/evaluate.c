/* orff evaluate: errors of a model on data. */
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

#define BLOCK       4096
#define MOST_GROUPS 10000
#define NAME_ROOM   128

/* Sums over some rows. */
typedef struct sums {
    uint64_t group;      /* the number of the group, if there are groups */
    uint64_t n, wrong;   /* rows; rows with a wrong class */
    orff_scores *scores; /* NULL for classes */
} sums;

/* Sums over all rows, and over each group in order of appearance. */
typedef struct job {
    cli_applied applied;
    cli_data data;
    sums all;
    size_t n_groups;
    sums *groups;
    bool grouped, vector;
    double calm; /* the noise, over all components */
    /* a block of rows */
    double *X, *Y, *F, *S; /* BLOCK x d, p, p and p; S is NULL for a model without error bars */
    size_t *labels;        /* BLOCK */
    uint64_t *numbers;     /* BLOCK: groups */
} job;

static int sums_begin(const job *j, sums *s) {
    if (j->applied.info.classes) return CLI_DONE;
    const int status = cli_outcome(orff_scores_create(&s->scores, j->applied.info.outputs), NULL);
    return status || isnan(j->calm) ? status : cli_outcome(orff_scores_set_calm(s->scores, j->calm), NULL);
}

static void find_calm(job *j) {
    double square = 0.0;
    for (size_t k = 0; !j->applied.info.classes && k < j->applied.info.outputs; k++)
        square += j->applied.info.noise[k] * j->applied.info.noise[k];
    j->calm = sqrt(square);
}

static void make_room(job *j) {
    j->X = cli_more(NULL, BLOCK * j->data.d, sizeof *j->X);
    j->Y = cli_more(NULL, BLOCK * j->data.p, sizeof *j->Y);
    j->F = cli_more(NULL, BLOCK * j->applied.p, sizeof *j->F);
    if (j->applied.info.has_posterior) j->S = cli_more(NULL, BLOCK * j->applied.p, sizeof *j->S);
    j->labels = cli_more(NULL, BLOCK, sizeof *j->labels);
    j->numbers = cli_more(NULL, BLOCK, sizeof *j->numbers);
}

/* ---- rows */

/* Finds the sums of a group, or adds them; mostly the group of the previous row. */
static int find_group(job *j, uint64_t number, size_t *place) {
    if (*place < j->n_groups && j->groups[*place].group == number) return CLI_DONE;
    for (*place = 0; *place < j->n_groups; ++*place)
        if (j->groups[*place].group == number) return CLI_DONE;
    if (j->n_groups == MOST_GROUPS)
        return cli_failed("--groups: there are more than %d groups; is this a column of measurements?",
                          MOST_GROUPS);
    j->groups = cli_more(j->groups, j->n_groups + 1, sizeof *j->groups);
    j->groups[j->n_groups] = (sums){.group = number};
    return sums_begin(j, &j->groups[j->n_groups++]);
}

/* Predicts a block of rows. */
static int predict(job *j, size_t n) {
    const cli_applied *ap = &j->applied;
    if (ap->info.classes) return cli_outcome(orff_model_classify(ap->model, n, j->X, j->labels), NULL);
    const int status = cli_applied_predict(ap, n, j->X, j->F);
    return status || !j->S ? status : cli_applied_std(ap, true, n, j->X, j->S);
}

/* Adds rows `first` to `end` - 1 of the block. */
static int add_rows(const job *j, sums *s, size_t first, size_t end) {
    const size_t p = j->data.p;
    s->n += end - first;
    if (s->scores)
        return cli_outcome(orff_scores_add(s->scores, end - first, j->F + first * p,
                                           j->S ? j->S + first * p : NULL, j->Y + first * p),
                           NULL);
    for (size_t i = first; i < end; i++) s->wrong += j->labels[i] != (size_t)j->Y[i];
    return CLI_DONE;
}

/* Adds runs of rows of the same group. */
static int add_groups(job *j, size_t n) {
    size_t place = 0;
    int status = CLI_DONE;
    for (size_t first = 0, end; !status && first < n; first = end) {
        for (end = first + 1; end < n && j->numbers[end] == j->numbers[first];) end++;
        status = find_group(j, j->numbers[first], &place);
        if (!status) status = add_rows(j, &j->groups[place], first, end);
    }
    return status;
}

static int sweep(job *j) {
    size_t n = 1;
    int status = sums_begin(j, &j->all);
    while (n && !status) {
        fmt_table_groups_into(j->data.table, FMT_GROUPS, j->grouped ? j->numbers : NULL);
        status = cli_data_read(&j->data, BLOCK, j->X, j->Y, &n);
        cli_progress_block("evaluating", (double)j->all.n, (double)n, cli_data_expected(&j->data),
                           j->S ? 2 : 1);
        if (!status && n) status = predict(j, n);
        cli_progress_block(NULL, 0.0, 0.0, 0.0, 1);
        if (!status && n) status = add_rows(j, &j->all, 0, n);
        if (!status && n && j->grouped) status = add_groups(j, n);
    }
    if (!status && !j->all.n) status = cli_failed("%s: there are no rows", fmt_table_path(j->data.table));
    return status;
}

/* ---- output */

/* Why there are no intervals; NULL if there are. */
static const char *without_intervals(const cli_applied *ap) {
    if (ap->info.has_posterior) return NULL;
    return "the model was saved without a posterior, so it has no error bars; fit it again with --posterior "
           "yes";
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

/* Adds errors of speed and direction, for outputs that are components of a vector. */
static void add_vector(json_t *object, const orff_scores *scores) {
    const orff_vector_score score = orff_scores_vector(scores);
    json_object_set_new(object, "speed_rmse", cli_number_or_null(score.speed_rmse));
    json_object_set_new(object, "speed_bias", cli_number_or_null(score.speed_bias));
    json_object_set_new(object, "direction_error", cli_number_or_null(score.direction_error));
    json_object_set_new(object, "directions", json_integer((json_int_t)score.directions));
}

static json_t *regression(const job *j, const sums *s) {
    const cli_applied *ap = &j->applied;
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
    if (j->vector) add_vector(object, s->scores);
    json_object_set_new(object, "per_output", list);
    return object;
}

static json_t *sums_json(const job *j, const sums *s) {
    json_t *object = j->applied.info.classes ? json_object() : regression(j, s);
    json_object_set_new(object, "n", json_integer((json_int_t)s->n));
    if (j->applied.info.classes)
        json_object_set_new(object, "error_rate", json_real((double)s->wrong / (double)s->n));
    return object;
}

static json_t *groups_json(const job *j) {
    json_t *list = json_array();
    for (size_t i = 0; i < j->n_groups; i++) {
        char name[NAME_ROOM];
        json_t *entry = sums_json(j, &j->groups[i]);
        fmt_table_group_name(j->data.table, j->groups[i].group, name, sizeof name);
        json_object_set_new(entry, "group", cli_text_or_shown(name));
        json_array_append_new(list, entry);
    }
    return list;
}

/* Columns of the table, by their members in JSON; missing ones are left out. The first is for groups only. */
static const struct column {
    const char *member, *title;
    int width, digits; /* digits after the point; negative: significant digits */
} columns[] = {
    {"n", "rows", 9, 0},           {"rmse", "rmse", 12, -6},           {"mse", "mse", 12, -6},
    {"r2", "r2", 10, 5},           {"bias", "bias", 12, -3},           {"correlation", "corr.", 9, 5},
    {"coverage_50", "50 %", 7, 3}, {"coverage_80", "80 %", 7, 3},      {"coverage_95", "95 %", 7, 3},
    {"crps", "crps", 12, -5},      {"log_score", "log score", 11, -4}, {"error_rate", "error rate", 11, 5},
};
#define COLUMNS (sizeof columns / sizeof *columns)
enum { GROUPS, OUTPUTS }; /* the first column of each table */

static void print_line(size_t first, const char *name, const json_t *entry) {
    cli_print("%-16s", name);
    for (size_t i = first; i < COLUMNS; i++) {
        const json_t *value = json_object_get(entry, columns[i].member);
        const int digits = columns[i].digits;
        if (!value) continue;
        if (json_is_integer(value))
            cli_print(" %*" JSON_INTEGER_FORMAT, columns[i].width, json_integer_value(value));
        else if (!json_is_real(value))
            cli_print(" %*s", columns[i].width, "-");
        else if (digits < 0)
            cli_print(" %*.*g", columns[i].width, -digits, json_real_value(value));
        else
            cli_print(" %*.*f", columns[i].width, digits, json_real_value(value));
    }
    cli_end_line();
}

static void print_titles(size_t first, const char *what, const json_t *object) {
    cli_print("%-16s", what);
    for (size_t i = first; i < COLUMNS; i++)
        if (json_object_get(object, columns[i].member)) cli_print(" %*s", columns[i].width, columns[i].title);
    cli_end_line();
}

static void print_table(const json_t *object) {
    const json_t *list = json_object_get(object, "per_output");
    print_titles(OUTPUTS, "output", object);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *entry = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(entry, "name"));
        char made[24];
        snprintf(made, sizeof made, "y%zu", k + 1);
        print_line(OUTPUTS, name ? name : made, entry);
    }
    print_line(OUTPUTS, "all", object);
}

/* Prints a line for each group: its rows and its scores over all outputs. */
static void print_groups(const json_t *object) {
    const json_t *list = json_object_get(object, "per_group");
    if (!list) return;
    cli_end_line();
    print_titles(GROUPS, "group", json_array_get(list, 0));
    for (size_t i = 0; i < json_array_size(list); i++)
        print_line(GROUPS, json_string_value(json_object_get(json_array_get(list, i), "group")),
                   json_array_get(list, i));
}

static void print_vector(const json_t *object) {
    const json_t *direction = json_object_get(object, "direction_error");
    if (!direction) return;
    cli_print_line("speed            rmse %.6g, bias %.3g",
                   json_number_value(json_object_get(object, "speed_rmse")),
                   json_number_value(json_object_get(object, "speed_bias")));
    if (json_is_real(direction))
        cli_print_line("direction        mean angle %.2f degrees, over %" JSON_INTEGER_FORMAT
                       " rows faster than the noise",
                       json_real_value(direction), json_integer_value(json_object_get(object, "directions")));
}

static void print_all(const job *j, const json_t *object) {
    if (j->applied.info.classes)
        cli_print_line("error rate %.5f (%" PRIu64 " of %" PRIu64 ")",
                       (double)j->all.wrong / (double)j->all.n, j->all.wrong, j->all.n);
    else
        print_table(object);
    print_vector(object);
    print_groups(object);
}

static int print_result(const job *j) {
    const cli_applied *ap = &j->applied;
    const uint64_t dropped = fmt_table_dropped(j->data.table);
    json_t *object = sums_json(j, &j->all);
    json_object_set_new(object, "dropped", json_integer((json_int_t)dropped));
    if (!ap->info.classes && without_intervals(ap))
        json_object_set_new(object, "no_intervals", json_string(without_intervals(ap)));
    if (j->grouped) json_object_set_new(object, "per_group", groups_json(j));
    cli_say("%" PRIu64 " rows, %" PRIu64 " dropped", j->all.n, dropped);
    if (!ap->info.classes && without_intervals(ap))
        cli_say("no coverage, CRPS and log score: %s", without_intervals(ap));
    if (cli_wants_json()) return cli_print_json(object);
    print_all(j, object);
    json_decref(object);
    return cli_check_stdout();
}

static void clear(job *j) {
    for (size_t i = 0; i < j->n_groups; i++) orff_scores_free(j->groups[i].scores);
    orff_scores_free(j->all.scores);
    free(j->groups);
    free(j->X);
    free(j->Y);
    free(j->F);
    free(j->S);
    free(j->labels);
    free(j->numbers);
    cli_data_close(&j->data);
    cli_applied_clear(&j->applied);
}

static int run(const cli_arguments *a) {
    job j = {.grouped = cli_given(a, CLI_OPT_GROUPS)};
    cli_applied *ap = &j.applied;
    int status = cli_applied_load(ap, a->words[0]);
    if (!status) status = cli_data_apply(&j.data, a, 1, ap->notes, ap->info.inputs, ap->info.outputs, true);
    if (!status) {
        j.vector = orff_model_is_vector(ap->model);
        find_calm(&j);
        make_room(&j);
        status = sweep(&j);
    }
    if (!status) status = print_result(&j);
    clear(&j);
    return status;
}

const cli_command cli_command_evaluate = {
    .name = "evaluate",
    .summary = "print the errors of a model on data it has not seen",
    .usage = "MODEL DATA",
    .text =
        "Prints the root mean square error, the mean square error, R squared, the bias (mean of predicted "
        "minus measured) and the correlation, for each output and for all together. For classes it prints "
        "the error rate. If the model has error bars, it also prints how good they are: the fraction of "
        "measurements within the intervals of 50, 80 and 95 % (noise included), the continuous ranked "
        "probability score in the units of the output, and the logarithmic score, the mean of -log density. "
        "Smaller scores are better. If the outputs are components of a vector (a physical kernel, --geo, or "
        "names such as u and v), it also prints the error of the speed and the mean angle between predicted "
        "and measured vectors, over the rows whose speed exceeds the noise. --groups COLUMN adds a line for "
        "each station, track or hour. The columns are those with the names that the model was learned with.",
    .example =
        "  orff evaluate wind.orff held_out.csv\n  orff evaluate wind.orff stations.csv --groups station\n",
    .least = 2,
    .most = 3,
    .bit = CLI_BIT(evaluate),
    .run = run,
};
