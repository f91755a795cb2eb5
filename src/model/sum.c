#include "model/sum.h"

#include "base/memory.h"

struct orff_sum {
    size_t count;
    orffi_term terms[2]; /* as many as in an orffi_deviation */
    double *mean;        /* p */
};

void orff_sum_free(orff_sum *sum) {
    if (!sum) return;
    for (size_t i = 0; i < sum->count; i++) orffi_term_clear(&sum->terms[i]);
    orffi_release(sum->mean);
    orffi_release(sum);
}

orff_status orffi_sum_create(orff_sum **out, const orff_model *model) {
    orff_sum *sum;
    ORFFI_TRY(ORFFI_NEW(sum));
    const orff_status status = ORFFI_NEW_ARRAY(sum->mean, model->p);
    if (status) {
        orff_sum_free(sum);
    } else {
        *out = sum;
    }
    return status;
}

/* ---- the user's units: x = shift + unit x' */

static void scale_waves(const orff_model *model, const double *spread, orffi_term *t) {
    const size_t d = model->d, p = model->p;
    for (size_t i = 0; i < t->waves * d; i++) t->omega[i] /= model->unit[i % d];
    for (size_t i = 0; i < t->waves * p; i++) {
        t->a[i] *= spread[i % p];
        t->b[i] *= spread[i % p];
    }
    for (size_t i = 0; i < d; i++) {
        t->origin[i] = model->shift[i] + model->unit[i] * t->origin[i];
        if (!t->steps) continue;
        t->steps[i] /= model->unit[i];
        t->inside[i] *= model->unit[i];
    }
}

/* Inputs of a field's space share one unit. -grad' grad'^T = unit^2 (-grad grad^T). */
static void scale_centres(const orff_model *model, const double *spread, orffi_term *t) {
    const size_t d = model->d, p = model->p;
    for (size_t i = 0; i < t->centres * d; i++) t->z[i] = model->shift[i % d] + model->unit[i % d] * t->z[i];
    for (size_t m = 0; m < t->parts; m++) {
        const orffi_kernel_part *part = &orffi_model_kernel(model)->parts[m];
        const double unit = part->rule->physical ? model->unit[part->law.space[0]] : 1.0;
        double *c = t->c + m * t->centres * p;
        for (size_t i = 0; i < t->centres * p; i++) c[i] *= unit * unit * spread[i % p];
    }
}

static void scale_nearest(const orff_model *model, const double *spread, orffi_term *t) {
    for (size_t i = 0; i < t->centres * model->d; i++)
        t->z[i] = model->shift[i % model->d] + model->unit[i % model->d] * t->z[i];
    for (size_t i = 0; i < model->p * t->axes; i++) t->turn[i] *= spread[i / t->axes];
}

orff_status orffi_sum_add(orff_sum *sum, const orff_model *model, const orffi_engine *engine, const void *fit,
                          const double *spread) {
    orffi_term *t = &sum->terms[sum->count++]; /* counted first, so that a half-made term is cleared too */
    ORFFI_TRY(engine->sum(fit, t));
    if (t->waves)
        scale_waves(model, spread, t);
    else if (t->nearest)
        scale_nearest(model, spread, t);
    else
        scale_centres(model, spread, t);
    return ORFF_OK;
}

/* ---- public functions */

orff_status orff_model_sum(const orff_model *model, orff_sum **out) {
    orff_sum *sum = NULL;
    if (!model || !out) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_sum: NULL argument");
    ORFFI_TRY(orffi_sum_create(&sum, model));
    for (size_t i = 0; i < model->p; i++) sum->mean[i] = model->mean[i];
    const orff_status status = orffi_sum_add(sum, model, model->engine, model->fit, model->spread);
    if (status) {
        orff_sum_free(sum);
    } else {
        *out = sum;
    }
    return status;
}

const double *orff_sum_mean(const orff_sum *sum) {
    return sum ? sum->mean : NULL;
}

size_t orff_sum_terms(const orff_sum *sum) {
    return sum ? sum->count : 0;
}

orff_term orff_sum_term(const orff_sum *sum, size_t i) {
    if (!sum || i >= sum->count) return (orff_term){0};
    const orffi_term *t = &sum->terms[i];
    return (orff_term){.waves = t->waves,
                       .omega = t->omega,
                       .a = t->a,
                       .b = t->b,
                       .origin = t->origin,
                       .steps = t->steps,
                       .most = t->most,
                       .inside = t->inside,
                       .centres = t->centres,
                       .z = t->z,
                       .c = t->c,
                       .along = t->along,
                       .across = t->across,
                       .nearest = t->nearest,
                       .axes = t->axes,
                       .y = t->y,
                       .turn = t->turn,
                       .noise = t->noise,
                       .weights = t->weights,
                       .amplitude = t->amplitude};
}
