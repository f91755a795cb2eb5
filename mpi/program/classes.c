#include "classes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "formats/labels.h"
#include "ranks.h"
#include "tables.h"

#define BLOCK 4096

/* ---- which there are */

static int add_label(fmt_labels *labels, const char *name) {
    size_t unused;
    const int status = fmt_labels_index(labels, name, strlen(name), &unused);
    if (!status) return CLI_DONE;
    return status == ORFF_ERROR_NO_MEMORY ? cli_failed("not enough memory for the classes")
                                          : cli_failed("there are more than %d classes", FMT_LABELS_MOST);
}

/* Those of the rows of this rank. */
static int scan(cli_data *data, fmt_labels *labels) {
    const orff_reader reader = cli_data_reader(data);
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X), *Y = cli_more(NULL, BLOCK, sizeof *Y);
    double *weights = data->weighted ? cli_more(NULL, BLOCK, sizeof *weights) : NULL;
    size_t n = 1;
    int status = CLI_DONE;
    while (n && !status) {
        if (cli_other_failed() || reader.read(reader.self, BLOCK, X, Y, weights, &n))
            status = cli_data_outcome(data, ORFF_ERROR_CALLBACK);
        for (size_t i = 0; n && !status && i < fmt_table_label_count(data->table); i++)
            status = add_label(labels, fmt_table_label(data->table, i));
    }
    free(X);
    free(Y);
    free(weights);
    return status;
}

/* Names, each with its zero at the end. */
static size_t pack(const fmt_labels *labels, char **bytes) {
    size_t size = 0;
    *bytes = NULL;
    for (size_t i = 0; i < labels->count; i++) {
        const size_t length = strlen(labels->names[i]) + 1;
        *bytes = cli_more(*bytes, size + length, 1);
        memcpy(*bytes + size, labels->names[i], length);
        size += length;
    }
    return size;
}

static int unpack(fmt_labels *labels, size_t size, const char *bytes) {
    int status = CLI_DONE;
    for (size_t at = 0; !status && at < size; at += strlen(bytes + at) + 1)
        status = add_label(labels, bytes + at);
    return status;
}

/* Of all ranks, on rank 0, in order. */
static int gather(fmt_labels *labels) {
    char *mine, *bytes = NULL;
    int size = (int)pack(labels, &mine), whole = 0, status = CLI_DONE;
    int *sizes = cli_more(NULL, (size_t)cli_ranks(), sizeof *sizes),
        *starts = cli_more(NULL, (size_t)cli_ranks(), sizeof *starts);
    MPI_Gather(&size, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; cli_is_first() && i < cli_ranks(); whole += sizes[i++]) starts[i] = whole;
    bytes = cli_more(NULL, (size_t)whole + 1, 1);
    MPI_Gatherv(mine, size, MPI_CHAR, bytes, sizes, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (cli_is_first()) status = unpack(labels, (size_t)whole, bytes);
    if (cli_is_first() && !status) {
        size_t *order = cli_more(NULL, labels->count, sizeof *order);
        if (fmt_labels_sort(labels, order)) status = cli_failed("not enough memory for the classes");
        free(order);
    }
    free(sizes);
    free(starts);
    free(mine);
    free(bytes);
    return cli_agree(status);
}

/* As rank 0 has them, on all. */
static int share(fmt_labels *labels) {
    char *bytes = NULL;
    uint64_t size = cli_is_first() ? pack(labels, &bytes) : 0;
    cli_share_bytes(&size, sizeof size);
    if (!cli_is_first()) bytes = cli_more(NULL, (size_t)size + 1, 1);
    cli_share_bytes(bytes, (size_t)size);
    if (!cli_is_first()) fmt_labels_clear(labels);
    const int status = cli_is_first() ? CLI_DONE : unpack(labels, (size_t)size, bytes);
    free(bytes);
    return cli_agree(status);
}

int cli_classes_find(cli_data *data) {
    fmt_labels labels = {0};
    int status = cli_agree_early(scan(data, &labels));
    if (!status) status = gather(&labels);
    if (!status) status = share(&labels);
    data->classes = labels.count;
    if (!status && labels.count < 2)
        status = cli_agree(cli_failed("--classify: there are fewer than two classes: %zu", labels.count));
    if (!status)
        status = cli_outcome(
            orff_notes_set_labels(data->notes, labels.count, (const char *const *)labels.names), NULL);
    if (!status) cli_tables_number(data, labels.count, (const char *const *)labels.names);
    fmt_labels_clear(&labels);
    return cli_agree(status);
}

/* ---- their codes */

int cli_coder_begin(cli_coder *c, const orff_reader *inner, size_t classes) {
    *c = (cli_coder){.inner = *inner, .length = classes - 1};
    c->codes = cli_more(NULL, classes * c->length, sizeof *c->codes);
    return cli_outcome(orff_simplex_codes(classes, c->codes), NULL);
}

static int read_codes(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    cli_coder *c = self;
    if (room > c->room) c->labels = cli_more(c->labels, c->room = room, sizeof *c->labels);
    const int trouble = c->inner.read(c->inner.self, room, X, c->labels, weights, rows);
    for (size_t i = 0; !trouble && i < *rows; i++)
        memcpy(Y + i * c->length, c->codes + (size_t)c->labels[i] * c->length, c->length * sizeof *Y);
    return trouble;
}

orff_reader cli_coder_reader(cli_coder *c) {
    return (orff_reader){.read = read_codes, .self = c, .weighted = c->inner.weighted};
}

void cli_coder_clear(cli_coder *c) {
    free(c->codes);
    free(c->labels);
    *c = (cli_coder){0};
}
