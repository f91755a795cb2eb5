/* The system of exact ridge: its Gram matrix, factors and solutions. */
#include "exact/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"

/* ---- building */

/* G_ij *= sqrt(c_i c_j) */
static void weigh(const orffi_exact_system *s) {
    const size_t each = s->n / s->rows;
    for (size_t i = 0; s->root && i < s->n; i++)
        for (size_t j = 0; j < s->n; j++) s->F[i * s->n + j] *= s->root[i / each] * s->root[j / each];
}

orff_status orffi_exact_system_refill(orffi_exact_system *s, const orffi_exact_rows *rows) {
    const size_t n = rows->n;
    if (rows->gram) {
        memcpy(s->F, rows->gram, s->n * s->n * sizeof *s->F);
        weigh(s);
        return ORFF_OK;
    }
    if (rows->along) {
        ORFFI_TRY(orffi_directed_gram(s->kernel, &s->directed, s->F));
        weigh(s);
        return ORFF_OK;
    }
    ORFFI_TRY(s->plan->law ? orffi_exact_scalar_gram(s->plan->law, n, rows->X, n, rows->X, s->F)
                           : orff_kernel_gram(s->kernel, n, rows->X, n, rows->X, s->F));
    weigh(s);
    return ORFF_OK;
}

static orff_status find_directed_mean(orffi_exact_system *s, const orffi_exact_rows *rows) {
    s->N = rows->N;
    s->P = rows->P;
    if (!rows->center) return ORFF_OK;
    return orffi_directed_mean(&s->directed, s->p, rows->weights, rows->Y, s->mean);
}

static void find_mean(orffi_exact_system *s, const orffi_exact_rows *rows) {
    for (size_t i = 0; i < s->rows; i++) s->N += rows->weights ? rows->weights[i] : 1.0;
    if (rows->mean) memcpy(s->mean, rows->mean, s->p * sizeof *s->mean);
    for (size_t i = 0; rows->center && i < s->rows; i++) {
        const double c = rows->weights ? rows->weights[i] : 1.0;
        for (size_t k = 0; k < s->p; k++) s->mean[k] += c * rows->Y[i * s->p + k] / s->N;
    }
    s->P = s->N * (double)s->p;
}

static void fill_directed(orffi_exact_system *s, const orffi_exact_rows *rows) {
    for (size_t i = 0; i < s->rows; i++)
        s->y[i] = (rows->Y[i] - orffi_directed_constant(&s->directed, s->p, i, s->mean)) * s->root[i];
}

/* y = sqrt(c) (Y - mean) W */
static orff_status fill_outputs(orffi_exact_system *s, const orffi_exact_rows *rows) {
    const size_t p = s->p;
    double *turned;
    if (s->directed.along) {
        fill_directed(s, rows);
        return ORFF_OK;
    }
    for (size_t i = 0; i < s->rows * p; i++)
        s->y[i] = (rows->Y[i] - s->mean[i % p]) * (s->root ? s->root[i / p] : 1.0);
    if (!s->plan->W) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(turned, s->rows * p));
    orffi_gemm(false, false, s->rows, p, p, 1.0, s->y, p, s->plan->W, p, 0.0, turned, p);
    orffi_release(s->y);
    s->y = turned;
    return ORFF_OK;
}

static orff_status build(orffi_exact_system *s, const orffi_exact_rows *rows) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->mean, s->p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->y, s->n * s->r));
    if (rows->weights) ORFFI_TRY(ORFFI_NEW_ARRAY(s->root, s->rows));
    for (size_t i = 0; rows->weights && i < s->rows; i++) s->root[i] = sqrt(rows->weights[i]);
    if (s->directed.along)
        ORFFI_TRY(find_directed_mean(s, rows));
    else
        find_mean(s, rows);
    if (!(s->N > 0.0 && s->P > 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the weights of all rows are 0");
    ORFFI_TRY(fill_outputs(s, rows));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->F, s->n * s->n));
    return orffi_exact_system_refill(s, rows);
}

orff_status orffi_exact_system_build(orffi_exact_system *s, const orff_kernel *kernel,
                                     const orffi_exact_plan *plan, const orffi_exact_rows *rows) {
    const bool turned = plan->law != NULL, directed = rows->along != NULL;
    /* Directed rows: leaving one out is taken not to move the mean, as no single row is a whole measurement. */
    *s = (orffi_exact_system){.kernel = kernel,
                              .plan = plan,
                              .rows = rows->n,
                              .p = plan->p,
                              .directed = {rows->n, rows->points, rows->X, rows->along},
                              .n = turned || directed ? rows->n : rows->n * plan->p,
                              .r = turned ? plan->p : 1,
                              .modes = turned ? plan->values : 1,
                              .width = !rows->center || directed ? 0
                                       : turned                  ? 1
                                                                 : plan->p};
    const orff_status status = build(s, rows);
    if (status) orffi_exact_system_clear(s);
    return status;
}

void orffi_exact_system_clear(orffi_exact_system *s) {
    double *all[] = {s->root, s->mean, s->y, s->F, s->e, s->c, s->s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    memset(s, 0, sizeof *s);
}

/* The eigensolver needs twice its matrix. The rest is a few columns for each output. */
double orffi_exact_system_numbers(const orffi_exact_plan *plan, bool eigen) {
    const double rows = (double)plan->n, p = (double)plan->p,
                 n = plan->law || plan->directed ? rows : rows * p;
    const double held = rows * (double)plan->d + 8.0 * rows * p + 3.0 * p * p;
    return (eigen ? 3.0 : 1.0) * n * n + held + (plan->law ? 0.0 : rows * p * p);
}

/* ---- factors */

/* s = F^T (sqrt(c) (x) I) */
static orff_status fill_shift_of_mean(orffi_exact_system *s) {
    double *ones;
    if (!s->width) return ORFF_OK;
    orffi_release(s->s);
    s->s = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->s, s->n * s->width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(ones, s->n * s->width));
    for (size_t i = 0; i < s->n; i++)
        ones[i * s->width + i % s->width] = s->root ? s->root[i / s->width] : 1.0;
    orffi_gemm(true, false, s->n, s->width, s->n, 1.0, s->F, s->n, ones, s->width, 0.0, s->s, s->width);
    orffi_release(ones);
    return ORFF_OK;
}

orff_status orffi_exact_system_eigen(orffi_exact_system *s) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->e, s->n));
    ORFFI_TRY(orffi_eigen(s->n, s->F, s->e));
    for (size_t a = 0; a < s->n; a++) s->e[a] = fmax(s->e[a], 0.0);
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->c, s->n * s->r));
    orffi_gemm(true, false, s->n, s->r, s->n, 1.0, s->F, s->n, s->y, s->r, 0.0, s->c, s->r);
    return fill_shift_of_mean(s);
}

bool orffi_exact_system_is_plain(const orffi_exact_system *s) {
    return s->modes == 1 || (s->plan->groups == 1 && !orffi_exact_plan_is_zero(s->plan, 0));
}

/* With the factor below the diagonal and G still above it, whose own diagonal is given. */
static orff_status find_residual(orffi_exact_system *s, const double *diagonal, const double *t) {
    const size_t n = s->n, r = s->r;
    double *product, error = 0.0, size = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(product, n * r));
    orffi_upper_symmetric(n, s->F, r, t, product);
    for (size_t i = 0; i < n * r; i++) {
        const double left = s->y[i] - product[i] - (diagonal[i / r] - s->F[i / r * (n + 1)]) * t[i];
        error += left * left;
        size += s->y[i] * s->y[i];
    }
    s->residual = size > 0.0 ? sqrt(error / size) : 0.0;
    orffi_release(product);
    return ORFF_OK;
}

static orff_status factor(orffi_exact_system *s, double norm, const double *diagonal, double *t) {
    const size_t n = s->n;
    double rcond;
    ORFFI_TRY(orffi_cholesky_beside(n, s->F));
    ORFFI_TRY(orffi_cholesky_rcond(n, s->F, norm, &rcond));
    s->condition = 1.0 / rcond;
    if (!(s->condition * (double)n * DBL_EPSILON < 1.0))
        return orffi_fail(ORFF_ERROR_NOT_POSITIVE, "the matrix is singular to rounding");
    memcpy(t, s->y, n * s->r * sizeof *t);
    ORFFI_TRY(orffi_cholesky_solve(n, s->F, s->r, t));
    ORFFI_TRY(find_residual(s, diagonal, t));
    orffi_clear_upper(n, s->F);
    return ORFF_OK;
}

orff_status orffi_exact_system_cholesky(orffi_exact_system *s, double shift, double *t) {
    const size_t n = s->n;
    const double m = orffi_exact_system_value(s, 0);
    double *diagonal;
    for (size_t i = 0; m != 1.0 && i < n * n; i++) s->F[i] *= m;
    ORFFI_TRY(ORFFI_NEW_ARRAY(diagonal, n));
    for (size_t i = 0; i < n; i++) diagonal[i] = s->F[i * n + i] += shift;
    const orff_status status = factor(s, orffi_symmetric_norm(n, s->F), diagonal, t);
    orffi_release(diagonal);
    ORFFI_TRY(status);
    s->log_det = 0.0;
    for (size_t i = 0; i < n; i++) s->log_det += 2.0 * log(s->F[i * n + i]);
    s->modes = 1;
    ORFFI_TRY(orffi_cholesky_root(n, s->F));
    return fill_shift_of_mean(s);
}

/* ---- at one shift */

double orffi_exact_system_value(const orffi_exact_system *s, size_t v) {
    if (!s->plan->law) return 1.0;
    return orffi_exact_plan_is_zero(s->plan, v) ? 0.0 : s->plan->m[v];
}

double orffi_exact_system_shift(const orffi_exact_system *s, double lambda) {
    const double largest = s->e[s->n - 1] * orffi_exact_system_value(s, s->modes - 1);
    return fmax(s->N * lambda, (double)s->n * DBL_EPSILON * largest);
}

void orffi_exact_system_describe(const orffi_exact_system *s, double lambda, orff_solve_info *info) {
    const double shift = orffi_exact_system_shift(s, lambda);
    info->jitter = shift > s->N * lambda ? shift - s->N * lambda : 0.0;
    info->condition = (s->e[s->n - 1] * orffi_exact_system_value(s, s->modes - 1) + shift) /
                      (s->e[0] * orffi_exact_system_value(s, 0) + shift);
    if (info->jitter > 0.0)
        orffi_log(ORFF_LOG_WARNING, "lambda %g is lost in rounding: the system was solved with %g", lambda,
                  shift / s->N);
}

void orffi_exact_system_inverse(const orffi_exact_system *s, double shift, double *g) {
    for (size_t a = 0; a < s->n; a++)
        for (size_t v = 0; v < s->modes; v++)
            g[a * s->modes + v] = s->e ? 1.0 / (s->e[a] * orffi_exact_system_value(s, v) + shift) : 1.0;
}

void orffi_exact_system_solve(const orffi_exact_system *s, double shift, double *t, double *work) {
    for (size_t a = 0; a < s->n; a++)
        for (size_t b = 0; b < s->r; b++)
            work[a * s->r + b] =
                s->c[a * s->r + b] / (s->e[a] * orffi_exact_system_value(s, s->modes > 1 ? b : 0) + shift);
    orffi_gemm(false, false, s->n, s->r, s->n, 1.0, s->F, s->n, work, s->r, 0.0, t, s->r);
}

orff_status orffi_exact_system_again(orffi_exact_system *s, const orffi_exact_rows *rows, double shift,
                                     double *t, double *work) {
    const size_t n = s->n, r = s->r;
    ORFFI_TRY(fill_outputs(s, rows));
    orffi_gemm(true, false, n, r, n, 1.0, s->F, n, s->y, r, 0.0, s->e ? s->c : work, r);
    if (s->e)
        orffi_exact_system_solve(s, shift, t, work);
    else
        orffi_gemm(false, false, n, r, n, 1.0, s->F, n, work, r, 0.0, t, r);
    return ORFF_OK;
}

/* dof = sum E/(E + shift) and log det over all modes; each mode counts for r / modes outputs. */
static void count(const orffi_exact_system *s, double shift, double *dof, double *log_det) {
    const double outputs = (double)(s->r / s->modes);
    double square = 0.0;
    *dof = *log_det = 0.0;
    for (size_t a = 0; s->e && a < s->n; a++) {
        for (size_t v = 0; v < s->modes; v++) {
            const double E = s->e[a] * orffi_exact_system_value(s, v);
            *dof += outputs * E / (E + shift);
            *log_det += outputs * log(E + shift);
        }
    }
    if (s->e) return;
    for (size_t i = 0; i < s->n * s->n; i++) square += s->F[i] * s->F[i];
    *dof = outputs * fmax((double)s->n - shift * square, 0.0); /* rounding makes it negative if shift is
                                                                  large */
    *log_det = outputs * s->log_det;
}

/* Fills the point from |t|^2 and t.y. Weights count rows as often as they say, as in the moments: P = N p
 * observations. */
static void fill_point(const orffi_exact_system *s, double lambda, double shift, double square,
                       double quadratic, orff_path_point *point) {
    const double P = s->P, rows = (double)s->rows * (s->directed.along ? 1.0 : (double)s->p);
    double dof, log_det;
    count(s, shift, &dof, &log_det);
    const double rss = shift * shift * square, left = P - dof;
    point->lambda = lambda;
    point->train_mse = rss / P;
    point->gcv = left > 0.0 ? P * rss / (left * left) : INFINITY;
    point->dof = dof;
    point->noise = left > 0.0 ? rss / left : NAN;
    point->log_evidence =
        -0.5 * (quadratic + log_det + (P - rows) * log(shift) + P * log(6.28318530717958647692));
}

void orffi_exact_system_fill_point(const orffi_exact_system *s, double lambda, double shift, const double *t,
                                   orff_path_point *point) {
    double square = 0.0, quadratic = 0.0;
    for (size_t i = 0; i < s->n * s->r; i++) {
        square += t[i] * t[i];
        quadratic += t[i] * s->y[i];
    }
    fill_point(s, lambda, shift, square, quadratic, point);
}

/* F^T t = c / (e m + shift) has the same length as t, because F is orthogonal. */
void orffi_exact_system_point(const orffi_exact_system *s, double lambda, orff_path_point *point) {
    const double shift = orffi_exact_system_shift(s, lambda);
    double square = 0.0, quadratic = 0.0;
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = 0; b < s->r; b++) {
            const double c = s->c[a * s->r + b];
            const double t = c / (s->e[a] * orffi_exact_system_value(s, s->modes > 1 ? b : 0) + shift);
            square += t * t;
            quadratic += t * c;
        }
    }
    fill_point(s, lambda, shift, square, quadratic, point);
}

orff_status orffi_exact_system_errors(const orffi_exact_system *s, const double *A, double factor,
                                      double *mse) {
    const size_t p = s->p;
    double *back = NULL;
    if (s->directed.along) { /* the error over all measurements: directed rows say little about a single
                                output */
        double sum = 0.0;
        for (size_t i = 0; i < s->rows; i++) sum += factor * A[i] * (factor * A[i]) / s->P;
        for (size_t k = 0; k < p; k++) mse[k] = sum;
        return ORFF_OK;
    }
    if (s->plan->W) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(back, s->rows * p));
        orffi_gemm(false, true, s->rows, p, p, 1.0, A, p, s->plan->W, p, 0.0, back, p);
    }
    const double *from = back ? back : A;
    memset(mse, 0, p * sizeof *mse);
    for (size_t i = 0; i < s->rows * p; i++) mse[i % p] += factor * from[i] * (factor * from[i]) / s->N;
    orffi_release(back);
    return ORFF_OK;
}
