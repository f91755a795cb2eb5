/* Who remembers what was read: a reader around another one, which keeps a digest of the rows and, where rows are read
 * again, refuses others than before. */
#ifndef ORFFI_MOMENTS_WITNESS_H
#define ORFFI_MOMENTS_WITNESS_H

#include "base/digest.h"
#include "base/fields.h"

/* The digest of the first so many rows. */
typedef struct orffi_mark {
    uint64_t rows;
    orffi_digest digest;
} orffi_mark;

/* In the order of rows. Marks at every power of two tell a difference soon, and about where it is. */
enum { ORFFI_MARKS = 72 };
typedef struct orffi_marks {
    size_t count;
    orffi_mark list[ORFFI_MARKS];
} orffi_marks;

typedef struct orffi_witness {
    orff_reader source;
    size_t d, p;          /* p as the source has it: 1 for labels */
    orffi_mark now;       /* all rows seen */
    orffi_marks made;     /* at powers of two, and where orffi_witness_mark was called */
    orffi_marks expected; /* of the run before; none: nothing to compare with */
    size_t met;           /* of them, as far as rows have been seen */
    bool differs, ended;  /* from what was expected; before it */
} orffi_witness;

/* On a zeroed witness, which may expect something already. source: NULL for rows in memory. */
void orffi_witness_begin(orffi_witness *witness, const orff_reader *source, size_t d, size_t p);

/* A reader of the source's rows. It fails when they are others than expected. */
orff_reader orffi_witness_reader(orffi_witness *witness);

/* The same for rows in memory: false when they are others than expected. */
bool orffi_witness_see(orffi_witness *witness, size_t n, const double *X, const double *Y,
                       const double *weights);
bool orffi_witness_end(orffi_witness *witness);

/* A mark at the rows seen so far. */
void orffi_witness_mark(orffi_witness *witness);

/* Whether rows were refused, and then why: ORFF_ERROR_MISMATCH with `path`, else the status as it is. */
orff_status orffi_witness_outcome(const orffi_witness *witness, const char *path, orff_status status);

/* ---- in a file: the list "marks" */

json_t *orffi_witness_json(const orffi_witness *witness);
orff_status orffi_witness_expect(orffi_witness *witness, const orffi_fields *in);

#endif
