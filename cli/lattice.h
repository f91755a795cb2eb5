/* The option --grid: points on a regular grid, the first input running fastest. */
#ifndef CLI_LATTICE_H
#define CLI_LATTICE_H

#include "orff.h"

#include "options.h"

typedef struct cli_lattice {
    size_t d;
    uint64_t rows;      /* the product of the counts; UINT64_MAX when it does not fit */
    size_t *count;      /* d */
    double *low, *high; /* d */
} cli_lattice;

/* Cuts the entry NAME=VALUE at *at out of a list, in place, and moves behind its comma; *at is NULL behind the last one. A
 * name may stand in double quotes, as in --inputs, and hold commas and = then. *value is NULL where there is no =. */
char *cli_cut_entry(char **at, char **value);

/* x=0:1:50,y=0:2@0.1,t=3: every input of the notes, in any order; numbers stand for names where there are
 * none. */
int cli_lattice_parse(cli_lattice *lattice, const cli_arguments *arguments, const orff_notes *notes,
                      size_t d);

/* Which input a name or a number, counted from 1, means: an exit status, after a message about the option. */
int cli_input_place(const cli_arguments *arguments, cli_option_id id, const orff_notes *notes, size_t d,
                    const char *name, size_t *place);
void cli_lattice_clear(cli_lattice *lattice);

/* Whether a table of the points with that many columns can be had: refuses a mistake of many zeros before any
 * work, and what cannot fit in memory (where the format needs it) or on the disk, with what it would take. */
int cli_lattice_check(const cli_lattice *lattice, const cli_arguments *arguments, size_t columns);

/* Rows first .. first + n - 1. */
void cli_lattice_fill(const cli_lattice *lattice, uint64_t first, size_t n, double *X);

#endif
