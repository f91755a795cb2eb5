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
        "The file to write. It is written completely or not at all."},
    [CLI_OPT_INPUTS] = {"inputs", 0, "COLUMNS", NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW, "Data",
        "The columns of x: names, or numbers and ranges counted from 1, such as 1-20. For learning, the default is every column "
        "that is not an output; for variables of a NetCDF file it is the coordinates of the first output. Afterwards, the default "
        "is the columns that the model was learned from."},
    [CLI_OPT_OUTPUTS] = {"outputs", 0, "COLUMNS", NULL, COLUMNS | EVALUATE | VAR | FORECAST, "Data",
        "The columns of y. Not for a pair of array files, where the second file contains y. The default for a NetCDF or GRIB file is its "
        "vector, if there is exactly one: standard names with eastward and northward, or names such as u10 and v10."},
    [CLI_OPT_WEIGHTS] = {"weights", 0, "COLUMN", NULL, COLUMNS, "Data",
        "The column of row weights, each 0 or more."},
    [CLI_OPT_GROUPS] = {"groups", 0, "COLUMN", NULL, LEARN | EVALUATE, "Data",
        "The column, text or numbers, that says which rows belong together: a station, a track, an hour. The rows of a group are "
        "held out together for the reported errors, and orff evaluate reports the errors of each group."},
    [CLI_OPT_MISSING_OUTPUTS] = {"missing-outputs", 0, "use|drop|refuse", "use", COLUMNS, "Data",
        "What to do with a row in which some outputs are missing: use the others, drop the row, or refuse the data. Rows without "
        "any output are left out and counted. --skip-missing drops all of these rows."},
    [CLI_OPT_DIRECTION] = {"direction", 0, "COLUMNS", NULL, COLUMNS, "Data",
        "The single output is the component of the field along a direction, as radars and lidars measure it. Give one column with "
        "an angle in degrees, for a field in the plane, or the columns of the components of the direction."},
    [CLI_OPT_DIRECTION_FROM] = {"direction-from", 0, "east|north", "east", COLUMNS, "Data",
        "How angles are measured: from the axis of the first input towards the second (east), or clockwise from the axis of the "
        "second (north)."},
    [CLI_OPT_DIRECTION_SENSE] = {"direction-sense", 0, "away|toward", "away", COLUMNS, "Data",
        "Whether the output is positive when the field points along the direction (away) or against it (toward)."},
    [CLI_OPT_ERRORS] = {"errors", 0, "COLUMNS", NULL, COLUMNS, "Data",
        "The columns with the known errors of the outputs, as standard deviations: one column for each output, or one for all. "
        "The noise is modelled as a factor times these errors plus a constant; both are learned. Moments have the factor alone."},
    [CLI_OPT_NOISE_BY] = {"noise-by", 0, "COLUMN", NULL, LEARN, "Data",
        "The column, text or numbers, that says which instrument a row comes from. The noise of each instrument is learned. At "
        "most 64 instruments."},
    [CLI_OPT_GROUP_EFFECT] = {"group-effect", 0, "COLUMN", NULL, LEARN, "Data",
        "The column, text or numbers, that says which rows share an offset: a station, an instrument. Offsets are not part of the "
        "field. They are learned, and fit and info print them. There can be 2 to 256 groups. The model then has at least a "
        "constant trend."},
    [CLI_OPT_SELECT] = {"select", 0, "DIM=INDEX,..", NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW, "Data",
        "NetCDF: use this index of the dimension, counted from 0, or a range of indices that excludes its end: time=0:24."},
    [CLI_OPT_SKIP_MISSING] = {"skip-missing", 0, NULL, NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW, "Data",
        "Leave out rows with cells that are empty, NA, nan, NULL, -- or *, and count them. Without this option a missing input is "
        "an error, and so is a missing output unless --missing-outputs says otherwise."},
    [CLI_OPT_NA] = {"na", 0, "VALUE", NULL, COLUMNS | PREDICT | DRIFT | EVALUATE | PLOT | VIEW | VAR | FORECAST, "Data",
        "Another number or word that means a missing value, such as -999. May be repeated."},
    [CLI_OPT_MEMORY] = {"memory", 0, "SIZE", "512M", FIT | MOMENTS, "Data",
        "Keep the rows in memory if they need no more than this: a number of MB, or one with a unit such as 200K or 2G. Larger data "
        "are read in one pass, and automatic choices then use only the first rows."},

    [CLI_OPT_CLASSIFY] = {"classify", 0, NULL, NULL, LEARN | CLI_RANKS, "Kernel",
        "The single output column contains class names."},

    [CLI_OPT_FROM_MOMENTS] = {"from-moments", 0, "FILE", NULL, FIT, "Learning",
        "Learn from a file of moments (see orff moments) instead of data. You can choose kernel, weights and lambda. Moments of "
        "features fix the length scales and bases; with moments of a lattice you can choose these too, within the range of the "
        "file."},
    [CLI_OPT_SPREAD] = {"spread", 0, NULL, NULL, CLI_RANKS, "Learning",
        "Distribute the matrix over all processes, for more features than one process can store, and solve with ScaLAPACK. Needs "
        "--lambda; gives no error bars and no cross-validation."},
    [CLI_OPT_LAGS] = {"lags", 0, "LAGS", "1", VAR, "Series",
        "The lags to use, in steps: 1-4,12."},
    [CLI_OPT_TIME_COLUMN] = {"time", 0, "COLUMN", NULL, VAR | FORECAST, "Series",
        "The column of times: numbers or dates that increase from row to row. Missing steps are gaps, and values may be missing "
        "too."},
    [CLI_OPT_CHANGES] = {"changes", 0, NULL, NULL, VAR, "Series",
        "Learn the change from the last value instead of the value, for series that wander and have no mean to return to."},
    [CLI_OPT_LINKS] = {"links", 0, NULL, NULL, VAR, "Series",
        "Report which series drives which (Granger causality), with the probability that the past of one does not help to predict "
        "the other. It follows by block bootstrap from the errors on held-out stretches of time, with and without that past."},
    [CLI_OPT_STEPS] = {"steps", 0, "K", "1", FORECAST, "Series",
        "Number of steps to forecast."},
    [CLI_OPT_FUTURES] = {"samples", 'n', "K", "200", FORECAST, "Series",
        "Number of futures to simulate."},
    [CLI_OPT_PATHS] = {"paths", 0, NULL, NULL, FORECAST, "Series",
        "Write every simulated future instead of their mean."},
    [CLI_OPT_COMPACT] = {"compact", 0, NULL, NULL, FIT | TUNE | VAR | CLI_RANKS, "Files",
        "Leave the frequencies out of the model file. They are drawn again when the model is loaded."},
    [CLI_OPT_REPORT] = {"report", 0, "FILE", NULL, TUNE, "Files",
        "Write the error of every candidate at every lambda to this CSV table. orff plot draws it."},

    [CLI_OPT_STD] = {"std", 0, NULL, NULL, CLI_BIT(predict) | FORECAST, "Prediction",
        "Add the standard deviation of each output and each derived field. It is the error of the field itself, without noise. "
        "For a forecast it is the spread of the futures, noise included."},
    [CLI_OPT_STD_WITH_NOISE] = {"std-with-noise", 0, NULL, NULL, CLI_BIT(predict), "Prediction",
        "Add the standard deviation of a new measurement of each output, which includes the noise, in columns "
        "NAME_std_with_noise."},
    [CLI_OPT_DERIVE] = {"derive", 0, "divergence,curl,potential,stream,jacobian", NULL, PREDICT,
        "Prediction",
        "Add fields derived from the model, computed analytically in the units of the data. In two dimensions, curl is the vorticity, and may be called so."},
    [CLI_OPT_ON_GRID] = {"grid", 0, "X=LO:HI:COUNT,..", NULL, PREDICT | PLOT | VIEW, "Prediction",
        "Predict on a regular grid instead of at DATA. Give every input a range, with the number of points (X=LO:HI:COUNT) or "
        "their spacing (X=LO:HI@STEP), or a single value (X=V). For pictures and pages the ranges are the region, and the counts "
        "do not matter."},
    [CLI_OPT_COAST] = {"coast", 0, "FILE", NULL, LEARN | PREDICT | PLOT | VIEW, "Prediction",
        "For learning: the field does not cross this coast. Afterwards: leave out what lies on land, inside the rings of the "
        "coast. The file is GeoJSON, or x and y with an empty line or > between rings. natural-earth is the land of the whole "
        "Earth at 1:50 million, for models in degrees."},
    [CLI_OPT_SAMPLES] = {"samples", 'n', "K", "100", PREDICT, "Prediction",
        "Number of posterior samples. orff predict uses them for standard deviations of derived fields that have no closed form."},
    [CLI_OPT_SEED] = {"seed", 0, "N", "0", PREDICT | DRIFT | VIEW | FORECAST, "Prediction",
        "Seed of the samples. The same seed gives the same samples at any points."},
    [CLI_OPT_MASK] = {"mask", 0, "distance=R,std=S", NULL, PREDICT | DRIFT | PLOT, "Prediction",
        "Leave out places that the data say little about: farther than R from every row of the data, in the units of the inputs "
        "(km with --geo), or where the standard deviation exceeds S times that of the prior. Give either or both."},
    [CLI_OPT_FROM] = {"from", 0, "FILE", NULL, DRIFT, "Drift",
        "The points where particles start: a table, as for orff predict."},
    [CLI_OPT_HOURS] = {"hours", 0, "H", NULL, DRIFT, "Drift",
        "How long the particles drift, in hours; negative values go backwards in time. The units of inputs and outputs must be "
        "known. With --geo, outputs without units are assumed to be in m/s."},
    [CLI_OPT_TIME] = {"time", 0, "T", NULL, DRIFT, "Drift",
        "How long the particles drift if units are not known, in units of the inputs over units of the outputs."},
    [CLI_OPT_EVERY] = {"every", 0, "DT", NULL, DRIFT, "Drift",
        "The time between the positions that are written, in the same unit. The default writes 48 positions."},
    [CLI_OPT_STEP] = {"step", 0, "auto|DT", "auto", DRIFT, "Drift",
        "The longest step of the integration. Steps adapt to the field in any case."},
    [CLI_OPT_START] = {"start", 0, "V", NULL, DRIFT, "Drift",
        "For models with time among their inputs: the time at which all particles start, in the units of that input. Without it, "
        "the table needs a column with the time of each particle."},
    [CLI_OPT_MEMBERS] = {"samples", 'n', "K", NULL, DRIFT, "Drift",
        "Also drift through K posterior samples, as members 1 to K. Member 0 is the prediction."},
    [CLI_OPT_BARE] = {"bare", 0, NULL, NULL, PREDICT, "Prediction",
        "Write the outputs without the inputs."},
    [CLI_OPT_EXTENT] = {"extent", 0, "X=LO:HI,..", NULL, MOMENTS, "Moments",
        "Engine lattice: the region where rows may lie, for every input that is not periodic. The default is the range of the "
        "rows. Files with the same extent and length scales can be added."},
    [CLI_OPT_SIGMA_RANGE] = {"sigma-range", 0, "LO:HI", NULL, MOMENTS, "Moments",
        "Engine lattice: the length scales that a later fit may choose from. The default is from half to twice the most probable "
        "one for these rows."},
    [CLI_OPT_LIKE] = {"like", 0, "FILE", NULL, MOMENTS, "Moments",
        "Use the same lattice, folds and kernel as this file of lattice moments, so that the two files can be added."},
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
        "Number of outputs. The default is the number of inputs if the kernel is a field, and 1 otherwise."},
    [CLI_OPT_DIAMETER] = {"diameter", 0, "L", NULL, BOUND, "Problem",
        "Diameter of the set that contains x and z. For [-1,1]^d it is 2 sqrt(d)."},
    [CLI_OPT_EPSILON] = {"epsilon", 0, "E", NULL, BOUND, "Problem",
        "The largest error |K~ - K| that you accept, in spectral norm."},
    [CLI_OPT_RELATIVE] = {"relative", 0, NULL, NULL, BOUND, "Problem",
        "Measure epsilon in units of |K(0)|."},
    [CLI_OPT_BOUND_B] = {"b", 0, "B", NULL, BOUND, "Problem",
        "Your own value of b_D, the largest of D E|K~ - K|^2."},
    [CLI_OPT_BOUND_M] = {"m", 0, "M", NULL, BOUND, "Problem",
        "Your own value of m, which bounds the psi_1 norm of the centred blocks."},
    [CLI_OPT_SIGMA_P] = {"sigma-p", 0, "S", NULL, BOUND, "Problem",
        "Your own value of sigma_p, the root of E |w|^2 |A|^2."},
    [CLI_OPT_PROBABILITY] = {"probability", 0, "P", "0.95", BOUND, "Problem",
        "The probability that the error stays below epsilon."},
    [CLI_OPT_EMPIRICAL] = {"empirical", 0, "REPEATS", NULL, BOUND, "Problem",
        "Also measure the error over this many draws of the frequencies, and print the error that a fraction P of them does not "
        "exceed."},

    [CLI_OPT_WHAT] = {"what", 0, "field|outputs|divergence|curl|potential|stream|error|matrix|spectrum|residuals|calibration|tuning", "field", PLOT, "Picture",
        "What to draw. field: arrows over the colour of their length, or outputs if they are not a vector with two components. outputs: a panel "
        "for each output. divergence, curl, potential, stream: that field in colours. error: the standard deviation in colours. "
        "Several of these make panels: field,error,curl. matrix: the correlations between outputs in the output matrix. spectrum: "
        "power against wavenumber, for the engines lattice and features. residuals, calibration: the errors on DATA, and how "
        "often its values lie within the model's intervals. tuning: the curves of a report of orff tune; the default for a .csv "
        "file."},
    [CLI_OPT_POINTS] = {"points", 0, "FILE", NULL, PLOT | VIEW, "Picture",
        "Mark the positions of these data."},
    [CLI_OPT_EVERYWHERE] = {"everywhere", 0, NULL, NULL, PLOT, "Picture",
        "Also draw where the data say little. By default the picture is white where the data explain less than half of the "
        "prior variance."},
    [CLI_OPT_KEEP] = {"keep", 0, NULL, NULL, PLOT, "Picture",
        "Keep the gnuplot script, with its data, beside the picture as PICTURE.gp. An existing file of that name is not replaced."},
    [CLI_OPT_STYLE] = {"style", 0, "plain|talk|paper|dark", "plain", PLOT, "Picture",
        "talk: large letters and thick lines. paper: 8-point letters on 140 x 110 mm. dark: a dark background."},
    [CLI_OPT_TITLE] = {"title", 0, "TEXT", NULL, PLOT, "Picture",
        "The title. By default, the title of a map gives the values of the other inputs."},
    [CLI_OPT_QUANTITY] = {"quantity", 0, "TEXT", NULL, PLOT, "Picture",
        "What the length of the arrows means, such as \"wind speed\". The default comes from names and units."},
    [CLI_OPT_STREAMLINES] = {"streamlines", 0, NULL, NULL, PLOT, "Picture",
        "Draw streamlines instead of arrows."},
    [CLI_OPT_ELLIPSES] = {"ellipses", 0, NULL, NULL, PLOT, "Picture",
        "Draw an ellipse around the head of each arrow that contains the true head with a probability of 95 %."},
    [CLI_OPT_HATCH] = {"hatch", 0, NULL, NULL, PLOT, "Picture",
        "Hatch the parts where the data say little instead of leaving them white."},
    [CLI_OPT_CONTOURS] = {"contours", 0, "auto|yes|no", "auto", PLOT, "Picture",
        "Draw lines of equal value over the colours. auto does so for a single output, a potential and a stream function."},
    [CLI_OPT_SIZE] = {"size", 0, "WxH", NULL, PLOT, "Picture",
        "Size in pixels (PDF: hundredths of an inch), or the printed size: 140mmx110mm, 17cmx12cm, 6inx4in. A PNG with a printed "
        "size has 300 pixels per inch. The default is 900x700, or the size of the style."},
    [CLI_OPT_ARROWS] = {"arrows", 0, "N", "24", PLOT, "Picture",
        "Number of arrows along the longer side of the picture. Small panels have fewer unless you give it."},
    [CLI_OPT_VIEW_SAMPLES] = {"samples", 'n', "K", "6", VIEW, "Picture",
        "Number of posterior samples that the page can show in turn, 0 for none. Each makes the page longer."},

    [CLI_OPT_THREADS] = {"threads", 0, "N", "0", ALL, "General",
        "Number of threads. 0 uses all cores of the machine, or OMP_NUM_THREADS if it is set."},
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
