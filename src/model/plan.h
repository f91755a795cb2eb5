/* A plan: settings in which nothing but lambda is automatic any more, in the units of the kernel. */
#ifndef ORFFI_MODEL_PLAN_H
#define ORFFI_MODEL_PLAN_H

#include "model/parts.h"
#include "model/rows.h"

typedef struct orffi_plan {
    /* As given, with all decisions filled in; `parts` describe the kernel more fully. */
    orff_settings settings;
    const orffi_engine *engine;
    const char *engine_reason;
    size_t d, p; /* p: number of outputs that the model learns */
    orffi_parts parts;
    size_t *space; /* p: inputs of the field's space, if some part is physical; or NULL */
    bool physical;
    bool directed;         /* rows are measurements along directions: see engine/table.h */
    orffi_quality quality; /* what is known of the quality of the rows */
    size_t measured;       /* measurements from which directed rows were made ... */
    double N;              /* ... and the N of N lambda */
    /* Directed rows: what to subtract from the log evidence because they were divided by their spread. */
    double log_spread;
    bool rigid;              /* some part has callbacks and is not stretchable: all inputs share one unit */
    double *extent, *middle; /* d: range of the inputs and its middle, in units */
    double *periods;         /* d: periods of inputs on a circle, in units; see base/periods.h */
    orff_folds folds;        /* what is held out together: see blocks.h */
    double *blocks;          /* d: sides of blocks, in units; or NULL */
    orffi_units units;
    double
        shift; /* the variance of the noise of a row of weight 1 over that of the field, trace K(0)/p, where the choices
                     found one: about N lambda over the kernel's size; else 0 */
    double *mean; /* p: of the outputs, in the user's units, where the choices found one; or NULL */
    double left_out; /* rows left out chose the kernel, which that of most evidence misses by so many times as much; else 0 */
    struct orffi_trend_fit *trend; /* see trend_fit.h; not owned; NULL: none */
    /* Lambda was chosen along the path of the original settings, and is now set in `settings`. */
    bool path_taken;
} orffi_plan;

/* Whether the length scale of a planned part is to be chosen. */
bool orffi_part_is_auto(const orff_part *part);

/* Whether the settings make sense by themselves. */
orff_status orffi_plan_check(const orff_settings *settings);

/* Examines the head of the rows, chooses units and everything else that is automatic. The settings must
 * have been checked. */
orff_status orffi_plan_make(orffi_plan *plan, const orff_settings *settings, const orffi_rows *rows);

/* Copies only the parts, as they are, for p outputs, on moments in the user's units. */
orff_status orffi_plan_for_moments(orffi_plan *plan, const orff_settings *settings,
                                   const orff_moments *moments);
/* The same on moments of a lattice; length scales that are auto are chosen later. */
orff_status orffi_plan_for_lattice(orffi_plan *plan, const orff_settings *settings,
                                   const orff_lattice_moments *moments);
void orffi_plan_clear(orffi_plan *plan);

/* Whether the outputs may be a field over the inputs: there is a space, and the outputs are not codes of
 * classes. */
bool orffi_plan_has_field(const orffi_plan *plan);

/* Gives the inputs of the field's space (NULL: all inputs) one unit, the root mean square of theirs, since
 * a gradient with stretched inputs is no gradient. */
void orffi_share_unit(const size_t *inputs, size_t count, double *unit);

orff_status orffi_plan_kernel(const orffi_plan *plan, orff_kernel **kernel);

/* The task of an engine for this plan, with all its frequencies. The plan must outlive the task. */
orffi_task orffi_plan_task(const orffi_plan *plan);

#endif
