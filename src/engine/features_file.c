/* Models of features in files: members "part_groups" and "posterior" of the member "model", the bank, and
 *
 *     theta              M
 *     posterior.F, .g    n x k, k x r, with a posterior; F is not copied when a file is read
 *     posterior.rest     r, if k < n: such files have version 2
 *     posterior.W        p x r, for the posterior of one decomposable part */
#include <string.h>

#include "base/memory.h"
#include "engine/features.h"
#include "features/recipe.h"

/* ---- writing */

static orff_status add_matrix(orffi_archive_writer *writer, const char *name, size_t rows, size_t cols,
                              const double *data) {
    const size_t shape[2] = {rows, cols};
    ORFFI_TRY(orffi_check_finite(name, rows, cols, data));
    return orffi_archive_add(writer, name, ORFFI_F64, 2, shape, data);
}

static orff_status add_posterior(const orffi_features_fit *fit, orffi_archive_writer *writer) {
    const orffi_posterior *posterior = fit->posterior;
    if (!posterior) return ORFF_OK;
    ORFFI_TRY(add_matrix(writer, "posterior.F", posterior->n, posterior->k, posterior->F));
    ORFFI_TRY(add_matrix(writer, "posterior.g", posterior->k, posterior->r, posterior->g));
    if (posterior->rest)
        ORFFI_TRY(orffi_archive_add(writer, "posterior.rest", ORFFI_F64, 1, &posterior->r, posterior->rest));
    return posterior->stein ? add_matrix(writer, "posterior.W", fit->features->p, posterior->r, posterior->W)
                            : ORFF_OK;
}

static json_t *pack_posterior(const orffi_posterior *posterior) {
    if (!posterior) return json_null();
    return json_pack("{sI sI sI sb sI sI}", "n", (json_int_t)posterior->n, "columns",
                     (json_int_t)posterior->k, "r", (json_int_t)posterior->r, "stein", (int)posterior->stein,
                     "first", (json_int_t)posterior->first, "used", (json_int_t)posterior->used);
}

static json_t *pack_groups(const orff_features *f) {
    return orffi_json_sizes(f->kernel->n_parts, f->part_group);
}

int orffi_features_pack(const void *self, json_t *model) {
    const orffi_features_fit *fit = self;
    const int failed = json_object_set_new(model, "part_groups", pack_groups(fit->features));
    return failed ? failed : json_object_set_new(model, "posterior", pack_posterior(fit->posterior));
}

orff_status orffi_features_add(const void *self, bool compact, orffi_archive_writer *writer,
                               json_t *document) {
    const orffi_features_fit *fit = self;
    const orff_features *f = fit->features;
    ORFFI_TRY(orffi_bank_write(f->bank, compact ? f->M / 2 : 0, writer, document));
    ORFFI_TRY(orffi_blocks_write(f, writer));
    ORFFI_TRY(orffi_check_finite("theta", f->M, 1, fit->theta));
    ORFFI_TRY(orffi_archive_add(writer, "theta", ORFFI_F64, 1, &f->M, fit->theta));
    return add_posterior(fit, writer);
}

/* ---- reading: features */

/* Checks that the parts use the same groups as when written, and that theta has the right length. */
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

static orff_status read_features(const orffi_fields *in, const orff_kernel *kernel, size_t M,
                                 orff_features **features) {
    orffi_bank *bank = NULL;
    orff_status status = orffi_bank_read(&bank, in->archive, M / 2);
    if (!status) status = orffi_features_read(features, in->archive, bank, kernel);
    orffi_bank_free(bank);
    return status ? status : check_features(in, *features, M);
}

/* ---- reading: the posterior */

static orff_status read_shape(const orffi_fields *in, const orffi_features_fit *fit,
                              orffi_posterior *posterior) {
    const orff_features *f = fit->features;
    const orffi_bank_group *group = &f->bank->groups[f->part_group[0]];
    ORFFI_TRY(orffi_fields_size(in, "n", &posterior->n));
    ORFFI_TRY(orffi_fields_size(in, "r", &posterior->r));
    ORFFI_TRY(orffi_fields_flag(in, "stein", &posterior->stein));
    ORFFI_TRY(orffi_fields_size(in, "first", &posterior->first));
    ORFFI_TRY(orffi_fields_size(in, "used", &posterior->used));
    if (posterior->stein &&
        !orffi_kernel_is_separable(f->kernel)) /* false for directed rows, whatever the kernel */
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
    if (posterior->stein ? posterior->r > fit->features->p : posterior->r != 1)
        return orffi_fields_fail(in, "r", "is not possible for this kernel");
    return ORFF_OK;
}

static orff_status read_rest(const orffi_archive *archive, orffi_posterior *posterior) {
    const double *rest;
    if (posterior->k == posterior->n) return ORFF_OK;
    ORFFI_TRY(orffi_archive_expect(archive, "posterior.rest", ORFFI_F64, 1, &posterior->r, &rest));
    ORFFI_TRY(orffi_archive_check_finite(archive, "posterior.rest"));
    for (size_t i = 0; i < posterior->r; i++)
        if (!(rest[i] > 0.0))
            return orffi_archive_fail(archive, "number %zu of \"posterior.rest\" is not positive", i + 1);
    return orffi_duplicate(&posterior->rest, rest, posterior->r, sizeof *rest);
}

/* g >= 0, so that variances are not negative. */
static orff_status read_matrices(const orffi_archive *archive, const orffi_features_fit *fit,
                                 orffi_posterior *posterior) {
    const double *g, *W;
    const size_t n = posterior->n, k = posterior->k, r = posterior->r;
    ORFFI_TRY(orffi_archive_matrix(archive, "posterior.F", n, k, &posterior->F));
    ORFFI_TRY(orffi_archive_matrix(archive, "posterior.g", k, r, &g));
    for (size_t i = 0; i < k * r; i++)
        if (g[i] < 0.0)
            return orffi_archive_fail(archive, "number %zu of \"posterior.g\" is negative", i + 1);
    ORFFI_TRY(orffi_duplicate(&posterior->g, g, k * r, sizeof *g));
    ORFFI_TRY(read_rest(archive, posterior));
    if (!posterior->stein) return ORFF_OK;
    ORFFI_TRY(orffi_archive_matrix(archive, "posterior.W", fit->features->p, r, &W));
    return orffi_duplicate(&posterior->W, W, fit->features->p * r, sizeof *W);
}

static orff_status read_posterior(const orffi_fields *model, orffi_features_fit *fit) {
    orffi_fields in;
    if (!orffi_fields_has(model, "posterior")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(model, "posterior", &in));
    ORFFI_TRY(ORFFI_NEW(fit->posterior));
    ORFFI_TRY(read_shape(&in, fit, fit->posterior));
    return read_matrices(model->archive, fit, fit->posterior);
}

/* ---- reading: the whole */

static orff_status read_fit(const orffi_fields *in, const double *theta, orffi_features_fit *fit) {
    ORFFI_TRY(orffi_archive_check_finite(in->archive, "theta"));
    memcpy(fit->theta, theta, fit->features->M * sizeof *theta);
    orffi_features_fit_fold(fit);
    return read_posterior(in, fit);
}

orff_status orffi_features_load(void **out, const orffi_fields *in, const orff_kernel *kernel) {
    orff_features *features = NULL;
    orffi_features_fit *fit = NULL;
    const double *theta;
    size_t M;
    ORFFI_TRY(orffi_archive_get(in->archive, "theta", ORFFI_F64, 1, &M, &theta));
    orff_status status = read_features(in, kernel, M, &features);
    if (status) {
        orff_features_free(features);
        return status;
    }
    ORFFI_TRY(orffi_features_fit_create(&fit, features));
    status = read_fit(in, theta, fit);
    if (status) {
        orffi_features_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}
