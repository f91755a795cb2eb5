/* The few rows that the evidence of special kernels looks at: a choice's sample (choice.h) as rows of an evidence. */
#ifndef ORFFI_MODEL_FEW_H
#define ORFFI_MODEL_FEW_H

#include "exact/evidence.h"
#include "model/choice.h"

typedef struct orffi_few {
    orffi_table table; /* all rows that were looked at, centred */
    orffi_sample sample;
    orffi_evidence_rows *rows; /* sample.count groups */
    double *median, *low;      /* d each: median distances; the shortest length scales that are looked at */
} orffi_few;

/* order: numbers of the evidence's matrix for each row. `few` is zeroed before, and to be cleared in any case. */
orff_status orffi_few_make(orffi_plan *plan, const orffi_rows *rows, size_t order, orffi_few *few);
void orffi_few_clear(orffi_few *few);

/* d numbers of the inputs in the user's units, with commas. */
#define ORFFI_FEW_TEXT 200
const char *orffi_few_text(const orffi_plan *plan, const double *list, char text[ORFFI_FEW_TEXT]);

/* Fails where an input does not vary: it has neither waves nor delays. */
orff_status orffi_few_check_inputs(const orffi_plan *plan);

#endif
