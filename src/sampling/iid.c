/* Independent draws, by the quantiles of the law. */
#include "sampling/scheme.h"

typedef struct source {
    orff_rng rng;
    size_t length;
} source;

static void point(const void *self, size_t j, double *u) {
    const source *s = self;
    for (size_t i = 0; i < s->length; i++) u[i] = orff_rng_uniform(s->rng, j, (uint32_t)i);
}

orff_status orff_draw_iid(orff_frequencies *out, const orff_spectrum *law, const orff_recipe *recipe) {
    orff_shape shape;
    ORFF_TRY(orff_shape_init(&shape, law, recipe));
    const source s = {orff_recipe_rng(recipe, ORFF_DRAW_POINT), law->dim + shape.extras};
    return orff_frequencies_fill(out, &shape, recipe, point, &s);
}
