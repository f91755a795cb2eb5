#include "program.h"

#include <stdio.h>
#include <string.h>

#include "files.h"
#include "report.h"

static const cli_command *find(const char *name) {
    for (size_t i = 0; cli_commands[i]; i++)
        if (!strcmp(cli_commands[i]->name, name)) return cli_commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[32];
    size_t count = 0;
    for (; cli_commands[count]; count++) names[count] = cli_commands[count]->name;
    names[count] = "help";
    const char *near = cli_suggest(name, count + 1, names);
    if (near) {
        cli_failed("there is no command \"%s\"; did you mean \"%s\"?", name, near);
    } else {
        cli_failed("there is no command \"%s\"; \"orff help\" lists them", name);
    }
    return CLI_USAGE;
}

static int print_version(void) {
    cli_print_line("orff %s", orff_version());
    cli_print_line("%s", orff_build_info());
    return cli_check_stdout();
}

static int completion(const char *shell) {
    if (cli_print_completion(shell)) return cli_check_stdout();
    cli_failed("there is no completion for \"%s\": expected bash, zsh or fish", shell);
    return CLI_USAGE;
}

/* orff help [COMMAND], and what the installation uses: help --man [COMMAND], help --completion [SHELL],
 * and help --settings, the page docs/settings.md. */
static int help(int count, char **words) {
    const bool manual = count > 0 && !strcmp(words[0], "--man");
    if (count > 0 && !strcmp(words[0], "--completion")) return completion(count > 1 ? words[1] : "bash");
    if (count > 0 && !strcmp(words[0], "--settings")) {
        cli_print_settings();
        return cli_check_stdout();
    }
    count -= manual;
    words += manual;
    const bool overview = count == 0 || !strcmp(words[0], "help");
    const cli_command *command = overview ? NULL : find(words[0]);
    if (!overview && !command) return unknown(words[0]);
    if (manual) {
        cli_print_manual(command);
    } else if (command) {
        cli_print_help(command);
    } else {
        cli_print_overview();
    }
    return cli_check_stdout();
}

static int run(const cli_command *command, int count, char **words, int (*agree)(int)) {
    cli_arguments arguments;
    int status = cli_arguments_parse(&arguments, command, count, words);
    if (!status && cli_given(&arguments, CLI_OPT_HELP)) {
        cli_print_help(command);
        status = cli_check_stdout();
    } else if (!status && cli_given(&arguments, CLI_OPT_VERSION)) {
        status = print_version();
    } else if (!status) {
        status = cli_report_begin(&arguments);
        if (!status) status = cli_files_check(&arguments);
        if (agree) status = agree(status);
        if (!status) status = command->run(&arguments);
        cli_progress_clear();
    }
    cli_arguments_clear(&arguments);
    return status;
}

int cli_program(int count, char **words, int (*agree)(int)) {
    if (count < 2) {
        cli_print_overview();
        return cli_check_stdout() ? CLI_FAILED : CLI_USAGE;
    }
    const char *name = words[1];
    if (!strcmp(name, "--version") || !strcmp(name, "version")) return print_version();
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return help(count - 2, words + 2);
    const cli_command *command = find(name);
    return command ? run(command, count - 2, words + 2, agree) : unknown(name);
}
