/* The effect of the error of a trend's coefficients on values and derived fields. At a point every column
 * has a vector v (k numbers): u itself, or a field derived from it. The error is sum v_q (root z)_q with z
 * of unit variance. */
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/trend.h"

#define STREAM  0x7452    /* of the random numbers */
#define NUMBERS (1 << 19) /* numbers of all columns at the points of one pass, about */

size_t orffi_trend_width(const orffi_trend *t) {
    return t->shared ? 1 : t->p;
}

/* ---- columns minus what is learned from them */

/* Subtracts from V (n x columns x width x m) the values F of fit i at n points, n x p x m with m numbers
 * for each output. */
static void subtract_fit(const orffi_trend *t, size_t i, size_t n, size_t m, const double *F, double *V) {
    const size_t p = t->p, Q = t->columns;
    if (!t->shared) {
        for (size_t r = 0; r < n; r++)
            for (size_t k = 0; k < p * m; k++) V[(r * Q + i) * p * m + k] -= F[r * p * m + k];
        return;
    }
    for (size_t r = 0; r < n; r++)
        for (size_t a = 0; a < p && i * p + a < Q; a++)
            for (size_t k = 0; k < m; k++) V[(r * Q + i * p + a) * m + k] -= F[(r * p + a) * m + k];
}

/* V = the columns themselves: h (terms x m) at each of n points. */
static void fill_columns(const orffi_trend *t, size_t m, const double *h, double *V) {
    const size_t p = t->p;
    if (t->shared) {
        memcpy(V, h, t->terms * m * sizeof *V);
        return;
    }
    memset(V, 0, t->columns * p * m * sizeof *V);
    for (size_t q = 0; q < t->columns; q++) memcpy(V + (q * p + q % p) * m, h + q / p * m, m * sizeof *V);
}

orff_status orffi_trend_lacks(const orffi_trend *t, size_t n, const double *x, double *U) {
    const size_t p = t->p, each = t->columns * orffi_trend_width(t);
    double *h = NULL, *F = NULL;
    orff_status status = ORFFI_NEW_ARRAY(h, t->terms);
    if (!status) status = orffi_alloc(&F, n, p * sizeof *F);
    for (size_t r = 0; !status && r < n; r++) {
        orffi_trend_terms(t, x + r * t->d, h);
        fill_columns(t, 1, h, U + r * each);
    }
    for (size_t i = 0; !status && i < t->n_fits; i++) {
        status = t->engine->values(t->fits[i], n, x, F);
        if (!status) subtract_fit(t, i, n, 1, F, U);
    }
    orffi_release(h);
    orffi_release(F);
    return status;
}

/* The same for Jacobians by x in the user's units, outputs in those of the kernel: n x columns x
 * width x d. */
static orff_status lacking_slopes(const orffi_trend *t, const double *unit, size_t n, const double *x,
                                  double *U) {
    const size_t p = t->p, d = t->d, each = t->columns * orffi_trend_width(t) * d;
    double *h = NULL, *F = NULL, *ones = NULL;
    orff_status status = orffi_alloc(&h, t->terms, d * sizeof *h);
    if (!status) status = orffi_alloc(&F, n, p * d * sizeof *F);
    if (!status) status = ORFFI_NEW_ARRAY(ones, p);
    for (size_t a = 0; !status && a < p; a++) ones[a] = 1.0;
    const orffi_derived what = {
        .field = ORFF_FIELD_JACOBIAN, .name = "trend", .k = p * d, .unit = unit, .spread = ones};
    for (size_t r = 0; !status && r < n; r++) {
        orffi_trend_slopes(t, x + r * d, h);
        fill_columns(t, d, h, U + r * each);
    }
    for (size_t i = 0; !status && i < t->n_fits; i++) {
        status = t->engine->derive(t->fits[i], &what, n, x, F);
        if (!status) subtract_fit(t, i, n, d, F, U);
    }
    orffi_release(h);
    orffi_release(F);
    orffi_release(ones);
    return status;
}

/* ---- the vectors of the columns at a point */

/* A request: a field, or NULL for values; k numbers per point. */
typedef struct question {
    const orffi_trend *t;
    const orffi_derived *what;
    size_t k;
    double *J, *w; /* scratch: p x d, k */
} question;

/* The Jacobian, in the user's units, of a shared column for output a, or of a column of all outputs. */
static void fill_jacobian(const question *q, const double *u, size_t a, double *J) {
    const size_t p = q->t->p, d = q->t->d;
    memset(J, 0, p * d * sizeof *J);
    if (q->t->shared) {
        for (size_t i = 0; i < d; i++) J[a * d + i] = q->what->spread[a] * u[i];
        return;
    }
    for (size_t i = 0; i < p * d; i++) J[i] = q->what->spread[i / d] * u[i];
}

/* V (columns x k) for output a, which is ignored unless columns are shared. U: of one point. */
static void fill_vectors(const question *q, const double *U, size_t a, double *V) {
    const orffi_trend *t = q->t;
    const size_t width = orffi_trend_width(t), k = q->k;
    memset(V, 0, t->columns * k * sizeof *V);
    for (size_t c = 0; c < t->columns; c++) {
        const double *u = U + c * width * (q->what ? t->d : 1);
        if (q->what) {
            fill_jacobian(q, u, a, q->J);
            orffi_field_of_jacobian(q->what, t->d, t->p, q->J, V + c * k);
        } else if (t->shared) {
            V[c * k + a] = u[0];
        } else {
            memcpy(V + c * k, u, k * sizeof *V);
        }
    }
}

/* Uses the vectors of a point; `out` belongs to that point. */
typedef void use_fn(const question *q, const double *V, size_t a, const void *self, double *out);

static orff_status fill_lacks(const question *q, size_t n, const double *x, double *U) {
    return q->what ? lacking_slopes(q->t, q->what->unit, n, x, U) : orffi_trend_lacks(q->t, n, x, U);
}

/* Applies `use` at each of n points with U; `size` numbers of out belong to each. V: scratch. */
static void use_all(const question *q, size_t each, size_t n, const double *U, double *V, use_fn *use,
                    const void *self, size_t size, double *out) {
    const size_t sides = q->t->shared ? q->t->p : 1;
    for (size_t r = 0; r < n; r++)
        for (size_t a = 0; a < sides; a++) {
            fill_vectors(q, U + r * each, a, V);
            use(q, V, a, self, out + r * size);
        }
}

void orffi_trend_forget(orffi_trend_seen *seen) {
    orffi_release(seen->x);
    orffi_release(seen->U);
    *seen = (orffi_trend_seen){0};
}

/* U at the points of the previous call, or at new ones. */
static orff_status see(const question *q, size_t each, size_t n, const double *x, orffi_trend_seen *seen) {
    const size_t bytes = n * q->t->d * sizeof *x;
    if (seen->n == n && seen->x && !memcmp(seen->x, x, bytes)) return ORFF_OK;
    orffi_trend_forget(seen);
    ORFFI_TRY(orffi_duplicate(&seen->x, x, n * q->t->d, sizeof *x));
    ORFFI_TRY(orffi_alloc(&seen->U, n, each * sizeof *seen->U));
    seen->n = n;
    const orff_status status = fill_lacks(q, n, x, seen->U);
    if (status) orffi_trend_forget(seen);
    return status;
}

/* Takes some points at a time, unless `seen` can keep them all. V: scratch. */
static orff_status visit(const question *q, size_t each, size_t n, const double *x, orffi_trend_seen *seen,
                         double *V, use_fn *use, const void *self, size_t size, double *out) {
    const size_t most = NUMBERS / each + 1;
    orffi_trend_seen own = {0}, *kept = seen && n <= most ? seen : &own;
    orff_status status = ORFF_OK;
    for (size_t first = 0; !status && first < n; first += most) {
        const size_t rows = n - first < most ? n - first : most;
        status = see(q, each, rows, x + first * q->t->d, kept);
        if (!status) use_all(q, each, rows, kept->U, V, use, self, size, out + first * size);
    }
    orffi_trend_forget(&own);
    return status;
}

static orff_status apply(const orffi_trend *t, const orffi_derived *what, orffi_trend_seen *seen, size_t n,
                         const double *x, use_fn *use, const void *self, size_t size, double *out) {
    question q = {.t = t, .what = what, .k = what ? what->k : t->p};
    const size_t each = t->columns * orffi_trend_width(t) * (what ? t->d : 1);
    double *V = NULL;
    if (what) ORFFI_TRY(orffi_trend_check_field(t, what));
    orff_status status = orffi_alloc(&V, t->columns, q.k * sizeof *V);
    if (!status) status = orffi_alloc(&q.J, t->p, t->d * sizeof *q.J);
    if (!status) status = ORFFI_NEW_ARRAY(q.w, q.k);
    if (!status) status = visit(&q, each, n, x, seen, V, use, self, size, out);
    orffi_release(V);
    orffi_release(q.J);
    orffi_release(q.w);
    return status;
}

/* ---- covariances */

/* C (k x k) += w w^T with w = sum over q of V_q root_qs, for every s; root is upper triangular. */
static void add_squares(const question *q, const double *V, size_t a, const void *self, double *C) {
    const size_t k = q->k, Q = q->t->columns;
    (void)a, (void)self;
    for (size_t s = 0; s < Q; s++) {
        memset(q->w, 0, k * sizeof *q->w);
        for (size_t c = 0; c <= s; c++)
            for (size_t i = 0; i < k; i++) q->w[i] += V[c * k + i] * q->t->root[c * Q + s];
        for (size_t i = 0; i < k * k; i++) C[i] += q->w[i / k] * q->w[i % k];
    }
}

orff_status orffi_trend_add_covariance(const orffi_trend *t, size_t n, const double *x, double *covariance) {
    return apply(t, NULL, NULL, n, x, add_squares, NULL, t->p * t->p, covariance);
}

orff_status orffi_trend_add_derived_covariance(const orffi_trend *t, const orffi_derived *what, size_t n,
                                               const double *x, double *covariance) {
    return apply(t, what, NULL, n, x, add_squares, NULL, what->k * what->k, covariance);
}

/* ---- samples */

size_t orffi_trend_sample_size(const orffi_trend *t) {
    return t->columns * (t->shared ? t->p : 1);
}

/* error (columns x sides) = root z */
void orffi_trend_draw(const orffi_trend *t, uint64_t seed, size_t sample, double *error) {
    const orffi_rng rng = {seed, STREAM};
    const size_t Q = t->columns, sides = t->shared ? t->p : 1;
    memset(error, 0, Q * sides * sizeof *error);
    for (size_t s = 0; s < Q; s++)
        for (size_t a = 0; a < sides; a++) {
            const double z = orffi_rng_normal(rng, sample, (uint32_t)(s * sides + a));
            for (size_t q = 0; q <= s; q++) error[q * sides + a] += t->root[q * Q + s] * z;
        }
}

static void add_errors(const question *q, const double *V, size_t a, const void *self, double *out) {
    const double *error = self;
    const size_t k = q->k, sides = q->t->shared ? q->t->p : 1;
    for (size_t c = 0; c < q->t->columns; c++)
        for (size_t i = 0; i < k; i++) out[i] += error[c * sides + a] * V[c * k + i];
}

orff_status orffi_trend_add_sample(const orffi_trend *t, const double *error, orffi_trend_seen *seen,
                                   size_t n, const double *x, double *out) {
    return apply(t, NULL, seen, n, x, add_errors, error, t->p, out);
}

orff_status orffi_trend_add_derived_sample(const orffi_trend *t, const double *error, orffi_trend_seen *seen,
                                           const orffi_derived *what, size_t n, const double *x,
                                           double *out) {
    return apply(t, what, seen, n, x, add_errors, error, what->k, out);
}
