#include "apply.h"

#include <string.h>

#include "notes.h"
#include "report.h"

int cli_applied_load(cli_applied *ap, const char *path) {
    *ap = (cli_applied){0};
    int status = cli_outcome(orff_model_load(&ap->model, path), NULL);
    if (!status) status = cli_notes_of_model(&ap->notes, path, ap->model);
    if (status) return status;
    ap->info = orff_model_describe(ap->model);
    ap->p = ap->info.code_length;
    return CLI_DONE;
}

void cli_applied_clear(cli_applied *ap) {
    orff_model_free(ap->model);
    orff_notes_free(ap->notes);
    *ap = (cli_applied){0};
}

bool cli_applied_is_flow(const cli_applied *ap) {
    size_t space = 0;
    for (size_t i = 0; i < ap->info.inputs; i++) space += !orff_notes_is_covariate(ap->notes, i);
    return ap->p == 2 && (space == 2 || orff_model_is_vector(ap->model));
}

int cli_applied_predict(const cli_applied *ap, size_t n, const double *X, double *F) {
    return cli_outcome(orff_model_predict(ap->model, n, X, F), NULL);
}

int cli_applied_std(const cli_applied *ap, bool with_noise, size_t n, const double *X, double *S) {
    return cli_outcome(orff_model_std(ap->model, n, X, with_noise, S), NULL);
}

int cli_applied_derive(const cli_applied *ap, const cli_derived *field, size_t n, const double *X,
                       double *values) {
    return cli_outcome(orff_model_field(ap->model, field->field, n, X, values), field->name);
}

/* ---- derived fields */

static size_t one(size_t d, size_t p) {
    (void)d;
    (void)p;
    return 1;
}
static size_t one_or_three(size_t d, size_t p) {
    (void)d;
    return p == 2 ? 1 : p == 3 ? 3 : 0;
}
static size_t all_pairs(size_t d, size_t p) {
    return d * p;
}

const cli_derived cli_derived_fields[] = {
    {"divergence", one, ORFF_FIELD_DIVERGENCE},   {"curl", one_or_three, ORFF_FIELD_CURL},
    {"potential", one, ORFF_FIELD_POTENTIAL},     {"stream", one_or_three, ORFF_FIELD_STREAM},
    {"jacobian", all_pairs, ORFF_FIELD_JACOBIAN}, {NULL, NULL, ORFF_FIELD_COUNT},
};

const cli_derived *cli_derived_find(const char *name) {
    if (!strcmp(name, "vorticity")) name = "curl"; /* the curl of two components is called so */
    for (const cli_derived *field = cli_derived_fields; field->name; field++)
        if (!strcmp(field->name, name)) return field;
    return NULL;
}
