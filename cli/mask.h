/* Where not to trust a model: the option --mask, and what pictures leave out without it. */
#ifndef CLI_MASK_H
#define CLI_MASK_H

#include "apply.h"
#include "options.h"

/* Parses distance=R, std=S or both. *given: whether there is a mask. Returns an exit status, after a
 * message. */
int cli_mask_parse(const cli_arguments *arguments, const cli_applied *applied, orff_mask *mask, bool *given);

/* Marks which of n points are masked. Returns an exit status. */
int cli_mask_points(const cli_applied *applied, const orff_mask *mask, size_t n, const double *X,
                    bool *masked);

/* Pictures show the field as known up to this standard deviation, relative to the prior's: beyond it the
 * data explain less than half of the variance. */
#define CLI_LITTLE_KNOWN 0.7

/* Prior standard deviations of the outputs (p); false if they are unknown: the model has no error bars, or
 * its kernel no exact form. */
bool cli_mask_prior(const cli_applied *applied, double *prior);

#endif
