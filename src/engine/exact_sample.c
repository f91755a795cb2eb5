/* Posterior samples of an exact model, minus the mean, by Matheron's rule: a draw f0 from the kernel,
 * corrected by what rows with noise would predict of it,
 *
 *     1/sqrt(shift) ( f0 - K(., rows) (K + shift/c)^-1 (f0(rows) + e) ),      e ~ N(0, shift/c)
 *
 * f0 has random frequencies, new ones in each sample. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/exact.h"
#include "engine/features.h"

#define STREAM      0x4553u
#define FREQUENCIES 1024 /* of a draw: thousands of samples would not show that it is not exactly normal */

/* Multiplies rows by W, or by its transpose: `in` (n x p) to `out`. */
static void turn(const orffi_exact_plan *plan, bool back, const double *in, double *out) {
    const size_t n = plan->n, p = plan->p;
    if (plan->W)
        orffi_gemm(false, back, n, p, p, 1.0, in, p, plan->W, p, 0.0, out, p);
    else
        memcpy(out, in, n * p * sizeof *out);
}

/* y = (K + shift/c)^-1 y, using the factor in the form kept; work: n x p. */
static void solve_kept(const orff_exact *exact, double *work, double *y) {
    const orffi_exact_plan *plan = &exact->plan;
    const orffi_exact_kept *kept = exact->kept;
    const bool turned = plan->law && !exact->along;
    const size_t columns = turned ? plan->p : 1, n = kept->n, modes = kept->modes;
    if (turned) turn(plan, false, y, work);
    if (turned) memcpy(y, work, n * columns * sizeof *y);
    orffi_gemm(true, false, n, columns, n, 1.0, kept->F, n, y, columns, 0.0, work, columns);
    for (size_t i = 0; i < n * columns; i++)
        work[i] *= kept->g[i / columns * modes + (modes > 1 ? i % columns : 0)];
    orffi_gemm(false, false, n, columns, n, 1.0, kept->F, n, work, columns, 0.0, y, columns);
    if (turned) turn(plan, true, y, work);
    if (turned) memcpy(y, work, n * columns * sizeof *y);
}

/* Replaces f at the points of directed rows (n x p), in place, by one number per row; the second turns
 * numbers back into multiples of the directions. */
static void project_along(const orff_exact *exact, double *f) {
    const orffi_directed rows = orffi_exact_directed(exact);
    for (size_t i = 0; i < rows.n; i++) f[i] = orffi_directed_value(&rows, exact->plan.p, i, f);
}

static void spread_along(const orff_exact *exact, double *y) {
    const orffi_directed rows = orffi_exact_directed(exact);
    const size_t p = exact->plan.p;
    for (size_t i = rows.n; i-- > 0;) {
        const double multiple = y[i];
        for (size_t k = orffi_directed_begin(&rows, i) * p; k < orffi_directed_begin(&rows, i + 1) * p; k++)
            y[k] = multiple * exact->along[k];
    }
}

/* y += e */
static void add_noise(const orff_exact *exact, uint64_t seed, size_t number, double *y) {
    const orffi_rng rng = {seed, STREAM};
    const size_t p = exact->along ? 1 : exact->plan.p, n = exact->along ? exact->rows : exact->plan.n;
    for (size_t i = 0; i < n * p; i++) {
        const double c = exact->weights ? exact->weights[i / p] : 1.0;
        if (c > 0.0) y[i] += sqrt(exact->shift / c) * orffi_rng_normal(rng, ((uint64_t)number << 32) + i, 0);
    }
}

/* alpha = -root (K + shift/c)^-1 (f0(rows) + e); work: n x p. */
static orff_status condition(const orff_exact *exact, const orffi_features_fit *prior, double root,
                             uint64_t seed, size_t number, double *work, orff_exact *out) {
    const size_t n = exact->plan.n, p = exact->plan.p;
    ORFFI_TRY(orffi_features_apply_matrix(prior, p, prior->V, n, exact->X, out->alpha));
    if (exact->along) project_along(exact, out->alpha);
    add_noise(exact, seed, number, out->alpha);
    solve_kept(exact, work, out->alpha);
    if (exact->along) spread_along(exact, out->alpha);
    for (size_t i = 0; i < n * p; i++) out->alpha[i] *= -root;
    memcpy(out->X, exact->X, n * exact->plan.d * sizeof *out->X);
    return orffi_exact_fold(out);
}

static orff_status draw_one(const orff_exact *exact, double root, uint64_t seed, size_t number, double *work,
                            orffi_deviation *sample) {
    orffi_features_fit *prior = NULL;
    orff_exact *rows = NULL;
    ORFFI_TRY(orffi_features_draw_prior(&prior, exact->kernel, FREQUENCIES, seed, number));
    orffi_deviation_add(sample, &orffi_engine_features, prior);
    ORFFI_TRY(orffi_exact_create(&rows, exact->kernel, exact->plan.n));
    orffi_deviation_add(sample, &orffi_engine_exact, rows);
    ORFFI_TRY(condition(exact, prior, root, seed, number, work, rows));
    for (size_t i = 0; i < 2 * prior->features->D * exact->plan.p; i++) prior->V[i] *= root;
    return ORFF_OK;
}

orff_status orffi_exact_draw_samples(const void *fit, uint64_t seed, size_t count, orffi_deviation *samples) {
    const orff_exact *exact = fit;
    double *work;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, exact->plan.n * exact->plan.p));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = orffi_progress("sampling", (double)i, (double)count);
        if (!status) status = draw_one(exact, 1.0 / sqrt(exact->shift), seed, i, work, &samples[i]);
    }
    orffi_release(work);
    return status;
}
