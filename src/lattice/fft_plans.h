/* Plans of FFTW, kept for the next transform of the same shape. FFTW's planner is shared by the whole process
 * and admits one thread at a time; plans themselves may run in several threads at once. */
#ifndef ORFFI_LATTICE_FFT_PLANS_H
#define ORFFI_LATTICE_FFT_PLANS_H

#include "base/status.h"

/* One pass over one dimension of a grid. All members determine its plan. */
typedef struct orffi_fft_shape {
    bool single, backward;
    bool complex_lines; /* transforms lines of modes in place; else between lines of a field and of its
                           modes */
    bool aligned;       /* the arrays start where vectors may be loaded */
    int n;              /* numbers in a line */
    int lines;          /* lines side by side; 1 for lines of fields */
    int stride;         /* between successive numbers of a line; 1 for lines of fields */
} orffi_fft_shape;

typedef struct orffi_fft_plan {
    orffi_fft_shape shape;
    void *plan; /* fftw_plan or fftwf_plan */
    size_t users, last_used;
    bool kept; /* in the cache; else freed with its only user */
} orffi_fft_plan;

/* Makes a plan, with the planner locked; returns NULL if FFTW has none. Leaves the arrays unchanged; `field`
 * is NULL for complex lines. */
typedef void *orffi_fft_make(const orffi_fft_shape *shape, void *field, void *modes);

orff_status orffi_fft_plan_get(const orffi_fft_plan **out, const orffi_fft_shape *shape, orffi_fft_make *make,
                               void *field, void *modes);
void orffi_fft_plan_give_back(const orffi_fft_plan *plan);

#endif
