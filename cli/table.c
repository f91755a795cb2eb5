/* The program's own options. */
#include "options.h"

#define FIT      CLI_BIT(fit)
#define PREDICT  (CLI_BIT(predict) | CLI_BIT(sample))
#define DRIFT    CLI_BIT(drift)
#define EVALUATE CLI_BIT(evaluate)
#define TUNE     CLI_BIT(tune)
#define KERNEL   CLI_BIT(kernel)
#define MOMENTS  CLI_BIT(moments)
#define MERGE    CLI_BIT(merge)
#define PLAN     CLI_BIT(plan)
#define PLOT     CLI_BIT(plot)
#define BOUND    CLI_BIT(bound)
#define VIEW     CLI_BIT(view)
#define EXACT    CLI_BIT(exact)
#define VAR      CLI_BIT(var)
#define FORECAST CLI_BIT(forecast)
#define LEARN    (FIT | TUNE | EXACT)
#define COLUMNS  (LEARN | MOMENTS)
#define ALL      ~0u

/* clang-format off */
const cli_option cli_own_options[CLI_OWN_OPTIONS] = {
    [CLI_OPT_OUTPUT] = {"output", 'o', "FILE", NULL, LEARN | VAR | FORECAST | PREDICT | DRIFT | MOMENTS | MERGE | PLOT | VIEW, "Files",
        "Write this file. It appears whole or not at all."},
    [CLI_OPT_INPUTS] = {"inputs", 0, "COLUMNS", NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW, "Data",
        "The columns of x: names, or numbers and ranges counted from 1, such as 1-20. When learning, the "
        "default is every column that is not an output, and for variables of a NetCDF file the coordinates of the "
        "first output; afterwards, the columns that the model remembers."},
    [CLI_OPT_OUTPUTS] = {"outputs", 0, "COLUMNS", NULL, COLUMNS | EVALUATE | VAR | FORECAST, "Data",
        "The columns of y. Not for a pair of array files, where the second file holds y."},
    [CLI_OPT_WEIGHTS] = {"weights", 0, "COLUMN", NULL, COLUMNS, "Data",
        "The column with the weights of the rows, each 0 or more."},
    [CLI_OPT_GROUPS] = {"groups", 0, "COLUMN", NULL, LEARN | EVALUATE, "Data",
        "The column that says which rows belong together, in texts or numbers: a station, a track, an hour. Rows of "
        "one group are held out together for the reported errors; orff evaluate reports the errors of each group."},
    [CLI_OPT_MISSING_OUTPUTS] = {"missing-outputs", 0, "use|drop|refuse", "use", LEARN, "Data",
        "What to do with a row that misses some of its outputs: use what it has, drop it, or refuse the data. Rows without "
        "any are left out, and counted. --skip-missing drops them all."},
    [CLI_OPT_DIRECTION] = {"direction", 0, "COLUMNS", NULL, LEARN, "Data",
        "The single output is the component of the field along a direction, as radars and lidars measure it: one column with an angle "
        "in degrees, for a field in the plane, or the columns of the direction's components."},
    [CLI_OPT_DIRECTION_FROM] = {"direction-from", 0, "east|north", "east", LEARN, "Data",
        "Angles count from the first input's axis towards the second (east), or clockwise from the second (north)."},
    [CLI_OPT_DIRECTION_SENSE] = {"direction-sense", 0, "away|toward", "away", LEARN, "Data",
        "The output is positive for a field along the direction (away), or against it (toward)."},
    [CLI_OPT_ERRORS] = {"errors", 0, "COLUMNS", NULL, LEARN, "Data",
        "The columns with the known errors of the outputs, as standard deviations: one for each output, or one "
        "for all. The noise is a factor times these plus a constant part; both are learned."},
    [CLI_OPT_NOISE_BY] = {"noise-by", 0, "COLUMN", NULL, LEARN, "Data",
        "The column that says which instrument a row comes from, in texts or numbers: the noise of each "
        "is learned. Up to 64 instruments."},
    [CLI_OPT_GROUP_EFFECT] = {"group-effect", 0, "COLUMN", NULL, LEARN, "Data",
        "The column that says which rows have an offset in common, in texts or numbers: a station, an instrument. Offsets are "
        "not part of the field; their size is learned, and fit and info print them. 2 to 256 groups. The model then has a "
        "trend, at least a constant."},
    [CLI_OPT_SELECT] = {"select", 0, "DIM=INDEX,..", NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW, "Data",
        "NetCDF: use this index of the dimension, counted from 0, or a range of indices "
        "without its end: time=0:24."},
    [CLI_OPT_SKIP_MISSING] = {"skip-missing", 0, NULL, NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW, "Data",
        "Leave out rows with empty, NA, nan, NULL, -- or * cells, and count them. Without it such an input is an error, and so "
        "is such an output unless --missing-outputs uses it."},
    [CLI_OPT_NA] = {"na", 0, "VALUE", NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW | VAR | FORECAST, "Data",
        "Another number or word that stands for a missing value, such as -999. May be repeated."},
    [CLI_OPT_MEMORY] = {"memory", 0, "MB", "512", FIT | MOMENTS, "Data",
        "Keep the rows in memory if they fit in this many MB. Larger data are read in one pass; automatic "
        "choices then use only the first rows."},

    [CLI_OPT_CLASSIFY] = {"classify", 0, NULL, NULL, LEARN, "Kernel",
        "The single output column holds class names."},

    [CLI_OPT_FROM_MOMENTS] = {"from-moments", 0, "FILE", NULL, FIT, "Learning",
        "Learn from a file of moments (see orff moments) instead of data. You may choose kernel, weights "
        "and lambda. Moments of features have their length scales and bases; those of a lattice leave you these too, "
        "within their range."},
    [CLI_OPT_SPREAD] = {"spread", 0, NULL, NULL, CLI_RANKS, "Learning",
        "Divide the matrix among all processes, for more features than one process can store; ScaLAPACK solves. Needs "
        "--lambda, makes no error bars, and takes no folds."},
    [CLI_OPT_LAGS] = {"lags", 0, "LAGS", "1", VAR, "Series",
        "How many steps back to use: 1-4,12."},
    [CLI_OPT_TIME_COLUMN] = {"time", 0, "COLUMN", NULL, VAR | FORECAST, "Series",
        "The column of times, numbers or dates that grow from row to row. Steps that are missing are gaps, and so may be values."},
    [CLI_OPT_CHANGES] = {"changes", 0, NULL, NULL, VAR, "Series",
        "Learn what is added to the last value instead of the value: for series that wander and have no mean to return to."},
    [CLI_OPT_LINKS] = {"links", 0, NULL, NULL, VAR, "Series",
        "Report which series drives which (Granger), with the probability that the past of one does not help to predict the other, from errors on "
        "held-out stretches of time with and without it, by block bootstrap."},
    [CLI_OPT_STEPS] = {"steps", 0, "K", "1", FORECAST, "Series",
        "How many steps ahead."},
    [CLI_OPT_FUTURES] = {"samples", 'n', "K", "200", FORECAST, "Series",
        "How many futures are simulated."},
    [CLI_OPT_PATHS] = {"paths", 0, NULL, NULL, FORECAST, "Series",
        "Write every future instead of their mean."},
    [CLI_OPT_COMPACT] = {"compact", 0, NULL, NULL, FIT | TUNE | VAR | CLI_RANKS, "Files",
        "Leave the frequencies out of the model file. They are drawn again when it is loaded."},
    [CLI_OPT_REPORT] = {"report", 0, "FILE", NULL, TUNE, "Files",
        "Write the error of every candidate at every lambda as a CSV table. orff plot draws it."},

    [CLI_OPT_STD] = {"std", 0, NULL, NULL, CLI_BIT(predict) | FORECAST, "Prediction",
        "Add the standard deviation of each output and of each derived field: the error of the field itself, noise "
        "not included. Of a forecast: that of its futures, noise included."},
    [CLI_OPT_STD_WITH_NOISE] = {"std-with-noise", 0, NULL, NULL, CLI_BIT(predict), "Prediction",
        "Add the standard deviation of a new measurement of each output: the error of the field and the noise "
        "together, in columns NAME_std_with_noise."},
    [CLI_OPT_DERIVE] = {"derive", 0, "divergence,curl,potential,stream,jacobian", NULL, PREDICT,
        "Prediction",
        "Add fields derived from the model, computed analytically, in the units of the data."},
    [CLI_OPT_ON_GRID] = {"grid", 0, "X=LO:HI:COUNT,..", NULL, PREDICT | PLOT | VIEW, "Prediction",
        "Predict on a regular grid instead of at DATA. For pictures and pages this is the region, and counts do not matter. "
        "Give every input a range, by the number of points or by their spacing (X=LO:HI@STEP), or one "
        "value as X=V."},
    [CLI_OPT_COAST] = {"coast", 0, "FILE", NULL, LEARN | PREDICT | PLOT | VIEW, "Prediction",
        "When learning, the field does not cross this coast; afterwards, leave out what lies on land, inside of its rings. A "
        "file: GeoJSON, or x and y with empty lines or > between rings. "
        "natural-earth is the land of the whole Earth, 1:50 million, for models in degrees."},
    [CLI_OPT_SAMPLES] = {"samples", 'n', "K", "100", PREDICT, "Prediction",
        "Number of posterior samples. Predictions take them for standard deviations of derived fields that have no "
        "closed form."},
    [CLI_OPT_SEED] = {"seed", 0, "N", "0", PREDICT | DRIFT | VIEW | FORECAST, "Prediction",
        "Seed of the samples: the same seed gives the same samples at any points."},
    [CLI_OPT_MASK] = {"mask", 0, "distance=R,std=S", NULL, PREDICT | DRIFT | PLOT, "Prediction",
        "Leave out what the model cannot know: farther than R from every row it was learned from, in the units of the "
        "inputs (km with --geo), or where the standard deviation is more than S times that before any data. Either or both."},
    [CLI_OPT_FROM] = {"from", 0, "FILE", NULL, DRIFT, "Drift",
        "The points where particles start: a table as for orff predict."},
    [CLI_OPT_HOURS] = {"hours", 0, "H", NULL, DRIFT, "Drift",
        "How long they drift, in hours; negative: backwards. The units of inputs and outputs must be known; with --geo "
        "outputs without units are assumed to be m/s."},
    [CLI_OPT_TIME] = {"time", 0, "T", NULL, DRIFT, "Drift",
        "The same where units are not known: in units of the inputs over those of the outputs."},
    [CLI_OPT_EVERY] = {"every", 0, "DT", NULL, DRIFT, "Drift",
        "The time between written places, in the same unit. The default writes 48 of them."},
    [CLI_OPT_STEP] = {"step", 0, "auto|DT", "auto", DRIFT, "Drift",
        "The longest step of the integration, which adapts its steps to the field in any case."},
    [CLI_OPT_START] = {"start", 0, "V", NULL, DRIFT, "Drift",
        "Models with time among their inputs: the time at which all particles start, in the units of that input. "
        "Without it the table has a column with the time of each."},
    [CLI_OPT_MEMBERS] = {"samples", 'n', "K", NULL, DRIFT, "Drift",
        "Also drift through K posterior samples, as members 1 to K; member 0 is the prediction."},
    [CLI_OPT_BARE] = {"bare", 0, NULL, NULL, PREDICT, "Prediction",
        "Write the outputs without the inputs."},
    [CLI_OPT_EXTENT] = {"extent", 0, "X=LO:HI,..", NULL, MOMENTS, "Moments",
        "Engine lattice: where rows may lie, for every input that is not periodic. The default is the range of the "
        "rows. Files with the same extent and length scales can be added."},
    [CLI_OPT_SIGMA_RANGE] = {"sigma-range", 0, "LO:HI", NULL, MOMENTS, "Moments",
        "Engine lattice: the length scales that a fit may take later. The default is from half to twice the one "
        "that the rows make most probable."},
    [CLI_OPT_LIKE] = {"like", 0, "FILE", NULL, MOMENTS, "Moments",
        "Take the lattice, the folds and the kernel of these moments of a lattice, so that the new ones can be added "
        "to them."},
    [CLI_OPT_SUBTRACT] = {"subtract", 0, "FILE", NULL, MERGE, "Moments",
        "Subtract these moments. May be repeated."},
    [CLI_OPT_POINT_X] = {"x", 0, "X1,..,Xd", NULL, KERNEL, "Points",
        "The point x."},
    [CLI_OPT_POINT_Z] = {"z", 0, "Z1,..,Zd", NULL, KERNEL, "Points",
        "The point z."},

    [CLI_OPT_PLAN_ROWS] = {"n", 0, "N", NULL, PLAN, "Problem",
        "Number of rows."},
    [CLI_OPT_PLAN_INPUTS] = {"dim", 0, "d", NULL, PLAN | BOUND, "Problem",
        "Number of inputs."},
    [CLI_OPT_PLAN_OUTPUTS] = {"outputs", 0, "p", NULL, PLAN | BOUND | KERNEL, "Problem",
        "Number of outputs. The default is the number of inputs for a kernel that is a field, and 1 for "
        "any other."},
    [CLI_OPT_DIAMETER] = {"diameter", 0, "L", NULL, BOUND, "Problem",
        "Diameter of the set that holds x and z. For [-1,1]^d it is 2 sqrt(d)."},
    [CLI_OPT_EPSILON] = {"epsilon", 0, "E", NULL, BOUND, "Problem",
        "The largest error |K~ - K| that you accept, in spectral norm."},
    [CLI_OPT_RELATIVE] = {"relative", 0, NULL, NULL, BOUND, "Problem",
        "Take epsilon in units of |K(0)|."},
    [CLI_OPT_BOUND_B] = {"b", 0, "B", NULL, BOUND, "Problem",
        "Your own b_D, the largest of D E|K~ - K|^2, in place of the one that is known."},
    [CLI_OPT_BOUND_M] = {"m", 0, "M", NULL, BOUND, "Problem",
        "Your own m, which bounds the psi_1 norm of the centred blocks."},
    [CLI_OPT_SIGMA_P] = {"sigma-p", 0, "S", NULL, BOUND, "Problem",
        "Your own sigma_p, the root of E |w|^2 |A|^2."},
    [CLI_OPT_PROBABILITY] = {"probability", 0, "P", "0.95", BOUND, "Problem",
        "Probability that the error stays below epsilon."},
    [CLI_OPT_EMPIRICAL] = {"empirical", 0, "REPEATS", NULL, BOUND, "Problem",
        "Also measure the error over this many draws of the frequencies, and print the error that a share "
        "P of them does not exceed."},

    [CLI_OPT_WHAT] = {"what", 0, "field|outputs|divergence|curl|potential|stream|error|matrix|spectrum|residuals|calibration|tuning", "field", PLOT, "Picture",
        "field: arrows over the colour of their length, or outputs where there are other than two. outputs: a panel for each. divergence, curl, potential, stream: colours "
        "of that field. error: colours of the standard deviation. Several of these, such as field,error,curl, are panels. matrix: the correlations between outputs that an output matrix says. "
        "spectrum: power against wavenumber, for models of the engines lattice and features. "
        "residuals, calibration: errors on DATA, and how often its values lie in the intervals that the model gives. tuning: the "
        "curves of a report of orff tune; this is the default for a .csv file."},
    [CLI_OPT_POINTS] = {"points", 0, "FILE", NULL, PLOT | VIEW, "Picture",
        "Mark the positions of these data."},
    [CLI_OPT_EVERYWHERE] = {"everywhere", 0, NULL, NULL, PLOT, "Picture",
        "Also draw where the model knows little. By default the picture is white where the standard "
        "deviation is far larger than elsewhere."},
    [CLI_OPT_KEEP] = {"keep", 0, NULL, NULL, PLOT, "Picture",
        "Keep the gnuplot script, with its data, beside the picture as PICTURE.gp. A file of that name is "
        "not replaced."},
    [CLI_OPT_STYLE] = {"style", 0, "plain|talk|paper|dark", "plain", PLOT, "Picture",
        "talk: large letters and thick lines. paper: letters of 8 points on 140 x 110 mm. dark: on a dark ground."},
    [CLI_OPT_TITLE] = {"title", 0, "TEXT", NULL, PLOT, "Picture",
        "The title. The default of a map names the values of the other inputs."},
    [CLI_OPT_QUANTITY] = {"quantity", 0, "TEXT", NULL, PLOT, "Picture",
        "What the length of the arrows is, such as \"wind speed\". The default follows from names and units."},
    [CLI_OPT_STREAMLINES] = {"streamlines", 0, NULL, NULL, PLOT, "Picture",
        "Lines along the field instead of arrows."},
    [CLI_OPT_ELLIPSES] = {"ellipses", 0, NULL, NULL, PLOT, "Picture",
        "At the head of each arrow, the ellipse that holds it with a probability of 95 %."},
    [CLI_OPT_HATCH] = {"hatch", 0, NULL, NULL, PLOT, "Picture",
        "Where the model knows little, draw it hatched instead of leaving it white."},
    [CLI_OPT_CONTOURS] = {"contours", 0, "auto|yes|no", "auto", PLOT, "Picture",
        "Lines of equal values over colours. auto: for a single output, a potential and a stream function."},
    [CLI_OPT_SIZE] = {"size", 0, "WxH", NULL, PLOT, "Picture",
        "Size in pixels (PDF: hundredths of an inch), or as it will be printed: 140mmx110mm, 17cmx12cm, 6inx4in; a PNG then "
        "has 300 pixels an inch. The default is 900x700, or what the style says."},
    [CLI_OPT_ARROWS] = {"arrows", 0, "N", "24", PLOT, "Picture",
        "Number of arrows along the longer side."},
    [CLI_OPT_VIEW_SAMPLES] = {"samples", 'n', "K", "6", VIEW, "Picture",
        "Posterior samples that the page can show in turn; 0 for none. Each makes the page longer."},

    [CLI_OPT_THREADS] = {"threads", 0, "N", "0", ALL, "General",
        "Number of threads. 0 takes all that the machine has, or OMP_NUM_THREADS."},
    [CLI_OPT_QUIET] = {"quiet", 'q', NULL, NULL, ALL, "General",
        "Print errors only."},
    [CLI_OPT_JSON] = {"json", 0, NULL, NULL, ALL, "General",
        "Print the result as one JSON object on standard output."},
    [CLI_OPT_HELP] = {"help", 'h', NULL, NULL, ALL, "General",
        "Show this help."},
    [CLI_OPT_VERSION] = {"version", 0, NULL, NULL, ALL, "General",
        "Show the version and the libraries in use."},
};
/* clang-format on */
