/* --help, manual pages and the page of settings, all made from the tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "orff.h"

#define WIDTH 92

/* Prints the words of a text, starting in column `at`, in lines that begin in column `indent`. */
static void wrap(const char *text, size_t indent, size_t at) {
    for (const char *word = text; *word;) {
        const size_t length = strcspn(word, " \n");
        if (at > indent && at + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)length, word);
        at += length;
        word += length;
        if (*word == '\n') {
            printf("\n%*s", (int)indent, "");
            at = indent;
        }
        word += *word != 0;
    }
    putchar('\n');
}

void cli_print_overview(void) {
    puts("orff learns vector-valued functions with operator-valued kernels.\n\nusage: orff COMMAND ...\n");
    for (size_t i = 0; cli_commands[i]; i++)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    puts("  help       show the help of one command: orff help fit\n\n"
         "DATA is a table (.csv, .tsv, also .gz; - is standard input), two array files X Y (.npy, IDX), or a "
         "NetCDF file.\n"
         "orff COMMAND --help lists the options of a command, orff --version the version and libraries.");
}

static void print_option(const cli_option *option) {
    const size_t indent = 8;
    printf("  ");
    if (option->letter) printf("-%c, ", option->letter);
    printf("--%s", option->name);
    if (option->argument) printf(" %s", option->argument);
    printf("\n%*s", (int)indent, "");
    char text[1024];
    snprintf(text, sizeof text, option->fallback ? "%s (default %s)" : "%s", option->help, option->fallback);
    wrap(text, indent, indent);
}

/* Prints the options of a command that belong to one group, under its name. */
static void print_group(const cli_command *command, const char *group) {
    bool any = false;
    for (cli_option_id i = 0; cli_option_at(i); i++) {
        if (!cli_serves(i, command) || strcmp(cli_option_at(i)->group, group)) continue;
        if (!any) printf("\n%s\n", group);
        print_option(cli_option_at(i));
        any = true;
    }
}

/* Whether an option before this one belongs to the same group. */
static bool group_is_printed(cli_option_id id) {
    cli_option_id i = 0;
    while (i < id && strcmp(cli_option_at(i)->group, cli_option_at(id)->group)) i++;
    return i < id;
}

/* Groups are printed in the order of the table, the one common to all commands last. */
void cli_print_help(const cli_command *command) {
    const char *last = cli_option_at(CLI_OPT_HELP)->group;
    printf("orff %s: %s\n\nusage: orff %s %s [options]\n\n", command->name, command->summary, command->name,
           command->usage);
    wrap(command->text, 0, 0);
    printf("\nexample:\n%s", command->example);
    for (cli_option_id i = 0; cli_option_at(i); i++)
        if (!group_is_printed(i) && strcmp(cli_option_at(i)->group, last))
            print_group(command, cli_option_at(i)->group);
    print_group(command, last);
}

/* ---- manual pages (man 7 man) */

/* Escapes what troff would read as a command. */
static void troff(const char *text) {
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else {
            putchar(*text);
        }
        start = *text == '\n';
    }
    putchar('\n');
}

static void manual_option(const cli_option *option) {
    printf(".TP\n.B ");
    if (option->letter) printf("\\-%c\\fR, \\fB", option->letter);
    printf("\\-\\-");
    for (const char *at = option->name; *at; at++) printf(*at == '-' ? "\\-" : "%c", *at);
    if (option->argument) printf("\\fR \\fI%s", option->argument);
    puts("\\fR");
    troff(option->help);
    if (option->fallback) printf("(default %s)\n", option->fallback);
}

static void manual_program(void) {
    printf(".TH ORFF 1 \"\" \"orff %s\"\n.SH NAME\norff \\- learn vector\\-valued functions with "
           "operator\\-valued kernels\n",
           orff_version());
    puts(".SH SYNOPSIS\n.B orff\n.I COMMAND\n[options]\n.SH COMMANDS");
    for (size_t i = 0; cli_commands[i]; i++) {
        printf(".TP\n.BR orff\\-%s (1)\n", cli_commands[i]->name);
        troff(cli_commands[i]->summary);
    }
    puts(".SH EXIT STATUS\n0: done. 1: failed. 2: wrong usage. 130: interrupted.");
}

void cli_print_manual(const cli_command *command) {
    if (!command) {
        manual_program();
        return;
    }
    fputs(".TH ORFF\\-", stdout);
    for (const char *at = command->name; *at; at++) putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"orff %s\"\n.SH NAME\norff\\-%s \\- ", orff_version(), command->name);
    troff(command->summary);
    printf(".SH SYNOPSIS\n.B orff %s\n", command->name);
    troff(command->usage);
    puts("[options]\n.SH DESCRIPTION");
    troff(command->text);
    puts(".SH OPTIONS");
    for (cli_option_id i = 0; cli_option_at(i); i++)
        if (cli_serves(i, command)) manual_option(cli_option_at(i));
    puts(".SH EXAMPLE\n.nf");
    troff(command->example);
    puts(".fi\n.SH SEE ALSO\n.BR orff (1)");
}

/* ---- the page of settings, in Markdown */

/* A cell of a table, in which bars are escaped. */
static void put_cell(const char *text) {
    for (; *text; text++) printf(*text == '|' ? "\\|" : "%c", *text);
}

/* "0 to 1"; the limits of 64-bit counters are not mentioned. */
static void put_range(const orff_setting *s) {
    printf("%s, %.9g", s->kind == ORFF_SETTING_WHOLE ? "whole number" : "number", s->least);
    if (s->kind == ORFF_SETTING_WHOLE && s->most > 9e18)
        fputs(" or more", stdout);
    else
        printf(" to %.9g", s->most);
}

/* A range, or the names. */
static void put_values(const orff_setting *s, const cli_option *option) {
    if (s->kind == ORFF_SETTING_NUMBER || s->kind == ORFF_SETTING_WHOLE) {
        put_range(s);
        if (s->automatic) fputs(", or `auto`", stdout);
    } else {
        putchar('`');
        put_cell(option->argument);
        putchar('`');
    }
    if (*s->unit) printf("; in %s", s->unit);
}

static void put_commands(const orff_setting *s) {
    const char *before = "";
    for (size_t i = 0; cli_commands[i]; i++) {
        if (!(s->uses & cli_commands[i]->uses)) continue;
        printf("%s%s", before, cli_commands[i]->name);
        before = ", ";
    }
}

void cli_print_settings(void) {
    const char *group = "";
    puts("# Settings\n\n"
         "This page lists every setting. The same names are options of the program (`--lambda-grid`), "
         "parameters of the\n"
         "Python estimators (`lambda_grid`, but `lambda_` for `lambda`) and names for `orff_options_set` in "
         "C. The page is\n"
         "printed by `orff help --settings` from the table in `src/model/settings.c`.");
    for (size_t i = 0; orff_setting_at(i); i++) {
        const orff_setting *s = orff_setting_at(i);
        if (strcmp(group, s->group))
            printf("\n## %s\n\n| setting | default | values | commands | what it does "
                   "|\n|---|---|---|---|---|\n",
                   s->group);
        group = s->group;
        printf("| `%s` | %s%s%s | ", s->name, s->fallback ? "`" : "", s->fallback ? s->fallback : "",
               s->fallback ? "`" : "");
        put_values(s, cli_option_at(CLI_OWN_OPTIONS + i));
        printf(" | ");
        put_commands(s);
        printf(" | ");
        put_cell(s->help);
        puts(" |");
    }
}
