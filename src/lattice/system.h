/* The normal equations of a kernel on a lattice. With T the Toeplitz matrix rho(k - l) and W_k W_k^T = S_k, the
 * kernel's spectral matrix at w_k with its quadrature weight,
 *
 *     f(x) = sum_k W_k theta_k exp(i <w_k, x>),     (G + s2) theta = b,     G = W^T T W,   b = W^T R
 *
 * theta_k has r columns, W_k is p x r. If S_k = s_k A, the outputs are turned to the axes of A. Each axis is
 * then a system of its own with p = r = 1 and the same G except for a factor, the axis' eigenvalue a. So
 * there is one right-hand side for each axis, and its s2 is divided by a.
 *
 * Directed rows (see moments.h) couple the outputs, whatever the kernel: T is then rho_ab(k - l), and there
 * is one system for all outputs.
 *
 * G is applied by transforms: the field of theta on a grid, times the density of the rows there, and back.
 * Functionals (functionals.h) are added to T.
 */
#ifndef ORFFI_LATTICE_SYSTEM_H
#define ORFFI_LATTICE_SYSTEM_H

#include "lattice/moments.h"

typedef struct orffi_lattice_system {
    const orffi_lattice *lattice;
    const orff_kernel *kernel;
    size_t H;       /* modes */
    size_t outputs; /* outputs of the kernel */
    size_t p, r;    /* fields and columns of the system */
    double *W;      /* p x r x H */
    double *rank;   /* H: |W_k|^2, the importance of a mode */
    size_t axes;    /* right-hand sides: one per axis of a separable kernel, else 1 */
    double *turn;   /* axes x outputs: the axes in terms of outputs; NULL if the system has all outputs
                       itself */
    double *size;   /* axes: a */
    double trace;   /* of K(0) / outputs on the lattice */
    bool directed;
    size_t pairs;    /* number of densities: 1, or p (p + 1) / 2 for directed rows */
    double *density; /* pairs x points: of the rows on the grid, divided by the number of grid points */
    struct orffi_lattice_functionals *functionals; /* added to T, not owned; or NULL */
    struct orffi_lattice_room *room;               /* scratch: only one thread at a time may use a system */
} orffi_lattice_system;

/* Whether S_k = s_k A, so that one scalar system serves all outputs. */
bool orffi_lattice_is_scalar(const orff_kernel *kernel);

/* Sets what depends on the kernel. Zeroes *s first. */
orff_status orffi_lattice_system_init(orffi_lattice_system *s, const orffi_lattice *lattice,
                                      const orff_kernel *kernel, bool directed);
void orffi_lattice_system_clear(orffi_lattice_system *s);
void orffi_lattice_room_free(struct orffi_lattice_room *room);

/* Sets what depends on the rows, from rho of a set. May be called repeatedly. */
orff_status orffi_lattice_system_fill(orffi_lattice_system *s, const orffi_mode *rho);

/* out = G in for `count` vectors, each r x H. */
orff_status orffi_lattice_system_apply(orffi_lattice_system *s, size_t count, const orffi_mode *in,
                                       orffi_mode *out);

/* b (axes x r x H) from right sides R (outputs x H). */
void orffi_lattice_system_right(const orffi_lattice_system *s, const orffi_mode *R, orffi_mode *b);

/* V (outputs x H), the modes of f, from theta (axes x r x H). */
void orffi_lattice_system_field(const orffi_lattice_system *s, const orffi_mode *theta, orffi_mode *V);

/* T v for `count` fields of modes (H each): sums over rows of their products with the waves. Directed rows:
 * for all outputs together. */
orff_status orffi_lattice_system_convolve(orffi_lattice_system *s, size_t count, const orffi_mode *v,
                                          orffi_mode *out);

/* Whether all parts have an exact form. */
bool orffi_lattice_has_exact(const orff_kernel *kernel);

/* K(delta) on the lattice (outputs x outputs). */
void orffi_lattice_system_kernel(const orffi_lattice_system *s, const double *delta, double *K);

/* K(0) of the exact kernel minus that on the lattice, for each output (q), at least 0: the variance of waves
 * beyond the cut. 0 if there is no exact form. */
orff_status orffi_lattice_beyond(const orffi_lattice_system *s, double *beyond);

/* The lattice kernel against the exact one at differences within the extent (d): the largest error relative
 * to the size of K(0). NAN if there is no exact form. */
orff_status orffi_lattice_kernel_error(const orffi_lattice_system *s, const double *extent, double *error);

#endif
