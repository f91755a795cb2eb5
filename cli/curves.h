/* The curves of a tuning: cross-validated error against lambda, from a report of orff tune. */
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "gnuplot.h"

int cli_plot_curves(const cli_picture *picture, const char *report);

#endif
