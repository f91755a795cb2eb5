/* What the tests of formats/ share: small files, and reading a table whole. */
#ifndef ORFF_TESTS_FORMATS_H
#define ORFF_TESTS_FORMATS_H

#include "formats/output.h"
#include "formats/table.h"
#include "support.h"

/* A directory of its own for the group of tests; tear-down fails when a file is left there. */
int formats_set_up(void **state);
int formats_tear_down(void **state);

/* Path of a file there, removed at tear-down. Valid for some calls. */
const char *formats_path(const char *name);

/* A file with these bytes; its path. */
const char *formats_file(const char *name, const void *bytes, size_t size);
const char *formats_text(const char *name, const char *text);
const char *formats_packed(const char *name, const void *bytes, size_t size); /* gzip */

/* A pipe from which these bytes come once, written by another process; formats_piped_end waits for that. */
const char *formats_piped(const char *name, const void *bytes, size_t size);
void formats_piped_end(void);

/* From here on every table is of this source, whatever its file is; NULL: as the file says. */
struct fmt_source;
void formats_use_source(const struct fmt_source *source);

/* A table read whole, in blocks of a few rows. End it with formats_free. */
typedef struct formats_data {
    fmt_table *table;
    size_t n, d, p;
    double *X, *Y, *weights;
} formats_data;

/* Fails the test with the table's message when anything goes wrong. */
formats_data formats_read(const char *path, const fmt_table_selection *selection);
void formats_free(formats_data *data);

/* Opening, selecting or reading fails with this status and a message that has all of these words (ended by
 * NULL). */
void formats_refused(const char *path, const fmt_table_selection *selection, int status, ...);

void formats_says(const char *message, const char *word);

#endif
