/* orff plan: how long a fit will take and how much memory, from a short calibration on this machine.
 *
 * A fit holds its rows, sums moments (linear in the rows) and factors a system for every fold (cubic in its
 * size M). Both are measured here at the sizes asked for, or at smaller ones that are scaled up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "spec.h"

#define CALIBRATION_FEATURES 250
#define CHOICE_FEATURES \
    600 /* what fit takes at most to choose length scales, and how many rows, scales and folds */
#define CHOICE_ROWS  5000
#define CHOICES      5
#define CHOICE_FOLDS 3

typedef struct task {
    const cli_arguments *arguments;
    size_t n, d, p, folds;
    cli_spec spec;
    orff_sampling sampling;
    bool single, choose, exact;
} task;

/* ---- synthetic rows */

static void fill(size_t n, size_t d, size_t p, double *X, double *Y) {
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d + p; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            const double value = (double)(state >> 11) * 0x1p-53;
            if (k < d)
                X[i * d + k] = value;
            else
                Y[i * p + k - d] = value;
        }
    }
}

static int draw(const task *t, size_t D, orff_features **features) {
    orff_kernel *kernel = NULL;
    orff_sampling sampling = t->sampling;
    sampling.features = D;
    int status = cli_outcome(orff_kernel_create(&kernel, t->d, t->p, t->spec.n, t->spec.parts), NULL);
    if (!status) status = cli_outcome(orff_features_create(features, kernel, &sampling), NULL);
    orff_kernel_free(kernel);
    return status;
}

/* ---- measuring */

/* Seconds for a row of moments: blocks are added until a fifth of a second has passed. */
static int time_rows(const task *t, orff_moments *moments, double *seconds) {
    const size_t n = 1024;
    double *X = cli_more(NULL, n * (t->d + t->p), sizeof *X), *Y = X + n * t->d, start = 0.0;
    size_t rows = 0;
    int status = CLI_DONE;
    fill(n, t->d, t->p, X, Y);
    /* the first block warms up */
    status = cli_outcome(orff_moments_accumulate(moments, n, X, Y, NULL), NULL);
    for (start = cli_seconds(); !status && (rows == 0 || cli_seconds() - start < 0.2); rows += n)
        status = cli_outcome(orff_moments_accumulate(moments, n, X, Y, NULL), NULL);
    *seconds = rows ? (cli_seconds() - start) / (double)rows : 0.0;
    free(X);
    return status;
}

/* Seconds for everything after the moments: path, folds, solution, posterior. */
static int time_solve(const task *t, const orff_moments *moments, double *seconds) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    settings.n_parts = t->spec.n;
    settings.parts = t->spec.parts;
    settings.folds = t->folds;
    const double start = cli_seconds();
    const int status = cli_outcome(orff_model_fit_moments(&model, &settings, moments), NULL);
    *seconds = cli_seconds() - start;
    orff_model_free(model);
    return status;
}

typedef struct cost {
    double row, solve; /* seconds for a row, and for one solution after them */
    size_t parameters; /* M at D */
} cost;

static int measure(const task *t, size_t D, size_t folds, cost *c) {
    const size_t small = D < CALIBRATION_FEATURES ? D : CALIBRATION_FEATURES;
    const orff_moments_settings how = {.folds = folds, .single = t->single};
    const size_t sizes[2] = {D, small};
    int status = CLI_DONE;
    for (int round = 0; !status && round < 2; round++) {
        orff_features *features = NULL;
        orff_moments *moments = NULL;
        status = draw(t, sizes[round], &features);
        if (!status && round == 0) c->parameters = orff_features_describe(features).parameters;
        if (!status) status = cli_outcome(orff_moments_create(&moments, features, &how), NULL);
        double row = 0.0;
        if (!status) status = time_rows(t, moments, &row);
        if (!status && round == 0) c->row = row;
        if (!status && (round == 1 || small == D)) status = time_solve(t, moments, &c->solve);
        orff_moments_free(moments);
        orff_features_free(features);
        if (small == D) return status;
    }
    c->solve *= pow((double)D / (double)small, 3.0);
    return status;
}

/* ---- adding up */

/* Rows of the system that is factored: 2 D for one decomposable part, else M. */
static double system_rows(const task *t, const cost *c) {
    const bool plain = t->spec.n == 1 && t->spec.parts[0].rule == ORFF_RULE_DECOMPOSABLE;
    return plain ? 2.0 * (double)t->sampling.features : (double)c->parameters;
}

/* Rows are held once, with room to grow; S for each fold and two sums; about five matrices of the system. */
static double bytes_of(const task *t, const cost *c) {
    const double phi = 2.0 * (double)t->sampling.features, system = system_rows(t, c);
    const double rows = 8.0 * fmin((double)t->n * (double)(t->d + t->p), 64e6) * 1.5;
    const double block = 8.0 * 1024.0 * phi * (double)orff_get_threads();
    return 30e6 + rows + block + 8.0 * phi * phi * ((double)t->folds + 2.0) + 8.0 * system * system * 5.0;
}

static int predict(const task *t, double *seconds, double *bytes) {
    cost c, choice;
    int status = measure(t, t->sampling.features, t->folds, &c);
    if (status) return status;
    *seconds = (double)t->n * c.row + c.solve;
    *bytes = bytes_of(t, &c);
    if (!t->choose) return CLI_DONE;
    const size_t most = t->n < CHOICE_FEATURES ? t->n : CHOICE_FEATURES;
    const size_t D = t->sampling.features < most ? t->sampling.features : most;
    status = measure(t, D ? D : 1, CHOICE_FOLDS, &choice);
    *seconds += CHOICES * (fmin((double)t->n, CHOICE_ROWS) * choice.row + choice.solve);
    return status;
}

/* ---- exact models */

#define CALIBRATION_ORDER 600  /* rows of the matrix that is decomposed here */
#define CHOICE_ORDER      1500 /* rows of it up to which fit compares length scales by the exact kernel */

/* Seconds of an exact fit to n rows, lambda auto. */
static int time_exact(const task *t, size_t n, double *seconds) {
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    double *X = cli_more(NULL, n * (t->d + t->p), sizeof *X), *Y = X + n * t->d;
    fill(n, t->d, t->p, X, Y);
    settings.n_parts = t->spec.n;
    settings.parts = t->spec.parts;
    settings.engine = ORFF_ENGINE_EXACT;
    settings.posterior = ORFF_SWITCH_YES;
    const double start = cli_seconds();
    const int status = cli_outcome(orff_model_fit(&model, &settings, t->d, t->p, n, X, Y, NULL), NULL);
    *seconds = cli_seconds() - start;
    orff_model_free(model);
    free(X);
    return status;
}

/* The eigendecomposition of a matrix of n rows, n p where outputs do not part: cubic, in three times its
 * memory. */
static int predict_exact(const task *t, double *seconds, double *bytes) {
    const bool plain = t->spec.n == 1 && t->spec.parts[0].rule == ORFF_RULE_DECOMPOSABLE;
    const double each = plain ? 1.0 : (double)t->p, order = (double)t->n * each;
    const double small = fmin(order, CALIBRATION_ORDER);
    int status = time_exact(t, (size_t)fmax(small / each, 2.0), seconds);
    if (status) return status;
    *seconds *= pow(order / small, 3.0);
    *bytes = 30e6 + 8.0 * (3.0 * order * order + (double)t->n * (2.0 * (double)t->d + 8.0 * (double)t->p));
    if (!t->choose) return CLI_DONE;
    if (order <= CHOICE_ORDER) {
        *seconds *= CHOICES + 1.0;
        return CLI_DONE;
    }
    cost choice;
    const size_t D = t->n < CHOICE_FEATURES ? t->n : CHOICE_FEATURES;
    status = measure(t, D, CHOICE_FOLDS, &choice);
    *seconds += CHOICES * (fmin((double)t->n, CHOICE_ROWS) * choice.row + choice.solve);
    return status;
}

/* ---- */

static int parse_solver(task *t) {
    const char *solver = cli_text(t->arguments, CLI_OPT_SOLVER);
    t->exact = !strcmp(solver, "exact");
    if (t->exact || !strcmp(solver, "auto") || !strcmp(solver, "direct")) return CLI_DONE;
    return cli_wrong(t->arguments, CLI_OPT_SOLVER, "\"%s\" cannot be planned; auto, direct and exact can",
                     solver);
}

static int parse_sizes(task *t) {
    static const cli_option_id ids[] = {CLI_OPT_PLAN_ROWS, CLI_OPT_PLAN_INPUTS, CLI_OPT_PLAN_OUTPUTS};
    size_t *const values[] = {&t->n, &t->d, &t->p};
    for (size_t i = 0; i < 3; i++) {
        if (!cli_given(t->arguments, ids[i])) return cli_wrong(t->arguments, ids[i], "is missing");
        const int status = cli_size(t->arguments, ids[i], 1, i ? 65536 : (size_t)1 << 50, values[i]);
        if (status) return status;
    }
    return cli_size(t->arguments, CLI_OPT_FOLDS, 2, 1000, &t->folds);
}

static int parse(task *t) {
    const char *precision = cli_text(t->arguments, CLI_OPT_PRECISION);
    int status = parse_sizes(t);
    if (!status) status = parse_solver(t);
    t->single = !strcmp(precision, "single");
    if (!status && !t->single && strcmp(precision, "double"))
        status = cli_wrong(t->arguments, CLI_OPT_PRECISION, "\"%s\" is neither double nor single", precision);
    if (!status) status = cli_sampling_parse(t->arguments, &t->sampling);
    if (!status) status = cli_spec_parse(&t->spec, t->arguments, t->d, t->p, NULL);
    t->choose = t->spec.auto_sigma;
    for (size_t m = 0; !status && m < t->spec.n; m++)
        if (t->spec.parts[m].sigma == 0.0) t->spec.parts[m].sigma = 0.5 + 0.5 * (double)m;
    return status;
}

static int run(const cli_arguments *a) {
    task t = {.arguments = a};
    double seconds = 0.0, bytes = 0.0;
    int status = parse(&t);
    if (!status) status = (t.exact ? predict_exact : predict)(&t, &seconds, &bytes);
    if (!status && cli_wants_json()) {
        status = cli_print_json(json_pack("{s:f, s:I, s:I, s:I, s:I, s:I}", "seconds", seconds, "peak_bytes",
                                          (json_int_t)bytes, "n", (json_int_t)t.n, "d", (json_int_t)t.d, "p",
                                          (json_int_t)t.p, "features",
                                          (json_int_t)(t.exact ? 0 : t.sampling.features)));
    } else if (!status) {
        cli_print_line("about %.3g s and %.3g MB", seconds, bytes / 1e6);
        status = cli_check_stdout();
    }
    cli_spec_clear(&t.spec);
    return status;
}

const cli_command cli_command_plan = {
    .name = "plan",
    .summary = "predicted time and memory of a fit on this machine",
    .usage = "--n N --dim d --outputs p",
    .text = "Measures for a moment and scales up: the time and the peak memory of orff fit with the direct "
            "solver, or of orff exact with --solver exact, lambda auto "
            "and, without --sigma, sigma auto. Reading the file is not included.",
    .example = "  orff plan --n 1000000 --dim 3 --outputs 3 --features 1000 --kernel div-free\n",
    .least = 0,
    .most = 0,
    .bit = CLI_PLAN_BIT,
    .run = run,
};
