/* Moments of a lattice as the caller has them: with what the lattice is for, to be added, subtracted, saved and fitted. */
#ifndef ORFFI_LATTICE_RECORD_H
#define ORFFI_LATTICE_RECORD_H

#include "base/fields.h"
#include "lattice/moments.h"

struct orff_lattice_moments {
    orffi_lattice_moments *sums;
    double low[ORFF_LATTICE_INPUTS], high[ORFF_LATTICE_INPUTS];         /* d: where rows may lie */
    double shortest[ORFF_LATTICE_INPUTS], longest[ORFF_LATTICE_INPUTS]; /* d: length scales it was chosen for */
    double tolerance;                                                 /* of the kernel */
    size_t folds;
    uint64_t seed;
    uint64_t measured; /* rows ... */
    double N;          /* ... and the sum of their weights, without errors: what lambda goes with */
    double plain;      /* the same over the numbers that directed rows are; of whole rows N */
    bool errors;       /* weights of rows are divided by the squares of their errors */
    char *notes;       /* the caller's, or NULL */
};

#define ORFFI_LATTICE_TRANSFORM 1e-10 /* of sums over rows */

/* No rows yet, on a lattice: what the other members say is the caller's to fill. */
orff_status orffi_lattice_record_create(orff_lattice_moments **out, const orffi_lattice *lattice, size_t p,
                                        size_t folds, size_t draws);

/* The sums become those of directed rows: whole ones are one for each output. */
orff_status orffi_lattice_record_direct(orff_lattice_moments *moments);

/* Rows with their errors, or without, where there are others. */
orff_status orffi_lattice_record_match(const orff_lattice_moments *moments, bool errors);

/* into += sign * other, whose sums are of the same lattice and kind, whole or directed. */
void orffi_lattice_record_join(orff_lattice_moments *into, double sign, const orff_lattice_moments *other);

/* What whole rows count, of sums that were added. */
void orffi_lattice_record_count(orff_lattice_moments *moments, const orffi_lattice_moments *added);

/* Whole rows of a reader into sums of directed rows. */
orff_status orffi_lattice_record_read_whole(orff_lattice_moments *moments, const orff_reader *reader);

/* Whether the inputs of rows lie within the extent; first is the number of the first of them. */
orff_status orffi_lattice_record_check(const orff_lattice_moments *moments, uint64_t first, size_t n,
                                       const double *X);

/* A lattice as members m, period, center and inside of an object; not 0 where there is no memory. */
int orffi_lattice_write(const orffi_lattice *lattice, json_t *object);
orff_status orffi_lattice_read(const orffi_fields *in, size_t d, orffi_lattice *lattice);

/* The period of each input that is periodic, 0 for the others (d). */
void orffi_lattice_record_periods(const orff_lattice_moments *moments, double *periods);

#endif
