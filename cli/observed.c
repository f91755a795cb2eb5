#include "observed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

bool cli_observes(const cli_arguments *a) {
    return cli_serves(CLI_OPT_MISSING_OUTPUTS, a->command);
}

/* ---- options */

static int choose_missing(cli_observed *o, const cli_arguments *a) {
    const char *asked = cli_text(a, CLI_OPT_MISSING_OUTPUTS);
    const bool use = !strcmp(asked, "use");
    o->drops = !strcmp(asked, "drop");
    if (!use && !o->drops && strcmp(asked, "refuse"))
        return cli_wrong(a, CLI_OPT_MISSING_OUTPUTS, "must be use, drop or refuse");
    if (use && !cli_given(a, CLI_OPT_SKIP_MISSING) && !cli_given(a, CLI_OPT_CLASSIFY)) o->optional = SIZE_MAX;
    return CLI_DONE;
}

/* The number of columns that an option names; 0 if it is not given. */
static int count_columns(const cli_arguments *a, const cli_data *data, cli_option_id id, size_t *count) {
    *count = 0;
    if (!cli_given(a, id)) return CLI_DONE;
    if (!fmt_table_count_columns(data->table, cli_own_options[id].name, cli_text(a, id), count))
        return CLI_DONE;
    cli_failed("%s", fmt_table_error(data->table));
    return CLI_USAGE;
}

static int check_direction(const cli_observed *o, const cli_arguments *a, size_t outputs) {
    if (!o->direction) {
        if (cli_given(a, CLI_OPT_DIRECTION_FROM) || cli_given(a, CLI_OPT_DIRECTION_SENSE))
            return cli_wrong_usage(a->command, "--direction is missing: which column contains the "
                                               "direction?");
        return CLI_DONE;
    }
    if (outputs != 1)
        return cli_wrong(a, CLI_OPT_DIRECTION,
                         "needs a single output column, the component of the field "
                         "along it");
    if (cli_given(a, CLI_OPT_CLASSIFY)) return cli_wrong(a, CLI_OPT_DIRECTION, "is not for classes");
    if (o->direction > 1 && cli_given(a, CLI_OPT_DIRECTION_FROM))
        return cli_wrong(a, CLI_OPT_DIRECTION_FROM, "is for an angle, but --direction names components");
    return CLI_DONE;
}

static int check_errors(const cli_observed *o, const cli_arguments *a, size_t outputs) {
    if (o->errors <= 1 || o->errors == outputs) return CLI_DONE;
    return cli_wrong(a, CLI_OPT_ERRORS, "needs one column for each output, or one for all");
}

static bool is_one_of(const char *text, const char *one, const char *other) {
    return !strcmp(text, one) || !strcmp(text, other);
}

static int check_words(const cli_arguments *a) {
    if (!is_one_of(cli_text(a, CLI_OPT_DIRECTION_FROM), "east", "north"))
        return cli_wrong(a, CLI_OPT_DIRECTION_FROM, "must be east or north");
    if (!is_one_of(cli_text(a, CLI_OPT_DIRECTION_SENSE), "away", "toward"))
        return cli_wrong(a, CLI_OPT_DIRECTION_SENSE, "must be away or toward");
    return CLI_DONE;
}

static char *join(const cli_arguments *a) {
    static const cli_option_id ids[] = {CLI_OPT_OUTPUTS, CLI_OPT_DIRECTION, CLI_OPT_ERRORS};
    cli_string text = {0};
    for (size_t i = 0; i < 3; i++)
        if (cli_given(a, ids[i])) cli_append(&text, "%s%s", text.length ? "," : "", cli_text(a, ids[i]));
    return text.text;
}

int cli_observed_read(cli_observed *o, const cli_arguments *a, const cli_data *data, bool pair) {
    size_t outputs;
    if (!cli_observes(a)) return CLI_DONE;
    int status = choose_missing(o, a);
    if (!status) status = check_words(a);
    if (!status && pair && (cli_given(a, CLI_OPT_DIRECTION) || cli_given(a, CLI_OPT_ERRORS)))
        return cli_wrong_usage(a->command,
                               "--direction and --errors name columns of a table; a pair of files has none");
    if (status || pair) return status;
    status = count_columns(a, data, CLI_OPT_OUTPUTS, &outputs);
    if (!status) status = count_columns(a, data, CLI_OPT_DIRECTION, &o->direction);
    if (!status) status = count_columns(a, data, CLI_OPT_ERRORS, &o->errors);
    if (!status) status = check_direction(o, a, outputs);
    if (!status) status = check_errors(o, a, outputs);
    if (status || (!o->direction && !o->errors)) return status;
    o->outputs = !o->direction ? outputs : o->direction == 1 ? 2 : o->direction;
    if (o->optional) o->optional = outputs;
    if (o->errors) o->companions = outputs + o->direction;
    o->columns = join(a);
    return CLI_DONE;
}

void cli_observed_clear(cli_observed *o) {
    free(o->columns);
    o->columns = NULL;
}

/* ---- rows */

/* Copies column `from` of rows of y to column `to` of another array. */
static void move_column(const cli_data *data, size_t n, const double *raw, size_t from, double *out,
                        size_t stride, size_t to) {
    for (size_t i = 0; i < n; i++) out[i * stride + to] = raw[i * data->columns + from];
}

static void split_direction(const cli_data *data, size_t n, const double *raw, double *directions) {
    const cli_layout *l = &data->layout;
    if (l->direction == 1) {
        double *angles = cli_more(NULL, n, sizeof *angles);
        move_column(data, n, raw, l->numbers, angles, 1, 0);
        orff_directions(n, angles, l->north, l->toward, directions);
        free(angles);
        return;
    }
    for (size_t k = 0; k < data->p; k++) move_column(data, n, raw, l->numbers + k, directions, data->p, k);
    for (size_t i = 0; l->toward && i < n * data->p; i++) directions[i] *= -1.0;
}

/* Distributes rows as they are in the file (n x columns) to their arrays; Y may be the source itself. */
static void split_rows(const cli_data *data, size_t n, const double *raw, double *Y, double *directions,
                       double *errors) {
    const cli_layout *l = &data->layout;
    if (directions) split_direction(data, n, raw, directions);
    for (size_t k = 0; errors && k < l->numbers; k++)
        move_column(data, n, raw, l->numbers + l->direction + (l->errors == 1 ? 0 : k), errors, l->numbers,
                    k);
    for (size_t i = 0; i < n; i++)
        memmove(Y + i * l->numbers, raw + i * data->columns, l->numbers * sizeof *Y);
}

/* Tells the user the numbers of the instruments. */
static void say_instruments(const cli_data *data, size_t count, const uint64_t *met) {
    cli_string text = {0};
    for (size_t k = 0; k < count; k++) {
        char name[64];
        fmt_table_group_name(data->table, met[k], name, sizeof name);
        cli_append(&text, "%s%zu %s", k ? ", " : "", k + 1, name);
    }
    cli_say("instruments: %s", text.text);
    free(text.text);
}

/* Numbers the cells from 0, in order of appearance. */
static int count_instruments(const cli_arguments *a, cli_data *data) {
    uint64_t met[ORFF_INSTRUMENTS];
    uint32_t count = 0;
    data->instruments = cli_more(NULL, data->n, sizeof *data->instruments);
    for (size_t i = 0; i < data->n; i++) {
        uint32_t k = 0;
        while (k < count && met[k] != data->instrument_cells[i]) k++;
        if (k == ORFF_INSTRUMENTS)
            return cli_wrong(a, CLI_OPT_NOISE_BY, "has more than %d different values", ORFF_INSTRUMENTS);
        if (k == count) met[count++] = data->instrument_cells[i];
        data->instruments[i] = k;
    }
    say_instruments(data, count, met);
    return CLI_DONE;
}

static int need_all(const cli_data *data, const char *what, bool sums) {
    return cli_failed("%s: %s needs all rows in memory; raise --memory%s", fmt_table_path(data->table), what,
                      sums ? ", or use orff fit, which sums them up in one pass" : "");
}

/* Fails for what needs all rows in memory, except for moments. */
static int check_memory(const cli_observed *o, const cli_arguments *a, cli_data *data) {
    const bool sums = a->command->bit & (CLI_BIT(moments) | CLI_BIT(fit));
    if (data->whole) return CLI_DONE;
    if (data->instrument_cells) return need_all(data, "--noise-by", false);
    if (!sums && o->direction) return need_all(data, "--direction", true);
    if (!sums && o->errors) return need_all(data, "--errors", true);
    if (!sums && fmt_table_partial(data->table))
        return need_all(data, "using rows with missing outputs (--missing-outputs use)", true);
    if (!data->layout.observed) fmt_table_require_outputs(data->table);
    return CLI_DONE;
}

/* Whether later rows may miss outputs, though none of those held does: sums must then be made for such
 * rows from the start. A fit reads complete rows as a stream unless told otherwise. */
static bool expects_missing(const cli_observed *o, const cli_arguments *a, const cli_data *data) {
    const bool fits = a->command->bit & CLI_BIT(fit) && !data->whole && cli_given(a, CLI_OPT_MISSING_OUTPUTS);
    return (a->command->bit & CLI_BIT(moments) || fits) && o->optional &&
           !cli_given(a, cli_setting("checkpoint"));
}

static void lay_out(const cli_observed *o, const cli_arguments *a, cli_data *data) {
    if (o->outputs) data->p = o->outputs;
    data->layout = (cli_layout){.numbers = o->direction ? 1 : data->p,
                                .direction = o->direction,
                                .errors = o->errors,
                                .north = !strcmp(cli_text(a, CLI_OPT_DIRECTION_FROM), "north"),
                                .toward = !strcmp(cli_text(a, CLI_OPT_DIRECTION_SENSE), "toward"),
                                .observed = o->direction || o->errors || fmt_table_partial(data->table) ||
                                            expects_missing(o, a, data)};
}

int cli_observed_split(const cli_observed *o, const cli_arguments *a, cli_data *data) {
    if (!cli_observes(a)) return CLI_DONE;
    lay_out(o, a, data);
    int status = check_memory(o, a, data);
    if (status) return status;
    if (fmt_table_partial(data->table))
        cli_say("%llu rows have missing outputs; their other outputs are used",
                (unsigned long long)fmt_table_partial(data->table));
    if (data->instrument_cells) status = count_instruments(a, data);
    if (!status && o->outputs) cli_observed_place(data);
    return status;
}

void cli_observed_place(cli_data *data) {
    const cli_layout *l = &data->layout;
    if (l->direction) data->directions = cli_more(NULL, data->n * data->p, sizeof *data->directions);
    if (l->errors) data->errors = cli_more(NULL, data->n * l->numbers, sizeof *data->errors);
    if (l->direction || l->errors)
        split_rows(data, data->n, data->Y, data->Y, data->directions, data->errors);
}

/* ---- as a reader */

static void give_held(cli_data *data, size_t n, double *X, double *Y, double *directions, double *errors,
                      double *weights) {
    const size_t first = data->given, width = data->layout.numbers;
    memcpy(X, data->X + first * data->d, n * data->d * sizeof *X);
    memcpy(Y, data->Y + first * width, n * width * sizeof *Y);
    if (directions) memcpy(directions, data->directions + first * data->p, n * data->p * sizeof *directions);
    if (errors) memcpy(errors, data->errors + first * width, n * width * sizeof *errors);
    if (weights) memcpy(weights, data->weights + first, n * sizeof *weights);
    data->given += n;
}

static int read_rows(void *self, size_t room, double *X, double *Y, double *directions, double *errors,
                     double *weights, size_t *rows) {
    cli_data *data = self;
    if (data->given < data->n || data->whole) {
        *rows = data->n - data->given < room ? data->n - data->given : room;
        give_held(data, *rows, X, Y, directions, errors, weights);
        return cli_interrupted();
    }
    const orff_reader rest = cli_data_reader(data);
    double *raw = cli_more(NULL, room * data->columns, sizeof *raw);
    const int status = rest.read(rest.self, room, X, raw, weights, rows);
    if (!status) split_rows(data, *rows, raw, Y, directions, errors);
    free(raw);
    return status;
}

orff_observation_reader cli_observed_reader(cli_data *data) {
    return (orff_observation_reader){.read = read_rows,
                                     .self = data,
                                     .directed = data->layout.direction > 0,
                                     .errors = data->layout.errors > 0,
                                     .weighted = data->weighted};
}

orff_observations cli_observed_rows(const cli_data *data) {
    return (orff_observations){.d = data->d,
                               .p = data->p,
                               .n = data->n,
                               .X = data->X,
                               .Y = data->Y,
                               .directions = data->directions,
                               .weights = data->weights,
                               .errors = data->errors,
                               .instruments = data->instruments,
                               .n_walls = data->n_walls,
                               .walls = data->walls};
}
