/* Two tables side by side. */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>

#include "formats/source.h"

typedef struct pair {
    fmt_table *part[2];
} pair;

/* The part that a column or slot of the pair belongs to; *index becomes the index in that part. `first` is
 * the count of the first part. */
static size_t which(size_t first, size_t *index) {
    if (*index < first) return 0;
    *index -= first;
    return 1;
}

static int fail_part(fmt_table *table, int status, const fmt_table *part) {
    snprintf(table->message, sizeof table->message, "%s", part->message);
    return status;
}

static int pair_choose(fmt_table *table) {
    pair *p = table->state;
    for (size_t i = 0; i < 2; i++) {
        fmt_table *part = p->part[i];
        fmt_table_clear_selection(part);
        part->chosen = calloc(table->n_chosen + 1, sizeof *part->chosen);
        if (!part->chosen) return fmt_table_fail_memory(table);
    }
    for (size_t s = 0; s < table->n_chosen; s++) {
        size_t column = table->chosen[s];
        fmt_table *part = p->part[which(p->part[0]->columns, &column)];
        part->chosen[part->n_chosen++] = column;
    }
    if (table->label_slot != FMT_NO_SLOT) {
        size_t slot = table->label_slot;
        fmt_table *part = p->part[which(p->part[0]->n_chosen, &slot)];
        part->label_slot = slot;
        table->label_done = part->label_done;
    }
    for (size_t i = 0; i < 2; i++) {
        fmt_table *part = p->part[i];
        const int status = part->source->choose ? part->source->choose(part) : ORFF_OK;
        if (status) return fail_part(table, status, part);
    }
    return ORFF_OK;
}

/* Reads a row of one part, which gets the pair's classes while it reads. */
static int part_next(fmt_table *table, fmt_table *part, double *row, bool *got) {
    part->labels = table->labels;
    const int status = part->source->next(part, row, got);
    table->labels = part->labels;
    part->labels = (fmt_labels){0};
    return status ? fail_part(table, status, part) : ORFF_OK;
}

static int pair_next(fmt_table *table, double *row, bool *got) {
    pair *p = table->state;
    bool has[2];
    for (size_t i = 0; i < 2; i++) {
        const int status = part_next(table, p->part[i], row, &has[i]);
        if (status) return status;
        row += p->part[i]->n_chosen;
    }
    *got = has[0] && has[1];
    if (has[0] == has[1]) return ORFF_OK;
    return fmt_table_fail(table, ORFF_ERROR_MISMATCH, "%llu rows in %s, more in %s",
                          (unsigned long long)(table->used + table->dropped), p->part[has[0]]->path,
                          p->part[!has[0]]->path);
}

static int pair_rewind(fmt_table *table) {
    pair *p = table->state;
    for (size_t i = 0; i < 2; i++) {
        const int status = p->part[i]->source->rewind(p->part[i]);
        if (status) return fail_part(table, status, p->part[i]);
    }
    return ORFF_OK;
}

/* Arrays with the same number of rows are divided between the same rows. */
static int pair_share(fmt_table *table, const fmt_share *share, bool *divided) {
    pair *p = table->state;
    const fmt_share all = {0, 1, 1};
    bool cut[2] = {false, false};
    int status = ORFF_OK;
    for (size_t i = 0; i < 2; i++)
        if (!p->part[i]->source->share || p->part[i]->rows == FMT_ROWS_UNKNOWN) return ORFF_OK;
    for (size_t i = 0; !status && i < 2; i++) status = p->part[i]->source->share(p->part[i], share, &cut[i]);
    *divided = cut[0] && cut[1];
    for (size_t i = 0; !status && !*divided && i < 2; i++)
        if (cut[i]) status = p->part[i]->source->share(p->part[i], &all, &cut[i]);
    return status;
}

static void pair_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    const pair *p = table->state;
    const fmt_table *part = p->part[which(p->part[0]->n_chosen, &slot)];
    const int used = snprintf(text, room, "%.150s: ", part->path);
    part->source->place(part, slot, text + used, room - (size_t)used);
}

static double pair_progress(const fmt_table *table) {
    const pair *p = table->state;
    return fmt_table_progress(p->part[0]);
}

static void pair_close(fmt_table *table) {
    pair *p = table->state;
    for (size_t i = 0; p && i < 2; i++) fmt_table_close(p->part[i]);
    free(p);
}

static const fmt_source source_pair = {
    .name = "pair",
    .choose = pair_choose,
    .next = pair_next,
    .rewind = pair_rewind,
    .share = pair_share,
    .place = pair_place,
    .progress = pair_progress,
    .close = pair_close,
};

/* The names of both parts; generated names get the prefix x or y. */
static int pair_names(fmt_table *table, const pair *p) {
    const size_t first = p->part[0]->columns;
    int status = fmt_table_make_columns(table, (uint64_t)first + p->part[1]->columns);
    for (size_t i = 0; !status && i < table->columns; i++) {
        size_t column = i;
        const size_t in = which(first, &column);
        const fmt_table *part = p->part[in];
        const char *name = fmt_table_name(part, column);
        if (asprintf(&table->names[i], "%s%s",
                     part->named ? ""
                     : in        ? "y"
                                 : "x",
                     part->named ? name : name + 1) < 0) {
            table->names[i] = NULL;
            status = fmt_table_fail_memory(table);
        }
        if (!status && fmt_table_is_time(part, column))
            status = fmt_table_set_time(table, i, &part->times[column]);
    }
    table->first_output = first;
    return status;
}

int fmt_table_pair(fmt_table **out, fmt_table *inputs, fmt_table *outputs) {
    fmt_table *table = *out = fmt_table_make(inputs->path);
    pair *p = calloc(1, sizeof *p);
    if (!table || !p) {
        fmt_table_close(inputs);
        fmt_table_close(outputs);
        free(p);
        return table ? fmt_table_fail_memory(table) : ORFF_ERROR_NO_MEMORY;
    }
    *p = (pair){{inputs, outputs}};
    table->source = &source_pair;
    table->state = p;
    table->options = inputs->options;
    table->named = inputs->named && outputs->named;
    table->rewindable = inputs->rewindable && outputs->rewindable;
    table->drops_missing = inputs->drops_missing || outputs->drops_missing;
    const uint64_t n = inputs->rows, m = outputs->rows;
    table->rows = n != FMT_ROWS_UNKNOWN ? n : m;
    if (n != m && n != FMT_ROWS_UNKNOWN && m != FMT_ROWS_UNKNOWN)
        return fmt_table_fail(table, ORFF_ERROR_MISMATCH, "has %llu rows, and %s has %llu",
                              (unsigned long long)n, outputs->path, (unsigned long long)m);
    return pair_names(table, p);
}
