/* Scrambled Sobol and Halton points through the quantiles of the law. */
#include "sampling/qmc.h"

#include "sampling/scheme.h"

static orff_status check_dimensions(const orffi_shape *shape, const char *name, size_t limit) {
    const size_t dims = shape->law->dim + shape->extras;
    if (dims <= limit) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "%s points have at most %zu coordinates; %zu inputs of base %s need %zu: use %s%s%s",
                      name, limit, shape->law->dim, orff_base_name(shape->law->base->id), dims,
                      shape->law->base->spherical ? orff_scheme_name(ORFF_SCHEME_ORTHOGONAL) : "",
                      shape->law->base->spherical ? " or " : "", orff_scheme_name(ORFF_SCHEME_IID));
}

static void sobol_point(const void *self, size_t j, double *u) {
    orffi_sobol_scrambled(self, (uint32_t)j, u);
}

static orff_status draw_sobol(orffi_frequencies *out, const orffi_spectrum *law, const orffi_recipe *recipe) {
    orffi_shape shape;
    orffi_sobol sobol;
    if (recipe->count > UINT32_MAX)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "qmc sampling gives at most %lu frequencies; %zu were asked for",
                          (unsigned long)UINT32_MAX, recipe->count);
    ORFFI_TRY(orffi_shape_init(&shape, law, recipe));
    ORFFI_TRY(check_dimensions(&shape, "Sobol", ORFFI_SOBOL_MAX_DIM));
    ORFFI_TRY(orffi_sobol_init(&sobol, law->dim + shape.extras, orffi_recipe_rng(recipe, ORFFI_DRAW_SCRAMBLE),
                               orffi_recipe_rng(recipe, ORFFI_DRAW_FINE)));
    const orff_status status = orffi_frequencies_fill(out, &shape, recipe, sobol_point, &sobol);
    orffi_sobol_clear(&sobol);
    return status;
}

static void halton_point(const void *self, size_t j, double *u) {
    orffi_halton_scrambled(self, j, u);
}

static orff_status draw_halton(orffi_frequencies *out, const orffi_spectrum *law,
                               const orffi_recipe *recipe) {
    orffi_shape shape;
    orffi_halton halton;
    ORFFI_TRY(orffi_shape_init(&shape, law, recipe));
    ORFFI_TRY(check_dimensions(&shape, "Halton", ORFFI_HALTON_MAX_DIM));
    ORFFI_TRY(orffi_halton_init(&halton, law->dim + shape.extras,
                                orffi_recipe_rng(recipe, ORFFI_DRAW_SCRAMBLE),
                                orffi_recipe_rng(recipe, ORFFI_DRAW_FINE)));
    const orff_status status = orffi_frequencies_fill(out, &shape, recipe, halton_point, &halton);
    orffi_halton_clear(&halton);
    return status;
}

const orffi_scheme orffi_scheme_qmc = {.draw = draw_sobol};
const orffi_scheme orffi_scheme_halton = {.draw = draw_halton};
