/* The one table of settings. */
#include "model/settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"

/* ---- names without an enumeration of their own */

static const char *const *yes_no(void) {
    static const char *const names[] = {"no", "yes", NULL};
    return names;
}

/* In the order of orff_switch. */
static const char *const *switches(void) {
    static const char *const names[] = {"auto", "yes", "no", NULL};
    return names;
}

static const char *const *precisions(void) {
    static const char *const names[] = {"double", "single", NULL};
    return names;
}

/* ---- the table */

#define KERNEL   ORFF_USE_KERNEL
#define FEATURES ORFF_USE_FEATURES
#define MOMENTS  ORFF_USE_MOMENTS
#define LEARNING ORFF_USE_LEARNING
#define SOLVING  ORFF_USE_SOLVING
#define STREAM   ORFF_USE_STREAM

#define MOST_FREQUENCIES 16777216 /* 2^24 */
#define MOST_COUNT       1e12
#define MOST_WHOLE       18446744073709551615.0 /* 2^64 - 1 */

/* Where a value is stored: offset and size of a member. Size 0: the text is handled elsewhere. */
#define TO(member) offsetof(orff_settings, member), sizeof((orff_settings *)0)->member
#define NOWHERE    0, 0

typedef struct row {
    orff_setting setting;
    size_t offset, size;
} row;

/* clang-format off */
static const row rows[] = {
    {{"kernel", ORFF_SETTING_TEXT, "decomposable", true, 0, 0, orff_rule_names, "RULE[:BASE][@SIGMA][~WAVELENGTH][*WEIGHT]", "", KERNEL, "Kernel",
      "What kind of function to learn. Join the parts of a sum with +: div-free+decomposable. A part may have its own base, "
      "length scale and weight: div-free:matern32@120+decomposable@40. auto tries every rule that suits the data, and their sum "
      "with learned weights, and keeps the one with the greatest evidence."}, NOWHERE},
    {{"base", ORFF_SETTING_TEXT, "auto", false, 0, 0, orff_base_names, "BASE", "", KERNEL, "Kernel",
      "The scalar kernel, which sets how smooth the function is. Give one for all parts of a sum, or one for each part, joined "
      "with +. auto chooses among gaussian, matern12, matern32 and matern52 by the evidence. For features, or if you give the "
      "length scale, auto is gaussian."}, NOWHERE},
    {{"shape", ORFF_SETTING_TEXT, NULL, false, 0, 50, NULL, "NU_OR_ALPHA|auto", "", KERNEL, "Kernel",
      "The order nu of base matern, or alpha of base rational-quadratic. Both bases need it. auto maximises the evidence, together "
      "with sigma auto, over orders from 0.5 to 8 or alphas from 0.25 to 16. Join one for each part with +."}, NOWHERE},
    {{"sigma", ORFF_SETTING_TEXT, "auto", true, 0, INFINITY, NULL, "S|S1,..,Sd|median|ard", "the inputs' unit", KERNEL, "Kernel",
      "Length scale: how far apart two points must be for the function to differ. Commas separate one for each input, + one for "
      "each part of a sum (2+0.5). median is the median distance between inputs. auto maximises the evidence, with one length "
      "scale for all inputs, or one for each where that raises the evidence clearly; ard always learns one for each. For "
      "features, classes and your own parts, auto uses cross-validation."}, NOWHERE},
    {{"wavelength", ORFF_SETTING_TEXT, "none", true, 0, 0, NULL, "L1,..,Ld", "the inputs' unit", KERNEL, "Kernel",
      "decomposable, delayed: the length of the function's waves, which stay in step over about sigma; a number for each input, 0 for "
      "no waves along it; + gives one for each part of a sum. auto maximises the evidence, for a sum of decomposable or of delayed "
      "parts together with their length scales and weights: a spectral mixture."}, NOWHERE},
    {{"weight", ORFF_SETTING_TEXT, "1", true, 0, INFINITY, NULL, "V1+V2+..", "", KERNEL, "Kernel",
      "Weights of the parts of a sum. Each part is first scaled to unit variance. auto learns the weights; see criterion."}, NOWHERE},
    {{"criterion", ORFF_SETTING_NAME, "evidence", false, 0, 0, orff_criterion_names, NULL, "", LEARNING, "Kernel",
      "How the weights of the parts are learned."}, TO(criterion)},
    {{"mix", ORFF_SETTING_TEXT, "0.5", true, 0, 1, NULL, "C", "", KERNEL, "Kernel",
      "For helmholtz: the share of the curl-free component, from 0 to 1. auto maximises the evidence; for features it uses "
      "cross-validation."}, NOWHERE},
    {{"output-matrix", ORFF_SETTING_TEXT, "identity", false, 0, 0, NULL, "identity|covariance|learn[:RANK]|learn:sparse[:S]|MATRIX|laplacian:MATRIX[:RIDGE]", "", KERNEL, "Kernel",
      "For decomposable and delayed parts: how the outputs are coupled. covariance uses the covariance of the outputs. learn "
      "maximises the evidence over matrices of this rank plus a diagonal; learn:sparse over matrices with few entries off the "
      "diagonal. Your own matrix is p x p. laplacian reads the weights of a graph on the outputs; its ridge leaves free what connected "
      "outputs have in common. Join one for each decomposable part with +."}, NOWHERE},
    {{"delays", ORFF_SETTING_TEXT, "auto", true, 0, 0, NULL, "MATRIX", "the inputs' unit", KERNEL, "Kernel",
      "For delayed parts: the delay of each output, separated by semicolons, as in 0;1.5. With several inputs, separate the "
      "delays of one output along each input by commas. auto learns the delays relative to the first output by the evidence."}, NOWHERE},
    {{"covariates", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "INPUTS", "", KERNEL, "Kernel",
      "Inputs that are not coordinates of the field's space, such as time or depth: names, or numbers counted from 1. A "
      "decomposable kernel treats them like any other input."}, NOWHERE},
    {{"period", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "INPUT=T,..", "the input's unit", MOMENTS | LEARNING, "Kernel",
      "Periodic inputs, by name or by number counted from 1: hour=24,direction=360. The function is continuous where one period "
      "ends and the next begins. For at most three inputs in all. Engine auto then chooses the lattice; features use a grid of "
      "harmonics."}, NOWHERE},
    {{"geo", ORFF_SETTING_NAME, "none", false, 0, 0, orff_geo_names, NULL, "", LEARNING, "Kernel",
      "lonlat: the first two inputs that are not covariates are longitude and latitude in degrees, and the outputs are the "
      "eastward and northward components. The model is learned in km on an azimuthal equidistant plane at the centre "
      "of the data."}, TO(geo)},
    {{"crs", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "NAME", "", LEARNING, "Kernel",
      "Inputs are degrees, as with geo lonlat, but the model is learned in km on the plane of this projected coordinate system: "
      "EPSG:32633, or \"+proj=lcc +lat_0=47 ..\". You do not need it for coordinates that are already lengths in a plane. Needs "
      "PROJ."}, NOWHERE},

    {{"features", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_FREQUENCIES, NULL, "D", "", FEATURES, "Features",
      "Number of frequencies. Each gives two features, a cosine and a sine. auto is 1000, or fewer if there are few rows or the "
      "equations would take long to solve."}, TO(sampling.features)},
    {{"sampling", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_scheme_names, NULL, "", FEATURES, "Features",
      "How the frequencies are chosen."}, TO(sampling.scheme)},
    {{"importance", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", FEATURES, "Features",
      "Draw the frequencies of fields in proportion to |w|^2, which bounds the norm of their blocks. auto does so if every part "
      "is a field."}, TO(sampling.importance)},
    {{"tolerance", ORFF_SETTING_NUMBER, "auto", true, 0, 0.999, NULL, "T", "units of K(0)", FEATURES, "Features",
      "For sampling grid and engine lattice: the largest error of the kernel. auto is what the number of frequencies allows; "
      "for a lattice it is 1e-6, or a hundredth of the noise if that is larger."}, TO(sampling.tolerance)},
    {{"frequencies", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "MATRIX", "", FEATURES, "Features",
      "Your own frequencies instead of random ones: one row for each, with d columns, or d + 1 columns with the weight last."}, NOWHERE},
    {{"seed", ORFF_SETTING_WHOLE, "0", false, 0, MOST_WHOLE, NULL, "N", "", FEATURES, "Features",
      "Seed of the random frequencies and of the folds."}, TO(sampling.seed)},
    {{"precision", ORFF_SETTING_NAME, "double", false, 0, 0, precisions, NULL, "", MOMENTS, "Features",
      "single computes features and their products in float and adds them up in double. It is about twice as fast."}, TO(single)},

    {{"lambda", ORFF_SETTING_NUMBER, "auto", true, 1e-300, 1e300, NULL, "L", "", LEARNING, "Learning",
      "The penalty L in (1/N) sum |f - y|^2 + L |theta|^2. auto derives it from the noise that maximises the evidence; for "
      "features, classes and your own parts it minimises the cross-validated error."}, TO(lambda)},
    {{"lambda-grid", ORFF_SETTING_TEXT, "1e-10:10:45", false, 0, 0, NULL, "LO:HI:COUNT", "units of the kernel's size", LEARNING, "Learning",
      "The values that lambda auto tries when lambda is not derived from the noise. If you give a grid, lambda auto always uses "
      "it."}, NOWHERE},
    {{"folds", ORFF_SETTING_WHOLE, "5", false, 2, 1000, NULL, "K", "", MOMENTS, "Learning",
      "Number of folds in cross-validation."}, TO(folds)},
    {{"folds-by", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_folds_names, NULL, "", LEARNING, "Learning",
      "Which rows are held out together for the reported errors. random holds out single rows, which makes errors look too "
      "small if rows lie close together. blocks holds out blocks of the input space about two length scales wide. groups holds "
      "out whole groups. auto uses groups if you give them, and blocks otherwise."}, TO(folds_by)},
    {{"loss", ORFF_SETTING_NAME, "squared", false, 0, 0, orff_loss_names, NULL, "", SOLVING, "Learning",
      "How errors are penalised. logistic and hinge are for classes."}, TO(loss)},
    {{"loss-parameter", ORFF_SETTING_NUMBER, "1", false, 0, 1e300, NULL, "P", "", SOLVING, "Learning",
      "huber: the error above which the loss grows linearly. epsilon: the largest error that costs nothing. pinball: the "
      "quantile."}, TO(loss_parameter)},
    {{"drop-outliers", ORFF_SETTING_NAME, "no", false, 0, 0, yes_no, NULL, "", LEARNING, "Learning",
      "Learn without outliers: rows in which an output is far from those of the 16 nearest rows, more than chance, their own "
      "spread and known errors allow. With group effects, rows are compared within their group. Their number is reported. Drop "
      "mistakes of measurement, but not rare events."}, TO(drop_outliers)},
    {{"engine", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_engine_names, NULL, "", MOMENTS | SOLVING, "Learning",
      "exact uses the kernel itself, for few rows. lattice puts it on a lattice of frequencies, for any number of rows and up "
      "to three inputs. features approximates it, for any number of inputs. stack has several layers of features. auto chooses "
      "stack if there are hidden layers, exact for few rows, lattice for up to three inputs, and features otherwise or if you "
      "give a setting of features. Moments are those of features unless you ask for lattice."}, TO(engine)},
    {{"solver", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_solver_names, NULL, "", SOLVING, "Learning",
      "How the equations are solved. auto is direct if they fit in memory, pcg if they do not, and sgd for losses other than "
      "squared."}, TO(solver)},
    {{"residual", ORFF_SETTING_NUMBER, "1e-8", false, 0, 1, NULL, "R", "", SOLVING, "Learning",
      "The relative residual at which iterative solvers stop."}, TO(tolerance)},
    {{"iterations", ORFF_SETTING_WHOLE, "500", false, 1, MOST_COUNT, NULL, "N", "", SOLVING, "Learning",
      "The largest number of iterations of an iterative solver."}, TO(max_iterations)},
    {{"shadow", ORFF_SETTING_WHOLE, "4", false, 1, 1000, NULL, "S", "", SOLVING, "Learning",
      "For solver idr: the s of IDR(s)."}, TO(shadow)},
    {{"batch", ORFF_SETTING_WHOLE, "256", false, 1, MOST_COUNT, NULL, "ROWS", "", SOLVING, "Learning",
      "For solver sgd and stacks: number of rows in a step."}, TO(batch)},
    {{"codes", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "MATRIX", "", LEARNING, "Learning",
      "For classes: a file with one row of numbers for each class, in the order of the class names. These numbers are learned, "
      "and the prediction is the class with the nearest row. By default the classes are the corners of a simplex, all at the "
      "same distance from each other."}, NOWHERE},
    {{"stack", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "W1,W2,..", "", SOLVING, "Learning",
      "Widths of hidden layers before the last one; all layers are learned together. They warp the inputs until the kernel "
      "suits them, which helps if the function has fronts or varies faster in some places than in others. For decomposable "
      "kernels and the squared loss."}, NOWHERE},
    {{"stack-features", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_FREQUENCIES, NULL, "D", "", SOLVING, "Learning",
      "Number of frequencies of each hidden layer. auto is 100."}, TO(hidden_features)},
    {{"stack-base", ORFF_SETTING_TEXT, "gaussian", false, 0, 0, NULL, "BASE", "", SOLVING, "Learning",
      "The scalar kernel of the hidden layers, such as gaussian or matern52; see base."}, NOWHERE},
    {{"stack-sigma", ORFF_SETTING_NUMBER, "2", false, 1e-6, 1e6, NULL, "S", "length scales of the kernel", SOLVING, "Learning",
      "Length scale of the hidden layers."}, TO(hidden_sigma)},
    {{"epochs", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_COUNT, NULL, "N", "", SOLVING, "Learning",
      "For stacks: the largest number of passes over the rows. Learning stops sooner if the error on held-out rows no longer "
      "falls. auto makes about 2000 steps, in 20 to 400 passes."}, TO(epochs)},
    {{"rate", ORFF_SETTING_NUMBER, "0.05", false, 1e-9, 1e3, NULL, "R", "length scales of the kernel", SOLVING, "Learning",
      "For stacks: the initial step length. It decreases to zero over the epochs."}, TO(rate)},
    {{"center", ORFF_SETTING_NAME, "yes", false, 0, 0, yes_no, NULL, "", LEARNING, "Learning",
      "Subtract the mean of each output before learning and add it back to predictions."}, TO(center)},
    {{"trend", ORFF_SETTING_TEXT, "none", false, 0, 0, orff_trend_names, "TREND|INPUTS", "", LEARNING, "Learning",
      "Terms without a penalty, estimated together with the field by generalised least squares: constant has one for each "
      "output, linear adds the inputs, quadratic adds their squares and products. INPUTS (names, or numbers counted from 1) "
      "adds only these, linearly. Far from the data the model follows its trend."}, NOWHERE},
    {{"scale-inputs", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", LEARNING, "Learning",
      "Divide each input by its spread, or all inputs by one common spread if a part is a field. auto is yes if sigma is auto "
      "and no part is a field; for classes, cross-validation decides between a spread for each input and one for all."}, TO(scale_inputs)},
    {{"scale-outputs", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", LEARNING, "Learning",
      "Divide each output by its spread, so that no output dominates. auto is yes if sigma or lambda is auto and no part "
      "couples the outputs."}, TO(scale_outputs)},
    {{"posterior", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", LEARNING, "Learning",
      "Store what error bars need in the model. auto is yes for a lattice, and otherwise if the matrix to store has at most "
      "6000 rows."}, TO(posterior)},
    {{"subsample", ORFF_SETTING_WHOLE, "20000", false, 10, MOST_COUNT, NULL, "ROWS", "rows", LEARNING, "Learning",
      "Number of rows used for automatic choices."}, TO(subsample)},
    {{"max-bytes", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_WHOLE, NULL, "BYTES", "bytes", LEARNING, "Learning",
      "The most memory that an exact model may use; a larger one is refused. auto is half of the machine's memory."}, TO(max_bytes)},

    {{"checkpoint", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "FILE", "", STREAM, "Files",
      "Save progress to this file, to resume after a crash. The file is removed when the fit is complete."}, NOWHERE},
    {{"checkpoint-rows", ORFF_SETTING_WHOLE, "1000000", false, 1, MOST_WHOLE, NULL, "N", "rows", STREAM, "Files",
      "Number of rows between checkpoints. An iterative solver reads all rows in each iteration."}, TO(checkpoint_rows)},
    {{"resume", ORFF_SETTING_NAME, "no", false, 0, 0, yes_no, NULL, "", STREAM, "Files",
      "Resume from the checkpoint if it exists. A checkpoint made with other data or settings is refused."}, TO(resume)},
};
/* clang-format on */

enum { COUNT = sizeof rows / sizeof *rows };

const orff_setting *orff_setting_at(size_t i) {
    return i < COUNT ? &rows[i].setting : NULL;
}

const orff_setting *orff_setting_find(const char *name) {
    for (size_t i = 0; name && i < COUNT; i++)
        if (!strcmp(rows[i].setting.name, name)) return &rows[i].setting;
    return NULL;
}

/* ---- values */

static orff_status scan_number(const orff_setting *s, const char *text, double *value) {
    const char *end = orff_number_scan(text, value);
    if (!end || *end || !isfinite(*value))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is not a number%s", s->name, text,
                          s->automatic ? " (or auto)" : "");
    if (*value < s->least || *value > s->most)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %s is out of range; expected %g to %g", s->name,
                          text, s->least, s->most);
    return ORFF_OK;
}

/* Accepts digits only, as a double would not hold all of them. */
static orff_status scan_whole(const orff_setting *s, const char *text, uint64_t *value) {
    uint64_t sum = 0;
    bool fits = true;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        fits = fits && sum <= (UINT64_MAX - digit) / 10;
        sum = 10 * sum + digit;
    }
    if (at == text || *at)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is not a whole number%s", s->name, text,
                          s->automatic ? " (or auto)" : "");
    if (!fits || (double)sum < s->least || (double)sum > s->most)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %s is out of range; expected %.15g to %.15g",
                          s->name, text, s->least, s->most);
    *value = sum;
    return ORFF_OK;
}

static orff_status scan_name(const orff_setting *s, const char *text, size_t *place) {
    char message[512];
    if (!orffi_names_find(s->name, text, s->names(), place)) return ORFF_OK;
    snprintf(message, sizeof message, "%s", orff_error_message());
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %s", s->name, message);
}

/* Stores into a member: bool, an enumeration, or 64 bits. */
static void store(orff_settings *settings, const row *r, uint64_t whole, double number) {
    char *place = (char *)settings + r->offset;
    const unsigned narrow = (unsigned)whole;
    const bool flag = whole != 0;
    if (r->setting.kind == ORFF_SETTING_NUMBER) {
        memcpy(place, &number, sizeof number);
    } else if (r->size == sizeof flag) {
        memcpy(place, &flag, sizeof flag);
    } else if (r->size == sizeof narrow) {
        memcpy(place, &narrow, sizeof narrow);
    } else {
        memcpy(place, &whole, sizeof whole);
    }
}

static orff_status scan_value(const orff_setting *s, const char *text, uint64_t *whole, double *number) {
    size_t place = 0;
    *whole = 0;
    *number = 0.0;
    if (s->automatic && !strcmp(text, "auto")) return ORFF_OK; /* auto is 0 */
    if (s->kind == ORFF_SETTING_NUMBER) return scan_number(s, text, number);
    if (s->kind == ORFF_SETTING_WHOLE) return scan_whole(s, text, whole);
    ORFFI_TRY(scan_name(s, text, &place));
    *whole = place;
    return ORFF_OK;
}

/* LO:HI:COUNT, all three. */
static orff_status apply_grid(orff_settings *settings, const orff_setting *s, const char *text) {
    double low = 0.0, high = 0.0, count = 0.0;
    const char *at = orff_number_scan(text, &low);
    at = at && *at == ':' ? orff_number_scan(at + 1, &high) : NULL;
    at = at && *at == ':' ? orff_number_scan(at + 1, &count) : NULL;
    if (!at || *at || !(low > 0.0) || !(high > low) || !isfinite(high) || count < 2.0 || count > 10000.0 ||
        count != floor(count))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "%s: \"%s\" is not LO:HI:COUNT with 0 < LO < HI and COUNT from 2 to 10000", s->name,
                          text);
    settings->lambda_low = low;
    settings->lambda_high = high;
    settings->lambda_count = (size_t)count;
    return ORFF_OK;
}

orff_status orffi_setting_apply(orff_settings *settings, const orff_setting *setting, const char *text) {
    const row *r = (const row *)setting; /* setting is the first member of its row */
    uint64_t whole;
    double number;
    if (!strcmp(setting->name, "lambda-grid")) return apply_grid(settings, setting, text);
    if (!r->size) return ORFF_OK;
    ORFFI_TRY(scan_value(setting, text, &whole, &number));
    store(settings, r, whole, number);
    return ORFF_OK;
}

orff_status orffi_setting_check(const orff_setting *setting, const char *text) {
    orff_settings unused;
    return orffi_setting_apply(&unused, setting, text);
}

/* ---- defaults */

orff_settings orff_settings_default(void) {
    orff_settings settings = {0};
    for (size_t i = 0; i < COUNT; i++)
        if (rows[i].setting.fallback)
            orffi_setting_apply(&settings, &rows[i].setting, rows[i].setting.fallback);
    return settings;
}
