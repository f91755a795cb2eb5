/* How many frequencies a fit takes when nobody says. */
#ifndef ORFFI_MODEL_AUTO_FEATURES_H
#define ORFFI_MODEL_AUTO_FEATURES_H

#include "base/status.h"

/* For p outputs (as the model sees them) and so many rows; 0: not known. */
size_t orffi_auto_features(const orff_settings *settings, size_t p, size_t rows);

#endif
