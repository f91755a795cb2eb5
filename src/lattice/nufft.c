#include "lattice/nufft.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "lattice/fft.h"
#include "lattice/nufft_tiles.h"

/* Points of one tile, adjacent in the sorted order. A crowded tile has several tasks, each with its own
 * buffer to spread to. */
typedef struct task {
    size_t tile, first, n;
} task;

enum {
    FEWEST_POINTS = 1 << 17, /* sorted at once */
    MOST_POINTS = 1 << 20,
    MOST_IN_TASK = 1 << 12,
    BUFFERS = 1 << 20, /* numbers in all buffers, which are filled before they are added to the grid */
    LEAST_BUFFERS = 16 /* per thread */
};

/* Points sorted at once: few enough to stay in the cache, but each block adds its tiles to the grid, so large
 * grids need large blocks. The number of threads must not matter, because blocks determine the order of the
 * sums. */
static size_t block_points(const orffi_nufft_tiles *tiles, size_t n) {
    const size_t nodes = tiles->total;
    const size_t most = nodes < FEWEST_POINTS ? FEWEST_POINTS : nodes > MOST_POINTS ? MOST_POINTS : nodes;
    return n < most ? n : most;
}

/* The number of buffers of `size` numbers filled at once. Threads wait for each other once per such batch. */
static size_t buffers_at_once(size_t size, size_t tasks) {
    const size_t least = LEAST_BUFFERS * (size_t)orffi_thread_count(), room = BUFFERS / size;
    const size_t most = room > least ? room : least;
    return most < tasks ? most : tasks;
}

static orff_status check_request(size_t d, const size_t *K, size_t count, double tolerance, double least) {
    if (d < 1 || d > 3)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a nonuniform transform in %zu dimensions: 1 to 3 exist", d);
    if (!K || !count) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a nonuniform transform of nothing");
    if (!(tolerance >= least * (1 - 1e-9) && tolerance <= 0.1))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the tolerance of a nonuniform transform is %g: expected %g to 0.1", tolerance,
                          least);
    return orffi_fft_require();
}

/* Copies kept and K to arrays of 3, with leading zeros for missing dimensions. */
static orff_status check_modes(size_t d, const size_t *K, size_t count, size_t r, const size_t *kept,
                               size_t all[3]) {
    if (r >= count)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "right-hand side %zu of a nonuniform transform of %zu",
                          r + 1, count);
    for (size_t a = 0; a < 3; a++) all[a] = 0;
    for (size_t i = 0; i < d; i++) {
        if (kept[i] > K[i])
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "modes up to %zu in dimension %zu of a nonuniform transform up to %zu", kept[i],
                              i + 1, K[i]);
        all[3 - d + i] = kept[i];
    }
    return ORFF_OK;
}

/* The index of mode number `at` of -kept .. kept on a circle of n nodes, and its distance from 0. */
static size_t mode_index(size_t kept, size_t at, size_t n) {
    return at < kept ? n - kept + at : at - kept;
}
static size_t mode_distance(size_t kept, size_t at) {
    return at < kept ? kept - at : at - kept;
}

#define REAL        double
#define NAMED(name) name
#define PLAN        orffi_nufft
#define SORTED      sorted
#define LOOPS       loops
#define LEAST       1e-12
#include "lattice/nufft_precision.inc"

#define REAL        float
#define NAMED(name) name##_single
#define PLAN        orffi_nufft_single
#define SORTED      sorted_single
#define LOOPS       loops_single
#define LEAST       1e-6
#include "lattice/nufft_precision.inc"
