/* A lattice of frequencies: w_k = h o k, |k_i| <= m_i, h_i = 2 pi / period_i, in the units of the kernel.
 *
 * Everything on it is real as a function of x, so v_{-k} = conj(v_k): arrays over the modes hold the half
 * space
 *
 *     k_0 = -m_0 .. m_0,  ..,  k_{d-1} = 0 .. m_{d-1}          (H complex numbers, row-major)
 *
 * in which the plane k_{d-1} = 0 holds both k and -k. There are M = prod (2 m_i + 1) real unknowns per
 * column.
 */
#ifndef ORFFI_LATTICE_LATTICE_H
#define ORFFI_LATTICE_LATTICE_H

#include <complex.h>

#include "kernel/kernel.h"

typedef double complex orffi_mode;

typedef struct orffi_lattice {
    size_t d;
    size_t m[ORFF_LATTICE_INPUTS];
    size_t grid[ORFF_LATTICE_INPUTS]; /* of the fields: at least 4 m_i + 1, so that products do not alias */
    double period[ORFF_LATTICE_INPUTS];
    double center[ORFF_LATTICE_INPUTS];
    double inside[ORFF_LATTICE_INPUTS]; /* half of the range of x_i about the centre in which the lattice
                                           represents the line; INFINITY if the input itself is periodic */
} orffi_lattice;

size_t orffi_lattice_modes(const orffi_lattice *lattice);    /* H */
size_t orffi_lattice_unknowns(const orffi_lattice *lattice); /* M */
size_t orffi_lattice_points(const orffi_lattice *lattice);   /* of the grid */
size_t
orffi_lattice_spectrum(const orffi_lattice *lattice); /* complex numbers of the grid's real transform */

/* k of mode h, h < H. */
void orffi_lattice_place(const orffi_lattice *lattice, size_t h, long k[ORFF_LATTICE_INPUTS]);

/* The index of mode k, |k_i| <= m_i, k_{d-1} >= 0. */
size_t orffi_lattice_find(const orffi_lattice *lattice, const long k[ORFF_LATTICE_INPUTS]);

/* Whether k is 0 or comes before -k: this one of the two represents both. */
bool orffi_lattice_is_first(const orffi_lattice *lattice, const long k[ORFF_LATTICE_INPUTS]);

/* How often mode h counts in a sum over all k: 2 off the plane k_{d-1} = 0, 1 in it. */
double orffi_lattice_count(const orffi_lattice *lattice, size_t h);

/* The frequency w of k (d entries). */
void orffi_lattice_frequency(const orffi_lattice *lattice, const long k[ORFF_LATTICE_INPUTS], double *w);

/* z = 2 pi (x - center) / period for n rows (n x d): the angles for a nonuniform transform. */
void orffi_lattice_angles(const orffi_lattice *lattice, size_t n, const double *x, double *z);

/* Whether a point lies where the lattice represents the line. */
bool orffi_lattice_has(const orffi_lattice *lattice, const double *x);

/* The sum over all k of conj(a) b, real, for arrays of `columns` x H. */
double orffi_lattice_dot(const orffi_lattice *lattice, size_t columns, const orffi_mode *a,
                         const orffi_mode *b);

/* ---- choosing one */

typedef struct orffi_lattice_need {
    const double *center, *extent; /* d: of the rows */
    const double *periods;         /* d: of periodic inputs, 0 for the others; NULL: none is periodic */
    double rows;                   /* number of rows, about; 0: unknown */
    double tolerance;              /* largest error of the kernel, relative to its size */
    double noise;                  /* of a row of weight 1, relative to the kernel's size; 0: unknown */
    size_t most;                   /* largest number of unknowns for one column; 0: as many as are quick */
    bool anyhow;                   /* do not refuse, however much the cut leaves out */
} orffi_lattice_need;

/* What was given up to limit the size, in tail mass of the spectrum and in images, relative to the kernel. */
typedef struct orffi_lattice_quality {
    double cut;        /* share of the variance beyond the cut; 0 below the tolerance */
    double images;     /* error from the nearest image; 0 below the tolerance */
    bool band_limited; /* the cut is at the resolution of the rows, or at `most` */
} orffi_lattice_quality;

/* The largest number of unknowns that is quick, for d inputs. */
size_t orffi_lattice_most(size_t d);

/* Refuses if even a coarse lattice would have too many modes. */
orff_status orffi_lattice_choose(orffi_lattice *lattice, const orff_kernel *kernel,
                                 const orffi_lattice_need *need, orffi_lattice_quality *quality);

/* Drops the modes that this kernel does not need for the tolerance, rows and noise of `need`. Keeps the
 * period. */
orff_status orffi_lattice_narrow(orffi_lattice *lattice, const orff_kernel *kernel,
                                 const orffi_lattice_need *need);

/* What a lattice made for other kernels gives up of this one. */
void orffi_lattice_judge(const orffi_lattice *lattice, const orff_kernel *kernel, double tolerance,
                         orffi_lattice_quality *quality);

#endif
