/* The table of schemes, and what is common to all of them. */
#include "sampling/sampling.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "sampling/hadamard.h"
#include "sampling/scheme.h"

typedef struct scheme_ops {
    const char *name;
    orff_scheme_draw *draw;
    bool spherical_only;
} scheme_ops;

static const scheme_ops schemes[ORFF_SCHEME_COUNT] = {
    [ORFF_SAMPLING_AUTO] = {"auto", NULL, false},
    [ORFF_IID] = {"iid", orff_draw_iid, false},
    [ORFF_ORTHOGONAL] = {"orthogonal", orff_draw_orthogonal, true},
    [ORFF_QMC] = {"qmc", orff_draw_sobol, false},
    [ORFF_HALTON] = {"halton", orff_draw_halton, false},
    [ORFF_HADAMARD] = {"hadamard", orff_draw_hadamard, true},
    [ORFF_GRID] = {"grid", orff_draw_grid, false},
};

/* ---- public */

const char *orff_scheme_name(orff_scheme scheme) {
    return (unsigned)scheme < ORFF_SCHEME_COUNT ? schemes[scheme].name : NULL;
}

orff_status orff_scheme_parse(const char *name, orff_scheme *scheme) {
    if (!name || !scheme) return orff_fail(ORFF_INVALID_ARGUMENT, "orff_scheme_parse: NULL argument");
    for (int i = 0; i < ORFF_SCHEME_COUNT; i++) {
        if (strcmp(name, schemes[i].name) == 0) {
            *scheme = (orff_scheme)i;
            return ORFF_OK;
        }
    }
    return orff_fail(
        ORFF_INVALID_ARGUMENT,
        "there is no sampling scheme '%s'; there are auto, iid, orthogonal, qmc, halton, hadamard, grid",
        name);
}

orff_sampling orff_sampling_default(void) {
    return (orff_sampling){.scheme = ORFF_SAMPLING_AUTO, .features = 1000, .importance = ORFF_AUTO};
}

/* ---- drawing */

/* Low-discrepancy points are the better up to about this many inputs, orthogonal blocks above. */
#define AUTO_QMC_INPUTS 12

static orff_scheme choose(const orff_spectrum *law) {
    if (law->dim <= AUTO_QMC_INPUTS) return ORFF_QMC;
    return law->base->spherical ? ORFF_ORTHOGONAL : ORFF_IID;
}

static orff_status check(const orff_spectrum *law, const orff_recipe *recipe) {
    if ((unsigned)recipe->scheme >= ORFF_SCHEME_COUNT)
        return orff_fail(ORFF_INVALID_ARGUMENT, "there is no sampling scheme number %d", (int)recipe->scheme);
    const scheme_ops *ops = &schemes[recipe->scheme];
    if (recipe->count < 1 && recipe->scheme != ORFF_GRID)
        return orff_fail(ORFF_INVALID_ARGUMENT, "%s sampling needs at least one frequency", ops->name);
    if (ops->spherical_only && !law->base->spherical)
        return orff_fail(
            ORFF_UNSUPPORTED,
            "%s sampling needs a spherical law; the coordinates of base %s are independent instead, so "
            "direction and length of w are not: use qmc or iid",
            ops->name, law->base->name);
    return ORFF_OK;
}

orff_status orff_frequencies_draw(orff_frequencies *out, const orff_spectrum *law,
                                  const orff_recipe *recipe) {
    orff_recipe definite = *recipe;
    if (definite.scheme == ORFF_SAMPLING_AUTO) definite.scheme = choose(law);
    memset(out, 0, sizeof *out);
    ORFF_TRY(check(law, &definite));
    out->dim = law->dim;
    out->scheme = definite.scheme;
    out->importance = definite.importance && definite.scheme != ORFF_GRID;
    const orff_status status = schemes[definite.scheme].draw(out, law, &definite);
    if (status) orff_frequencies_clear(out);
    return status;
}

void orff_frequencies_clear(orff_frequencies *f) {
    orff_release(f->omega);
    orff_release(f->weight);
    orff_structured_free(f->structured);
    memset(f, 0, sizeof *f);
}

orff_status orff_frequencies_row(const orff_frequencies *f, size_t j, double *omega) {
    if (f->structured) return orff_structured_row(f->structured, j, omega);
    memcpy(omega, f->omega + j * f->dim, f->dim * sizeof *omega);
    return ORFF_OK;
}

/* ---- for the schemes */

/* Groups are numbered from 0 and few: the purpose goes in the high bits. */
orff_rng orff_recipe_rng(const orff_recipe *recipe, orff_purpose purpose) {
    return (orff_rng){.seed = recipe->seed, .stream = recipe->stream ^ ((uint32_t)purpose << 24)};
}

orff_status orff_frequencies_allocate(orff_frequencies *out, const orff_spectrum *law,
                                      const orff_recipe *recipe) {
    size_t entries;
    ORFF_TRY(orff_multiply(recipe->count, law->dim, &entries));
    ORFF_TRY(ORFF_NEW_ARRAY(out->omega, entries));
    ORFF_TRY(ORFF_NEW_ARRAY(out->weight, recipe->count));
    out->count = recipe->count;
    return ORFF_OK;
}

orff_status orff_frequencies_fill(orff_frequencies *out, const orff_shape *shape, const orff_recipe *recipe,
                                  orff_point_fn *point, const void *self) {
    const int threads = orff_thread_count();
    const size_t d = shape->law->dim, length = d + shape->extras;
    double *scratch;
    ORFF_TRY(orff_frequencies_allocate(out, shape->law, recipe));
    ORFF_TRY(ORFF_NEW_ARRAY(scratch, (size_t)threads * length)); /* one point a thread */
#pragma omp parallel num_threads(threads)
    {
        double *u = scratch + (size_t)omp_get_thread_num() * length;
#pragma omp for schedule(static)
        for (size_t j = 0; j < out->count; j++) {
            point(self, j, u);
            out->weight[j] = orff_shape_uniforms(shape, u, out->omega + j * d);
        }
    }
    orff_release(scratch);
    return ORFF_OK;
}

void orff_shape_extra(const orff_shape *shape, orff_rng rng, size_t j, double *extra) {
    for (size_t i = 0; i < shape->extras; i++) extra[i] = orff_rng_uniform(rng, j, (uint32_t)i);
}
