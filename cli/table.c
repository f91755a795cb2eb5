/* The program's own options. */
#include "options.h"

#define FIT      CLI_BIT(fit)
#define PREDICT  CLI_BIT(predict)
#define EVALUATE CLI_BIT(evaluate)
#define TUNE     CLI_BIT(tune)
#define KERNEL   CLI_BIT(kernel)
#define MOMENTS  CLI_BIT(moments)
#define MERGE    CLI_BIT(merge)
#define PLAN     CLI_BIT(plan)
#define PLOT     CLI_BIT(plot)
#define BOUND    CLI_BIT(bound)
#define EXACT    CLI_BIT(exact)
#define LEARN    (FIT | TUNE | EXACT)
#define COLUMNS  (LEARN | MOMENTS)
#define ALL      ~0u

/* clang-format off */
const cli_option cli_own_options[CLI_OWN_OPTIONS] = {
    [CLI_OPT_OUTPUT] = {"output", 'o', "FILE", NULL, LEARN | PREDICT | MOMENTS | MERGE | PLOT, "Files",
        "write this file; it appears whole or not at all"},
    [CLI_OPT_INPUTS] = {"inputs", 0, "COLUMNS", NULL, COLUMNS | PREDICT | EVALUATE | PLOT, "Data",
        "columns x is made of: names, or 1-based numbers and ranges such as 1-20. When learning: all "
        "others by default; later: as the model remembers them"},
    [CLI_OPT_OUTPUTS] = {"outputs", 0, "COLUMNS", NULL, COLUMNS | EVALUATE, "Data",
        "columns y is made of; not for a pair of array files, where they are in the second"},
    [CLI_OPT_WEIGHTS] = {"weights", 0, "COLUMN", NULL, COLUMNS, "Data",
        "column of weights of the rows, 0 or more"},
    [CLI_OPT_SELECT] = {"select", 0, "DIM=INDEX,..", NULL, COLUMNS | PREDICT | EVALUATE | PLOT, "Data",
        "NetCDF: hold dimensions at an index that counts from 0"},
    [CLI_OPT_SKIP_MISSING] = {"skip-missing", 0, NULL, NULL, COLUMNS | PREDICT | EVALUATE | PLOT, "Data",
        "leave out rows with empty, NA or nan cells and count them; else they are refused"},
    [CLI_OPT_MEMORY] = {"memory", 0, "MB", "512", FIT | MOMENTS, "Data",
        "rows up to this size are held in memory; of larger data only the first rows decide what is "
        "automatic"},

    [CLI_OPT_CLASSIFY] = {"classify", 0, NULL, NULL, LEARN, "Kernel",
        "the one output column holds the names of classes"},


    [CLI_OPT_FROM_MOMENTS] = {"from-moments", 0, "FILE", NULL, FIT, "Learning",
        "learn from moments (see orff moments) instead of data; kernel, weights and lambda are free, "
        "sigma is theirs"},
    [CLI_OPT_COMPACT] = {"compact", 0, NULL, NULL, FIT | TUNE, "Files",
        "leave the frequencies out of the model file; they are drawn again"},
    [CLI_OPT_REPORT] = {"report", 0, "FILE", NULL, TUNE, "Files",
        "write the errors of all candidates at every lambda as a CSV table; orff plot draws it"},

    [CLI_OPT_STD] = {"std", 0, NULL, NULL, PREDICT, "Prediction",
        "add the standard deviation of each output, noise not included"},
    [CLI_OPT_DERIVE] = {"derive", 0, "divergence,curl,potential,stream,jacobian", NULL, PREDICT,
        "Prediction",
        "add derived fields, analytic and in the data's units"},
    [CLI_OPT_ON_GRID] = {"grid", 0, "X=LO:HI:COUNT,..", NULL, PREDICT | PLOT, "Prediction",
        "predict on a regular grid instead of DATA; one entry for each input, COUNT left out: one value "
        "X=V"},
    [CLI_OPT_BARE] = {"bare", 0, NULL, NULL, PREDICT, "Prediction",
        "leave the inputs out of the output"},
    [CLI_OPT_SUBTRACT] = {"subtract", 0, "FILE", NULL, MERGE, "Moments",
        "take these moments off; may be repeated"},
    [CLI_OPT_POINT_X] = {"x", 0, "X1,..,Xd", NULL, KERNEL, "Points",
        "the point x"},
    [CLI_OPT_POINT_Z] = {"z", 0, "Z1,..,Zd", NULL, KERNEL, "Points",
        "the point z"},

    [CLI_OPT_PLAN_ROWS] = {"n", 0, "N", NULL, PLAN, "Problem",
        "rows"},
    [CLI_OPT_PLAN_INPUTS] = {"dim", 0, "d", NULL, PLAN | BOUND, "Problem",
        "inputs"},
    [CLI_OPT_PLAN_OUTPUTS] = {"outputs", 0, "p", NULL, PLAN | BOUND | KERNEL, "Problem",
        "outputs. Where it is not given: as many as inputs for a kernel that is a field, else 1"},
    [CLI_OPT_DIAMETER] = {"diameter", 0, "L", NULL, BOUND, "Problem",
        "diameter of the set that x and z are of; [-1,1]^d has 2 sqrt(d)"},
    [CLI_OPT_EPSILON] = {"epsilon", 0, "E", NULL, BOUND, "Problem",
        "largest error |K~ - K| wanted, in spectral norm"},
    [CLI_OPT_RELATIVE] = {"relative", 0, NULL, NULL, BOUND, "Problem",
        "epsilon is in units of |K(0)|"},
    [CLI_OPT_PROBABILITY] = {"probability", 0, "P", "0.95", BOUND, "Problem",
        "probability that the error stays below epsilon"},
    [CLI_OPT_EMPIRICAL] = {"empirical", 0, "REPEATS", NULL, BOUND, "Problem",
        "also measure the error, over so many draws of the frequencies: the share P of them at most that "
        "large"},

    [CLI_OPT_WHAT] = {"what", 0, "field|divergence|curl|potential|stream|error|tuning", "field", PLOT, "Picture",
        "arrows over their magnitude, or filled contours of a derived field or of the standard deviation; "
        "tuning: curves of a report of orff tune, as is the default for a .csv file"},
    [CLI_OPT_POINTS] = {"points", 0, "FILE", NULL, PLOT, "Picture",
        "show the places of these data"},
    [CLI_OPT_EVERYWHERE] = {"everywhere", 0, NULL, NULL, PLOT, "Picture",
                             "draw also where the model knows little; else places whose standard deviation is "
                             "far above that of the others stay white"},
    [CLI_OPT_KEEP] = {"keep", 0, NULL, NULL, PLOT, "Picture",
        "keep the gnuplot script and its data beside the picture, as PICTURE.gp, if there is none yet"},
    [CLI_OPT_SIZE] = {"size", 0, "WxH", "900x700", PLOT, "Picture",
        "size in pixels (PDF: hundredths of an inch)"},
    [CLI_OPT_ARROWS] = {"arrows", 0, "N", "24", PLOT, "Picture",
        "arrows along the longer side"},

    [CLI_OPT_THREADS] = {"threads", 0, "N", "0", ALL, "General",
        "threads; 0: all the machine has, or OMP_NUM_THREADS"},
    [CLI_OPT_QUIET] = {"quiet", 'q', NULL, NULL, ALL, "General",
        "no messages but errors"},
    [CLI_OPT_JSON] = {"json", 0, NULL, NULL, ALL, "General",
        "the result as one JSON object on standard output"},
    [CLI_OPT_HELP] = {"help", 'h', NULL, NULL, ALL, "General",
        "show this"},
    [CLI_OPT_VERSION] = {"version", 0, NULL, NULL, ALL, "General",
        "show the version and what the library runs on"},
};
/* clang-format on */
