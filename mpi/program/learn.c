#include "learn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fit.h"
#include "cli/moments_kernel.h"
#include "cli/moments_lattice.h"
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
            return cli_wrong(a, cli_setting(names[i]), "is not for many processes, which sum up moments");
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
        return cli_wrong(a, cli_setting("engine"), "%s is not for many processes, which sum up moments",
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
    cli_append(&text, "%.17g:%.17g", low / 2.0, high * 2.0);
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

/* A reader that notes where the rows lie. */
typedef struct watch {
    cli_learning *learning;
    orff_reader inner;
} watch;

static int read_watched(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    watch *w = self;
    const size_t d = w->learning->data.d;
    cli_aside *a = &w->learning->aside;
    if (cli_other_failed()) return 1;
    const int trouble = w->inner.read(w->inner.self, room, X, Y, weights, rows);
    if (!trouble) w->learning->rows += *rows;
    for (size_t i = 0; !trouble && i < *rows * d; i++) {
        a->low[i % d] = fmin(a->low[i % d], X[i]);
        a->high[i % d] = fmax(a->high[i % d], X[i]);
    }
    return trouble;
}

static uint64_t sums_size(const cli_learning *l) {
    return l->moments.lattice ? orff_lattice_moments_size(l->moments.lattice)
                              : orff_moments_size(l->moments.features);
}

/* One portion, by itself, onto the sum. Its moments serve the next one too: memory that is new to the process for every portion
 * would take as long as a fifth of small ones. */
static orff_status add_portion(cli_learning *l, const orff_reader *reader) {
    cli_moments *one = &l->portion;
    orff_status status = ORFF_OK;
    if (l->moments.lattice) {
        if (!one->lattice) status = orff_lattice_moments_create_like(&one->lattice, l->moments.lattice);
        if (!status) status = orff_lattice_moments_read(one->lattice, reader);
        if (!status) status = orff_mpi_sum_add_lattice_moments(l->sum, one->lattice);
        return status ? status : orff_lattice_moments_subtract(one->lattice, one->lattice);
    }
    if (!one->features) status = orff_moments_create_like(&one->features, l->moments.features);
    if (!status) status = orff_moments_read(one->features, reader);
    if (!status) status = orff_mpi_sum_add_moments(l->sum, one->features);
    return status ? status : orff_moments_subtract(one->features, one->features);
}

static orff_status add_portions(cli_learning *l, const orff_reader *reader) {
    orff_status status = ORFF_OK;
    for (uint64_t k; !status && cli_portions_next(&l->portions, &k);) {
        l->rows = 0;
        cli_tables_read(&l->data, k, k + 1);
        status = add_portion(l, reader);
        if (status) break;
        l->aside.dropped += cli_data_dropped(&l->data);
        cli_portions_done(&l->portions, k, l->rows, l->sum, &l->aside);
    }
    if (!status) cli_portions_save(&l->portions, l->sum, &l->aside);
    return status;
}

static int accumulate(cli_learning *l) {
    watch w = {l, cli_data_reader(&l->data)};
    int status = CLI_DONE;
    if (l->data.classes) {
        status = cli_coder_begin(&l->coder, &w.inner, l->data.classes);
        w.inner = cli_coder_reader(&l->coder);
    }
    const orff_reader reader = {.read = read_watched, .self = &w, .weighted = w.inner.weighted};
    return status ? status : cli_data_outcome(&l->data, add_portions(l, &reader));
}

/* What the sums follow from: the moments' own settings, and the rows. */
static uint64_t question(const cli_learning *l) {
    return cli_tables_digest() ^ (l->moments.lattice ? orff_lattice_moments_digest(l->moments.lattice)
                                                     : orff_moments_digest(l->moments.features));
}

static int divide(cli_learning *l) {
    if (l->moments.lattice) cli_tables_divide(LATTICE_PORTION, LATTICE_FEWEST);
    for (size_t i = 0; i < l->data.d; i++) {
        l->aside.low[i] = (double)INFINITY;
        l->aside.high[i] = (double)-INFINITY;
    }
    const int status = cli_agree(cli_outcome(orff_mpi_sum_create(&l->sum, sums_size(l)), NULL));
    return status ? status
                  : cli_portions_begin(&l->portions, l->checkpoint, l->checkpoint_rows, question(l), l->sum,
                                       &l->aside);
}

static orff_status reduce(cli_learning *l) {
    return l->moments.lattice ? orff_mpi_sum_lattice_moments(MPI_COMM_WORLD, l->sum, l->moments.lattice, 0)
                              : orff_mpi_sum_moments(MPI_COMM_WORLD, l->sum, l->moments.features, 0);
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
    cli_moments_clear(&l->portion);
    if (status) return status;
    if (cli_sum(l->portions.failed)) cli_warn("%s: not all ranks could save their sums", l->checkpoint);
    l->summed = cli_seconds();
    status = cli_agree_on(reduce(l));
    orff_mpi_sum_free(l->sum);
    l->sum = NULL;
    if (status) return status;
    l->reduced = cli_seconds();
    cli_least(l->data.d, l->aside.low);
    cli_most(l->data.d, l->aside.high);
    l->data.dropped = cli_sum(l->aside.dropped);
    status = cli_agree(cli_is_first() ? note_ranges(l) : CLI_DONE);
    if (!status)
        cli_say("%zu file%s, %d ranks: rows summed in %.2f s, sums (%.3g MB) added in %.2f s",
                cli_tables_count(), cli_tables_count() == 1 ? "" : "s", cli_ranks(), l->summed - l->began,
                16e-6 * (double)sums_size(l), l->reduced - l->summed);
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

int cli_learn_kernel(cli_learning *l, const cli_arguments *a) {
    *l = (cli_learning){.arguments = *a, .began = cli_seconds()};
    cli_tables_begin();
    int status = cli_agree(cli_need_output(a));
    if (!status) status = cli_agree(check_checkpoint(l));
    if (!status) status = cli_agree(cli_data_learn(&l->data, a, 0));
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
    orff_mpi_sum_free(l->sum);
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
