/* What the files that make a plan share. */
#ifndef ORFFI_MODEL_PLAN_STEPS_H
#define ORFFI_MODEL_PLAN_STEPS_H

#include "model/plan.h"

/* ---- parts */

/* Those of the settings; without any a decomposable one, whose base and length scale are auto. */
orff_status orffi_plan_copy_parts(orffi_plan *plan, const orff_settings *settings);
bool orffi_plan_any_auto(const orffi_plan *plan);

/* Every part is k I: outputs have nothing to do with each other. */
bool orffi_plan_has_own_outputs(const orffi_plan *plan);

/* Shapes that are auto can be chosen. rows: the kernel is chosen by rows. */
orff_status orffi_plan_check_shapes(const orffi_plan *plan, bool rows);

/* A base that was not chosen: the length scale is given, or there is no evidence. A shape that was not: the outputs do not
 * vary. */
void orffi_plan_name_bases(orffi_plan *plan);

/* The field's space: that of the first physical part, else all inputs where d = p. */
orff_status orffi_plan_find_space(orffi_plan *plan);

/* ---- units */

/* Units of inputs and outputs, and the range of the rows in them. */
orff_status orffi_plan_choose_units(orffi_plan *plan, const orffi_rows *rows);

#endif
