#include "moments_lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice.h"
#include "moments_kernel.h"
#include "observed.h"
#include "report.h"

#define SLACK 0.25 /* of the range of the rows in memory: later ones may lie outside of it */

/* What the lattice must represent, in the inputs' units. */
typedef struct ask {
    size_t d, n;
    double *low, *high;         /* d */
    double *shortest, *longest; /* d */
    orff_part *parts;           /* 2 n: the kernel at the shortest and at the longest length scales */
    double *sigmas;             /* 2 n x d */
} ask;

static void ask_clear(ask *q) {
    free(q->low);
    free(q->high);
    free(q->shortest);
    free(q->longest);
    free(q->parts);
    free(q->sigmas);
}

/* Moments may serve other kernels later. A fit uses one kernel, unless several processes choose it again
 * from all rows. */
static bool makes_moments(const cli_arguments *a) {
    return a->command->bit & CLI_BIT(moments) || cli_data_sharing;
}

/* ---- extent */

/* LO:HI. */
static bool scan_range(const char *text, double *low, double *high) {
    const char *at = cli_scan_number(text, ":", low);
    at = at && *at == ':' ? cli_scan_number(at + 1, "", high) : NULL;
    return at && !*at && *high >= *low;
}

static int set_extent(const cli_arguments *a, const orff_notes *notes, const char *entry, const char *range,
                      bool *given, ask *q) {
    size_t i;
    if (!range) return cli_wrong(a, CLI_OPT_EXTENT, "\"%s\" has no =; expected INPUT=LO:HI", entry);
    const int status = cli_input_place(a, CLI_OPT_EXTENT, notes, q->d, entry, &i);
    if (status) return status;
    if (given[i]) return cli_wrong(a, CLI_OPT_EXTENT, "\"%s\" is given twice", entry);
    given[i] = true;
    if (scan_range(range, &q->low[i], &q->high[i])) return CLI_DONE;
    return cli_wrong(a, CLI_OPT_EXTENT, "\"%s\" is not LO:HI with LO <= HI", range);
}

static int check_extent(const cli_arguments *a, const double *periods, const bool *given, size_t d) {
    for (size_t i = 0; i < d; i++)
        if (!given[i] && !(periods && periods[i] > 0.0))
            return cli_wrong(a, CLI_OPT_EXTENT, "input %zu is missing", i + 1);
    return CLI_DONE;
}

static int parse_extent(const cli_arguments *a, const orff_notes *notes, const double *periods, ask *q) {
    bool *given = cli_more(NULL, q->d, sizeof *given);
    char *text = cli_copy_text(cli_text(a, CLI_OPT_EXTENT));
    int status = CLI_DONE;
    memset(given, 0, q->d * sizeof *given);
    for (char *at = text; !status && at;) {
        char *range;
        const char *entry = cli_cut_entry(&at, &range);
        status = set_extent(a, notes, entry, range, given, q);
    }
    if (!status) status = check_extent(a, periods, given, q->d);
    free(text);
    free(given);
    return status;
}

/* The range of the rows in memory, widened if more rows follow. */
static int extent_of_rows(const cli_arguments *a, const cli_data *data, ask *q) {
    if (!data->n && !makes_moments(a))
        return cli_wrong(a, CLI_OPT_MEMORY,
                         "leaves no rows in memory, and a lattice needs their range; "
                         "raise it");
    if (!data->n)
        return cli_wrong(a, CLI_OPT_EXTENT, "is missing, and there are no rows in memory to derive it from");
    for (size_t k = 0; k < q->d; k++) {
        q->low[k] = q->high[k] = data->X[k];
        for (size_t i = 1; i < data->n; i++) {
            q->low[k] = fmin(q->low[k], data->X[i * q->d + k]);
            q->high[k] = fmax(q->high[k], data->X[i * q->d + k]);
        }
        const double slack = data->whole ? 0.0 : SLACK * (q->high[k] - q->low[k]);
        q->low[k] -= slack;
        q->high[k] += slack;
    }
    return CLI_DONE;
}

/* ---- kernels */

/* LO:HI for all inputs. */
static int parse_scales(const cli_arguments *a, ask *q) {
    double low = 0.0, high = 0.0;
    if (!scan_range(cli_text(a, CLI_OPT_SIGMA_RANGE), &low, &high) || !(low > 0.0))
        return cli_wrong(a, CLI_OPT_SIGMA_RANGE, "\"%s\" is not LO:HI with 0 < LO <= HI",
                         cli_text(a, CLI_OPT_SIGMA_RANGE));
    for (size_t i = 0; i < q->d; i++) {
        q->shortest[i] = low;
        q->longest[i] = high;
    }
    return CLI_DONE;
}

static void scales_of_kernel(const cli_kernel *k, double factor, ask *q) {
    for (size_t i = 0; i < q->d; i++) {
        q->shortest[i] = q->longest[i] = k->sigmas[i];
        for (size_t m = 1; m < k->n; m++) {
            q->shortest[i] = fmin(q->shortest[i], k->sigmas[m * q->d + i]);
            q->longest[i] = fmax(q->longest[i], k->sigmas[m * q->d + i]);
        }
        q->shortest[i] /= factor;
        q->longest[i] *= factor;
    }
}

static void fill_parts(const cli_kernel *k, ask *q) {
    q->n = k->n;
    q->parts = cli_more(NULL, 2 * k->n, sizeof *q->parts);
    q->sigmas = cli_more(NULL, 2 * k->n * q->d, sizeof *q->sigmas);
    for (size_t j = 0; j < 2 * k->n; j++) {
        q->parts[j] = k->parts[j / 2];
        q->parts[j].sigmas = q->sigmas + j * q->d;
        memcpy(q->sigmas + j * q->d, j % 2 ? q->longest : q->shortest, q->d * sizeof *q->sigmas);
    }
}

/* Finds length scales that are not given, unless their range is given. */
static int find_kernel(const cli_arguments *a, const cli_data *data, cli_settings s, ask *q) {
    cli_kernel kernel = {0};
    const bool range = cli_given(a, CLI_OPT_SIGMA_RANGE);
    const bool found = s.auto_sigma && !range && makes_moments(a);
    if (range && !s.auto_sigma)
        return cli_wrong(a, CLI_OPT_SIGMA_RANGE, "cannot be combined with --sigma; give one of them");
    if (range) s.auto_sigma = false;
    int status = cli_kernel_fill(&kernel, &s, a, data);
    if (!status && range) status = parse_scales(a, q);
    if (!status && !range) scales_of_kernel(&kernel, found ? ORFF_PROBE_SCALES : 1.0, q);
    if (!status) fill_parts(&kernel, q);
    if (!status) status = cli_kernel_note(data->notes, &kernel, range || found ? "auto" : NULL);
    cli_kernel_clear(&kernel);
    return status;
}

/* ---- making */

static int refuse(const cli_arguments *a, cli_option_id id, const char *why) {
    return cli_given(a, id) ? cli_wrong(a, id, "%s", why) : CLI_DONE;
}

int cli_lattice_moments_refuse(const cli_arguments *a) {
    int status = refuse(a, CLI_OPT_EXTENT, "is for --engine lattice");
    if (!status) status = refuse(a, CLI_OPT_SIGMA_RANGE, "is for --engine lattice");
    return status ? status : refuse(a, cli_setting("period"), "is for --engine lattice");
}

/* Finds a given setting of features that a lattice does not have. */
static bool find_features(const cli_arguments *a, cli_option_id *id) {
    static const char *const names[] = {"features",  "sampling",   "importance",      "frequencies",
                                        "precision", "checkpoint", "checkpoint-rows", "resume"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *id = cli_setting(names[i]);
        if (cli_given(a, *id)) return true;
    }
    return false;
}

static int refuse_features(const cli_arguments *a) {
    cli_option_id id;
    return find_features(a, &id) ? cli_wrong(a, id, "has no effect on moments of a lattice") : CLI_DONE;
}

static int create(const cli_arguments *a, const cli_data *data, const cli_settings *s,
                  orff_lattice_moments **moments) {
    ask q = {.d = data->d};
    double **arrays[] = {&q.low, &q.high, &q.shortest, &q.longest};
    for (size_t i = 0; i < 4; i++) {
        *arrays[i] = cli_more(NULL, q.d, sizeof **arrays[i]);
        memset(*arrays[i], 0, q.d * sizeof **arrays[i]);
    }
    int status = cli_given(a, CLI_OPT_EXTENT) ? parse_extent(a, data->notes, s->settings.periods, &q)
                                              : extent_of_rows(a, data, &q);
    if (!status) status = find_kernel(a, data, *s, &q);
    const orff_lattice_need need = {.d = data->d,
                                    .p = data->p,
                                    .low = q.low,
                                    .high = q.high,
                                    .periods = s->settings.periods,
                                    .n_parts = 2 * q.n,
                                    .parts = q.parts,
                                    .tolerance = s->settings.sampling.tolerance,
                                    .folds = s->settings.folds,
                                    .seed = s->settings.sampling.seed,
                                    .posterior = s->settings.posterior};
    if (!status) status = cli_outcome(orff_lattice_moments_create(moments, &need), NULL);
    ask_clear(&q);
    const char *text = "";
    if (!status) status = cli_outcome(orff_notes_text(data->notes, &text), NULL);
    return status ? status : cli_outcome(orff_lattice_moments_set_notes(*moments, text), NULL);
}

/* ---- --like */

static int refuse_beside_like(const cli_arguments *a) {
    static const char why[] = "has no effect beside --like, whose moments have their own";
    int status = refuse(a, CLI_OPT_EXTENT, why);
    if (!status) status = refuse(a, CLI_OPT_SIGMA_RANGE, why);
    for (size_t i = 0; !status && orff_setting_at(i); i++)
        if (strcmp(orff_setting_at(i)->name, "engine")) status = refuse(a, CLI_OWN_OPTIONS + i, why);
    return status;
}

static int check_sizes(const cli_data *data, const char *path, const orff_lattice_moments *other) {
    const orff_lattice_moments_info info = orff_lattice_moments_describe(other);
    if (info.inputs == data->d && info.outputs == data->p) return CLI_DONE;
    return cli_failed("%s: its moments have %zu inputs and %zu outputs, but the data have %zu and %zu", path,
                      info.inputs, info.outputs, data->d, data->p);
}

static int create_like(const cli_arguments *a, const cli_data *data, orff_lattice_moments **moments) {
    const char *path = cli_text(a, CLI_OPT_LIKE);
    orff_lattice_moments *other = NULL;
    int status = refuse_beside_like(a);
    if (!status) status = cli_outcome(orff_lattice_moments_load(&other, path), NULL);
    if (!status) status = check_sizes(data, path, other);
    if (!status) status = cli_outcome(orff_lattice_moments_create_like(moments, other), NULL);
    if (!status)
        status =
            cli_outcome(orff_lattice_moments_set_notes(*moments, orff_lattice_moments_notes(other)), NULL);
    orff_lattice_moments_free(other);
    return status;
}

int cli_lattice_moments_start(const cli_arguments *a, const cli_data *data, const cli_settings *s,
                              orff_lattice_moments **moments) {
    const int status = refuse_features(a);
    if (status) return status;
    return cli_given(a, CLI_OPT_LIKE) ? create_like(a, data, moments) : create(a, data, s, moments);
}

int cli_lattice_moments_make(const cli_arguments *a, cli_data *data, const cli_settings *s,
                             orff_lattice_moments **moments) {
    const orff_reader reader = cli_data_reader(data);
    const orff_observation_reader observations = cli_observed_reader(data);
    const int status = cli_lattice_moments_start(a, data, s, moments);
    if (status) return status;
    return cli_data_outcome(data, data->layout.observed
                                      ? orff_lattice_moments_read_observations(*moments, &observations)
                                      : orff_lattice_moments_read(*moments, &reader));
}

/* ---- text for the user */

char *cli_lattice_moments_scales(const orff_lattice_moments *moments) {
    const orff_lattice_moments_info info = orff_lattice_moments_describe(moments);
    cli_string text = {0};
    bool same = true;
    for (size_t i = 1; i < info.inputs; i++)
        same = same && info.shortest[i] == info.shortest[0] && info.longest[i] == info.longest[0];
    for (size_t i = 0; i < (same ? 1 : info.inputs); i++) {
        cli_append(&text, "%s%.6g", i ? ", " : "", info.shortest[i]);
        if (info.longest[i] > info.shortest[i]) cli_append(&text, " to %.6g", info.longest[i]);
    }
    return text.text;
}
