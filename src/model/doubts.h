/* What may be wrong with a fit that has come to an end: found once, when the rows are at hand, and said in words that name
 * the remedy. */
#ifndef ORFFI_MODEL_DOUBTS_H
#define ORFFI_MODEL_DOUBTS_H

#include "model/model.h"
#include "model/plan.h"

/* model->doubts of a model that was fitted to these rows by this plan, and its warning. */
orff_status orffi_doubts_find(orff_model *model, const orffi_plan *plan, const orffi_rows *rows);

/* Adds them to model->warnings and model->warning. */
void orffi_doubts_say(orff_model *model);

/* What is kept of held_out.h and of these in a file. pack: not 0 where there is no memory. */
int orffi_doubts_pack(const orff_model *model, json_t *object);
orff_status orffi_doubts_unpack(const orffi_fields *in, orff_model *model);

#endif
