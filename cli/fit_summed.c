/* Incomplete rows that exceed memory: sums them up in one pass. */
#include <string.h>

#include "fit.h"
#include "moments_file.h"
#include "moments_kernel.h"
#include "moments_lattice.h"
#include "report.h"

static int need_memory(const cli_arguments *a, cli_option_id id) {
    return cli_wrong(a, id,
                     "needs all rows in memory if some have missing outputs, directions or errors; raise "
                     "--memory");
}

/* What sums do not have; offsets, groups and instruments are refused where rows are read. */
static int refuse(const cli_arguments *a, const orff_settings *s) {
    static const char *const names[] = {"geo", "crs", "trend", "checkpoint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cli_option_id id = cli_setting(names[i]);
        if (cli_given(a, id)) return need_memory(a, id);
    }
    if (s->drop_outliers) return need_memory(a, cli_setting("drop-outliers"));
    if (s->auto_mix || (s->mixture && !s->auto_kernel))
        return cli_wrong(
            a, cli_setting(s->auto_mix ? "mix" : "weight"),
            "auto needs all rows in memory if some have missing outputs, directions or errors; give numbers, "
            "or raise --memory");
    if (s->loss != ORFF_LOSS_SQUARED)
        return cli_wrong(a, cli_setting("loss"),
                         "must be squared for rows with missing outputs, directions or errors");
    return cli_given(a, CLI_OPT_COAST)
               ? cli_wrong(a, CLI_OPT_COAST, "needs all rows in memory; raise --memory")
               : CLI_DONE;
}

static int sum_up(const cli_arguments *a, cli_data *data, cli_settings *s, cli_moments *moments) {
    if (s->settings.engine == ORFF_ENGINE_EXACT)
        return cli_wrong(a, cli_setting("engine"), "exact needs all rows in memory; raise --memory");
    if (s->settings.engine == ORFF_ENGINE_AUTO) /* a lattice needs the range of some rows */
        s->settings.engine =
            data->n ? orff_settings_engine_of_sums(&s->settings, data->d, data->p) : ORFF_ENGINE_FEATURES;
    cli_say("the data are larger than --memory %s, so they are summed in one pass for the engine %s; "
            "automatic choices use the first %zu rows",
            cli_text(a, CLI_OPT_MEMORY), orff_engine_name(s->settings.engine), data->n);
    return s->settings.engine == ORFF_ENGINE_LATTICE
               ? cli_lattice_moments_make(a, data, s, &moments->lattice)
               : cli_features_moments_make(a, data, s, &moments->features);
}

static bool is_open(const cli_arguments *a, cli_option_id id) {
    static const char *const open[] = {"auto", "ard", "median"};
    bool found = false;
    for (size_t i = 0; cli_given(a, id) && i < sizeof open / sizeof *open; i++)
        found = found || strstr(cli_text(a, id), open[i]);
    return found;
}

/* Removes options whose values were chosen from the first rows and are now in the notes; a shape is there
 * as part of its base. */
static cli_arguments with_choices(const cli_arguments *a) {
    static const char *const names[] = {"kernel", "base", "shape", "sigma"};
    cli_arguments left = *a;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_open(a, cli_setting(names[i]))) left.given[cli_setting(names[i])].count = 0;
    if (is_open(a, cli_setting("shape"))) left.given[cli_setting("base")].count = 0;
    return left;
}

int cli_fit_summed(const cli_arguments *a, cli_data *data, cli_settings *s, double start) {
    cli_moments moments = {0};
    int status = refuse(a, &s->settings);
    if (!status) status = cli_settings_note(s, data->notes);
    if (!status) status = sum_up(a, data, s, &moments);
    const cli_arguments left = with_choices(a);
    if (!status)
        status = cli_fit_moments(&left, &moments, data->notes, fmt_table_dropped(data->table), start);
    cli_moments_clear(&moments);
    return status;
}
