/* The automatic choices of a kernel for moments, whose frequencies or lattice must be known before the first row is added. */
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "moments/observed.h"

#define FREQUENCIES 300 /* scales are chosen to a few percent, which so many tell apart */

/* Every `step`-th of n rows of an array; NULL where there is none. */
static orff_status thin(const double *all, size_t n, size_t width, size_t step, double **few) {
    *few = NULL;
    if (!all) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*few, (n + step - 1) / step * width));
    for (size_t i = 0; i * step < n; i++)
        memcpy(*few + i * width, all + i * step * width, width * sizeof **few);
    return ORFF_OK;
}

/* Rows from all over the data: a lattice would otherwise take all of them for one choice. */
static orff_status fit_thinned(orff_model **model, const orff_settings *settings,
                               const orff_observations *o) {
    const size_t width = orffi_observed_width(o), step = (o->n - 1) / settings->subsample + 1;
    double *X = NULL, *Y = NULL, *directions = NULL, *errors = NULL, *weights = NULL;
    orff_status status = thin(o->X, o->n, o->d, step, &X);
    if (!status) status = thin(o->Y, o->n, width, step, &Y);
    if (!status) status = thin(o->directions, o->n, o->p, step, &directions);
    if (!status) status = thin(o->errors, o->n, width, step, &errors);
    if (!status) status = thin(o->weights, o->n, 1, step, &weights);
    const orff_observations few = {.d = o->d,
                                   .p = o->p,
                                   .n = (o->n - 1) / step + 1,
                                   .X = X,
                                   .Y = Y,
                                   .directions = directions,
                                   .errors = errors,
                                   .weights = weights};
    if (!status) status = orff_model_fit_observations(model, settings, &few);
    double *made[] = {X, Y, directions, errors, weights};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) orffi_release(made[i]);
    return status;
}

orff_status orff_model_probe(orff_model **model, const orff_settings *settings,
                             const orff_observations *rows) {
    if (!model || !settings || !rows || !rows->X || !rows->Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_probe: NULL argument");
    if (!rows->n) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to choose a kernel from");
    orff_settings quick = *settings;
    quick.posterior = ORFF_SWITCH_NO;
    quick.checkpoint = NULL;
    quick.resume = false;
    if (settings->engine == ORFF_ENGINE_LATTICE && settings->subsample)
        return fit_thinned(model, &quick, rows);
    if (settings->engine != ORFF_ENGINE_EXACT) {
        quick.sampling.features = FREQUENCIES;
        quick.sampling.omega = NULL;
    }
    return orff_model_fit_observations(model, &quick, rows);
}
