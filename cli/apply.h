/* A loaded model file: calls of the library that return exit statuses. */
#ifndef CLI_APPLY_H
#define CLI_APPLY_H

#include <jansson.h>

#include "orff.h"

typedef struct cli_applied {
    orff_model *model;
    orff_notes *notes;
    orff_model_info info;
    size_t p; /* numbers of a prediction: outputs, or the length of a class's code */
} cli_applied;

/* Returns an exit status, after a message; clear it in any case. */
int cli_applied_load(cli_applied *applied, const char *path);
void cli_applied_clear(cli_applied *applied);

/* Whether the two outputs are drawn as a vector: they are one, or may be one, over a space of two inputs. */
bool cli_applied_is_flow(const cli_applied *applied);

/* F: n x p. */
int cli_applied_predict(const cli_applied *applied, size_t n, const double *X, double *F);

/* Standard deviations (n x p) of the field, or of a new measurement. */
int cli_applied_std(const cli_applied *applied, bool with_noise, size_t n, const double *X, double *S);

/* Derived fields by name. */
typedef struct cli_derived {
    const char *name;
    size_t (*width)(size_t d, size_t p); /* numbers per row; 0: not for these sizes */
    orff_field field;
} cli_derived;

extern const cli_derived cli_derived_fields[]; /* ends with the name NULL */
const cli_derived *cli_derived_find(const char *name);

/* n x width. Derivatives are with respect to km of the plane if there is one. */
int cli_applied_derive(const cli_applied *applied, const cli_derived *field, size_t n, const double *X,
                       double *values);

/* How predict writes rows if several processes share them; NULL: there is one process. Either each process
 * writes its own rows to their place in one file, or all take turns, and the first process writes the rows
 * together. Functions return exit statuses. All processes must call those marked "all", which agree on the
 * result. */
struct cli_data;
typedef struct cli_predict_sharing {
    int (*agree)(int status);                                       /* all: combines the statuses into one */
    uint64_t (*sum)(uint64_t mine);                                 /* all: the sum over all processes */
    bool (*first)(void);                                            /* whether this process prints messages */
    int (*write)(size_t rows, size_t columns, const double *cells); /* the next rows of this process */

    bool (*in_place)(const char *path); /* whether each process can write its own rows: */
    void (*divide)(uint64_t rows, uint64_t *first,
                   uint64_t *last); /* of a grid: first .. last - 1 are for this process */
    /* Of DATA, which is then read from the start again. */
    int (*count)(struct cli_data *data, uint64_t *rows);
    /* all: this process will write so many rows. */
    int (*open)(const char *path, uint64_t rows, size_t columns);
    int (*finish)(int status); /* all: gives the file its name, or removes it */

    /* In turns: finds this process's rows of the next turn, first .. last - 1 of a grid of so many, or
     * those that DATA now begins with; there may be none. false: all turns are over. */
    bool (*turn)(struct cli_data *data, uint64_t rows, uint64_t *first, uint64_t *last);
    /* all: the first process puts the rows written in this turn, in their order. status: of this process
     * so far. */
    int (*gather)(int status, int (*put)(void *self, size_t rows, const double *cells), void *self,
                  size_t columns);
} cli_predict_sharing;
extern const cli_predict_sharing *cli_predict_shared;

/* Predictions, or posterior samples, at points: implements the commands predict and sample. */
struct cli_arguments;
int cli_predict(const struct cli_arguments *arguments, bool samples);

#endif
