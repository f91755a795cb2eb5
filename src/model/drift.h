/* Moving particles: their states, which Runge-Kutta steps change, and the rate of change.
 *
 * On a plane the state is the vector from the centre of the Earth, of the Earth's radius (3 numbers, km),
 * so that poles and the date line are not special:   s' = rate (u E + v N),   where E and N are the unit
 * vectors eastward and northward at s. Otherwise it is the p inputs that move:   s' = rate f. */
#ifndef ORFFI_MODEL_DRIFT_H
#define ORFFI_MODEL_DRIFT_H

#include "model/model.h"

enum { ORFFI_STATE = 3 }; /* largest length of a state */

typedef struct orffi_flow {
    const orff_model *model;
    const orff_samples *samples; /* NULL: the model's own field */
    const orff_drift *how;
    size_t n;         /* particles of each member */
    const double *X;  /* n x d: where they start */
    size_t m;         /* length of a state */
    double *at;       /* room x d: inputs */
    double *f, *more; /* room x p: values of f, and what samples add */
} orffi_flow;

/* Makes room for that many particles at once. Clear also after a failure. */
orff_status orffi_flow_init(orffi_flow *flow, size_t room);
void orffi_flow_clear(orffi_flow *flow);

/* Convert a row of inputs to a state and back. Only the inputs that move are written. Longitudes are
 * chosen nearest to the one already in the row. */
void orffi_flow_state(const orffi_flow *flow, const double *x, double *state);
void orffi_flow_place(const orffi_flow *flow, const double *state, double *x);

/* Particles are ordered by their number, member * n + i. */
typedef struct orffi_particle {
    size_t number;
    double time, step;
    double state[ORFFI_STATE];
    double slope[7][ORFFI_STATE]; /* the stages of a step; the first is s' at the state itself */
    double trial[ORFFI_STATE];    /* where a stage is evaluated; for the last stage, the end of the step */
    double from;                  /* the longitude recorded last, or any */
    size_t next;                  /* the next output time */
    size_t steps;
    bool ended;
} orffi_particle;

/* Fills slope[stage] at the trials of `count` particles, at `share` of their step. A particle ends where
 * the model has no value. */
orff_status orffi_flow_slopes(orffi_flow *flow, size_t count, orffi_particle *const *particles, size_t stage,
                              double share);

#endif
