/* A bank of frequencies: all that phi, and so the moments of a data set, depend on. It knows nothing of
 * blocks, so one bank serves every kernel whose parts have the laws of its groups. Never changed once
 * made; shared by counting references. */
#ifndef ORFF_FEATURES_BANK_H
#define ORFF_FEATURES_BANK_H

#include "kernel/kernel.h"
#include "sampling/sampling.h"

/* The frequencies of one law. Within phi their cosines begin at `first` and their sines at D + first. */
typedef struct orff_bank_group {
    orff_spectrum law;  /* base is NULL for a signature or for frequencies given by the caller */
    orff_recipe recipe; /* what was asked, to draw them again; extent points into the bank */
    orff_frequencies drawn;
    size_t first;
    float *omega_single; /* count x d, or NULL when structured */
} orff_bank_group;

typedef struct orff_bank {
    atomic_size_t references;
    size_t d, D;
    size_t n_groups;
    orff_bank_group *groups;
    double *extent;          /* d values, or NULL */
    double *amplitude;       /* sqrt(q_j), D values ... */
    float *amplitude_single; /* ... in single */
    bool given;              /* the frequencies are the caller's own: no recipe draws them again */
} orff_bank;

/* One group of the bank for each group of the kernel. blocks[m] receives the blocks of a signature part m. */
orff_status orff_bank_draw(orff_bank **bank, const orff_kernel *kernel, const orff_sampling *sampling,
                           double **blocks);

/* The caller's own frequencies (D x d) for a kernel of one group; weights NULL: 1/D. */
orff_status orff_bank_give(orff_bank **bank, const orff_kernel *kernel, size_t D, const double *omega,
                           const double *weights);

/* For files: a bank whose groups are still to be filled (law, recipe, drawn), and extent and given; then
 * all that follows from them. One that fails to be completed is freed by its maker. */
orff_status orff_bank_create(orff_bank **bank, size_t d, size_t n_groups);
orff_status orff_bank_complete(orff_bank *bank);

orff_bank *orff_bank_retain(const orff_bank *bank);
void orff_bank_free(orff_bank *bank);

/* Rows of X taken at a time: phi of a block stays within a few tens of megabytes. */
size_t orff_bank_block_rows(const orff_bank *bank);

/* phi of n rows (n x 2D, row stride 2D) with scratch of orff_bank_scratch() numbers; X is known to be
 * finite. Does not allocate. */
void orff_phi(const orff_bank *bank, size_t n, const double *X, double *phi, double *scratch);
void orff_phi_single(const orff_bank *bank, size_t n, const float *X, float *phi, float *scratch);
size_t orff_bank_scratch(const orff_bank *bank);

#endif
