/* Models in a file: member "model" of the document, the kernel, the bank, and
 *
 *     theta              M
 *     shift, unit        d
 *     mean, spread       p
 *     output_train_mse   p
 *     output_cv_mse      p, where it was cross-validated
 *     shares             parts + 1, where they were learned
 *     posterior.F, .g    n x k, k x r, where there is a posterior; F is used where it lies
 *     posterior.rest     r, where k < n: such files are of version 2
 *     posterior.W        p x r, where it is that of one decomposable part
 *
 * An exact model has no bank, and instead of theta what file_exact.c writes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/memory.h"
#include "base/plane.h"
#include "features/recipe.h"
#include "model/file_exact.h"
#include "model/model.h"

enum { VERSION = 2, SQUARE_POSTERIOR = 1 };
static const char format[] = "orff-model";

/* What solve.method may be: the text of a loaded model lives as long as the program. */
static const char *const methods[] = {
    "cholesky", "eigen",    "stein-cholesky",   "stein-eigen",    "lsmr",        "idr",       "pcg",
    "sgd",      "evidence", "cross-validation", "exact-cholesky", "exact-eigen", "dual-eigen"};

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
}

/* ---- writing */

static orff_status add_vector(orffi_archive_writer *writer, const char *name, size_t length,
                              const double *data) {
    return orffi_archive_add(writer, name, ORFFI_F64, 1, &length, data);
}

static orff_status add_matrix(orffi_archive_writer *writer, const char *name, size_t rows, size_t cols,
                              const double *data) {
    const size_t shape[2] = {rows, cols};
    ORFFI_TRY(orffi_check_finite(name, rows, cols, data));
    return orffi_archive_add(writer, name, ORFFI_F64, 2, shape, data);
}

static orff_status add_posterior(const orff_model *model, orffi_archive_writer *writer) {
    const orffi_posterior *posterior = model->posterior;
    if (!posterior) return ORFF_OK;
    ORFFI_TRY(add_matrix(writer, "posterior.F", posterior->n, posterior->k, posterior->F));
    ORFFI_TRY(add_matrix(writer, "posterior.g", posterior->k, posterior->r, posterior->g));
    if (posterior->rest) ORFFI_TRY(add_vector(writer, "posterior.rest", posterior->r, posterior->rest));
    return posterior->stein ? add_matrix(writer, "posterior.W", model->p, posterior->r, posterior->W)
                            : ORFF_OK;
}

static orff_status add_tensors(const orff_model *model, orffi_archive_writer *writer) {
    if (model->features) {
        ORFFI_TRY(orffi_check_finite("theta", model->features->M, 1, model->theta));
        ORFFI_TRY(add_vector(writer, "theta", model->features->M, model->theta));
    }
    ORFFI_TRY(add_vector(writer, "shift", model->d, model->shift));
    ORFFI_TRY(add_vector(writer, "unit", model->d, model->unit));
    ORFFI_TRY(add_vector(writer, "mean", model->p, model->mean));
    ORFFI_TRY(add_vector(writer, "spread", model->p, model->spread));
    ORFFI_TRY(add_vector(writer, "output_train_mse", model->p, model->output_train_mse));
    if (model->output_cv_mse) ORFFI_TRY(add_vector(writer, "output_cv_mse", model->p, model->output_cv_mse));
    if (model->shares)
        ORFFI_TRY(add_vector(writer, "shares", orffi_model_kernel(model)->n_parts + 1, model->shares));
    return model->exact ? orffi_exact_add(model->exact, writer) : add_posterior(model, writer);
}

static json_t *pack_solve(const orff_solve_info *solve) {
    return json_pack("{ss? sI so so so sb sb}", "method", solve->method, "iterations",
                     (json_int_t)solve->iterations, "residual", orffi_json_number(solve->residual),
                     "condition", orffi_json_number(solve->condition), "jitter",
                     orffi_json_number(solve->jitter), "converged", (int)solve->converged, "fell_back",
                     (int)solve->fell_back);
}

static json_t *pack_posterior(const orffi_posterior *posterior) {
    if (!posterior) return json_null();
    return json_pack("{sI sI sI sb sI sI}", "n", (json_int_t)posterior->n, "columns",
                     (json_int_t)posterior->k, "r", (json_int_t)posterior->r, "stein", (int)posterior->stein,
                     "first", (json_int_t)posterior->first, "used", (json_int_t)posterior->used);
}

static json_t *pack_groups(const orff_features *f) {
    return f ? orffi_json_sizes(f->kernel->n_parts, f->part_group) : json_null();
}

static json_t *pack_model(const orff_model *model) {
    return json_pack(
        "{sI so so so so so so so so so sb so so so}", "classes", (json_int_t)model->classes, "part_groups",
        pack_groups(model->features), "rows", orffi_json_whole(model->rows), "lambda",
        orffi_json_number(model->lambda), "train_mse", orffi_json_number(model->train_mse), "cv_mse",
        orffi_json_number(model->cv_mse), "dof", orffi_json_number(model->dof), "log_evidence",
        orffi_json_number(model->log_evidence), "noise", orffi_json_number(model->noise), "unreached",
        orffi_json_number(model->unreached), "single", (int)model->single, "solve", pack_solve(&model->solve),
        "posterior", pack_posterior(model->posterior), "exact", orffi_exact_pack(model->exact));
}

static orff_status fill_archive(const orff_model *model, bool compact, orffi_archive_writer *writer) {
    json_t *document = json_object(), *object = pack_model(model);
    int failed = json_object_set_new(document, "model", object);
    if (!failed) failed = orffi_json_set_text(object, "notes", model->notes);
    if (!failed) failed = orffi_plane_pack(object, model->on_plane ? &model->plane : NULL);
    orff_status status = failed ? no_memory() : ORFF_OK;
    if (!status) status = orffi_kernel_write(orffi_model_kernel(model), writer, document);
    if (!status && model->features)
        status =
            orffi_bank_write(model->features->bank, compact ? model->features->M / 2 : 0, writer, document);
    if (!status && model->features) status = orffi_blocks_write(model->features, writer);
    if (!status) status = add_tensors(model, writer);
    if (!status) status = orffi_archive_set_document(writer, document);
    json_decref(document);
    return status;
}

/* Loading takes what it must copy and leaves a posterior where it lies. */
static orff_status check_written(const char *temporary) {
    orff_model *model = NULL;
    const orff_status status = orff_model_load(&model, temporary);
    orff_model_free(model);
    return orffi_archive_blame(status, temporary, "model");
}

orff_status orff_model_save(const orff_model *model, const char *path, bool compact) {
    orffi_archive_writer *writer = NULL;
    if (!model || !path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_save: NULL argument");
    const bool square = !model->posterior || !model->posterior->rest; /* what older readers know */
    ORFFI_TRY(orffi_archive_writer_create(&writer, format, square ? SQUARE_POSTERIOR : VERSION));
    orff_status status = fill_archive(model, compact, writer);
    if (!status) status = orffi_archive_write(writer, path, check_written);
    orffi_archive_writer_free(writer);
    return status;
}

/* ---- reading: features */

/* The sizes that the file's own tensors have. */
typedef struct sizes {
    size_t d, p, M;
} sizes;

static orff_status read_sizes(const orffi_archive *archive, sizes *s) {
    const double *unused;
    ORFFI_TRY(orffi_archive_get(archive, "shift", ORFFI_F64, 1, &s->d, &unused));
    ORFFI_TRY(orffi_archive_get(archive, "mean", ORFFI_F64, 1, &s->p, &unused));
    return orffi_archive_get(archive, "theta", ORFFI_F64, 1, &s->M, &unused);
}

/* Parts stand on the groups they stood on, and theta has the length that follows. */
static orff_status check_features(const orffi_fields *in, const orff_features *f, size_t M) {
    size_t *groups = NULL;
    const size_t n_parts = f->kernel->n_parts;
    ORFFI_TRY(orffi_fields_sizes(in, "part_groups", n_parts, &groups));
    const bool same = memcmp(groups, f->part_group, n_parts * sizeof *groups) == 0;
    orffi_release(groups);
    if (!same) return orffi_fields_fail(in, "part_groups", "is not how the kernel stands on the bank");
    if (f->M == M) return ORFF_OK;
    return orffi_archive_fail(in->archive, "theta has %zu coefficients, kernel and bank make %zu", M, f->M);
}

static orff_status read_features(const orffi_fields *in, const sizes *s, orff_features **features) {
    orff_kernel *kernel = NULL;
    orffi_bank *bank = NULL;
    orff_status status = orffi_kernel_read(&kernel, in->archive, s->d, s->p);
    if (!status) status = orffi_bank_read(&bank, in->archive, s->M / 2);
    if (!status) status = orffi_features_read(features, in->archive, bank, kernel);
    orffi_bank_free(bank);
    orff_kernel_free(kernel);
    return status ? status : check_features(in, *features, s->M);
}

/* ---- reading: numbers */

typedef enum range { FINITE, POSITIVE, NOT_NEGATIVE } range;

/* Copy a vector into its place; NOT_NEGATIVE lets NaN pass, which stands for what is not known. */
static orff_status copy_vector(const orffi_archive *archive, const char *name, size_t length, range allowed,
                               double *to) {
    const double *from;
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, 1, &length, &from));
    if (allowed != NOT_NEGATIVE) ORFFI_TRY(orffi_archive_check_finite(archive, name));
    for (size_t i = 0; i < length; i++)
        if ((allowed == POSITIVE && !(from[i] > 0.0)) || (allowed == NOT_NEGATIVE && from[i] < 0.0))
            return orffi_archive_fail(archive, "number %zu of \"%s\" is %g; it must%s", i + 1, name, from[i],
                                      allowed == POSITIVE ? " be positive" : " not be negative");
    memcpy(to, from, length * sizeof *to);
    return ORFF_OK;
}

static orff_status read_vectors(const orffi_archive *archive, orff_model *model) {
    const size_t parts = orffi_model_kernel(model)->n_parts;
    if (model->features) ORFFI_TRY(copy_vector(archive, "theta", model->features->M, FINITE, model->theta));
    ORFFI_TRY(copy_vector(archive, "shift", model->d, FINITE, model->shift));
    ORFFI_TRY(copy_vector(archive, "unit", model->d, POSITIVE, model->unit));
    ORFFI_TRY(copy_vector(archive, "mean", model->p, FINITE, model->mean));
    ORFFI_TRY(copy_vector(archive, "spread", model->p, POSITIVE, model->spread));
    ORFFI_TRY(copy_vector(archive, "output_train_mse", model->p, NOT_NEGATIVE, model->output_train_mse));
    if (orffi_archive_has(archive, "output_cv_mse")) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(model->output_cv_mse, model->p));
        ORFFI_TRY(copy_vector(archive, "output_cv_mse", model->p, NOT_NEGATIVE, model->output_cv_mse));
    }
    if (!orffi_archive_has(archive, "shares")) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->shares, parts + 1));
    return copy_vector(archive, "shares", parts + 1, FINITE, model->shares);
}

/* An estimate that may be unknown (NaN) but not negative. */
static orff_status read_estimate(const orffi_fields *in, const char *key, double *out) {
    ORFFI_TRY(orffi_fields_any_number(in, key, out));
    return *out < 0.0 ? orffi_fields_fail(in, key, "is negative") : ORFF_OK;
}

static orff_status read_told(const orffi_fields *in, orff_model *model) {
    ORFFI_TRY(orffi_fields_whole(in, "rows", &model->rows));
    ORFFI_TRY(orffi_fields_number(in, "lambda", &model->lambda));
    ORFFI_TRY(read_estimate(in, "train_mse", &model->train_mse));
    ORFFI_TRY(read_estimate(in, "cv_mse", &model->cv_mse));
    ORFFI_TRY(read_estimate(in, "dof", &model->dof));
    ORFFI_TRY(orffi_fields_any_number(in, "log_evidence", &model->log_evidence));
    ORFFI_TRY(read_estimate(in, "noise", &model->noise));
    if (orffi_fields_has(in, "unreached")) ORFFI_TRY(read_estimate(in, "unreached", &model->unreached));
    ORFFI_TRY(orffi_fields_flag(in, "single", &model->single));
    ORFFI_TRY(orffi_fields_notes(in, &model->notes));
    ORFFI_TRY(orffi_plane_unpack(in, model->d, model->classes ? 1 : model->p, model->notes, &model->plane,
                                 &model->on_plane));
    return model->lambda < 0.0 ? orffi_fields_fail(in, "lambda", "is negative") : ORFF_OK;
}

static orff_status read_method(const orffi_fields *in, const char **method) {
    const char *text;
    size_t i = 0;
    const size_t count = sizeof methods / sizeof *methods;
    if (!orffi_fields_has(in, "method")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_text(in, "method", &text));
    while (i < count && strcmp(methods[i], text) != 0) i++;
    if (i == count) return orffi_fields_fail(in, "method", "is not a known method");
    *method = methods[i];
    return ORFF_OK;
}

static orff_status read_solve(const orffi_fields *model, orff_solve_info *solve) {
    orffi_fields in;
    ORFFI_TRY(orffi_fields_object(model, "solve", &in));
    ORFFI_TRY(read_method(&in, &solve->method));
    ORFFI_TRY(orffi_fields_size(&in, "iterations", &solve->iterations));
    ORFFI_TRY(read_estimate(&in, "residual", &solve->residual));
    ORFFI_TRY(read_estimate(&in, "condition", &solve->condition));
    ORFFI_TRY(read_estimate(&in, "jitter", &solve->jitter));
    ORFFI_TRY(orffi_fields_flag(&in, "converged", &solve->converged));
    return orffi_fields_flag(&in, "fell_back", &solve->fell_back);
}

/* ---- reading: the posterior */

static orff_status read_shape(const orffi_fields *in, const orff_model *model, orffi_posterior *posterior) {
    const orff_features *f = model->features;
    const orffi_bank_group *group = &f->bank->groups[f->part_group[0]];
    ORFFI_TRY(orffi_fields_size(in, "n", &posterior->n));
    ORFFI_TRY(orffi_fields_size(in, "r", &posterior->r));
    ORFFI_TRY(orffi_fields_flag(in, "stein", &posterior->stein));
    ORFFI_TRY(orffi_fields_size(in, "first", &posterior->first));
    ORFFI_TRY(orffi_fields_size(in, "used", &posterior->used));
    if (posterior->stein != orffi_kernel_is_separable(f->kernel))
        return orffi_fields_fail(in, "stein", "is not what the kernel is");
    if (posterior->first != (posterior->stein ? group->first : 0) ||
        posterior->used != (posterior->stein ? group->drawn.count : 0))
        return orffi_fields_fail(in, "used", "is not the part's group of frequencies");
    if (!posterior->stein) ORFFI_TRY(orffi_columns_fill(&posterior->columns, f));
    if (posterior->n != 2 * (posterior->stein ? posterior->used : posterior->columns.count))
        return orffi_fields_fail(in, "n", "is not the number of coefficients");
    posterior->k = posterior->n;
    if (orffi_fields_has(in, "columns")) ORFFI_TRY(orffi_fields_size(in, "columns", &posterior->k));
    if (posterior->k > posterior->n) return orffi_fields_fail(in, "columns", "is more than n");
    if (posterior->stein ? posterior->r > model->p : posterior->r != 1)
        return orffi_fields_fail(in, "r", "is not possible for this kernel");
    return ORFF_OK;
}

static orff_status find_matrix(const orffi_archive *archive, const char *name, size_t rows, size_t cols,
                               const double **data) {
    const size_t shape[2] = {rows, cols};
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, 2, shape, data));
    return orffi_archive_check_finite(archive, name);
}

/* g >= 0 keeps variances from being negative. */
static orff_status read_matrices(const orffi_archive *archive, const orff_model *model,
                                 orffi_posterior *posterior) {
    const double *g, *W;
    const size_t n = posterior->n, k = posterior->k, r = posterior->r;
    ORFFI_TRY(find_matrix(archive, "posterior.F", n, k, &posterior->F));
    ORFFI_TRY(find_matrix(archive, "posterior.g", k, r, &g));
    for (size_t i = 0; i < k * r; i++)
        if (g[i] < 0.0)
            return orffi_archive_fail(archive, "number %zu of \"posterior.g\" is negative", i + 1);
    ORFFI_TRY(orffi_duplicate(&posterior->g, g, k * r, sizeof *g));
    if (k < n) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(posterior->rest, r));
        ORFFI_TRY(copy_vector(archive, "posterior.rest", r, POSITIVE, posterior->rest));
    }
    if (!posterior->stein) return ORFF_OK;
    ORFFI_TRY(find_matrix(archive, "posterior.W", model->p, r, &W));
    return orffi_duplicate(&posterior->W, W, model->p * r, sizeof *W);
}

static orff_status read_posterior(const orffi_fields *about, orff_model *model) {
    orffi_fields in;
    const bool there = orffi_fields_has(about, "posterior");
    if ((there || (model->exact && model->exact->kept)) && !isfinite(model->noise))
        return orffi_fields_fail(about, "noise", "is not known, but there is a posterior");
    if (!there) return ORFF_OK;
    if (model->exact) return orffi_fields_fail(about, "posterior", "is not for an exact model");
    ORFFI_TRY(orffi_fields_object(about, "posterior", &in));
    ORFFI_TRY(ORFFI_NEW(model->posterior));
    ORFFI_TRY(read_shape(&in, model, model->posterior));
    return read_matrices(about->archive, model, model->posterior);
}

/* ---- reading: the whole */

static orff_status fill_model(const orffi_fields *in, orff_model *model) {
    ORFFI_TRY(read_vectors(in->archive, model));
    ORFFI_TRY(read_told(in, model));
    ORFFI_TRY(read_solve(in, &model->solve));
    ORFFI_TRY(read_posterior(in, model));
    return orffi_fields_blame(in, orffi_model_finish(model));
}

static orff_status read_exact_model(orff_model **model, const orffi_fields *in, size_t classes) {
    orff_exact *exact = NULL;
    ORFFI_TRY(orffi_exact_read(&exact, in));
    ORFFI_TRY(orffi_fields_blame(in, orffi_model_create_exact(model, exact, classes)));
    return fill_model(in, *model);
}

static orff_status read_model(orff_model **model, const orffi_archive *archive) {
    const orffi_fields document = orffi_fields_of(archive);
    orffi_fields in;
    sizes s;
    size_t classes;
    orff_features *features = NULL;
    ORFFI_TRY(orffi_fields_object(&document, "model", &in));
    ORFFI_TRY(orffi_fields_size(&in, "classes", &classes));
    if (orffi_fields_has(&in, "exact")) return read_exact_model(model, &in, classes);
    ORFFI_TRY(read_sizes(archive, &s));
    const orff_status status = read_features(&in, &s, &features);
    if (status) {
        orff_features_free(features);
        return status;
    }
    ORFFI_TRY(orffi_fields_blame(&in, orffi_model_create(model, features, classes)));
    return fill_model(&in, *model);
}

/* The file stays open for a posterior that lies in it. */
orff_status orff_model_load(orff_model **out, const char *path) {
    orffi_archive *archive = NULL;
    orff_model *model = NULL;
    if (!out || !path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_load: NULL argument");
    ORFFI_TRY(orffi_archive_open(&archive, path, format, 1, VERSION));
    const orff_status status = read_model(&model, archive);
    if (!status && (model->posterior || (model->exact && model->exact->kept))) {
        model->file = archive;
    } else {
        orffi_archive_close(archive);
    }
    if (status) {
        orff_model_free(model);
    } else {
        *out = model;
    }
    return status;
}
