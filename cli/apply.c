#include "apply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "report.h"

int cli_applied_load(cli_applied *ap, const char *path) {
    *ap = (cli_applied){0};
    int status = cli_outcome(orff_model_load(&ap->model, path), NULL);
    if (!status) status = cli_notes_of_model(&ap->notes, path, ap->model);
    if (status) return status;
    ap->info = orff_model_describe(ap->model);
    ap->p = ap->info.classes ? ap->info.classes - 1 : ap->info.outputs;
    ap->on_plane = cli_notes_geo(ap->notes, &ap->geo);
    for (size_t i = 0, found = 0; found < 2 && i < ap->info.inputs; i++)
        if (!cli_notes_is_covariate(ap->notes, i)) ap->plane[found++] = i;
    return CLI_DONE;
}

void cli_applied_clear(cli_applied *ap) {
    orff_model_free(ap->model);
    json_decref(ap->notes);
    *ap = (cli_applied){0};
}

/* The places on the plane, and how vectors are turned there; *turns is NULL without a plane, and X itself
 * comes back. */
static const double *places(const cli_applied *ap, size_t n, const double *X, double **copy, double **turns) {
    const size_t d = ap->info.inputs;
    *copy = *turns = NULL;
    if (!ap->on_plane) return X;
    *copy = cli_more(NULL, n * d, sizeof **copy);
    *turns = cli_more(NULL, 2 * n, sizeof **turns);
    memcpy(*copy, X, n * d * sizeof **copy);
    for (size_t i = 0; i < n; i++) {
        double place[2];
        cli_geo_forward(&ap->geo, X[i * d + ap->plane[0]], X[i * d + ap->plane[1]], place, *turns + 2 * i);
        (*copy)[i * d + ap->plane[0]] = place[0];
        (*copy)[i * d + ap->plane[1]] = place[1];
    }
    return *copy;
}

int cli_applied_predict(const cli_applied *ap, size_t n, const double *X, double *F) {
    double *copy, *turns;
    const double *at = places(ap, n, X, &copy, &turns);
    const orff_status status = orff_model_predict(ap->model, n, at, F);
    for (size_t i = 0; turns && !status && i < n; i++) cli_geo_from_plane(turns + 2 * i, F + 2 * i);
    free(copy);
    free(turns);
    return cli_outcome(status, NULL);
}

/* The variances of the turned vector: the diagonal of T^T C T. */
static void turn_variances(const double turn[2], double *C) {
    const double c = turn[0], s = turn[1], xx = C[0], xy = C[1], yy = C[3];
    C[0] = c * c * xx + 2.0 * c * s * xy + s * s * yy;
    C[3] = s * s * xx - 2.0 * c * s * xy + c * c * yy;
}

int cli_applied_std(const cli_applied *ap, size_t n, const double *X, double *S) {
    double *copy, *turns, *C = cli_more(NULL, n * ap->p * ap->p, sizeof *C);
    const double *at = places(ap, n, X, &copy, &turns);
    const orff_status status = orff_model_covariance(ap->model, n, at, C);
    for (size_t i = 0; !status && i < n; i++) {
        double *block = C + i * ap->p * ap->p;
        if (turns) turn_variances(turns + 2 * i, block);
        for (size_t k = 0; k < ap->p; k++) S[i * ap->p + k] = sqrt(fmax(block[k * ap->p + k], 0.0));
    }
    free(copy);
    free(turns);
    free(C);
    return cli_outcome(status, NULL);
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
    {"divergence", one, orff_model_divergence},   {"curl", one_or_three, orff_model_curl},
    {"potential", one, orff_model_potential},     {"stream", one_or_three, orff_model_stream_function},
    {"jacobian", all_pairs, orff_model_jacobian}, {NULL, NULL, NULL},
};

const cli_derived *cli_derived_find(const char *name) {
    for (const cli_derived *field = cli_derived_fields; field->name; field++)
        if (!strcmp(field->name, name)) return field;
    return NULL;
}

/* J (2 x d) from the plane to eastward, northward: outputs by row, the two inputs of the plane by column. */
static void turn_jacobian(const cli_applied *ap, const double turn[2], double *J) {
    const size_t d = ap->info.inputs;
    for (size_t i = 0; i < d; i++) {
        double column[2] = {J[i], J[d + i]};
        cli_geo_from_plane(turn, column);
        J[i] = column[0];
        J[d + i] = column[1];
    }
    for (size_t k = 0; k < 2; k++) {
        double row[2] = {J[k * d + ap->plane[0]], J[k * d + ap->plane[1]]};
        cli_geo_from_plane(turn, row);
        J[k * d + ap->plane[0]] = row[0];
        J[k * d + ap->plane[1]] = row[1];
    }
}

int cli_applied_derive(const cli_applied *ap, const cli_derived *field, size_t n, const double *X,
                       double *values) {
    double *copy, *turns;
    const double *at = places(ap, n, X, &copy, &turns);
    const orff_status status = field->compute(ap->model, n, at, values);
    if (turns && !status && field->compute == orff_model_jacobian)
        for (size_t i = 0; i < n; i++) turn_jacobian(ap, turns + 2 * i, values + i * 2 * ap->info.inputs);
    free(copy);
    free(turns);
    return cli_outcome(status, field->name);
}
