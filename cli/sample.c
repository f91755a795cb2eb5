/* orff sample: whole fields that agree with the rows. */
#include "apply.h"
#include "commands.h"

static int run(const cli_arguments *a) {
    return cli_predict(a, true);
}

const cli_command cli_command_sample = {
    .name = "sample",
    .summary = "draw fields that agree with the data",
    .usage = "MODEL DATA|--grid X=LO:HI:COUNT,.. -n K -o OUT",
    .text = "Draws posterior samples: whole fields, each as probable as the data make it. Their mean is the "
            "prediction, and their spread is its standard deviation, without noise. A sample has the right "
            "correlations between points, so anything computed from each sample (a trajectory, a transport, "
            "a maximum) gets error bars from the spread. The model must have been fitted with a posterior. "
            "OUT has one row for each point and sample, with the number of the sample in the column "
            "\"member\". In .nc the member is a dimension of its own if the points form a grid. .npy has "
            "only the outputs, with all samples of a point one after the other.",
    .example = "  orff sample wind.orff --grid x=0:1:50,y=0:1:50 -n 20 --derive curl -o ensemble.nc\n"
               "  orff sample wind.orff points.csv -n 50 --seed 7 -o samples.csv\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(sample),
    .run = run,
};
