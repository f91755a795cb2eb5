/* The engines, and the choice among them. */
#include "base/names.h"
#include "engine/engine.h"

#define LARGEST_POSTERIOR 4000

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

orff_status orffi_engine_choose(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                const orffi_engine **engine, const char **reason) {
    size_t bytes;
    if ((unsigned)settings->engine >= ORFF_ENGINE_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no engine number %d", (int)settings->engine);
    *engine = orffi_engine_find(settings->engine);
    *reason = *engine ? "" : "features serve any number of inputs and rows";
    if (!*engine) *engine = &orffi_engine_features;
    return (*engine)->suits(settings, d, p, rows, &bytes);
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
