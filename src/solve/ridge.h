/* A ridge problem and what has been factored of it. */
#ifndef ORFF_SOLVE_RIDGE_H
#define ORFF_SOLVE_RIDGE_H

#include "solve/system.h"

struct orff_ridge {
    const orff_features *features;
    const orff_moments *moments;
    bool center;
    orff_system system;
};

#endif
