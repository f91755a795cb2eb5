#include "lattice/fft.h"

#ifdef ORFF_HAVE_FFTW
#include <fftw3.h>
#endif
#include <limits.h>

#include "base/memory.h"
#include "base/threads.h"
#include "lattice/fft_plans.h"

bool orffi_fft_available(void) {
#ifdef ORFF_HAVE_FFTW
    return true;
#else
    return false;
#endif
}

orff_status orffi_fft_require(void) {
    if (orffi_fft_available()) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "this build of orff has no Fourier transforms: install FFTW (Debian: "
                      "libfftw3-dev) and build it with cmake -DORFF_FFT=fftw");
}

/* The least number odd * 2^a >= least with a > 0; SIZE_MAX - 1 if there is none. */
static size_t doubled(size_t odd, size_t least) {
    size_t size = odd > SIZE_MAX / 2 ? SIZE_MAX - 1 : 2 * odd;
    while (size < least) {
        if (size > SIZE_MAX / 2) return SIZE_MAX - 1;
        size *= 2;
    }
    return size;
}

size_t orffi_fft_size(size_t least) {
    size_t best = SIZE_MAX - 1;
    for (size_t sevens = 1; sevens < best / 2; sevens *= 7) {
        for (size_t fives = sevens; fives < best / 2; fives *= 5) {
            for (size_t threes = fives; threes < best / 2; threes *= 3) {
                const size_t size = doubled(threes, least);
                if (size < best) best = size;
                if (threes > SIZE_MAX / 4) break;
            }
            if (fives > SIZE_MAX / 8) break;
        }
        if (sevens > SIZE_MAX / 16) break;
    }
    return best;
}

/* ---- grids */

enum {
    LINES = 16, /* complex lines transformed side by side, so that each row contributes whole cache lines */
    LARGE = 1 << 14 /* numbers; below this a second thread costs more than it saves */
};

typedef struct grid {
    size_t d, n[3];
    size_t rows;         /* n[0] .. n[d-2] */
    size_t half;         /* n[d-1] / 2 + 1 */
    size_t field, modes; /* numbers in one field, in its modes */
    size_t count;
    int threads;
} grid;

static orff_status check_size(size_t d, const size_t *n) {
    if (d < 1 || d > 3)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a transform in %zu dimensions: 1 to 3 exist", d);
    for (size_t i = 0; i < d; i++) {
        if (!n[i])
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a transform of size 0 in dimension %zu", i + 1);
        if (n[i] > INT_MAX)
            return orffi_fail(ORFF_ERROR_NO_MEMORY,
                              "a transform of size %zu in dimension %zu: no memory has room", n[i], i + 1);
    }
    return ORFF_OK;
}

static orff_status describe(grid *g, size_t d, const size_t *n, size_t count) {
    ORFFI_TRY(check_size(d, n));
    *g = (grid){.d = d, .rows = 1, .half = n[d - 1] / 2 + 1, .count = count, .threads = 1};
    for (size_t i = 0; i < d; i++) g->n[i] = n[i];
    for (size_t i = 0; i + 1 < d; i++) ORFFI_TRY(orffi_multiply(g->rows, n[i], &g->rows));
    ORFFI_TRY(orffi_multiply(g->rows, n[d - 1], &g->field));
    ORFFI_TRY(orffi_multiply(g->rows, g->half, &g->modes));
    if (g->modes / n[0] > INT_MAX)
        return orffi_fail(ORFF_ERROR_NO_MEMORY, "a transform of %zu numbers: no memory has room", g->field);
    if (count && g->field > LARGE / count) g->threads = orffi_thread_count();
    return ORFF_OK;
}

#define REAL        double
#define NAMED(name) name
#define FFTW(name)  fftw_##name
#define SINGLE      false
#include "lattice/fft.inc"

#define REAL        float
#define NAMED(name) name##_single
#define FFTW(name)  fftwf_##name
#define SINGLE      true
#include "lattice/fft.inc"
