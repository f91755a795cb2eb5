/* The few rows that the evidence of special kernels looks at: a choice's sample (choice.h) as rows of an evidence. */
#ifndef ORFFI_MODEL_FEW_H
#define ORFFI_MODEL_FEW_H

#include "exact/evidence.h"
#include "model/choice.h"
#include "solve/minimise.h"

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

/* A climb of the evidence between bounds, for orffi_maximise: no logarithm grows by more than 1 at once, and it ends where a hundredth
 * of the log evidence is all there is to gain, as tops are flat. */
orffi_minimum orffi_few_climb(size_t n, const double *low, const double *high, size_t most);

/* Fails where an input does not vary: it has neither waves nor delays. */
orff_status orffi_few_check_inputs(const orffi_plan *plan);

#endif
