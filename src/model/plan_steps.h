/* Shared by the files that make a plan. */
#ifndef ORFFI_MODEL_PLAN_STEPS_H
#define ORFFI_MODEL_PLAN_STEPS_H

#include "model/plan.h"

/* ---- parts */

/* The parts of the settings; without any, a decomposable one with base and length scale auto. */
orff_status orffi_plan_copy_parts(orffi_plan *plan, const orff_settings *settings);
bool orffi_plan_any_auto(const orffi_plan *plan);

/* Whether every part is k I, so that outputs do not influence each other. */
bool orffi_plan_has_own_outputs(const orffi_plan *plan);

/* Fails if a shape that is auto cannot be chosen. rows: whether the kernel is chosen from rows. */
orff_status orffi_plan_check_shapes(const orffi_plan *plan, bool rows);

/* Sets bases and shapes that remained open: bases where the length scale was given or there is no
 * evidence, shapes where the outputs do not vary. */
void orffi_plan_name_bases(orffi_plan *plan);

/* Finds the field's space: that of the first physical part, otherwise all inputs if d = p. */
orff_status orffi_plan_find_space(orffi_plan *plan);

/* ---- units */

/* Chooses units of inputs and outputs, and measures the range of the rows in them. */
orff_status orffi_plan_choose_units(orffi_plan *plan, const orffi_rows *rows);

#endif
