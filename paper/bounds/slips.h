/* Two slips of the theorem, as numbers (slips.c). */
#ifndef BOUNDS_SLIPS_H
#define BOUNDS_SLIPS_H

#include "paper.h"

/* Fills scale.csv and lipschitz.csv and tells what they show. */
void bounds_slips(paper_run *run);

#endif
