/* Writes predictions to a file: of this process, or of all processes that share the rows. */
#include "predict.h"

#include <inttypes.h>
#include <stdlib.h>

#include "history.h"
#include "report.h"
#include "result.h"

static int put_rows(void *output, size_t n, const double *rows) {
    return fmt_output_write(output, n, rows) ? cli_failed("%s", fmt_output_error(output)) : CLI_DONE;
}

static int write_block(const cli_prediction *j, fmt_output *output, size_t n, const double *rows) {
    return cli_predict_shared ? cli_predict_shared->write(n, j->width, rows) : put_rows(output, n, rows);
}

/* Of how many points this process has all, as far as is known. */
static double expected(const cli_prediction *j) {
    return j->lattice.rows ? (double)(j->rows + (j->last - j->next)) : cli_data_expected(&j->data);
}

static int fill_block(cli_prediction *j, size_t n, const double *X, double *values, double *rows) {
    const size_t fields = 1 + j->n_derived, calls = fields + j->with_std + j->with_noise +
                                                    (cli_prediction_has_errors(j) ? j->n_derived : 0);
    const double more = j->lattice.rows ? (double)n : 0.0; /* the next point is behind the block already */
    cli_progress_block("predicting", (double)j->rows, (double)n, expected(j) + more,
                       j->sampling ? fields : calls);
    const int status = cli_prediction_fill(j, n, X, values, rows);
    cli_progress_block(NULL, 0.0, 0.0, 0.0, 1);
    return status;
}

static int run_blocks(cli_prediction *j, fmt_output *output) {
    const size_t block = cli_prediction_block(j), each = j->sampling ? j->count : 1;
    double *X = cli_more(NULL, block * j->applied.info.inputs, sizeof *X);
    double *values = cli_more(NULL, block * each * (j->width + j->applied.p), sizeof *values);
    double *rows = cli_more(NULL, block * each * j->width, sizeof *rows);
    size_t n = 1;
    int status = CLI_DONE;
    while (n && !status) {
        status = cli_prediction_next(j, X, &n);
        if (!status && n) status = fill_block(j, n, X, values, rows);
        if (!status && n) status = write_block(j, output, n * each, rows);
        j->rows += n;
    }
    free(X);
    free(values);
    free(rows);
    return status;
}

static char *result_json(const cli_prediction *j, double seconds) {
    json_t *columns = json_array();
    for (size_t i = 0; i < j->width; i++) json_array_append_new(columns, json_string(j->names[i]));
    json_t *all = json_pack("{s:I, s:I, s:o, s:f, s:o}", "n", (json_int_t)j->rows, "dropped",
                            (json_int_t)j->dropped, "columns", columns, "seconds", seconds, "output",
                            cli_text_or_shown(cli_text(j->arguments, CLI_OPT_OUTPUT)));
    if (j->coast.given) json_object_set_new(all, "on_land", json_integer((json_int_t)j->on_land));
    if (j->count) json_object_set_new(all, "samples", json_integer((json_int_t)j->count));
    if (j->masking) json_object_set_new(all, "masked", json_integer((json_int_t)j->masked));
    return cli_json_text(all);
}

/* Without `output` the file was written by all processes, or belongs to another process. */
static int finish_file(const cli_prediction *j, fmt_output *output) {
    if (cli_predict_shared && cli_predict_shared->in_place(cli_text(j->arguments, CLI_OPT_OUTPUT)))
        return cli_predict_shared->finish(CLI_DONE);
    const int status =
        output && fmt_output_finish(output) ? cli_failed("%s", fmt_output_error(output)) : CLI_DONE;
    return cli_predict_shared ? cli_predict_shared->agree(status) : status;
}

/* Makes the text for the user before the file is renamed into place: see cli_json_text. */
static int finish(const cli_prediction *j, fmt_output *output, double start) {
    const double seconds = cli_seconds() - start;
    char *text = cli_wants_json() ? result_json(j, seconds) : NULL;
    const int status = finish_file(j, output);
    if (status) {
        free(text);
        return status;
    }
    if (j->coast.given)
        cli_say("%" PRIu64 " of %" PRIu64 " points are on land and have no values", j->on_land, j->rows);
    if (j->sampling)
        cli_say("%zu samples at %" PRIu64 " points, %" PRIu64 " dropped, %.2f s: %s", j->count, j->rows,
                j->dropped, seconds, cli_text(j->arguments, CLI_OPT_OUTPUT));
    else
        cli_say("%" PRIu64 " rows predicted, %" PRIu64 " dropped, %.2f s: %s", j->rows, j->dropped, seconds,
                cli_text(j->arguments, CLI_OPT_OUTPUT));
    if (j->masking) cli_say("%" PRIu64 " of %" PRIu64 " points are masked", j->masked, j->rows);
    return cli_wants_json() ? cli_print_text(text) : CLI_DONE;
}

/* The shape of the Earth in the model: WGS 84 for a coordinate system, a sphere for the local plane. */
static const fmt_output_earth *earth_of(const cli_prediction *j) {
    static const fmt_output_earth sphere = {6371008.8, 0.0}, wgs84 = {6378137.0, 298.257223563};
    if (!j->applied.info.on_plane) return NULL;
    return *j->applied.info.plane.crs ? &wgs84 : &sphere;
}

/* Describes the plane that a model in degrees was learned on. */
static char *comment_of(const cli_prediction *j) {
    const orff_plane *plane = &j->applied.info.plane;
    cli_string text = {0};
    if (!j->applied.info.on_plane) return NULL;
    if (*plane->crs)
        cli_append(&text, "learned on the plane of %s", plane->crs);
    else
        cli_append(&text, "learned on an azimuthal equidistant plane at %.4f E %.4f N", plane->lon,
                   plane->lat);
    return text.text;
}

/* Sums the counts over all processes that share the rows. */
static void add_counts(cli_prediction *j) {
    uint64_t *const counts[] = {&j->rows, &j->dropped, &j->masked, &j->on_land};
    for (size_t i = 0; cli_predict_shared && i < 4; i++) *counts[i] = cli_predict_shared->sum(*counts[i]);
}

/* Each process writes its rows to their place in one file. */
static int write_in_place(cli_prediction *j, double start) {
    uint64_t rows = 0;
    int status = CLI_DONE;
    if (j->lattice.rows) {
        cli_predict_shared->divide(j->lattice.rows, &j->next, &j->last);
        rows = j->last - j->next;
    } else {
        status = cli_predict_shared->count(&j->data, &rows);
    }
    if (!status) status = cli_predict_shared->open(cli_text(j->arguments, CLI_OPT_OUTPUT), rows, j->width);
    if (status) return status;
    status = run_blocks(j, NULL);
    j->dropped = cli_data_dropped(&j->data);
    if (!status) status = cli_predict_shared->agree(CLI_DONE);
    if (status) return cli_predict_shared->finish(status);
    add_counts(j);
    return finish(j, NULL, start);
}

/* In each turn, every process computes a part of the rows. */
static int run_turns(cli_prediction *j, fmt_output *output) {
    int status = CLI_DONE;
    while (!status && cli_predict_shared->turn(&j->data, j->lattice.rows, &j->next, &j->last)) {
        status = run_blocks(j, NULL);
        j->dropped += cli_data_dropped(&j->data);
        status = cli_predict_shared->gather(status, put_rows, output, j->width);
    }
    if (!status) add_counts(j);
    return status;
}

static int run_alone(cli_prediction *j, fmt_output *output) {
    const int status = run_blocks(j, output);
    j->dropped = cli_data_dropped(&j->data);
    return status;
}

static int write_all(cli_prediction *j, double start) {
    fmt_output *output = NULL;
    char *history = cli_history(j->arguments), *comment = comment_of(j);
    const fmt_output_options options = {.n_columns = j->width,
                                        .columns = j->columns,
                                        .shortest = true,
                                        .history = history,
                                        .comment = comment,
                                        .earth = earth_of(j)};
    const bool writes = !cli_predict_shared || cli_predict_shared->first();
    int status = CLI_DONE;
    if (writes && fmt_output_open(&output, cli_text(j->arguments, CLI_OPT_OUTPUT), &options))
        status = cli_failed("%s", fmt_output_error(output));
    if (cli_predict_shared) status = cli_predict_shared->agree(status);
    if (!status) status = (cli_predict_shared ? run_turns : run_alone)(j, output);
    if (!status) status = finish(j, output, start);
    fmt_output_close(output);
    free(history);
    free(comment);
    return status;
}

int cli_prediction_write(cli_prediction *j, double start) {
    const char *path = cli_text(j->arguments, CLI_OPT_OUTPUT);
    return cli_predict_shared && cli_predict_shared->in_place(path) ? write_in_place(j, start)
                                                                    : write_all(j, start);
}
