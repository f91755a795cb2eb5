#include "solve/solver.h"

#include "base/names.h"

const orffi_solver_row orffi_solver_auto = {.any_loss = true, .learns_weights = true};
const orffi_solver_row orffi_solver_direct = {.learns_weights = true};

static const orffi_solver_row *const rows[ORFF_SOLVER_COUNT] = {
#define ROW_OF(name, file, text) &orffi_solver_##file,
    ORFF_SOLVER_LIST(ROW_OF)
#undef ROW_OF
};

static const char *const names[] = {ORFF_SOLVER_LIST(ORFFI_NAME_OF_FILE) NULL};

const orffi_solver_row *orffi_solver_find(orff_solver solver) {
    static const orffi_solver_row none;
    return (unsigned)solver < ORFF_SOLVER_COUNT ? rows[solver] : &none;
}

bool orffi_solver_is_closed(orff_solver solver) {
    return (unsigned)solver < ORFF_SOLVER_COUNT && !rows[solver]->iterates;
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
