/* Checkpoints: what a long computation has reached, in a file that the same computation can go on from after it was
 * ended. The file (format "orff-checkpoint") holds
 *
 *     what was asked      a resumed run must be asked the same
 *     marks               digests of the rows read so far: the rows must be the same
 *     what was reached    moments, or the coefficients of an iteration
 *
 * It is no file of moments, because its sums may be in units that only the run knows. */
#ifndef ORFFI_MOMENTS_CHECKPOINT_H
#define ORFFI_MOMENTS_CHECKPOINT_H

#include "moments/moments.h"
#include "moments/witness.h"

/* Where an iteration stands. */
typedef struct orffi_coefficients {
    size_t count;
    double *theta;         /* count, or NULL: nothing yet */
    uint64_t iterations;   /* that it took to get there */
    double width, caution; /* sgd: of the smoothed loss, of the steps; 0: as at the beginning */
    orffi_digest features; /* of the frequencies and blocks that theta belongs to */
} orffi_coefficients;

typedef struct orffi_checkpoint {
    char *path;
    uint64_t every;          /* rows between two saves */
    json_t *question;        /* what is asked: an object */
    orffi_digest units;      /* that the rows are added in, as far as they follow from the rows themselves */
    bool resumed;            /* from a file; units are then the file's until orffi_checkpoint_match_units */
    orffi_witness witness;   /* of the rows as the caller gives them */
    orff_moments *moments;   /* of the file resumed from, until they are taken over; else NULL */
    orffi_coefficients from; /* likewise */
    uint64_t saved;          /* rows of the moments when they were last saved */
} orffi_checkpoint;

/* Refuses, before anything is done, a path that cannot be written, what is there and is no checkpoint, a checkpoint
 * when `resume` is false, and one of another question. The question is taken over in any case; NULL: there was no
 * memory for it. */
orff_status orffi_checkpoint_open(orffi_checkpoint **out, const char *path, uint64_t every, bool resume,
                                  json_t *question);
void orffi_checkpoint_close(orffi_checkpoint *checkpoint);

/* Once it is decided, and before anything is added: the units of this run. ORFF_ERROR_MISMATCH when those of the
 * file are others: rows must have been appended to those that decide. */
orff_status orffi_checkpoint_match_units(orffi_checkpoint *checkpoint, const orffi_digest *units);

/* ORFF_ERROR_MISMATCH when the rows were others than those of the checkpoint, else the status as it is. NULL: none. */
orff_status orffi_checkpoint_outcome(const orffi_checkpoint *checkpoint, orff_status status);

/* All rows of the reader into moments that are empty, in whole blocks. With a checkpoint (else NULL) from what it has
 * on, saved every so often, at the end, and when the caller or the reader stops it. */
orff_status orffi_checkpoint_read(orffi_checkpoint *checkpoint, orff_moments *moments,
                                  const orff_reader *reader);

/* Saves; what goes wrong is told as a warning, because the work itself can go on, and the last file stays. */
void orffi_checkpoint_save(orffi_checkpoint *checkpoint, const orff_moments *moments,
                           const orffi_coefficients *reached);

#endif
