/* The one table of options: what is parsed, what --help, the manual pages and the completion of bash show. */
#ifndef ORFF_CLI_OPTIONS_H
#define ORFF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- commands */

typedef struct orff_arguments orff_arguments;

typedef struct orff_command {
    const char *name, *summary;
    const char *usage;                           /* the operands: "DATA -o MODEL" */
    const char *text;                            /* paragraphs for --help and the manual */
    const char *example;                         /* lines that work as they stand */
    size_t least, most;                          /* operands */
    unsigned bit;                                /* its place in the sets of the table below */
    int (*run)(const orff_arguments *arguments); /* returns the exit status */
} orff_command;

extern const orff_command *const orff_commands[]; /* ends with NULL */

enum {
    ORFF_FIT_BIT = 1u << 0,
    ORFF_PREDICT_BIT = 1u << 1,
    ORFF_EVALUATE_BIT = 1u << 2,
    ORFF_TUNE_BIT = 1u << 3,
    ORFF_INFO_BIT = 1u << 4,
    ORFF_KERNEL_BIT = 1u << 5,
    ORFF_MOMENTS_BIT = 1u << 6,
    ORFF_MERGE_BIT = 1u << 7,
    ORFF_PLAN_BIT = 1u << 8,
    ORFF_PLOT_BIT = 1u << 9,
    ORFF_BOUND_BIT = 1u << 10,
    ORFF_EXACT_BIT = 1u << 11,
};

/* ---------------------------------------------------------------- options */

/* The argument tells the completion what to offer: words between bars, or a file for FILE. */
typedef struct orff_option {
    const char *name;     /* without the dashes */
    char letter;          /* 0: none */
    const char *argument; /* NULL: a switch */
    const char *fallback; /* what stands when it is not given; NULL: nothing to show */
    unsigned commands;
    const char *group, *help;
} orff_option;

/* clang-format off */
typedef enum orff_option_id {
    ORFF_OPT_OUTPUT, ORFF_OPT_INPUTS, ORFF_OPT_OUTPUTS, ORFF_OPT_WEIGHTS, ORFF_OPT_SELECT,
    ORFF_OPT_SKIP_MISSING, ORFF_OPT_GEO, ORFF_OPT_COVARIATES, ORFF_OPT_MEMORY, ORFF_OPT_KERNEL,
    ORFF_OPT_WEIGHT, ORFF_OPT_MIX, ORFF_OPT_BASE, ORFF_OPT_SIGMA, ORFF_OPT_OUTPUT_MATRIX, ORFF_OPT_CLASSIFY,
    ORFF_OPT_FEATURES, ORFF_OPT_SAMPLING, ORFF_OPT_SEED, ORFF_OPT_PRECISION, ORFF_OPT_LAMBDA,
    ORFF_OPT_LAMBDA_GRID, ORFF_OPT_FOLDS, ORFF_OPT_LOSS, ORFF_OPT_LOSS_PARAMETER, ORFF_OPT_SOLVER,
    ORFF_OPT_TOLERANCE, ORFF_OPT_ITERATIONS, ORFF_OPT_CENTER, ORFF_OPT_SCALE_INPUTS, ORFF_OPT_SCALE_OUTPUTS,
    ORFF_OPT_FROM_MOMENTS, ORFF_OPT_CHECKPOINT, ORFF_OPT_CHECKPOINT_ROWS, ORFF_OPT_RESUME,
    ORFF_OPT_POSTERIOR, ORFF_OPT_COMPACT, ORFF_OPT_REPORT, ORFF_OPT_STD, ORFF_OPT_DERIVE, ORFF_OPT_ON_GRID,
    ORFF_OPT_BARE, ORFF_OPT_SUBTRACT, ORFF_OPT_POINT_X, ORFF_OPT_POINT_Z, ORFF_OPT_PLAN_ROWS,
    ORFF_OPT_PLAN_INPUTS, ORFF_OPT_PLAN_OUTPUTS, ORFF_OPT_DIAMETER, ORFF_OPT_EPSILON,
    ORFF_OPT_RELATIVE, ORFF_OPT_PROBABILITY, ORFF_OPT_EMPIRICAL, ORFF_OPT_WHAT, ORFF_OPT_POINTS, ORFF_OPT_EVERYWHERE, ORFF_OPT_KEEP,
    ORFF_OPT_SIZE, ORFF_OPT_ARROWS, ORFF_OPT_THREADS, ORFF_OPT_QUIET, ORFF_OPT_JSON, ORFF_OPT_HELP,
    ORFF_OPT_VERSION, ORFF_OPTION_COUNT
} orff_option_id;
/* clang-format on */

extern const orff_option orff_options[ORFF_OPTION_COUNT];

/* ---------------------------------------------------------------- what was given */

struct orff_arguments {
    const orff_command *command;
    int n_words;
    const char **words; /* operands, in order */
    struct {
        int count;
        const char **values; /* in order; "" for a switch */
    } given[ORFF_OPTION_COUNT];
};

/* Exit statuses; 128 + 2 is what a shell gives for an interrupt. */
enum { ORFF_DONE = 0, ORFF_FAILED = 1, ORFF_USAGE = 2, ORFF_INTERRUPTED = 130 };

/* Sorts the words after the command's name. Returns an exit status; a wrong usage has been told. */
int orff_arguments_parse(orff_arguments *arguments, const orff_command *command, int count, char **words);
void orff_arguments_clear(orff_arguments *arguments);

/* The last value given, else the table's fallback. */
const char *orff_text(const orff_arguments *arguments, orff_option_id id);
bool orff_given(const orff_arguments *arguments, orff_option_id id);

/* Values checked; the message names the option, what was found and what is expected. They return an exit
 * status and leave the value untouched when there is none. */
int orff_number(const orff_arguments *arguments, orff_option_id id, double least, double most, double *value);
int orff_whole(const orff_arguments *arguments, orff_option_id id, uint64_t least, uint64_t most,
               uint64_t *value);
int orff_size(const orff_arguments *arguments, orff_option_id id, size_t least, size_t most, size_t *value);
int orff_yes_no(const orff_arguments *arguments, orff_option_id id, bool *value);

/* Prints "orff fit: --sigma: ..." and returns ORFF_USAGE. */
int orff_wrong(const orff_arguments *arguments, orff_option_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int orff_wrong_usage(const orff_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name most like a given one, NULL where none is near. */
const char *orff_suggest(const char *name, size_t count, const char *const *names);

/* A finite number that fills the text up to one of the characters in `stop` (or its end); returns where, or
 * NULL. */
const char *orff_scan_number(const char *text, const char *stop, double *value);

/* ---------------------------------------------------------------- help.c */

void orff_print_overview(void);
void orff_print_help(const orff_command *command);
void orff_print_manual(const orff_command *command); /* NULL: of the program */
void orff_print_completion(void);

#endif
