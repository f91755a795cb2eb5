#include "model/tune_folds.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plane.h"
#include "model/blocks.h"
#include "moments/moments.h"

#define HALVINGS 8   /* how often blocks are halved while one fold has too many of the rows */
#define LARGEST  0.5 /* largest share of the rows in one fold: the model learns from the others */

/* ---- folds */

/* The places of the rows, in the units of the model's length scales. */
static orff_status find_places(double **places, const orff_model *model, const orff_observations *o) {
    double *vectors = NULL;
    ORFFI_TRY(orffi_duplicate(places, o->X, o->n * o->d, sizeof *o->X));
    if (!model->on_plane) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(&vectors, o->n, o->p * sizeof *vectors));
    const orff_status status = orffi_plane_rows(&model->plane, o->d, 0, o->n, *places, vectors);
    orffi_release(vectors);
    return status;
}

static double extent_of(const orff_observations *o, const double *places, size_t k) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < o->n; i++) {
        low = fmin(low, places[i * o->d + k]);
        high = fmax(high, places[i * o->d + k]);
    }
    return high - low;
}

static double shortest_scale(const orff_model *model, size_t k) {
    double least = INFINITY;
    for (size_t m = 0; m < orffi_model_kernel(model)->n_parts; m++) {
        const double sigma = model->user_sigmas[m * model->d + k];
        if (sigma > 0.0) least = fmin(least, sigma);
    }
    return least;
}

/* Assigns rows to folds. Returns the share of the rows in the largest fold. */
static double assign(const orff_moments_settings *how, const orff_observations *o, const double *places,
                     uint32_t *folds) {
    const size_t width = o->directions ? 1 : o->p;
    size_t most = 0;
    for (size_t i = 0; i < o->n; i++)
        folds[i] = (uint32_t)orffi_moments_fold(how, i, o->d, places + i * o->d, width, o->Y + i * width);
    for (size_t f = 0; f < how->folds; f++) {
        size_t count = 0;
        for (size_t i = 0; i < o->n; i++) count += folds[i] == f;
        if (count > most) most = count;
    }
    return (double)most / (double)o->n;
}

static void assign_blocks(orff_moments_settings *how, const orff_model *model, const orff_observations *o,
                          const double *places, double *sides, uint32_t *folds) {
    for (size_t k = 0; k < o->d; k++)
        sides[k] = orffi_blocks_side(o->d, how->folds, shortest_scale(model, k), extent_of(o, places, k));
    how->blocks = sides;
    for (size_t round = 0; assign(how, o, places, folds) > LARGEST; round++) {
        if (round == HALVINGS) {
            how->blocks = NULL;
            assign(how, o, places, folds);
            return;
        }
        for (size_t k = 0; k < o->d; k++) sides[k] /= 2.0;
    }
}

orff_status orffi_tune_folds(uint32_t **folds, const orff_model *model, const orff_settings *settings,
                             const orff_observations *o) {
    orff_moments_settings how = {.folds = settings->folds, .seed = settings->sampling.seed};
    const orff_folds by = settings->folds_by;
    double *places = NULL, *sides = NULL;
    orff_status status = ORFFI_NEW_ARRAY(*folds, o->n);
    if (!status) status = ORFFI_NEW_ARRAY(sides, o->d);
    if (!status) status = find_places(&places, model, o);
    if (by == ORFF_FOLDS_GROUPS || by == ORFF_FOLDS_AUTO) how.groups = settings->groups;
    if (!status && !how.groups && by != ORFF_FOLDS_RANDOM)
        assign_blocks(&how, model, o, places, sides, *folds);
    else if (!status && assign(&how, o, places, *folds) >= 1.0)
        status = orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                            "all rows are in one fold: there are too few groups or rows to leave some out; "
                            "tune without groups, or with another seed");
    orffi_release(places);
    orffi_release(sides);
    return status;
}

/* ---- the other rows */

/* Copies the rows of `size` bytes that are not in the fold; NULL stays NULL. */
static orff_status keep(void **out, const void *from, size_t size, size_t n, const uint32_t *folds,
                        uint32_t fold) {
    char *kept = NULL;
    size_t count = 0;
    if (!from) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(&kept, n, size));
    for (size_t i = 0; i < n; i++)
        if (folds[i] != fold) memcpy(kept + count++ * size, (const char *)from + i * size, size);
    *out = kept;
    return ORFF_OK;
}

orff_status orffi_tune_rest_make(orffi_tune_rest *rest, const orff_observations *o,
                                 const orff_settings *settings, const uint32_t *folds, uint32_t fold) {
    const size_t width = (o->directions ? 1 : o->p) * sizeof(double);
    const struct {
        const void *from;
        size_t size;
    } all[] = {{o->X, o->d * sizeof(double)},
               {o->Y, width},
               {o->directions, o->p * sizeof(double)},
               {o->weights, sizeof(double)},
               {o->errors, width},
               {o->instruments, sizeof *o->instruments},
               {settings->groups, sizeof *settings->groups},
               {settings->offset_groups, sizeof *settings->offset_groups}};
    *rest = (orffi_tune_rest){.observations = *o, .settings = *settings};
    for (size_t k = 0; k < ORFFI_TUNE_ARRAYS; k++)
        ORFFI_TRY(keep(&rest->arrays[k], all[k].from, all[k].size, o->n, folds, fold));
    orff_observations *out = &rest->observations;
    out->n = 0;
    for (size_t i = 0; i < o->n; i++) out->n += folds[i] != fold;
    out->X = rest->arrays[0];
    out->Y = rest->arrays[1];
    out->directions = rest->arrays[2];
    out->weights = rest->arrays[3];
    out->errors = rest->arrays[4];
    out->instruments = rest->arrays[5];
    rest->settings.groups = rest->arrays[6];
    rest->settings.offset_groups = rest->arrays[7];
    return ORFF_OK;
}

void orffi_tune_rest_clear(orffi_tune_rest *rest) {
    for (size_t k = 0; k < ORFFI_TUNE_ARRAYS; k++) orffi_release(rest->arrays[k]);
}
