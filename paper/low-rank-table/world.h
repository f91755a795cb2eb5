/* The data of one run: three samples of one draw of b, the generating model and the noise. */
#ifndef PAPER_LOW_RANK_WORLD_H
#define PAPER_LOW_RANK_WORLD_H

#include "paper.h"

#define SIZE  20 /* d = p */
#define TWICE (2 * SIZE)
#define SEED  2016

/* The clean and the noisy outputs stand side by side, 40 in all: one pass and one factorisation serve both problems. */
typedef struct sample {
    size_t n;
    double *X; /* n x 20 */
    double *Y; /* n x 40: clean, noisy */
} sample;

typedef struct world {
    size_t generator; /* frequencies of the model that makes the outputs */
    double sigma, noise_rms, signal_rms;
    double b[SIZE];
    sample train, validate, test;
    orff_kernel *scalar, *separate; /* k0; k0 I, of 40 outputs */
} world;

world world_alloc(size_t generator, size_t train, size_t validate, size_t test);
/* A run's data; of the training sample only the first rows get outputs. */
void world_draw(world *w, uint64_t number, size_t rows);
void world_free(world *w);

#endif
