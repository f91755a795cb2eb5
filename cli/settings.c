#define _XOPEN_SOURCE 700

#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"
#include "result.h"

/* ---- matrices from files */

static bool is_file(const char *path) {
    struct stat about;
    return !stat(path, &about) && !S_ISDIR(about.st_mode);
}

/* Appends a table of numbers as the library's settings write matrices: 1,2;3,4. */
static int append_table(cli_string *text, const char *path) {
    size_t rows = 0, cols = 0;
    double *numbers = NULL;
    const int status = cli_data_numbers(path, &rows, &cols, &numbers);
    for (size_t i = 0; !status && i < rows * cols; i++) {
        char number[ORFF_NUMBER_ROOM];
        orff_number_print(number, numbers[i], true);
        cli_append(text, "%s%s", i == 0 ? "" : i % cols ? "," : ";", number);
    }
    free(numbers);
    return status;
}

static bool is_matrix(const orff_setting *setting) {
    return setting->form && strstr(setting->form, "MATRIX");
}

/* Forms are "one|other:MATRIX|..". */
const char *cli_matrix_of(const orff_setting *setting, const char *word) {
    for (const char *at = setting->form; at && *at; at += strcspn(at, "|"), at += *at == '|') {
        const char *matrix = strstr(at, "MATRIX");
        const size_t before = matrix ? (size_t)(matrix - at) : 0;
        if (before && before < strcspn(at, "|") && !strncmp(word, at, before)) return word + before;
    }
    return word;
}

/* Appends one word: FILE, possibly after words of the form and before a ridge, or a word for the library. */
static int append_matrix(cli_string *text, const orff_setting *setting, const char *word) {
    char path[4096];
    const char *matrix = cli_matrix_of(setting, word);
    cli_append(text, "%.*s", (int)(matrix - word), word);
    word = matrix;
    if (is_file(word)) return append_table(text, word);
    const char *ridge = strrchr(word, ':');
    snprintf(path, sizeof path, "%.*s", ridge ? (int)(ridge - word) : (int)strlen(word), word);
    if (!ridge || !is_file(path)) {
        double number;
        const bool names_file = strpbrk(word, "/.") && !strpbrk(word, ";,");
        if (names_file && !cli_scan_number(word, ":", &number))
            return append_table(text, word); /* fails with a message */
        cli_append(text, "%s", word);        /* for the library to check */
        return CLI_DONE;
    }
    const int status = append_table(text, path);
    cli_append(text, "%s", ridge);
    return status;
}

/* A file as the whole value, or words between plus signs. */
static int matrix_text(const orff_setting *setting, const char *value, char **out) {
    cli_string text = {0};
    int status = CLI_DONE;
    if (is_file(value)) {
        status = append_table(&text, value);
    } else {
        char *copy = cli_copy_text(value), *save = NULL;
        for (char *word = strtok_r(copy, "+", &save); !status && word; word = strtok_r(NULL, "+", &save)) {
            if (text.length) cli_append(&text, "+");
            status = append_matrix(&text, setting, word);
        }
        free(copy);
    }
    *out = text.text ? text.text : cli_copy_text("");
    return status;
}

/* ---- texts to the library */

static int report_wrong(const cli_arguments *a, const orff_options *options, orff_status status) {
    const char *culprit = orff_options_culprit(options), *message = orff_error_message();
    const size_t length = strlen(culprit);
    if (status == ORFF_ERROR_NO_MEMORY || !length) return cli_outcome(status, NULL);
    if (!strncmp(message, culprit, length) && message[length] == ':') message += length + 2;
    return cli_wrong(a, cli_setting(culprit), "%s", message);
}

static int set(orff_options *options, const cli_arguments *a, const orff_setting *setting) {
    const char *value = cli_text(a, cli_setting(setting->name));
    char *text = NULL;
    int status = is_matrix(setting) ? matrix_text(setting, value, &text) : CLI_DONE;
    if (status) {
        free(text);
        return status;
    }
    const orff_status outcome = orff_options_set(options, setting->name, text ? text : value);
    free(text);
    return outcome ? report_wrong(a, options, outcome) : CLI_DONE;
}

/* Whether a length scale is left to the data. */
static bool is_auto_sigma(const orff_part *part) {
    return part->sigma <= 0.0 && !part->sigmas; /* ORFF_SIGMA_AUTO, ORFF_SIGMA_ARD */
}

/* Sets the lines "name=text" about the kernel for which no option is given; they are never read as names
 * of files. */
static int set_kernel_of(orff_options *options, const cli_arguments *a, const char *lines) {
    orff_options *all = NULL;
    int status = cli_outcome(orff_options_create(&all), NULL);
    if (!status) status = cli_outcome(orff_options_read(all, lines), "settings of the file");
    for (size_t i = 0; !status && orff_setting_at(i); i++) {
        const orff_setting *setting = orff_setting_at(i);
        if (!(setting->uses & ORFF_USE_KERNEL) || cli_given(a, CLI_OWN_OPTIONS + i)) continue;
        if (orff_options_given(all, setting->name))
            status = cli_outcome(
                orff_options_set(options, setting->name, orff_options_get(all, setting->name)), NULL);
    }
    orff_options_free(all);
    return status;
}

int cli_settings_read(cli_settings *s, const cli_arguments *a, const orff_data_shape *shape) {
    return cli_settings_read_over(s, a, shape, "");
}

int cli_settings_read_over(cli_settings *s, const cli_arguments *a, const orff_data_shape *shape,
                           const char *lines) {
    *s = (cli_settings){0};
    int status = cli_outcome(orff_options_create(&s->options), NULL);
    if (!status) status = set_kernel_of(s->options, a, lines);
    for (size_t i = 0; !status && orff_setting_at(i); i++)
        if (cli_given(a, CLI_OWN_OPTIONS + i)) status = set(s->options, a, orff_setting_at(i));
    if (status) return status;
    const orff_status outcome = orff_options_resolve(s->options, shape, &s->settings);
    if (outcome) return report_wrong(a, s->options, outcome);
    for (size_t m = 0; m < s->settings.n_parts; m++)
        s->auto_sigma = s->auto_sigma || is_auto_sigma(&s->settings.parts[m]);
    return CLI_DONE;
}

/* The names of the inputs, which belong to the notes; free the array. */
static const char **names_of_inputs(const orff_notes *notes, size_t d) {
    const char **names = cli_more(NULL, d, sizeof *names);
    for (size_t i = 0; i < d; i++) names[i] = orff_notes_name(notes, ORFF_SIDE_INPUT, i);
    return names;
}

int cli_settings_read_for(cli_settings *s, const cli_arguments *a, const cli_data *data) {
    const char **names = names_of_inputs(data->notes, data->d);
    const orff_data_shape shape = {.d = data->d,
                                   .p = data->p,
                                   .classes = data->classes,
                                   .inputs = names,
                                   .n = data->whole && !data->directions ? data->n : 0,
                                   .X = data->X,
                                   .Y = data->Y};
    const int status = cli_settings_read(s, a, &shape);
    s->settings.groups = data->groups;
    s->settings.offset_groups = data->offsets;
    free(names);
    return status;
}

int cli_settings_note_covariates(const cli_arguments *a, size_t d, orff_notes *notes) {
    const cli_option_id id = cli_setting("covariates");
    const char **names = names_of_inputs(notes, d);
    bool *covariate = cli_more(NULL, d, sizeof *covariate);
    const orff_data_shape shape = {.d = d, .inputs = names};
    orff_options *options = NULL;
    orff_status status = orff_options_create(&options);
    if (!status && cli_given(a, id)) status = orff_options_set(options, "covariates", cli_text(a, id));
    if (!status) status = orff_options_covariates(options, &shape, covariate);
    const int outcome = status ? report_wrong(a, options, status)
                               : cli_outcome(orff_notes_set_covariates(notes, covariate), NULL);
    orff_options_free(options);
    free(covariate);
    free(names);
    return outcome;
}

/* Writes the options that were given, except files of a run. */
static orff_status written(const orff_options *options, orff_options *copy, char **text) {
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && orff_setting_at(i); i++) {
        const orff_setting *setting = orff_setting_at(i);
        if (orff_options_given(options, setting->name) && !(setting->uses & ORFF_USE_STREAM))
            status = orff_options_set(copy, setting->name, orff_options_get(options, setting->name));
    }
    return status ? status : orff_options_write(copy, text);
}

int cli_settings_note(const cli_settings *s, orff_notes *notes) {
    orff_options *copy = NULL;
    char *text = NULL;
    orff_status status = orff_options_create(&copy);
    if (!status) status = written(s->options, copy, &text);
    json_t *value = status ? NULL : cli_text_or_shown(text);
    char *json = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (json) status = orff_notes_set_member(notes, "settings", json);
    json_decref(value);
    free(json);
    orff_text_free(text);
    orff_options_free(copy);
    return cli_outcome(status, NULL);
}

void cli_settings_clear(cli_settings *s) {
    orff_options_free(s->options);
    *s = (cli_settings){0};
}

/* Whether a part of the kernel is a field, which needs as many outputs as inputs. */
int cli_settings_is_field(const cli_arguments *a, bool *field) {
    cli_settings s;
    cli_arguments bare = *a;
    const orff_data_shape shape = {.d = 2, .p = 2};
    for (size_t i = 0; orff_setting_at(i); i++)
        if (strcmp(orff_setting_at(i)->name, "kernel")) bare.given[CLI_OWN_OPTIONS + i].count = 0;
    *field = false;
    const int status = cli_settings_read(&s, &bare, &shape);
    for (size_t m = 0; !status && m < s.settings.n_parts; m++)
        *field = *field || orff_rule_describe(s.settings.parts[m].rule).physical;
    cli_settings_clear(&s);
    return status;
}
