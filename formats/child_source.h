/* A source that runs in a child process, which sends its rows; child.h says why. The functions here are those
 * of an fmt_source, and return what the source itself would. */
#ifndef FMT_CHILD_SOURCE_H
#define FMT_CHILD_SOURCE_H

#include "formats/child.h"
#include "formats/source.h"

typedef struct fmt_child_plan {
    const fmt_source *source; /* must not make labels itself */
    fmt_child_limits limits;
    const char *library; /* named as the cause if the child fails: "the NetCDF library" */
    const char *advice;  /* advice about a damaged file */
    const char *raise;   /* how to raise the limits */
} fmt_child_plan;

/* Starts the child and opens the source in it. The table's descriptor stays open in the child. */
int fmt_child_source_open(fmt_table *table, const fmt_child_plan *plan);

int fmt_child_source_choose(fmt_table *table);
int fmt_child_source_next(fmt_table *table, double *row, bool *got);
int fmt_child_source_rewind(fmt_table *table);
void fmt_child_source_place(const fmt_table *table, size_t slot, char *text, size_t room);
double fmt_child_source_progress(const fmt_table *table);
void fmt_child_source_close(fmt_table *table);

/* Memory shared by both sides, two blocks of rows: the child fills one while its parent uses the other. A row
 * with the largest number of columns fits. */
#define FMT_BLOCK_VALUES ((size_t)FMT_COLUMNS_MOST)

/* The child's side: answers requests until there are no more. */
void fmt_child_source_serve(int socket, fmt_table *table, const fmt_source *source, double *blocks);

/* Requests. Every answer has the kind of its request. For each, its number and its bytes, then those of the
 * answer:
 *   OPEN    nothing -> rows; columns, first output, flags, and name, units, standard name, shape of each,
 *           and whether its units count from a date
 *   CHOOSE  columns chosen; their numbers, the slots of the inputs, what is fixed -> rows
 *   ROWS    largest number of rows; which block -> number of rows now in that block, none at the end
 *   REWIND  nothing -> nothing
 *   PLACE   rows read so far; a slot -> nothing; a text. The next row read is the one after these. */
enum { FMT_ASK_OPEN = 1, FMT_ASK_CHOOSE, FMT_ASK_ROWS, FMT_ASK_REWIND, FMT_ASK_PLACE };

enum { FMT_FLAG_NAMED = 1, FMT_FLAG_REWINDABLE = 2, FMT_FLAG_DROPS_MISSING = 4, FMT_FLAG_LABELS = 8 };

#define FMT_PLACE_ROOM 256

#endif
