/* A model file at work in the user's coordinates: degrees and eastward, northward where it was learned on a
 * plane. */
#ifndef ORFF_CLI_APPLY_H
#define ORFF_CLI_APPLY_H

#include <jansson.h>

#include "geo.h"
#include "orff.h"

typedef struct orff_applied {
    orff_model *model;
    json_t *notes;
    orff_model_info info;
    size_t p; /* values of a prediction: outputs, or the codes of classes */
    bool on_plane;
    orff_geo geo;
    size_t plane[2];
} orff_applied;

/* Returns an exit status, after a message; must be cleared in any case. */
int orff_applied_load(orff_applied *applied, const char *path);
void orff_applied_clear(orff_applied *applied);

/* F: n x p. */
int orff_applied_predict(const orff_applied *applied, size_t n, const double *X, double *F);

/* Standard deviations, n x p. */
int orff_applied_std(const orff_applied *applied, size_t n, const double *X, double *S);

/* Derived fields by name. */
typedef struct orff_derived {
    const char *name;
    size_t (*width)(size_t d, size_t p); /* values a row; 0: not for these sizes */
    orff_status (*compute)(const orff_model *model, size_t n, const double *X, double *values);
} orff_derived;

extern const orff_derived orff_derived_fields[]; /* ends with a name of NULL */
const orff_derived *orff_derived_find(const char *name);

/* n x width. Derivatives are with respect to the plane's km where there is one. */
int orff_applied_derive(const orff_applied *applied, const orff_derived *field, size_t n, const double *X,
                        double *values);

#endif
