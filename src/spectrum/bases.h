/* The bases, one file each, named in the list of orff.h. */
#ifndef ORFFI_SPECTRUM_BASES_H
#define ORFFI_SPECTRUM_BASES_H

#include "spectrum/spectrum.h"

#define ORFFI_PI 3.14159265358979323846

#define ORFFI_BASE_DECLARE(name, file, text) extern const orffi_base_ops orffi_base_##file;
ORFF_BASE_LIST(ORFFI_BASE_DECLARE)
#undef ORFFI_BASE_DECLARE

#endif
