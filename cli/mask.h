/* The option --mask: where a model is not to be believed. */
#ifndef CLI_MASK_H
#define CLI_MASK_H

#include "apply.h"
#include "options.h"

/* distance=R, std=S or both. *given: there is one. Returns an exit status, after a message. */
int cli_mask_parse(const cli_arguments *arguments, const cli_applied *applied, orff_mask *mask, bool *given);

/* Which of n points are masked: an exit status. */
int cli_mask_points(const cli_applied *applied, const orff_mask *mask, size_t n, const double *X,
                    bool *masked);

#endif
