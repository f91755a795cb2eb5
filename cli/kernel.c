/* orff kernel: K(x,z), exactly and by features. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "result.h"
#include "settings.h"

#define MOST_INPUTS 65536

static int parse_point(const cli_arguments *a, cli_option_id id, double **point, size_t *d) {
    const char *text = cli_text(a, id), *at = text;
    if (!text) return cli_wrong(a, id, "is missing; expected numbers separated by commas");
    for (*d = 0;; at++) {
        double value;
        at = cli_scan_number(at, ",", &value);
        if (!at || *d == MOST_INPUTS)
            return cli_wrong(a, id, "\"%s\" is not a list of numbers separated by commas", text);
        *point = cli_more(*point, *d + 1, sizeof **point);
        (*point)[(*d)++] = value;
        if (!*at) return CLI_DONE;
    }
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

static int approximate(orff_sampling sampling, const orff_kernel *kernel, const double *x, const double *z,
                       double *K, orff_features_info *info) {
    orff_features *features = NULL;
    const size_t d = orff_kernel_inputs(kernel);
    double *extent = cli_more(NULL, d, sizeof *extent);
    for (size_t i = 0; i < d; i++) extent[i] = fmax(fabs(x[i] - z[i]), 1e-6);
    sampling.extent = extent;
    int status = cli_outcome(orff_features_create(&features, kernel, &sampling), NULL);
    if (!status) status = cli_outcome(orff_features_kernel(features, x, z, K), NULL);
    if (!status) *info = orff_features_describe(features);
    orff_features_free(features);
    free(extent);
    return status;
}

static int print_result(size_t p, const double *exact, const double *approx, const orff_features_info *info) {
    double *E = cli_more(NULL, p * p, sizeof *E);
    for (size_t i = 0; approx && i < p * p; i++) E[i] = approx[i] - exact[i];
    double error = NAN;
    const int status = approx ? cli_outcome(orff_spectral_norm(p, p, E, &error), NULL) : CLI_DONE;
    free(E);
    if (status) return status;
    if (cli_wants_json()) {
        json_t *object = json_pack("{s:o, s:o, s:o}", "exact", matrix_json(p, exact), "approx",
                                   approx ? matrix_json(p, approx) : json_null(), "error_spectral",
                                   cli_number_or_null(error));
        if (approx) json_object_set_new(object, "features", json_integer((json_int_t)info->frequencies));
        if (approx) json_object_set_new(object, "sampling", json_string(cli_frequencies_word(info->scheme)));
        if (approx) json_object_set_new(object, "importance", json_boolean(info->importance));
        return cli_print_json(object);
    }
    print_matrix("exact", p, exact);
    if (approx) {
        print_matrix("approximate", p, approx);
        cli_print("spectral norm of the error %.6g (%zu frequencies, %s", error, info->frequencies,
                  cli_frequencies_word(info->scheme));
        if (info->scheme != ORFF_SCHEME_AUTO)
            cli_print(", drawn from %s", info->importance ? "|w|^2 mu" : "mu");
        cli_print_line(")");
    }
    return cli_check_stdout();
}

/* A field has as many outputs as inputs; any other kernel is shown with one output, or the number given by
 * --outputs. */
static int count_outputs(const cli_arguments *a, size_t d, size_t *p) {
    bool field;
    int status = cli_settings_is_field(a, &field);
    *p = field ? d : 1;
    if (!status && cli_given(a, CLI_OPT_PLAN_OUTPUTS))
        status = cli_size(a, CLI_OPT_PLAN_OUTPUTS, 1, 65536, p);
    return status;
}

static int evaluate(const cli_arguments *a, size_t d, const double *x, const double *z) {
    cli_settings s = {0};
    orff_data_shape shape = {.d = d, .fixed = true};
    orff_kernel *kernel = NULL;
    orff_features_info info = {0};
    const bool wanted = cli_given(a, cli_setting("features")) || cli_given(a, cli_setting("sampling")) ||
                        cli_given(a, cli_setting("frequencies"));
    int status = count_outputs(a, d, &shape.p);
    const size_t p = shape.p;
    double *exact = cli_more(NULL, 2 * p * p, sizeof *exact), *approx = wanted ? exact + p * p : NULL;
    if (!status) status = cli_settings_read(&s, a, &shape);
    if (!status && !s.settings.sampling.features)
        s.settings.sampling.features = orff_sampling_default().features;
    if (!status)
        status = cli_outcome(orff_kernel_create(&kernel, d, p, s.settings.n_parts, s.settings.parts), NULL);
    if (!status) status = cli_outcome(orff_kernel_eval(kernel, x, z, exact), NULL);
    if (!status && wanted) status = approximate(s.settings.sampling, kernel, x, z, approx, &info);
    if (!status) status = print_result(p, exact, approx, &info);
    orff_kernel_free(kernel);
    cli_settings_clear(&s);
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
    .summary = "print the kernel K(x,z), exactly and by features",
    .usage = "--kernel K --sigma S --x X1,..,Xd --z Z1,..,Zd",
    .text = "Prints K(x,z), a p x p matrix. If a part of the kernel is a field, p is the number of inputs; "
            "otherwise it is 1, or the number given by --outputs. With --features, --sampling or "
            "--frequencies it also prints the approximation by features, the distribution that their "
            "frequencies were drawn from, and the spectral norm of the error.",
    .example = "  orff kernel --kernel div-free --sigma 0.5 --x 0,0 --z 0.1,0.2 --features 1000\n",
    .least = 0,
    .most = 0,
    .bit = CLI_BIT(kernel),
    .uses = ORFF_USE_KERNEL | ORFF_USE_FEATURES,
    .run = run,
};
