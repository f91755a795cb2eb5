/* A choice by the evidence: finds everything open in the parts of a plan from some of its rows. */
#ifndef ORFFI_MODEL_CHOICE_H
#define ORFFI_MODEL_CHOICE_H

#include "model/candidate.h"

typedef struct orffi_choice {
    orffi_plan *plan;
    orffi_judge judge;
    size_t order;           /* of a row in the evidence's matrix */
    orffi_table table;      /* all rows that are looked at */
    orffi_sample few, many; /* of them */
    double *mean;           /* p: what was taken off its outputs; NULL: nothing */
    double spacing;         /* of the rows */
    bool found;             /* there is something to learn: the outputs vary */
    orffi_candidate best;
    orffi_candidate plain; /* the best with one length scale for all inputs, where that is not it; or nothing */
    size_t base;     /* of it, where that is open: its place from rough to smooth (smoothness.h) */
    size_t unknowns; /* of it */
    orffi_candidate beside[2]; /* on the few rows, with the next rougher base and the next smoother; or nothing */
    double behind[2];          /* how much less evidence those have there; INFINITY: there is none */
    orffi_sample proof;        /* one group, whose evidence decides between bases; or none */
    double proved;             /* that of the best, or of the many rows */
    double left_out; /* rows left out chose it, which the one of most evidence misses by so many times as much; or 0 */
} orffi_choice;

/* Find the best candidate. chosen: the parts whose length scales are open. order: given, so that choices
 * among several kernels use the same rows; 0: the plan's own. The plan does not change and must outlive
 * the choice. Clear the choice in any case. */
orff_status orffi_choice_make(orffi_choice *choice, orffi_plan *plan, const orffi_rows *rows,
                              const bool *chosen, size_t order);

/* Gives the candidate the base next to number `base` on the way from rough to smooth, if its base is open.
 * False if there is none. */
bool orffi_choice_next_base(const orffi_choice *choice, size_t base, int step, orffi_candidate *candidate);

/* Try a kernel for rows whose amplitude varies from place to place; keep it if it is better
 * (choose_amplitudes.c). */
orff_status orffi_choice_try_amplitudes(orffi_choice *choice, orffi_freedom freedom);

/* Replace the best kernel if another one predicts held-out rows better (choose_left_out.c). */
orff_status orffi_choice_try_left_out(orffi_choice *choice);

/* Its log evidence minus the price of its unknowns (Schwarz): half the logarithm of the number of
 * observations each. */
double orffi_choice_score(const orffi_choice *choice);

/* Give outputs a noise of their own where that pays (choose_noises.c), and write it into the plan. noise:
 * p standard deviations in the user's units, changed for those outputs. */
orff_status orffi_choice_part_noises(orffi_choice *choice, double *noise);

/* Write the best candidate into the plan, and log it. */
orff_status orffi_choice_apply(orffi_choice *choice);

/* The means of the outputs become those of generalised least squares (choose_mean.c): p, in the user's units; or NULL. Before
 * what was found is applied. */
orff_status orffi_choice_mean(orffi_choice *choice, double **mean);
void orffi_choice_clear(orffi_choice *choice);

/* Samples that a choice works on: `few` first, `many` last. `order`: numbers per row of the table in the
 * matrix of the evidence; median: d. Clear samples in any case. Before sampling, orffi_sample_center
 * subtracts the mean as the model does. */
orff_status orffi_sample_center(const orffi_plan *plan, orffi_table *table);
orff_status orffi_sample_few(const orffi_table *table, const double *median, size_t order,
                             orffi_sample *sample);
orff_status orffi_sample_many(const orffi_table *table, const double *median, size_t order,
                              orffi_sample *sample);
/* Rows in all groups of `many`: with fewer, some would be in several groups. */
size_t orffi_sample_room(void);
void orffi_sample_clear(orffi_sample *sample);

#endif
