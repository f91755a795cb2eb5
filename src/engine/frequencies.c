/* The default number of frequencies. */
#include <string.h>

#include "engine/engine.h"

#define FEWEST         100
#define LARGEST_SYSTEM 2400 /* a handful of eigendecompositions then takes seconds, not minutes */

static bool same_scales(const orff_part *a, const orff_part *b, size_t d) {
    if (a->base != b->base || !a->sigmas != !b->sigmas) return false;
    return a->sigmas ? memcmp(a->sigmas, b->sigmas, d * sizeof *a->sigmas) == 0 : a->sigma == b->sigma;
}

/* Unknowns per frequency: parts with different length scales share out the frequencies among them. */
static double unknowns_for_each(const orff_settings *s, size_t d, size_t p) {
    double columns = 0.0;
    bool same = true;
    if (s->auto_kernel) return 2.0 * (double)p;
    if (s->n_parts == 0 || (s->n_parts == 1 && orff_rule_describe(s->parts[0].rule).separable)) return 2.0;
    for (size_t m = 0; m < s->n_parts; m++) {
        const size_t own = orff_rule_columns(s->parts[m].rule, p), given = s->parts[m].columns;
        columns += (double)(own ? own : given ? given : p);
        same = same && same_scales(&s->parts[m], &s->parts[0], d);
    }
    if (same) return 2.0 * (columns < (double)p ? columns : (double)p);
    return 2.0 * columns / (double)s->n_parts;
}

size_t orff_settings_features(const orff_settings *s, size_t d, size_t p, size_t rows) {
    size_t D = orff_sampling_default().features;
    if (!s || !p) return 0;
    if (s->sampling.features || orffi_is_quadrature(s->sampling.scheme)) return s->sampling.features;
    const size_t most = (size_t)(LARGEST_SYSTEM / unknowns_for_each(s, d, p));
    if (most < D) D = most;
    if (rows && rows / 2 < D) D = rows / 2; /* as many features as rows */
    return D < FEWEST ? FEWEST : D;
}
