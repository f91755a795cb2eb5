#include "offsets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "result.h"

enum { NAME = 200, MOST_OUTPUTS = 12 };

/* ---- names */

static int note_names(cli_data *data, const orff_model *model, size_t count, char *names, const char **list) {
    for (size_t i = 0; i < count; i++) {
        orff_offset offset;
        list[i] = names + i * NAME;
        if (orff_model_offset(model, i, &offset)) return cli_outcome(ORFF_ERROR_INVALID_ARGUMENT, NULL);
        fmt_table_group_name(data->table, offset.group, names + i * NAME, NAME);
    }
    return cli_outcome(orff_notes_set_groups(data->notes, count, list), NULL);
}

int cli_offsets_note(cli_data *data, const orff_model *model) {
    const size_t count = orff_model_describe(model).offsets;
    if (!count) return CLI_DONE;
    char *names = cli_more(NULL, count * NAME, 1);
    const char **list = cli_more(NULL, count, sizeof *list);
    const int status = note_names(data, model, count, names, list);
    free(names);
    free(list);
    return status;
}

static const char *name_of(const orff_notes *notes, size_t i, const orff_offset *offset, char text[24]) {
    const char *name = orff_notes_group(notes, i);
    snprintf(text, 24, "%" PRIu64, offset->group);
    return name ? name : text;
}

/* ---- lines */

void cli_offsets_words(const orff_model *model, char line[CLI_OFFSETS_LINE]) {
    const orff_model_info info = orff_model_describe(model);
    *line = '\0';
    cli_line_append(CLI_OFFSETS_LINE, line, "%zu groups, standard deviation", info.offsets);
    for (size_t k = 0; k < info.outputs && k < MOST_OUTPUTS; k++)
        cli_line_append(CLI_OFFSETS_LINE, line, "%s %.3g", k ? "," : "", info.offset_ratio * info.noise[k]);
}

void cli_offsets_line(const orff_model *model, const orff_notes *notes, size_t i,
                      char line[CLI_OFFSETS_LINE]) {
    const size_t p = orff_model_describe(model).outputs;
    orff_offset offset;
    char text[24];
    *line = '\0';
    if (orff_model_offset(model, i, &offset)) return;
    cli_line_append(CLI_OFFSETS_LINE, line, "%.60s:", name_of(notes, i, &offset, text));
    for (size_t k = 0; k < p && k < MOST_OUTPUTS; k++)
        cli_line_append(CLI_OFFSETS_LINE, line, "%s %.4g +- %.2g", k ? "," : "", offset.values[k],
                        offset.errors[k]);
}

/* ---- JSON */

json_t *cli_offsets_json(const orff_model *model, const orff_notes *notes) {
    const orff_model_info info = orff_model_describe(model);
    json_t *list = json_array();
    for (size_t i = 0; i < info.offsets; i++) {
        orff_offset offset;
        char text[24];
        if (orff_model_offset(model, i, &offset)) break;
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "group",
                                              cli_text_or_shown(name_of(notes, i, &offset, text)), "values",
                                              cli_numbers(info.outputs, offset.values), "errors",
                                              cli_numbers(info.outputs, offset.errors)));
    }
    return list;
}
