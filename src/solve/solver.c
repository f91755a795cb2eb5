#include "solve/solver.h"

#include <string.h>

static const orffi_solver_row rows[ORFF_SOLVER_COUNT] = {
    [ORFF_SOLVER_AUTO] = {"auto", false, NULL},      [ORFF_SOLVER_DIRECT] = {"direct", false, NULL},
    [ORFF_SOLVER_LSMR] = {"lsmr", true, orffi_lsmr}, [ORFF_SOLVER_IDR] = {"idr", true, orffi_idr},
    [ORFF_SOLVER_PCG] = {"pcg", true, orffi_pcg},    [ORFF_SOLVER_SGD] = {"sgd", true, NULL},
    [ORFF_SOLVER_EXACT] = {"exact", false, NULL},
};

const orffi_solver_row *orffi_solver_find(orff_solver solver) {
    static const orffi_solver_row none;
    return (unsigned)solver < ORFF_SOLVER_COUNT ? &rows[solver] : &none;
}

const char *orff_solver_name(orff_solver solver) {
    return orffi_solver_find(solver)->name;
}

orff_status orff_solver_parse(const char *name, orff_solver *solver) {
    if (!name || !solver) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_solver_parse: NULL argument");
    for (int i = 0; i < ORFF_SOLVER_COUNT; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            *solver = (orff_solver)i;
            return ORFF_OK;
        }
    }
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "there is no solver '%s'; there are auto, direct, lsmr, idr, pcg, sgd, exact", name);
}
