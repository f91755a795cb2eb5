/* A model file at work: the library's calls with exit statuses. */
#ifndef CLI_APPLY_H
#define CLI_APPLY_H

#include <jansson.h>

#include "orff.h"

typedef struct cli_applied {
    orff_model *model;
    orff_notes *notes;
    orff_model_info info;
    size_t p; /* values of a prediction: outputs, or the codes of classes */
} cli_applied;

/* Returns an exit status, after a message; must be cleared in any case. */
int cli_applied_load(cli_applied *applied, const char *path);
void cli_applied_clear(cli_applied *applied);

/* Whether two outputs are drawn as a vector: they are one, or may be, over a space of two inputs. */
bool cli_applied_is_flow(const cli_applied *applied);

/* F: n x p. */
int cli_applied_predict(const cli_applied *applied, size_t n, const double *X, double *F);

/* Standard deviations (n x p) of the field, or of a new measurement. */
int cli_applied_std(const cli_applied *applied, bool with_noise, size_t n, const double *X, double *S);

/* Derived fields by name. */
typedef struct cli_derived {
    const char *name;
    size_t (*width)(size_t d, size_t p); /* values a row; 0: not for these sizes */
    orff_field field;
} cli_derived;

extern const cli_derived cli_derived_fields[]; /* ends with a name of NULL */
const cli_derived *cli_derived_find(const char *name);

/* n x width. Derivatives are with respect to the plane's km where there is one. */
int cli_applied_derive(const cli_applied *applied, const cli_derived *field, size_t n, const double *X,
                       double *values);

/* How the rows of predict are written where several processes share them; NULL: all are this process's. Each may write its own
 * rows into their place of one file, or all go in turns, and the first process writes what comes together. Calls return
 * exit statuses; those with "all" in their comment are made by all processes, and agreed upon. */
struct cli_data;
typedef struct cli_predict_sharing {
    int (*agree)(int status);                                       /* all: one status of many */
    uint64_t (*sum)(uint64_t mine);                                 /* all */
    bool (*first)(void);                                            /* the process that speaks */
    int (*write)(size_t rows, size_t columns, const double *cells); /* the next rows of ours */

    bool (*in_place)(const char *path); /* each its own rows: */
    void (*divide)(uint64_t rows, uint64_t *first,
                   uint64_t *last);                      /* of a grid: first .. last - 1 are ours */
    int (*count)(struct cli_data *data, uint64_t *rows); /* of DATA; it is read from the start again */
    int (*open)(const char *path, uint64_t rows, size_t columns); /* all: so many rows are ours */
    int (*finish)(int status); /* all: the file has its name, or there is none */

    /* In turns: our rows of the next one, first .. last - 1 of a grid of so many, or those that DATA now begins with; there may
     * be none. false: all turns are over. */
    bool (*turn)(struct cli_data *data, uint64_t rows, uint64_t *first, uint64_t *last);
    /* all: the rows that were written in this turn are put, in their order, on the first process. status: ours so far. */
    int (*gather)(int status, int (*put)(void *self, size_t rows, const double *cells), void *self,
                  size_t columns);
} cli_predict_sharing;
extern const cli_predict_sharing *cli_predict_shared;

/* Predictions, or posterior samples, at points: the commands predict and sample. */
struct cli_arguments;
int cli_predict(const struct cli_arguments *arguments, bool samples);

#endif
