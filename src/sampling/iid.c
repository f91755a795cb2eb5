/* Independent draws, through the quantiles of the law. */
#include "sampling/scheme.h"

typedef struct source {
    orffi_rng rng;
    size_t length;
} source;

static void point(const void *self, size_t j, double *u) {
    const source *s = self;
    for (size_t i = 0; i < s->length; i++) u[i] = orffi_rng_uniform(s->rng, j, (uint32_t)i);
}

static orff_status draw(orffi_frequencies *out, const orffi_spectrum *law, const orffi_recipe *recipe) {
    orffi_shape shape;
    ORFFI_TRY(orffi_shape_init(&shape, law, recipe));
    const source s = {orffi_recipe_rng(recipe, ORFFI_DRAW_POINT), law->dim + shape.extras};
    return orffi_frequencies_fill(out, &shape, recipe, point, &s);
}

const orffi_scheme orffi_scheme_iid = {.draw = draw};
