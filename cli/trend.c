#include "trend.h"

#include <stdio.h>
#include <string.h>

#include "result.h"

enum { MOST = 12 }; /* most terms in a line */

static const char *input_name(const orff_notes *notes, size_t i, char text[24]) {
    const char *name = orff_notes_name(notes, ORFF_SIDE_INPUT, i);
    snprintf(text, 24, "x%zu", i + 1);
    return name ? name : text;
}

void cli_trend_words(const orff_model *model, const orff_notes *notes, char words[CLI_TREND_LINE]) {
    const orff_model_info info = orff_model_describe(model);
    char text[24];
    *words = '\0';
    if (!info.trend_terms) return;
    cli_line_append(CLI_TREND_LINE, words, "%s", orff_trend_name(info.trend));
    for (size_t i = 1, named = 0; i < info.trend_terms && named < MOST; i++) {
        orff_trend_term term;
        if (orff_model_trend(model, i, &term) || term.factors != 1) continue;
        cli_line_append(CLI_TREND_LINE, words, "%s %.60s %.6g", named++ ? "," : ", from",
                        input_name(notes, term.inputs[0], text), info.trend_centre[term.inputs[0]]);
    }
    if (info.on_plane) cli_line_append(CLI_TREND_LINE, words, " (km on the plane)");
}

void cli_trend_line(const orff_model *model, const orff_notes *notes, size_t k, char line[CLI_TREND_LINE]) {
    const size_t terms = orff_model_describe(model).trend_terms;
    char text[24];
    *line = '\0';
    for (size_t i = 0; i < terms && i < MOST; i++) {
        orff_trend_term term;
        if (orff_model_trend(model, i, &term)) return;
        cli_line_append(CLI_TREND_LINE, line, "%s", i ? ", " : "");
        for (size_t f = 0; f < term.factors; f++)
            cli_line_append(CLI_TREND_LINE, line, "%s%.60s", f ? "*" : "",
                            input_name(notes, term.inputs[f], text));
        cli_line_append(CLI_TREND_LINE, line, "%s%.4g +- %.2g", term.factors ? " " : "", term.coefficients[k],
                        term.errors[k]);
    }
    if (terms > MOST) cli_line_append(CLI_TREND_LINE, line, ", ..");
}

static json_t *term_json(const orff_model *model, const orff_notes *notes, size_t i, size_t p) {
    orff_trend_term term;
    char text[24];
    json_t *inputs = json_array();
    if (orff_model_trend(model, i, &term)) return inputs;
    for (size_t f = 0; f < term.factors; f++)
        json_array_append_new(inputs, cli_text_or_shown(input_name(notes, term.inputs[f], text)));
    return json_pack("{s:o, s:o, s:o}", "inputs", inputs, "coefficients", cli_numbers(p, term.coefficients),
                     "errors", cli_numbers(p, term.errors));
}

json_t *cli_trend_json(const orff_model *model, const orff_notes *notes) {
    const orff_model_info info = orff_model_describe(model);
    json_t *terms = json_array();
    for (size_t i = 0; i < info.trend_terms; i++)
        json_array_append_new(terms, term_json(model, notes, i, info.outputs));
    return json_pack("{s:s, s:o, s:o}", "kind", orff_trend_name(info.trend), "centre",
                     cli_numbers(info.inputs, info.trend_centre), "terms", terms);
}
