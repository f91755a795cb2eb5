/* Room for BLAS and for threads where memory is limited. */
#ifndef ORFFI_BASE_BLAS_ROOM_H
#define ORFFI_BASE_BLAS_ROOM_H

#include "base/status.h"

/* Before the first call of BLAS, and again when there are more threads than before. Where the process has a limit of
 * memory, OpenBLAS would try for ever to get the work areas that it needs, and GNU's OpenMP would end the program when
 * it cannot start a thread: both get theirs here, as long as there is room; else ORFF_ERROR_NO_MEMORY. Calls of several
 * threads of the caller at once take more than is looked for here. Without a limit this does nothing. */
orff_status orffi_blas_room(int threads);

#endif
