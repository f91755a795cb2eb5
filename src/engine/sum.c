/* Memory for a term. */
#include "engine/sum.h"

#include "base/memory.h"

orff_status orffi_term_waves(orffi_term *t, size_t count, size_t d, size_t p, bool lattice) {
    t->waves = count;
    ORFFI_TRY(orffi_alloc(&t->omega, count, d * sizeof *t->omega));
    ORFFI_TRY(orffi_alloc(&t->a, count, p * sizeof *t->a));
    ORFFI_TRY(orffi_alloc(&t->b, count, p * sizeof *t->b));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->origin, d));
    if (!lattice) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->steps, d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->most, d));
    return ORFFI_NEW_ARRAY(t->inside, d);
}

orff_status orffi_term_centres(orffi_term *t, size_t count, size_t parts, size_t d, size_t p) {
    t->centres = count;
    t->parts = parts;
    ORFFI_TRY(orffi_alloc(&t->z, count, d * sizeof *t->z));
    ORFFI_TRY(orffi_alloc(&t->c, count * p, parts * sizeof *t->c));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->along, parts));
    return ORFFI_NEW_ARRAY(t->across, parts);
}

orff_status orffi_term_nearest(orffi_term *t, size_t count, size_t parts, size_t axes, size_t d, size_t p,
                               bool weighted) {
    t->centres = count;
    t->parts = parts;
    t->axes = axes;
    ORFFI_TRY(orffi_alloc(&t->z, count, d * sizeof *t->z));
    ORFFI_TRY(orffi_alloc(&t->y, count, axes * sizeof *t->y));
    ORFFI_TRY(orffi_alloc(&t->turn, p, axes * sizeof *t->turn));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->noise, axes));
    if (weighted) ORFFI_TRY(ORFFI_NEW_ARRAY(t->weights, count));
    return ORFFI_NEW_ARRAY(t->amplitude, parts);
}

void orffi_term_clear(orffi_term *t) {
    double *all[] = {t->omega, t->a,      t->b, t->origin, t->steps, t->inside,  t->z,        t->c,
                     t->along, t->across, t->y, t->turn,   t->noise, t->weights, t->amplitude};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_release(t->most);
    *t = (orffi_term){0};
}
