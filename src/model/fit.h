/* What fitting and tuning share. */
#ifndef ORFF_MODEL_FIT_H
#define ORFF_MODEL_FIT_H

#include "base/status.h"

/* Whether d inputs and p outputs go with the settings. */
orff_status orff_check_shape(const orff_settings *settings, size_t d, size_t p);

/* Simplex codes of T classes (T x (T-1)), allocated; nothing for T = 0. */
orff_status orff_make_codes(size_t classes, double **codes);

#endif
