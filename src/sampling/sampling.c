/* The table of schemes, and what they have in common. */
#include "sampling/sampling.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/threads.h"
#include "sampling/hadamard.h"
#include "sampling/scheme.h"

const orffi_scheme orffi_scheme_auto = {.draw = NULL};

static const orffi_scheme *const schemes[ORFF_SCHEME_COUNT] = {
#define SCHEME_OF(name, file, text) &orffi_scheme_##file,
    ORFF_SCHEME_LIST(SCHEME_OF)
#undef SCHEME_OF
};

static const char *const names[] = {ORFF_SCHEME_LIST(ORFFI_NAME_OF_FILE) NULL};

static const orffi_scheme *find(orff_scheme scheme) {
    return (unsigned)scheme < ORFF_SCHEME_COUNT ? schemes[scheme] : NULL;
}

bool orffi_is_quadrature(orff_scheme scheme) {
    const orffi_scheme *found = find(scheme);
    return found && found->quadrature;
}

bool orffi_importance_serves(orff_scheme scheme, size_t space) {
    const orffi_scheme *found = find(scheme);
    return !found || space >= found->least_space;
}

/* ---- public */

const char *orff_scheme_name(orff_scheme scheme) {
    return (unsigned)scheme < ORFF_SCHEME_COUNT ? names[scheme] : NULL;
}

const char *const *orff_scheme_names(void) {
    return names;
}

orff_status orff_scheme_parse(const char *name, orff_scheme *scheme) {
    size_t place;
    if (!scheme) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_scheme_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("sampling scheme", name, names, &place));
    *scheme = (orff_scheme)place;
    return ORFF_OK;
}

orff_sampling orff_sampling_default(void) {
    return (orff_sampling){.scheme = ORFF_SCHEME_AUTO, .features = 1000, .importance = ORFF_SWITCH_AUTO};
}

/* ---- drawing */

/* Low-discrepancy points are better up to about this many inputs, orthogonal blocks above. */
#define AUTO_QMC_INPUTS 12

static orff_scheme choose(const orffi_spectrum *law) {
    if (law->period) return ORFF_SCHEME_GRID;
    if (law->dim <= AUTO_QMC_INPUTS) return ORFF_SCHEME_QMC;
    return law->base->spherical ? ORFF_SCHEME_ORTHOGONAL : ORFF_SCHEME_IID;
}

static orff_status check(const orffi_spectrum *law, const orffi_recipe *recipe) {
    if ((unsigned)recipe->scheme >= ORFF_SCHEME_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no sampling scheme number %d",
                          (int)recipe->scheme);
    const orffi_scheme *ops = schemes[recipe->scheme];
    if (recipe->count < 1 && !ops->quadrature)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s sampling needs at least one frequency",
                          names[recipe->scheme]);
    if (law->period && !ops->quadrature)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "the frequencies of a periodic input are its harmonics, which %s sampling does not draw: use %s",
            names[recipe->scheme], names[ORFF_SCHEME_GRID]);
    if (law->centre && ops->around_0)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "%s sampling does not draw the frequencies of a part with a wavelength: use %s or %s",
            names[recipe->scheme], names[ORFF_SCHEME_QMC], names[ORFF_SCHEME_IID]);
    if (ops->spherical_only && !law->base->spherical)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "%s sampling needs a spherical law; the coordinates of base %s are independent instead, so "
            "direction and length of w are not: use %s or %s",
            names[recipe->scheme], orff_base_name(law->base->id), names[ORFF_SCHEME_QMC],
            names[ORFF_SCHEME_IID]);
    return ORFF_OK;
}

/* Shifts frequencies by the centre. Each one also represents its mirror image. */
static void shift(orffi_frequencies *out, const orffi_spectrum *law) {
    for (size_t i = 0; law->centre && i < out->count * out->dim; i++)
        out->omega[i] += law->centre[i % out->dim];
}

orff_status orffi_frequencies_draw(orffi_frequencies *out, const orffi_spectrum *law,
                                   const orffi_recipe *recipe) {
    orffi_recipe definite = *recipe;
    if (definite.scheme == ORFF_SCHEME_AUTO) definite.scheme = choose(law);
    memset(out, 0, sizeof *out);
    ORFFI_TRY(check(law, &definite));
    out->dim = law->dim;
    out->scheme = definite.scheme;
    out->importance = definite.importance && !schemes[definite.scheme]->quadrature;
    const orff_status status = schemes[definite.scheme]->draw(out, law, &definite);
    if (status)
        orffi_frequencies_clear(out);
    else
        shift(out, law);
    return status;
}

void orffi_frequencies_clear(orffi_frequencies *f) {
    orffi_release(f->omega);
    orffi_release(f->weight);
    orffi_structured_free(f->structured);
    memset(f, 0, sizeof *f);
}

orff_status orffi_frequencies_row(const orffi_frequencies *f, size_t j, double *omega) {
    if (f->structured) return orffi_structured_row(f->structured, j, omega);
    memcpy(omega, f->omega + j * f->dim, f->dim * sizeof *omega);
    return ORFF_OK;
}

/* ---- shared by the schemes */

/* Group numbers start from 0 and are small, so the purpose goes into the high bits. */
orffi_rng orffi_recipe_rng(const orffi_recipe *recipe, orffi_purpose purpose) {
    return (orffi_rng){.seed = recipe->seed, .stream = recipe->stream ^ ((uint32_t)purpose << 24)};
}

orff_status orffi_frequencies_allocate(orffi_frequencies *out, const orffi_spectrum *law,
                                       const orffi_recipe *recipe) {
    size_t entries;
    ORFFI_TRY(orffi_multiply(recipe->count, law->dim, &entries));
    ORFFI_TRY(ORFFI_NEW_ARRAY(out->omega, entries));
    ORFFI_TRY(ORFFI_NEW_ARRAY(out->weight, recipe->count));
    out->count = recipe->count;
    return ORFF_OK;
}

orff_status orffi_frequencies_fill(orffi_frequencies *out, const orffi_shape *shape,
                                   const orffi_recipe *recipe, orffi_point_fn *point, const void *self) {
    const int threads = orffi_thread_count();
    const size_t d = shape->law->dim, length = d + shape->extras;
    double *scratch;
    ORFFI_TRY(orffi_frequencies_allocate(out, shape->law, recipe));
    ORFFI_TRY(ORFFI_NEW_ARRAY(scratch, (size_t)threads * length)); /* one point per thread */
#pragma omp parallel num_threads(threads)
    {
        double *u = scratch + (size_t)orffi_thread_index() * length;
#pragma omp for schedule(static)
        for (size_t j = 0; j < out->count; j++) {
            point(self, j, u);
            out->weight[j] = orffi_shape_uniforms(shape, u, out->omega + j * d);
        }
    }
    orffi_release(scratch);
    return ORFF_OK;
}

void orffi_shape_extra(const orffi_shape *shape, orffi_rng rng, size_t j, double *extra) {
    for (size_t i = 0; i < shape->extras; i++) extra[i] = orffi_rng_uniform(rng, j, (uint32_t)i);
}
