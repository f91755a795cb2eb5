/* The normal equations of a kernel on a lattice. With T the Toeplitz matrix rho(k - l) and W_k W_k^T = S_k, the
 * kernel's spectral matrix at w_k with its quadrature weight,
 *
 *     f(x) = sum_k W_k theta_k exp(i <w_k, x>),     (G + s2) theta = b,     G = W^T T W,   b = W^T R
 *
 * theta_k has r columns, W_k is p x r. Where S_k = s_k A, the outputs are turned to A's axes, each of which is a system
 * of its own with p = r = 1 and the same G, but for the size of its axis: then there is a right-hand side for each axis,
 * and its s2 is divided by the axis' a.
 *
 * Directed rows (see moments.h) tie the outputs together, whatever the kernel: T is then rho_ab(k - l), and there is one
 * system of all outputs.
 *
 * G is applied by transforms: the field of theta on a grid, times the density of the rows there, and back. Functionals
 * (functionals.h) come on top of T.
 */
#ifndef ORFFI_LATTICE_SYSTEM_H
#define ORFFI_LATTICE_SYSTEM_H

#include "lattice/moments.h"

typedef struct orffi_lattice_system {
    const orffi_lattice *lattice;
    const orff_kernel *kernel;
    size_t H;       /* modes */
    size_t outputs; /* of the kernel */
    size_t p, r;    /* fields and columns of the system */
    double *W;      /* p x r x H */
    double *rank;   /* H: |W_k|^2, what a mode may bring */
    size_t axes;    /* right-hand sides: those of a separable kernel, else 1 */
    double *turn;   /* axes x outputs: what each is made of; NULL where the system has all outputs itself */
    double *size;   /* axes: a */
    double trace;   /* of K(0) / outputs on the lattice */
    bool directed;
    size_t pairs;    /* densities: 1, or p (p + 1) / 2 of directed rows */
    double *density; /* pairs x points: of the rows on the grid, over the number of its points */
    struct orffi_lattice_functionals *functionals; /* beside them, not owned; or NULL */
    struct orffi_lattice_room *room;               /* scratch: a system is used by one thread at a time */
} orffi_lattice_system;

/* Whether S_k = s_k A: one scalar system serves all outputs. */
bool orffi_lattice_is_scalar(const orff_kernel *kernel);

/* The kernel's part; zeroed at first. */
orff_status orffi_lattice_system_init(orffi_lattice_system *s, const orffi_lattice *lattice,
                                      const orff_kernel *kernel, bool directed);
void orffi_lattice_system_clear(orffi_lattice_system *s);
void orffi_lattice_room_free(struct orffi_lattice_room *room);

/* The rows' part, from rho of a set; as often as one likes. */
orff_status orffi_lattice_system_fill(orffi_lattice_system *s, const orffi_mode *rho);

/* out = G in for `count` vectors, each r x H. */
orff_status orffi_lattice_system_apply(orffi_lattice_system *s, size_t count, const orffi_mode *in,
                                       orffi_mode *out);

/* b (axes x r x H) of right sides R (outputs x H). */
void orffi_lattice_system_right(const orffi_lattice_system *s, const orffi_mode *R, orffi_mode *b);

/* V (outputs x H), the modes of f, of theta (axes x r x H). */
void orffi_lattice_system_field(const orffi_lattice_system *s, const orffi_mode *theta, orffi_mode *V);

/* T v for `count` fields of modes (H each), with the density of the system: what sums over rows of a product are. Of
 * directed rows for all outputs together. */
orff_status orffi_lattice_system_convolve(orffi_lattice_system *s, size_t count, const orffi_mode *v,
                                          orffi_mode *out);

/* Whether all parts have an exact form. */
bool orffi_lattice_has_exact(const orff_kernel *kernel);

/* K(delta) on the lattice (outputs x outputs). */
void orffi_lattice_system_kernel(const orffi_lattice_system *s, const double *delta, double *K);

/* K(0) of the exact kernel less that on the lattice, of each output (q), not below 0: the variance of waves beyond the
 * cut. 0 where there is no exact form. */
orff_status orffi_lattice_beyond(const orffi_lattice_system *s, double *beyond);

/* The lattice kernel against the exact one at differences within the extent (d): the largest error relative to the
 * size of K(0). NAN where there is no exact form. */
orff_status orffi_lattice_kernel_error(const orffi_lattice_system *s, const double *extent, double *error);

#endif
