/* The difference of a posterior sample from the mean: a sum of fits. */
#include "engine/engine.h"

void orffi_deviation_add(orffi_deviation *deviation, const orffi_engine *engine, void *fit) {
    deviation->terms[deviation->count].engine = engine;
    deviation->terms[deviation->count++].fit = fit;
}

void orffi_deviation_clear(orffi_deviation *deviation) {
    for (size_t i = 0; i < deviation->count; i++) deviation->terms[i].engine->free(deviation->terms[i].fit);
    deviation->count = 0;
}

static void add(size_t size, const double *term, double *out) {
    for (size_t i = 0; i < size; i++) out[i] += term[i];
}

orff_status orffi_deviation_values(const orffi_deviation *deviation, size_t p, size_t n, const double *x,
                                   double *work, double *out) {
    for (size_t i = 0; i < deviation->count; i++) {
        ORFFI_TRY(deviation->terms[i].engine->values(deviation->terms[i].fit, n, x, i ? work : out));
        if (i) add(n * p, work, out);
    }
    return ORFF_OK;
}

orff_status orffi_deviation_derive(const orffi_deviation *deviation, const orffi_derived *what, size_t n,
                                   const double *x, double *work, double *out) {
    for (size_t i = 0; i < deviation->count; i++) {
        ORFFI_TRY(deviation->terms[i].engine->derive(deviation->terms[i].fit, what, n, x, i ? work : out));
        if (i) add(n * what->k, work, out);
    }
    return ORFF_OK;
}
