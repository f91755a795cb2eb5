#include "lattice/moments.h"

#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/random.h"
#include "lattice/functionals.h"
#include "lattice/nufft.h"

#define BLOCK  32768   /* rows prepared at a time */
#define STREAM 0x4c41u /* of the random signs */
#define SEEN   ((size_t)1 << 20)

size_t orffi_lattice_density_modes(const orffi_lattice *l) {
    orffi_lattice twice = *l;
    for (size_t i = 0; i < l->d; i++) twice.m[i] = 2 * l->m[i];
    return orffi_lattice_modes(&twice);
}

size_t orffi_lattice_pairs(const orffi_lattice_moments *m) {
    return m->directed ? m->p * (m->p + 1) / 2 : 1;
}

/* ---- sets */

orff_status orffi_lattice_set_init(const orffi_lattice_moments *m, orffi_lattice_set *set) {
    const size_t H = orffi_lattice_modes(&m->lattice), side = m->p + 1;
    *set = (orffi_lattice_set){0};
    ORFFI_TRY(orffi_alloc(&set->rho, orffi_lattice_density_modes(&m->lattice) * sizeof *set->rho,
                          orffi_lattice_pairs(m)));
    ORFFI_TRY(orffi_alloc(&set->R, H * sizeof *set->R, m->p));
    return ORFFI_NEW_ARRAY(set->T, side * side);
}

void orffi_lattice_set_clear(orffi_lattice_set *set) {
    orffi_release(set->rho);
    orffi_release(set->R);
    orffi_release(set->T);
    *set = (orffi_lattice_set){0};
}

static void add_modes(size_t n, orffi_mode *to, double sign, const orffi_mode *from) {
    for (size_t i = 0; i < n; i++) to[i] += sign * from[i];
}

void orffi_lattice_set_add(const orffi_lattice_moments *m, orffi_lattice_set *out, double sign,
                           const orffi_lattice_set *set) {
    const size_t H = orffi_lattice_modes(&m->lattice), side = m->p + 1;
    add_modes(orffi_lattice_pairs(m) * orffi_lattice_density_modes(&m->lattice), out->rho, sign, set->rho);
    add_modes(m->p * H, out->R, sign, set->R);
    for (size_t i = 0; i < side * side; i++) out->T[i] += sign * set->T[i];
    out->weight += sign * set->weight;
    out->logs += sign * set->logs;
    out->rows = sign > 0.0 ? out->rows + set->rows : out->rows - set->rows;
}

/* ---- moments */

void orffi_lattice_moments_add(orffi_lattice_moments *into, double sign, const orffi_lattice_moments *other) {
    for (size_t f = 0; f < into->n_sets; f++)
        orffi_lattice_set_add(into, &into->sets[f], sign, &other->sets[f]);
    add_modes(into->draws * into->p * orffi_lattice_modes(&into->lattice), into->E, sign, other->E);
}

void orffi_lattice_moments_free(orffi_lattice_moments *m) {
    if (!m) return;
    for (size_t f = 0; m->sets && f < m->n_sets; f++) orffi_lattice_set_clear(&m->sets[f]);
    orffi_release(m->sets);
    orffi_release(m->low);
    orffi_release(m->high);
    orffi_release(m->E);
    orffi_lattice_functionals_free(m->functionals);
    orffi_release(m);
}

static orff_status fill(orffi_lattice_moments *m) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(m->low, m->lattice.d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(m->high, m->lattice.d));
    for (size_t i = 0; i < m->lattice.d; i++) {
        m->low[i] = INFINITY;
        m->high[i] = -INFINITY;
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(m->sets, m->n_sets));
    if (m->draws)
        ORFFI_TRY(orffi_alloc(&m->E, orffi_lattice_modes(&m->lattice) * sizeof *m->E, m->draws * m->p));
    for (size_t f = 0; f < m->n_sets; f++) ORFFI_TRY(orffi_lattice_set_init(m, &m->sets[f]));
    return ORFF_OK;
}

orff_status orffi_lattice_moments_create(orffi_lattice_moments **out, const orffi_lattice *lattice,
                                         const orffi_lattice_pass *pass) {
    orffi_lattice_moments *m;
    ORFFI_TRY(ORFFI_NEW(m));
    m->lattice = *lattice;
    m->p = pass->p;
    m->directed = pass->directed;
    m->draws = pass->draws;
    m->n_sets = pass->folds.folds > 1 ? pass->folds.folds : 1;
    const orff_status status = fill(m);
    if (status) {
        orffi_lattice_moments_free(m);
    } else {
        *out = m;
    }
    return status;
}

void orffi_lattice_moments_sum(const orffi_lattice_moments *m, size_t without, orffi_lattice_set *out) {
    for (size_t f = 0; f < m->n_sets; f++)
        if (f != without) orffi_lattice_set_add(m, out, 1.0, &m->sets[f]);
}

/* ---- rows */

/* How often a row with this digest has been added. */
struct seen {
    uint64_t digest, times;
};

struct orffi_lattice_sums {
    orffi_lattice_moments *moments;
    orff_moments_settings folds;
    size_t count; /* right-hand sides: pairs + p */
    size_t pairs;
    orffi_nufft **grids;  /* n_sets: one for each fold */
    orffi_nufft *signs;   /* draws p right-hand sides over all folds; NULL without draws */
    uint64_t rows;        /* added so far */
    double *z, *c, *e;    /* BLOCK x d, BLOCK x count, BLOCK x draws p, sorted by fold */
    struct seen *seen;    /* SEEN: if the signs of a row follow from its content; else NULL */
    size_t *fold, *place; /* BLOCK: for each row */
    size_t *start, *next; /* n_sets + 1: where the rows of each fold start, and where the next one goes */
};

void orffi_lattice_sums_free(orffi_lattice_sums *s) {
    if (!s) return;
    for (size_t f = 0; s->grids && f < s->moments->n_sets; f++) orffi_nufft_free(s->grids[f]);
    orffi_release(s->grids);
    orffi_release(s->z);
    orffi_release(s->c);
    orffi_nufft_free(s->signs);
    orffi_release(s->e);
    orffi_release(s->seen);
    orffi_release(s->fold);
    orffi_release(s->place);
    orffi_release(s->start);
    orffi_release(s->next);
    orffi_release(s);
}

static orff_status prepare(orffi_lattice_sums *s, const orffi_lattice_pass *pass) {
    const orffi_lattice *l = &s->moments->lattice;
    size_t twice[ORFF_LATTICE_INPUTS];
    for (size_t i = 0; i < l->d; i++) twice[i] = 2 * l->m[i];
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->grids, s->moments->n_sets));
    for (size_t f = 0; f < s->moments->n_sets; f++)
        ORFFI_TRY(orffi_nufft_create(&s->grids[f], l->d, twice, s->count, pass->tolerance));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->z, BLOCK * l->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->c, BLOCK * s->count));
    if (pass->draws) {
        ORFFI_TRY(orffi_nufft_create(&s->signs, l->d, l->m, pass->draws * pass->p, pass->tolerance));
        ORFFI_TRY(orffi_alloc(&s->e, BLOCK * sizeof *s->e, pass->draws * pass->p));
        if (pass->by_content) ORFFI_TRY(ORFFI_NEW_ARRAY(s->seen, SEEN));
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->fold, BLOCK));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->place, BLOCK));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->start, s->moments->n_sets + 1));
    return ORFFI_NEW_ARRAY(s->next, s->moments->n_sets + 1);
}

orff_status orffi_lattice_sums_create(orffi_lattice_sums **out, orffi_lattice_moments *moments,
                                      const orffi_lattice_pass *pass) {
    orffi_lattice_sums *s;
    ORFFI_TRY(ORFFI_NEW(s));
    s->moments = moments;
    s->folds = pass->folds;
    s->pairs = orffi_lattice_pairs(moments);
    s->count = s->pairs + pass->p;
    const orff_status status = prepare(s, pass);
    if (status) {
        orffi_lattice_sums_free(s);
    } else {
        *out = s;
    }
    return status;
}

/* Finds where each row of a block goes, fold after fold. */
static void sort_folds(orffi_lattice_sums *s, size_t n, const double *X, const double *Y) {
    const orffi_lattice_moments *m = s->moments;
    const size_t width = m->directed ? 1 : m->p;
    size_t *start = s->start;
    memset(start, 0, (m->n_sets + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++) {
        s->fold[i] = m->n_sets > 1 ? orffi_moments_fold(&s->folds, s->rows + i, m->lattice.d,
                                                        X + i * m->lattice.d, width, Y + i * width)
                                   : 0;
        start[s->fold[i] + 1]++;
    }
    for (size_t f = 0; f < m->n_sets; f++) start[f + 1] += start[f];
    memcpy(s->next, start, m->n_sets * sizeof *start);
    for (size_t i = 0; i < n; i++) s->place[i] = s->next[s->fold[i]]++;
}

/* One row being added. */
typedef struct row {
    double weight;
    const double *y, *along; /* p and NULL, or 1 and p */
} row;

/* The number from which the signs of a row are drawn. Equal rows must not get equal signs, or their errors
 * would add up. So the count of earlier equal rows enters too, as far as the table has room. */
static uint64_t number_row(orffi_lattice_sums *s, size_t i, const double *x, const row *one) {
    const size_t p = s->moments->p;
    orffi_digest digest = {0};
    if (!s->seen) return s->rows + i;
    orffi_digest_add(&digest, s->moments->lattice.d, x);
    orffi_digest_add(&digest, one->along ? 1 : p, one->y);
    orffi_digest_add(&digest, 1, &one->weight);
    if (one->along) orffi_digest_add(&digest, p, one->along);
    const uint64_t key = digest.a ^ digest.b;
    struct seen *seen = &s->seen[key % SEEN];
    if (!seen->times) seen->digest = key;
    const uint64_t before = seen->digest == key ? seen->times++ : 0;
    return key + before * UINT64_C(0x9e3779b97f4a7c15);
}

/* The strengths of a row in each right-hand side. */
static void fill_strengths(const orffi_lattice_sums *s, const row *one, double *c) {
    const size_t p = s->moments->p;
    const double *e = one->along, weight = one->weight;
    for (size_t a = 0; a < p; a++)
        for (size_t b = a; e && b < p; b++) c[orffi_lattice_pair(p, a, b)] = weight * e[a] * e[b];
    if (!e) c[0] = weight;
    for (size_t a = 0; a < p; a++) c[s->pairs + a] = weight * (e ? e[a] * one->y[0] : one->y[a]);
}

/* A whole row has a random sign for each output, a directed one a random sign along its direction. */
static void fill_signs(const orffi_lattice_sums *s, const row *one, uint64_t number, double *c) {
    const size_t p = s->moments->p, draws = s->moments->draws;
    const orffi_rng rng = {s->folds.seed, STREAM};
    const double *e = one->along, root = sqrt(one->weight);
    uint64_t bits = 0;
    for (size_t r = 0; r < draws * (e ? 1 : p); r++, bits >>= 1) {
        if (r % 64 == 0) bits = orffi_rng_bits(rng, number, (uint32_t)(r / 64));
        const double sign = bits & 1 ? root : -root;
        if (!e) c[r] = sign;
        for (size_t a = 0; e && a < p; a++) c[r * p + a] = sign * e[a];
    }
}

static void add_sums(orffi_lattice_set *set, size_t p, const row *one) {
    const size_t side = p + 1;
    const double *left = one->along ? one->along : one->y, last = one->along ? one->y[0] : 1.0;
    for (size_t a = 0; a < p; a++) {
        for (size_t b = 0; b < p; b++) set->T[a * side + b] += one->weight * left[a] * left[b];
        set->T[a * side + p] += one->weight * left[a] * last;
        set->T[p * side + a] += one->weight * left[a] * last;
    }
    set->T[p * side + p] += one->weight * last * last;
    if (!(one->weight > 0.0)) return; /* a row of weight 0 carries no information */
    if (one->along) set->weight += one->weight;
    set->logs += log(one->weight);
    set->rows++;
}

static void widen(orffi_lattice_moments *m, const double *x) {
    for (size_t i = 0; i < m->lattice.d; i++) {
        if (x[i] < m->low[i]) m->low[i] = x[i];
        if (x[i] > m->high[i]) m->high[i] = x[i];
    }
}

static orff_status add_block(orffi_lattice_sums *s, size_t n, const double *X, const double *Y,
                             const double *weights, const double *along) {
    orffi_lattice_moments *m = s->moments;
    const size_t d = m->lattice.d, p = m->p, width = along ? 1 : p;
    const size_t *start = s->start;
    sort_folds(s, n, X, Y);
    for (size_t i = 0; i < n; i++) {
        const size_t at = s->place[i];
        const row one = {weights ? weights[i] : 1.0, Y + i * width, along ? along + i * p : NULL};
        orffi_lattice_angles(&m->lattice, 1, X + i * d, s->z + at * d);
        fill_strengths(s, &one, s->c + at * s->count);
        if (s->e) fill_signs(s, &one, number_row(s, i, X + i * d, &one), s->e + at * m->draws * p);
        add_sums(&m->sets[s->fold[i]], p, &one);
        widen(m, X + i * d);
    }
    s->rows += n;
    if (s->e) ORFFI_TRY(orffi_nufft_spread(s->signs, n, s->z, s->e));
    for (size_t f = 0; f < m->n_sets; f++)
        if (start[f + 1] > start[f])
            ORFFI_TRY(orffi_nufft_spread(s->grids[f], start[f + 1] - start[f], s->z + start[f] * d,
                                         s->c + start[f] * s->count));
    return ORFF_OK;
}

orff_status orffi_lattice_sums_add(orffi_lattice_sums *s, size_t n, const double *X, const double *Y,
                                   const double *weights) {
    const size_t d = s->moments->lattice.d, p = s->moments->p;
    for (size_t i = 0; i < n; i += BLOCK)
        ORFFI_TRY(add_block(s, n - i < BLOCK ? n - i : BLOCK, X + i * d, Y + i * p,
                            weights ? weights + i : NULL, NULL));
    return ORFF_OK;
}

orff_status orffi_lattice_sums_add_directed(orffi_lattice_sums *s, size_t n, const double *X, const double *Y,
                                            const double *weights, const double *along) {
    const size_t d = s->moments->lattice.d, p = s->moments->p;
    for (size_t i = 0; i < n; i += BLOCK)
        ORFFI_TRY(add_block(s, n - i < BLOCK ? n - i : BLOCK, X + i * d, Y + i, weights + i, along + i * p));
    return ORFF_OK;
}

static orff_status finish_set(orffi_lattice_sums *s, orffi_nufft *grid, orffi_lattice_set *set) {
    const orffi_lattice *l = &s->moments->lattice;
    const size_t H = orffi_lattice_modes(l);
    const size_t whole = orffi_lattice_density_modes(l);
    size_t twice[ORFF_LATTICE_INPUTS];
    for (size_t i = 0; i < l->d; i++) twice[i] = 2 * l->m[i];
    for (size_t r = 0; r < s->pairs; r++) ORFFI_TRY(orffi_nufft_modes(grid, r, twice, set->rho + r * whole));
    for (size_t r = s->pairs; r < s->count; r++)
        ORFFI_TRY(orffi_nufft_modes(grid, r, l->m, set->R + (r - s->pairs) * H));
    return ORFF_OK;
}

orff_status orffi_lattice_sums_finish(orffi_lattice_sums *s) {
    const orffi_lattice_moments *m = s->moments;
    for (size_t r = 0; r < m->draws * m->p; r++)
        ORFFI_TRY(orffi_nufft_modes(s->signs, r, m->lattice.m, m->E + r * orffi_lattice_modes(&m->lattice)));
    for (size_t f = 0; f < s->moments->n_sets; f++)
        ORFFI_TRY(finish_set(s, s->grids[f], &s->moments->sets[f]));
    return ORFF_OK;
}
