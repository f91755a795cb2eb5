/* orff evaluate: the errors of a model on data. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "commands.h"
#include "data.h"
#include "report.h"
#include "result.h"

#define BLOCK 4096

/* Sums over rows, for each output; Welford's update keeps the spread of y exact to rounding. */
typedef struct sums {
    size_t p;
    uint64_t n, wrong;
    double *error, *mean, *spread; /* p: sum (f - y)^2, mean of y, sum (y - mean)^2 */
} sums;

static sums make_sums(size_t p) {
    sums s = {.p = p};
    s.error = cli_more(NULL, 3 * p, sizeof *s.error);
    memset(s.error, 0, 3 * p * sizeof *s.error);
    s.mean = s.error + p;
    s.spread = s.mean + p;
    return s;
}

static void add_rows(sums *s, size_t n, const double *F, const double *Y) {
    for (size_t i = 0; i < n; i++) {
        s->n++;
        for (size_t k = 0; k < s->p; k++) {
            const double y = Y[i * s->p + k], error = F[i * s->p + k] - y, step = y - s->mean[k];
            s->error[k] += error * error;
            s->mean[k] += step / (double)s->n;
            s->spread[k] += step * (y - s->mean[k]);
        }
    }
}

static int add_block(sums *s, const cli_applied *ap, size_t n, const double *X, const double *Y, double *F,
                     size_t *labels) {
    if (!ap->info.classes) {
        const int status = cli_applied_predict(ap, n, X, F);
        if (!status) add_rows(s, n, F, Y);
        return status;
    }
    const int status = cli_outcome(orff_model_classify(ap->model, n, X, labels), NULL);
    for (size_t i = 0; !status && i < n; i++) s->wrong += labels[i] != (size_t)Y[i];
    s->n += status ? 0 : n;
    return status;
}

static int sweep(sums *s, const cli_applied *ap, cli_data *data) {
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X), *Y = cli_more(NULL, BLOCK * data->p, sizeof *Y);
    double *F = cli_more(NULL, BLOCK * ap->p, sizeof *F);
    size_t *labels = cli_more(NULL, BLOCK, sizeof *labels), n = 1;
    int status = CLI_DONE;
    while (n && !status) {
        status = cli_data_read(data, BLOCK, X, Y, &n);
        if (!status && n) status = add_block(s, ap, n, X, Y, F, labels);
    }
    free(X);
    free(Y);
    free(F);
    free(labels);
    return status ? status
           : s->n ? CLI_DONE
                  : cli_failed("%s: there are no rows", fmt_table_path(data->table));
}

/* ---- output */

static json_t *scores(double error, double spread, double count) {
    return json_pack("{s:o, s:o, s:o}", "rmse", cli_number_or_null(sqrt(error / count)), "mse",
                     cli_number_or_null(error / count), "r2",
                     cli_number_or_null(spread > 0.0 ? 1.0 - error / spread : NAN));
}

static json_t *regression(const sums *s, const orff_notes *notes) {
    json_t *list = json_array();
    double error = 0.0, spread = 0.0;
    for (size_t k = 0; k < s->p; k++) {
        const char *name = orff_notes_name(notes, ORFF_SIDE_OUTPUT, k);
        json_t *entry = scores(s->error[k], s->spread[k], (double)s->n);
        json_object_set_new(entry, "name", name ? json_string(name) : json_null());
        json_array_append_new(list, entry);
        error += s->error[k];
        spread += s->spread[k];
    }
    json_t *object = scores(error, spread, (double)s->n * (double)s->p);
    json_object_set_new(object, "per_output", list);
    return object;
}

static void print_line(const char *name, const json_t *entry) {
    const json_t *r2 = json_object_get(entry, "r2");
    cli_print("%-16s %12.6g %12.6g ", name, json_real_value(json_object_get(entry, "rmse")),
              json_real_value(json_object_get(entry, "mse")));
    if (json_is_real(r2))
        cli_print_line("%10.5f", json_real_value(r2));
    else
        cli_print_line("%10s", "-");
}

static void print_table(const json_t *object) {
    const json_t *list = json_object_get(object, "per_output");
    cli_print_line("%-16s %12s %12s %10s", "output", "rmse", "mse", "r2");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *entry = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(entry, "name"));
        char made[24];
        snprintf(made, sizeof made, "y%zu", k + 1);
        print_line(name ? name : made, entry);
    }
    print_line("all", object);
}

static int print_result(const sums *s, const cli_applied *ap, const cli_data *data) {
    const uint64_t dropped = fmt_table_dropped(data->table);
    json_t *object = ap->info.classes ? json_object() : regression(s, ap->notes);
    const double rate = (double)s->wrong / (double)s->n;
    json_object_set_new(object, "n", json_integer((json_int_t)s->n));
    json_object_set_new(object, "dropped", json_integer((json_int_t)dropped));
    if (ap->info.classes) json_object_set_new(object, "error_rate", json_real(rate));
    cli_say("%" PRIu64 " rows, %" PRIu64 " dropped", s->n, dropped);
    if (cli_wants_json()) return cli_print_json(object);
    if (ap->info.classes)
        cli_print_line("error rate %.5f (%" PRIu64 " of %" PRIu64 ")", rate, s->wrong, s->n);
    else
        print_table(object);
    json_decref(object);
    return cli_check_stdout();
}

static int run(const cli_arguments *a) {
    cli_applied ap;
    cli_data data = {0};
    sums s = {0};
    int status = cli_applied_load(&ap, a->words[0]);
    if (!status) status = cli_data_apply(&data, a, 1, ap.notes, ap.info.inputs, ap.info.outputs, true);
    if (!status) {
        s = make_sums(ap.info.outputs);
        status = sweep(&s, &ap, &data);
    }
    if (!status) status = print_result(&s, &ap, &data);
    free(s.error);
    cli_data_close(&data);
    cli_applied_clear(&ap);
    return status;
}

const cli_command cli_command_evaluate = {
    .name = "evaluate",
    .summary = "print the errors of a model on data it has not seen",
    .usage = "MODEL DATA",
    .text = "Prints the root mean square error, the mean square error and R squared of each output "
            "and of all together, or the error rate for classes. Columns are found by the names that "
            "the model remembers.",
    .example = "  orff evaluate wind.orff held_out.csv\n",
    .least = 2,
    .most = 3,
    .bit = CLI_BIT(evaluate),
    .run = run,
};
