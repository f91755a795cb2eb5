#include "solve/solver.h"

#include "base/names.h"

static const orffi_solver_row rows[ORFF_SOLVER_COUNT] = {
    [ORFF_SOLVER_AUTO] = {.any_loss = true, .learns_weights = true},
    [ORFF_SOLVER_DIRECT] = {.learns_weights = true},
    [ORFF_SOLVER_LSMR] = {.iterates = true, .solve = orffi_lsmr},
    [ORFF_SOLVER_IDR] = {.iterates = true, .solve = orffi_idr},
    [ORFF_SOLVER_PCG] = {.iterates = true, .solve = orffi_pcg, .preconditions = true},
    [ORFF_SOLVER_SGD] = {.iterates = true, .any_loss = true},
};

static const char *const names[] = {ORFF_SOLVER_LIST(ORFFI_NAME_OF) NULL};

const orffi_solver_row *orffi_solver_find(orff_solver solver) {
    static const orffi_solver_row none;
    return (unsigned)solver < ORFF_SOLVER_COUNT ? &rows[solver] : &none;
}

const char *orff_solver_name(orff_solver solver) {
    return (unsigned)solver < ORFF_SOLVER_COUNT ? names[solver] : NULL;
}

const char *const *orff_solver_names(void) {
    return names;
}

orff_status orff_solver_parse(const char *name, orff_solver *solver) {
    size_t place;
    if (!solver) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_solver_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("solver", name, names, &place));
    *solver = (orff_solver)place;
    return ORFF_OK;
}
