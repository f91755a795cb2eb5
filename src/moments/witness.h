/* Remembers which rows were read: a reader wrapped around another one. It keeps a digest of the rows and,
 * when rows are read again, refuses rows that differ from before. */
#ifndef ORFFI_MOMENTS_WITNESS_H
#define ORFFI_MOMENTS_WITNESS_H

#include "base/digest.h"
#include "base/fields.h"

/* The digest of the first `rows` rows. */
typedef struct orffi_mark {
    uint64_t rows;
    orffi_digest digest;
} orffi_mark;

/* In the order of the rows. Marks at every power of two detect a difference early, and show roughly where it
 * is. */
enum { ORFFI_MARKS = 72 };
typedef struct orffi_marks {
    size_t count;
    orffi_mark list[ORFFI_MARKS];
} orffi_marks;

typedef struct orffi_witness {
    orff_reader source;
    size_t d, p;          /* p as in the source: 1 for labels */
    orffi_mark now;       /* over all rows seen */
    orffi_marks made;     /* at powers of two, and wherever orffi_witness_mark was called */
    orffi_marks expected; /* from the earlier run; none: nothing to compare with */
    size_t met;           /* how many of the expected marks have matched */
    bool differs, ended;  /* rows differ from the expected ones; they ended too early */
} orffi_witness;

/* Starts with a zeroed witness, which may already have expected marks. source: NULL for rows in memory. */
void orffi_witness_begin(orffi_witness *witness, const orff_reader *source, size_t d, size_t p);

/* A reader of the source's rows. It fails if they differ from the expected ones. */
orff_reader orffi_witness_reader(orffi_witness *witness);

/* The same for rows in memory: false if they differ from the expected ones. */
bool orffi_witness_see(orffi_witness *witness, size_t n, const double *X, const double *Y,
                       const double *weights);
bool orffi_witness_end(orffi_witness *witness);

/* Adds a mark at the rows seen so far. */
void orffi_witness_mark(orffi_witness *witness);

/* If rows were refused, ORFF_ERROR_MISMATCH with the reason and `path`; else the given status. */
orff_status orffi_witness_outcome(const orffi_witness *witness, const char *path, orff_status status);

/* ---- in a file: the list "marks" */

json_t *orffi_witness_json(const orffi_witness *witness);
orff_status orffi_witness_expect(orffi_witness *witness, const orffi_fields *in);

#endif
