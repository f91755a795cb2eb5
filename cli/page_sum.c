/* The sum that represents a model, as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "report.h"

/* ---- a lattice without its negligible waves */

/* The range of each k of a lattice: the last has no negative values. */
typedef struct box {
    size_t d;
    size_t most[3];
} box;

static box box_of(const orff_term *t, size_t d) {
    box b = {.d = d};
    for (size_t i = 0; i < d; i++) b.most[i] = t->most[i];
    return b;
}

static size_t size_of(const box *b) {
    size_t size = 1;
    for (size_t i = 0; i < b->d; i++) size *= (i + 1 < b->d ? 2 * b->most[i] : b->most[i]) + 1;
    return size;
}

/* k of wave j, in row-major order. */
static void place(const box *b, size_t j, long k[3]) {
    for (size_t i = b->d; i-- > 0;) {
        const size_t width = (i + 1 < b->d ? 2 * b->most[i] : b->most[i]) + 1;
        k[i] = (long)(j % width) - (i + 1 < b->d ? (long)b->most[i] : 0);
        j /= width;
    }
}

static size_t find(const box *b, const long k[3]) {
    size_t j = 0;
    for (size_t i = 0; i < b->d; i++) {
        const size_t width = (i + 1 < b->d ? 2 * b->most[i] : b->most[i]) + 1;
        j = j * width + (size_t)(k[i] + (i + 1 < b->d ? (long)b->most[i] : 0));
    }
    return j;
}

static double amplitude(const orff_term *t, size_t p, size_t j) {
    double sum = 0.0;
    for (size_t a = 0; a < p; a++) sum += fabs(t->a[j * p + a]) + fabs(t->b[j * p + a]);
    return sum;
}

/* The least |k_i| beyond which all waves together are below `rest`. */
static size_t cut(const orff_term *t, const box *all, size_t p, size_t i, double rest) {
    const size_t most = all->most[i];
    double *sums = cli_more(NULL, most + 1, sizeof *sums), beyond = 0.0;
    size_t m = most;
    for (size_t l = 0; l <= most; l++) sums[l] = 0.0;
    for (size_t j = 0; j < t->waves; j++) {
        long k[3];
        place(all, j, k);
        sums[labs(k[i])] += amplitude(t, p, j);
    }
    while (m > 0 && beyond + sums[m] <= rest) beyond += sums[m--];
    free(sums);
    return m;
}

static box narrowed(const orff_term *t, size_t d, size_t p, double tolerance) {
    const box all = box_of(t, d);
    box b = all;
    double total = 0.0;
    for (size_t j = 0; j < t->waves; j++) total += amplitude(t, p, j);
    for (size_t i = 0; i < d; i++) b.most[i] = cut(t, &all, p, i, tolerance * total / (double)d);
    return b;
}

static json_t *sizes(size_t n, const size_t *numbers) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_integer((json_int_t)numbers[i]));
    return list;
}

/* An infinite reach of a lattice becomes null in JSON. */
static json_t *reaches(size_t d, const double *inside) {
    json_t *list = json_array();
    for (size_t i = 0; i < d; i++)
        json_array_append_new(list, isfinite(inside[i]) ? json_real(inside[i]) : json_null());
    return list;
}

static json_t *lattice_of(const orff_term *t, size_t d, size_t p, bool single, double tolerance) {
    const box all = box_of(t, d), kept = narrowed(t, d, p, tolerance);
    const size_t count = size_of(&kept);
    double *a = cli_more(NULL, 2 * count * p, sizeof *a), *b = a + count * p;
    for (size_t j = 0; j < count; j++) {
        long k[3];
        place(&kept, j, k);
        const size_t from = find(&all, k);
        memcpy(a + j * p, t->a + from * p, p * sizeof *a);
        memcpy(b + j * p, t->b + from * p, p * sizeof *b);
    }
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", "harmonics", "most", sizes(d, kept.most),
                  "steps", cli_page_numbers(d, t->steps, false), "origin",
                  cli_page_numbers(d, t->origin, false), "inside", reaches(d, t->inside), "a",
                  cli_page_numbers(count * p, a, single), "b", cli_page_numbers(count * p, b, single));
    free(a);
    return object;
}

/* ---- other terms */

static json_t *waves_of(const orff_term *t, size_t d, size_t p, bool single) {
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", "waves", "omega",
                     cli_page_numbers(t->waves * d, t->omega, single), "origin",
                     cli_page_numbers(d, t->origin, false), "a", cli_page_numbers(t->waves * p, t->a, single),
                     "b", cli_page_numbers(t->waves * p, t->b, single));
}

/* Samples have the same places as the model. */
static json_t *centres_of(const orff_term *t, size_t d, size_t p, size_t parts, bool single) {
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", "centres", "z",
                     single ? json_null() : cli_page_numbers(t->centres * d, t->z, false), "c",
                     cli_page_numbers(parts * t->centres * p, t->c, single), "along",
                     cli_page_numbers(parts, t->along, false), "across",
                     cli_page_numbers(parts, t->across, false));
}

static json_t *nearest_of(const orff_term *t, size_t d, size_t p, size_t parts) {
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", "nearest", "nearest",
                     (json_int_t)t->nearest, "z", cli_page_numbers(t->centres * d, t->z, false), "y",
                     cli_page_numbers(t->centres * t->axes, t->y, false), "turn",
                     cli_page_numbers(p * t->axes, t->turn, false), "noise",
                     cli_page_numbers(t->axes, t->noise, false), "weights",
                     t->weights ? cli_page_numbers(t->centres, t->weights, false) : json_null(), "amplitude",
                     cli_page_numbers(parts, t->amplitude, false));
}

json_t *cli_page_sum(const orff_sum *sum, size_t d, size_t p, size_t parts, bool single, double tolerance) {
    json_t *list = json_array();
    for (size_t i = 0; i < orff_sum_terms(sum); i++) {
        const orff_term t = orff_sum_term(sum, i);
        json_array_append_new(list, t.nearest   ? nearest_of(&t, d, p, parts)
                                    : t.centres ? centres_of(&t, d, p, parts, single)
                                    : t.steps   ? lattice_of(&t, d, p, single, tolerance)
                                                : waves_of(&t, d, p, single));
    }
    return list;
}

/* ---- the trend */

static json_t *trend_terms(const orff_model *model, size_t count, size_t p, double *c) {
    json_t *factors = json_array();
    for (size_t i = 0; i < count; i++) {
        orff_trend_term term = {0};
        (void)orff_model_trend(model, i, &term);
        json_array_append_new(factors, sizes(term.factors, term.inputs));
        memcpy(c + i * p, term.coefficients, p * sizeof *c);
    }
    return factors;
}

json_t *cli_page_trend(const cli_applied *ap) {
    const size_t count = ap->info.trend_terms, p = ap->p;
    double *c = cli_more(NULL, count * p, sizeof *c);
    json_t *factors = trend_terms(ap->model, count, p, c);
    json_t *object = json_pack("{s:s, s:o, s:o, s:o}", "kind", "trend", "factors", factors, "centre",
                               cli_page_numbers(ap->info.inputs, ap->info.trend_centre, false), "c",
                               cli_page_numbers(count * p, c, false));
    free(c);
    return object;
}

/* ---- the kernel */

static bool is_known(const char *base) {
    for (const char *const *known = cli_page_bases; *known; known++)
        if (!strcmp(*known, base)) return true;
    return false;
}

static json_t *part_of(const orff_part *part, size_t d, size_t p) {
    return json_pack("{s:s, s:f, s:o, s:o}", "base", orff_base_short_name(part->base, part->shape), "shape",
                     part->shape, "sigmas", cli_page_numbers(d, part->sigmas, false), "space",
                     part->space ? sizes(p, part->space) : json_null());
}

json_t *cli_page_parts(const cli_applied *ap) {
    json_t *list = json_array();
    for (size_t m = 0; list && m < ap->info.parts; m++) {
        orff_part part;
        if (orff_model_part(ap->model, m, &part) || !part.sigmas ||
            !is_known(orff_base_short_name(part.base, part.shape))) {
            json_decref(list);
            list = NULL;
        } else {
            json_array_append_new(list, part_of(&part, ap->info.inputs, ap->p));
        }
    }
    return list;
}
