/* A kernel is a sum of parts; a part is a block rule B(w), a weight and a group; a group is a law of
 * frequencies.
 *
 * Kernels are immutable after creation, and shared by reference counting. */
#ifndef ORFFI_KERNEL_KERNEL_H
#define ORFFI_KERNEL_KERNEL_H

#include <stdatomic.h>

#include "spectrum/spectrum.h"

typedef struct orffi_kernel_part orffi_kernel_part;

/* One block rule: one file, and one line in the list of orff.h. No other code asks which rule a part has; it
 * uses the members below. `at` is what the block depends on: the field's part of w (p entries) for physical
 * rules, the stored block (p x columns) for stored ones, NULL for separable ones. */
typedef struct orffi_rule_ops {
    orff_rule id;       /* names it in the list of orff.h */
    const char *words;  /* for people, describes a component of a field: "divergence-free" */
    bool physical;      /* B(w) is a function of w on the field's space and grows like |w| */
    bool separable;     /* K = k0 A, the block is the same for all w */
    bool stored;        /* blocks come from a callback and are stored, p x columns for each frequency */
    bool own_law;       /* has no base: its frequencies are derived from its callback */
    bool elementary;    /* not a combination of others: `auto` mixtures try it */
    bool hermitian;     /* A(w) is always Hermitian, with complex blocks */
    bool coupled;       /* stores the caller's A or B */
    bool mixes;         /* uses c of orff_part */
    bool delays;        /* uses delays of orff_part */
    bool given_columns; /* the caller sets p' */

    /* p' for p outputs; NULL: p */
    size_t (*columns)(size_t p);
    /* physical: A(w) = |w|^2 (along u u^T + across (I - u u^T)), u = w/|w| */
    void (*frame)(const orffi_kernel_part *part, double *along, double *across);
    /* Checks the caller's settings and sets what the rule stores; part->law is already set. */
    orff_status (*prepare)(orffi_kernel_part *part, const orff_part *given);
    /* y += root B t   and   t = root B^T y, in O(p) for the rules that are not stored */
    void (*apply)(const orffi_kernel_part *part, const double *at, const double *t, double *y);
    void (*adjoint)(const orffi_kernel_part *part, const double *at, const double *y, double *t);
    /* K / root^2 (p x p) at one delta, if there is a formula ... */
    orff_status (*exact)(const orffi_kernel_part *part, const double *delta, double *K);
    /* ... or at many (count x d, count x p x p), if a callback knows it */
    orff_status (*exact_many)(const orffi_kernel_part *part, size_t count, const double *delta, double *K);
    /* rules with stored blocks: at whole frequencies w (count x d), count x p x columns, and x 2 if
     * complex */
    orff_status (*blocks)(const orffi_kernel_part *part, size_t count, const double *w, double *B);
} orffi_rule_ops;

struct orffi_kernel_part {
    const orffi_rule_ops *rule;
    size_t d, p;
    orffi_spectrum law; /* empty if the rule has its own law */
    size_t columns;     /* p' */
    double root;        /* sqrt(weight), including the normalisation: the factor of B */
    double mix;         /* Helmholtz c */
    double *B, *A;      /* decomposable, delayed: p x columns, p x p; NULL for the identity */
    double *delays;     /* delayed: p x d */
    orff_matrix_fn matrix, exact;
    void *self;
    const double *unit; /* d: callbacks get w_i / unit_i and delta_i unit_i; NULL: 1. Owned by the kernel */
    bool stretchable;
    bool hermitian;      /* A(w) = B B^* with complex blocks, stored as p x columns x 2 */
    size_t group;        /* the group whose frequencies it uses */
    size_t first_column; /* its first column in the stacked block of the group */
};

typedef struct orffi_kernel_group {
    const orffi_spectrum *law; /* of its first part */
    bool own_law;              /* its frequencies come from its only part, not from a base */
    bool importance; /* all parts are physical, on the same space, so that it may be drawn from |w|^2 mu */
    bool gradient;   /* some part grows like |w| */
    size_t columns;  /* p' of the stacked block */
} orffi_kernel_group;

struct orff_kernel {
    atomic_size_t references;
    size_t d, p;
    size_t n_parts, n_groups;
    orffi_kernel_part *parts;
    orffi_kernel_group *groups; /* allocated for n_parts */
    bool has_callbacks;         /* exact values are then computed by one thread */
    bool hermitian;             /* some part is: K(-delta) = K(delta)^T, without further symmetry */
    double *unit;               /* d: units of the inputs as the callbacks see them, or NULL */
};

/* How the library creates a kernel. */
typedef struct orffi_kernel_how {
    const double *unit;     /* its inputs were divided by these (d values; NULL: 1) */
    const double *periods;  /* d: of periodic inputs, as divided; see base/periods.h */
    bool without_functions; /* from a file: parts that need callbacks have none, only their columns. Whatever
                               needs the callbacks is then refused */
} orffi_kernel_how;
orff_status orffi_kernel_create_as(orff_kernel **out, size_t d, size_t p, size_t n_parts,
                                   const orff_part *parts, const orffi_kernel_how *how);

/* Whether a part's callbacks may compute something that holds only if all inputs are scaled equally. */
bool orffi_part_is_rigid(const orff_part *part);

/* Whether a part's blocks are complex. */
bool orffi_part_is_hermitian(const orff_part *part);

orff_kernel *orffi_kernel_retain(const orff_kernel *kernel);

/* K / root^2 of one part at `count` differences (count x d) into K (count x p x p). */
orff_status orffi_part_exact(const orffi_kernel_part *part, size_t count, const double *delta, double *K);

/* Exact K(delta) into K (p x p). */
orff_status orffi_kernel_exact(const orff_kernel *kernel, const double *delta, double *K);

/* The rule with this enumerator; NULL if there is none. */
const orffi_rule_ops *orffi_rule_find(orff_rule rule);

/* p' of a rule. */
size_t orffi_rule_columns(const orffi_rule_ops *rule, size_t p);

/* K(x - z) into a matrix whose rows are `stride` apart: p x p, or, if `scalar`, the one number k of K = k A.
 * Scratch: delta (d), and block (p x p), which a scalar does not use. */
orff_status orffi_kernel_between(const orff_kernel *kernel, bool scalar, const double *x, const double *z,
                                 double *K, size_t stride, double *delta, double *block);

/* Whether every part is k I, so that outputs are independent. */
bool orffi_kernel_is_identity(const orff_kernel *kernel);

/* Whether K = k0 A for the whole kernel: one part, separable. */
bool orffi_kernel_is_separable(const orff_kernel *kernel);

#define ORFFI_RULE_DECLARE(name, file, text) extern const orffi_rule_ops orffi_rule_##file;
ORFF_RULE_LIST(ORFFI_RULE_DECLARE)
#undef ORFFI_RULE_DECLARE

/* Used by the stored rules: y += root B t, t = root B^T y with B dense (p x columns). */
void orffi_block_apply(const orffi_kernel_part *part, const double *B, const double *t, double *y);
void orffi_block_adjoint(const orffi_kernel_part *part, const double *B, const double *y, double *t);

/* The same for complex B (p x columns x 2), on the cosines and the sines of a frequency together. With
 * complex t = t[0] + i t[1], */
void orffi_pair_apply(const orffi_kernel_part *part, const double *B, const double *const t[2],
                      double *const y[2]);
void orffi_pair_adjoint(const orffi_kernel_part *part, const double *B, const double *const y[2],
                        double *const t[2]);

/* A function of the caller, of frequencies or of differences. */
typedef struct orffi_callback {
    const char *what; /* for messages: "B(w)" */
    const orffi_kernel_part *part;
    orff_matrix_fn function;
    size_t columns; /* numbers in a row of its matrices, which have p rows */
    bool of_frequencies;
} orffi_callback;

/* Calls it at `count` points (count x d) given in the kernel's units, some thousand at a time, converted to
 * the caller's units. Checks its return code and that all numbers (count x p x columns) are finite. */
orff_status orffi_call_matrices(const orffi_callback *callback, size_t count, const double *at, double *out);

#endif
