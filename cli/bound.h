/* orff bound: the question and its output. */
#ifndef CLI_BOUND_H
#define CLI_BOUND_H

#include "options.h"
#include "orff.h"
#include "settings.h"

typedef struct cli_bound_measurement {
    bool there;
    size_t features;
    const char *scheme;
    orff_measured value;
} cli_bound_measurement;

typedef struct cli_bound_task {
    const cli_arguments *arguments;
    size_t d, p, repeats;
    cli_settings spec;
    orff_sampling sampling;
    orff_bound_question question;
    orff_bound_report report;
    /* Iid without importance, which the bounds are about; and as fit would draw. */
    cli_bound_measurement measured[2];
} cli_bound_task;

/* Both return an exit status. */
int cli_bound_print_text(const cli_bound_task *task);
int cli_bound_print_json(const cli_bound_task *task);

#endif
