/* A bank of frequencies: everything that phi, and so the moments of a data set, depend on. It is independent
 * of blocks, so one bank serves every kernel whose parts have the laws of its groups. Immutable after
 * creation, and shared by reference counting. */
#ifndef ORFFI_FEATURES_BANK_H
#define ORFFI_FEATURES_BANK_H

#include "kernel/kernel.h"
#include "sampling/sampling.h"

/* The frequencies of one law. In phi their cosines start at `first` and their sines at D + first. */
typedef struct orffi_bank_group {
    orffi_spectrum law;  /* base is NULL for a signature or for frequencies given by the caller */
    orffi_recipe recipe; /* the request, from which they can be drawn again; extent points into the bank */
    orffi_frequencies drawn;
    size_t first;
    float *omega_single; /* count x d, or NULL if structured */
} orffi_bank_group;

typedef struct orffi_bank {
    atomic_size_t references;
    size_t d, D;
    size_t n_groups;
    orffi_bank_group *groups;
    double *extent;          /* d values, or NULL */
    double *amplitude;       /* sqrt(q_j), D values ... */
    float *amplitude_single; /* ... in single precision */
    bool given;              /* the caller gave the frequencies: no recipe draws them again */
} orffi_bank;

/* Creates one group of the bank for each group of the kernel. blocks[m] receives the blocks of a signature
 * part m. */
orff_status orffi_bank_draw(orffi_bank **bank, const orff_kernel *kernel, const orff_sampling *sampling,
                            double **blocks);

/* Uses the caller's frequencies (D x d), for a kernel with one group; weights NULL: 1/D. */
orff_status orffi_bank_give(orffi_bank **bank, const orff_kernel *kernel, size_t D, const double *omega,
                            const double *weights);

/* For files: creates a bank without content; the caller sets law, recipe and drawn of its groups, extent and
 * given, and then completes it, which computes the rest. If completing fails, the caller frees it. */
orff_status orffi_bank_create(orffi_bank **bank, size_t d, size_t n_groups);
orff_status orffi_bank_complete(orffi_bank *bank);

/* How many of D frequencies group g gets; if D is less than the number of groups, the first D groups get one
 * each. */
size_t orffi_bank_allotted(const orff_kernel *kernel, size_t D, size_t g);

orffi_bank *orffi_bank_retain(const orffi_bank *bank);
void orffi_bank_free(orffi_bank *bank);

/* Rows of X processed at once: phi of a block stays within a few tens of megabytes. */
size_t orffi_bank_block_rows(const orffi_bank *bank);

/* phi of n rows (n x 2D, row stride 2D), with scratch of orffi_bank_scratch() numbers; X must be finite. Does
 * not allocate. */
void orffi_phi(const orffi_bank *bank, size_t n, const double *X, double *phi, double *scratch);
void orffi_phi_single(const orffi_bank *bank, size_t n, const float *X, float *phi, float *scratch);
size_t orffi_bank_scratch(const orffi_bank *bank);

#endif
