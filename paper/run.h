/* Inside of the harness: what main.c, csv.c, plot.c and check.c share. Items do not see it. */
#ifndef PAPER_RUN_H
#define PAPER_RUN_H

#include <stdio.h>

#include "paper.h"

#define PAPER_MAX_TABLES 16
#define PAPER_MAX_PATH   4096

struct paper_run {
    const paper_item *item;
    const char *out;  /* DIR */
    const char *data; /* --data or NULL */
    bool quick, resume;
    size_t long_runs; /* 0: as many as of everything else */

    char *previous; /* settings.txt of the run that is resumed; NULL: none */
    FILE *settings, *agreement;
    paper_table *tables[PAPER_MAX_TABLES];
    size_t n_tables;
    double before,
        cpu_before; /* seconds that a finished run took which is resumed to be drawn again; else 0 */
    double cpu_started;
    double started, told; /* clock of the start and of the last progress line */
};

/* Create DIR/NAME and open its texts. False: a resumed run has nothing left to do. */
bool paper_run_begin(paper_run *run);
void paper_run_end(paper_run *run, bool finished);

/* DIR/NAME/file, and paper/NAME/file of the sources. */
void paper_path(const paper_run *run, const char *file, char path[PAPER_MAX_PATH]);
void paper_source(const paper_run *run, const char *file, char path[PAPER_MAX_PATH]);

char *paper_read_text(const char *path); /* NULL: no such file; free() it */
void paper_table_close(paper_table *table);

/* Field number `index` of a CSV line into text; false: the line has fewer. */
bool paper_field(const char *line, size_t index, char *text, size_t size);

/* Compare DIR/NAME with expected.csv: prints each disagreement, returns their number. */
size_t paper_check(const paper_run *run, size_t *compared);

#endif
