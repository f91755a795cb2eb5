/* Plans of FFTW, kept for the next transform of the same shape. FFTW's planner is one for the whole process
 * and takes one thread at a time; plans themselves may run in several threads at once. */
#ifndef ORFFI_LATTICE_FFT_PLANS_H
#define ORFFI_LATTICE_FFT_PLANS_H

#include "base/status.h"

/* One pass over one dimension of a grid; all numbers of a shape decide its plan. */
typedef struct orffi_fft_shape {
    bool single, backward;
    bool complex_lines; /* lines of modes into lines of modes, in place; else a line of a field <-> its modes
                         */
    bool aligned;       /* the arrays begin where vectors may be loaded */
    int n;              /* numbers of a line */
    int lines;          /* side by side; 1 for lines of fields */
    int stride;         /* from one number of a line to the next; 1 for lines of fields */
} orffi_fft_shape;

typedef struct orffi_fft_plan {
    orffi_fft_shape shape;
    void *plan; /* fftw_plan or fftwf_plan */
    size_t users, last_used;
    bool kept; /* in the cache: else it goes with its only user */
} orffi_fft_plan;

/* How a plan is made, with the planner locked; NULL when FFTW has none. The arrays are not touched; `field`
 * is NULL for complex lines. */
typedef void *orffi_fft_make(const orffi_fft_shape *shape, void *field, void *modes);

orff_status orffi_fft_plan_get(const orffi_fft_plan **out, const orffi_fft_shape *shape, orffi_fft_make *make,
                               void *field, void *modes);
void orffi_fft_plan_give_back(const orffi_fft_plan *plan);

#endif
