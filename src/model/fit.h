/* What fitting and tuning share. */
#ifndef ORFFI_MODEL_FIT_H
#define ORFFI_MODEL_FIT_H

#include "model/path.h"

/* Whether the settings make sense, and go with d inputs and p outputs. */
orff_status orffi_check_fit(const orff_settings *settings, size_t d, size_t p);

/* Whether they ask for nothing that moments of p outputs, of whichever engine, cannot give. */
orff_status orffi_check_fit_moments(const orff_settings *settings, size_t p);

/* A model of the rows as planned. found: the path along which lambda was chosen already, or NULL. */
orff_status orffi_fit_plan(orff_model **out, orffi_plan *plan, orffi_rows *rows, const orffi_path *found);

/* The same, and what it errs by on rows left out. */
orff_status orffi_fit_checked(orff_model **out, orffi_plan *plan, orffi_rows *rows, const orffi_path *found);

/* The same as orffi_fit_plan from rows that the plan's engine has prepared for this kernel. */
orff_status orffi_fit_prepared(orff_model **out, orffi_plan *plan, void *rows, const orff_kernel *kernel,
                               const orffi_path *found);

/* From rows to a model: plan, fit, what it errs by. */
orff_status orffi_fit_rows(orff_model **out, const orff_settings *settings, orffi_rows *rows);

/* The codes of the classes: those of the settings, else those of a simplex. Refuses two that are the same. Clear releases them. */
orff_status orffi_codes_make(orffi_codes *codes, const orff_settings *settings);
void orffi_codes_clear(orffi_codes *codes);

/* Whether codes that are given can be, before any row is seen. */
orff_status orffi_check_codes(const orff_settings *settings);

bool orffi_have_same_codes(const orff_settings *a, const orff_settings *b);

/* Outputs as the model sees them: p, or the length of a code. */
size_t orffi_code_length(const orff_settings *settings, size_t p);

/* Parts that learn their output matrix learn it from moments: see choose_matrix_moments.c. */
orff_status orffi_matrix_from_moments(orffi_plan *plan, const orff_moments *moments);

#endif
