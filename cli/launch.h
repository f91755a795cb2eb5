/* orff under mpirun: the program beside it that is built with MPI takes over, so that orff itself needs no
 * MPI library. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>

/* If mpirun has started this process, replaces it by orff-mpi with the same arguments, and does not
 * return. true: orff-mpi, which the processes need to work together, is missing, and this process must end
 * with *status; only the first one says why. */
bool cli_launch(char **words, int *status);

#endif
