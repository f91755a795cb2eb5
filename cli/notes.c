#include "notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/units.h"
#include "report.h"

static orff_status note_column(orff_notes *notes, const fmt_table *table, orff_side side, size_t i) {
    const size_t at = side == ORFF_SIDE_INPUT ? fmt_table_input(table, i) : fmt_table_output(table, i);
    const char *name = fmt_table_name(table, at), *units = fmt_table_units(table, at);
    const char *standard = fmt_table_standard_name(table, at);
    if (!units) units = fmt_units_guess(name).units;
    orff_status status = orff_notes_set_name(notes, side, i, name);
    if (!status && units) status = orff_notes_set_units(notes, side, i, units);
    if (!status && standard) status = orff_notes_set_standard_name(notes, side, i, standard);
    return status;
}

/* Names of the components of a field that was measured along directions: u, v, w. */
static orff_status note_component(orff_notes *notes, const fmt_table *table, size_t i) {
    const size_t at = fmt_table_output(table, 0);
    const char *units = fmt_table_units(table, at);
    char name[24];
    if (!units) units = fmt_units_guess(fmt_table_name(table, at)).units;
    if (i < 3)
        snprintf(name, sizeof name, "%c", "uvw"[i]);
    else
        snprintf(name, sizeof name, "u%zu", i + 1);
    orff_status status = orff_notes_set_name(notes, ORFF_SIDE_OUTPUT, i, name);
    if (!status && units) status = orff_notes_set_units(notes, ORFF_SIDE_OUTPUT, i, units);
    return status;
}

int cli_notes_of_table(orff_notes **notes, const fmt_table *table, size_t outputs, bool along) {
    const size_t d = fmt_table_inputs(table), p = outputs ? outputs : fmt_table_outputs(table);
    orff_status status = orff_notes_create(notes, d, p);
    if (!status) status = orff_notes_set_named(*notes, fmt_table_named(table));
    for (size_t i = 0; !status && i < d; i++) status = note_column(*notes, table, ORFF_SIDE_INPUT, i);
    for (size_t i = 0; !status && i < p; i++)
        status = along ? note_component(*notes, table, i) : note_column(*notes, table, ORFF_SIDE_OUTPUT, i);
    return cli_outcome(status, NULL);
}

/* ---- reading */

static int outcome(orff_status status, const char *path) {
    return status == ORFF_ERROR_FORMAT ? cli_failed("%s: its %s", path, orff_error_message())
                                       : cli_outcome(status, path);
}

int cli_notes_of_model(orff_notes **notes, const char *path, const orff_model *model) {
    const orff_model_info info = orff_model_describe(model);
    return outcome(orff_notes_parse(notes, orff_model_notes(model), info.inputs, info.outputs, info.classes),
                   path);
}

/* Moments have no classes. */
int cli_notes_of_moments(orff_notes **notes, const char *path, const cli_moments *moments) {
    const cli_moments_info info = cli_moments_describe(moments);
    return outcome(orff_notes_parse(notes, cli_moments_notes(moments), info.inputs, info.outputs, 0), path);
}

json_t *cli_notes_json(orff_notes *notes) {
    const char *text;
    return orff_notes_text(notes, &text) ? NULL : json_loads(text, 0, NULL);
}

/* ---- columns */

char *cli_notes_columns(const orff_notes *notes, orff_side side, size_t count) {
    cli_string text = {0};
    if (!orff_notes_named(notes) || !orff_notes_name(notes, side, 0)) return NULL;
    for (size_t i = 0; i < count; i++) {
        cli_append(&text, i ? ",\"" : "\"");
        for (const char *at = orff_notes_name(notes, side, i); at && *at; at++)
            cli_append(&text, *at == '"' ? "\"\"" : "%c", *at);
        cli_append(&text, "\"");
    }
    return text.text;
}

/* ---- text for the user */

char *cli_notes_scales(const orff_notes *notes) {
    const char *at = orff_notes_kernel(notes, "sigma");
    cli_string text = {0};
    while (at && *at) {
        double value;
        const char *end = *at == '+' ? NULL : orff_number_scan(at, &value); /* between parts, not a sign */
        if (end) {
            cli_append(&text, "%.6g", value);
            at = end;
        } else {
            cli_append(&text, "%c", *at++);
        }
    }
    return text.text;
}

char *cli_notes_derived_units(const orff_notes *notes, const char *field) {
    const char *own = orff_notes_units(notes, ORFF_SIDE_OUTPUT, 0);
    const size_t room = (own ? strlen(own) : 0) + strlen(orff_notes_length_units(notes)) + 8;
    char *text = cli_more(NULL, room, 1);
    if (orff_notes_derived_units(notes, !strcmp(field, "potential") || !strcmp(field, "stream"), text, room))
        return text;
    free(text);
    return NULL;
}
