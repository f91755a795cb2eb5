/* Moments of a lattice as a row of numbers, for sums over processes: the rows of every set and the counts of
 * the record, then the logs, weight, T, rho and R of each set, and E of all. */
#include "base/digest.h"
#include "base/numbers.h"
#include "lattice/record.h"

static uint64_t set_size(const orffi_lattice_moments *m) {
    const uint64_t side = m->p + 1, rho = orffi_lattice_density_modes(&m->lattice);
    return 2 + side * side + 2 * orffi_lattice_pairs(m) * rho + 2 * m->p * orffi_lattice_modes(&m->lattice);
}

/* Number of modes in E. */
static uint64_t draws_size(const orffi_lattice_moments *m) {
    return m->draws * m->p * orffi_lattice_modes(&m->lattice);
}

uint64_t orff_lattice_moments_size(const orff_lattice_moments *m) {
    return 4 + m->sums->n_sets * (1 + set_size(m->sums)) + 2 * draws_size(m->sums);
}

/* A mode counts as two numbers. */
static void pass_modes(orffi_numbers *w, size_t count, orffi_mode *modes) {
    orffi_numbers_pass(w, 2 * count, (double *)modes);
}

static void visit_set(orffi_numbers *w, const orffi_lattice_moments *m, orffi_lattice_set *set) {
    orffi_numbers_pass(w, 1, &set->logs);
    orffi_numbers_pass(w, 1, &set->weight);
    orffi_numbers_pass(w, (m->p + 1) * (m->p + 1), set->T);
    pass_modes(w, orffi_lattice_pairs(m) * orffi_lattice_density_modes(&m->lattice), set->rho);
    pass_modes(w, m->p * orffi_lattice_modes(&m->lattice), set->R);
}

/* The counts of a record. */
typedef struct counts {
    uint64_t measured;
    double N, plain;
    double errors; /* greater than 0 if rows have errors */
} counts;

/* Writes to the sets and counts only if w reads numbers into them. */
static orff_status visit(orffi_numbers *w, const orff_lattice_moments *record, counts *c) {
    const orffi_lattice_moments *m = record->sums;
    *c = (counts){record->measured, record->N, record->plain, record->errors ? 1.0 : 0.0};
    ORFFI_TRY(orffi_numbers_check(w, orff_lattice_moments_size(record)));
    for (size_t k = 0; k < m->n_sets; k++) orffi_numbers_pass_count(w, &m->sets[k].rows);
    orffi_numbers_pass_count(w, &c->measured);
    orffi_numbers_pass(w, 1, &c->N);
    orffi_numbers_pass(w, 1, &c->plain);
    orffi_numbers_pass(w, 1, &c->errors);
    for (size_t k = 0; k < m->n_sets; k++)
        if (!orffi_numbers_skip(w, set_size(m))) visit_set(w, m, &m->sets[k]);
    pass_modes(w, draws_size(m), m->E);
    return ORFF_OK;
}

orff_status orff_lattice_moments_get(const orff_lattice_moments *m, uint64_t first, size_t count,
                                     double *numbers) {
    orffi_numbers w = {.first = first, .count = count, .out = numbers};
    if (!m || !numbers)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_get: NULL argument");
    return visit(&w, m, &(counts){0});
}

orff_status orff_lattice_moments_set(orff_lattice_moments *m, uint64_t first, size_t count,
                                     const double *numbers) {
    orffi_numbers w = {.first = first, .count = count, .in = numbers};
    counts c;
    if (!m || !numbers)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_set: NULL argument");
    ORFFI_TRY(visit(&w, m, &c));
    m->measured = c.measured;
    m->N = c.N;
    m->plain = c.plain;
    m->errors = c.errors > 0.0;
    return ORFF_OK;
}

uint64_t orff_lattice_moments_digest(const orff_lattice_moments *m) {
    const orffi_lattice *l = &m->sums->lattice;
    const double sizes[] = {(double)l->d,          (double)m->sums->p,      (double)m->sums->directed,
                            (double)m->folds,      (double)(m->seed >> 32), (double)(m->seed & UINT32_MAX),
                            (double)m->sums->draws};
    orffi_digest digest = {0};
    orffi_digest_add(&digest, sizeof sizes / sizeof *sizes, sizes);
    for (size_t i = 0; i < l->d; i++) {
        const double axis[] = {(double)l->m[i], l->period[i], l->center[i], l->inside[i]};
        orffi_digest_add(&digest, 4, axis);
    }
    return digest.a ^ digest.b;
}
