/* The few rows that the evidence of special kernels uses: the sample of a choice (choice.h) as rows of an
 * evidence. */
#ifndef ORFFI_MODEL_FEW_H
#define ORFFI_MODEL_FEW_H

#include "exact/evidence.h"
#include "model/choice.h"
#include "solve/minimise.h"

typedef struct orffi_few {
    orffi_table table; /* all rows considered, centred */
    orffi_sample sample;
    orffi_evidence_rows *rows; /* sample.count groups */
    double *median, *low;      /* d each: median distances; the shortest length scales tried */
} orffi_few;

/* order: numbers per row in the matrix of the evidence. `few` must be zeroed before; clear it in any case. */
orff_status orffi_few_make(orffi_plan *plan, const orffi_rows *rows, size_t order, orffi_few *few);
void orffi_few_clear(orffi_few *few);

/* d numbers about the inputs, in the user's units, with commas. */
#define ORFFI_FEW_TEXT 200
const char *orffi_few_text(const orffi_plan *plan, const double *list, char text[ORFFI_FEW_TEXT]);

/* Settings of orffi_maximise for the evidence within bounds: no logarithm changes by more than 1 in a
 * step, and the climb ends when only a hundredth of the log evidence is left to gain, as maxima are flat. */
orffi_minimum orffi_few_climb(size_t n, const double *low, const double *high, size_t most);

/* Fails if an input does not vary, as it has neither waves nor delays then. */
orff_status orffi_few_check_inputs(const orffi_plan *plan);

#endif
