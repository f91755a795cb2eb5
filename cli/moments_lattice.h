/* orff moments --engine lattice: moments that know nothing of the kernel. */
#ifndef CLI_MOMENTS_LATTICE_H
#define CLI_MOMENTS_LATTICE_H

#include "data.h"
#include "settings.h"

/* All rows of the data, on the lattice that the options ask for or on that of --like; the notes of the data get the kernel.
 * Returns an exit status. */
int cli_lattice_moments_make(const cli_arguments *arguments, cli_data *data, const cli_settings *settings,
                             orff_lattice_moments **moments);

/* The same without the rows. */
int cli_lattice_moments_start(const cli_arguments *arguments, const cli_data *data,
                              const cli_settings *settings, orff_lattice_moments **moments);

/* Refuses the options that are only for a lattice. */
int cli_lattice_moments_refuse(const cli_arguments *arguments);

/* "0.1 to 1", once where all inputs have the same; to be freed. */
char *cli_lattice_moments_scales(const orff_lattice_moments *moments);

#endif
