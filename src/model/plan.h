/* A plan: settings in which nothing is automatic any more but lambda, in the units the kernel sees. */
#ifndef ORFFI_MODEL_PLAN_H
#define ORFFI_MODEL_PLAN_H

#include "model/parts.h"
#include "model/rows.h"

typedef struct orffi_plan {
    orff_settings settings; /* as given, but for what is decided; of the kernel the parts say more */
    const orffi_engine *engine;
    const char *engine_reason;
    size_t d, p; /* p as the model sees it */
    orffi_parts parts;
    size_t *space; /* p: the field's space, when some part is physical */
    bool physical;
    bool directed;         /* rows say what f has along a direction: see engine/table.h */
    orffi_quality quality; /* of the rows */
    size_t measured;       /* measurements that directed rows are parts of ... */
    double N;              /* ... and what lambda goes with */
    double log_spread; /* of directed rows: what dividing them by their spread takes off the log evidence */
    bool rigid;        /* some part has callbacks and is not stretchable: one unit for all inputs */
    double *extent, *middle; /* d: range of the inputs and its middle, in units */
    double *periods;         /* d: of inputs on a circle, in units; see base/periods.h */
    orff_folds folds;        /* what is left out together: see blocks.h */
    double *blocks;          /* d: sides of blocks, in units; or NULL */
    orffi_units units;
    double
        shift; /* the variance of the noise of a row of weight 1 over that of the field, trace K(0)/p, where the choices
                     found one: about N lambda over the kernel's size; else 0 */
    double *mean; /* p: of the outputs, in the user's units, where the choices found one; or NULL */
    double left_out; /* rows left out chose the kernel, which that of most evidence misses by so many times as much; else 0 */
    struct orffi_trend_fit *trend; /* see trend_fit.h; not owned; NULL: none */
    bool path_taken; /* lambda was chosen along the path of the settings before, and stands in them now */
} orffi_plan;

/* Whether the length scale of a planned part is to be chosen. */
bool orffi_part_is_auto(const orff_part *part);

/* Whether the settings make sense by themselves. */
orff_status orffi_plan_check(const orff_settings *settings);

/* Look at the head of the rows, choose units, and everything that is automatic. The settings have been
 * checked. */
orff_status orffi_plan_make(orffi_plan *plan, const orff_settings *settings, const orffi_rows *rows);

/* Only the parts, as they are, for p outputs on moments whose units are the user's. */
orff_status orffi_plan_for_moments(orffi_plan *plan, const orff_settings *settings,
                                   const orff_moments *moments);
/* The same on moments of a lattice; length scales that are auto are still to be chosen. */
orff_status orffi_plan_for_lattice(orffi_plan *plan, const orff_settings *settings,
                                   const orff_lattice_moments *moments);
void orffi_plan_clear(orffi_plan *plan);

/* Whether the outputs may be a field over the inputs: there is a space, and they are no codes of classes. */
bool orffi_plan_has_field(const orffi_plan *plan);

/* One unit, the root mean square, for the inputs of the field's space (NULL: for all): a stretched gradient is
 * no gradient. */
void orffi_share_unit(const size_t *inputs, size_t count, double *unit);

orff_status orffi_plan_kernel(const orffi_plan *plan, orff_kernel **kernel);

/* What an engine is asked to prepare for the plan: with all its frequencies. The plan must outlive it. */
orffi_task orffi_plan_task(const orffi_plan *plan);

#endif
