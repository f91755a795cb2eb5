/* The lattice engine: its table of functions. */
#include "engine/lattice.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "lattice/fft.h"

/* ---- what it can do */

static orff_status suits(const orff_settings *s, size_t d, size_t p, size_t rows, size_t *bytes) {
    (void)rows;
    const size_t few = d < ORFF_LATTICE_INPUTS ? d : ORFF_LATTICE_INPUTS;
    const double fine = pow(4.0, (double)few) *
                        (double)orffi_lattice_most(few); /* four points per unknown, along each input */
    const double grids = 8.0 * fine * (double)(p + 1) * (double)(s->folds + 1);
    *bytes = grids < (double)(SIZE_MAX / 2) ? (size_t)grids : SIZE_MAX;
    ORFFI_TRY(orffi_fft_require());
    if (d > ORFF_LATTICE_INPUTS)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s engine is for up to %d inputs, but there are %zu; use the engine %s",
                          orff_engine_name(ORFF_ENGINE_LATTICE), ORFF_LATTICE_INPUTS, d,
                          orff_engine_name(ORFF_ENGINE_FEATURES));
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s engine is for the squared loss; for %s use %s",
                          orff_engine_name(ORFF_ENGINE_LATTICE), orff_loss_name(s->loss),
                          orff_engine_name(ORFF_ENGINE_FEATURES));
    if (s->solver != ORFF_SOLVER_AUTO)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s solver belongs to the engine %s, not to %s",
                          orff_solver_name(s->solver), orff_engine_name(ORFF_ENGINE_FEATURES),
                          orff_engine_name(ORFF_ENGINE_LATTICE));
    for (size_t m = 0; m < s->n_parts; m++)
        if (orffi_part_is_hermitian(&s->parts[m]))
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "the %s engine has no kernels with complex blocks; use %s or %s",
                              orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(ORFF_ENGINE_EXACT),
                              orff_engine_name(ORFF_ENGINE_FEATURES));
    for (size_t m = 0; m < s->n_parts; m++)
        if (s->parts[m].wavelengths || s->parts[m].learn_wavelengths)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "the %s engine has no parts with wavelengths; use %s or %s",
                              orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(ORFF_ENGINE_EXACT),
                              orff_engine_name(ORFF_ENGINE_FEATURES));
    if (s->single)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "lattices are computed in double precision, not in single");
    return ORFF_OK;
}

static bool compares(const orff_kernel *kernel, size_t rows) {
    (void)kernel, (void)rows;
    return false;
}

/* ---- the fit */

static void warn(const orffi_lattice_rows *r, orffi_lattice_fit *fit) {
    if (!r->quality.band_limited || r->quality.cut < 0.01 || r->local) return;
    fit->warnings |= ORFF_WARN_BAND_LIMIT;
    snprintf(fit->warning, sizeof fit->warning,
             "the lattice leaves out waves with %.2g of the kernel's variance: they are shorter than the "
             "rows resolve, or than %zu modes can represent",
             r->quality.cut, orffi_lattice_unknowns(&fit->lattice));
}

/* Says what helps if the iterations for directed rows ended too soon. */
static void warn_unconverged(const orff_solve_info *solve, double numbers) {
    orffi_log(
        ORFF_LOG_WARNING,
        "the solution did not converge: after %zu iterations a residual of %.2g is left. What helps: the "
        "engine %s, whose matrix takes %.2g GB; complete rows without errors; more noise, by a larger "
        "lambda; a smoother base; more iterations",
        solve->iterations, solve->residual, orff_engine_name(ORFF_ENGINE_EXACT), 8e-9 * numbers * numbers);
}

static void fill_solve(const orffi_lattice_rows *r, double lambda, const orffi_lattice_solution *found,
                       orffi_report *report) {
    const bool direct = !r->keeps && orffi_lattice_block_is_all(&r->block);
    memcpy(report->mean, r->mean, r->kernel->p * sizeof *r->mean);
    report->N = orffi_lattice_observed(r) / (r->directed > 0.0 ? (double)r->kernel->p : 1.0);
    report->rows = r->keeps ? r->table->n : r->total.rows;
    report->lambda = lambda;
    report->dof = found->dof;
    report->log_evidence = found->log_evidence;
    report->solve = (orff_solve_info){.method = direct     ? "lattice-cholesky"
                                                : r->local ? "lattice-neighbours"
                                                : r->keeps ? "lattice-neighbours-pcg"
                                                           : "lattice-block-pcg",
                                      .iterations = found->iterations.done,
                                      .residual = found->iterations.reached,
                                      .converged = found->iterations.reached <=
                                                   fmax(r->task.settings->tolerance, FINEST_RESIDUAL)};
    if (!report->solve.converged && r->directed > 0.0 && !r->task.scores)
        warn_unconverged(&report->solve, (double)report->rows);
}

static orff_status fill_summed(orffi_lattice_rows *r, orffi_lattice_fit *fit, double lambda,
                               orffi_report *report) {
    const size_t p = r->moments->p;
    orffi_lattice_solution found;
    ORFFI_TRY(orffi_lattice_solve_at(r, lambda, true, &found));
    orffi_lattice_system_field(&r->system, r->theta, fit->V);
    ORFFI_TRY(orffi_lattice_errors(&r->system, &r->total, p, r->mean, fit->V, report->train_mse));
    for (size_t a = 0; a < p; a++) report->train_mse[a] /= orffi_lattice_observed(r);
    if (report->evident && !r->moments->directed) orffi_lattice_noises(r, report->evident);
    fill_solve(r, lambda, &found, report);
    ORFFI_TRY(orffi_lattice_keep_posterior(r, fit, lambda));
    report->crossed = r->moments->n_sets > 1;
    return report->crossed ? orffi_lattice_cross(r, lambda, report->cv_mse) : ORFF_OK;
}

static orff_status fill_kept(orffi_lattice_rows *r, orffi_lattice_fit *fit, double lambda,
                             orffi_report *report) {
    orffi_lattice_solution found;
    ORFFI_TRY(orffi_kept_solve_at(r, lambda, !r->local, &found));
    ORFFI_TRY(orffi_kept_field(r, fit->V));
    ORFFI_TRY(orffi_kept_errors(r, lambda, report->train_mse, report->cv_mse));
    if (report->evident) orffi_kept_noises(r, lambda, report->evident);
    if (report->left) ORFFI_TRY(orffi_kept_left(r, lambda, report->left));
    report->crossed = true;
    fill_solve(r, lambda, &found, report);
    fit->shift = r->N * lambda;
    if (r->local) return orffi_lattice_fit_keep_outputs(fit, r->table, r->mean);
    if (r->task.settings->posterior == ORFF_SWITCH_NO) return ORFF_OK;
    return orffi_lattice_fit_keep_rows(fit, r->table);
}

static orff_status learn(void **out, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report) {
    orffi_lattice_rows *r = rows;
    orffi_lattice_fit *fit;
    ORFFI_TRY(orffi_lattice_bind_rows(r, kernel));
    ORFFI_TRY(orffi_lattice_fit_create(&fit, kernel, &r->lattice, r->transform));
    fit->directed = r->directed > 0.0;
    orff_status status = (r->keeps ? fill_kept : fill_summed)(r, fit, lambda, report);
    if (!status) status = orffi_lattice_fit_finish(fit);
    if (!status && !r->local) status = orffi_lattice_kernel_error(&r->system, r->extent, &fit->kernel_error);
    if (r->local) fit->kernel_error = NAN; /* the nearest rows use the exact kernel */
    warn(r, fit);
    if (status) {
        orffi_lattice_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}

static const orff_kernel *kernel_of(const void *fit) {
    return ((const orffi_lattice_fit *)fit)->kernel;
}

static orff_status check_finite(const void *self) {
    const orffi_lattice_fit *fit = self;
    return orffi_check_finite("modes", fit->p, 2 * fit->H, (const double *)fit->V);
}

static void describe(const void *self, orff_model_info *info) {
    const orffi_lattice_fit *fit = self;
    info->frequencies = orffi_lattice_unknowns(&fit->lattice);
    info->parameters = info->frequencies * fit->p;
    info->has_posterior = fit->posterior != NULL || fit->samples != NULL || fit->rows.n > 0;
    info->kept_samples = fit->posterior || fit->rows.n ? 0 : fit->draws;
    info->warnings = fit->warnings;
    info->warning = fit->warning;
    info->kernel_error = fit->kernel_error;
}

const orffi_engine orffi_engine_lattice = {
    .id = ORFF_ENGINE_LATTICE,
    .suits = suits,
    .compares = compares,
    .prepare = orffi_lattice_prepare,
    .read = orffi_lattice_read_rows,
    .serves = orffi_lattice_serves,
    .shares = orffi_lattice_shares,
    .borrow = orffi_lattice_borrow,
    .weight = orffi_lattice_weight,
    .evident = true,
    .size = orffi_lattice_size,
    .criterion = orffi_lattice_criterion,
    .learn = learn,
    .release = orffi_lattice_release,
    .kernel = kernel_of,
    .check_finite = check_finite,
    .describe = describe,
    .values = orffi_lattice_values,
    .covariance = orffi_lattice_covariance,
    .derive = orffi_lattice_derive,
    .derived_covariance = orffi_lattice_derived_covariance,
    .has_derived_covariance = orffi_lattice_has_derived_covariance,
    .draw = orffi_lattice_draw_samples,
    .sum = orffi_lattice_sum,
    .pack = orffi_lattice_pack,
    .add = orffi_lattice_add,
    .load = orffi_lattice_load,
    .free = orffi_lattice_fit_free,
};
