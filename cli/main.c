/* The program orff: finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "report.h"

const orff_command *const orff_commands[] = {
    &orff_command_fit,
    &orff_command_predict,
    &orff_command_evaluate,
    &orff_command_tune,
    &orff_command_exact,
    &orff_command_info,
    &orff_command_kernel,
    &orff_command_moments,
    &orff_command_merge,
    &orff_command_plan,
    &orff_command_bound,
    &orff_command_plot,
    NULL,
};

static const orff_command *find(const char *name) {
    for (size_t i = 0; orff_commands[i]; i++)
        if (!strcmp(orff_commands[i]->name, name)) return orff_commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[32];
    size_t count = 0;
    for (; orff_commands[count]; count++) names[count] = orff_commands[count]->name;
    names[count] = "help";
    const char *near = orff_suggest(name, count + 1, names);
    if (near) {
        fprintf(stderr, "orff: there is no command \"%s\"; did you mean \"%s\"?\n", name, near);
    } else {
        fprintf(stderr, "orff: there is no command \"%s\"; \"orff help\" lists them\n", name);
    }
    return ORFF_USAGE;
}

static int print_version(void) {
    printf("orff %s\n%s\n", orff_version(), orff_build_info());
    return orff_check_stdout();
}

/* orff help [COMMAND], and what the installation makes: help --man [COMMAND], help --completion. */
static int help(int count, char **words) {
    const bool manual = count > 0 && !strcmp(words[0], "--man");
    if (count > 0 && !strcmp(words[0], "--completion")) {
        orff_print_completion();
        return orff_check_stdout();
    }
    count -= manual;
    words += manual;
    const orff_command *command = count > 0 ? find(words[0]) : NULL;
    if (count > 0 && !command) return unknown(words[0]);
    if (manual) {
        orff_print_manual(command);
    } else if (command) {
        orff_print_help(command);
    } else {
        orff_print_overview();
    }
    return orff_check_stdout();
}

static int run(const orff_command *command, int count, char **words) {
    orff_arguments arguments;
    int status = orff_arguments_parse(&arguments, command, count, words);
    if (!status && orff_given(&arguments, ORFF_OPT_HELP)) {
        orff_print_help(command);
        status = orff_check_stdout();
    } else if (!status && orff_given(&arguments, ORFF_OPT_VERSION)) {
        status = print_version();
    } else if (!status) {
        status = orff_report_begin(&arguments);
        if (!status) status = command->run(&arguments);
        orff_progress_clear();
    }
    orff_arguments_clear(&arguments);
    return status;
}

int main(int count, char **words) {
    if (count < 2) {
        orff_print_overview();
        return orff_check_stdout() ? ORFF_FAILED : ORFF_USAGE;
    }
    const char *name = words[1];
    if (!strcmp(name, "--version") || !strcmp(name, "version")) return print_version();
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return help(count - 2, words + 2);
    const orff_command *command = find(name);
    return command ? run(command, count - 2, words + 2) : unknown(name);
}
