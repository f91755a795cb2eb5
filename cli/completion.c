/* Completion for bash, zsh and fish, made from the tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

/* ---- what can complete an option's argument */

static bool offers_files(const cli_option *option) {
    return option->argument && strstr(option->argument, "FILE");
}

/* Whether a word is to be typed as it is: capitals are placeholders. */
static bool is_literal(const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (isupper((unsigned char)word[i])) return false;
    return length > 0;
}

/* Whether the argument consists of words between bars, at least one of which is to be typed as it is. */
static bool offers_words(const cli_option *option) {
    const char *at = option->argument;
    if (!at || !strchr(at, '|')) return false;
    for (; *at; at += at[strcspn(at, "|")] ? strcspn(at, "|") + 1 : strcspn(at, "|"))
        if (is_literal(at, strcspn(at, "|"))) return true;
    return false;
}

/* Prints these words, separated by blanks. */
static void put_words(const cli_option *option) {
    const char *before = "";
    for (const char *at = option->argument; *at;) {
        const size_t length = strcspn(at, "|");
        if (is_literal(at, length)) {
            printf("%s%.*s", before, (int)length, at);
            before = " ";
        }
        at += length + (at[length] == '|');
    }
}

/* Prints the beginning: up to the end of a sentence or clause, at most a line. The text goes inside single
 * quotes; characters in `special` get a backslash. */
static void put_brief(const char *text, const char *special) {
    const size_t most = 70;
    size_t length = strcspn(text, ".:;(\n");
    if (length > most)
        for (length = most; length > 0 && text[length] != ' ';) length--;
    while (length > 0 && strchr(" ,", text[length - 1])) length--;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            fputs("'\\''", stdout);
        } else {
            if (strchr(special, text[i])) putchar('\\');
            putchar(text[i]);
        }
    }
}

/* ---- bash */

static void bash_value(const cli_option *option) {
    if (offers_files(option)) {
        printf("        --%s) COMPREPLY=($(compgen -f -- \"$word\")", option->name);
        if (offers_words(option)) {
            fputs(" $(compgen -W '", stdout);
            put_words(option);
            fputs("' -- \"$word\")", stdout);
        }
        puts("); return ;;");
    } else if (offers_words(option)) {
        printf("        --%s) COMPREPLY=($(compgen -W '", option->name);
        put_words(option);
        puts("' -- \"$word\")); return ;;");
    }
}

static void bash_options(const cli_command *command) {
    printf("        %s) options='", command->name);
    for (cli_option_id j = 0; cli_option_at(j); j++)
        if (cli_serves(j, command)) printf(" --%s", cli_option_at(j)->name);
    puts("' ;;");
}

static void print_bash(void) {
    puts("# Completion of bash for orff.\n_orff() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=\n"
         "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        COMPREPLY=($(compgen -W 'help");
    for (size_t i = 0; cli_commands[i]; i++) printf(" %s", cli_commands[i]->name);
    puts("' -- \"$word\"))\n        return\n    fi\n    case $before in\n"
         "        -o) COMPREPLY=($(compgen -f -- \"$word\")); return ;;");
    for (cli_option_id i = 0; cli_option_at(i); i++)
        if (i != CLI_OPT_PLAN_OUTPUTS) bash_value(cli_option_at(i));
    puts("    esac\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; cli_commands[i]; i++) bash_options(cli_commands[i]);
    puts("    esac\n    case $word in\n        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
         "complete -o filenames -F _orff orff");
}

/* ---- zsh (man 1 zshcompsys, _arguments) */

static void zsh_option(const cli_option *option) {
    fputs("            ", stdout);
    if (option->letter)
        printf("'(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter, option->name);
    else
        printf("'--%s[", option->name);
    put_brief(option->help, "\\[]");
    putchar(']');
    if (option->argument) printf(":%s:", offers_files(option) ? "file" : "value");
    if (offers_files(option)) {
        fputs("_files", stdout);
    } else if (offers_words(option)) {
        putchar('(');
        put_words(option);
        putchar(')');
    } else if (option->argument) {
        putchar(' ');
    }
    puts("' \\");
}

static void zsh_command(const cli_command *command) {
    printf("    %s)\n        _arguments \\\n", command->name);
    for (cli_option_id i = 0; cli_option_at(i); i++)
        if (cli_serves(i, command)) zsh_option(cli_option_at(i));
    puts("            '*:file:_files' ;;");
}

static void print_zsh(void) {
    puts("#compdef orff\n# Completion of zsh for orff.\n_orff() {\n    local command=${words[2]}\n    local "
         "-a commands=(");
    for (size_t i = 0; cli_commands[i]; i++) {
        printf("        '%s:", cli_commands[i]->name);
        put_brief(cli_commands[i]->summary, "\\:");
        puts("'");
    }
    puts("        'help:show the help of one command')\n"
         "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    shift words\n    (( CURRENT-- ))\n    case $command in\n"
         "    help) _describe command commands ;;");
    for (size_t i = 0; cli_commands[i]; i++) zsh_command(cli_commands[i]);
    puts("    esac\n}\n\nif [ \"$funcstack[1]\" = _orff ]; then\n    _orff \"$@\"\nelse\n    compdef _orff "
         "orff\nfi");
}

/* ---- fish */

static void fish_option(const cli_option *option, cli_option_id id) {
    fputs("complete -c orff -n '__fish_seen_subcommand_from", stdout);
    for (size_t i = 0; cli_commands[i]; i++)
        if (cli_serves(id, cli_commands[i])) printf(" %s", cli_commands[i]->name);
    printf("' -l %s", option->name);
    if (option->letter) printf(" -s %c", option->letter);
    if (option->argument) fputs(offers_files(option) ? " -r -F" : " -x", stdout);
    if (offers_words(option)) {
        fputs(" -a '", stdout);
        put_words(option);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    put_brief(option->help, "\\");
    puts("'");
}

static void print_fish(void) {
    puts("# Completion of fish for orff.");
    for (size_t i = 0; cli_commands[i]; i++) {
        printf("complete -c orff -n __fish_use_subcommand -f -a %s -d '", cli_commands[i]->name);
        put_brief(cli_commands[i]->summary, "\\");
        puts("'");
    }
    puts("complete -c orff -n __fish_use_subcommand -f -a help -d 'show the help of one command'");
    for (cli_option_id i = 0; cli_option_at(i); i++) fish_option(cli_option_at(i), i);
}

/* ---- the shells */

bool cli_print_completion(const char *shell) {
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, shell)) continue;
        shells[i].print();
        return true;
    }
    return false;
}
