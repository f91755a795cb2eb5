/* The option --grid: points on a regular grid, with the first input varying fastest. */
#ifndef CLI_LATTICE_H
#define CLI_LATTICE_H

#include "orff.h"

#include "options.h"

typedef struct cli_lattice {
    size_t d;
    uint64_t rows;      /* product of the counts; UINT64_MAX if it does not fit */
    size_t *count;      /* d */
    double *low, *high; /* d */
} cli_lattice;

/* Cuts the entry NAME=VALUE at *at out of a list, in place, and advances *at past its comma, or to NULL
 * after the last entry. A name in double quotes, as in --inputs, may contain commas and =. *value is NULL
 * if there is no =. */
char *cli_cut_entry(char **at, char **value);

/* Parses x=0:1:50,y=0:2@0.1,t=3: every input of the notes, in any order; numbers can be used in place of
 * names. */
int cli_lattice_parse(cli_lattice *lattice, const cli_arguments *arguments, const orff_notes *notes,
                      size_t d);

/* The input that a name or a number, counted from 1, refers to. Returns an exit status, after a message
 * about the option. */
int cli_input_place(const cli_arguments *arguments, cli_option_id id, const orff_notes *notes, size_t d,
                    const char *name, size_t *place);
void cli_lattice_clear(cli_lattice *lattice);

/* Whether a table of the points with that many columns is possible: fails before any work for typing
 * errors of many zeros, and for what does not fit in memory (where the format needs it) or on the disk,
 * and says what it would take. */
int cli_lattice_check(const cli_lattice *lattice, const cli_arguments *arguments, size_t columns);

/* Fills rows first .. first + n - 1. */
void cli_lattice_fill(const cli_lattice *lattice, uint64_t first, size_t n, double *X);

#endif
