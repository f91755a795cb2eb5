/* orff-mpi fit and orff-mpi moments. */
#include "cli/fit.h"

#include "cli/moments_kernel.h"
#include "cli/report.h"
#include "commands.h"
#include "learn.h"
#include "ranks.h"

static int run(const cli_arguments *a, int (*finish)(cli_learning *l)) {
    cli_learning l;
    int status = cli_learn(&l, a);
    cli_use_all_threads();
    if (!status) status = cli_agree(cli_is_first() ? finish(&l) : CLI_DONE);
    if (!status && l.checkpoint && cli_is_first()) cli_portions_forget(l.checkpoint);
    cli_learning_clear(&l);
    return status;
}

static int finish_fit(cli_learning *l) {
    return cli_fit_moments(&l->arguments, &l->moments, l->data.notes, l->data.dropped, l->began);
}

static int run_fit(const cli_arguments *a) {
    return cli_sums_rows(a) ? run(a, finish_fit) : cli_fit_without_moments(a);
}

static int finish_moments(cli_learning *l) {
    return cli_moments_finish(&l->arguments, &l->data, &l->moments, l->began);
}

static int run_moments(const cli_arguments *a) {
    return run(a, finish_moments);
}

#define DATA_TEXT                                                                                            \
    "DATA is a file, a pattern in quotes ('part-*.npy'), or @LIST, a file with one file name on each line, " \
    "or two of these, X and Y. Every process reads its own share, even of a single file: rows of arrays, "   \
    "bytes of CSV, slabs of the first dimension of NetCDF. Compressed files are not divided. "

const cli_command cli_command_fit_ranks = {
    .name = "fit",
    .summary = "learn a function from data that many processes share",
    .usage = "DATA -o MODEL",
    .text = DATA_TEXT
    "Each process sums up the rows it reads, the sums are added, and the first process solves. Automatic "
    "choices of the kernel use 20000 of all rows, which takes one more pass; numbers for --sigma save it. "
    "The engine is features unless you give --engine lattice. With an iterative --solver there are no sums: "
    "every process keeps its rows and goes through them in each iteration. This needs a number for --lambda.",
    .example =
        "  mpirun -n 4 orff fit 'part-*.npy' --inputs 1,2 --outputs 3,4 --kernel div-free -o all.orff\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(moments) | CLI_RANKS, /* the options of data and of sums */
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_LEARNING | ORFF_USE_SOLVING |
            ORFF_USE_STREAM,
    .run = run_fit,
};

const cli_command cli_command_moments_ranks = {
    .name = "moments",
    .summary = "sum up data that many processes share in a file of moments",
    .usage = "DATA -o FILE",
    .text = DATA_TEXT "The file is that of orff moments, for orff merge and orff fit --from-moments.",
    .example =
        "  mpirun -n 4 orff moments 'part-*.npy' --inputs 1,2 --outputs 3,4 --sigma 0.3 -o all.moments\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(moments),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES | ORFF_USE_MOMENTS | ORFF_USE_STREAM,
    .run = run_moments,
};
