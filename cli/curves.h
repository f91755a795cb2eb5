/* The curves of a tuning: cross-validated error against lambda, from a report of orff tune. */
#ifndef ORFF_CLI_CURVES_H
#define ORFF_CLI_CURVES_H

#include "gnuplot.h"

int orff_plot_curves(const orff_picture *picture, const char *report);

#endif
