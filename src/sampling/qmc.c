/* Scrambled Sobol and Halton points through the quantiles of the law. */
#include "sampling/qmc.h"

#include "sampling/scheme.h"

static orff_status check_dimensions(const orff_shape *shape, const char *name, size_t limit) {
    const size_t dims = shape->law->dim + shape->extras;
    if (dims <= limit) return ORFF_OK;
    return orff_fail(ORFF_UNSUPPORTED,
                     "%s points have at most %zu coordinates; %zu inputs of base %s need %zu: use %s", name,
                     limit, shape->law->dim, shape->law->base->name, dims,
                     shape->law->base->spherical ? "orthogonal or iid" : "iid");
}

static void sobol_point(const void *self, size_t j, double *u) {
    orff_sobol_scrambled(self, (uint32_t)j, u);
}

orff_status orff_draw_sobol(orff_frequencies *out, const orff_spectrum *law, const orff_recipe *recipe) {
    orff_shape shape;
    orff_sobol sobol;
    if (recipe->count > UINT32_MAX)
        return orff_fail(ORFF_UNSUPPORTED, "qmc sampling gives at most %lu frequencies; %zu were asked for",
                         (unsigned long)UINT32_MAX, recipe->count);
    ORFF_TRY(orff_shape_init(&shape, law, recipe));
    ORFF_TRY(check_dimensions(&shape, "Sobol", ORFF_SOBOL_MAX_DIM));
    ORFF_TRY(orff_sobol_init(&sobol, law->dim + shape.extras, orff_recipe_rng(recipe, ORFF_DRAW_SCRAMBLE),
                             orff_recipe_rng(recipe, ORFF_DRAW_FINE)));
    const orff_status status = orff_frequencies_fill(out, &shape, recipe, sobol_point, &sobol);
    orff_sobol_clear(&sobol);
    return status;
}

static void halton_point(const void *self, size_t j, double *u) {
    orff_halton_scrambled(self, j, u);
}

orff_status orff_draw_halton(orff_frequencies *out, const orff_spectrum *law, const orff_recipe *recipe) {
    orff_shape shape;
    orff_halton halton;
    ORFF_TRY(orff_shape_init(&shape, law, recipe));
    ORFF_TRY(check_dimensions(&shape, "Halton", ORFF_HALTON_MAX_DIM));
    ORFF_TRY(orff_halton_init(&halton, law->dim + shape.extras, orff_recipe_rng(recipe, ORFF_DRAW_SCRAMBLE),
                              orff_recipe_rng(recipe, ORFF_DRAW_FINE)));
    const orff_status status = orff_frequencies_fill(out, &shape, recipe, halton_point, &halton);
    orff_halton_clear(&halton);
    return status;
}
