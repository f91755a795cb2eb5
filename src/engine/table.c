#include "engine/table.h"

#include <string.h>

#include "base/memory.h"

orff_status orffi_table_init(orffi_table *table, size_t n, size_t d, size_t p, bool weighted) {
    *table = (orffi_table){.n = n, .d = d, .p = p};
    ORFFI_TRY(orffi_alloc(&table->X, n, d * sizeof *table->X));
    ORFFI_TRY(orffi_alloc(&table->Y, n, p * sizeof *table->Y));
    return weighted ? ORFFI_NEW_ARRAY(table->weights, n) : ORFF_OK;
}

orff_status orffi_table_init_directed(orffi_table *table, size_t n, size_t d, size_t p) {
    *table = (orffi_table){.n = n, .d = d, .p = p};
    ORFFI_TRY(orffi_alloc(&table->X, n, d * sizeof *table->X));
    ORFFI_TRY(ORFFI_NEW_ARRAY(table->Y, n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(table->weights, n));
    return orffi_alloc(&table->along, n, p * sizeof *table->along);
}

orff_status orffi_table_init_like(orffi_table *table, size_t n, const orffi_table *like) {
    ORFFI_TRY(like->along ? orffi_table_init_directed(table, n, like->d, like->p)
                          : orffi_table_init(table, n, like->d, like->p, like->weights != NULL));
    table->N = like->n ? like->N * ((double)n / (double)like->n) : 0.0;
    if (like->set) ORFFI_TRY(ORFFI_NEW_ARRAY(table->set, n));
    if (like->known) ORFFI_TRY(ORFFI_NEW_ARRAY(table->known, n));
    return like->instrument ? ORFFI_NEW_ARRAY(table->instrument, n) : ORFF_OK;
}

void orffi_table_copy_row(orffi_table *table, size_t to, const orffi_table *other, size_t from) {
    const size_t d = table->d, p = table->p, width = orffi_table_width(table);
    memcpy(table->X + to * d, other->X + from * d, d * sizeof *table->X);
    memcpy(table->Y + to * width, other->Y + from * width, width * sizeof *table->Y);
    if (table->weights) table->weights[to] = other->weights[from];
    if (table->known) table->known[to] = other->known[from];
    if (table->instrument) table->instrument[to] = other->instrument[from];
    if (table->set) table->set[to] = other->set[from];
    if (table->along) memcpy(table->along + to * p, other->along + from * p, p * sizeof *table->along);
}

void orffi_table_clear(orffi_table *table) {
    orffi_release(table->X);
    orffi_release(table->Y);
    orffi_release(table->weights);
    orffi_release(table->along);
    orffi_release(table->points);
    orffi_release(table->known);
    orffi_release(table->instrument);
    orffi_release(table->set);
    memset(table, 0, sizeof *table);
}

double orffi_table_weight(const orffi_table *table) {
    double sum = 0.0;
    if (table->along) return table->N;
    for (size_t i = 0; i < table->n; i++) sum += table->weights ? table->weights[i] : 1.0;
    return sum;
}

orff_status orffi_table_mean(const orffi_table *t, double *mean) {
    const orffi_directed rows = orffi_table_directed(t);
    const size_t p = t->p;
    double all = 0.0;
    memset(mean, 0, p * sizeof *mean);
    if (t->along) return orffi_directed_mean(&rows, p, t->weights, t->Y, mean);
    for (size_t i = 0; i < t->n; i++) {
        const double weight = t->weights ? t->weights[i] : 1.0;
        for (size_t k = 0; k < p; k++) mean[k] += weight * t->Y[i * p + k];
        all += weight;
    }
    for (size_t k = 0; k < p; k++) mean[k] = all > 0.0 ? mean[k] / all : 0.0;
    return ORFF_OK;
}

void orffi_table_subtract(orffi_table *t, const double *mean) {
    const size_t p = t->p;
    for (size_t i = 0; i < t->n * p; i++)
        t->Y[t->along ? i / p : i] -= mean[i % p] * (t->along ? t->along[i] : 1.0);
}

/* Doubles the room and keeps the contents. */
static orff_status grow(orffi_table *table, size_t used) {
    orffi_table bigger = {0};
    orff_status status = orffi_table_init(&bigger, 2 * table->n, table->d, table->p, table->weights != NULL);
    if (status) {
        orffi_table_clear(&bigger);
        return status;
    }
    memcpy(bigger.X, table->X, used * table->d * sizeof *table->X);
    memcpy(bigger.Y, table->Y, used * table->p * sizeof *table->Y);
    if (table->weights) memcpy(bigger.weights, table->weights, used * sizeof *table->weights);
    orffi_table_clear(table);
    *table = bigger;
    return ORFF_OK;
}

orff_status orffi_table_gather(orffi_table *table, const orff_reader *reader, size_t expected, size_t d,
                               size_t p) {
    size_t used = 0, n = 1;
    orff_status status = orffi_table_init(table, expected + 1, d, p, reader->weighted);
    while (!status && n) {
        n = 0;
        const int code = reader->read(reader->self, table->n - used, table->X + used * d, table->Y + used * p,
                                      table->weights ? table->weights + used : NULL, &n);
        if (code)
            status = orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %zu", code, used);
        used += n;
        if (!status && used == table->n) status = grow(table, used);
    }
    table->n = used;
    return status;
}
