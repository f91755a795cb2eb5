/* orff under mpirun: the program beside it that is built with MPI takes over, and orff itself needs no library of MPI. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>

/* Where mpirun has started this process, orff-mpi takes its place with the same words, and the call does not return. true:
 * there is no orff-mpi for the processes to work together, and this one ends with *status; only the first says why. */
bool cli_launch(char **words, int *status);

#endif
