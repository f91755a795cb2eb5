/* orff-mpi fit without moments: the matrix lies in pieces on all ranks (--spread), or there is none, and an iterative solver
 * sweeps the rows of all ranks (--solver). */
#include <stdlib.h>

#include "cli/fit.h"
#include "cli/report.h"
#include "commands.h"
#include "learn.h"
#include "ranks.h"
#include "tables.h"

/* Unless another is asked for: pcg, whose preconditioner is rounded by the threads of rank 0, then has 1e-10 on any number of
 * ranks, at a third more iterations than 1e-8 takes. */
#define RESIDUAL 1e-12

typedef struct solution {
    orff_kernel *kernel;
    orff_features *features;
    double *theta, *mean;
    orff_found found;
    orff_solve_info solve; /* of an iterative solver */
} solution;

static int prepare(cli_learning *l, solution *s) {
    const int status = cli_learn_features(l, &s->kernel, &s->features);
    if (status) return status;
    const size_t M = orff_features_describe(s->features).parameters;
    s->theta = cli_more(NULL, M, sizeof *s->theta);
    for (size_t i = 0; i < M; i++) s->theta[i] = 0.0;
    s->mean = cli_more(NULL, l->data.p, sizeof *s->mean);
    s->found = (orff_found){.theta = s->theta, .intercept = s->mean, .lambda = l->settings.settings.lambda};
    return CLI_DONE;
}

static orff_status spread(const cli_learning *l, const orff_reader *reader, solution *s) {
    orff_mpi_ridge_info info;
    const orff_status status =
        orff_mpi_ridge(MPI_COMM_WORLD, s->kernel, s->features, reader, l->settings.settings.center,
                       s->found.lambda, s->theta, s->mean, &info);
    if (status) return status;
    s->found.rows = info.rows;
    s->found.weight = info.weight;
    s->found.train_mse = info.train_mse;
    cli_say("order %zu on %d x %d ranks, %.3g MB on each: filled in %.2f s, solved in %.2f s", info.order,
            info.grid[0], info.grid[1], 1e-6 * info.matrix_bytes, info.fill_seconds, info.solve_seconds);
    return ORFF_OK;
}

static orff_status iterate(const cli_learning *l, const orff_reader *reader, solution *s) {
    orff_iteration how = orff_settings_iteration(&l->settings.settings, s->found.lambda);
    if (!how.single && !cli_given(&l->arguments, cli_setting("residual"))) how.tolerance = RESIDUAL;
    orff_mpi_iterate_info info;
    const double start = cli_seconds();
    const orff_status status = orff_mpi_iterate(MPI_COMM_WORLD, s->features, reader,
                                                l->settings.settings.center, &how, s->theta, s->mean, &info);
    if (status) return status;
    s->found.rows = info.rows;
    s->found.weight = info.weight;
    s->found.train_mse = info.train_mse;
    s->solve = info.solve;
    s->found.solve = &s->solve;
    cli_say("%zu iterations on %d ranks in %.2f s, residual %.1e", info.solve.iterations, cli_ranks(),
            cli_seconds() - start, info.solve.residual);
    return ORFF_OK;
}

static int solve(cli_learning *l, solution *s) {
    const orff_reader reader = cli_data_reader(&l->data);
    uint64_t first, last;
    cli_tables_portions(&first, &last);
    cli_tables_read(&l->data, first, last);
    const orff_status outcome =
        cli_given(&l->arguments, CLI_OPT_SPREAD) ? spread(l, &reader, s) : iterate(l, &reader, s);
    const bool ours =
        l->data.trouble || l->data.failed; /* the others only know that somebody's reader failed */
    const int status = cli_agree(ours ? cli_data_outcome(&l->data, outcome) : CLI_DONE);
    return status ? status : cli_agree_on(outcome);
}

static int finish(cli_learning *l, const solution *s) {
    orff_model *model = NULL;
    int status = cli_outcome(orff_model_of_features(&model, s->features, &s->found), NULL);
    if (!status)
        status = cli_finish_fit(&l->arguments, model, l->data.notes, l->data.dropped, l->began, NULL);
    orff_model_free(model);
    return status;
}

int cli_fit_without_moments(const cli_arguments *a) {
    cli_learning l;
    solution s = {0};
    int status = cli_learn_kernel(&l, a);
    if (!status) status = cli_agree(prepare(&l, &s));
    if (!status) status = solve(&l, &s);
    if (!status) l.data.dropped = cli_sum(cli_data_dropped(&l.data));
    if (!status) status = cli_agree(cli_is_first() ? finish(&l, &s) : CLI_DONE);
    orff_features_free(s.features);
    orff_kernel_free(s.kernel);
    free(s.theta);
    free(s.mean);
    cli_learning_clear(&l);
    return status;
}
