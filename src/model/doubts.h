/* What may be wrong with a finished fit: found once, while the rows are at hand, and reported with a
 * remedy. */
#ifndef ORFFI_MODEL_DOUBTS_H
#define ORFFI_MODEL_DOUBTS_H

#include "model/model.h"
#include "model/plan.h"

/* Fills model->doubts for a model fitted to these rows by this plan, and its warning. */
orff_status orffi_doubts_find(orff_model *model, const orffi_plan *plan, const orffi_rows *rows);

/* Adds them to model->warnings and model->warning. */
void orffi_doubts_say(orff_model *model);

/* What a file keeps of held_out.h and of the doubts. pack: nonzero if memory runs out. */
int orffi_doubts_pack(const orff_model *model, json_t *object);
orff_status orffi_doubts_unpack(const orffi_fields *in, orff_model *model);

#endif
