/* orff-mpi fit --spread: the matrix lies in pieces on all ranks. */
#include <stdlib.h>

#include "cli/fit.h"
#include "cli/report.h"
#include "commands.h"
#include "learn.h"
#include "ranks.h"
#include "tables.h"

typedef struct solution {
    orff_kernel *kernel;
    orff_features *features;
    double *theta, *mean;
    orff_mpi_ridge_info info;
} solution;

static int prepare(cli_learning *l, solution *s) {
    const int status = cli_learn_features(l, &s->kernel, &s->features);
    if (status) return status;
    s->theta = cli_more(NULL, orff_features_describe(s->features).parameters, sizeof *s->theta);
    s->mean = cli_more(NULL, l->data.p, sizeof *s->mean);
    return CLI_DONE;
}

static int solve(cli_learning *l, solution *s) {
    const orff_settings *how = &l->settings.settings;
    const orff_reader reader = cli_data_reader(&l->data);
    uint64_t first, last;
    cli_tables_portions(&first, &last);
    cli_tables_read(&l->data, first, last);
    const orff_status outcome = orff_mpi_ridge(MPI_COMM_WORLD, s->kernel, s->features, &reader, how->center,
                                               how->lambda, s->theta, s->mean, &s->info);
    const bool ours =
        l->data.trouble || l->data.failed; /* the others only know that somebody's reader failed */
    const int status = cli_agree(ours ? cli_data_outcome(&l->data, outcome) : CLI_DONE);
    return status ? status : cli_agree_on(outcome);
}

static int finish(cli_learning *l, const solution *s) {
    const orff_found found = {.theta = s->theta,
                              .intercept = s->mean,
                              .lambda = l->settings.settings.lambda,
                              .rows = s->info.rows,
                              .weight = s->info.weight,
                              .train_mse = s->info.train_mse};
    orff_model *model = NULL;
    cli_say("order %zu on %d x %d ranks, %.3g MB on each: filled in %.2f s, solved in %.2f s", s->info.order,
            s->info.grid[0], s->info.grid[1], 1e-6 * s->info.matrix_bytes, s->info.fill_seconds,
            s->info.solve_seconds);
    int status = cli_outcome(orff_model_of_features(&model, s->features, &found), NULL);
    if (!status)
        status = cli_finish_fit(&l->arguments, model, l->data.notes, l->data.dropped, l->began, NULL);
    orff_model_free(model);
    return status;
}

int cli_fit_spread(const cli_arguments *a) {
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
