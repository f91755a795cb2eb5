/* Moments as a sequence of numbers, for sums over processes: the rows of every set, then of each set T, R and
 * the upper triangle of S, row by row. If there are rows that are not whole, their counts follow, and for
 * each set the sums of moments/parted.h. */
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "moments/moments.h"

static uint64_t set_size(const orff_moments *m) {
    const uint64_t L = 2 * m->bank->D, side = m->p + 1;
    const uint64_t pairs = m->sets[0].parted.pairs;
    const uint64_t parted = pairs ? 3 + side * side + (pairs + m->p) * L + pairs * L * L : 0;
    return side * side + L * side + L * (L + 1) / 2 + parted;
}

uint64_t orff_moments_size(const orff_moments *m) {
    return m->n_sets * (1 + set_size(m)) + (orffi_moments_is_parted(m) ? 4 : 0);
}

static void visit_set(orffi_numbers *w, const orff_moments *m, orffi_moment_set *set) {
    const size_t L = 2 * m->bank->D, side = m->p + 1;
    orffi_numbers_pass(w, side * side, set->T);
    orffi_numbers_pass(w, L * side, set->R);
    for (size_t i = 0; i < L && !orffi_numbers_done(w); i++) orffi_numbers_pass(w, L - i, set->S + i * L + i);
    orffi_parted *parted = &set->parted;
    if (!parted->pairs) return;
    orffi_numbers_pass_count(w, &parted->rows);
    orffi_numbers_pass(w, 1, &parted->weight);
    orffi_numbers_pass(w, 1, &parted->logs);
    orffi_numbers_pass(w, side * side, parted->T);
    orffi_numbers_pass(w, (parted->pairs + m->p) * L, parted->R);
    orffi_numbers_pass(w, parted->pairs * L * L, parted->S);
}

/* Writes to the sets only if w reads numbers into them. */
static orff_status visit(orffi_numbers *w, const orff_moments *m, orffi_parted_counts *counts) {
    *counts = m->counts;
    double errors = counts->errors ? 1.0 : 0.0; /* a sum greater than 0 means that some have errors */
    ORFFI_TRY(orffi_numbers_check(w, orff_moments_size(m)));
    for (size_t k = 0; k < m->n_sets; k++) orffi_numbers_pass_count(w, &m->sets[k].rows);
    if (orffi_moments_is_parted(m)) {
        orffi_numbers_pass_count(w, &counts->rows);
        orffi_numbers_pass(w, 1, &counts->N);
        orffi_numbers_pass(w, 1, &counts->plain);
        orffi_numbers_pass(w, 1, &errors);
        counts->errors = errors > 0.0;
    }
    for (size_t k = 0; k < m->n_sets; k++)
        if (!orffi_numbers_skip(w, set_size(m))) visit_set(w, m, &m->sets[k]);
    return ORFF_OK;
}

orff_status orff_moments_get(const orff_moments *m, uint64_t first, size_t count, double *numbers) {
    orffi_numbers w = {.first = first, .count = count, .out = numbers};
    if (!m || !numbers) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_get: NULL argument");
    return visit(&w, m, &(orffi_parted_counts){0});
}

orff_status orff_moments_set(orff_moments *m, uint64_t first, size_t count, const double *numbers) {
    orffi_numbers w = {.first = first, .count = count, .in = numbers};
    orffi_parted_counts counts;
    if (!m || !numbers) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_set: NULL argument");
    ORFFI_TRY(visit(&w, m, &counts));
    m->counts = counts;
    m->arrived = counts.rows;
    for (size_t k = 0; k < m->n_sets; k++) m->arrived += m->sets[k].rows;
    return ORFF_OK;
}

/* Adds what check_match of moments.c compares, except for the last digits of frequencies, which processors
 * may round differently. */
static void add_group(orffi_digest *digest, const orffi_bank_group *group) {
    const orffi_spectrum *law = &group->law;
    const double what[] = {law->base ? (double)law->base->id : -1.0,
                           law->shape,
                           (double)group->drawn.scheme,
                           (double)group->drawn.count,
                           (double)(group->recipe.seed >> 32),
                           (double)(group->recipe.seed & UINT32_MAX),
                           (double)group->drawn.importance};
    orffi_digest_add(digest, sizeof what / sizeof *what, what);
    if (law->base) {
        orffi_digest_add(digest, law->dim, law->scale);
        if (law->centre) orffi_digest_add(digest, law->dim, law->centre);
    } else if (group->drawn.omega) {
        orffi_digest_add(digest, group->drawn.count * group->drawn.dim, group->drawn.omega);
    }
}

uint64_t orff_moments_digest(const orff_moments *m) {
    const double sizes[] = {(double)m->bank->d,
                            (double)m->p,
                            (double)m->bank->D,
                            (double)m->sets[0].parted.pairs,
                            (double)m->n_sets,
                            m->n_sets > 1 ? (double)(m->settings.seed >> 32) : 0.0,
                            m->n_sets > 1 ? (double)(m->settings.seed & UINT32_MAX) : 0.0,
                            (double)m->settings.single,
                            m->settings.plane ? 1.0 : 0.0,
                            m->plane.lon,
                            m->plane.lat};
    orffi_digest digest = {0};
    orffi_digest_add(&digest, sizeof sizes / sizeof *sizes, sizes);
    for (size_t i = 0; i < strlen(m->plane.crs); i++) {
        const double letter = (double)m->plane.crs[i];
        orffi_digest_add(&digest, 1, &letter);
    }
    for (size_t g = 0; g < m->bank->n_groups; g++) add_group(&digest, &m->bank->groups[g]);
    return digest.a ^ digest.b;
}
