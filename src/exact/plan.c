#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/threads.h"
#include "exact/exact.h"

enum { MOST_FACTORISATIONS = 10 }; /* an eigendecomposition takes about as long as this many */

/* Whether all parts are decomposable and have the same law: K = k (x) sum of root^2 A. */
static bool is_kronecker(const orff_kernel *kernel) {
    bool all = kernel->n_groups == 1;
    for (size_t i = 0; i < kernel->n_parts; i++) all &= kernel->parts[i].rule->separable;
    return all;
}

/* A (p x p) = sum of root^2 A_part; parts without a matrix are multiples of the identity. */
static void sum_matrices(const orff_kernel *kernel, double *A) {
    const size_t p = kernel->p;
    for (size_t i = 0; i < kernel->n_parts; i++) {
        const orffi_kernel_part *part = &kernel->parts[i];
        const double weight = part->root * part->root;
        for (size_t k = 0; part->A && k < p * p; k++) A[k] += weight * part->A[k];
        for (size_t k = 0; !part->A && k < p; k++) A[k * p + k] += weight;
    }
}

static bool is_identity(const orff_kernel *kernel, double *multiple) {
    bool all = true;
    *multiple = 0;
    for (size_t i = 0; i < kernel->n_parts; i++) {
        all &= kernel->parts[i].A == NULL;
        *multiple += kernel->parts[i].root * kernel->parts[i].root;
    }
    return all;
}

static orff_status diagonalise(orffi_exact_plan *plan, const orff_kernel *kernel) {
    double multiple;
    const bool identity = is_identity(kernel, &multiple);
    plan->values = identity ? 1 : plan->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->m, plan->values));
    plan->m[0] = multiple;
    if (identity) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->W, plan->p * plan->p));
    sum_matrices(kernel, plan->W);
    return orffi_eigen(plan->p, plan->W, plan->m);
}

/* Eigenvalues below this are rounding errors. */
static double rounding(const orffi_exact_plan *plan) {
    return (double)plan->values * DBL_EPSILON * plan->m[plan->values - 1];
}

bool orffi_exact_plan_is_zero(const orffi_exact_plan *plan, size_t b) {
    return plan->m[b] <= rounding(plan);
}

size_t orffi_exact_plan_group(const orffi_exact_plan *plan, size_t first) {
    const double tolerance = rounding(plan), start = plan->m[first];
    size_t end = first + 1;
    while (end < plan->values && plan->m[end] - start <= tolerance) end++;
    return end;
}

orff_status orffi_exact_plan_make(orffi_exact_plan *plan, const orff_kernel *kernel, size_t n) {
    *plan = (orffi_exact_plan){.n = n, .d = kernel->d, .p = kernel->p};
    if (!is_kronecker(kernel)) return ORFF_OK;
    plan->law = kernel->groups[0].law;
    const orff_status status = diagonalise(plan, kernel);
    for (size_t b = 0; !status && b < plan->values; b = orffi_exact_plan_group(plan, b))
        plan->groups += !orffi_exact_plan_is_zero(plan, b);
    plan->eigen = plan->groups > MOST_FACTORISATIONS;
    if (status) orffi_exact_plan_clear(plan);
    return status;
}

orffi_exact_plan orffi_exact_plan_directed(const orff_kernel *kernel, size_t n) {
    return (orffi_exact_plan){.n = n, .d = kernel->d, .p = kernel->p, .directed = true};
}

void orffi_exact_plan_clear(orffi_exact_plan *plan) {
    orffi_release(plan->m);
    orffi_release(plan->W);
    *plan = (orffi_exact_plan){0};
}

/* Numbers in memory at the peak, as a double, which no size overflows. The eigensolver needs twice its
 * matrix. */
static double kronecker_numbers(const orffi_exact_plan *plan) {
    const double n = (double)plan->n, p = (double)plan->p;
    const double squares = plan->eigen ? 3 : plan->groups > 1 ? 2 : 1;
    return squares * n * n + 3 * n * p + (plan->W ? p * p : 0);
}

static double dense_numbers(const orffi_exact_plan *plan) {
    const double n = (double)plan->n, p = (double)plan->p;
    return n * p * n * p + 2 * n * p + 2 * p * p * orffi_thread_count();
}

size_t orffi_exact_plan_bytes(const orffi_exact_plan *plan) {
    const double held = (double)plan->n * (double)plan->d + (double)plan->p;
    const double bytes = 8 * (held + (plan->law ? kronecker_numbers(plan) : dense_numbers(plan)));
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}
