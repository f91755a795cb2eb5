/* The criterion of a lattice: the evidence along a path of lambdas, and errors on held-out rows at the
 * best. */
#include "engine/lattice.h"

#include <math.h>

#include "base/memory.h"

double orffi_lattice_weight(const void *rows) {
    const orffi_lattice_rows *r = rows;
    const size_t p = r->kernel->p;
    double sum = 0.0;
    if (r->keeps) return orffi_table_weight(r->table);
    if (r->directed > 0.0) return r->directed;
    for (size_t f = 0; f < r->moments->n_sets; f++) sum += r->moments->sets[f].T[(p + 1) * (p + 1) - 1];
    return sum;
}

orff_status orffi_lattice_bind_rows(orffi_lattice_rows *r, const orff_kernel *kernel) {
    if (!r->keeps || r->bound == kernel) return orffi_lattice_bind(r, kernel);
    orffi_lattice_unbind(r);
    orff_status status = orffi_kept_bind(r, kernel);
    if (!status) status = orffi_lattice_find_local(r, kernel, r->table, r->table->n);
    if (status) orffi_lattice_unbind(r);
    return status;
}

/* Of the whole kernel, which a noise goes with: waves beyond the cut may be much of it where the nearest rows stand in for them. */
orff_status orffi_lattice_size(void *rows, const orff_kernel *kernel, double *out) {
    orffi_lattice_rows *r = rows;
    ORFFI_TRY(orffi_lattice_bind_rows(r, kernel));
    ORFFI_TRY(orffi_lattice_kernel_size(kernel, out));
    if (!(*out > 0.0)) *out = r->system.trace > 0.0 ? r->system.trace : 1.0;
    return ORFF_OK;
}

/* Evaluates one lambda of a path by its evidence. */
static orff_status try_lambda(orffi_lattice_rows *r, double lambda, double *error, orff_path_point *point) {
    orffi_lattice_solution found;
    ORFFI_TRY(r->keeps ? orffi_kept_solve_at(r, lambda, false, &found)
                       : orffi_lattice_solve_at(r, lambda, true, &found));
    *error = -found.profile;
    if (point)
        *point = (orff_path_point){.lambda = lambda,
                                   .log_evidence = found.log_evidence,
                                   .dof = found.dof,
                                   .train_mse = NAN,
                                   .gcv = NAN,
                                   .cv_mse = NAN,
                                   .noise = NAN};
    return ORFF_OK;
}

/* The evidence has one maximum along the path: compares the thirds of the remaining range. */
static orff_status climb(orffi_lattice_rows *r, size_t count, const double *lambdas, orffi_criterion *c) {
    size_t low = 0, high = count - 1;
    for (size_t l = 0; l < count; l++) {
        c->errors[l] = NAN;
        if (c->points)
            c->points[l] = (orff_path_point){.lambda = lambdas[l],
                                             .log_evidence = NAN,
                                             .dof = NAN,
                                             .train_mse = NAN,
                                             .gcv = NAN,
                                             .cv_mse = NAN,
                                             .noise = NAN};
    }
    while (true) {
        const size_t third = (high - low) / 3, one = low + third, two = high - third;
        /* The larger lambda first: it is easier, and its solution helps the smaller one. */
        const size_t both[2] = {two, one};
        for (size_t i = 0; i < 2; i++)
            if (isnan(c->errors[both[i]]))
                ORFFI_TRY(try_lambda(r, lambdas[both[i]], &c->errors[both[i]],
                                     c->points ? &c->points[both[i]] : NULL));
        if (third == 0) {
            if (high - low != 2) break;
            high--; /* the one between them */
            continue;
        }
        if (c->errors[one] < c->errors[two])
            high = two - 1;
        else
            low = one + 1;
    }
    return ORFF_OK;
}

static size_t best_of(size_t count, const double *errors) {
    size_t best = count;
    for (size_t l = 0; l < count; l++)
        if (!isnan(errors[l]) && (best == count || errors[l] <= errors[best])) best = l;
    return best;
}

/* Errors on held-out rows at one lambda: leave-one-out, or by folds. */
static orff_status cross(orffi_lattice_rows *r, double lambda, double *errors) {
    orffi_lattice_solution found;
    double *train;
    if (!r->keeps) return orffi_lattice_cross(r, lambda, errors);
    ORFFI_TRY(ORFFI_NEW_ARRAY(train, r->table->p));
    orff_status status = orffi_kept_solve_at(r, lambda, !r->local, &found);
    if (!status) status = orffi_kept_errors(r, lambda, train, errors);
    orffi_release(train);
    return status;
}

orff_status orffi_lattice_criterion(void *rows, const orff_kernel *kernel, size_t count,
                                    const double *lambdas, orffi_criterion *c) {
    orffi_lattice_rows *r = rows;
    const size_t p = kernel->p;
    ORFFI_TRY(orffi_lattice_bind_rows(r, kernel));
    for (size_t i = 0; i < count * p; i++) c->outputs[i] = NAN;
    ORFFI_TRY(climb(r, count, lambdas, c));
    c->told = true;
    const size_t best = best_of(count, c->errors);
    if (best == count || (!r->keeps && r->moments->n_sets < 2)) return ORFF_OK;
    ORFFI_TRY(cross(r, lambdas[best], c->outputs + best * p));
    double mean = 0.0;
    for (size_t a = 0; a < p; a++) mean += c->outputs[best * p + a] / (double)p;
    if (c->points) c->points[best].cv_mse = mean;
    c->crossed = true;
    return ORFF_OK;
}
