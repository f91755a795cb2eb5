/* Lattice models in files: member "lattice" of the member "model" (m, periods, centre, the range that it
 * represents, N lambda, draws), and
 *
 *     modes              p x H x 2        V
 *     samples            draws x p x H x 2, if error bars come from samples
 *     rows, row_weights  N x d, N, if error bars come from the nearest rows
 *     row_outputs        N x p, if values do so too
 *     posterior.F.<i>    n x n, if all modes were solved densely; not copied when a file is read */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/lattice.h"
#include "features/recipe.h"
#include "lattice/fft.h"
#include "lattice/record.h"

/* ---- writing */

int orffi_lattice_pack(const void *self, json_t *model) {
    const orffi_lattice_fit *fit = self;
    json_t *object = json_pack(
        "{so so so sI sb sb sI si ss}", "shift", orffi_json_number(fit->shift), "kernel_error",
        orffi_json_number(fit->kernel_error), "tolerance", orffi_json_number(fit->tolerance), "draws",
        (json_int_t)fit->draws, "posterior", (int)(fit->posterior != NULL), "directed", (int)fit->directed,
        "rows", (json_int_t)fit->rows.n, "warnings", (int)fit->warnings, "warning", fit->warning);
    if (json_object_set_new(model, "lattice", object)) return -1;
    return orffi_lattice_write(&fit->lattice, object);
}

static orff_status add_modes(orffi_archive_writer *writer, const char *name, size_t fields, size_t H,
                             const orffi_mode *modes) {
    const size_t shape[3] = {fields, H, 2};
    ORFFI_TRY(orffi_check_finite(name, fields, 2 * H, (const double *)modes));
    return orffi_archive_add(writer, name, ORFFI_F64, 3, shape, modes);
}

static orff_status add_rows(const orffi_lattice_fit *fit, orffi_archive_writer *writer) {
    const size_t shape[2] = {fit->rows.n, fit->rows.d};
    const size_t outputs[2] = {fit->rows.n, fit->p};
    ORFFI_TRY(orffi_archive_add(writer, "rows", ORFFI_F64, 2, shape, fit->rows.X));
    if (fit->rows.Y) ORFFI_TRY(orffi_archive_add(writer, "row_outputs", ORFFI_F64, 2, outputs, fit->rows.Y));
    return fit->rows.weights
               ? orffi_archive_add(writer, "row_weights", ORFFI_F64, 1, shape, fit->rows.weights)
               : ORFF_OK;
}

static void factor_name(size_t i, char name[40]) {
    snprintf(name, 40, "posterior.F.%zu", i);
}

orff_status orffi_lattice_add(const void *self, bool compact, orffi_archive_writer *writer,
                              json_t *document) {
    const orffi_lattice_fit *fit = self;
    (void)compact, (void)document;
    ORFFI_TRY(orffi_kernel_check_closed(fit->kernel));
    ORFFI_TRY(add_modes(writer, "modes", fit->p, fit->H, fit->V));
    if (fit->samples) ORFFI_TRY(add_modes(writer, "samples", fit->draws * fit->p, fit->H, fit->samples));
    if (fit->rows.n) ORFFI_TRY(add_rows(fit, writer));
    for (size_t i = 0; fit->posterior && i < fit->posterior->count; i++) {
        const size_t shape[2] = {fit->posterior->n, fit->posterior->n};
        char name[40];
        factor_name(i, name);
        ORFFI_TRY(orffi_archive_add(writer, name, ORFFI_F64, 2, shape, fit->posterior->F[i]));
    }
    return ORFF_OK;
}

/* ---- reading */

static orff_status find_modes(const orffi_archive *archive, const char *name, size_t fields, size_t H,
                              const double **data) {
    const size_t shape[3] = {fields, H, 2};
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, 3, shape, data));
    return orffi_archive_check_finite(archive, name);
}

static orff_status read_factors(const orffi_fields *in, orffi_lattice_fit *fit) {
    ORFFI_TRY(orffi_lattice_posterior_create(fit));
    for (size_t i = 0; i < fit->posterior->count; i++) {
        const size_t shape[2] = {fit->posterior->n, fit->posterior->n};
        char name[40];
        factor_name(i, name);
        ORFFI_TRY(orffi_archive_expect(in->archive, name, ORFFI_F64, 2, shape, &fit->posterior->F[i]));
        ORFFI_TRY(orffi_archive_check_finite(in->archive, name));
    }
    return ORFF_OK;
}

static orff_status read_samples(const orffi_fields *in, size_t draws, orffi_lattice_fit *fit) {
    const double *data;
    orffi_mode *samples;
    if (draws > SIZE_MAX / fit->p / fit->H)
        return orffi_fields_fail(in, "draws", "is not the number of the samples");
    ORFFI_TRY(find_modes(in->archive, "samples", draws * fit->p, fit->H, &data));
    ORFFI_TRY(orffi_duplicate(&samples, data, draws * fit->p * fit->H, sizeof *samples));
    return orffi_lattice_fit_keep(fit, draws, samples);
}

static orff_status read_rows(const orffi_fields *in, size_t n, orffi_lattice_fit *fit) {
    const size_t shape[2] = {n, fit->lattice.d}, outputs[2] = {n, fit->p};
    const double *X, *Y = NULL, *weights = NULL;
    ORFFI_TRY(orffi_archive_expect(in->archive, "rows", ORFFI_F64, 2, shape, &X));
    ORFFI_TRY(orffi_archive_check_finite(in->archive, "rows"));
    if (orffi_archive_has(in->archive, "row_weights")) {
        ORFFI_TRY(orffi_archive_expect(in->archive, "row_weights", ORFFI_F64, 1, shape, &weights));
        ORFFI_TRY(orffi_archive_check_finite(in->archive, "row_weights"));
    }
    for (size_t i = 0; weights && i < n; i++)
        if (!(weights[i] > 0.0))
            return orffi_archive_fail(in->archive, "number %zu of \"row_weights\" is not positive", i + 1);
    if (orffi_archive_has(in->archive, "row_outputs")) {
        ORFFI_TRY(orffi_archive_expect(in->archive, "row_outputs", ORFFI_F64, 2, outputs, &Y));
        ORFFI_TRY(orffi_archive_check_finite(in->archive, "row_outputs"));
    }
    const orffi_table rows = {
        .n = n, .d = fit->lattice.d, .X = (double *)X, .Y = (double *)Y, .weights = (double *)weights};
    return Y ? orffi_lattice_fit_keep_outputs(fit, &rows, NULL) : orffi_lattice_fit_keep_rows(fit, &rows);
}

static orff_status read_warning(const orffi_fields *in, orffi_lattice_fit *fit) {
    const char *text;
    size_t warnings;
    ORFFI_TRY(orffi_fields_size(in, "warnings", &warnings));
    ORFFI_TRY(orffi_fields_text(in, "warning", &text));
    fit->warnings = (unsigned)warnings & ORFF_WARN_BAND_LIMIT;
    snprintf(fit->warning, sizeof fit->warning, "%s", text);
    return ORFF_OK;
}

static orff_status fill(const orffi_fields *in, orffi_lattice_fit *fit) {
    const double *data;
    size_t draws, rows;
    bool posterior;
    ORFFI_TRY(orffi_fields_number(in, "shift", &fit->shift));
    ORFFI_TRY(orffi_fields_any_number(in, "kernel_error", &fit->kernel_error));
    if (!(fit->shift > 0.0)) return orffi_fields_fail(in, "shift", "is not positive");
    if (orffi_fields_has(in, "directed")) ORFFI_TRY(orffi_fields_flag(in, "directed", &fit->directed));
    if (fit->directed && fit->p > ORFF_LATTICE_OUTPUTS)
        return orffi_fields_fail(in, "directed", "is not for so many outputs");
    ORFFI_TRY(find_modes(in->archive, "modes", fit->p, fit->H, &data));
    memcpy(fit->V, data, fit->p * fit->H * sizeof *fit->V);
    ORFFI_TRY(orffi_lattice_fit_finish(fit));
    ORFFI_TRY(read_warning(in, fit));
    ORFFI_TRY(orffi_fields_size(in, "draws", &draws));
    if (draws) ORFFI_TRY(read_samples(in, draws, fit));
    ORFFI_TRY(orffi_fields_size(in, "rows", &rows));
    if (rows) ORFFI_TRY(read_rows(in, rows, fit));
    ORFFI_TRY(orffi_fields_flag(in, "posterior", &posterior));
    return posterior ? read_factors(in, fit) : ORFF_OK;
}

orff_status orffi_lattice_load(void **out, const orffi_fields *model, const orff_kernel *kernel) {
    orffi_fields in;
    orffi_lattice lattice;
    orffi_lattice_fit *fit;
    double tolerance;
    const double *data;
    ORFFI_TRY(orffi_fft_require());
    ORFFI_TRY(orffi_fields_object(model, "lattice", &in));
    ORFFI_TRY(orffi_lattice_read(&in, kernel->d, &lattice));
    ORFFI_TRY(orffi_fields_number(&in, "tolerance", &tolerance));
    if (!(tolerance >= 1e-12 && tolerance <= 0.1))
        return orffi_fields_fail(&in, "tolerance", "is out of range");
    /* before memory is allocated for sizes that the file only claims */
    ORFFI_TRY(find_modes(in.archive, "modes", kernel->p, orffi_lattice_modes(&lattice), &data));
    ORFFI_TRY(orffi_lattice_fit_create(&fit, kernel, &lattice, tolerance));
    const orff_status status = fill(&in, fit);
    if (status) {
        orffi_lattice_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}
