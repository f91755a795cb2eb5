/* The engines, and how one is chosen. */
#include "base/names.h"
#include "engine/engine.h"

#define LARGEST_POSTERIOR 6000 /* a file of 300 MB */

const orffi_engine orffi_engine_auto = {.id = ORFF_ENGINE_AUTO};

static const orffi_engine *const engines[ORFF_ENGINE_COUNT] = {
#define ENGINE_OF(name, file, text) &orffi_engine_##file,
    ORFF_ENGINE_LIST(ENGINE_OF)
#undef ENGINE_OF
};

static const char *const names[] = {ORFF_ENGINE_LIST(ORFFI_NAME_OF_FILE) NULL};

const orffi_engine *orffi_engine_find(orff_engine engine) {
    if ((unsigned)engine >= ORFF_ENGINE_COUNT || engine == ORFF_ENGINE_AUTO) return NULL;
    return engines[engine];
}

const char *orff_engine_name(orff_engine engine) {
    return (unsigned)engine < ORFF_ENGINE_COUNT ? names[engine] : NULL;
}

const char *const *orff_engine_names(void) {
    return names;
}

orff_status orff_engine_parse(const char *name, orff_engine *engine) {
    size_t place;
    if (!engine) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_engine_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("engine", name, names, &place));
    *engine = (orff_engine)place;
    return ORFF_OK;
}

/* ---- the choice */

/* Without a lattice, features would be slower and less exact than a dense matrix up to this order. */
#define FEW_IF_NO_LATTICE (2 * ORFFI_FEW_NUMBERS)

/* Whether the settings ask for what only features have: schemes, numbers and tables of frequencies,
 * solvers, other losses, single precision, sums that can be resumed. */
static bool asks_for_features(const orff_settings *s) {
    const orff_sampling plain = orff_sampling_default();
    for (size_t m = 0; m < s->n_parts; m++)
        if (orffi_rule_find(s->parts[m].rule) && orffi_rule_find(s->parts[m].rule)->own_law) return true;
    return s->sampling.features || s->sampling.omega || s->sampling.scheme != plain.scheme ||
           s->sampling.importance != plain.importance || s->solver != ORFF_SOLVER_AUTO ||
           s->loss != ORFF_LOSS_SQUARED || s->single || s->checkpoint;
}

/* Whether the matrix of the rows is scalar: outputs are alike, or a single part couples them by its A. */
static bool is_alike(const orff_settings *s) {
    for (size_t m = 0; m < s->n_parts; m++) {
        const orff_part *part = &s->parts[m];
        if (!orff_rule_describe(part->rule).separable) return false;
        if (s->n_parts > 1 && (part->A || part->B || part->learn)) return false;
    }
    return !s->auto_kernel;
}

/* Whether all parts have an exact kernel. */
static bool has_exact(const orff_settings *s) {
    for (size_t m = 0; m < s->n_parts; m++)
        if (!orff_rule_describe(s->parts[m].rule).named && !s->parts[m].exact) return false;
    return true;
}

static bool has_periods(const orff_settings *s, size_t d) {
    for (size_t i = 0; s->periods && i < d; i++)
        if (s->periods[i] != 0.0) return true;
    return false;
}

orff_status orffi_refuse_periods(const orff_settings *s, orff_engine engine, size_t d) {
    if (!has_periods(s, d)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the engine %s has no periodic inputs; use %s",
                      orff_engine_name(engine), orff_engine_name(ORFF_ENGINE_LATTICE));
}

static const orffi_engine *choose(const orff_settings *s, size_t d, size_t p, size_t rows,
                                  const char **reason) {
    size_t bytes;
    const bool lattice = orffi_engine_lattice.suits(s, d, p, rows, &bytes) == ORFF_OK;
    const double numbers = (double)rows * (is_alike(s) ? 1.0 : (double)p),
                 few = !is_alike(s) ? ORFFI_FEW_NUMBERS
                       : !lattice   ? FEW_IF_NO_LATTICE
                       : p > 1      ? (double)orffi_engine_exact.parts_noises
                                    : ORFFI_FEW_NUMBERS;
    *reason = "there are hidden layers";
    if (s->n_hidden) return &orffi_engine_stack;
    *reason = "inputs are periodic";
    if (has_periods(s, d) && lattice && !asks_for_features(s)) return &orffi_engine_lattice;
    *reason = "a setting is for random features";
    if (asks_for_features(s)) return &orffi_engine_features;
    *reason = "there are few enough rows for the exact kernel";
    if (rows && numbers <= few && has_exact(s) && orffi_engine_exact.suits(s, d, p, rows, &bytes) == ORFF_OK)
        return &orffi_engine_exact;
    *reason = "there are many rows and at most three inputs";
    if (lattice) return &orffi_engine_lattice;
    *reason = "neither the exact kernel nor a lattice suits these data";
    return &orffi_engine_features;
}

orff_status orffi_engine_choose(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                const orffi_engine **engine, const char **reason) {
    size_t bytes;
    if ((unsigned)settings->engine >= ORFF_ENGINE_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no engine number %d", (int)settings->engine);
    *engine = orffi_engine_find(settings->engine);
    *reason = "";
    if (!*engine) *engine = choose(settings, d, p, rows, reason);
    if (settings->n_hidden && *engine != &orffi_engine_stack)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "hidden layers are for the engine %s, not for %s",
                          orff_engine_name(ORFF_ENGINE_STACK), orff_engine_name((*engine)->id));
    return (*engine)->suits(settings, d, p, rows, &bytes);
}

orff_engine orff_settings_engine_of_sums(const orff_settings *settings, size_t d, size_t p) {
    size_t bytes;
    if (!settings || settings->engine != ORFF_ENGINE_AUTO)
        return settings ? settings->engine : ORFF_ENGINE_FEATURES;
    const bool lattice = p <= ORFF_LATTICE_OUTPUTS && !asks_for_features(settings) &&
                         orffi_engine_lattice.suits(settings, d, p, 0, &bytes) == ORFF_OK;
    return lattice ? ORFF_ENGINE_LATTICE : ORFF_ENGINE_FEATURES;
}

/* Each is one number, whatever the kernel; and a lattice has no quick way of its own for few of them. */
orff_status orffi_engine_choose_directed(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                         const orffi_engine **engine, const char **reason) {
    size_t bytes;
    if (settings->engine == ORFF_ENGINE_AUTO && !settings->n_hidden && rows <= ORFFI_FEW_DIRECTED &&
        !has_periods(settings, d) && !asks_for_features(settings) && has_exact(settings) &&
        orffi_engine_exact.suits(settings, d, 1, rows, &bytes) == ORFF_OK) {
        *engine = &orffi_engine_exact;
        *reason = "there are few enough rows for the exact kernel";
        return ORFF_OK;
    }
    return orffi_engine_choose(settings, d, p, rows, engine, reason);
}

const orffi_engine *orffi_engine_for_trials(const orffi_engine *engine, const orff_kernel *kernel,
                                            size_t rows) {
    return engine->compares(kernel, rows) ? engine : &orffi_engine_features;
}

bool orffi_keeps_posterior(const orff_settings *settings, double order) {
    return settings->posterior == ORFF_SWITCH_YES ||
           (settings->posterior == ORFF_SWITCH_AUTO && order <= LARGEST_POSTERIOR &&
            settings->loss == ORFF_LOSS_SQUARED);
}
