/* The system of directed rows (features_directed.c) from moments of incomplete rows, and of complete rows
 * beside them. With g_ka, the entry of column k for output a,
 *
 *     A_kl = sum_ab g_ka g_lb S_ab        rhs_k = sum_a g_ka (R_a - sum_b mean_b r_ab)
 *
 * A complete row is one directed row along each output: S_aa = S, r_aa = sum c phi. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/features.h"

/* Sums over all folds; `parted` includes the complete rows except for S. */
typedef struct totals {
    size_t p, L;
    orffi_moment_set sum;
} totals;

static orff_status sum_folds(const orff_moments *m, totals *t) {
    t->p = m->p;
    t->L = 2 * m->bank->D;
    ORFFI_TRY(orffi_moment_set_init(&t->sum, t->L, t->p));
    ORFFI_TRY(orffi_parted_widen(&t->sum.parted, t->p, t->L, m->sets[0].parted.pairs));
    orffi_moments_sum(m, m->n_sets, &t->sum);
    for (size_t k = 0; k < m->n_sets; k++)
        orffi_parted_add(&t->sum.parted, &m->sets[k].parted, 1.0, t->p, t->L);
    return ORFF_OK;
}

/* Adds complete rows; their R is L x (p+1), with sum c phi in the last column. */
static void add_whole(totals *t) {
    const size_t p = t->p, side = p + 1, L = t->L;
    const orffi_moment_set *s = &t->sum;
    orffi_parted *q = &t->sum.parted;
    for (size_t a = 0; a < p; a++) {
        const size_t pair = orffi_parted_pair(p, q->pairs, a, a);
        for (size_t k = 0; k < L; k++) {
            q->R[pair * L + k] += s->R[k * side + p];
            q->R[(q->pairs + a) * L + k] += s->R[k * side + a];
        }
        q->T[a * side + a] += s->T[p * side + p];
        q->T[a * side + p] += s->T[a * side + p];
        q->T[p * side + a] += s->T[a * side + p];
        q->T[p * side + p] += s->T[a * side + a];
    }
    q->weight += (double)p * s->T[p * side + p];
    q->rows += p * s->rows;
}

/* sum c phi_i phi_j e_a e_b */
static double between(const totals *t, size_t a, size_t b, size_t i, size_t j) {
    const orffi_parted *q = &t->sum.parted;
    const size_t pair = orffi_parted_pair(t->p, q->pairs, a, b), L = t->L;
    const size_t at = i <= j ? i * L + j : j * L + i;
    return (pair < q->pairs ? q->S[pair * L * L + at] : 0.0) + (a == b ? t->sum.S[at] : 0.0);
}

/* A column as a sum of one or two features: g (p) times feature i. */
typedef struct entry {
    size_t i;
    const double *g;
    double sign;
} entry;

static size_t entries_of(const orffi_system *s, size_t k, entry *out) {
    const orffi_columns *c = &s->columns;
    const size_t half = c->count, D = s->L / 2, at = k % half, j = c->j[at];
    const bool sine = k >= half;
    out[0] = (entry){sine ? D + j : j, c->B + at * s->p, 1.0};
    if (!c->C) return 1;
    out[1] = (entry){sine ? j : D + j, c->C + at * s->p, sine ? -1.0 : 1.0};
    return 2;
}

static double fill_entry(const totals *t, const entry *x, const entry *y) {
    double sum = 0.0;
    for (size_t a = 0; a < t->p; a++)
        for (size_t b = 0; x->g[a] != 0.0 && b < t->p; b++)
            if (y->g[b] != 0.0) sum += x->g[a] * y->g[b] * between(t, a, b, x->i, y->i);
    return x->sign * y->sign * sum;
}

static void fill_matrix(const totals *t, orffi_system *s) {
    const int threads = orffi_thread_count();
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) if (threads > 1)
    for (size_t k = 0; k < s->n; k++) {
        entry x[2], y[2];
        const size_t nx = entries_of(s, k, x);
        for (size_t l = k; l < s->n; l++) {
            const size_t ny = entries_of(s, l, y);
            double sum = 0.0;
            for (size_t u = 0; u < nx; u++)
                for (size_t v = 0; v < ny; v++) sum += fill_entry(t, &x[u], &y[v]);
            s->A[k * s->n + l] = s->A[l * s->n + k] = sum;
        }
    }
}

static void fill_right(const totals *t, orffi_system *s) {
    const orffi_parted *q = &t->sum.parted;
    const size_t p = t->p, L = t->L;
    for (size_t k = 0; k < s->n; k++) {
        entry x[2];
        const size_t nx = entries_of(s, k, x);
        for (size_t u = 0; u < nx; u++)
            for (size_t a = 0; a < p; a++) {
                double right = q->R[(q->pairs + a) * L + x[u].i];
                for (size_t b = 0; b < p; b++) {
                    const size_t pair = orffi_parted_pair(p, q->pairs, a, b);
                    if (pair < q->pairs) right -= s->mean[b] * q->R[pair * L + x[u].i];
                }
                s->rhs[k] += x[u].sign * x[u].g[a] * right;
            }
    }
}

/* The mean that fits best, and sum c (y - <e, mean>)^2. */
static orff_status fill_mean(const totals *t, bool center, orffi_system *s) {
    const size_t p = t->p, side = p + 1;
    const double *T = t->sum.parted.T;
    double *A;
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, p * p + p));
    for (size_t a = 0; a < p; a++) {
        memcpy(A + a * p, T + a * side, p * sizeof *A);
        A[p * p + a] = T[a * side + p];
    }
    const orff_status status = center ? orffi_solve_shortest(p, A, A + p * p, s->mean) : ORFF_OK;
    orffi_release(A);
    s->yy = T[p * side + p];
    for (size_t a = 0; a < p; a++) {
        s->yy -= 2.0 * s->mean[a] * T[a * side + p];
        for (size_t b = 0; b < p; b++) s->yy += s->mean[a] * s->mean[b] * T[a * side + b];
    }
    s->yy = fmax(s->yy, 0.0);
    return status;
}

/* Scales weights that include errors so that their sum is the same as without errors. */
static void even_weights(orffi_features_rows *r, double factor) {
    orffi_system *s = &r->joint;
    for (size_t i = 0; i < s->n * s->n; i++) s->A[i] *= factor;
    for (size_t i = 0; i < s->n; i++) s->rhs[i] *= factor;
    s->yy *= factor;
    r->observed *= factor;
    r->logs += (double)r->counted * log(factor);
}

static orff_status fill(orffi_features_rows *r, totals *t) {
    const orff_moments *m = r->moments;
    orffi_system *s = &r->joint;
    ORFFI_TRY(sum_folds(m, t));
    add_whole(t);
    r->logs = t->sum.parted.logs;
    r->observed = t->sum.parted.weight;
    r->counted = (size_t)t->sum.parted.rows;
    ORFFI_TRY(fill_mean(t, r->task.settings->center, s));
    fill_matrix(t, s);
    fill_right(t, s);
    if (m->counts.errors && r->observed > 0.0) even_weights(r, m->counts.plain / r->observed);
    if (r->counted) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there are no rows to learn from");
}

orff_status orffi_features_join_moments(orffi_features_rows *r) {
    totals t = {0};
    const orff_status status = fill(r, &t);
    orffi_moment_set_clear(&t.sum);
    return status;
}
