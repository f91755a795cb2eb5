/* One nonuniform transform, as often as its input says: for each line read, one transform is timed and its
 * seconds printed, by the clock on the wall and by the processors' own. nufft_beside_finufft.py runs it, in
 * turn with FINUFFT.
 *
 *   bench_nufft TYPE D K TOLERANCE POINTS COUNT double|single THREADS
 *
 * TYPE is 1 or 2; modes are |k_i| <= K. Everything is timed: the plan, sorting, spreading, the Fourier
 * transform. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lattice/nufft.h"

typedef struct request {
    size_t d, K[3], n, count, modes;
    double tolerance;
    double *z, *c;            /* n x d, n x count */
    double complex *modes_of; /* count x modes */
    float *z_single, *c_single;
    float complex *modes_single;
} request;

/* A fixed sequence, even over [0, 1). */
static double drawn(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) exit(1);
    return memory;
}

static void fill(request *q) {
    uint64_t state = 12345;
    q->z = room(q->n * q->d, sizeof *q->z);
    q->c = room(q->n * q->count, sizeof *q->c);
    q->modes_of = room(q->count * q->modes, sizeof *q->modes_of);
    q->z_single = room(q->n * q->d, sizeof *q->z_single);
    q->c_single = room(q->n * q->count, sizeof *q->c_single);
    q->modes_single = room(q->count * q->modes, sizeof *q->modes_single);
    for (size_t i = 0; i < q->n * q->d; i++)
        q->z_single[i] = (float)(q->z[i] = 6.283185307179586 * (drawn(&state) - 0.5));
    for (size_t i = 0; i < q->n * q->count; i++) q->c_single[i] = (float)(q->c[i] = drawn(&state) - 0.5);
    for (size_t i = 0; i < q->count * q->modes; i++)
        q->modes_single[i] =
            (float complex)(q->modes_of[i] = drawn(&state) - 0.5 + I * (drawn(&state) - 0.5));
}

static orff_status transform(const request *q, int type) {
    orffi_nufft *plan;
    orff_status status = orffi_nufft_create(&plan, q->d, q->K, q->count, q->tolerance);
    if (!status && type == 1) status = orffi_nufft_spread(plan, q->n, q->z, q->c);
    for (size_t r = 0; !status && r < q->count; r++)
        status = type == 1 ? orffi_nufft_modes(plan, r, q->K, q->modes_of + r * q->modes)
                           : orffi_nufft_load(plan, r, q->K, q->modes_of + r * q->modes);
    if (!status && type == 2) status = orffi_nufft_evaluate(plan, q->n, q->z, q->c);
    orffi_nufft_free(plan);
    return status;
}

static orff_status transform_single(const request *q, int type) {
    orffi_nufft_single *plan;
    orff_status status = orffi_nufft_create_single(&plan, q->d, q->K, q->count, q->tolerance);
    if (!status && type == 1) status = orffi_nufft_spread_single(plan, q->n, q->z_single, q->c_single);
    for (size_t r = 0; !status && r < q->count; r++)
        status = type == 1 ? orffi_nufft_modes_single(plan, r, q->K, q->modes_single + r * q->modes)
                           : orffi_nufft_load_single(plan, r, q->K, q->modes_single + r * q->modes);
    if (!status && type == 2) status = orffi_nufft_evaluate_single(plan, q->n, q->z_single, q->c_single);
    orffi_nufft_free_single(plan);
    return status;
}

static double seconds(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 9) {
        fputs("usage: bench_nufft TYPE D K TOLERANCE POINTS COUNT double|single THREADS\n", stderr);
        return 2;
    }
    const int type = atoi(argv[1]);
    request q = {.d = strtoul(argv[2], NULL, 10), .tolerance = strtod(argv[4], NULL)};
    q.n = strtoul(argv[5], NULL, 10);
    q.count = strtoul(argv[6], NULL, 10);
    q.modes = 1;
    for (size_t i = 0; i < q.d && i < 3; i++) {
        q.K[i] = strtoul(argv[3], NULL, 10);
        q.modes *= i + 1 < q.d ? 2 * q.K[i] + 1 : q.K[i] + 1;
    }
    if (orff_set_threads(strtoul(argv[8], NULL, 10))) return 1;
    fill(&q);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        const double start = seconds(CLOCK_MONOTONIC), busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if ((strcmp(argv[7], "single") ? transform : transform_single)(&q, type)) {
            fprintf(stderr, "bench_nufft: %s\n", orff_error_message());
            return 1;
        }
        printf("%.6f %.6f\n", seconds(CLOCK_MONOTONIC) - start, seconds(CLOCK_PROCESS_CPUTIME_ID) - busy);
        fflush(stdout);
    }
    return 0;
}
