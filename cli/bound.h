/* orff bound: what is asked and what is told. */
#ifndef ORFF_CLI_BOUND_H
#define ORFF_CLI_BOUND_H

#include "options.h"
#include "orff.h"
#include "spec.h"

typedef struct orff_bound_measurement {
    bool there;
    size_t features;
    const char *scheme;
    orff_measured value;
} orff_bound_measurement;

typedef struct orff_bound_task {
    const orff_arguments *arguments;
    size_t d, p, repeats;
    orff_spec spec;
    orff_sampling sampling;
    orff_bound_question question;
    orff_bound_report report;
    bool bounds; /* one part: the bounds apply; a sum is only measured */
    orff_bound_measurement
        measured[2]; /* iid without importance, of which the bounds speak; as fit would draw */
} orff_bound_task;

/* Both return an exit status. */
int orff_bound_tell_text(const orff_bound_task *task);
int orff_bound_tell_json(const orff_bound_task *task);

#endif
