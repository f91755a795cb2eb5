#include "result.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "coupling.h"
#include "notes.h"
#include "offsets.h"
#include "report.h"
#include "trend.h"

void cli_line_append(size_t room, char *line, const char *format, ...) {
    const size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, room - used, format, arguments);
    va_end(arguments);
}

json_t *cli_numbers(size_t count, const double *values) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, cli_number_or_null(values[i]));
    return list;
}

json_t *cli_number_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_text_or_shown(const char *text) {
    json_t *string = json_string(text);
    if (string) return string;
    char *shown = cli_more(NULL, 4 * strlen(text) + 1, 1);
    orff_text_show(shown, 4 * strlen(text) + 1, text);
    string = json_string(shown);
    free(shown);
    return string;
}

/* ---- parts */

/* The length scale of a part in its field's space; NAN if it differs between inputs. */
static double one_scale(const orff_model *model, const orff_notes *notes, const orff_part *part) {
    const size_t d = orff_model_describe(model).inputs;
    double sigma = NAN;
    if (!part->sigmas) return part->sigma;
    for (size_t i = 0; i < d; i++) {
        if (orff_notes_is_covariate(notes, i)) continue;
        if (!isnan(sigma) && fabs(part->sigmas[i] - sigma) > 1e-9 * sigma) return NAN;
        sigma = part->sigmas[i];
    }
    return sigma;
}

static json_t *list_json(size_t n, const double *values) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(values[i]));
    return list;
}

static json_t *scale_json(const orff_model *model, const orff_part *part) {
    const size_t d = orff_model_describe(model).inputs;
    bool same = true;
    for (size_t i = 1; part->sigmas && i < d; i++) same = same && part->sigmas[i] == part->sigmas[0];
    if (same) return json_real(part->sigmas ? part->sigmas[0] : part->sigma);
    return list_json(d, part->sigmas);
}

static json_t *delays_json(const orff_model_info *info, const double *delays) {
    json_t *rows = json_array();
    for (size_t k = 0; k < info->outputs; k++)
        json_array_append_new(rows, list_json(info->inputs, delays + k * info->inputs));
    return rows;
}

static json_t *part_json(const orff_model *model, size_t i) {
    const orff_model_info info = orff_model_describe(model);
    orff_part part;
    if (orff_model_part(model, i, &part)) return json_null();
    json_t *object = json_pack("{s:s, s:s, s:o, s:f}", "kernel", orff_rule_name(part.rule), "base",
                               orff_base_short_name(part.base, part.shape), "sigma", scale_json(model, &part),
                               "weight", part.weight);
    if (orff_rule_describe(part.rule).mixes) json_object_set_new(object, "mix", json_real(part.mix));
    if (part.wavelengths) json_object_set_new(object, "wavelength", list_json(info.inputs, part.wavelengths));
    if (part.delays) json_object_set_new(object, "delays", delays_json(&info, part.delays));
    if (info.shares) json_object_set_new(object, "share", json_real(info.shares[i]));
    json_t *matrix = cli_coupling_json(model, i);
    if (matrix) json_object_set_new(object, "output_matrix", matrix);
    return object;
}

/* "kernel", "base" and "sigma": of the only part, or joined and listed. */
static void set_kernel(json_t *object, const json_t *parts) {
    const size_t n = json_array_size(parts);
    cli_string kernel = {0};
    json_t *bases = json_array(), *sigmas = json_array();
    for (size_t i = 0; i < n; i++) {
        const json_t *part = json_array_get(parts, i);
        cli_append(&kernel, "%s%s", i ? "+" : "", json_string_value(json_object_get(part, "kernel")));
        json_array_append(bases, json_object_get(part, "base"));
        json_array_append(sigmas, json_object_get(part, "sigma"));
    }
    json_object_set_new(object, "kernel", json_string(kernel.text ? kernel.text : ""));
    json_object_set(object, "base", n == 1 ? json_array_get(bases, 0) : bases);
    json_object_set(object, "sigma", n == 1 ? json_array_get(sigmas, 0) : sigmas);
    json_decref(bases);
    json_decref(sigmas);
    free(kernel.text);
}

/* ---- in words */

static void append_share(cli_string *text, const orff_model *model, const orff_notes *notes, size_t i,
                         double share) {
    orff_part part;
    const char *units = orff_notes_length_units(notes);
    if (orff_model_part(model, i, &part)) return;
    cli_append(text, "%s%.0f %% %s", text->length ? ", " : "", 100.0 * share,
               orff_rule_describe(part.rule).words);
    const double sigma = one_scale(model, notes, &part);
    if (!isnan(sigma)) cli_append(text, " at %.3g%s%s", sigma, *units ? " " : "", units);
}

char *cli_result_words(const orff_model *model, const orff_notes *notes) {
    const orff_model_info info = orff_model_describe(model);
    cli_string text = {0};
    if (!info.shares) return NULL;
    bool *told = cli_more(NULL, info.parts, sizeof *told);
    memset(told, 0, info.parts * sizeof *told);
    for (size_t round = 0; round < info.parts; round++) {
        size_t largest = info.parts;
        for (size_t i = 0; i < info.parts; i++)
            if (!told[i] && (largest == info.parts || info.shares[i] > info.shares[largest])) largest = i;
        told[largest] = true;
        append_share(&text, model, notes, largest, info.shares[largest]);
    }
    cli_append(&text, ", %.0f %% noise", 100.0 * info.shares[info.parts]);
    free(told);
    return text.text;
}

/* ---- as a table */

static const char *output_name(const orff_notes *notes, size_t i, char text[24]) {
    const char *name = orff_notes_name(notes, ORFF_SIDE_OUTPUT, i);
    snprintf(text, 24, "y%zu", i + 1);
    return name ? name : text;
}

/* "0.1234", or "-" if unknown. */
static const char *root_text(double mse, char text[24]) {
    snprintf(text, 24, isfinite(mse) ? "%.5g" : "-", sqrt(mse));
    return text;
}

/* Titles of the columns of errors; NULL for columns that a fit does not have. */
typedef struct columns {
    const char *crossed, *held, *noise;
} columns;

/* Allocates nothing, as nothing may fail once the model is saved. */
static void say_columns(columns has, const char *name, const char *train, const char *cv, const char *held,
                        const char *noise, const char *units) {
    const char *const each[] = {train, has.crossed ? cv : NULL, has.held ? held : NULL,
                                has.noise ? noise : NULL};
    const int wide[] = {10, 16, 16, 10};
    char line[128] = "";
    size_t length = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (each[i])
            length += (size_t)snprintf(line + length, sizeof line - length, " %-*.30s", wide[i], each[i]);
    while (!units && length && line[length - 1] == ' ') line[--length] = '\0';
    cli_say("  %-18s%s%s%s", name, line, units ? " " : "", units ? units : "");
}

/* noise: a variance, as the other arguments are squares. */
static void say_error(columns has, const char *name, double train, double cv, double held, double noise,
                      const char *units) {
    char a[24], b[24], c[24], d[24];
    say_columns(has, name, root_text(train, a), root_text(cv, b), root_text(held, c), root_text(noise, d),
                units);
}

/* Whether held-out errors differ from the cross-validated ones: for features they are the same. */
static bool has_held_out(const orff_model_info *info) {
    return isfinite(info->held_out_mse) && info->held_out_rows > 0;
}

static void say_outputs(const cli_result *r, const orff_model_info *info, columns has) {
    const size_t most = 20, count = info->classes ? 0 : info->outputs;
    char text[24];
    for (size_t i = 0; i < count && i < most; i++)
        say_error(has, output_name(r->notes, i, text), info->output_train_mse[i],
                  info->output_cv_mse ? info->output_cv_mse[i] : NAN,
                  info->output_held_out_mse ? info->output_held_out_mse[i] : NAN,
                  info->noise ? info->noise[i] * info->noise[i] : NAN,
                  orff_notes_units(r->notes, ORFF_SIDE_OUTPUT, i));
    if (count > most) cli_say("  (and %zu more outputs)", count - most);
    has.noise = NULL;
    if (count != 1)
        say_error(has, info->classes ? "of the codes" : "all", info->train_mse, info->cv_mse,
                  info->held_out_mse, NAN, NULL);
}

static void say_errors(const cli_result *r, const orff_model_info *info) {
    const bool on_folds = isfinite(info->held_out_mse) && !has_held_out(info);
    char held[40], crossed[40];
    snprintf(held, sizeof held, "%s held out", orff_folds_name(info->folds));
    snprintf(crossed, sizeof crossed, on_folds ? "folds by %s" : "cross-validated",
             info->folds == ORFF_FOLDS_RANDOM ? "rows" : orff_folds_name(info->folds));
    const columns has = {isfinite(info->cv_mse) ? crossed : NULL, has_held_out(info) ? held : NULL,
                         info->noise ? "noise" : NULL};
    say_columns(has, "RMSE", "training", crossed, held, "noise", NULL);
    say_outputs(r, info, has);
    if (has_held_out(info))
        cli_say("  95 %% intervals     contain %.0f %% of %zu rows held out, in %zu %s",
                100.0 * info->held_out_coverage[2], info->held_out_rows, info->held_out_blocks,
                orff_folds_name(info->folds));
}

static void say_trend(const cli_result *r, const orff_model_info *info) {
    const size_t most = 20;
    char line[CLI_TREND_LINE], name[24];
    if (!info->trend_terms) return;
    cli_trend_words(r->model, r->notes, line);
    cli_say("  trend              %s", line);
    for (size_t k = 0; k < info->outputs && k < most; k++) {
        cli_trend_line(r->model, r->notes, k, line);
        cli_say("  %-18s %s", output_name(r->notes, k, name), line);
    }
    if (info->outputs > most) cli_say("  (and %zu more outputs)", info->outputs - most);
}

static void say_offsets(const cli_result *r, const orff_model_info *info) {
    char line[CLI_OFFSETS_LINE];
    if (!info->offsets) return;
    cli_offsets_words(r->model, line);
    cli_say("  offsets            %s", line);
    for (size_t i = 0; i < info->offsets && i < CLI_OFFSETS_SHOWN; i++) {
        cli_offsets_line(r->model, r->notes, i, line);
        cli_say("    %s", line);
    }
    if (info->offsets > CLI_OFFSETS_SHOWN)
        cli_say("    (and %zu more groups: see orff info --json)", info->offsets - CLI_OFFSETS_SHOWN);
}

const char *cli_layers_words(const orff_model_info *info, char text[CLI_LAYERS_ROOM]) {
    size_t used = (size_t)snprintf(text, CLI_LAYERS_ROOM, "%zu", info->inputs);
    for (size_t l = 0; l < info->hidden_layers && used < CLI_LAYERS_ROOM; l++)
        used += (size_t)snprintf(text + used, CLI_LAYERS_ROOM - used, " -> %zu", info->hidden_widths[l]);
    if (used < CLI_LAYERS_ROOM)
        snprintf(text + used, CLI_LAYERS_ROOM - used, " -> %zu, %zu coefficients", info->code_length,
                 info->parameters);
    return text;
}

/* For each part that couples outputs. */
static void say_coupling(const cli_result *r, const orff_model_info *info) {
    char line[CLI_COUPLING_LINE], name[24];
    for (size_t i = 0; i < info->parts; i++) {
        if (!cli_coupling_joins(r->model, i)) continue;
        if (info->parts > 1)
            cli_say("  output matrix %-4zu size       correlations", i + 1);
        else
            cli_say("  output matrix      size       correlations");
        for (size_t k = 0; k < info->outputs; k++) {
            cli_coupling_line(r->model, i, k, line);
            cli_say("  %-18s %s", output_name(r->notes, k, name), line);
        }
    }
}

void cli_result_say(const cli_result *r, const char *words) {
    const orff_model_info info = orff_model_describe(r->model);
    char layers[CLI_LAYERS_ROOM];
    if (words) cli_say("found: %s", words);
    cli_say("  rows               %" PRIu64 " used, %" PRIu64 " dropped", info.rows, r->dropped);
    cli_say("  kernel             %s", info.kernel);
    if (info.left_out > 0.0)
        cli_say(
            "  chosen by          rows left out, where the kernel of most evidence has errors %.3g times as "
            "large",
            info.left_out);
    cli_say("  engine             %s%s%s", orff_engine_name(info.engine), *info.engine_reason ? ": " : "",
            info.engine_reason);
    if (info.engine == ORFF_ENGINE_LATTICE)
        cli_say("  lattice            %zu waves, %zu coefficients", info.frequencies, info.parameters);
    else if (!info.frequencies)
        cli_say("  features           none: the %s kernel, %zu coefficients", orff_engine_name(info.engine),
                info.parameters);
    else
        cli_say("  frequencies        %zu (%s, seed %" PRIu64 "), %zu coefficients", info.frequencies,
                cli_frequencies_word(info.scheme), info.seed, info.parameters);
    if (info.hidden_layers) cli_say("  layers             %s", cli_layers_words(&info, layers));
    cli_say("  lambda             %.4g", info.lambda);
    cli_say("  solver             %s%s", info.solve.method, info.solve.converged ? "" : ", did not converge");
    say_trend(r, &info);
    say_offsets(r, &info);
    say_errors(r, &info);
    say_coupling(r, &info);
    cli_say("  time               %.2f s", r->seconds);
    cli_say("  written            %s", r->path);
    if (info.warnings) cli_warn("%s", info.warning);
}

/* ---- as JSON */

/* Errors on held-out rows; "folds" says which. */
static void set_held_out(json_t *object, const orff_model_info *info) {
    const bool known = isfinite(info->held_out_mse);
    json_object_set_new(object, "folds", known ? json_string(orff_folds_name(info->folds)) : json_null());
    json_object_set_new(object, "held_out_rmse", cli_number_or_null(sqrt(info->held_out_mse)));
    if (!info->held_out_rows) return;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) {
        char key[40];
        snprintf(key, sizeof key, "held_out_coverage_%.0f", 100.0 * orff_scores_level(i));
        json_object_set_new(object, key, cli_number_or_null(info->held_out_coverage[i]));
    }
    json_object_set_new(object, "held_out_rows", json_integer((json_int_t)info->held_out_rows));
    json_object_set_new(object, "held_out_blocks", json_integer((json_int_t)info->held_out_blocks));
}

static json_t *output_json(const cli_result *r, const orff_model_info *info, size_t i) {
    char text[24];
    return json_pack(
        "{s:s, s:o, s:o, s:o}", "name", output_name(r->notes, i, text), "train_rmse",
        cli_number_or_null(sqrt(info->output_train_mse[i])), "cv_rmse",
        cli_number_or_null(info->output_cv_mse ? sqrt(info->output_cv_mse[i]) : NAN), "held_out_rmse",
        cli_number_or_null(info->output_held_out_mse ? sqrt(info->output_held_out_mse[i]) : NAN));
}

static void set_errors(json_t *object, const cli_result *r, const orff_model_info *info) {
    json_t *outputs = json_array(), *noise = json_array();
    json_object_set_new(object, "train_rmse", cli_number_or_null(sqrt(info->train_mse)));
    json_object_set_new(object, "cv_rmse", cli_number_or_null(sqrt(info->cv_mse)));
    set_held_out(object, info);

    json_object_set_new(object, "dof", cli_number_or_null(info->dof));
    json_object_set_new(object, "log_evidence", cli_number_or_null(info->log_evidence));
    for (size_t i = 0; !info->classes && i < info->outputs; i++) {
        json_array_append_new(noise, cli_number_or_null(info->noise[i]));
        json_array_append_new(outputs, output_json(r, info, i));
    }
    json_object_set_new(object, "per_output", outputs);
    json_object_set_new(object, "noise", noise);
}

/* Names of a model's warnings, for programs. */
static json_t *warning_names(unsigned warnings) {
    static const struct {
        unsigned flag;
        const char *name;
    } list[] = {
        {ORFF_WARN_INFINITE_VARIANCE, "infinite_variance"},
        {ORFF_WARN_EXTENT_GUESSED, "extent_guessed"},
        {ORFF_WARN_UNREACHED, "unreached"},
        {ORFF_WARN_BAND_LIMIT, "band_limit"},
        {ORFF_WARN_LAMBDA_AT_END, "lambda_at_end"},
        {ORFF_WARN_FEW_FEATURES, "few_features"},
        {ORFF_WARN_WILD, "wild"},
        {ORFF_WARN_COVERAGE, "coverage"},
        {ORFF_WARN_OUTLIERS, "outliers"},
        {ORFF_WARN_REPEATED, "repeated"},
        {ORFF_WARN_MEAN, "mean"},
    };
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (warnings & list[i].flag) json_array_append_new(names, json_string(list[i].name));
    return names;
}

static json_t *hidden_json(const orff_model_info *info) {
    json_t *widths = json_array();
    for (size_t l = 0; l < info->hidden_layers; l++)
        json_array_append_new(widths, json_integer((json_int_t)info->hidden_widths[l]));
    return widths;
}

const char *cli_frequencies_word(orff_scheme scheme) {
    return scheme == ORFF_SCHEME_AUTO ? "own" : orff_scheme_name(scheme);
}

json_t *cli_result_json(const cli_result *r) {
    const orff_model_info info = orff_model_describe(r->model);
    json_t *parts = json_array();
    for (size_t i = 0; i < info.parts; i++) json_array_append_new(parts, part_json(r->model, i));
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:I}", "n", (json_int_t)info.rows, "dropped", (json_int_t)r->dropped, "d",
                  (json_int_t)info.inputs, "p", (json_int_t)info.outputs);
    set_kernel(object, parts);
    json_object_set_new(object, "parts", parts);
    if (info.shares) json_object_set_new(object, "noise_share", json_real(info.shares[info.parts]));
    char *words = cli_result_words(r->model, r->notes);
    if (words) json_object_set_new(object, "found", json_string(words));
    free(words);
    if (info.classes) json_object_set_new(object, "classes", json_integer((json_int_t)info.classes));
    json_t *rest = json_pack(
        "{s:f, s:I, s:I, s:s, s:I, s:s, s:b, s:I, s:s, s:b}", "lambda", info.lambda, "features",
        (json_int_t)info.frequencies, "parameters", (json_int_t)info.parameters, "sampling",
        !info.frequencies || info.engine == ORFF_ENGINE_LATTICE ? "none" : cli_frequencies_word(info.scheme),
        "seed", (json_int_t)info.seed, "solver", info.solve.method, "converged", info.solve.converged,
        "iterations", (json_int_t)info.solve.iterations, "precision", info.single ? "single" : "double",
        "posterior", info.has_posterior);
    json_object_update_missing(object, rest);
    json_decref(rest);
    json_object_set_new(object, "engine", json_string(orff_engine_name(info.engine)));
    json_object_set_new(object, "engine_reason", json_string(info.engine_reason));
    if (info.hidden_layers) json_object_set_new(object, "stack", hidden_json(&info));
    if (info.left_out > 0.0) json_object_set_new(object, "left_out", json_real(info.left_out));
    if (isfinite(info.kernel_error))
        json_object_set_new(object, "kernel_error", json_real(info.kernel_error));
    if (r->seconds > 0.0) json_object_set_new(object, "seconds", json_real(r->seconds));
    if (info.trend_terms) json_object_set_new(object, "trend", cli_trend_json(r->model, r->notes));
    double norm2;
    if (info.engine == ORFF_ENGINE_EXACT && !orff_model_norm2(r->model, &norm2))
        json_object_set_new(object, "norm2", cli_number_or_null(norm2));
    if (isfinite(info.error_share)) json_object_set_new(object, "error_share", json_real(info.error_share));
    if (info.instruments)
        json_object_set_new(object, "instrument_noise", cli_numbers(info.instruments, info.instrument_noise));
    if (info.offsets) json_object_set_new(object, "offsets", cli_offsets_json(r->model, r->notes));
    set_errors(object, r, &info);
    json_object_set_new(object, "warnings", warning_names(info.warnings));
    if (info.warnings) json_object_set_new(object, "warning", json_string(info.warning));
    if (r->path) json_object_set_new(object, "model", cli_text_or_shown(r->path));
    return object;
}
