/* Exact models in files: member "exact" of the member "model", the kernel, and
 *
 *     points             N x d    x', in the units of the kernel
 *     alpha              N x p
 *     row_weights        rows x 1, with weights and covariances
 *     directions         N x p, for directed rows with covariances
 *     row_points         rows + 1: where the points of each directed row begin, if some row has several
 *     posterior.F, .g    n x n, n x modes, with covariances; F is not copied when a file is read */
#include <string.h>

#include "base/memory.h"
#include "engine/exact.h"
#include "features/recipe.h"

/* ---- writing */

int orffi_exact_pack(const void *fit, json_t *model) {
    const orff_exact *exact = fit;
    const orffi_exact_kept *kept = exact->kept;
    return json_object_set_new(model, "exact",
                               json_pack("{so sb sI}", "shift", orffi_json_number(exact->shift), "posterior",
                                         (int)(kept != NULL), "modes", (json_int_t)(kept ? kept->modes : 0)));
}

static orff_status add_matrix(orffi_archive_writer *writer, const char *name, size_t rows, size_t cols,
                              const double *data) {
    const size_t shape[2] = {rows, cols};
    ORFFI_TRY(orffi_check_finite(name, rows, cols, data));
    return orffi_archive_add(writer, name, ORFFI_F64, 2, shape, data);
}

static size_t rows_of(const orff_exact *exact) {
    return exact->along ? exact->rows : exact->plan.n;
}

/* The writer reads the numbers later, so they are written without conversion. */
_Static_assert(sizeof(size_t) == sizeof(int64_t), "places of points are written as 64 bits");
static orff_status add_points(orffi_archive_writer *writer, const orff_exact *exact) {
    const size_t shape[1] = {exact->rows + 1};
    return orffi_archive_add(writer, "row_points", ORFFI_I64, 1, shape, exact->points);
}

orff_status orffi_exact_add(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document) {
    const orff_exact *exact = fit;
    (void)compact, (void)document;
    const orffi_exact_plan *plan = &exact->plan;
    const orffi_exact_kept *kept = exact->kept;
    ORFFI_TRY(orffi_kernel_check_closed(exact->kernel));
    ORFFI_TRY(add_matrix(writer, "points", plan->n, plan->d, exact->X));
    ORFFI_TRY(add_matrix(writer, "alpha", plan->n, plan->p, exact->alpha));
    if (!kept) return ORFF_OK;
    if (exact->weights) ORFFI_TRY(add_matrix(writer, "row_weights", rows_of(exact), 1, exact->weights));
    if (exact->along) ORFFI_TRY(add_matrix(writer, "directions", plan->n, plan->p, exact->along));
    if (exact->points) ORFFI_TRY(add_points(writer, exact));
    ORFFI_TRY(add_matrix(writer, "posterior.F", kept->n, kept->n, kept->F));
    return add_matrix(writer, "posterior.g", kept->n, kept->modes, kept->g);
}

/* ---- reading */

static orff_status read_weights(const orffi_archive *archive, orff_exact *exact) {
    const double *weights;
    const size_t n = rows_of(exact);
    if (!orffi_archive_has(archive, "row_weights")) return ORFF_OK;
    ORFFI_TRY(orffi_archive_matrix(archive, "row_weights", n, 1, &weights));
    for (size_t i = 0; i < n; i++)
        if (!(weights[i] >= 0.0))
            return orffi_archive_fail(archive, "number %zu of \"row_weights\" is negative", i + 1);
    return orffi_duplicate(&exact->weights, weights, n, sizeof *weights);
}

/* Each row must have at least one point, and all rows together have all points. */
static orff_status read_points(const orffi_archive *archive, orff_exact *exact) {
    const int64_t *places;
    const int64_t all = (int64_t)exact->plan.n;
    size_t count;
    if (!orffi_archive_has(archive, "row_points")) return ORFF_OK;
    ORFFI_TRY(orffi_archive_get(archive, "row_points", ORFFI_I64, 1, &count, &places));
    bool good = count >= 2 && count <= exact->plan.n + 1 && places[0] == 0 && places[count - 1] == all;
    for (size_t i = 1; good && i < count; i++) good = places[i] > places[i - 1] && places[i] <= all;
    if (!good) return orffi_archive_fail(archive, "\"row_points\" does not divide %zu points", exact->plan.n);
    exact->rows = count - 1;
    return orffi_duplicate(&exact->points, places, count, sizeof *exact->points);
}

static orff_status read_directions(const orffi_archive *archive, orff_exact *exact) {
    const double *along;
    const size_t n = exact->plan.n, p = exact->plan.p;
    if (!orffi_archive_has(archive, "directions")) return ORFF_OK;
    ORFFI_TRY(orffi_archive_matrix(archive, "directions", n, p, &along));
    exact->rows = n;
    ORFFI_TRY(orffi_duplicate(&exact->along, along, n * p, sizeof *along));
    return read_points(archive, exact);
}

/* g > 0, as it is the diagonal of an inverse. modes is 1, or one for each turned output. */
static orff_status read_kept(const orffi_fields *in, orff_exact *exact) {
    const orffi_exact_plan *plan = &exact->plan;
    const double *g;
    size_t modes, n = plan->n;
    ORFFI_TRY(orffi_fields_size(in, "modes", &modes));
    ORFFI_TRY(read_directions(in->archive, exact));
    if (modes != 1 && !(plan->law && !exact->along && modes == plan->values))
        return orffi_fields_fail(in, "modes", "is not possible for this kernel");
    if (exact->along) n = exact->rows;
    if (!plan->law && !exact->along) ORFFI_TRY(orffi_multiply(plan->n, plan->p, &n));
    ORFFI_TRY(read_weights(in->archive, exact));
    ORFFI_TRY(ORFFI_NEW(exact->kept));
    exact->kept->n = n;
    exact->kept->modes = modes;
    ORFFI_TRY(orffi_archive_matrix(in->archive, "posterior.F", n, n, &exact->kept->F));
    ORFFI_TRY(orffi_archive_matrix(in->archive, "posterior.g", n, modes, &g));
    for (size_t i = 0; i < n * modes; i++)
        if (!(g[i] > 0.0))
            return orffi_archive_fail(in->archive, "number %zu of \"posterior.g\" is not positive", i + 1);
    return orffi_duplicate(&exact->kept->g, g, n * modes, sizeof *g);
}

static orff_status fill(const orffi_fields *in, const double *points, orff_exact *exact) {
    const orffi_exact_plan *plan = &exact->plan;
    const double *alpha;
    bool posterior;
    ORFFI_TRY(orffi_fields_number(in, "shift", &exact->shift));
    if (!(exact->shift > 0.0)) return orffi_fields_fail(in, "shift", "is not positive");
    ORFFI_TRY(orffi_archive_matrix(in->archive, "alpha", plan->n, plan->p, &alpha));
    memcpy(exact->X, points, plan->n * plan->d * sizeof *points);
    memcpy(exact->alpha, alpha, plan->n * plan->p * sizeof *alpha);
    ORFFI_TRY(orffi_exact_fold(exact));
    ORFFI_TRY(orffi_fields_flag(in, "posterior", &posterior));
    return posterior ? read_kept(in, exact) : ORFF_OK;
}

/* Takes the number of points from the file's own tensor, and compares its inputs with the kernel's. */
orff_status orffi_exact_load(void **fit, const orffi_fields *model, const orff_kernel *kernel) {
    const orffi_archive *archive = model->archive;
    const double *points;
    size_t shape[2];
    orffi_fields in;
    orff_exact *exact = NULL;
    if (orffi_fields_has(model, "posterior"))
        return orffi_fields_fail(model, "posterior", "is not for an exact model");
    ORFFI_TRY(orffi_fields_object(model, "exact", &in));
    ORFFI_TRY(orffi_archive_get(archive, "points", ORFFI_F64, 2, shape, &points));
    if (shape[0] == 0 || shape[1] != kernel->d)
        return orffi_archive_fail(archive, "\"points\" is %zu x %zu; the model has %zu inputs", shape[0],
                                  shape[1], kernel->d);
    ORFFI_TRY(orffi_archive_check_finite(archive, "points"));
    orff_status status = orffi_fields_blame(&in, orffi_kernel_check_closed(kernel));
    if (!status) status = orffi_fields_blame(&in, orffi_exact_create(&exact, kernel, shape[0]));
    if (!status) status = fill(&in, points, exact);
    if (status) {
        orff_exact_free(exact);
    } else {
        *fit = exact;
    }
    return status;
}
