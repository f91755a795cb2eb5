/* The expected time of a fit: counts its operations and divides by the rate of this machine for a product
 * of two matrices, which takes some milliseconds to measure. orff_cost_estimate (cost.c) measures more,
 * and for longer. */
#define _POSIX_C_SOURCE 200809L
#include "model/expect.h"

#include <math.h>
#include <time.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "model/choose.h"
#include "model/plan.h"
#include "solve/solver.h"

#define WORTH_A_LINE 2.0 /* seconds: shorter fits are not announced */
/* Multiplications a second of any machine: if these would take less than WORTH_A_LINE, nothing is timed. */
#define SLOWEST 1e9
#define ORDER   384 /* of the matrices multiplied: small enough for a cache, large enough for the full rate */
#define ROUNDS  3

/* In n^3 multiplications: a factorisation; the inverse from it, which error bars need; an
 * eigendecomposition, half of whose operations run at the speed of memory, a tenth of the rate. A fold
 * takes two products with the eigenvectors. */
#define FACTOR    (1.0 / 6.0)
#define INVERSE   (1.0 / 3.0)
#define DECOMPOSE 4.0
#define FOLD      2.0

/* ---- the rate */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Multiplications a second: the best of several rounds, as the first starts the threads. */
static orff_status find_rate(double *rate) {
    const size_t n = ORDER;
    double *A;
    *rate = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(A, 3 * n * n));
    for (size_t i = 0; i < 2 * n * n; i++) A[i] = 1.0 / (double)(i + 1);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        orffi_gemm(false, false, n, n, n, 1.0, A, n, A + n * n, n, 0.0, A + 2 * n * n, n);
        *rate = fmax(*rate, pow((double)n, 3.0) / fmax(now() - start, 1e-6));
    }
    orffi_release(A);
    return ORFF_OK;
}

/* ---- counting */

static double cube(double n) {
    return n * n * n;
}

double orffi_expect_exact(double n) {
    return cube(n) * (FACTOR + INVERSE);
}

static bool chooses_scales(const orff_settings *s) {
    for (size_t m = 0; m < s->n_parts; m++)
        if (!s->parts[m].sigmas && orffi_part_is_auto(&s->parts[m])) return true;
    return s->n_parts == 0;
}

/* Order of the system for each scalar feature or each row of an exact matrix: 1 where outputs separate. */
static double columns_each(const orff_settings *s, size_t p) {
    const bool one = s->n_parts == 0 || (s->n_parts == 1 && orff_rule_describe(s->parts[0].rule).separable);
    return one ? 1.0 : (double)p;
}

/* Sums of D frequencies over n rows and what follows them: a path over folds, or one lambda. With fewer
 * rows than coefficients the system has the order of the rows. */
static double sums_work(const orff_settings *s, double each, double D, double n, double folds) {
    const double L = 2.0 * D, order = fmin(L * each, n * each);
    const double sums = 0.5 * n * L * L * (s->single ? 0.5 : 1.0);
    return sums + cube(order) * (folds > 0.0 ? (folds + 1.0) * (DECOMPOSE + FOLD) : FACTOR + INVERSE);
}

/* Trials of length scales, with the number of features that orffi_trial_frequencies uses. */
static double trials_work(const orff_settings *s, size_t d, size_t p, double each, double D, double n) {
    const bool few = (p > 1 && p == d ? p : d) <= 3;
    const double rows = fmin(n, ORFFI_TRIAL_ROWS), trial = fmin(D, fmax(50.0, 600.0 / each));
    return (few ? 5.0 : 3.0) * sums_work(s, each, trial, rows, 3.0);
}

/* A hundred evaluations with gradients, of matrices of order at most ORFFI_EVIDENCE_WHOLE, most of them
 * smaller. */
static double evidence_work(double order) {
    return 100.0 * cube(fmin(order, 0.6 * ORFFI_EVIDENCE_WHOLE));
}

double orffi_expect_work(const orff_settings *s, const orffi_engine *engine, size_t d, size_t p, size_t n) {
    const double each = columns_each(s, p), rows = (double)n, order = rows * each;
    const bool scales = chooses_scales(s);
    if (!orffi_solver_is_closed(s->solver) || s->loss != ORFF_LOSS_SQUARED || s->mixture || s->auto_kernel || s->auto_mix) return NAN;
    if (engine->draws) {
        const double D = (double)orff_settings_features(s, d, p, n),
                     folds = s->lambda > 0.0 ? 0.0 : (double)s->folds;
        return sums_work(s, each, D, rows, folds) + (scales ? trials_work(s, d, p, each, D, rows) : 0.0);
    }
    if (engine->id != ORFF_ENGINE_EXACT) return NAN;
    return orffi_expect_exact(order) + (scales || s->lambda == 0.0 ? evidence_work(order) : 0.0);
}

/* ---- the announcement */

orff_status orffi_expect_say(const orff_settings *settings, const orffi_rows *rows) {
    const orffi_engine *engine = NULL;
    const char *reason = "";
    const size_t n = orffi_rows_known(rows);
    double rate;
    if (n == 0 || rows->along) return ORFF_OK;
    ORFFI_TRY(orffi_engine_choose(settings, rows->d, rows->p, n, &engine, &reason));
    const double work = orffi_expect_work(settings, engine, rows->d, rows->p, n);
    if (!(work > WORTH_A_LINE * SLOWEST)) return ORFF_OK;
    ORFFI_TRY(find_rate(&rate));
    const double seconds = work / rate;
    if (seconds < WORTH_A_LINE) return ORFF_OK;
    const bool minutes = seconds > 120.0;
    const double time = minutes ? seconds / 60.0 : seconds, tens = pow(10.0, floor(log10(time)));
    orffi_log(ORFF_LOG_INFO, "engine %s%s%s; about %.0f %s", orff_engine_name(engine->id),
              *reason ? ": " : "", reason, tens * rint(time / tens), minutes ? "min" : "s");
    return ORFF_OK;
}
