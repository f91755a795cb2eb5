/* A candidate: parts of a kernel and the noise, with their evidence on some of the rows. */
#ifndef ORFFI_MODEL_CANDIDATE_H
#define ORFFI_MODEL_CANDIDATE_H

#include "exact/evidence.h"
#include "model/trial.h"

/* Rows in groups, in the plan's units, their outputs centred. */
typedef struct orffi_sample {
    size_t count;
    orffi_table *tables;
} orffi_sample;

/* What candidates are judged by. */
typedef struct orffi_judge {
    const orffi_plan *plan;
    const bool *chosen;       /* parts: whose length scales are open; the plan's n_parts */
    double *median, *low;     /* d: median distances, and the shortest length scales that are looked at */
    bool amplitudes;          /* groups may have variances of their own */
    size_t evaluations, most; /* so far, and about in all: for the progress */
} orffi_judge;

typedef struct orffi_candidate {
    orffi_parts parts;
    orffi_quality quality;
    double log_noise; /* log of the variance of the noise relative to that of the field */
    double value;     /* log evidence */
} orffi_candidate;

/* How many length scales are open. */
typedef struct orffi_freedom {
    bool apart; /* each part has its own */
    bool each;  /* so has each input, but those of the space of a field */
} orffi_freedom;

orff_status orffi_candidate_copy(orffi_candidate *to, const orffi_candidate *from);
void orffi_candidate_clear(orffi_candidate *candidate);

/* Only the evidence of the candidate as it stands; -INFINITY where there is none. */
orff_status orffi_candidate_judge(orffi_candidate *candidate, orffi_judge *judge, const orffi_sample *sample);

/* Up to the top: length scales, weights of the parts where they are to be learned, the mix, the noise. unknowns: how many
 * that are; or NULL. */
orff_status orffi_candidate_improve(orffi_candidate *candidate, orffi_judge *judge,
                                    const orffi_sample *sample, orffi_freedom freedom, double tolerance,
                                    size_t *unknowns);

/* How far rows are missed that are left out, by a kernel k I: log(mean square) of those of the first group, each from the
 * others, plus that of the first row of every other group, from the rest of it. INFINITY where there is none. */
orff_status orffi_candidate_left_out(const orffi_candidate *candidate, orffi_judge *judge,
                                     const orffi_sample *sample, double *score);

/* Squares of such errors, all outputs together: of every row of a single group, or of the first row of each of several.
 * INFINITY where there are none. */
orff_status orffi_candidate_squares(const orffi_candidate *candidate, orffi_judge *judge,
                                    const orffi_sample *sample, double *squares);

/* The means of the outputs by generalised least squares, of a sample of one group (p, in the units of the table), as
 * orffi_evidence_mean has them; *found: they are better than those of the rows. */
orff_status orffi_candidate_mean(const orffi_candidate *candidate, orffi_judge *judge,
                                 const orffi_sample *sample, double total, const double *prior, double *mean,
                                 bool *found);

/* The range of log_noise. Below log 1e-8, 1e-4 of the field's deviation, rounding of the kernel's matrix counts; above log 1e4
 * the rows are all noise. */
#define ORFFI_LEAST_LOG_NOISE (-18.4)
#define ORFFI_MOST_LOG_NOISE  9.2

/* The log evidence of each output at another log_noise, and its variance v (p each; 0 for one that is constant), where the
 * outputs are draws of one scalar process. */
orff_status orffi_candidate_outputs(const orffi_candidate *candidate, orffi_judge *judge,
                                    const orffi_sample *sample, double log_noise, double *values,
                                    double *variances);

/* The standard deviation of the noise of each output, in the plan's units (p), and the shares of the parts and of the
 * noise in the variance (parts + 1; or NULL). */
orff_status orffi_candidate_describe(const orffi_candidate *candidate, orffi_judge *judge,
                                     const orffi_sample *sample, double *noise, double *shares);

#endif
