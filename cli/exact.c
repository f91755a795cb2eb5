/* orff exact: rows to a model file, without features. */
#include "commands.h"
#include "fit.h"

static int run(const cli_arguments *a) {
    const int status = cli_need_output(a);
    if (status) return status;
    if (!a->n_words) return cli_wrong_usage(a->command, "DATA is missing; usage: orff exact DATA -o MODEL");
    return cli_fit_rows(a, true);
}

const cli_command cli_command_exact = {
    .name = "exact",
    .summary = "learn with the exact kernel, without features, from few rows",
    .usage = "DATA -o MODEL",
    .text = "Learns y = f(x) from the rows of DATA as orff fit does, but always with the kernel itself: it "
            "is the same as orff fit --engine exact. The cost grows with the cube of the number of rows, or "
            "of rows times outputs for kernels that couple the outputs, so use it for up to a few thousand "
            "rows. A fit that needs more than half of the machine's memory is refused at once. Length scale, "
            "base and noise are those under which the data are most probable. predict, evaluate, info and "
            "plot read the model file.",
    .example = "  orff exact wind.csv --inputs x,y --outputs u,v --kernel div-free -o wind.orff\n",
    .least = 0,
    .most = 2,
    .bit = CLI_BIT(exact),
    .uses = ORFF_USE_KERNEL | ORFF_USE_LEARNING,
    .run = run,
};
