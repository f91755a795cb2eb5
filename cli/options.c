/* Parses the command line, using the tables of options. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orff.h"
#include "report.h"

/* ---- the table */

/* "decomposable|curl-free|..|auto", or the form ("TREND|INPUTS": one of the names, or INPUTS); a matrix
 * comes from a file. */
static const char *argument_of(const orff_setting *setting) {
    cli_string text = {0};
    for (size_t i = 0; setting->names && setting->names()[i]; i++)
        cli_append(&text, "%s%s", text.length ? "|" : "", setting->names()[i]);
    for (const char *at = setting->names ? "" : setting->form; *at;) {
        const bool matrix = !strncmp(at, "MATRIX", 6);
        cli_append(&text, matrix ? "FILE" : "%c", *at);
        at += matrix ? 6 : 1;
    }
    const char *others = setting->names && setting->form ? strchr(setting->form, '|') : NULL;
    if (others) cli_append(&text, "%s", others);
    if (setting->automatic) cli_append(&text, "|auto");
    return text.text; /* never freed */
}

/* Made at the first call, while the program has one thread. */
static const cli_option *settings_as_options(void) {
    static cli_option table[CLI_MOST_SETTINGS];
    const bool made = table[0].name;
    for (size_t i = 0; !made && i < CLI_MOST_SETTINGS && orff_setting_at(i); i++) {
        const orff_setting *s = orff_setting_at(i);
        table[i] = (cli_option){.name = s->name,
                                .argument = argument_of(s),
                                .fallback = s->fallback,
                                .group = s->group,
                                .help = s->help};
    }
    return table;
}

const cli_option *cli_option_at(cli_option_id id) {
    if (id < CLI_OWN_OPTIONS) return &cli_own_options[id];
    if (id >= CLI_MOST_OPTIONS || !orff_setting_at(id - CLI_OWN_OPTIONS)) return NULL;
    return &settings_as_options()[id - CLI_OWN_OPTIONS];
}

cli_option_id cli_setting(const char *name) {
    size_t i = 0;
    while (orff_setting_at(i) && strcmp(orff_setting_at(i)->name, name)) i++;
    return CLI_OWN_OPTIONS + i;
}

bool cli_serves(cli_option_id id, const cli_command *command) {
    if (id < CLI_OWN_OPTIONS) return cli_own_options[id].commands & command->bit;
    return orff_setting_at(id - CLI_OWN_OPTIONS)->uses & command->uses;
}

/* Whether a setting is a switch: yes or no, with default no. */
static bool is_switch(cli_option_id id) {
    const orff_setting *s = id < CLI_OWN_OPTIONS ? NULL : orff_setting_at(id - CLI_OWN_OPTIONS);
    return s && s->kind == ORFF_SETTING_NAME && !strcmp(s->fallback, "no");
}

/* ---- similar names */

const char *cli_suggest(const char *name, size_t count, const char *const *names) {
    const char **list = cli_more(NULL, count + 1, sizeof *list);
    memcpy(list, names, count * sizeof *list);
    list[count] = NULL;
    const char *near = orff_text_nearest(name, list);
    free(list);
    return near;
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
    snprintf(before, sizeof before, "orff %s: --%s: ", arguments->command->name, cli_option_at(id)->name);
    va_start(list, format);
    cli_complain(before, format, list);
    va_end(list);
    return CLI_USAGE;
}

/* ---- finding options */

/* Finds an option of a command by the first `length` letters of `name`. */
static bool by_name(const cli_command *command, const char *name, size_t length, cli_option_id *found) {
    for (cli_option_id id = 0; cli_option_at(id); id++) {
        const cli_option *option = cli_option_at(id);
        if (!cli_serves(id, command) || strlen(option->name) != length || strncmp(option->name, name, length))
            continue;
        *found = id;
        return true;
    }
    return false;
}

static bool by_letter(const cli_command *command, char letter, cli_option_id *found) {
    for (cli_option_id id = 0; cli_option_at(id); id++) {
        if (cli_option_at(id)->letter != letter || !cli_serves(id, command)) continue;
        *found = id;
        return true;
    }
    return false;
}

/* Whether the command is orff-mpi fit, and only orff fit has the option. */
static bool is_of_one_machine(const cli_command *command, const char *name) {
    const cli_command fit = {.bit = CLI_BIT(fit)};
    cli_option_id id;
    return command->bit & CLI_RANKS && by_name(&fit, name, strlen(name), &id);
}

static int unknown(const cli_command *command, const char *word) {
    const char *names[CLI_MOST_OPTIONS] = {NULL}, *name = word + (word[1] == '-' ? 2 : 1);
    char text[64];
    size_t count = 0;
    snprintf(text, sizeof text, "%.*s", (int)(strcspn(name, "=") < 60 ? strcspn(name, "=") : 60), name);
    if (is_of_one_machine(command, text))
        return cli_wrong_usage(
            command,
            "--%s is not available under mpirun; run orff %s without mpirun, on fewer rows "
            "if they are too many for one machine",
            text, command->name);
    for (cli_option_id id = 0; cli_option_at(id); id++)
        if (cli_serves(id, command)) names[count++] = cli_option_at(id)->name;
    const char *near = cli_suggest(text, count, names);
    if (near)
        return cli_wrong_usage(command, "there is no option \"%s\"; did you mean \"--%s\"?", word, near);
    return cli_wrong_usage(command, "there is no option \"%s\"; \"orff %s --help\" lists them", word,
                           command->name);
}

/* ---- parsing */

static void keep(cli_arguments *a, cli_option_id id, const char *value) {
    a->given[id].values = cli_more(a->given[id].values, (size_t)a->given[id].count + 1, sizeof(char *));
    a->given[id].values[a->given[id].count++] = value;
}

/* Whether the value of a switch is left out. */
static bool leaves_out_value(cli_option_id id, const char *next) {
    return is_switch(id) && !(next && (!strcmp(next, "yes") || !strcmp(next, "no")));
}

/* Reads the option at words[at]; advances *at if its value is the next word. */
static int read_option(cli_arguments *a, int count, char **words, int *at) {
    const char *word = words[*at], *value = NULL, *next = *at + 1 < count ? words[*at + 1] : NULL;
    const bool longer = word[1] == '-';
    cli_option_id id = 0;
    const size_t length = longer ? strcspn(word + 2, "=") : 0;
    const bool found =
        longer ? by_name(a->command, word + 2, length, &id) : by_letter(a->command, word[1], &id);
    if (longer && word[2 + length]) value = word + 2 + length + 1;
    if (!longer && word[2]) value = word + 2;
    const cli_option *option = found ? cli_option_at(id) : NULL;
    if (!option || (!longer && value && !option->argument)) return unknown(a->command, word);
    if (!option->argument && value)
        return cli_wrong_usage(a->command, "--%s takes no value, but \"%s\" was given", option->name, value);
    if (!value && leaves_out_value(id, next)) value = "yes";
    if (option->argument && !value) {
        if (!next)
            return cli_wrong_usage(a->command, "--%s needs a value: %s", option->name, option->argument);
        value = words[++*at];
    }
    keep(a, id, value ? value : "");
    return CLI_DONE;
}

static int check_operands(const cli_arguments *a) {
    const cli_command *command = a->command;
    if (cli_given(a, CLI_OPT_HELP) || cli_given(a, CLI_OPT_VERSION)) return CLI_DONE;
    if ((size_t)a->n_words < command->least)
        return cli_wrong_usage(command, "too few arguments; usage: orff %s %s", command->name,
                               command->usage);
    if ((size_t)a->n_words > command->most)
        return cli_wrong_usage(command, "\"%s\" is one argument too many; usage: orff %s %s",
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
            const int status = read_option(a, count, words, &i);
            if (status) return status;
        }
    }
    return check_operands(a);
}

void cli_arguments_clear(cli_arguments *a) {
    for (size_t i = 0; i < CLI_MOST_OPTIONS; i++) free(a->given[i].values);
    free(a->words);
    *a = (cli_arguments){0};
}

/* ---- values */

bool cli_given(const cli_arguments *a, cli_option_id id) {
    return a->given[id].count > 0;
}

const char *cli_text(const cli_arguments *a, cli_option_id id) {
    return cli_given(a, id) ? a->given[id].values[a->given[id].count - 1] : cli_option_at(id)->fallback;
}

const char *cli_scan_number(const char *text, const char *stop, double *value) {
    const char *end = orff_number_scan(text, value);
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

/* 200K, 512MB, 2GiB: a number with a unit, a power of 1024; MB without one. */
static bool scan_bytes(const char *text, double *bytes) {
    static const char units[] = "KMGT";
    const char *end = orff_number_scan(text, bytes), *unit;
    if (!end || !(*bytes >= 0.0)) return false;
    if (!*end) {
        *bytes *= 1048576.0;
        return true;
    }
    unit = strchr(units, toupper((unsigned char)*end));
    if (!unit) return false;
    *bytes *= pow(1024.0, (double)(unit - units) + 1.0);
    if (*++end == 'i' && end[1]) end++;
    return !*end || ((*end == 'B' || *end == 'b') && !end[1]);
}

int cli_bytes(const cli_arguments *a, cli_option_id id, size_t *value) {
    const char *text = cli_text(a, id);
    double bytes;
    if (!text) return CLI_DONE;
    if (!scan_bytes(text, &bytes))
        return cli_wrong(
            a, id, "\"%s\" is not a size; expected a number of MB, or one with a unit: 200K, 512M, 2G", text);
    if (bytes >= 0.5 * (double)SIZE_MAX) return cli_wrong(a, id, "%s is out of range", text);
    *value = (size_t)bytes;
    return CLI_DONE;
}
