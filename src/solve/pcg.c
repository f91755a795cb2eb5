/* Conjugate gradients on the normal equations, preconditioned by the approximation of A^* A from a subsample
 * of the rows. */
#include <string.h>

#include "base/memory.h"
#include "solve/solver.h"

typedef struct pcg_work {
    double *r, *z, *s, *q; /* residual, preconditioned; direction, operator times it   (cols) */
    double *scratch;       /* 2 m numbers for the subsample */
} pcg_work;

/* z from r. The first process has the subsample, the others receive z from it. */
static orff_status precondition(const orffi_normal_equations *e, const pcg_work *w) {
    if (orffi_sharing_is_first(e->A->sharing))
        ORFFI_TRY(orffi_subsample_solve(e->subsample, w->r, w->z, w->scratch));
    return orffi_sharing_first(e->A->sharing, e->A->cols, w->z);
}

static orff_status run(orffi_normal_equations *e, const pcg_work *w, double *x) {
    const size_t cols = e->A->cols;
    double rz = 0.0;
    while (e->monitor->done < e->monitor->limit && orffi_vector_norm(cols, w->r) > e->target) {
        ORFFI_TRY(precondition(e, w));
        const double rz_old = rz;
        rz = orffi_vector_dot(cols, w->r, w->z);
        orffi_vector_update(cols, w->z, rz_old > 0.0 ? rz / rz_old : 0.0, w->s); /* s = z + beta s */
        ORFFI_TRY(orffi_normal_apply(e, w->s, w->q));
        const double alpha = rz / orffi_vector_dot(cols, w->s, w->q);
        if (!isfinite(alpha) || alpha <= 0.0) break; /* only rounding errors are left */
        orffi_vector_add(cols, alpha, w->s, x);
        orffi_vector_add(cols, -alpha, w->q, w->r);
        e->monitor->done++;
        orffi_monitor_keep(e->monitor, e->theta, x);
    }
    return ORFF_OK;
}

static orff_status solve(orffi_normal_equations *e, double *x) {
    const size_t cols = e->A->cols;
    pcg_work work = {0};
    if (orffi_sharing_is_first(e->A->sharing))
        e->condition = orffi_subsample_condition(e->subsample, e->shift);
    ORFFI_TRY(orffi_sharing_first(e->A->sharing, 1, &e->condition));
    orff_status status = orffi_duplicate(&work.r, e->r, cols, sizeof *work.r);
    if (!status) status = ORFFI_NEW_ARRAY(work.z, cols);
    if (!status) status = ORFFI_NEW_ARRAY(work.s, cols);
    if (!status) status = ORFFI_NEW_ARRAY(work.q, cols);
    if (!status) status = ORFFI_NEW_ARRAY(work.scratch, 2 * e->subsample->m);
    if (!status) status = run(e, &work, x);
    orffi_release(work.r);
    orffi_release(work.z);
    orffi_release(work.s);
    orffi_release(work.q);
    orffi_release(work.scratch);
    return status;
}

const orffi_solver_row orffi_solver_pcg = {.iterates = true, .solve = solve, .preconditions = true};
