/* orff moments --engine lattice: moments that do not depend on the kernel. */
#ifndef CLI_MOMENTS_LATTICE_H
#define CLI_MOMENTS_LATTICE_H

#include "data.h"
#include "settings.h"

/* Makes moments of all rows, on the lattice that the options describe or on that of --like; writes the
 * kernel into the notes of the data. Returns an exit status. */
int cli_lattice_moments_make(const cli_arguments *arguments, cli_data *data, const cli_settings *settings,
                             orff_lattice_moments **moments);

/* The same without the rows. */
int cli_lattice_moments_start(const cli_arguments *arguments, const cli_data *data,
                              const cli_settings *settings, orff_lattice_moments **moments);

/* Fails for options that are only for a lattice. */
int cli_lattice_moments_refuse(const cli_arguments *arguments);

/* "0.1 to 1", once if it is the same for all inputs; free the text. */
char *cli_lattice_moments_scales(const orff_lattice_moments *moments);

#endif
