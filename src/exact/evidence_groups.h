/* What the files of an evidence share: its groups of rows, and where its unknowns are. */
#ifndef ORFFI_EXACT_EVIDENCE_GROUPS_H
#define ORFFI_EXACT_EVIDENCE_GROUPS_H

#include "exact/amplitudes.h"
#include "exact/evidence.h"
#include "exact/evidence_part.h"

#define ORFFI_ALONE \
    1200 /* matrices up to this order take one thread milliseconds: waking others does not pay */

typedef struct orffi_evidence_group {
    size_t n, P;          /* rows, order */
    double *X;            /* n x d */
    double *columns;      /* d x n: X again, where parts are radial; else NULL */
    double *noise;        /* n: that of C is s times this */
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
    bool directed;  /* rows have one number each */
    bool radial;    /* outputs are draws of one scalar process, whose parts depend on distances alone */
    size_t q;       /* outputs in a block: p, or 1 where they are draws of one scalar process ... */
    size_t copies;  /* ... of which so many are not constant; else 1 */
    size_t *output; /* copies: which they are */
    size_t *dials;  /* n_parts x d */
    bool weights, mix, errors, offsets, amplitudes;
    size_t instruments;
    orffi_evidence_part *parts;
    orffi_evidence_group *groups;
    size_t order;   /* sum of P */
    double *v;      /* copies: the variance of all groups together */
    double *values; /* copies: log p */
    double *sums;   /* n_parts x (scales + 2): see orffi_evidence_sink */
    double *noises; /* instruments: sums of W times the noise of C over the rows of each */
    double joined;  /* the sum of W over what offsets add to */
    double shared;  /* the same of what log(e/(1-e)) does to it */
};

/* Numbers of a row that one matrix is for. */
static inline size_t orffi_evidence_width(const orffi_evidence *e) {
    return e->directed ? 1 : e->q;
}

/* Where the mix is among the unknowns, and what comes after it. */
static inline size_t orffi_evidence_at_mix(const orffi_evidence *e) {
    return e->scales + (e->weights ? e->n_parts - 1 : 0);
}

static inline size_t orffi_evidence_at_noise(const orffi_evidence *e) {
    return orffi_evidence_at_mix(e) + e->mix;
}

/* e: the share of known errors in the noise, of unknowns x. */
double orffi_evidence_error_share(const orffi_evidence *e, const double *x);

/* t, of unknowns x */
double orffi_evidence_offset(const orffi_evidence *e, const double *x);

/* ---- over pairs of rows */

/* C of a group, from the parts as they are. */
orff_status orffi_evidence_fill_group(const orffi_evidence *e, orffi_evidence_group *g, double s, double t);

/* Adds W of a group (in place of C), against what the unknowns do to C, to the sums. */
orff_status orffi_evidence_contract_group(const orffi_evidence *e, const orffi_evidence_group *g);

/* Whether rows i and j have the same offset; then how much of it they share: between the same outputs of rows of one set, all
 * outputs alike. */
bool orffi_evidence_joins(const orffi_evidence_group *g, size_t i, size_t j);
double orffi_evidence_joined(const orffi_evidence *e, const orffi_evidence_group *g, size_t i, size_t j);

/* After a value: matrices become their inverses. */
orff_status orffi_evidence_find_gradient(orffi_evidence *e, const double *x, double s, double *gradient);

#endif
