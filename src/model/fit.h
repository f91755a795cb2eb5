/* What fitting and tuning have in common. */
#ifndef ORFFI_MODEL_FIT_H
#define ORFFI_MODEL_FIT_H

#include "model/path.h"

/* Whether the settings make sense, and fit d inputs and p outputs. */
orff_status orffi_check_fit(const orff_settings *settings, size_t d, size_t p);

/* Whether the settings ask only for what moments of p outputs can give, whatever their engine. */
orff_status orffi_check_fit_moments(const orff_settings *settings, size_t p);

/* A model of the rows, fitted as planned. found: the path that has already chosen lambda, or NULL. */
orff_status orffi_fit_plan(orff_model **out, orffi_plan *plan, orffi_rows *rows, const orffi_path *found);

/* The same, with errors on held-out rows. */
orff_status orffi_fit_checked(orff_model **out, orffi_plan *plan, orffi_rows *rows, const orffi_path *found);

/* Like orffi_fit_plan, from rows that the plan's engine has prepared for this kernel. */
orff_status orffi_fit_prepared(orff_model **out, orffi_plan *plan, void *rows, const orff_kernel *kernel,
                               const orffi_path *found);

/* From rows to a model: plan, fit, errors on held-out rows. */
orff_status orffi_fit_rows(orff_model **out, const orff_settings *settings, orffi_rows *rows);

/* The codes of the classes: those of the settings, or else of a simplex. Fails if two are the same.
 * Release them with the second. */
orff_status orffi_codes_make(orffi_codes *codes, const orff_settings *settings);
void orffi_codes_clear(orffi_codes *codes);

/* Whether given codes are valid, before any row is seen. */
orff_status orffi_check_codes(const orff_settings *settings);

bool orffi_have_same_codes(const orff_settings *a, const orff_settings *b);

/* Number of outputs that the model learns: p, or the length of a code. */
size_t orffi_code_length(const orff_settings *settings, size_t p);

/* Learns output matrices from moments, for parts that learn theirs: see choose_matrix_moments.c. */
orff_status orffi_matrix_from_moments(orffi_plan *plan, const orff_moments *moments);

#endif
