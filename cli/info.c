/* orff info: the contents of a file. */
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
#include "coupling.h"
#include "data.h"
#include "moments_lattice.h"
#include "offsets.h"
#include "report.h"
#include "result.h"
#include "trend.h"

/* ---- kinds of files */

/* Both kinds of our files begin with the length of a JSON header, followed by the header. */
static bool is_ours(const char *path) {
    unsigned char start[9];
    const int file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return false;
    const ssize_t got = read(file, start, sizeof start);
    close(file);
    return got == sizeof start && start[8] == '{' && !start[7] && !start[6] && !start[5];
}

/* ---- names */

/* Notes may lack a name. */
static const char *known(const char *text) {
    return text ? text : "?";
}

static void print_names(const char *title, const orff_notes *notes, orff_side side, size_t count) {
    const size_t most = 30;
    if (!orff_notes_named(notes)) return;
    cli_print("%-14s", title);
    for (size_t i = 0; i < count && i < most; i++) {
        const char *name = orff_notes_name(notes, side, i), *units = orff_notes_units(notes, side, i);
        cli_print("%s%s", i ? ", " : "", known(name));
        if (units) cli_print(" [%s]", units);
    }
    cli_print_line("%s", count > most ? ", .." : "");
}

static void print_labels(const orff_notes *notes) {
    const size_t count = orff_notes_labels(notes), most = 30;
    if (!count) return;
    cli_print("%-14s", "classes");
    for (size_t i = 0; i < count && i < most; i++)
        cli_print("%s%s", i ? ", " : "", known(orff_notes_label(notes, i)));
    cli_print_line("%s", count > most ? ", .." : "");
}

/* ---- a model */

/* The noise of each output, in the order of their names. */
static void print_noise(const orff_model_info *info) {
    cli_string text = {0};
    for (size_t i = 0; i < info->outputs; i++) cli_append(&text, "%s%.6g", i ? ", " : "", info->noise[i]);
    cli_print_line("%-14s%s", "noise", text.text);
    free(text.text);
}

static void print_trend(const cli_applied *ap, const orff_model_info *info) {
    const size_t most = 30;
    char line[CLI_TREND_LINE];
    if (!info->trend_terms) return;
    cli_trend_words(ap->model, ap->notes, line);
    cli_print_line("%-14s%s", "trend", line);
    for (size_t k = 0; k < info->outputs && k < most; k++) {
        const char *name = orff_notes_name(ap->notes, ORFF_SIDE_OUTPUT, k);
        cli_trend_line(ap->model, ap->notes, k, line);
        cli_print_line("  %-12s%s", known(name), line);
    }
}

static void print_offsets(const cli_applied *ap, const orff_model_info *info) {
    char line[CLI_OFFSETS_LINE];
    if (!info->offsets) return;
    cli_offsets_words(ap->model, line);
    cli_print_line("%-14s%s", "offsets", line);
    for (size_t i = 0; i < info->offsets; i++) {
        cli_offsets_line(ap->model, ap->notes, i, line);
        cli_print_line("  %s", line);
    }
}

static void print_qualities(const orff_model_info *info) {
    cli_string text = {0};
    if (isfinite(info->error_share))
        cli_print_line("%-14s%.0f %% of the variance of the noise", "known errors",
                       100.0 * info->error_share);
    for (size_t i = 0; i < info->instruments; i++)
        cli_append(&text, "%s%.3g", i ? ", " : "", info->instrument_noise[i]);
    if (info->instruments) cli_print_line("%-14s%s times the noise", "instruments", text.text);
    free(text.text);
}

/* The layers of a stack: "2 -> 8 -> 8 -> 2". */
static void print_layers(const orff_model_info *info) {
    char text[CLI_LAYERS_ROOM];
    if (info->hidden_layers) cli_print_line("%-14s%s", "layers", cli_layers_words(info, text));
}

static void print_coupling(const cli_applied *ap, const orff_model_info *info) {
    char line[CLI_COUPLING_LINE];
    for (size_t i = 0; i < info->parts; i++) {
        if (!cli_coupling_joins(ap->model, i)) continue;
        cli_print_line("%-14ssize, and correlations%s", "output matrix", info->parts > 1 ? " of a part" : "");
        for (size_t k = 0; k < info->outputs; k++) {
            cli_coupling_line(ap->model, i, k, line);
            cli_print_line("  %-12s%s", known(orff_notes_name(ap->notes, ORFF_SIDE_OUTPUT, k)), line);
        }
    }
}

static void print_model(const cli_applied *ap) {
    const orff_model_info *info = &ap->info;
    char *words = cli_result_words(ap->model, ap->notes);
    cli_print_line("model of %" PRIu64 " rows, %zu inputs, %zu outputs", info->rows, info->inputs,
                   info->outputs);
    print_names("inputs", ap->notes, ORFF_SIDE_INPUT, info->inputs);
    print_names("outputs", ap->notes, ORFF_SIDE_OUTPUT, info->outputs);
    print_labels(ap->notes);
    if (info->on_plane && *info->plane.crs) {
        cli_print_line("%-14s%s, km", "plane", info->plane.crs);
    } else if (info->on_plane)
        cli_print_line("%-14sazimuthal equidistant at %.4f E %.4f N, km", "plane", info->plane.lon,
                       info->plane.lat);
    cli_print_line("%-14s%s", "kernel", info->kernel);
    if (words) cli_print_line("%-14s%s", "found", words);
    if (info->engine == ORFF_ENGINE_EXACT)
        cli_print_line("%-14snone: the exact kernel, %zu coefficients", "features", info->parameters);
    else if (info->engine == ORFF_ENGINE_LATTICE)
        cli_print_line("%-14s%zu waves", orff_engine_name(info->engine), info->frequencies);
    else
        cli_print_line("%-14s%zu, %s, seed %" PRIu64, "frequencies", info->frequencies,
                       cli_frequencies_word(info->scheme), info->seed);
    print_layers(info);
    cli_print_line("%-14s%.6g", "lambda", info->lambda);
    print_trend(ap, info);
    print_offsets(ap, info);
    print_qualities(info);
    cli_print_line("%-14s%.6g", "train RMSE", sqrt(info->train_mse));
    if (isfinite(info->cv_mse)) cli_print_line("%-14s%.6g", "cv RMSE", sqrt(info->cv_mse));
    if (isfinite(info->held_out_mse))
        cli_print_line("%-14s%.6g, by %s", "held out", sqrt(info->held_out_mse),
                       info->folds == ORFF_FOLDS_RANDOM ? "rows" : orff_folds_name(info->folds));
    if (info->noise && isfinite(info->noise[0])) print_noise(info);
    print_coupling(ap, info);
    cli_print_line("%-14s%s", "error bars", info->has_posterior ? "yes" : "no");
    if (info->warnings) cli_print_line("%-14s%s", "warning", info->warning);
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
    json_object_set_new(object, "notes", cli_notes_json(ap->notes));
    return cli_print_json(object);
}

/* ---- moments */

static void print_kernel(const orff_notes *notes) {
    char *scales = cli_notes_scales(notes);
    if (scales)
        cli_print_line("%-14s%s, %s, sigma %s", "kernel", orff_notes_kernel(notes, "kernel"),
                       orff_notes_kernel(notes, "base"), scales);
    free(scales);
}

static void print_range(const char *title, size_t d, const double *low, const double *high) {
    cli_print("%-14s", title);
    for (size_t i = 0; i < d; i++) cli_print("%s%.6g to %.6g", i ? ", " : "", low[i], high[i]);
    cli_end_line();
}

static void print_lattice(const orff_lattice_moments *moments, const orff_notes *notes) {
    const orff_lattice_moments_info info = orff_lattice_moments_describe(moments);
    const char *rule = orff_notes_kernel(notes, "kernel"), *base = orff_notes_kernel(notes, "base");
    if (rule && base) cli_print_line("%-14s%s, %s, or another", "kernel", rule, base);
    print_range("extent", info.inputs, info.low, info.high);
    char *scales = cli_lattice_moments_scales(moments);
    cli_print_line("%-14s%s", "sigma", scales);
    free(scales);
    cli_print_line("%-14s%zu waves", "lattice", info.modes);
}

static void print_moments(const cli_moments *moments, const orff_notes *notes) {
    const cli_moments_info info = cli_moments_describe(moments);
    cli_print_line("moments of %" PRIu64 " rows, %zu inputs, %zu outputs", info.rows, info.inputs,
                   info.outputs);
    print_names("inputs", notes, ORFF_SIDE_INPUT, info.inputs);
    print_names("outputs", notes, ORFF_SIDE_OUTPUT, info.outputs);
    if (moments->lattice) {
        print_lattice(moments->lattice, notes);
    } else {
        print_kernel(notes);
        cli_print_line("%-14s%zu", "frequencies", info.waves);
    }
    cli_print_line("%-14s%zu", "folds", info.folds);
}

static json_t *moments_json(const cli_moments *moments, orff_notes *notes) {
    const bool single = moments->features && orff_moments_describe(moments->features).single;
    json_t *object = cli_moments_json(moments);
    json_object_set_new(object, "kind", json_string("moments"));
    json_object_set_new(object, "precision", json_string(single ? "single" : "double"));
    json_object_set_new(object, "notes", cli_notes_json(notes));
    return object;
}

static int show_moments(const char *path, const cli_moments *moments) {
    orff_notes *notes = NULL;
    int status = cli_notes_of_moments(&notes, path, moments);
    if (!status && cli_wants_json()) {
        status = cli_print_json(moments_json(moments, notes));
    } else if (!status) {
        print_moments(moments, notes);
        status = cli_check_stdout();
    }
    orff_notes_free(notes);
    return status;
}

/* ---- a checkpoint */

static int show_checkpoint(void) {
    if (cli_wants_json()) return cli_print_json(json_pack("{s:s}", "kind", "checkpoint"));
    cli_print_line("checkpoint of a run that did not finish: repeat its command with --resume to continue");
    return cli_check_stdout();
}

/* Tries moments, a checkpoint, then a model. The message is that of the model, except when memory runs
 * out. */
static int show_ours(const char *path) {
    cli_applied ap = {0};
    cli_moments moments = {0};
    const bool lattice = orff_lattice_moments_is_file(path);
    const orff_status loaded = lattice ? orff_lattice_moments_load(&moments.lattice, path)
                                       : orff_moments_load(&moments.features, path);
    int status;
    if (loaded == ORFF_OK) {
        status = show_moments(path, &moments);
    } else if (lattice) {
        status = cli_outcome(loaded, NULL);
    } else if (loaded == ORFF_ERROR_NO_MEMORY) {
        status = cli_outcome(loaded, NULL);
    } else if (orff_checkpoint_check(path, true) == ORFF_OK) {
        status = show_checkpoint();
    } else {
        status = cli_applied_load(&ap, path);
        if (!status) status = show_model(&ap);
    }
    cli_moments_clear(&moments);
    cli_applied_clear(&ap);
    return status;
}

/* ---- data */

/* Reads one dimension of a shape such as "time=24, lat=5": its name and size. Returns the next one. */
static const char *next_dimension(const char *at, char name[128], unsigned long long *size) {
    const size_t length = strcspn(at, ",");
    snprintf(name, 128, "%.*s", (int)(length < 127 ? length : 127), at);
    char *equals = strrchr(name, '=');
    *size = equals ? strtoull(equals + 1, NULL, 10) : 0;
    if (equals) *equals = '\0';
    at += length;
    return *at == ',' ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* Adds the size of each dimension of a variable to an object. */
static void put_dimensions(json_t *object, const char *shape) {
    char name[128];
    unsigned long long size;
    for (const char *at = shape && *shape ? shape : NULL; at;) {
        at = next_dimension(at, name, &size);
        char shown[4 * sizeof name];
        orff_text_show(shown, sizeof shown, name);
        json_object_set_new(object, shown, json_integer((json_int_t)size));
    }
}

static json_t *column_json(const fmt_table *table, size_t column, json_t *dimensions) {
    const char *units = fmt_table_units(table, column), *shape = fmt_table_shape(table, column);
    json_t *entry = json_pack("{s:o}", "name", cli_text_or_shown(fmt_table_name(table, column)));
    if (units) json_object_set_new(entry, "units", cli_text_or_shown(units));
    if (!shape) return entry;
    json_t *own = json_object();
    put_dimensions(own, shape);
    put_dimensions(dimensions, shape);
    json_object_set_new(entry, "dimensions", own);
    return entry;
}

static json_t *data_json(const fmt_table *table) {
    const uint64_t rows = fmt_table_rows(table);
    json_t *list = json_array(), *dimensions = json_object();
    for (size_t i = 0; i < fmt_table_columns(table); i++)
        json_array_append_new(list, column_json(table, i, dimensions));
    json_t *object =
        json_pack("{s:s, s:s, s:o}", "kind", "data", "format", fmt_table_format(table), "columns", list);
    if (json_object_size(dimensions)) json_object_set(object, "dimensions", dimensions);
    if (rows != FMT_ROWS_UNKNOWN) json_object_set_new(object, "n", json_integer((json_int_t)rows));
    json_decref(dimensions);
    return object;
}

static void print_column(const fmt_table *table, size_t column) {
    const char *units = fmt_table_units(table, column), *shape = fmt_table_shape(table, column);
    cli_print("%4zu  %s", column + 1, fmt_table_name(table, column));
    if (units) cli_print(" [%s]", units);
    if (shape && *shape) cli_print("  (%s)", shape);
    cli_end_line();
}

static void print_data(const fmt_table *table, json_t *object) {
    const size_t columns = fmt_table_columns(table);
    const uint64_t rows = fmt_table_rows(table);
    json_t *dimensions = json_object_get(object, "dimensions"), *size;
    const char *name, *before = "dimensions: ";
    cli_print("%s data, %zu %s", fmt_table_format(table), columns, dimensions ? "variables" : "columns");
    if (rows != FMT_ROWS_UNKNOWN) cli_print(", %" PRIu64 " rows", rows);
    cli_end_line();
    json_object_foreach(dimensions, name, size) {
        cli_print("%s%s=%lld", before, name, (long long)json_integer_value(size));
        before = ", ";
    }
    if (dimensions) cli_end_line();
    for (size_t i = 0; i < columns && i < 50; i++) print_column(table, i);
    if (columns > 50) cli_print_line("      ..");
}

static int show_data(const char *path) {
    fmt_table *table;
    int status = cli_data_open_table(&table, path, NULL);
    json_t *object = status ? NULL : data_json(table);
    if (!status && cli_wants_json()) {
        status = cli_print_json(object);
    } else if (!status) {
        print_data(table, object);
        json_decref(object);
        status = cli_check_stdout();
    }
    fmt_table_close(table);
    return status;
}

static int run(const cli_arguments *a) {
    return is_ours(a->words[0]) ? show_ours(a->words[0]) : show_data(a->words[0]);
}

const cli_command cli_command_info = {
    .name = "info",
    .summary = "show what is in a model, a moments file or a data file",
    .usage = "FILE",
    .text = "Shows what is in FILE, whichever kind of file it is.",
    .example = "  orff info wind.orff\n",
    .least = 1,
    .most = 1,
    .bit = CLI_BIT(info),
    .run = run,
};
