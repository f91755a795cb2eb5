/* Fields derived from an exact model. With x' = (x - shift)/unit and delta = x' - x'_i,
 *
 *     Jacobian         sum_i d_k K(delta) alpha_i, from which divergence and curl
 *     potential        phi = -sum_i <grad k0, alpha_i>  of curl-free parts: grad phi = K alpha
 *     stream function  psi = -sum_i <(-d2, d1) k0, alpha_i> (plane), sum_i grad k0 x alpha_i (space)  of
 *                      divergence-free parts: (-d2, d1) psi, or curl psi, = K alpha
 *
 * times root^2 and the part's shares along and across w. Other parts have no potential in closed form.
 */
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "engine/derived.h"
#include "engine/exact.h"

/* ---- what can be derived */

static orff_status check_part(const orffi_kernel_part *part, const orffi_derived *what) {
    const bool physical = part->rule->physical;
    const double order = physical && !orffi_is_potential(what) ? 3.0 : 1.0;
    if (!physical && (orffi_is_potential(what) || !part->rule->separable))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s of an exact model has no closed form for a %s part; fit with the engine %s",
                          what->name, orff_rule_name(part->rule->id), orff_engine_name(ORFF_ENGINE_FEATURES));
    if (orffi_spectrum_is_smooth(&part->law, order)) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "the %s does not exist everywhere: a %s part with base %s%s is not smooth enough; use a "
        "smoother base, %s for one",
        what->name, orff_rule_name(part->rule->id), orff_base_name(part->law.base->id),
        part->law.base->has_shape ? " of this shape" : "", orff_base_name(ORFF_BASE_GAUSSIAN));
}

/* A potential in stretched coordinates is not a potential. */
static orff_status check_units(const orff_exact *exact, const orffi_derived *what) {
    for (size_t i = 1; orffi_is_potential(what) && i < exact->plan.p; i++) {
        const size_t first = what->space ? what->space[0] : 0, at = what->space ? what->space[i] : i;
        if (what->unit[at] != what->unit[first] || what->spread[i] != what->spread[0])
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "the %s of an exact model needs one unit for all inputs of the field's space "
                              "and one for all outputs",
                              what->name);
    }
    return ORFF_OK;
}

/* ---- one part at one delta */

/* Derivatives of the part's k0, which do not depend on alpha. work: (d + 1) p^2 + d. */
static void fill_slopes(const orffi_kernel_part *part, const orffi_derived *what, const double *delta,
                        double *work) {
    if (part->rule->separable || orffi_is_potential(what))
        orffi_spectrum_gradient(&part->law, delta, work);
    else
        orffi_spectrum_curl_gradient(&part->law, delta, work, work + part->d * part->p * part->p);
}

/* J (p x d) += d_k k0 A alpha */
static void add_separable(const orffi_kernel_part *part, const double *gradient, const double *alpha,
                          double *J) {
    const size_t d = part->d, p = part->p;
    for (size_t i = 0; i < p; i++) {
        double sum = part->A ? 0.0 : alpha[i];
        for (size_t j = 0; part->A && j < p; j++) sum += part->A[i * p + j] * alpha[j];
        for (size_t k = 0; k < d; k++) J[i * d + k] += part->root * part->root * gradient[k] * sum;
    }
}

/* J += d_k ( along C + across (trace(C) I - C) ) alpha, where C is the curl-free kernel and its
 * derivatives are d x p x p. */
static void add_physical(const orffi_kernel_part *part, const double *slopes, const double *alpha,
                         double *J) {
    const size_t d = part->d, p = part->p;
    double along, across;
    part->rule->frame(part, &along, &across);
    for (size_t k = 0; k < d; k++) {
        const double *T = slopes + k * p * p;
        double trace = 0.0;
        for (size_t i = 0; i < p; i++) trace += T[i * p + i];
        for (size_t i = 0; i < p; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < p; j++) sum += T[i * p + j] * alpha[j];
            J[i * d + k] += part->root * part->root * (along * sum + across * (trace * alpha[i] - sum));
        }
    }
}

static void add_potential(const orffi_kernel_part *part, orff_field field, const double *g,
                          const double *alpha, double *out) {
    const size_t p = part->p, *s = part->law.space;
    const double front = part->root * part->root;
    double along, across;
    part->rule->frame(part, &along, &across);
    if (field == ORFF_FIELD_POTENTIAL) {
        for (size_t i = 0; i < p; i++) out[0] -= front * along * g[s[i]] * alpha[i];
    } else if (p == 2) {
        out[0] += front * across * (g[s[1]] * alpha[0] - g[s[0]] * alpha[1]);
    } else {
        for (size_t i = 0; i < 3; i++) {
            const size_t k = (i + 1) % 3, l = (i + 2) % 3;
            out[i] += front * across * (g[s[k]] * alpha[l] - g[s[l]] * alpha[k]);
        }
    }
}

static void add_part(const orffi_kernel_part *part, const orffi_derived *what, const double *slopes,
                     const double *alpha, double *J) {
    if (orffi_is_potential(what))
        add_potential(part, what->field, slopes, alpha, J);
    else
        (part->rule->separable ? add_separable : add_physical)(part, slopes, alpha, J);
}

/* ---- one row at one point */

/* Room for delta and for what a part needs. */
size_t orffi_exact_row_work(size_t d, size_t p) {
    return 2 * d + (d + 1) * p * p;
}

void orffi_exact_derive_row(const orff_exact *exact, const orffi_derived *what, const double *x, size_t row,
                            size_t count, const double *alpha, double *work, double *J) {
    const orff_kernel *kernel = exact->kernel;
    const size_t d = kernel->d, p = kernel->p, room = orffi_exact_room(d, p);
    double *delta = work, *slopes = work + d;
    for (size_t k = 0; k < d; k++) delta[k] = x[k] - exact->X[row * d + k];
    for (size_t m = 0; m < kernel->n_parts; m++) {
        fill_slopes(&kernel->parts[m], what, delta, slopes);
        for (size_t c = 0; c < count; c++)
            add_part(&kernel->parts[m], what, slopes, alpha + c * p, J + c * room);
    }
}

void orffi_exact_derived_finish(const orff_exact *exact, const orffi_derived *what, double *J, double *out) {
    const size_t d = exact->plan.d, p = exact->plan.p;
    if (orffi_is_potential(what)) {
        const double unit = what->unit[what->space ? what->space[0] : 0] * what->spread[0];
        for (size_t i = 0; i < what->k; i++) out[i] = unit * J[i];
        return;
    }
    for (size_t i = 0; i < p * d; i++) J[i] *= what->spread[i / d] / what->unit[i % d];
    orffi_derived_combine(what, d, p, J, out);
}

/* ---- points */

static void derive_point(const orff_exact *exact, const orffi_derived *what, const double *x, double *work,
                         double *out) {
    const size_t p = exact->plan.p, room = orffi_exact_room(exact->plan.d, p);
    double *J = work;
    memset(J, 0, room * sizeof *J);
    for (size_t n = 0; n < exact->plan.n; n++)
        orffi_exact_derive_row(exact, what, x, n, 1, exact->alpha + n * p, work + room, J);
    orffi_exact_derived_finish(exact, what, J, out);
}

orff_status orffi_exact_check_derived(const orff_exact *exact, const orffi_derived *what) {
    for (size_t m = 0; m < exact->kernel->n_parts; m++) ORFFI_TRY(check_part(&exact->kernel->parts[m], what));
    return check_units(exact, what);
}

orff_status orffi_exact_derive(const void *fit, const orffi_derived *what, size_t n, const double *x,
                               double *out) {
    const orff_exact *exact = fit;
    const int threads = orffi_thread_count();
    const size_t d = exact->plan.d, p = exact->plan.p;
    const size_t room = orffi_exact_room(d, p) + orffi_exact_row_work(d, p);
    double *work;
    ORFFI_TRY(orffi_exact_check_derived(exact, what));
    ORFFI_TRY(orffi_alloc(&work, room * (size_t)threads, sizeof *work));
#pragma omp parallel for num_threads(threads) if (threads > 1 && n > 1) schedule(dynamic, 4)
    for (size_t i = 0; i < n; i++)
        derive_point(exact, what, x + i * d, work + room * (size_t)orffi_thread_index(), out + i * what->k);
    orffi_release(work);
    return ORFF_OK;
}
