/* Shared by the files of an evidence: its groups of rows, and the positions of its unknowns. */
#ifndef ORFFI_EXACT_EVIDENCE_GROUPS_H
#define ORFFI_EXACT_EVIDENCE_GROUPS_H

#include "exact/amplitudes.h"
#include "exact/evidence.h"
#include "exact/evidence_part.h"

/* Up to this order one thread takes some tenths of a second. A second one would save a tenth of the time on an
 * idle machine, and where others take the processors the two wait for each other for longer than that. */
#define ORFFI_ALONE 2000

typedef struct orffi_evidence_group {
    size_t n, P;          /* rows, order */
    double *X;            /* n x d */
    double *columns;      /* d x n: X again, where parts are radial; else NULL */
    double *noise;        /* n: the noise variance in C is s times this */
    double *unit;         /* n: 1/weight */
    double *known;        /* n, or NULL */
    uint32_t *instrument; /* n, or NULL */
    double *along;        /* n x p, or NULL */
    uint32_t *set;        /* n, or NULL */
    double *y, *t;        /* P x copies: outputs, C^-1 y */
    double *C;            /* P x P: C, its factor, its inverse, then W */
    double log_det;
    orffi_amplitude *amplitude; /* copies */
} orffi_evidence_group;

struct orffi_evidence {
    orff_kernel *kernel;
    size_t d, p, n_parts, n_groups, scales;
    bool directed;  /* rows have one number each, along a direction */
    bool radial;    /* outputs are draws of one scalar process, and its parts depend on distances alone */
    size_t q;       /* outputs per block: p, or 1 if outputs are draws of one scalar process ... */
    size_t copies;  /* ... this many of which are not constant; else 1 */
    size_t *output; /* copies: the indices of those outputs */
    size_t *dials;  /* n_parts x d */
    bool weights, mix, errors, offsets, amplitudes;
    size_t instruments;
    orffi_evidence_part *parts;
    orffi_evidence_group *groups;
    size_t order;   /* sum of P */
    double *v;      /* copies: the variance over all groups */
    double *values; /* copies: log p */
    double *sums;   /* n_parts x (scales + 2): laid out as orffi_evidence_sink */
    double *noises; /* instruments: sums of W times the noise in C over the rows of each */
    double joined;  /* the sum of W over the entries where offsets add to C */
    double shared;  /* the same sum for log(e/(1-e)) */
};

/* Numbers of a row in one matrix. */
static inline size_t orffi_evidence_width(const orffi_evidence *e) {
    return e->directed ? 1 : e->q;
}

/* The positions in x of the mix and of what follows it. */
static inline size_t orffi_evidence_at_mix(const orffi_evidence *e) {
    return e->scales + (e->weights ? e->n_parts - 1 : 0);
}

static inline size_t orffi_evidence_at_noise(const orffi_evidence *e) {
    return orffi_evidence_at_mix(e) + e->mix;
}

/* e, the share of known errors in the noise, at unknowns x. */
double orffi_evidence_error_share(const orffi_evidence *e, const double *x);

/* t at unknowns x. */
double orffi_evidence_offset(const orffi_evidence *e, const double *x);

/* ---- over pairs of rows */

/* Fills C of a group with the current parts. */
orff_status orffi_evidence_fill_group(const orffi_evidence *e, orffi_evidence_group *g, double s, double t);

/* Adds <W, dC/dx> of a group to the sums, for all unknowns x; W is in place of C. */
orff_status orffi_evidence_contract_group(const orffi_evidence *e, const orffi_evidence_group *g);

/* Whether rows i and j have the same offset; and the factor of t between them: 1 between the same outputs of
 * two whole rows, <e_i, e_j> for directed rows. */
bool orffi_evidence_joins(const orffi_evidence_group *g, size_t i, size_t j);
double orffi_evidence_joined(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, size_t j);

/* After a value; replaces the matrices by their inverses. */
orff_status orffi_evidence_find_gradient(orffi_evidence *e, const double *x, double s, double *gradient);

#endif
