/* Moments of a lattice as the caller has them: with what the lattice is for, to be added, subtracted, saved and fitted. */
#ifndef ORFFI_LATTICE_RECORD_H
#define ORFFI_LATTICE_RECORD_H

#include "base/fields.h"
#include "lattice/moments.h"

struct orff_lattice_moments {
    orffi_lattice_moments *sums;
    double low[ORFFI_LATTICE_MOST], high[ORFFI_LATTICE_MOST];         /* d: where rows may lie */
    double shortest[ORFFI_LATTICE_MOST], longest[ORFFI_LATTICE_MOST]; /* d: length scales it was chosen for */
    double tolerance;                                                 /* of the kernel */
    size_t folds;
    uint64_t seed;
    char *notes; /* the caller's, or NULL */
};

/* No rows yet, on a lattice: what the other members say is the caller's to fill. */
orff_status orffi_lattice_record_create(orff_lattice_moments **out, const orffi_lattice *lattice, size_t p,
                                        size_t folds, size_t draws);

/* A lattice as members m, period, center and inside of an object; not 0 where there is no memory. */
int orffi_lattice_write(const orffi_lattice *lattice, json_t *object);
orff_status orffi_lattice_read(const orffi_fields *in, size_t d, orffi_lattice *lattice);

/* The period of each input that is periodic, 0 for the others (d). */
void orffi_lattice_record_periods(const orff_lattice_moments *moments, double *periods);

#endif
