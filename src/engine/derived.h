/* The derivatives of one wave: for f(x) = v exp(i <w, x>) a derived field is i^sign c(w, v) exp(i <w, x>),
 * c linear in v. */
#ifndef ORFFI_ENGINE_DERIVED_H
#define ORFFI_ENGINE_DERIVED_H

#include "engine/engine.h"

/* coefficient: computes c(w, v). w is restricted to the field's space (p entries); for the Jacobian it is
 * complete (d entries). */
typedef struct orffi_wave_field {
    double sign; /* 1 for derivatives, -1 for potentials */
    void (*coefficient)(size_t d, size_t p, const double *w, const double *v, double *out);
} orffi_wave_field;

const orffi_wave_field *orffi_wave_field_find(orff_field field);

/* The field (k numbers) at a point from its Jacobian (p x d): the Jacobian itself, the divergence or the
 * curl. */
void orffi_derived_combine(const orffi_derived *what, size_t d, size_t p, const double *J, double *out);

#endif
