/* Words of the command line to values, by the table. */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/number.h"
#include "report.h"

/* ---- names alike */

#define LONGEST 40

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits from one name to the other: letters put in, taken out or changed. */
static size_t edits(const char *a, const char *b) {
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= strlen(b); j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; b[j - 1]; j++) {
            const size_t above = row[j];
            row[j] = smaller(diagonal + (a[i - 1] != b[j - 1]), smaller(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[strlen(b)];
}

const char *cli_suggest(const char *name, size_t count, const char *const *names) {
    const char *nearest = NULL;
    size_t best = strlen(name) / 2 + 2;
    for (size_t i = 0; strlen(name) < LONGEST && i < count; i++) {
        const size_t far = strlen(names[i]) < LONGEST ? edits(name, names[i]) : SIZE_MAX;
        if (far < best) {
            best = far;
            nearest = names[i];
        }
    }
    return nearest;
}

/* ---- messages */

int cli_wrong_usage(const cli_command *command, const char *format, ...) {
    char before[64];
    va_list list;
    snprintf(before, sizeof before, "orff %s: ", command->name);
    va_start(list, format);
    cli_complain(before, format, list);
    va_end(list);
    return CLI_USAGE;
}

int cli_wrong(const cli_arguments *arguments, cli_option_id id, const char *format, ...) {
    char before[128];
    va_list list;
    snprintf(before, sizeof before, "orff %s: --%s: ", arguments->command->name, cli_options[id].name);
    va_start(list, format);
    cli_complain(before, format, list);
    va_end(list);
    return CLI_USAGE;
}

/* ---- finding options */

static bool serves(const cli_option *option, const cli_command *command) {
    return option->commands & command->bit;
}

/* The option of a command by its name, `length` letters of it. */
static const cli_option *by_name(const cli_command *command, const char *name, size_t length) {
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option *option = &cli_options[i];
        if (serves(option, command) && strlen(option->name) == length && !strncmp(option->name, name, length))
            return option;
    }
    return NULL;
}

static const cli_option *by_letter(const cli_command *command, char letter) {
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].letter == letter && serves(&cli_options[i], command)) return &cli_options[i];
    return NULL;
}

static int unknown(const cli_command *command, const char *word) {
    const char *names[CLI_OPTION_COUNT], *name = word + (word[1] == '-' ? 2 : 1);
    char text[LONGEST];
    size_t count = 0;
    snprintf(text, sizeof text, "%.*s", (int)smaller(strcspn(name, "="), LONGEST - 1), name);
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (serves(&cli_options[i], command)) names[count++] = cli_options[i].name;
    const char *near = cli_suggest(text, count, names);
    if (near)
        return cli_wrong_usage(command, "there is no option \"%s\"; did you mean \"--%s\"?", word, near);
    return cli_wrong_usage(command, "there is no option \"%s\"; \"orff %s --help\" lists them", word,
                           command->name);
}

/* ---- parsing */

static void keep(cli_arguments *a, const cli_option *option, const char *value) {
    const size_t id = (size_t)(option - cli_options);
    a->given[id].values = cli_more(a->given[id].values, (size_t)a->given[id].count + 1, sizeof(char *));
    a->given[id].values[a->given[id].count++] = value;
}

/* The option that starts at words[at]; *at moves on when its value is the next word. */
static int take_option(cli_arguments *a, int count, char **words, int *at) {
    const char *word = words[*at], *value = NULL;
    const bool longer = word[1] == '-';
    const cli_option *option;
    if (longer) {
        const size_t length = strcspn(word + 2, "=");
        option = by_name(a->command, word + 2, length);
        if (word[2 + length]) value = word + 2 + length + 1;
    } else {
        option = by_letter(a->command, word[1]);
        if (word[2]) value = word + 2;
    }
    if (!option || (!longer && value && !option->argument)) return unknown(a->command, word);
    if (!option->argument && value)
        return cli_wrong_usage(a->command, "--%s takes no value, but \"%s\" was given", option->name, value);
    if (option->argument && !value) {
        if (*at + 1 >= count)
            return cli_wrong_usage(a->command, "--%s needs a value: %s", option->name, option->argument);
        value = words[++*at];
    }
    keep(a, option, value ? value : "");
    return CLI_DONE;
}

static int check_operands(const cli_arguments *a) {
    const cli_command *command = a->command;
    if (cli_given(a, CLI_OPT_HELP) || cli_given(a, CLI_OPT_VERSION)) return CLI_DONE;
    if ((size_t)a->n_words < command->least)
        return cli_wrong_usage(command, "too few operands; usage: orff %s %s", command->name, command->usage);
    if ((size_t)a->n_words > command->most)
        return cli_wrong_usage(command, "\"%s\" is one operand too many; usage: orff %s %s",
                               a->words[command->most], command->name, command->usage);
    return CLI_DONE;
}

int cli_arguments_parse(cli_arguments *a, const cli_command *command, int count, char **words) {
    *a = (cli_arguments){.command = command};
    a->words = cli_more(NULL, (size_t)count + 1, sizeof(char *));
    bool only_words = false;
    for (int i = 0; i < count; i++) {
        if (only_words || words[i][0] != '-' || !words[i][1]) {
            a->words[a->n_words++] = words[i];
        } else if (!strcmp(words[i], "--")) {
            only_words = true;
        } else {
            const int status = take_option(a, count, words, &i);
            if (status) return status;
        }
    }
    return check_operands(a);
}

void cli_arguments_clear(cli_arguments *a) {
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) free(a->given[i].values);
    free(a->words);
    *a = (cli_arguments){0};
}

/* ---- values */

bool cli_given(const cli_arguments *a, cli_option_id id) {
    return a->given[id].count > 0;
}

const char *cli_text(const cli_arguments *a, cli_option_id id) {
    return cli_given(a, id) ? a->given[id].values[a->given[id].count - 1] : cli_options[id].fallback;
}

const char *cli_scan_number(const char *text, const char *stop, double *value) {
    const char *end = fmt_number_scan(text, value);
    return end && isfinite(*value) && (!*end || strchr(stop, *end)) ? end : NULL;
}

int cli_number(const cli_arguments *a, cli_option_id id, double least, double most, double *value) {
    const char *text = cli_text(a, id);
    double number;
    if (!text) return CLI_DONE;
    if (!cli_scan_number(text, "", &number)) return cli_wrong(a, id, "\"%s\" is not a number", text);
    if (number < least || number > most)
        return cli_wrong(a, id, "%s is out of range; expected %g to %g", text, least, most);
    *value = number;
    return CLI_DONE;
}

int cli_whole(const cli_arguments *a, cli_option_id id, uint64_t least, uint64_t most, uint64_t *value) {
    const char *text = cli_text(a, id);
    char *end;
    if (!text) return CLI_DONE;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end) return cli_wrong(a, id, "\"%s\" is not a whole number", text);
    if (errno || number < least || number > most)
        return cli_wrong(a, id, "%s is out of range; expected %" PRIu64 " to %" PRIu64, text, least, most);
    *value = number;
    return CLI_DONE;
}

int cli_size(const cli_arguments *a, cli_option_id id, size_t least, size_t most, size_t *value) {
    uint64_t number = *value;
    const int status = cli_whole(a, id, least, most, &number);
    *value = (size_t)number;
    return status;
}

int cli_yes_no(const cli_arguments *a, cli_option_id id, bool *value) {
    const char *text = cli_text(a, id);
    if (!text) return CLI_DONE;
    if (strcmp(text, "yes") && strcmp(text, "no"))
        return cli_wrong(a, id, "\"%s\" is neither yes nor no", text);
    *value = !strcmp(text, "yes");
    return CLI_DONE;
}
