/* Reserves memory for BLAS and for threads if memory is limited. */
#ifndef ORFFI_BASE_BLAS_ROOM_H
#define ORFFI_BASE_BLAS_ROOM_H

#include "base/status.h"

/* Call before the first use of BLAS, and again when the number of threads grows. Under a limit on the memory
 * of the process, OpenBLAS would try for ever to get its work areas, and GNU's OpenMP would end the program
 * if it cannot start a thread. This function allocates both in advance if there is room, else returns
 * ORFF_ERROR_NO_MEMORY. It does not allow for several threads of the caller that call the library at once.
 * Without a limit it does nothing. */
orff_status orffi_blas_room(int threads);

#endif
