#include "notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/units.h"
#include "notes_check.h"
#include "report.h"
#include "result.h"

static json_t *column(const fmt_table *table, size_t i) {
    const char *name = fmt_table_name(table, i), *units = fmt_table_units(table, i);
    const char *standard = fmt_table_standard_name(table, i);
    if (!units) units = fmt_units_guess(name).units;
    json_t *entry = json_pack("{s:o}", "name", cli_text_or_shown(name));
    if (units) json_object_set_new(entry, "units", cli_text_or_shown(units));
    if (standard) json_object_set_new(entry, "standard_name", cli_text_or_shown(standard));
    return entry;
}

json_t *cli_notes_of_table(const fmt_table *table) {
    json_t *inputs = json_array(), *outputs = json_array();
    for (size_t i = 0; i < fmt_table_inputs(table); i++)
        json_array_append_new(inputs, column(table, fmt_table_input(table, i)));
    for (size_t i = 0; i < fmt_table_outputs(table); i++)
        json_array_append_new(outputs, column(table, fmt_table_output(table, i)));
    return json_pack("{s:b, s:o, s:o}", "named", fmt_table_named(table), "inputs", inputs, "outputs",
                     outputs);
}

/* ---- reading */

static int read_notes(json_t **out, const char *path, const char *text, const cli_notes_sizes *sizes) {
    char problem[256];
    json_t *notes = json_loads(text, 0, NULL);
    *out = NULL;
    if (!json_is_object(notes)) {
        json_decref(notes);
        notes = json_object();
    }
    if (!cli_notes_check(notes, sizes, problem, sizeof problem)) {
        json_decref(notes);
        return cli_failed("%s: its notes are damaged or do not belong to it: %s", path, problem);
    }
    *out = notes;
    return CLI_DONE;
}

int cli_notes_of_model(json_t **notes, const char *path, const orff_model *model) {
    const orff_model_info info = orff_model_describe(model);
    const cli_notes_sizes sizes = {info.inputs, info.outputs, info.classes};
    return read_notes(notes, path, orff_model_notes(model), &sizes);
}

/* Moments have no classes. */
int cli_notes_of_moments(json_t **notes, const char *path, const orff_moments *moments) {
    const orff_moments_info info = orff_moments_describe(moments);
    const cli_notes_sizes sizes = {info.inputs, info.outputs, 0};
    return read_notes(notes, path, orff_moments_notes(moments), &sizes);
}

/* ---- columns */

static const char *member(const json_t *notes, const char *side, size_t i, const char *key) {
    return json_string_value(json_object_get(json_array_get(json_object_get(notes, side), i), key));
}

const char *cli_notes_name(const json_t *notes, const char *side, size_t i) {
    return member(notes, side, i, "name");
}
const char *cli_notes_units(const json_t *notes, const char *side, size_t i) {
    return member(notes, side, i, "units");
}

bool cli_notes_range(const json_t *notes, size_t i, double *low, double *high) {
    const json_t *entry = json_array_get(json_object_get(notes, "inputs"), i);
    *low = json_number_value(json_object_get(entry, "low"));
    *high = json_number_value(json_object_get(entry, "high"));
    return json_is_number(json_object_get(entry, "low")) && *high >= *low;
}

char *cli_notes_columns(const json_t *notes, const char *side) {
    cli_string text = {0};
    const size_t count = json_array_size(json_object_get(notes, side));
    if (!json_is_true(json_object_get(notes, "named")) || !count) return NULL;
    for (size_t i = 0; i < count; i++) {
        cli_append(&text, i ? ",\"" : "\"");
        for (const char *at = cli_notes_name(notes, side, i); at && *at; at++)
            cli_append(&text, *at == '"' ? "\"\"" : "%c", *at);
        cli_append(&text, "\"");
    }
    return text.text;
}

/* ---- covariates */

static int find_input(const cli_arguments *a, const json_t *notes, size_t d, const char *word,
                      size_t *found) {
    const char **names = cli_more(NULL, d, sizeof *names);
    char *end;
    for (size_t i = 0; i < d; i++) {
        names[i] = cli_notes_name(notes, "inputs", i);
        if (!strcmp(names[i], word)) {
            *found = i;
            free(names);
            return CLI_DONE;
        }
    }
    const unsigned long number = strtoul(word, &end, 10);
    const char *near = cli_suggest(word, d, names);
    free(names);
    if (*word && !*end && number >= 1 && number <= d) {
        *found = number - 1;
        return CLI_DONE;
    }
    if (near)
        return cli_wrong(a, CLI_OPT_COVARIATES, "\"%s\" is not an input; did you mean \"%s\"?", word, near);
    return cli_wrong(a, CLI_OPT_COVARIATES,
                     "\"%s\" is neither the name of an input nor a number from 1 to %zu", word, d);
}

int cli_notes_covariates(const cli_arguments *a, json_t *notes, size_t d, bool *covariate) {
    const char *text = cli_text(a, CLI_OPT_COVARIATES);
    json_t *list = json_array();
    memset(covariate, 0, d * sizeof *covariate);
    for (; text && *text; text += *text == ',') {
        char word[256];
        size_t length = strcspn(text, ","), i = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        const int status = find_input(a, notes, d, word, &i);
        if (status) {
            json_decref(list);
            return status;
        }
        covariate[i] = true;
        text += length;
    }
    for (size_t i = 0; i < d; i++)
        if (covariate[i]) json_array_append_new(list, json_integer((json_int_t)i));
    json_object_set_new(notes, "covariates", list);
    return CLI_DONE;
}

size_t cli_notes_covariate_count(const json_t *notes) {
    return json_array_size(json_object_get(notes, "covariates"));
}

bool cli_notes_is_covariate(const json_t *notes, size_t i) {
    const json_t *list = json_object_get(notes, "covariates");
    for (size_t k = 0; k < json_array_size(list); k++)
        if ((size_t)json_integer_value(json_array_get(list, k)) == i) return true;
    return false;
}

/* ---- classes and the plane */

size_t cli_notes_labels(const json_t *notes) {
    return json_array_size(json_object_get(notes, "labels"));
}

const char *cli_notes_label(const json_t *notes, size_t i) {
    return json_string_value(json_array_get(json_object_get(notes, "labels"), i));
}

void cli_notes_set_plane(json_t *notes, const orff_plane *plane) {
    json_object_set_new(notes, "geo",
                        json_pack("{s:s, s:f, s:f, s:s}", "projection", "azimuthal-equidistant", "lon",
                                  plane->lon, "lat", plane->lat, "units", "km"));
}

const char *cli_notes_length_units(const json_t *notes, size_t d) {
    const char *units = NULL;
    if (json_object_get(notes, "geo")) return "km";
    for (size_t i = 0; i < d; i++) {
        const char *own = cli_notes_units(notes, "inputs", i);
        if (cli_notes_is_covariate(notes, i)) continue;
        if (!own || (units && strcmp(units, own))) return "";
        units = own;
    }
    return units ? units : "";
}

char *cli_notes_derived_units(const json_t *notes, size_t d, const char *field) {
    const char *own = cli_notes_units(notes, "outputs", 0), *length = cli_notes_length_units(notes, d);
    const bool potential = !strcmp(field, "potential") || !strcmp(field, "stream");
    cli_string text = {0};
    if (!own || !*length) return NULL;
    cli_append(&text, potential ? "%s %s" : "%s %s-1", own, length);
    return text.text;
}
