#ifndef ORFFI_STACK_TRAIN_H
#define ORFFI_STACK_TRAIN_H

#include "stack/split.h"
#include "stack/stack.h"

orff_status orffi_stack_check_training(const orff_stack_training *how);

/* Like orff_stack_train without the final solution: the last layer must still be solved, at
 * report->lambda. */
orff_status orffi_stack_train(orff_stack *stack, const orffi_split *split, const orff_stack_training *how,
                              orff_stack_report *report);

#endif
