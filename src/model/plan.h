/* A plan: settings in which nothing is automatic any more but lambda, in the units the features see. */
#ifndef ORFFI_MODEL_PLAN_H
#define ORFFI_MODEL_PLAN_H

#include "model/rows.h"
#include "moments/moments.h"

typedef struct orffi_plan {
    orff_settings settings; /* parts and n_parts point to what follows */
    size_t d, p;            /* p as the model sees it */
    orff_part *parts;
    double *sigmas; /* n_parts x d: length scales of every part */
    size_t *space;  /* p: the field's space, when some part is physical */
    bool physical;
    bool rigid;     /* some part has callbacks and is not stretchable: one unit for all inputs */
    double *extent; /* d: range of the inputs, in units */
    orffi_units units;
    double *shares; /* n_parts + 1 from a learned mixture, or NULL */
} orffi_plan;

/* Whether the settings make sense by themselves. */
orff_status orffi_plan_check(const orff_settings *settings);

/* Look at the head of the rows, choose units, and everything that is automatic. The settings have been
 * checked. */
orff_status orffi_plan_make(orffi_plan *plan, const orff_settings *settings, const orffi_rows *rows);

/* Only the parts, as they are, for p outputs on moments whose units are the user's. */
orff_status orffi_plan_for_moments(orffi_plan *plan, const orff_settings *settings,
                                   const orff_moments *moments);
void orffi_plan_clear(orffi_plan *plan);

/* Whether the outputs may be a field over the inputs: there is a space, and they are no codes of classes. */
bool orffi_plan_has_field(const orffi_plan *plan);

/* Kernel and features of a plan. */
orff_status orffi_plan_kernel(const orffi_plan *plan, orff_kernel **kernel);
orff_status orffi_plan_features(const orffi_plan *plan, size_t D, orff_features **features);

/* The smallest cross-validated error over the plan's path of lambdas, relative to trace K(0)/p of the
 * features; generalised cross-validation where less than two folds have rows. */
typedef struct orffi_best_lambda {
    double lambda, cv_mse;
} orffi_best_lambda;

/* Of two lambdas with the same error the larger: it asks less of the data. */
orffi_best_lambda orffi_pick_lambda(size_t count, const double *lambdas, const double *errors);
orff_status orffi_plan_cross_validate(const orffi_plan *plan, const orff_features *features,
                                      const orff_moments *moments, orffi_best_lambda *best);

/* ORFF_ERROR_NUMERICAL where lambda leaves nothing of K in double precision: beside it, `size` = trace K(0)/p is lost
 * in rounding. The second finds the size of features. */
orff_status orffi_check_lambda(double lambda, double size);
orff_status orffi_plan_check_lambda(double lambda, const orff_features *features);

/* The path of lambdas itself: lambda_count values. */
orff_status orffi_plan_lambdas(const orffi_plan *plan, const orff_features *features, double *lambdas);

#endif
