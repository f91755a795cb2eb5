/* Moments of a lattice as the caller sees them: they record what the lattice is for, and can be added,
 * subtracted, saved and fitted. */
#ifndef ORFFI_LATTICE_RECORD_H
#define ORFFI_LATTICE_RECORD_H

#include "base/fields.h"
#include "lattice/moments.h"

struct orff_lattice_moments {
    orffi_lattice_moments *sums;
    double low[ORFF_LATTICE_INPUTS], high[ORFF_LATTICE_INPUTS];         /* d: range of the inputs */
    double shortest[ORFF_LATTICE_INPUTS], longest[ORFF_LATTICE_INPUTS]; /* d: length scales that the lattice
                                                                           was chosen for */
    double tolerance;                                                 /* of the kernel */
    size_t folds;
    uint64_t seed;
    uint64_t measured; /* number of rows ... */
    double N;          /* ... and the sum of their weights, without errors: lambda is relative to it */
    double plain;      /* the same sum over the numbers of directed rows; N for whole rows */
    bool errors;       /* weights of rows were divided by their squared errors */
    char *notes;       /* the caller's, or NULL */
};

#define ORFFI_LATTICE_TRANSFORM 1e-10 /* tolerance of sums over rows */

/* Moments on a lattice, without rows. The caller fills the other members. */
orff_status orffi_lattice_record_create(orff_lattice_moments **out, const orffi_lattice *lattice, size_t p,
                                        size_t folds, size_t draws);

/* Converts the sums to those of directed rows; a whole row becomes one for each output. */
orff_status orffi_lattice_record_direct(orff_lattice_moments *moments);

/* Fails if rows with errors would join rows without, or the other way round. */
orff_status orffi_lattice_record_match(const orff_lattice_moments *moments, bool errors);

/* into += sign * other. Both must have the same lattice and kind, whole or directed. */
void orffi_lattice_record_join(orff_lattice_moments *into, double sign, const orff_lattice_moments *other);

/* Updates the counts of rows for added sums of whole rows. */
void orffi_lattice_record_count(orff_lattice_moments *moments, const orffi_lattice_moments *added);

/* Reads whole rows into sums of directed rows. */
orff_status orffi_lattice_record_read_whole(orff_lattice_moments *moments, const orff_reader *reader);

/* Fails if an input lies outside the extent; `first` is the index of the first row. */
orff_status orffi_lattice_record_check(const orff_lattice_moments *moments, uint64_t first, size_t n,
                                       const double *X);

/* Writes a lattice as members m, period, center and inside of an object; returns nonzero if memory runs
 * out. */
int orffi_lattice_write(const orffi_lattice *lattice, json_t *object);
orff_status orffi_lattice_read(const orffi_fields *in, size_t d, orffi_lattice *lattice);

/* The period of each periodic input, 0 for the others (d). */
void orffi_lattice_record_periods(const orff_lattice_moments *moments, double *periods);

#endif
