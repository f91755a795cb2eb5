/* Errors of fields derived from an exact model, in closed form. A derived field g = L f is linear in f.
 * With C, its covariance with the rows,
 *
 *     cov g(x) = 1/shift ( L K L^T - C (K + shift/c)^-1 C^T ),        L K L^T at x = z
 *
 * The first term consists of moments of the frequencies: d_a d_b k0(0) = -E w_a w_b, and for a physical
 * part the fourth moments. If K = k (x) A, the turned outputs are independent, and C is grad k for each of
 * them. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/exact.h"

enum { BLOCK_NUMBERS = 4 << 20 }; /* in C at a time: 32 MB */

typedef struct work {
    size_t rows, slices; /* points at a time; rows of C per point: k, or d where outputs are turned */
    size_t room;         /* size of `small` for one thread */
    double *G, *Z;       /* rows x slices x n: C, C F */
    double *prior;       /* k x k; for turned outputs d x d, of the derivatives */
    double *T;           /* k x p d: from Jacobians to the field; for turned outputs p x k x d */
    double *unit;        /* p x p: the identity */
    double *small;       /* threads x room */
} work;

static bool is_turned(const orff_exact *exact) {
    return exact->plan.law && !exact->along;
}

static void work_clear(work *w) {
    double *all[] = {w->G, w->Z, w->prior, w->T, w->unit, w->small};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

/* ---- which fields have a closed form */

static bool is_round(const orffi_spectrum *law) {
    for (size_t i = 1; i < law->space_count; i++)
        if (law->scale[law->space[i]] != law->scale[law->space[0]]) return false;
    return true;
}

/* The variance of a stream function in space contains w w^T/|w|^2, whose mean is known if all directions
 * are alike. */
static bool has_moments(const orffi_kernel_part *part, const orffi_derived *what) {
    const orffi_spectrum *law = &part->law;
    if (law->period) return false;
    if (orffi_is_potential(what)) return part->p == 2 || what->field == ORFF_FIELD_POTENTIAL || is_round(law);
    if (part->rule->separable) return isfinite(orffi_spectrum_second(law, 0, 0));
    const size_t i = law->space[0];
    return !law->centre && isfinite(orffi_spectrum_fourth(law, i, i, i, i));
}

bool orffi_exact_has_derived_covariance(const void *fit, const orffi_derived *what) {
    const orff_exact *exact = fit;
    if (!exact->kept || orffi_exact_check_derived(exact, what)) return false;
    for (size_t m = 0; m < exact->kernel->n_parts; m++)
        if (!has_moments(&exact->kernel->parts[m], what)) return false;
    return true;
}

/* ---- the prior */

/* cov(J_ia, J_jb) of a part at a point, in the kernel's units. */
static double slope_prior(const orffi_kernel_part *part, size_t i, size_t a, size_t j, size_t b) {
    const double front = part->root * part->root;
    const orffi_spectrum *law = &part->law;
    double along, across, trace = 0.0;
    if (part->rule->separable) {
        const double A = part->A ? part->A[i * part->p + j] : i == j ? 1.0 : 0.0;
        return front * A * orffi_spectrum_second(law, a, b);
    }
    part->rule->frame(part, &along, &across);
    const double both = orffi_spectrum_fourth(law, law->space[i], law->space[j], a, b);
    for (size_t l = 0; i == j && l < part->p; l++)
        trace += orffi_spectrum_fourth(law, law->space[l], law->space[l], a, b);
    return front * (along * both + across * (trace - both));
}

/* A potential has the prior variance along k0, a stream function across k0 in the plane, and across k0 (1
 * - 1/3) in space if all directions are alike; other inputs are covariates. */
static void add_potential_prior(const orff_exact *exact, const orffi_derived *what, double *prior) {
    const double unit = what->unit[what->space ? what->space[0] : 0] * what->spread[0];
    for (size_t m = 0; m < exact->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &exact->kernel->parts[m];
        double along, across;
        part->rule->frame(part, &along, &across);
        const double share = what->field == ORFF_FIELD_POTENTIAL ? along
                             : part->p == 2                      ? across
                                                                 : 2.0 / 3.0 * across;
        for (size_t i = 0; i < what->k; i++)
            prior[i * what->k + i] += unit * unit * part->root * part->root * share;
    }
}

/* prior = T cov(J) T^T; one: room for p d numbers. */
static void fill_slope_prior(const orff_exact *exact, size_t k, const double *T, double *one, double *prior) {
    const size_t d = exact->plan.d, p = exact->plan.p, size = p * d;
    for (size_t u = 0; u < k; u++) {
        for (size_t v = 0; v < size; v++) {
            one[v] = 0.0;
            for (size_t s = 0; s < size; s++)
                for (size_t m = 0; T[u * size + s] != 0.0 && m < exact->kernel->n_parts; m++)
                    one[v] +=
                        T[u * size + s] * slope_prior(&exact->kernel->parts[m], s / d, s % d, v / d, v % d);
        }
        for (size_t v = 0; v < k; v++) prior[u * k + v] = orffi_dot(size, one, T + v * size);
    }
}

/* Column s of T is the field of a Jacobian that is 1 at s and 0 elsewhere. J: scratch; out: k. */
static void fill_matrix(const orff_exact *exact, const orffi_derived *what, double *J, double *out,
                        double *T) {
    const size_t size = exact->plan.p * exact->plan.d;
    for (size_t s = 0; s < size; s++) {
        memset(J, 0, size * sizeof *J);
        J[s] = 1.0;
        orffi_exact_derived_finish(exact, what, J, out);
        for (size_t u = 0; u < what->k; u++) T[u * size + s] = out[u];
    }
}

/* T_b = T applied to the Jacobians w_b (x) e_a, for each turned output b   (p x k x d). */
static orff_status turn_matrix(const orff_exact *exact, size_t k, double *T) {
    const size_t d = exact->plan.d, p = exact->plan.p;
    const double *W = exact->plan.W;
    double *turned;
    ORFFI_TRY(ORFFI_NEW_ARRAY(turned, p * k * d));
    for (size_t b = 0; b < p; b++)
        for (size_t u = 0; u < k; u++)
            for (size_t i = 0; i < p; i++)
                for (size_t a = 0; a < d; a++)
                    turned[(b * k + u) * d + a] += (W        ? W[i * p + b]
                                                    : i == b ? 1.0
                                                             : 0.0) *
                                                   T[(u * p + i) * d + a];
    memcpy(T, turned, p * k * d * sizeof *T);
    orffi_release(turned);
    return ORFF_OK;
}

static orff_status fill_prior(const orff_exact *exact, const orffi_derived *what, work *w) {
    const size_t d = exact->plan.d;
    if (orffi_is_potential(what)) {
        add_potential_prior(exact, what, w->prior);
        return ORFF_OK;
    }
    fill_matrix(exact, what, w->small, w->small + orffi_exact_room(d, exact->plan.p), w->T);
    if (!is_turned(exact)) {
        fill_slope_prior(exact, what->k, w->T, w->small, w->prior);
        return ORFF_OK;
    }
    for (size_t a = 0; a < d * d; a++) w->prior[a] = orffi_spectrum_second(exact->plan.law, a / d, a % d);
    return turn_matrix(exact, what->k, w->T);
}

static orff_status work_fill(work *w, const orff_exact *exact, const orffi_derived *what, size_t n) {
    const size_t p = exact->plan.p, d = exact->plan.d, order = exact->kept->n, k = what->k;
    w->slices = is_turned(exact) ? d : k;
    w->rows = BLOCK_NUMBERS / (w->slices * order) + 1;
    if (w->rows > n) w->rows = n;
    w->room = p * orffi_exact_room(d, p) + orffi_exact_row_work(d, p) + k + 2 * d * d;
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->G, w->rows * w->slices * order));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->Z, w->rows * w->slices * order));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->prior, is_turned(exact) ? d * d : k * k));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->T, k * p * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->unit, p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w->small, w->room * (size_t)orffi_thread_count()));
    for (size_t i = 0; i < p; i++) w->unit[i * p + i] = 1.0;
    return fill_prior(exact, what, w);
}

/* ---- C of a point (slices x n) */

static void fill_turned(const orff_exact *exact, const double *x, double *small, double *G) {
    const size_t d = exact->plan.d, n = exact->plan.n;
    double *delta = small, *gradient = small + d;
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < d; a++) delta[a] = x[a] - exact->X[i * d + a];
        orffi_spectrum_gradient(exact->plan.law, delta, gradient);
        for (size_t a = 0; a < d; a++) G[a * n + i] = gradient[a];
    }
}

/* Fills column `at` of G from J. field: scratch (k). */
static void put(const orff_exact *exact, const orffi_derived *what, double *J, double *field, size_t at,
                double *G) {
    orffi_exact_derived_finish(exact, what, J, field);
    for (size_t u = 0; u < what->k; u++) G[u * exact->kept->n + at] = field[u];
}

static void fill_whole(const orff_exact *exact, const orffi_derived *what, const work *w, const double *x,
                       double *small, double *G) {
    const size_t p = exact->plan.p, room = orffi_exact_room(exact->plan.d, p);
    double *J = small, *field = J + p * room, *more = field + what->k;
    for (size_t i = 0; i < exact->plan.n; i++) {
        memset(J, 0, p * room * sizeof *J);
        orffi_exact_derive_row(exact, what, x, i, p, w->unit, more, J);
        for (size_t j = 0; j < p; j++) put(exact, what, J + j * room, field, i * p + j, G);
    }
}

static void fill_directed(const orff_exact *exact, const orffi_derived *what, const double *x, double *small,
                          double *G) {
    const orffi_directed rows = orffi_exact_directed(exact);
    const size_t p = exact->plan.p, room = orffi_exact_room(exact->plan.d, p);
    double *J = small, *field = J + room, *more = field + what->k;
    for (size_t i = 0; i < rows.n; i++) {
        memset(J, 0, room * sizeof *J);
        for (size_t t = orffi_directed_begin(&rows, i); t < orffi_directed_begin(&rows, i + 1); t++)
            orffi_exact_derive_row(exact, what, x, t, 1, rows.along + t * p, more, J);
        put(exact, what, J, field, i, G);
    }
}

/* ---- the posterior */

/* Z_a diag(g) Z_b^T for one mode. */
static double known(const orffi_exact_kept *kept, const double *Za, const double *Zb, size_t mode) {
    double sum = 0.0;
    for (size_t i = 0; i < kept->n; i++) sum += Za[i] * Zb[i] * kept->g[i * kept->modes + mode];
    return sum;
}

static void whole_point(const orff_exact *exact, const work *w, const double *Z, double *out) {
    const size_t k = w->slices, n = exact->kept->n;
    for (size_t u = 0; u < k; u++)
        for (size_t v = u; v < k; v++)
            out[u * k + v] = out[v * k + u] =
                (w->prior[u * k + v] - known(exact->kept, Z + u * n, Z + v * n, 0)) / exact->shift;
}

/* sum_b T_b (m M - m^2 Q_b) T_b^T, M = E w w^T; Q and left: d x d. */
static void turned_point(const orff_exact *exact, const work *w, size_t k, const double *Z, double *Q,
                         double *out) {
    const orffi_exact_plan *plan = &exact->plan;
    const size_t d = plan->d, p = plan->p, n = exact->kept->n;
    double *left = Q + d * d;
    memset(out, 0, k * k * sizeof *out);
    for (size_t b = 0; b < p; b++) {
        const size_t v = plan->values > 1 ? b : 0;
        const double m = orffi_exact_plan_is_zero(plan, v) ? 0.0 : plan->m[v], *T = w->T + b * k * d;
        for (size_t a = 0; (b == 0 || exact->kept->modes > 1) && a < d * d; a++)
            Q[a] = known(exact->kept, Z + a / d * n, Z + a % d * n, exact->kept->modes > 1 ? b : 0);
        for (size_t a = 0; a < d * d; a++) left[a] = (m * w->prior[a] - m * m * Q[a]) / exact->shift;
        for (size_t u = 0; u < k * k; u++)
            for (size_t a = 0; a < d * d; a++)
                out[u] += T[u / k * d + a / d] * left[a] * T[u % k * d + a % d];
    }
}

static void do_block(const orff_exact *exact, const orffi_derived *what, const work *w, size_t rows,
                     const double *x, double *out) {
    const size_t d = exact->plan.d, n = exact->kept->n, k = what->k, slice = w->slices * n;
    const int threads = orffi_thread_count();
    const bool turned = is_turned(exact);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1) schedule(dynamic, 4)
    for (size_t i = 0; i < rows; i++) {
        double *small = w->small + w->room * (size_t)orffi_thread_index(), *G = w->G + i * slice;
        if (turned)
            fill_turned(exact, x + i * d, small, G);
        else if (exact->along)
            fill_directed(exact, what, x + i * d, small, G);
        else
            fill_whole(exact, what, w, x + i * d, small, G);
    }
    orffi_times_factor(rows * w->slices, n, n, w->G, exact->kept->F, w->Z);
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 1)
    for (size_t i = 0; i < rows; i++) {
        double *small = w->small + w->room * (size_t)orffi_thread_index();
        if (turned)
            turned_point(exact, w, k, w->Z + i * slice, small, out + i * k * k);
        else
            whole_point(exact, w, w->Z + i * slice, out + i * k * k);
    }
}

orff_status orffi_exact_derived_covariance(const void *fit, const orffi_derived *what, size_t n,
                                           const double *x, double *out) {
    const orff_exact *exact = fit;
    const size_t d = exact->plan.d, kk = what->k * what->k;
    work w = {0};
    orff_status status = n ? work_fill(&w, exact, what, n) : ORFF_OK;
    for (size_t i = 0; !status && i < n; i += w.rows) {
        status = orffi_progress(ORFFI_COVARIANCE_TASK, (double)i, (double)n);
        if (!status) do_block(exact, what, &w, n - i < w.rows ? n - i : w.rows, x + i * d, out + i * kk);
    }
    work_clear(&w);
    return status;
}
