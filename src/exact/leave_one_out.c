/* Leave-one-out errors of exact ridge. With C = G + shift I, without row i (all its outputs)
 *
 *     y_i - f_(-i)(x_i) = (C^-1)_ii^-1 (C^-1 y)_i
 *
 * The mean is that of the other rows. It differs from the mean of all by c_i y_i / (N - c_i), with y centred,
 * and changes C^-1 y by C^-1 (sqrt(c) (x) I) times that. If K = k (x) A, the same W turns all blocks, and
 * turned outputs are independent of each other. */
#include <math.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "exact/system.h"

/* c_i / (N - c_i) / sqrt(c_i), which times a row's weighted y is how far leaving the row out moves the mean;
 * 0 without center. */
static double part_in_mean(const orffi_exact_system *s, size_t i) {
    const double c = s->root ? s->root[i] * s->root[i] : 1.0;
    return s->width ? sqrt(c) / (s->N - c) : 0.0;
}

/* ---- K = k (x) A */

/* One row: q_v = (C_v^-1)_ii and u_v = (C_v^-1 sqrt(c))_i for each mode. */
static void turned_row(const orffi_exact_system *s, size_t i, const double *t, const double *g, double *q,
                       double *left) {
    const size_t modes = s->modes, r = s->r;
    const double *F = s->F + i * s->n;
    double *u = q + modes;
    for (size_t v = 0; v < 2 * modes; v++) q[v] = 0.0;
    for (size_t a = 0; a < s->n; a++) {
        const double square = F[a] * F[a], moved = s->s ? F[a] * s->s[a] : 0.0;
        for (size_t v = 0; v < modes; v++) {
            q[v] += square * g[a * modes + v];
            u[v] += moved * g[a * modes + v];
        }
    }
    for (size_t b = 0; b < r; b++) {
        const size_t v = modes > 1 ? b : 0;
        left[i * r + b] = (t[i * r + b] + u[v] * part_in_mean(s, i) * s->y[i * r + b]) / q[v];
    }
}

/* ---- any other kernel */

/* x = Q^-1 x by Q = L L^T in place; NaN if Q is not positive to rounding. p is small. */
static void solve_small(size_t p, double *Q, double *x) {
    for (size_t j = 0; j < p; j++) {
        for (size_t k = 0; k < j; k++) Q[j * p + j] -= Q[j * p + k] * Q[j * p + k];
        Q[j * p + j] = sqrt(Q[j * p + j]);
        for (size_t i = j + 1; i < p; i++) {
            for (size_t k = 0; k < j; k++) Q[i * p + j] -= Q[i * p + k] * Q[j * p + k];
            Q[i * p + j] /= Q[j * p + j];
        }
    }
    for (size_t i = 0; i < p; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= Q[i * p + k] * x[k];
        x[i] /= Q[i * p + i];
    }
    for (size_t i = p; i-- > 0;) {
        for (size_t k = i + 1; k < p; k++) x[i] -= Q[k * p + i] * x[k];
        x[i] /= Q[i * p + i];
    }
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* work: p x p for Q, n for a row of F diag(g), p for a row of C^-1 (sqrt(c) (x) I). */
static void dense_row(const orffi_exact_system *s, size_t i, const double *t, const double *g, double *work,
                      double *left) {
    const size_t n = s->n, p = s->directed.along ? 1 : s->p;
    const double *F = s->F + i * p * n;
    const double moved = part_in_mean(s, i);
    double *Q = work, *h = Q + p * p, *u = h + n, *out = left + i * p;
    for (size_t a = 0; a < p; a++) {
        for (size_t j = 0; j < n; j++) h[j] = F[a * n + j] * g[j];
        for (size_t b = 0; b <= a; b++) Q[a * p + b] = dot(n, h, F + b * n);
        out[a] = t[i * p + a];
        if (!s->s) continue;
        for (size_t k = 0; k < p; k++) u[k] = 0.0;
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < p; k++) u[k] += h[j] * s->s[j * p + k];
        out[a] += moved * dot(p, u, s->y + i * p);
    }
    solve_small(p, Q, out);
}

orff_status orffi_exact_system_leave_one_out(const orffi_exact_system *s, const double *t, const double *g,
                                             double *left) {
    const size_t room = s->plan->law ? 2 * s->modes : s->p * s->p + s->n + s->p;
    const int threads = orffi_thread_count();
    double *work;
    ORFFI_TRY(orffi_alloc(&work, room * (size_t)threads, sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < s->rows; i++) {
        double *mine = work + room * (size_t)orffi_thread_index();
        if (s->plan->law)
            turned_row(s, i, t, g, mine, left);
        else
            dense_row(s, i, t, g, mine, left);
    }
    orffi_release(work);
    return ORFF_OK;
}
