/* The one table of settings. */
#include "model/settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"

/* ---- names that have no enumeration of their own */

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

/* Where a value goes: the offset and the size of a member; a size of 0: the value is a text of its own. */
#define TO(member) offsetof(orff_settings, member), sizeof((orff_settings *)0)->member
#define NOWHERE    0, 0

typedef struct row {
    orff_setting setting;
    size_t offset, size;
} row;

/* clang-format off */
static const row rows[] = {
    {{"kernel", ORFF_SETTING_TEXT, "decomposable", true, 0, 0, orff_rule_names, "RULE[:BASE][@SIGMA][~WAVELENGTH][*WEIGHT]", "", KERNEL, "Kernel",
      "What the function may look like. Add several with +: div-free+decomposable. A part may carry its own base, length scale and "
      "weight: div-free:matern32@120+decomposable@40. auto tries every rule that suits the data, and their sum with learned weights, and "
      "keeps the one of greatest evidence."}, NOWHERE},
    {{"base", ORFF_SETTING_TEXT, "auto", false, 0, 0, orff_base_names, "BASE", "", KERNEL, "Kernel",
      "The scalar kernel that gives the smoothness. One for all parts of a sum, or one for each with +. auto chooses among gaussian, "
      "matern12, matern32 and matern52 by the evidence; for features, and where the length scale is given, it is gaussian."}, NOWHERE},
    {{"shape", ORFF_SETTING_TEXT, NULL, false, 0, 50, NULL, "NU_OR_ALPHA", "", KERNEL, "Kernel",
      "The order nu of base matern, or alpha of rational-quadratic; both need it. One for each part with +."}, NOWHERE},
    {{"sigma", ORFF_SETTING_TEXT, "auto", true, 0, INFINITY, NULL, "S|S1,..,Sd|median|ard", "the inputs' unit", KERNEL, "Kernel",
      "Length scale: how far apart two points must be to differ. Commas give one for each input, + one for each part of a sum (2+0.5). "
      "median is the median distance between inputs; auto maximises the evidence, with one for all inputs or, where the evidence clearly "
      "gains, one for each; ard always learns one for each. For features, classes and your own parts auto uses cross-validation."}, NOWHERE},
    {{"wavelength", ORFF_SETTING_TEXT, "none", true, 0, 0, NULL, "L1,..,Ld", "the inputs' unit", KERNEL, "Kernel",
      "decomposable, delayed: the length of the function's waves, which stay in step over about sigma; a number for each input, 0 for "
      "no waves along it; + gives one for each part of a sum. auto maximises the evidence, for a sum of decomposable or of delayed "
      "parts together with their length scales and weights: a spectral mixture."}, NOWHERE},
    {{"weight", ORFF_SETTING_TEXT, "1", true, 0, INFINITY, NULL, "V1+V2+..", "", KERNEL, "Kernel",
      "Weights of the parts of a sum, which are first scaled to unit variance. auto learns them; see criterion."}, NOWHERE},
    {{"criterion", ORFF_SETTING_NAME, "evidence", false, 0, 0, orff_criterion_names, NULL, "", LEARNING, "Kernel",
      "How weights of parts are learned."}, TO(criterion)},
    {{"mix", ORFF_SETTING_TEXT, "0.5", true, 0, 1, NULL, "C", "", KERNEL, "Kernel",
      "helmholtz: share of the curl-free half, 0 to 1. auto maximises the evidence; for features it uses cross-validation."}, NOWHERE},
    {{"output-matrix", ORFF_SETTING_TEXT, "identity", false, 0, 0, NULL, "identity|covariance|learn[:RANK]|learn:sparse[:S]|MATRIX|laplacian:MATRIX[:RIDGE]", "", KERNEL, "Kernel",
      "decomposable, delayed: which outputs belong together. covariance is that of the outputs; learn maximises the evidence over matrices "
      "of this rank plus a diagonal, or with few entries beside it (sparse); MATRIX is p x p; laplacian takes weights between "
      "outputs, and a ridge that leaves what they have in common free. One for each decomposable part with +."}, NOWHERE},
    {{"delays", ORFF_SETTING_TEXT, "auto", true, 0, 0, NULL, "MATRIX", "the inputs' unit", KERNEL, "Kernel",
      "delayed: how late each output shows what they share, one after another with ; and, for several inputs, one for each of them with "
      "commas: 0;1.5. auto takes what makes the outputs most probable, behind the first output."}, NOWHERE},
    {{"covariates", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "INPUTS", "", KERNEL, "Kernel",
      "Inputs that are not part of the field's space, such as time or depth: names, or places counted from 1. A decomposable kernel treats them as "
      "any other input."}, NOWHERE},
    {{"period", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "INPUT=T,..", "the input's unit", MOMENTS | SOLVING, "Kernel",
      "Inputs that repeat: hour=24,direction=360. Names, or places counted from 1. The function joins up where one period ends and the next "
      "begins. For up to three inputs in all; auto takes the engine lattice, features have a grid of harmonics."}, NOWHERE},
    {{"geo", ORFF_SETTING_NAME, "none", false, 0, 0, orff_geo_names, NULL, "", LEARNING, "Kernel",
      "lonlat: the first two inputs that are no covariates are degrees of longitude and latitude, the outputs eastward and northward. The "
      "model is learned in km on a plane at the centre of the data."}, TO(geo)},
    {{"crs", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "NAME", "", LEARNING, "Kernel",
      "Inputs are degrees as with geo lonlat, and the model is learned in km on the plane of this projected coordinate system: EPSG:32633, or "
      "\"+proj=lcc +lat_0=47 ..\". Coordinates that are lengths in a plane already need none. Needs PROJ."}, NOWHERE},

    {{"features", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_FREQUENCIES, NULL, "D", "", FEATURES, "Features",
      "Number of frequencies; there are two features for each. auto is 1000, or fewer for few rows or "
      "where the equations would take long to solve."}, TO(sampling.features)},
    {{"sampling", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_scheme_names, NULL, "", FEATURES, "Features",
      "How the frequencies are chosen."}, TO(sampling.scheme)},
    {{"importance", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", FEATURES, "Features",
      "Draw the frequencies of fields in proportion to |w|^2, which bounds their blocks. auto does it wherever every part is a field."}, TO(sampling.importance)},
    {{"tolerance", ORFF_SETTING_NUMBER, "auto", true, 0, 0.999, NULL, "T", "units of K(0)", FEATURES, "Features",
      "sampling grid and engine lattice: the largest error of the kernel. auto: what the number of frequencies allows; for a lattice "
      "1e-6, or a hundredth of the noise if that is larger."}, TO(sampling.tolerance)},
    {{"frequencies", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "MATRIX", "", FEATURES, "Features",
      "Your own frequencies instead of random ones: a row for each, with d columns, or d + 1 with its weight in the last."}, NOWHERE},
    {{"seed", ORFF_SETTING_WHOLE, "0", false, 0, MOST_WHOLE, NULL, "N", "", FEATURES, "Features",
      "Seed of the frequencies and of the folds."}, TO(sampling.seed)},
    {{"precision", ORFF_SETTING_NAME, "double", false, 0, 0, precisions, NULL, "", MOMENTS, "Features",
      "single computes features and their products in float and sums in double: about twice as fast."}, TO(single)},

    {{"lambda", ORFF_SETTING_NUMBER, "auto", true, 1e-300, 1e300, NULL, "L", "", LEARNING, "Learning",
      "Penalty of (1/N) sum |f - y|^2 + L |theta|^2. auto follows from the noise that maximises the evidence; "
      "for features, classes and your own parts it minimises the cross-validated error."}, TO(lambda)},
    {{"lambda-grid", ORFF_SETTING_TEXT, "1e-10:10:45", false, 0, 0, NULL, "LO:HI:COUNT", "units of the kernel's size", LEARNING, "Learning",
      "The values that lambda auto tries where it does not follow from the noise, or wherever you give them."}, NOWHERE},
    {{"folds", ORFF_SETTING_WHOLE, "5", false, 2, 1000, NULL, "K", "", MOMENTS, "Learning",
      "Folds of cross-validation."}, TO(folds)},
    {{"folds-by", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_folds_names, NULL, "", LEARNING, "Learning",
      "Which rows are held out together for the reported errors: random holds out single rows, which flatters where rows are close together; "
      "blocks holds out whole blocks of the input space, about two length scales wide; groups holds out whole groups. auto uses groups "
      "where they are given, else blocks."}, TO(folds_by)},
    {{"loss", ORFF_SETTING_NAME, "squared", false, 0, 0, orff_loss_names, NULL, "", SOLVING, "Learning",
      "What an error costs. logistic and hinge are for classes."}, TO(loss)},
    {{"loss-parameter", ORFF_SETTING_NUMBER, "1", false, 0, 1e300, NULL, "P", "", SOLVING, "Learning",
      "huber: the error from which it grows linearly; epsilon: the error that costs nothing; pinball: the quantile."}, TO(loss_parameter)},
    {{"engine", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_engine_names, NULL, "", MOMENTS | SOLVING, "Learning",
      "exact uses the kernel itself, for few rows; lattice puts it on a lattice of frequencies, for any number of rows and up "
      "to three inputs; features approximate it for any number of inputs; stack has several layers of features. auto chooses stack if there "
      "are hidden layers, exact for few rows, lattice for up to three inputs, and features otherwise or if a setting of features is given. "
      "Moments are those of features unless you ask for lattice."}, TO(engine)},
    {{"solver", ORFF_SETTING_NAME, "auto", false, 0, 0, orff_solver_names, NULL, "", SOLVING, "Learning",
      "How the equations are solved. auto: direct where they fit in memory, else pcg; sgd for losses other than squared."}, TO(solver)},
    {{"residual", ORFF_SETTING_NUMBER, "1e-8", false, 0, 1, NULL, "R", "", SOLVING, "Learning",
      "Iterative solvers stop at this relative residual."}, TO(tolerance)},
    {{"iterations", ORFF_SETTING_WHOLE, "500", false, 1, MOST_COUNT, NULL, "N", "", SOLVING, "Learning",
      "Iterative solvers stop after this many."}, TO(max_iterations)},
    {{"shadow", ORFF_SETTING_WHOLE, "4", false, 1, 1000, NULL, "S", "", SOLVING, "Learning",
      "Solver idr: the s of IDR(s)."}, TO(shadow)},
    {{"batch", ORFF_SETTING_WHOLE, "256", false, 1, MOST_COUNT, NULL, "ROWS", "", SOLVING, "Learning",
      "Solver sgd and stacks: rows in a step."}, TO(batch)},
    {{"codes", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "MATRIX", "", LEARNING, "Learning",
      "Classes: a row of numbers for each, in the order of their names, which are learned in its place. A prediction is the class whose row is "
      "nearest. Without them classes are the corners of a simplex, which are all equally far from each other."}, NOWHERE},
    {{"stack", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "W1,W2,..", "", SOLVING, "Learning",
      "Hidden layers of these widths before the last one, learned together: a function of functions. They bend the inputs until the kernel "
      "suits them, which pays where the function has fronts or changes its pace. For decomposable kernels and the squared loss."}, NOWHERE},
    {{"stack-features", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_FREQUENCIES, NULL, "D", "", SOLVING, "Learning",
      "Frequencies of each hidden layer. auto takes 100."}, TO(hidden_features)},
    {{"stack-base", ORFF_SETTING_TEXT, "gaussian", false, 0, 0, NULL, "BASE", "", SOLVING, "Learning",
      "The scalar kernel of the hidden layers: gaussian, matern52, ..; see base."}, NOWHERE},
    {{"stack-sigma", ORFF_SETTING_NUMBER, "2", false, 1e-6, 1e6, NULL, "S", "length scales of the kernel", SOLVING, "Learning",
      "Length scale of the hidden layers."}, TO(hidden_sigma)},
    {{"epochs", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_COUNT, NULL, "N", "", SOLVING, "Learning",
      "Stacks: passes over the rows, at most. It ends sooner when rows left out are no longer predicted better. auto makes about 2000 steps, in "
      "20 to 400 passes."}, TO(epochs)},
    {{"rate", ORFF_SETTING_NUMBER, "0.05", false, 1e-9, 1e3, NULL, "R", "length scales of the kernel", SOLVING, "Learning",
      "Stacks: the length of a step at first; it falls to nothing over the epochs."}, TO(rate)},
    {{"center", ORFF_SETTING_NAME, "yes", false, 0, 0, yes_no, NULL, "", LEARNING, "Learning",
      "Subtract the mean of each output first and add it again to predictions."}, TO(center)},
    {{"trend", ORFF_SETTING_TEXT, "none", false, 0, 0, orff_trend_names, "TREND|INPUTS", "", LEARNING, "Learning",
      "Terms without a penalty, estimated together with the field by generalised least squares: a constant for each output, "
      "also the inputs (linear), or also their squares and products (quadratic). INPUTS, names or places counted from 1, enter "
      "linearly, and no others. Far from the data the model follows its trend."}, NOWHERE},
    {{"scale-inputs", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", LEARNING, "Learning",
      "Divide each input by its spread; all by one spread where a part is a field. auto: yes when sigma is auto and no part is a field."}, TO(scale_inputs)},
    {{"scale-outputs", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", LEARNING, "Learning",
      "Divide each output by its spread, so that no output dominates. auto: yes when sigma or lambda is auto and no part couples the outputs."}, TO(scale_outputs)},
    {{"posterior", ORFF_SETTING_NAME, "auto", false, 0, 0, switches, NULL, "", LEARNING, "Learning",
      "Store in the model what error bars need. auto: yes for a lattice, and where it is a matrix of at most 6000 rows."}, TO(posterior)},
    {{"subsample", ORFF_SETTING_WHOLE, "20000", false, 10, MOST_COUNT, NULL, "ROWS", "rows", LEARNING, "Learning",
      "Number of rows that automatic choices use."}, TO(subsample)},
    {{"max-bytes", ORFF_SETTING_WHOLE, "auto", true, 1, MOST_WHOLE, NULL, "BYTES", "bytes", LEARNING, "Learning",
      "Exact models refuse to take more memory than this. auto is half of what the machine has."}, TO(max_bytes)},

    {{"checkpoint", ORFF_SETTING_TEXT, NULL, false, 0, 0, NULL, "FILE", "", STREAM, "Files",
      "Save the work so far to this file, to resume after a crash. It is removed at the end."}, NOWHERE},
    {{"checkpoint-rows", ORFF_SETTING_WHOLE, "1000000", false, 1, MOST_WHOLE, NULL, "N", "rows", STREAM, "Files",
      "Rows between checkpoints. An iterative solver reads all rows in each iteration."}, TO(checkpoint_rows)},
    {{"resume", ORFF_SETTING_NAME, "no", false, 0, 0, yes_no, NULL, "", STREAM, "Files",
      "Resume from the checkpoint if there is one. It refuses other data or settings than its own."}, TO(resume)},
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

/* Digits only: a double would not hold all of them. */
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

/* size bytes of a member: bool, an enumeration, or 64 bits. */
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
    if (s->automatic && !strcmp(text, "auto")) return ORFF_OK; /* 0 */
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
    const row *r = (const row *)setting; /* the first member of its row */
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
