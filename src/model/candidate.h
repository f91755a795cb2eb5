/* A candidate: the parts of a kernel, the noise, and their evidence on some of the rows. */
#ifndef ORFFI_MODEL_CANDIDATE_H
#define ORFFI_MODEL_CANDIDATE_H

#include "exact/evidence.h"
#include "model/trial.h"

/* Groups of rows, in the plan's units, with centred outputs. */
typedef struct orffi_sample {
    size_t count;
    orffi_table *tables;
} orffi_sample;

/* What all candidates are judged with. */
typedef struct orffi_judge {
    const orffi_plan *plan;
    const bool *chosen;       /* for each part of the plan: whether its length scales are open */
    double *median, *low;     /* d each: median distances, and the shortest length scales tried */
    bool amplitudes;          /* groups may have variances of their own */
    size_t evaluations, most; /* evaluations so far, and about how many in all, for the progress */
} orffi_judge;

typedef struct orffi_candidate {
    orffi_parts parts;
    orffi_quality quality;
    double log_noise; /* log of the noise variance relative to the variance of the field */
    double value;     /* log evidence */
} orffi_candidate;

/* Which length scales vary independently. */
typedef struct orffi_freedom {
    bool apart; /* each part has its own */
    bool each;  /* each input has its own, except that the inputs of a field's space share one */
} orffi_freedom;

orff_status orffi_candidate_copy(orffi_candidate *to, const orffi_candidate *from);
void orffi_candidate_clear(orffi_candidate *candidate);

/* Evaluates the log evidence of the candidate as it is; -INFINITY if there is none. */
orff_status orffi_candidate_judge(orffi_candidate *candidate, orffi_judge *judge, const orffi_sample *sample);

/* Maximises the evidence over length scales, weights of the parts (if they are learned), mix and noise.
 * unknowns: how many of these there are; or NULL. */
orff_status orffi_candidate_improve(orffi_candidate *candidate, orffi_judge *judge,
                                    const orffi_sample *sample, orffi_freedom freedom, double tolerance,
                                    size_t *unknowns);

/* Held-out errors of a kernel k I: log(mean square) over the rows of the first group, each predicted from
 * the rest of that group, plus the same over the first rows of all other groups, each predicted from the
 * rest of its group. INFINITY if there are none. */
orff_status orffi_candidate_left_out(const orffi_candidate *candidate, orffi_judge *judge,
                                     const orffi_sample *sample, double *score);

/* Squares of such errors, summed over the outputs: for every row of a single group, or for the first row
 * of each of several groups. INFINITY if there are none. */
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

/* The log evidence of each output at another log_noise, and the output's variance v (p each; 0 for a
 * constant output), where the outputs are draws of one scalar process. */
orff_status orffi_candidate_outputs(const orffi_candidate *candidate, orffi_judge *judge,
                                    const orffi_sample *sample, double log_noise, double *values,
                                    double *variances);

/* The standard deviation of the noise of each output, in the plan's units (p), and the shares of the parts and of the
 * noise in the variance (parts + 1; or NULL). */
orff_status orffi_candidate_describe(const orffi_candidate *candidate, orffi_judge *judge,
                                     const orffi_sample *sample, double *noise, double *shares);

#endif
