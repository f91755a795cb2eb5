/* The options: the program's own table and the library's table of settings. They define how arguments are
 * parsed, and what --help, the manual pages and shell completions show. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- commands */

/* In the order of the help. The build makes a manual page for each. */
#define CLI_COMMAND_LIST(X) \
    X(fit)                  \
    X(predict)              \
    X(sample)               \
    X(drift)                \
    X(evaluate)             \
    X(var)                  \
    X(forecast)             \
    X(tune)                 \
    X(exact)                \
    X(info)                 \
    X(kernel)               \
    X(moments)              \
    X(merge)                \
    X(plan)                 \
    X(bound)                \
    X(plot)                 \
    X(view)

typedef struct cli_arguments cli_arguments;

typedef struct cli_command {
    const char *name, *summary;
    const char *usage;                          /* the operands: "DATA -o MODEL" */
    const char *text;                           /* paragraphs for --help and the manual */
    const char *example;                        /* lines that can be run as they are */
    size_t least, most;                         /* number of operands */
    unsigned bit;                               /* CLI_BIT(name) */
    unsigned uses;                              /* ORFF_USE_..: the library's settings that it takes */
    int (*run)(const cli_arguments *arguments); /* returns the exit status */
} cli_command;

extern const cli_command *const cli_commands[]; /* ends with NULL */

enum {
#define CLI_COMMAND_PLACE(name) CLI_PLACE_##name,
    CLI_COMMAND_LIST(CLI_COMMAND_PLACE)
#undef CLI_COMMAND_PLACE
};

/* The bit of a command in the sets of the table of options; and that of orff-mpi fit, which has its own
 * options. */
#define CLI_BIT(name) (1u << CLI_PLACE_##name)
#define CLI_RANKS     (1u << 31)

/* ---------------------------------------------------------------- options */

/* The argument defines the completion: words between bars, or files for FILE. */
typedef struct cli_option {
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* NULL: a switch */
    const char *fallback; /* value if it is not given; NULL: none to show */
    unsigned commands;    /* CLI_BIT.. of the commands that take it */
    const char *group, *help;
} cli_option;

/* The program's own options, followed by the settings of the library in the order of its table. */
typedef size_t cli_option_id;

/* clang-format off */
enum {
    CLI_OPT_OUTPUT, CLI_OPT_INPUTS, CLI_OPT_OUTPUTS, CLI_OPT_WEIGHTS, CLI_OPT_GROUPS, CLI_OPT_MISSING_OUTPUTS,
    CLI_OPT_DIRECTION, CLI_OPT_DIRECTION_FROM, CLI_OPT_DIRECTION_SENSE, CLI_OPT_ERRORS, CLI_OPT_NOISE_BY, CLI_OPT_GROUP_EFFECT, CLI_OPT_SELECT,
    CLI_OPT_SKIP_MISSING, CLI_OPT_NA, CLI_OPT_MEMORY, CLI_OPT_CLASSIFY,
    CLI_OPT_FROM_MOMENTS, CLI_OPT_SPREAD, CLI_OPT_COMPACT, CLI_OPT_REPORT, CLI_OPT_STD, CLI_OPT_STD_WITH_NOISE, CLI_OPT_DERIVE, CLI_OPT_ON_GRID, CLI_OPT_COAST, CLI_OPT_SAMPLES, CLI_OPT_SEED,
    CLI_OPT_MASK, CLI_OPT_FROM, CLI_OPT_HOURS, CLI_OPT_TIME, CLI_OPT_EVERY, CLI_OPT_STEP, CLI_OPT_START, CLI_OPT_MEMBERS,
    CLI_OPT_BARE, CLI_OPT_EXTENT, CLI_OPT_SIGMA_RANGE, CLI_OPT_LIKE, CLI_OPT_SUBTRACT, CLI_OPT_POINT_X, CLI_OPT_POINT_Z, CLI_OPT_PLAN_ROWS,
    CLI_OPT_PLAN_INPUTS, CLI_OPT_PLAN_OUTPUTS, CLI_OPT_DIAMETER, CLI_OPT_EPSILON,
    CLI_OPT_RELATIVE, CLI_OPT_BOUND_B, CLI_OPT_BOUND_M, CLI_OPT_SIGMA_P, CLI_OPT_PROBABILITY, CLI_OPT_EMPIRICAL, CLI_OPT_WHAT, CLI_OPT_POINTS, CLI_OPT_EVERYWHERE, CLI_OPT_KEEP,
    CLI_OPT_STYLE, CLI_OPT_TITLE, CLI_OPT_QUANTITY, CLI_OPT_STREAMLINES, CLI_OPT_ELLIPSES, CLI_OPT_HATCH, CLI_OPT_CONTOURS,
    CLI_OPT_SIZE, CLI_OPT_ARROWS, CLI_OPT_VIEW_SAMPLES, CLI_OPT_LAGS, CLI_OPT_TIME_COLUMN, CLI_OPT_CHANGES, CLI_OPT_LINKS,
    CLI_OPT_STEPS, CLI_OPT_FUTURES, CLI_OPT_PATHS, CLI_OPT_THREADS, CLI_OPT_QUIET, CLI_OPT_JSON, CLI_OPT_HELP,
    CLI_OPT_VERSION, CLI_OWN_OPTIONS,
    CLI_MOST_SETTINGS = 256, /* of the library, at most; limits cli_option_at */
    CLI_MOST_OPTIONS = CLI_OWN_OPTIONS + CLI_MOST_SETTINGS
};
/* clang-format on */

extern const cli_option cli_own_options[CLI_OWN_OPTIONS];

/* All options, own and settings: NULL after the last. */
const cli_option *cli_option_at(cli_option_id id);

/* The option for a setting of the library. */
cli_option_id cli_setting(const char *name);

bool cli_serves(cli_option_id id, const cli_command *command);

/* ---------------------------------------------------------------- parsed arguments */

struct cli_arguments {
    const cli_command *command;
    int n_words;
    const char **words; /* operands, in order */
    struct {
        int count;
        const char **values; /* in order; "" for a switch */
    } given[CLI_MOST_OPTIONS];
};

/* Exit statuses; 128 + 2 is what a shell gives for an interrupt. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

/* Parses the words after the command's name. Returns an exit status; prints a message for wrong usage. */
int cli_arguments_parse(cli_arguments *arguments, const cli_command *command, int count, char **words);
void cli_arguments_clear(cli_arguments *arguments);

/* The last value given, or the default. */
const char *cli_text(const cli_arguments *arguments, cli_option_id id);
bool cli_given(const cli_arguments *arguments, cli_option_id id);

/* Check a value; messages name the option, what was found and what is expected. They return an exit status
 * and leave the value unchanged if none was given. */
int cli_number(const cli_arguments *arguments, cli_option_id id, double least, double most, double *value);
int cli_whole(const cli_arguments *arguments, cli_option_id id, uint64_t least, uint64_t most,
              uint64_t *value);
int cli_size(const cli_arguments *arguments, cli_option_id id, size_t least, size_t most, size_t *value);

/* An amount of memory, in MB unless it has a unit. */
int cli_bytes(const cli_arguments *arguments, cli_option_id id, size_t *value);

/* Prints "orff fit: --sigma: ..." and returns CLI_USAGE. */
int cli_wrong(const cli_arguments *arguments, cli_option_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int cli_wrong_usage(const cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name most similar to a given one; NULL if none is similar. */
const char *cli_suggest(const char *name, size_t count, const char *const *names);

/* Scans a finite number that fills the text up to one of the characters in `stop` (or the end); returns
 * the position there, or NULL. */
const char *cli_scan_number(const char *text, const char *stop, double *value);

/* ---------------------------------------------------------------- help.c */

void cli_print_overview(void);
void cli_print_help(const cli_command *command);
void cli_print_manual(const cli_command *command); /* NULL: for the program */
void cli_print_settings(void);                     /* docs/settings.md */

/* ---------------------------------------------------------------- completion.c */

/* For bash, zsh or fish; false for another shell. */
bool cli_print_completion(const char *shell);

#endif
