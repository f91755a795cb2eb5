/* What is chosen from a subsample of the rows: length scales, Helmholtz weights, whole mixtures. */
#ifndef ORFF_MODEL_CHOOSE_H
#define ORFF_MODEL_CHOOSE_H

#include "model/plan.h"

/* Length scales of the parts whose sigma is auto, as a multiple of the median distance, and the c of
 * Helmholtz parts when auto_mix: by cross-validation. */
orff_status orff_choose_scales(orff_plan *plan, const orff_rows *rows);

/* Replace the parts by those of a dictionary (rules x scales) that the evidence keeps, with their weights
 * and shares. */
orff_status orff_choose_mixture(orff_plan *plan, const orff_rows *rows);

/* Learn the weights of the plan's parts from moments under its features; parts that explain nothing go. */
orff_status orff_plan_learn_weights(orff_plan *plan, const orff_features *features,
                                    const orff_moments *moments);

/* Learn the weights of the plan's parts from the rows, when they are few, by the exact kernel;
 * plan->settings.mixture is then false. Else nothing is done: they are learned from the moments of all
 * rows. */
orff_status orff_choose_weights(orff_plan *plan, const orff_rows *rows);

#endif
