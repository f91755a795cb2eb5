/* A choice by the evidence: what is open in the parts of a plan, settled on some of its rows. */
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

/* Find the best. chosen: the parts whose length scales are open. order: so that choices of several kernels see the same
 * rows; 0: the plan's own. The plan is as it was, and outlives the choice; to be cleared in any case. */
orff_status orffi_choice_make(orffi_choice *choice, orffi_plan *plan, const orffi_rows *rows,
                              const bool *chosen, size_t order);

/* Bases from rough to smooth: the next to that of a candidate, where its base is open. false: there is none. */
bool orffi_choice_next_base(const orffi_choice *choice, size_t base, int step, orffi_candidate *candidate);

/* The better kernel where the amplitude of the rows varies from place to place (choose_amplitudes.c). */
orff_status orffi_choice_try_amplitudes(orffi_choice *choice, orffi_freedom freedom);

/* The better kernel on rows left out, where that is another (choose_left_out.c). */
orff_status orffi_choice_try_left_out(orffi_choice *choice);

/* Its log evidence without what its unknowns are worth (Schwarz): half the logarithm of the observations each. */
double orffi_choice_score(const orffi_choice *choice);

/* What was found is the plan's: outputs that are better off with a noise of their own get one (choose_noises.c). noise: p
 * standard deviations in the user's units, changed for those. */
orff_status orffi_choice_part_noises(orffi_choice *choice, double *noise);

/* What was found becomes the plan's, and is told. */
orff_status orffi_choice_apply(orffi_choice *choice);

/* The means of the outputs become those of generalised least squares (choose_mean.c): p, in the user's units; or NULL. Before
 * what was found is applied. */
orff_status orffi_choice_mean(orffi_choice *choice, double **mean);
void orffi_choice_clear(orffi_choice *choice);

/* The rows that a choice looks at last, `order` numbers of its matrix for each row of the table; median: d. To be cleared in any
 * case. And the table before: as the model does, the mean goes. */
orff_status orffi_sample_center(const orffi_plan *plan, orffi_table *table);
orff_status orffi_sample_few(const orffi_table *table, const double *median, size_t order,
                             orffi_sample *sample); /* those it looks at first */
orff_status orffi_sample_many(const orffi_table *table, const double *median, size_t order,
                              orffi_sample *sample);
size_t orffi_sample_room(void); /* rows of all groups of the latter: of fewer some are in several groups */
void orffi_sample_clear(orffi_sample *sample);

#endif
