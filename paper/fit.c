/* Ridge by features, by the exact kernel or by a lattice, behind one face. */
#include <stdlib.h>

#include "paper.h"

static void solve_features(paper_fit *fit) {
    const orff_moments_settings settings = {0};
    orff_moments *moments;
    orff_ridge *ridge;
    fit->features = paper_features(fit->kernel, ORFF_SCHEME_IID, ORFF_SWITCH_NO, fit->D, fit->seed);
    fit->theta = paper_alloc(orff_features_describe(fit->features).parameters, sizeof *fit->theta);
    paper_must(orff_moments_create(&moments, fit->features, &settings), "moments");
    paper_must(orff_moments_accumulate(moments, fit->n, fit->X, fit->Y, NULL), "moments");
    paper_must(orff_ridge_create(&ridge, fit->features, moments, false), "ridge");
    paper_must(orff_ridge_solve(ridge, fit->lambda, fit->theta, NULL, NULL), "ridge");
    orff_ridge_free(ridge);
    orff_moments_free(moments);
}

orff_settings paper_lattice_settings(const orff_part *part, double lambda) {
    orff_settings settings = orff_settings_default();
    settings.engine = ORFF_ENGINE_LATTICE;
    settings.n_parts = 1;
    settings.parts = part;
    settings.lambda = lambda;
    settings.center = false;
    settings.scale_inputs = settings.scale_outputs = settings.posterior = ORFF_SWITCH_NO;
    return settings;
}

static void solve_lattice(paper_fit *fit) {
    const orff_settings settings = paper_lattice_settings(fit->lattice, fit->lambda);
    paper_must(orff_model_fit(&fit->model, &settings, orff_kernel_inputs(fit->kernel),
                              orff_kernel_outputs(fit->kernel), fit->n, fit->X, fit->Y, NULL),
               "lattice");
}

void paper_fit_solve(paper_fit *fit) {
    paper_fit_free(fit);
    if (fit->lattice)
        solve_lattice(fit);
    else if (fit->D)
        solve_features(fit);
    else
        paper_must(orff_exact_fit(&fit->exact, fit->kernel, fit->n, fit->X, fit->Y, fit->lambda, false,
                                  (size_t)PAPER_MOST_BYTES),
                   "exact ridge");
}

void paper_fit_predict(const paper_fit *fit, size_t n, const double *X, double *F) {
    if (fit->model)
        paper_must(orff_model_predict(fit->model, n, X, F), "prediction");
    else if (fit->exact)
        paper_must(orff_exact_predict(fit->exact, n, X, F), "prediction");
    else
        paper_must(orff_features_apply(fit->features, n, X, fit->theta, F), "prediction");
}

void paper_fit_free(paper_fit *fit) {
    orff_features_free(fit->features);
    orff_exact_free(fit->exact);
    orff_model_free(fit->model);
    free(fit->theta);
    fit->features = NULL;
    fit->exact = NULL;
    fit->model = NULL;
    fit->theta = NULL;
}
