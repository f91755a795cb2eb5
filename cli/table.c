/* The table of options. */
#include "options.h"

#define FIT      CLI_FIT_BIT
#define PREDICT  CLI_PREDICT_BIT
#define EVALUATE CLI_EVALUATE_BIT
#define TUNE     CLI_TUNE_BIT
#define INFO     CLI_INFO_BIT
#define KERNEL   CLI_KERNEL_BIT
#define MOMENTS  CLI_MOMENTS_BIT
#define MERGE    CLI_MERGE_BIT
#define PLAN     CLI_PLAN_BIT
#define PLOT     CLI_PLOT_BIT
#define BOUND    CLI_BOUND_BIT
#define EXACT    CLI_EXACT_BIT
#define MAPPED   (FIT | TUNE) /* with features */
#define LEARN    (MAPPED | EXACT)
#define COLUMNS  (LEARN | MOMENTS)
#define KERNELS  (LEARN | MOMENTS | KERNEL | PLAN | BOUND)
#define ALL      ~0u

/* clang-format off */
const cli_option cli_options[CLI_OPTION_COUNT] = {
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
    [CLI_OPT_GEO] = {"geo", 0, "lonlat", NULL, LEARN, "Data",
        "the first two inputs that are not covariates are degrees of longitude and latitude, the outputs "
        "eastward and northward: learn in km on a plane at the centre of the data"},
    [CLI_OPT_COVARIATES] = {"covariates", 0, "COLUMNS", NULL, COLUMNS, "Data",
        "inputs outside of the field's space (time, depth), by name or by their place among the inputs"},
    [CLI_OPT_MEMORY] = {"memory", 0, "MB", "512", FIT | MOMENTS, "Data",
        "rows up to this size are held in memory; of larger data only the first rows decide what is "
        "automatic"},

    [CLI_OPT_KERNEL] = {"kernel", 0, "decomposable|curl-free|div-free|helmholtz|auto", "decomposable",
        KERNELS, "Kernel",
        "the kernel, a sum such as div-free+decomposable, or auto: a mixture of all that fit the "
        "dimensions at several scales (fit, tune and exact)"},
    [CLI_OPT_WEIGHT] = {"weight", 0, "V1+V2+..|auto", "1", KERNELS, "Kernel",
        "weights of the parts of a sum, or auto: by the marginal likelihood (fit, tune and exact). The parts of "
        "a sum are scaled to unit variance first"},
    [CLI_OPT_MIX] = {"mix", 0, "C|auto", "0.5", KERNELS, "Kernel",
        "helmholtz: weight of the curl-free half, 0 to 1, or auto (fit, tune and exact)"},
    [CLI_OPT_BASE] = {"base", 0, "gaussian|laplace|matern12|matern32|matern52|matern72|cauchy",
        "gaussian", KERNELS, "Kernel",
        "the scalar kernel below; one for each part of a sum with +"},
    [CLI_OPT_SIGMA] = {"sigma", 0, "S|S1,..,Sd|auto", "auto", KERNELS, "Kernel",
        "length scale; one for each input with commas; one for each part of a sum with + (2+0.5); auto: a "
        "multiple of the median distance between inputs, by cross-validation"},
    [CLI_OPT_OUTPUT_MATRIX] = {"output-matrix", 0, "identity|covariance|FILE|laplacian:FILE", "identity",
        LEARN | BOUND, "Kernel",
        "decomposable: how the outputs belong together; FILE is a p x p table, for laplacian of weights "
        "between outputs"},
    [CLI_OPT_CLASSIFY] = {"classify", 0, NULL, NULL, LEARN, "Kernel",
        "the one output column holds the names of classes"},

    [CLI_OPT_FEATURES] = {"features", 0, "D|auto", "auto", KERNELS & ~EXACT, "Features",
        "number of frequencies (2 D features). auto is 1000, for fit and tune no more than half "
        "the rows and "
        "than keep the system to be solved at 2400 rows"},
    [CLI_OPT_SAMPLING] = {"sampling", 0, "auto|iid|orthogonal|qmc|halton|hadamard|grid", "auto",
        KERNELS & ~EXACT, "Features",
        "how the frequencies are chosen"},
    [CLI_OPT_SEED] = {"seed", 0, "N", "0", KERNELS & ~EXACT, "Features",
        "seed of the frequencies and of the folds"},
    [CLI_OPT_PRECISION] = {"precision", 0, "double|single", "double", MAPPED | MOMENTS | PLAN, "Features",
        "single: features and products of blocks in float, sums in double"},

    [CLI_OPT_LAMBDA] = {"lambda", 0, "L|auto", "auto", LEARN, "Learning",
        "penalty of (1/N) sum |f - y|^2 + L |theta|^2; auto: by cross-validation from the moments; of "
        "exact models, by leaving out each row in turn"},
    [CLI_OPT_LAMBDA_GRID] = {"lambda-grid", 0, "LO:HI:COUNT", "1e-10:10:45", LEARN, "Learning",
        "what auto looks at, relative to the kernel's own size"},
    [CLI_OPT_FOLDS] = {"folds", 0, "K", "5", MAPPED | MOMENTS | PLAN, "Learning",
        "folds of cross-validation"},
    [CLI_OPT_LOSS] = {"loss", 0, "squared|huber|epsilon|pinball|logistic|hinge", "squared", MAPPED,
        "Learning",
        "loss; logistic and hinge with --classify"},
    [CLI_OPT_LOSS_PARAMETER] = {"loss-parameter", 0, "P", "1", MAPPED, "Learning",
        "huber: where it turns linear; epsilon: the free width; pinball: the quantile"},
    [CLI_OPT_SOLVER] = {"solver", 0, "auto|direct|lsmr|idr|pcg|sgd|exact", "auto", MAPPED | PLAN,
        "Learning",
        "auto: direct where the system fits, else pcg; sgd for losses other than squared; exact: no "
        "features, the kernel itself, as orff exact does (plan: auto, direct or exact)"},
    [CLI_OPT_TOLERANCE] = {"tolerance", 0, "T", "1e-8", MAPPED, "Learning",
        "iterative solvers: stop at this residual"},
    [CLI_OPT_ITERATIONS] = {"iterations", 0, "N", "500", MAPPED, "Learning",
        "iterative solvers: stop after so many"},
    [CLI_OPT_CENTER] = {"center", 0, "yes|no", "yes", LEARN, "Learning",
        "take the mean off y"},
    [CLI_OPT_SCALE_INPUTS] = {"scale-inputs", 0, "yes|no|auto", "auto", LEARN, "Learning",
        "divide inputs by their spread; all by one where a part is physical; auto: when sigma is auto and "
        "no part is"},
    [CLI_OPT_SCALE_OUTPUTS] = {"scale-outputs", 0, "yes|no", "no", LEARN, "Learning",
        "divide outputs by their spread"},
    [CLI_OPT_FROM_MOMENTS] = {"from-moments", 0, "FILE", NULL, FIT, "Learning",
        "learn from moments (see orff moments) instead of data; kernel, weights and lambda are free, "
        "sigma is theirs"},
    [CLI_OPT_POSTERIOR] = {"posterior", 0, "yes|no|auto", "auto", LEARN, "Learning",
        "keep what error bars (predict --std) need; auto: when its matrix has at most 4000 rows"},
    [CLI_OPT_COMPACT] = {"compact", 0, NULL, NULL, MAPPED, "Files",
        "leave the frequencies out of the model file; they are drawn again"},
    [CLI_OPT_REPORT] = {"report", 0, "FILE", NULL, TUNE, "Files",
        "write the errors of all candidates at every lambda as a CSV table; orff plot draws it"},
    [CLI_OPT_CHECKPOINT] = {"checkpoint", 0, "FILE", NULL, FIT | MOMENTS, "Files",
        "save there what has been learned so far, to go on from after a crash; removed when all is done"},
    [CLI_OPT_CHECKPOINT_ROWS] = {"checkpoint-rows", 0, "N", "1000000", FIT | MOMENTS, "Files",
        "rows between checkpoints; an iterative solver sweeps all rows in each iteration"},
    [CLI_OPT_RESUME] = {"resume", 0, NULL, NULL, FIT | MOMENTS, "Files",
        "go on from the checkpoint, if there is one: the rows it has are compared and passed over; data or "
        "options other than its own are refused"},

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
    [CLI_OPT_PLAN_OUTPUTS] = {"outputs", 0, "p", NULL, PLAN | BOUND, "Problem",
        "outputs; bound: as many as inputs for curl-free, div-free and helmholtz, else 1, when not given"},
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
