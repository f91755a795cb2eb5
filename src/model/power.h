/* A power spectrum under construction. */
#ifndef ORFFI_MODEL_POWER_H
#define ORFFI_MODEL_POWER_H

#include "model/model.h"

/* Adds power to the bin that contains a wavenumber, if any. */
void orffi_power_add(const orff_power *power, double *bins, double wavenumber, double amount);

/* The power that the kernel expects, from frequencies drawn from its parts. If it is unknown,
 * power->expected stays false and the message says why. */
orff_status orffi_power_prior(orff_power *power, const orff_model *model, size_t dim, const size_t *axes);

#endif
