/* Particles on their way: where they are, as a state that Runge-Kutta steps add to, and how fast it changes.
 *
 * On a plane the state is a vector from the centre of the Earth, of its radius (3 numbers, km), so that neither poles nor
 * the date line are special:   s' = rate (u E + v N),   E and N being unit vectors eastward and northward at s.
 * Else it is the p inputs that move:   s' = rate f.
 */
#ifndef ORFFI_MODEL_DRIFT_H
#define ORFFI_MODEL_DRIFT_H

#include "model/model.h"

enum { ORFFI_STATE = 3 }; /* most numbers of a state */

typedef struct orffi_flow {
    const orff_model *model;
    const orff_samples *samples; /* NULL: the model's own field */
    const orff_drift *how;
    size_t n;         /* particles of each member */
    const double *X;  /* n x d: where they start */
    size_t m;         /* numbers of a state */
    double *at;       /* room x d: inputs */
    double *f, *more; /* room x p: values, and what samples add */
} orffi_flow;

/* Room for that many particles at once. Cleared also after a failure. */
orff_status orffi_flow_init(orffi_flow *flow, size_t room);
void orffi_flow_clear(orffi_flow *flow);

/* A row of inputs to a state and back; of the row only the inputs that move are written. Longitudes are those next to the
 * one that stands there. */
void orffi_flow_state(const orffi_flow *flow, const double *x, double *state);
void orffi_flow_place(const orffi_flow *flow, const double *state, double *x);

/* Particles in order of their number, member * n + i. */
typedef struct orffi_particle {
    size_t number;
    double time, step;
    double state[ORFFI_STATE];
    double slope[7][ORFFI_STATE]; /* the stages of a step; the first is s' at the state itself */
    double trial[ORFFI_STATE];    /* where a stage is evaluated; that of the last is the end of the step */
    double from;                  /* the longitude last told, or any */
    size_t next;                  /* the time asked for that comes next */
    size_t steps;
    bool ended;
} orffi_particle;

/* slope[stage] at the trials of `count` particles, `share` of their step on. A particle ends where the model has no value. */
orff_status orffi_flow_slopes(orffi_flow *flow, size_t count, orffi_particle *const *particles, size_t stage,
                              double share);

#endif
