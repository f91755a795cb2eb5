/* The option --grid: points on a regular grid, the first input running fastest. */
#ifndef ORFF_CLI_LATTICE_H
#define ORFF_CLI_LATTICE_H

#include <jansson.h>

#include "options.h"

typedef struct orff_lattice {
    size_t d, rows;
    size_t *count;      /* d */
    double *low, *high; /* d */
} orff_lattice;

/* x=0:1:50,y=0:2:100,t=3: every input of the notes, in any order; numbers stand for names where there are
 * none. */
int orff_lattice_parse(orff_lattice *lattice, const orff_arguments *arguments, const json_t *notes, size_t d);
void orff_lattice_clear(orff_lattice *lattice);

/* Rows first .. first + n - 1. */
void orff_lattice_fill(const orff_lattice *lattice, size_t first, size_t n, double *X);

#endif
