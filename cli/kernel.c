/* orff kernel: K(x,z), exactly and by features. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "result.h"
#include "spec.h"

#define MOST_INPUTS 65536

static int parse_point(const cli_arguments *a, cli_option_id id, double **point, size_t *d) {
    const char *text = cli_text(a, id), *at = text;
    if (!text) return cli_wrong(a, id, "is missing; expected numbers with commas between");
    for (*d = 0;; at++) {
        double value;
        at = cli_scan_number(at, ",", &value);
        if (!at || *d == MOST_INPUTS)
            return cli_wrong(a, id, "\"%s\" is not a list of numbers with commas between", text);
        *point = cli_more(*point, *d + 1, sizeof **point);
        (*point)[(*d)++] = value;
        if (!*at) return CLI_DONE;
    }
}

/* The largest singular value of E (p x p): power iteration on E^T E. */
static double spectral_norm(size_t p, const double *E) {
    double *v = cli_more(NULL, 2 * p, sizeof *v), *w = v + p, norm = 0.0;
    for (size_t i = 0; i < p; i++) v[i] = 1.0 + 0.1 * (double)i;
    for (int step = 0; step < 500; step++) {
        double length = 0.0;
        for (size_t i = 0; i < p; i++) length += v[i] * v[i];
        if (!(length > 0.0)) break;
        for (size_t i = 0; i < p; i++) {
            w[i] = 0.0;
            for (size_t k = 0; k < p; k++) w[i] += E[i * p + k] * v[k] / sqrt(length);
        }
        norm = 0.0;
        for (size_t i = 0; i < p; i++) norm += w[i] * w[i];
        for (size_t k = 0; k < p; k++) {
            v[k] = 0.0;
            for (size_t i = 0; i < p; i++) v[k] += E[i * p + k] * w[i];
        }
    }
    free(v);
    return sqrt(norm);
}

static json_t *matrix_json(size_t p, const double *K) {
    json_t *rows = json_array();
    for (size_t i = 0; i < p; i++) {
        json_t *row = json_array();
        for (size_t k = 0; k < p; k++) json_array_append_new(row, cli_number_or_null(K[i * p + k]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void print_matrix(const char *name, size_t p, const double *K) {
    cli_print_line("%s", name);
    for (size_t i = 0; i < p; i++) {
        for (size_t k = 0; k < p; k++) cli_print(" %14.8g", K[i * p + k]);
        cli_end_line();
    }
}

static int approximate(const cli_arguments *a, const orff_kernel *kernel, const double *x, const double *z,
                       double *K, orff_features_info *info) {
    orff_sampling sampling;
    orff_features *features = NULL;
    const size_t d = orff_kernel_inputs(kernel);
    double *extent = cli_more(NULL, d, sizeof *extent);
    for (size_t i = 0; i < d; i++) extent[i] = fmax(fabs(x[i] - z[i]), 1e-6);
    int status = cli_sampling_parse(a, &sampling);
    sampling.extent = extent;
    if (!status) status = cli_outcome(orff_features_create(&features, kernel, &sampling), NULL);
    if (!status) status = cli_outcome(orff_features_kernel(features, x, z, K), NULL);
    if (!status) *info = orff_features_describe(features);
    orff_features_free(features);
    free(extent);
    return status;
}

static int tell(size_t p, const double *exact, const double *approx, const orff_features_info *info) {
    double *E = cli_more(NULL, p * p, sizeof *E);
    for (size_t i = 0; approx && i < p * p; i++) E[i] = approx[i] - exact[i];
    const double error = approx ? spectral_norm(p, E) : NAN;
    free(E);
    if (cli_wants_json()) {
        json_t *object = json_pack("{s:o, s:o, s:o}", "exact", matrix_json(p, exact), "approx",
                                   approx ? matrix_json(p, approx) : json_null(), "error_spectral",
                                   cli_number_or_null(error));
        if (approx) json_object_set_new(object, "features", json_integer((json_int_t)info->frequencies));
        if (approx) json_object_set_new(object, "sampling", json_string(orff_scheme_name(info->scheme)));
        return cli_print_json(object);
    }
    print_matrix("exact", p, exact);
    if (approx) {
        print_matrix("approximate", p, approx);
        cli_print_line("spectral norm of the error %.6g (%zu frequencies, %s)", error, info->frequencies,
                       orff_scheme_name(info->scheme));
    }
    return cli_check_stdout();
}

/* Physical kernels have as many outputs as inputs; a decomposable one is shown with one output. */
static size_t outputs_of(const cli_arguments *a, size_t d) {
    return strstr(cli_text(a, CLI_OPT_KERNEL), "-free") || strstr(cli_text(a, CLI_OPT_KERNEL), "helmholtz")
               ? d
               : 1;
}

static int evaluate(const cli_arguments *a, size_t d, const double *x, const double *z) {
    const size_t p = outputs_of(a, d);
    cli_spec spec;
    orff_kernel *kernel = NULL;
    orff_features_info info = {0};
    const bool wanted = cli_given(a, CLI_OPT_FEATURES) || cli_given(a, CLI_OPT_SAMPLING);
    double *exact = cli_more(NULL, 2 * p * p, sizeof *exact), *approx = wanted ? exact + p * p : NULL;
    int status = cli_spec_parse(&spec, a, d, p, NULL);
    if (!status && spec.auto_sigma)
        status = cli_wrong(a, CLI_OPT_SIGMA, "must be a number: there are no data here");
    if (!status) status = cli_outcome(orff_kernel_create(&kernel, d, p, spec.n, spec.parts), NULL);
    if (!status) status = cli_outcome(orff_kernel_eval(kernel, x, z, exact), NULL);
    if (!status && wanted) status = approximate(a, kernel, x, z, approx, &info);
    if (!status) status = tell(p, exact, approx, &info);
    orff_kernel_free(kernel);
    cli_spec_clear(&spec);
    free(exact);
    return status;
}

static int run(const cli_arguments *a) {
    double *x = NULL, *z = NULL;
    size_t d = 0, e = 0;
    int status = parse_point(a, CLI_OPT_POINT_X, &x, &d);
    if (!status) status = parse_point(a, CLI_OPT_POINT_Z, &z, &e);
    if (!status && d != e) status = cli_wrong(a, CLI_OPT_POINT_Z, "has %zu numbers, --x has %zu", e, d);
    if (!status) status = evaluate(a, d, x, z);
    free(x);
    free(z);
    return status;
}

const cli_command cli_command_kernel = {
    .name = "kernel",
    .summary = "the kernel K(x,z), exactly and by features",
    .usage = "--kernel K --sigma S --x X1,..,Xd --z Z1,..,Zd",
    .text = "Prints K(x,z), a p x p matrix; p is the number of inputs where a part is curl-free, div-free or "
            "helmholtz, else "
            "1. With --features or --sampling also the approximation by random features and the spectral "
            "norm of its error.",
    .example = "  orff kernel --kernel div-free --sigma 0.5 --x 0,0 --z 0.1,0.2 --features 1000\n",
    .least = 0,
    .most = 0,
    .bit = CLI_KERNEL_BIT,
    .run = run,
};
