#include "learn.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit.h"
#include "cli/moments_kernel.h"
#include "cli/moments_lattice.h"
#include "cli/observed.h"
#include "cli/report.h"
#include "orff_mpi.h"
#include "ranks.h"
#include "sample.h"
#include "tables.h"

enum { KERNEL, BASE, SIGMA, SIGMA_RANGE, EXTENT };

/* Rows are quick on a lattice, and the transform behind each portion is not. */
#define LATTICE_PORTION ((uint64_t)128 << 20) /* bytes */
#define LATTICE_FEWEST  4

static cli_option_id option_of(size_t which) {
    const cli_option_id ids[CLI_DECIDED] = {cli_setting("kernel"), cli_setting("base"), cli_setting("sigma"),
                                            CLI_OPT_SIGMA_RANGE, CLI_OPT_EXTENT};
    return ids[which];
}

/* The option by which there are no moments. */
static cli_option_id option_without_moments(const cli_arguments *a) {
    return cli_given(a, CLI_OPT_SPREAD) ? CLI_OPT_SPREAD : cli_setting("solver");
}

static bool classifies(const cli_arguments *a) {
    return cli_serves(CLI_OPT_CLASSIFY, a->command) && cli_given(a, CLI_OPT_CLASSIFY);
}

bool cli_sums_rows(const cli_arguments *a) {
    const cli_option_id id = cli_setting("solver");
    orff_solver solver = ORFF_SOLVER_AUTO;
    const bool asked = cli_serves(id, a->command) && cli_given(a, id);
    const bool known = asked && !orff_solver_parse(cli_text(a, id), &solver);
    return !cli_given(a, CLI_OPT_SPREAD) &&
           (!known || solver == ORFF_SOLVER_AUTO || solver == ORFF_SOLVER_DIRECT);
}

/* ---- what moments cannot do */

static int refuse(const cli_arguments *a, const cli_settings *s) {
    static const char *const names[] = {"trend",    "loss",         "loss-parameter",
                                        "folds-by", "scale-inputs", "scale-outputs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_given(a, cli_setting(names[i])))
            return cli_wrong(a, cli_setting(names[i]),
                             "is not available under mpirun, where the processes "
                             "sum moments");
    if (s->settings.drop_outliers)
        return cli_wrong(a, cli_setting("drop-outliers"),
                         "is not available under mpirun, where no process has all rows");
    const bool lattice = s->settings.engine == ORFF_ENGINE_LATTICE || cli_given(a, CLI_OPT_LIKE);
    if (cli_given(a, CLI_OPT_SPREAD) && cli_given(a, cli_setting("solver")))
        return cli_wrong(a, cli_setting("solver"), "has no effect with --spread, which solves by Cholesky");
    if (s->settings.geo && (lattice || !cli_sums_rows(a)))
        return cli_wrong(a, cli_setting(cli_given(a, cli_setting("geo")) ? "geo" : "crs"),
                         "is for moments of features: rows in degrees have no %s here",
                         lattice ? "lattice" : "way without moments");
    if (s->settings.auto_kernel && lattice)
        return cli_wrong(a, cli_setting("kernel"),
                         "auto is not for a lattice; let orff fit choose on some of the rows, and name it");
    if (s->settings.engine == ORFF_ENGINE_EXACT)
        return cli_wrong(a, cli_setting("engine"),
                         "%s is not available under mpirun, where the processes "
                         "sum moments",
                         orff_engine_name(ORFF_ENGINE_EXACT));
    return CLI_DONE;
}

static bool is_lattice(const cli_learning *l) {
    return l->settings.settings.engine == ORFF_ENGINE_LATTICE || cli_given(&l->arguments, CLI_OPT_LIKE);
}

/* ---- deciding */

/* Whether nothing is left to the rows. Settings that cannot be resolved without rows say so in a failure, which goes. */
static bool is_decided(cli_learning *l) {
    cli_settings s = {0};
    const cli_arguments *a = &l->arguments;
    const bool resolved = !cli_settings_read_for(&s, a, &l->data);
    const bool lattice = s.settings.engine == ORFF_ENGINE_LATTICE;
    const bool scales = !s.auto_sigma || (lattice && cli_given(a, CLI_OPT_SIGMA_RANGE));
    const bool decided = resolved && scales && (!lattice || cli_given(a, CLI_OPT_EXTENT)) &&
                         !s.settings.geo && !s.settings.auto_kernel;
    cli_settings_clear(&s);
    if (!resolved) cli_keep_failures(true);
    return decided || cli_given(a, CLI_OPT_LIKE);
}

/* The shortest by half, the longest by twice, as orff moments has it. */
static char *range_text(const cli_kernel *k) {
    cli_string text = {0};
    double low = k->sigmas[0], high = k->sigmas[0];
    for (size_t i = 1; i < k->n * k->d; i++) {
        low = fmin(low, k->sigmas[i]);
        high = fmax(high, k->sigmas[i]);
    }
    cli_append(&text, "%.17g:%.17g", low / ORFF_PROBE_SCALES, high * ORFF_PROBE_SCALES);
    return text.text;
}

static char *extent_text(const cli_learning *l) {
    const double *periods = l->settings.settings.periods;
    cli_string text = {0};
    for (size_t i = 0; i < l->data.d; i++)
        if (!(periods && periods[i] > 0.0))
            cli_append(&text, "%s%zu=%.17g:%.17g", text.length ? "," : "", i + 1, l->aside.low[i],
                       l->aside.high[i]);
    return text.text;
}

/* On rank 0: length scales and the base by a small fit to the sample. */
static int decide_kernel(cli_learning *l) {
    const cli_arguments *a = &l->arguments;
    cli_kernel kernel = {0};
    orff_notes *notes = NULL;
    int status = cli_kernel_fill(&kernel, &l->settings, a, &l->data);
    if (!status) status = cli_outcome(orff_notes_create(&notes, l->data.d, l->data.p), NULL);
    if (!status) status = cli_kernel_note(notes, &kernel, NULL);
    if (!status && l->settings.settings.auto_kernel) l->texts[KERNEL] = cli_kernel_rules(&kernel);
    if (!status && (l->settings.auto_sigma || l->settings.settings.auto_kernel)) {
        l->texts[BASE] = cli_copy_text(orff_notes_kernel(notes, "base"));
        if (is_lattice(l))
            l->texts[SIGMA_RANGE] = range_text(&kernel);
        else
            l->texts[SIGMA] = cli_copy_text(orff_notes_kernel(notes, "sigma"));
        cli_say("decided on %zu rows: kernel %s, base %s, sigma %s", l->data.n,
                orff_notes_kernel(notes, "kernel"), orff_notes_kernel(notes, "base"),
                orff_notes_kernel(notes, "sigma"));
    }
    orff_notes_free(notes);
    cli_kernel_clear(&kernel);
    return status;
}

static int decide(cli_learning *l) {
    const bool lattice = is_lattice(l);
    int status = CLI_DONE;
    if (!l->data.n) return cli_failed("there are no rows");
    if (l->settings.settings.auto_kernel ||
        (l->settings.auto_sigma && !(lattice && cli_given(&l->arguments, CLI_OPT_SIGMA_RANGE))))
        status = decide_kernel(l);
    if (lattice && !cli_given(&l->arguments, CLI_OPT_EXTENT)) l->texts[EXTENT] = extent_text(l);
    return status;
}

/* What rank 0 has decided stands, on all ranks, where the user could have written it. */
static int spread_decisions(cli_learning *l) {
    for (size_t i = 0; i < CLI_DECIDED; i++) {
        cli_share_text(&l->texts[i]);
        l->values[i] = l->texts[i];
        if (!l->texts[i]) continue;
        l->arguments.given[option_of(i)].values = &l->values[i];
        l->arguments.given[option_of(i)].count = 1;
    }
    cli_settings_clear(&l->settings);
    return cli_settings_read_for(&l->settings, &l->arguments, &l->data);
}

/* The rows that are looked at are the same on all ranks, and so is their centre. */
static int find_plane(cli_learning *l) {
    const orff_settings *s = &l->settings.settings;
    l->on_plane = s->geo != ORFF_GEO_NONE;
    if (!l->on_plane) return CLI_DONE;
    return cli_outcome(s->crs ? orff_plane_of_crs(&l->plane, s->crs, l->data.d, s->geo_inputs)
                              : orff_plane_around(&l->plane, l->data.d, s->geo_inputs, l->data.n, l->data.X),
                       NULL);
}

static int decide_from_sample(cli_learning *l) {
    size_t most = 0;
    if (is_decided(l)) return cli_agree(cli_settings_read_for(&l->settings, &l->arguments, &l->data));
    int status = cli_agree(cli_size(&l->arguments, cli_setting("subsample"), 10, SIZE_MAX, &most));
    if (!status) status = cli_sample(&l->data, most, l->aside.low, l->aside.high);
    if (!status) status = cli_settings_read_for(&l->settings, &l->arguments, &l->data);
    if (!status) status = refuse(&l->arguments, &l->settings);
    if (!status) status = find_plane(l);
    if (!status && cli_is_first()) status = decide(l);
    status = cli_agree(status);
    if (!status) status = cli_agree(spread_decisions(l));
    cli_sample_forget(&l->data);
    return status;
}

/* ---- summing */

static int start_features(cli_learning *l) {
    cli_kernel kernel;
    int status = cli_lattice_moments_refuse(&l->arguments);
    if (status) return status;
    status = cli_kernel_fill(&kernel, &l->settings, &l->arguments, &l->data);
    if (!status) status = cli_kernel_note(l->data.notes, &kernel, NULL);
    if (!status)
        status = cli_moments_start(&l->data, &l->settings.settings, &kernel, l->on_plane ? &l->plane : NULL,
                                   &l->moments.features);
    cli_kernel_clear(&kernel);
    return status;
}

static int start(cli_learning *l) {
    int status = refuse(&l->arguments, &l->settings);
    if (l->data.classes) l->data.p = l->data.classes - 1; /* codes are summed */
    if (!status) status = cli_settings_note(&l->settings, l->data.notes);
    if (status) return status;
    return is_lattice(l)
               ? cli_lattice_moments_start(&l->arguments, &l->data, &l->settings, &l->moments.lattice)
               : start_features(l);
}

/* Readers that note where the rows lie, and which are not whole. */
typedef struct watch {
    cli_learning *learning;
    orff_reader whole;
    orff_observation_reader observed;
} watch;

static void note_rows(cli_learning *l, size_t n, const double *X) {
    const size_t d = l->data.d;
    l->rows += n;
    for (size_t i = 0; i < n * d; i++) {
        l->aside.low[i % d] = fmin(l->aside.low[i % d], X[i]);
        l->aside.high[i % d] = fmax(l->aside.high[i % d], X[i]);
    }
}

static int read_whole(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    watch *w = self;
    if (cli_other_failed()) return 1;
    const int trouble = w->whole.read(w->whole.self, room, X, Y, weights, rows);
    if (!trouble) note_rows(w->learning, *rows, X);
    return trouble;
}

static bool is_partial(size_t count, const double *y) {
    for (size_t k = 0; k < count; k++)
        if (isnan(y[k])) return true;
    return false;
}

static int read_observed(void *self, size_t room, double *X, double *Y, double *directions, double *errors,
                         double *weights, size_t *rows) {
    watch *w = self;
    const size_t width = w->learning->data.layout.numbers;
    if (cli_other_failed()) return 1;
    const int trouble = w->observed.read(w->observed.self, room, X, Y, directions, errors, weights, rows);
    if (!trouble) note_rows(w->learning, *rows, X);
    for (size_t i = 0; !trouble && i < *rows; i++) w->learning->partial += is_partial(width, Y + i * width);
    return trouble;
}

static orff_status add_portions(cli_learning *l, const orff_reader *whole,
                                const orff_observation_reader *observed) {
    orff_status status = ORFF_OK;
    for (uint64_t k; !status && cli_portions_next(&l->portions, &k);) {
        l->rows = 0;
        cli_tables_read(&l->data, k, k + 1);
        status = cli_sums_add(&l->sums, whole, observed);
        if (status) break;
        l->aside.dropped += cli_data_dropped(&l->data);
        cli_portions_done(&l->portions, k, l->rows, l->sums.sum, &l->aside);
    }
    if (!status) cli_portions_save(&l->portions, l->sums.sum, &l->aside);
    return status;
}

static int accumulate(cli_learning *l) {
    watch w = {l, cli_data_reader(&l->data), cli_observed_reader(&l->data)};
    int status = CLI_DONE;
    if (l->data.classes) {
        status = cli_coder_begin(&l->coder, &w.whole, l->data.classes);
        w.whole = cli_coder_reader(&l->coder);
    }
    const orff_reader whole = {.read = read_whole, .self = &w, .weighted = w.whole.weighted};
    orff_observation_reader observed = w.observed;
    observed.read = read_observed;
    observed.self = &w;
    return status ? status
                  : cli_data_outcome(&l->data,
                                     add_portions(l, &whole, l->data.layout.observed ? &observed : NULL));
}

/* What the sums follow from: the moments' own settings, and the rows. */
static uint64_t question(const cli_learning *l) {
    return cli_tables_digest() ^ (l->moments.lattice ? orff_lattice_moments_digest(l->moments.lattice)
                                                     : orff_moments_digest(l->moments.features));
}

static orff_rows asked_room(const cli_layout *layout) {
    return layout->direction ? ORFF_ROWS_DIRECTED : layout->errors ? ORFF_ROWS_PARTED : ORFF_ROWS_WHOLE;
}

static int divide(cli_learning *l) {
    if (l->moments.lattice) cli_tables_divide(LATTICE_PORTION, LATTICE_FEWEST);
    for (size_t i = 0; i < l->data.d; i++) {
        l->aside.low[i] = (double)INFINITY;
        l->aside.high[i] = (double)-INFINITY;
    }
    const int status =
        cli_agree(cli_outcome(cli_sums_begin(&l->sums, &l->moments, asked_room(&l->data.layout)), NULL));
    return status ? status
                  : cli_portions_begin(&l->portions, l->checkpoint, l->checkpoint_rows, question(l),
                                       l->sums.sum, &l->aside);
}

/* Ranges of all rows go into the notes of the sum. */
static int note_ranges(cli_learning *l) {
    const char *text = "";
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < l->data.d && l->aside.low[i] <= l->aside.high[i]; i++)
        status = orff_notes_set_range(l->data.notes, i, l->aside.low[i], l->aside.high[i]);
    if (!status) status = orff_notes_text(l->data.notes, &text);
    if (!status)
        status = l->moments.lattice ? orff_lattice_moments_set_notes(l->moments.lattice, text)
                                    : orff_moments_set_notes(l->moments.features, text);
    if (!status && !cli_moments_describe(&l->moments).rows)
        return cli_failed("%s: there are no rows", l->arguments.words[0]);
    return cli_outcome(status, NULL);
}

static int add_up(cli_learning *l) {
    int status = divide(l);
    if (!status) status = cli_agree_early(accumulate(l));
    cli_moments_clear(&l->sums.portion);
    if (status) return status;
    if (cli_sum(l->portions.failed)) cli_warn("%s: not all ranks could save their sums", l->checkpoint);
    l->partial = cli_sum(l->partial);
    l->summed = cli_seconds();
    status = cli_agree_on(cli_sums_reduce(&l->sums, &l->moments));
    cli_sums_clear(&l->sums);
    if (status) return status;
    l->reduced = cli_seconds();
    cli_least(l->data.d, l->aside.low);
    cli_most(l->data.d, l->aside.high);
    l->data.dropped = cli_sum(l->aside.dropped);
    status = cli_agree(cli_is_first() ? note_ranges(l) : CLI_DONE);
    if (!status && l->partial)
        cli_say("%" PRIu64 " rows have missing outputs; their other outputs are used", l->partial);
    if (!status)
        cli_say("%zu file%s, %d ranks: rows summed in %.2f s, sums (%.3g MB) added in %.2f s",
                cli_tables_count(), cli_tables_count() == 1 ? "" : "s", cli_ranks(), l->summed - l->began,
                16e-6 * (double)cli_sums_size(&l->moments), l->reduced - l->summed);
    return status;
}

/* ---- */

/* The files are rank 0's to look at. What follows keeps no checkpoints of its own: the options have served. */
static int check_checkpoint(cli_learning *l) {
    const cli_option_id path = cli_setting("checkpoint"), resume = cli_setting("resume"),
                        every = cli_setting("checkpoint-rows");
    const int status = cli_whole(&l->arguments, every, 1, UINT64_MAX, &l->checkpoint_rows);
    if (status) return status;
    const bool resumes = !strcmp(cli_text(&l->arguments, resume), "yes");
    l->checkpoint = cli_text(&l->arguments, path);
    if (!l->checkpoint)
        return resumes ? cli_wrong(&l->arguments, resume, "needs --checkpoint FILE") : CLI_DONE;
    if (!cli_sums_rows(&l->arguments))
        return cli_wrong(&l->arguments, path, "has no effect with --%s, which keeps no sums",
                         cli_given(&l->arguments, CLI_OPT_SPREAD) ? "spread" : "solver");
    l->arguments.given[path].count = l->arguments.given[resume].count = l->arguments.given[every].count = 0;
    return cli_is_first() ? cli_portions_check(l->checkpoint, resumes) : CLI_DONE;
}

/* Rows that need not be whole are for sums, and a file of a checkpoint has those of whole rows alone. */
static int check_layout(cli_learning *l) {
    const cli_arguments *a = &l->arguments;
    cli_layout *layout = &l->data.layout;
    const bool asked = layout->direction || layout->errors;
    if (asked && !cli_sums_rows(a))
        return cli_wrong(a, option_without_moments(a), "is for whole rows, without --direction and --errors");
    if (asked && l->checkpoint)
        return cli_wrong(a, cli_setting("checkpoint"), "is for whole rows, without --direction and --errors");
    if (!cli_sums_rows(a) || l->checkpoint) layout->observed = false;
    if (!layout->observed) cli_tables_require_outputs(&l->data);
    return CLI_DONE;
}

int cli_learn_kernel(cli_learning *l, const cli_arguments *a) {
    *l = (cli_learning){.arguments = *a, .began = cli_seconds()};
    cli_tables_begin();
    int status = cli_agree(cli_need_output(a));
    if (!status) status = cli_agree(check_checkpoint(l));
    if (!status) status = cli_agree(cli_data_learn(&l->data, a, 0));
    if (!status) status = cli_agree(check_layout(l));
    if (status) return status;
    l->aside.d = l->data.d;
    l->aside.low = cli_more(NULL, l->data.d, sizeof *l->aside.low);
    l->aside.high = cli_more(NULL, l->data.d, sizeof *l->aside.high);
    if (classifies(&l->arguments)) status = cli_classes_find(&l->data);
    return status ? status : decide_from_sample(l);
}

int cli_learn(cli_learning *l, const cli_arguments *a) {
    int status = cli_learn_kernel(l, a);
    if (!status) status = cli_agree(start(l));
    return status ? status : add_up(l);
}

/* ---- without moments */

int cli_learn_features(cli_learning *l, orff_kernel **kernel, orff_features **features) {
    orff_sampling sampling = l->settings.settings.sampling;
    cli_kernel k = {0};
    const cli_option_id why = option_without_moments(&l->arguments);
    int status = refuse(&l->arguments, &l->settings);
    if (!status && is_lattice(l))
        status =
            cli_wrong(&l->arguments, why, "is for the engine %s", orff_engine_name(ORFF_ENGINE_FEATURES));
    if (!status && l->data.classes)
        status = cli_wrong(&l->arguments, CLI_OPT_CLASSIFY,
                           "has no way without moments; leave out --spread and --solver");
    if (!status && !(l->settings.settings.lambda > 0.0))
        status = cli_wrong(&l->arguments, why, "needs --lambda with a number");
    if (!status) status = cli_settings_note(&l->settings, l->data.notes);
    if (!status) status = cli_kernel_fill(&k, &l->settings, &l->arguments, &l->data);
    if (!status) status = cli_kernel_note(l->data.notes, &k, NULL);
    if (!sampling.features) sampling.features = orff_sampling_default().features;
    if (!status) status = cli_outcome(orff_kernel_create(kernel, l->data.d, l->data.p, k.n, k.parts), NULL);
    if (!status) status = cli_outcome(orff_features_create(features, *kernel, &sampling), NULL);
    cli_kernel_clear(&k);
    return status;
}

void cli_learning_clear(cli_learning *l) {
    cli_sums_clear(&l->sums);
    cli_coder_clear(&l->coder);
    cli_moments_clear(&l->moments);
    cli_settings_clear(&l->settings);
    cli_data_close(&l->data);
    for (size_t i = 0; i < CLI_DECIDED; i++) free(l->texts[i]);
    free(l->aside.low);
    free(l->aside.high);
    cli_portions_clear(&l->portions);
    cli_tables_end();
}
