/* A source that runs in a child process, which sends its rows; see child.h for what that is good for. The
 * functions here are those of an fmt_source, and what they give is what the source itself would. */
#ifndef FMT_CHILD_SOURCE_H
#define FMT_CHILD_SOURCE_H

#include "formats/child.h"
#include "formats/source.h"

typedef struct fmt_child_plan {
    const fmt_source *source; /* one that does not make labels itself */
    fmt_child_limits limits;
    const char *library; /* who is to blame when the child fails: "the NetCDF library" */
    const char *advice;  /* what to do about a damaged file */
    const char *raise;   /* what allows more */
} fmt_child_plan;

/* Starts the child and opens the source in it, with the table's descriptor kept open for it. */
int fmt_child_source_open(fmt_table *table, const fmt_child_plan *plan);

int fmt_child_source_choose(fmt_table *table);
int fmt_child_source_next(fmt_table *table, double *row, bool *got);
int fmt_child_source_rewind(fmt_table *table);
void fmt_child_source_place(const fmt_table *table, size_t slot, char *text, size_t room);
double fmt_child_source_progress(const fmt_table *table);
void fmt_child_source_close(fmt_table *table);

/* Memory that both sides see, two blocks of rows: the child fills one while its parent uses the other. A row of
 * as many columns as there can be fits. */
#define FMT_BLOCK_VALUES ((size_t)FMT_COLUMNS_MOST)

/* The other side, run by the child: answers until nobody asks any more. */
void fmt_child_source_serve(int socket, fmt_table *table, const fmt_source *source, double *blocks);

/* What is asked. Every answer is of the kind asked for; the number of each, and its bytes:
 *   OPEN    nothing -> rows; columns, first output, flags, and name, units, standard name, shape of each,
 *           and whether its units count from a date
 *   CHOOSE  columns chosen; their numbers, the slots of the inputs, what is fixed -> rows
 *   ROWS    how many at most; which block -> how many there are now in that block, none at the end
 *   REWIND  nothing -> nothing
 *   PLACE   rows read so far; a slot -> nothing; a text. The next row is the one behind these. */
enum { FMT_ASK_OPEN = 1, FMT_ASK_CHOOSE, FMT_ASK_ROWS, FMT_ASK_REWIND, FMT_ASK_PLACE };

enum { FMT_FLAG_NAMED = 1, FMT_FLAG_REWINDABLE = 2, FMT_FLAG_DROPS_MISSING = 4, FMT_FLAG_LABELS = 8 };

#define FMT_PLACE_ROOM 256

#endif
