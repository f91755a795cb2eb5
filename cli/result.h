/* The description of a model: in words, as a table, as JSON. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <jansson.h>

#include "orff.h"

typedef struct cli_result {
    const orff_model *model;
    const orff_notes *notes;
    const char *path; /* of the model file */
    uint64_t dropped; /* number of rows left out */
    double seconds;
    bool mixture; /* the shares are worth printing */
} cli_result;

/* "61 % divergence-free at 120 km, 30 % unstructured at 25 km, 9 % noise"; from malloc; NULL if the shares
 * are unknown. */
char *cli_result_words(const orff_model *model, const orff_notes *notes);

/* Prints the short table at the end of fit and tune, on standard error, with the words of cli_result_words
 * (may be NULL). Allocates nothing. */
void cli_result_say(const cli_result *result, const char *words);

/* The description of a model for users; "model" only with a path, "seconds" only above 0. */
json_t *cli_result_json(const cli_result *result);

/* Appends to a line; what does not fit is left out. Allocates nothing. */
void cli_line_append(size_t room, char *line, const char *format, ...) __attribute__((format(printf, 3, 4)));

json_t *cli_numbers(size_t count, const double *values);

/* Where frequencies come from: the scheme that drew them, or "own" for those of --frequencies. */
const char *cli_frequencies_word(orff_scheme scheme);

/* null for NAN. */
json_t *cli_number_or_null(double value);

/* A text from outside; if it is not UTF-8, which JSON requires, as orff_text_show makes it. */
json_t *cli_text_or_shown(const char *text);

/* The widths of a stack from inputs to outputs, "2 -> 8 -> 2", and the number of its coefficients. Returns
 * text. */
enum { CLI_LAYERS_ROOM = 200 };
const char *cli_layers_words(const orff_model_info *info, char text[CLI_LAYERS_ROOM]);

#endif
