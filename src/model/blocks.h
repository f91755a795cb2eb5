/* Rows that are held out together: blocks of inputs, or groups. */
#ifndef ORFFI_MODEL_BLOCKS_H
#define ORFFI_MODEL_BLOCKS_H

#include "model/plan.h"

/* Sets plan->folds and plan->blocks, what is held out together, from the settings and the head of the
 * rows. The length scales of the plan must be known. */
orff_status orffi_blocks_choose(orffi_plan *plan, const orffi_rows *rows);

/* The side of blocks along one of d inputs. shortest: the shortest length scale along it, or INFINITY;
 * extent: the range of the rows. */
double orffi_blocks_side(size_t d, size_t folds, double shortest, double extent);

/* The same blocks for another plan, which may have other units: candidates must be compared on the same folds. */
orff_status orffi_blocks_copy(orffi_plan *to, const orffi_plan *from);

#endif
