/* --coast of a fit: the field does not cross the coast. */
#ifndef CLI_WALLS_H
#define CLI_WALLS_H

#include "data.h"

/* Computes points of the coast near the data, with normals: data->walls (n_walls x 4). Returns an exit
 * status, after a message. */
int cli_walls_read(cli_data *data, const cli_arguments *arguments, const orff_settings *settings);

#endif
