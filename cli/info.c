/* orff info: what is in a file. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "commands.h"
#include "data.h"
#include "report.h"
#include "result.h"

/* ---- what kind */

/* Both our files begin with the length of a JSON header and that header. */
static bool is_ours(const char *path) {
    unsigned char start[9];
    const int file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return false;
    const ssize_t got = read(file, start, sizeof start);
    close(file);
    return got == sizeof start && start[8] == '{' && !start[7] && !start[6] && !start[5];
}

/* ---- names */

static void print_names(const char *title, const json_t *notes, const char *side, size_t count) {
    const size_t most = 30;
    if (!json_is_true(json_object_get(notes, "named"))) return;
    printf("%-14s", title);
    for (size_t i = 0; i < count && i < most; i++) {
        const char *name = cli_notes_name(notes, side, i), *units = cli_notes_units(notes, side, i);
        printf("%s%s", i ? ", " : "", name ? name : "?");
        if (units) printf(" [%s]", units);
    }
    puts(count > most ? ", .." : "");
}

static void print_labels(const json_t *notes) {
    const size_t count = cli_notes_labels(notes), most = 30;
    if (!count) return;
    printf("%-14s", "classes");
    for (size_t i = 0; i < count && i < most; i++) printf("%s%s", i ? ", " : "", cli_notes_label(notes, i));
    puts(count > most ? ", .." : "");
}

/* ---- a model */

static void print_model(const cli_applied *ap) {
    const orff_model_info *info = &ap->info;
    char *words = cli_result_words(ap->model, ap->notes);
    printf("model of %" PRIu64 " rows, %zu inputs, %zu outputs\n", info->rows, info->inputs, info->outputs);
    print_names("inputs", ap->notes, "inputs", info->inputs);
    print_names("outputs", ap->notes, "outputs", info->outputs);
    print_labels(ap->notes);
    if (ap->on_plane)
        printf("%-14sazimuthal equidistant at %.4f E %.4f N, km\n", "plane", ap->geo.lon, ap->geo.lat);
    printf("%-14s%s\n", "kernel", info->kernel);
    if (words) printf("%-14s%s\n", "found", words);
    if (info->exact)
        printf("%-14snone: the exact kernel, %zu coefficients\n", "features", info->parameters);
    else
        printf("%-14s%zu, %s, seed %" PRIu64 "\n", "frequencies", info->frequencies,
               orff_scheme_name(info->scheme), info->seed);
    printf("%-14s%.6g\n", "lambda", info->lambda);
    printf("%-14s%.6g\n", "train RMSE", sqrt(info->train_mse));
    if (isfinite(info->cv_mse)) printf("%-14s%.6g\n", "cv RMSE", sqrt(info->cv_mse));
    if (isfinite(info->noise)) printf("%-14s%.6g\n", "noise", sqrt(info->noise));
    printf("%-14s%s\n", "error bars", info->has_posterior ? "yes" : "no");
    if (info->warnings) printf("%-14s%s\n", "warning", info->warning);
    free(words);
}

static int show_model(cli_applied *ap) {
    if (!cli_wants_json()) {
        print_model(ap);
        return cli_check_stdout();
    }
    const cli_result result = {.model = ap->model, .notes = ap->notes};
    json_t *object = cli_result_json(&result);
    json_object_set_new(object, "kind", json_string("model"));
    json_object_set(object, "notes", ap->notes);
    return cli_print_json(object);
}

/* ---- moments */

static int show_moments(const orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    json_t *notes = cli_notes_parse(orff_moments_notes(moments)), *kernel = json_object_get(notes, "kernel");
    int status;
    if (cli_wants_json()) {
        status = cli_print_json(json_pack("{s:s, s:I, s:f, s:I, s:I, s:I, s:I, s:s, s:O}", "kind", "moments",
                                          "n", (json_int_t)info.rows, "weight", info.weight, "d",
                                          (json_int_t)info.inputs, "p", (json_int_t)info.outputs, "features",
                                          (json_int_t)info.frequencies, "folds", (json_int_t)info.folds,
                                          "precision", info.single ? "single" : "double", "notes", notes));
    } else {
        printf("moments of %" PRIu64 " rows, %zu inputs, %zu outputs\n", info.rows, info.inputs,
               info.outputs);
        print_names("inputs", notes, "inputs", info.inputs);
        print_names("outputs", notes, "outputs", info.outputs);
        if (kernel)
            printf("%-14s%s, %s, sigma %s\n", "kernel", json_string_value(json_object_get(kernel, "kernel")),
                   json_string_value(json_object_get(kernel, "base")),
                   json_string_value(json_object_get(kernel, "sigma")));
        printf("%-14s%zu\n%-14s%zu\n", "frequencies", info.frequencies, "folds", info.folds);
        status = cli_check_stdout();
    }
    json_decref(notes);
    return status;
}

/* Moments, else a model; the message is that of the model, save where memory is short. */
static int show_ours(const char *path) {
    cli_applied ap = {0};
    orff_moments *moments = NULL;
    const orff_status loaded = orff_moments_load(&moments, path);
    int status;
    if (loaded == ORFF_OK) {
        status = show_moments(moments);
    } else if (loaded == ORFF_ERROR_NO_MEMORY) {
        status = cli_outcome(loaded, NULL);
    } else {
        status = cli_applied_load(&ap, path);
        if (!status) status = show_model(&ap);
    }
    orff_moments_free(moments);
    cli_applied_clear(&ap);
    return status;
}

/* ---- data */

static int show_data(const char *path) {
    fmt_table *table;
    int status = cli_data_open_table(&table, path);
    if (!status) {
        const size_t columns = fmt_table_columns(table);
        const uint64_t rows = fmt_table_rows(table);
        json_t *list = json_array();
        for (size_t i = 0; i < columns; i++) {
            const char *units = fmt_table_units(table, i);
            json_array_append_new(
                list, units ? json_pack("{s:s, s:s}", "name", fmt_table_name(table, i), "units", units)
                            : json_pack("{s:s}", "name", fmt_table_name(table, i)));
        }
        json_t *object =
            json_pack("{s:s, s:s, s:o}", "kind", "data", "format", fmt_table_format(table), "columns", list);
        if (rows != FMT_ROWS_UNKNOWN) json_object_set_new(object, "n", json_integer((json_int_t)rows));
        if (cli_wants_json()) {
            status = cli_print_json(object);
        } else {
            printf("%s data, %zu columns", fmt_table_format(table), columns);
            if (rows != FMT_ROWS_UNKNOWN) printf(", %" PRIu64 " rows", rows);
            putchar('\n');
            for (size_t i = 0; i < columns && i < 50; i++) {
                const char *units = fmt_table_units(table, i);
                printf("%4zu  %s%s%s%s\n", i + 1, fmt_table_name(table, i), units ? " [" : "",
                       units ? units : "", units ? "]" : "");
            }
            if (columns > 50) puts("      ..");
            json_decref(object);
            status = cli_check_stdout();
        }
    }
    fmt_table_close(table);
    return status;
}

static int run(const cli_arguments *a) {
    return is_ours(a->words[0]) ? show_ours(a->words[0]) : show_data(a->words[0]);
}

const cli_command cli_command_info = {
    .name = "info",
    .summary = "what is in a model, a moments file or a data file",
    .usage = "FILE",
    .text = "Recognises the kind of file by itself.",
    .example = "  orff info wind.orff\n",
    .least = 1,
    .most = 1,
    .bit = CLI_INFO_BIT,
    .run = run,
};
