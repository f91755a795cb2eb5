#include "moments_file.h"

#include <string.h>

#include "options.h"
#include "report.h"

int cli_moments_load(cli_moments *m, const char *path) {
    *m = (cli_moments){0};
    return cli_outcome(orff_lattice_moments_is_file(path) ? orff_lattice_moments_load(&m->lattice, path)
                                                          : orff_moments_load(&m->features, path),
                       NULL);
}

int cli_moments_save(const cli_moments *m, const char *path) {
    const orff_status status =
        m->lattice ? orff_lattice_moments_save(m->lattice, path) : orff_moments_save(m->features, path);
    return cli_outcome(status, status == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
}

int cli_moments_join(cli_moments *into, const cli_moments *other, bool subtract, const char *path) {
    if (!into->lattice != !other->lattice)
        return cli_failed("%s: moments of the engine %s cannot be added to those of %s", path,
                          orff_engine_name(cli_moments_describe(other).engine),
                          orff_engine_name(cli_moments_describe(into).engine));
    if (into->lattice)
        return cli_outcome((subtract ? orff_lattice_moments_subtract
                                     : orff_lattice_moments_add)(into->lattice, other->lattice),
                           path);
    return cli_outcome((subtract ? orff_moments_subtract : orff_moments_add)(into->features, other->features),
                       path);
}

void cli_moments_clear(cli_moments *m) {
    orff_moments_free(m->features);
    orff_lattice_moments_free(m->lattice);
    *m = (cli_moments){0};
}

cli_moments_info cli_moments_describe(const cli_moments *m) {
    if (m->lattice) {
        const orff_lattice_moments_info info = orff_lattice_moments_describe(m->lattice);
        return (cli_moments_info){.rows = info.rows,
                                  .weight = info.weight,
                                  .inputs = info.inputs,
                                  .outputs = info.outputs,
                                  .folds = info.folds,
                                  .waves = info.modes,
                                  .engine = ORFF_ENGINE_LATTICE};
    }
    const orff_moments_info info = orff_moments_describe(m->features);
    return (cli_moments_info){.rows = info.rows,
                              .weight = info.weight,
                              .inputs = info.inputs,
                              .outputs = info.outputs,
                              .folds = info.folds,
                              .waves = info.frequencies,
                              .engine = ORFF_ENGINE_FEATURES};
}

const char *cli_moments_notes(const cli_moments *m) {
    return m->lattice ? orff_lattice_moments_notes(m->lattice) : orff_moments_notes(m->features);
}

/* [[low, high], ..] */
static json_t *ranges(size_t d, const double *low, const double *high) {
    json_t *list = json_array();
    for (size_t i = 0; i < d; i++) json_array_append_new(list, json_pack("[f, f]", low[i], high[i]));
    return list;
}

json_t *cli_moments_json(const cli_moments *m) {
    const cli_moments_info info = cli_moments_describe(m);
    json_t *object = json_pack("{s:I, s:f, s:I, s:I, s:I, s:s, s:I}", "n", (json_int_t)info.rows, "weight",
                               info.weight, "d", (json_int_t)info.inputs, "p", (json_int_t)info.outputs,
                               "folds", (json_int_t)info.folds, "engine", orff_engine_name(info.engine),
                               m->lattice ? "waves" : "features", (json_int_t)info.waves);
    if (!m->lattice) return object;
    const orff_lattice_moments_info more = orff_lattice_moments_describe(m->lattice);
    json_object_set_new(object, "extent", ranges(more.inputs, more.low, more.high));
    json_object_set_new(object, "sigma_range", ranges(more.inputs, more.shortest, more.longest));
    return object;
}
