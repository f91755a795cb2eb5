#include "engine/table.h"

#include <string.h>

#include "base/memory.h"

orff_status orffi_table_init(orffi_table *table, size_t n, size_t d, size_t p, bool weighted) {
    *table = (orffi_table){.n = n, .d = d, .p = p};
    ORFFI_TRY(orffi_alloc(&table->X, n, d * sizeof *table->X));
    ORFFI_TRY(orffi_alloc(&table->Y, n, p * sizeof *table->Y));
    return weighted ? ORFFI_NEW_ARRAY(table->weights, n) : ORFF_OK;
}

void orffi_table_clear(orffi_table *table) {
    orffi_release(table->X);
    orffi_release(table->Y);
    orffi_release(table->weights);
    memset(table, 0, sizeof *table);
}

double orffi_table_weight(const orffi_table *table) {
    double sum = 0.0;
    for (size_t i = 0; i < table->n; i++) sum += table->weights ? table->weights[i] : 1.0;
    return sum;
}

/* Twice the room, contents kept. */
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
