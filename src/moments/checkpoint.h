/* Checkpoints: the state of a long computation, in a file from which the same computation can resume after an
 * interruption. The file (format "orff-checkpoint") holds
 *
 *     question            the request: a resumed run must make the same one
 *     marks               digests of the rows read so far: the rows must be the same
 *     result so far       moments, or the coefficients of an iteration
 *
 * It is not a file of moments, because its sums may be in units that only the run knows. */
#ifndef ORFFI_MOMENTS_CHECKPOINT_H
#define ORFFI_MOMENTS_CHECKPOINT_H

#include "moments/moments.h"
#include "moments/witness.h"

/* The state of an iteration. */
typedef struct orffi_coefficients {
    size_t count;
    double *theta;         /* count, or NULL if there are none yet */
    uint64_t iterations;   /* number of iterations so far */
    double width, caution; /* sgd: width of the smoothed loss, caution of the steps; 0: initial values */
    orffi_digest features; /* of the frequencies and blocks that theta belongs to */
} orffi_coefficients;

typedef struct orffi_checkpoint {
    char *path;
    uint64_t every;          /* rows between two saves */
    json_t *question;        /* the request: an object */
    orffi_digest units;      /* in which the rows are added, as far as they depend on the rows */
    bool resumed;            /* from a file; units are the file's until orffi_checkpoint_match_units */
    orffi_witness witness;   /* of the rows as given by the caller */
    orff_moments *moments;   /* from the file, until the caller's moments take them over; else NULL */
    orffi_coefficients from; /* likewise */
    uint64_t saved;          /* rows in the moments when they were last saved */
} orffi_checkpoint;

/* Before any work, refuses a path that cannot be written, an existing file that is not a checkpoint, any
 * checkpoint if `resume` is false, and a checkpoint of another question. Takes over the reference to the
 * question in any case; NULL means that memory ran out for it. */
orff_status orffi_checkpoint_open(orffi_checkpoint **out, const char *path, uint64_t every, bool resume,
                                  json_t *question);
void orffi_checkpoint_close(orffi_checkpoint *checkpoint);

/* Call once the units of this run are known, before anything is added. ORFF_ERROR_MISMATCH if the file's
 * units differ: rows must have been appended to those that determine the units. */
orff_status orffi_checkpoint_match_units(orffi_checkpoint *checkpoint, const orffi_digest *units);

/* ORFF_ERROR_MISMATCH if the rows differ from those of the checkpoint, else the given status. NULL: no
 * checkpoint. */
orff_status orffi_checkpoint_outcome(const orffi_checkpoint *checkpoint, orff_status status);

/* Adds all rows of the reader to empty moments, in whole blocks. With a checkpoint (else NULL), starts from
 * its state and saves at intervals, at the end, and when the caller or the reader stops it. */
orff_status orffi_checkpoint_read(orffi_checkpoint *checkpoint, orff_moments *moments,
                                  const orff_reader *reader);

/* Saves. A failure is only logged as a warning, because the work can continue and the last file stays. */
void orffi_checkpoint_save(orffi_checkpoint *checkpoint, const orff_moments *moments,
                           const orffi_coefficients *reached);

#endif
