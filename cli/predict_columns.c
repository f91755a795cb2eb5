/* The columns of predictions. */
#include "predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static void add_column(cli_prediction *j, fmt_output_column column, char *name) {
    j->columns = cli_more(j->columns, j->filled + 1, sizeof *j->columns);
    j->names = cli_more(j->names, j->filled + 1, sizeof *j->names);
    column.name = name;
    j->columns[j->filled] = column;
    j->names[j->filled++] = name;
}

static char *name_of(const cli_prediction *j, orff_side side, size_t i) {
    const char *known = orff_notes_name(j->applied.notes, side, i);
    cli_string made = {0};
    if (known) return cli_copy_text(known);
    cli_append(&made, "%c%zu", side == ORFF_SIDE_INPUT ? 'x' : 'y', i + 1);
    return made.text;
}

static void add_number(cli_prediction *j) {
    add_column(j,
               (fmt_output_column){.input = j->numbered_last, .units = "1", .standard_name = "realization"},
               cli_copy_text("member"));
}

static void add_inputs(cli_prediction *j) {
    if (j->numbered && !j->numbered_last) add_number(j);
    for (size_t i = 0; j->with_inputs && i < j->applied.info.inputs; i++)
        add_column(j,
                   (fmt_output_column){.input = true,
                                       .units = orff_notes_units(j->applied.notes, ORFF_SIDE_INPUT, i),
                                       .standard_name =
                                           orff_notes_standard_name(j->applied.notes, ORFF_SIDE_INPUT, i)},
                   name_of(j, ORFF_SIDE_INPUT, i));
    if (j->numbered && j->numbered_last) add_number(j);
}

static void add_outputs(cli_prediction *j) {
    const size_t classes = j->applied.info.classes;
    j->labels = cli_more(NULL, classes, sizeof *j->labels);
    for (size_t i = 0; i < classes; i++) j->labels[i] = orff_notes_label(j->applied.notes, i);
    const bool named = classes && orff_notes_labels(j->applied.notes) == classes;
    for (size_t i = 0; i < j->applied.info.outputs; i++)
        add_column(j,
                   (fmt_output_column){.units = orff_notes_units(j->applied.notes, ORFF_SIDE_OUTPUT, i),
                                       .standard_name =
                                           orff_notes_standard_name(j->applied.notes, ORFF_SIDE_OUTPUT, i),
                                       .n_labels = named ? classes : 0,
                                       .labels = j->labels},
                   name_of(j, ORFF_SIDE_OUTPUT, i));
}

/* Adds columns for the errors of `count` columns, starting with `first`. */
static void add_errors(cli_prediction *j, size_t first, size_t count, bool noisy) {
    for (size_t i = first; i < first + count; i++) {
        cli_string name = {0};
        cli_append(&name, "%s_std%s", j->names[i], noisy ? "_with_noise" : "");
        add_column(
            j,
            (fmt_output_column){.units = j->columns[i].units, .error_of = j->names[i], .with_noise = noisy},
            name.text);
    }
}

bool cli_prediction_has_errors(const cli_prediction *j) {
    return j->with_std || j->with_noise;
}

/* The CF standard name of a field derived from an eastward and a northward component. */
static const char *derived_standard_name(const cli_prediction *j, const char *field) {
    static const char *const known[][3] = {
        {"eastward_wind", "divergence", "divergence_of_wind"},
        {"eastward_wind", "curl", "atmosphere_relative_vorticity"},
        {"eastward_sea_water_velocity", "curl", "ocean_relative_vorticity"}};
    const char *east = orff_notes_standard_name(j->applied.notes, ORFF_SIDE_OUTPUT, 0);
    for (size_t i = 0; east && j->applied.info.on_plane && i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i][0], east) && !strcmp(known[i][1], field)) return known[i][2];
    return NULL;
}

/* divergence; curl_1 .. curl_3; du_dx */
static void add_derived(cli_prediction *j, size_t k) {
    const cli_derived *field = j->derived[k];
    const size_t d = j->applied.info.inputs, width = field->width(d, j->applied.p);
    j->units[k] = cli_notes_derived_units(j->applied.notes, field->name);
    for (size_t i = 0; i < width; i++) {
        cli_string name = {0};
        if (!strcmp(field->name, "jacobian")) {
            char *output = name_of(j, ORFF_SIDE_OUTPUT, i / d), *input = name_of(j, ORFF_SIDE_INPUT, i % d);
            cli_append(&name, "d%s_d%s", output, input);
            free(output);
            free(input);
        } else {
            cli_append(&name, width > 1 ? "%s_%zu" : "%s", field->name, i + 1);
        }
        const char *standard = width == 1 ? derived_standard_name(j, field->name) : NULL;
        add_column(j, (fmt_output_column){.units = j->units[k], .standard_name = standard}, name.text);
    }
    if (cli_prediction_has_errors(j)) add_errors(j, j->filled - width, width, false);
}

static int parse_derive(cli_prediction *j) {
    const char *text = cli_text(j->arguments, CLI_OPT_DERIVE);
    for (; text; text = *text ? text + 1 : NULL) {
        char word[32];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
        const cli_derived *field = cli_derived_find(word);
        if (!field || j->n_derived == CLI_MOST_DERIVED)
            return cli_wrong(j->arguments, CLI_OPT_DERIVE, "\"%s\" is not known; choose from %s", word,
                             cli_own_options[CLI_OPT_DERIVE].argument);
        if (!field->width(j->applied.info.inputs, j->applied.p) || j->applied.info.classes)
            return cli_failed("--derive %s: does not exist for a model of %zu outputs%s", word,
                              j->applied.info.outputs, j->applied.info.classes ? " (classes)" : "");
        j->derived[j->n_derived++] = field;
        text += length;
    }
    return CLI_DONE;
}

int cli_prediction_plan(cli_prediction *j) {
    const char *path = cli_text(j->arguments, CLI_OPT_OUTPUT), *end = strrchr(path, '.');
    const bool array = end && !strcmp(end, ".npy");
    j->numbered = j->sampling && !array;
    j->numbered_last = end && !strcmp(end, ".nc");
    int status = parse_derive(j);
    if (status) return status;
    j->with_inputs = !array && !cli_given(j->arguments, CLI_OPT_BARE) &&
                     (j->lattice.rows || orff_notes_named(j->applied.notes));
    j->with_std = cli_given(j->arguments, CLI_OPT_STD);
    j->with_noise = cli_given(j->arguments, CLI_OPT_STD_WITH_NOISE);
    if (cli_prediction_has_errors(j) && j->applied.info.classes)
        return cli_failed("--%s: classes have no standard deviation",
                          cli_option_at(j->with_std ? CLI_OPT_STD : CLI_OPT_STD_WITH_NOISE)->name);
    if (j->sampling && j->applied.info.classes) return cli_failed("classes have no samples");
    if (j->masking && j->applied.info.classes) return cli_failed("--mask: classes have no missing value");
    add_inputs(j);
    j->places = j->filled;
    add_outputs(j);
    const size_t first = j->filled - j->applied.info.outputs;
    if (j->with_std) add_errors(j, first, j->applied.info.outputs, false);
    if (j->with_noise) add_errors(j, first, j->applied.info.outputs, true);
    for (size_t i = 0; i < j->n_derived; i++) add_derived(j, i);
    j->width = j->filled;
    return CLI_DONE;
}
