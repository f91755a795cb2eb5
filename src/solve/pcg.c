/* Conjugate gradients on the normal equations, preconditioned by what a subsample of the rows says of A^*
 * A. */
#include <string.h>

#include "base/memory.h"
#include "solve/iterative.h"

typedef struct pcg_work {
    double *r, *z, *s, *q; /* residual, preconditioned; direction, operator times it   (cols) */
    double *scratch;       /* 2 m of the subsample */
} pcg_work;

static orff_status run(orff_normal_equations *e, const pcg_work *w, double *x) {
    const size_t cols = e->A->cols;
    double rz = 0.0;
    while (e->monitor->done < e->monitor->limit && orff_vector_norm(cols, w->r) > e->target) {
        ORFF_TRY(orff_subsample_solve(e->subsample, w->r, w->z, w->scratch));
        const double rz_old = rz;
        rz = orff_vector_dot(cols, w->r, w->z);
        orff_vector_update(cols, w->z, rz_old > 0.0 ? rz / rz_old : 0.0, w->s); /* s = z + beta s */
        ORFF_TRY(orff_normal_apply(e, w->s, w->q));
        const double alpha = rz / orff_vector_dot(cols, w->s, w->q);
        if (!isfinite(alpha) || alpha <= 0.0) break; /* nothing left but rounding */
        orff_vector_add(cols, alpha, w->s, x);
        orff_vector_add(cols, -alpha, w->q, w->r);
        e->monitor->done++;
    }
    return ORFF_OK;
}

orff_status orff_pcg(orff_normal_equations *e, double *x) {
    const size_t cols = e->A->cols;
    pcg_work work = {0};
    e->condition = orff_subsample_condition(e->subsample, e->shift);
    orff_status status = orff_duplicate(&work.r, e->r, cols, sizeof *work.r);
    if (!status) status = ORFF_NEW_ARRAY(work.z, cols);
    if (!status) status = ORFF_NEW_ARRAY(work.s, cols);
    if (!status) status = ORFF_NEW_ARRAY(work.q, cols);
    if (!status) status = ORFF_NEW_ARRAY(work.scratch, 2 * e->subsample->m);
    if (!status) status = run(e, &work, x);
    orff_release(work.r);
    orff_release(work.z);
    orff_release(work.s);
    orff_release(work.q);
    orff_release(work.scratch);
    return status;
}
