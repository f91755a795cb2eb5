/* Chooses the columns for inputs, outputs, weights and groups. */
#include <stdlib.h>
#include <string.h>

#include "formats/source.h"

/* The columns of each role. */
typedef struct parts {
    size_t d, p, w, g[FMT_GROUP_COUNT];
    size_t *x, *y, *weights, *groups[FMT_GROUP_COUNT];
    unsigned char *role; /* columns: 1 output, 2 weights, 4 input, 8 groups */
} parts;

static void free_parts(parts *s) {
    free(s->x);
    free(s->y);
    free(s->weights);
    for (size_t k = 0; k < FMT_GROUP_COUNT; k++) free(s->groups[k]);
    free(s->role);
}

static int assign_role(fmt_table *table, parts *s, size_t count, const size_t *columns, unsigned char as) {
    for (size_t i = 0; i < count; i++) {
        if (s->role[columns[i]])
            return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                                  "column \"%s\" is used for two purposes",
                                  fmt_table_name(table, columns[i]));
        s->role[columns[i]] = as;
    }
    return ORFF_OK;
}

/* Adds all columns of first .. last-1 that have no role yet. */
static int collect_rest(fmt_table *table, parts *s, size_t first, size_t last, size_t *count,
                        size_t **columns) {
    *columns = calloc(last - first ? last - first : 1, sizeof **columns);
    if (!*columns) return fmt_table_fail_memory(table);
    for (size_t i = first; i < last; i++)
        if (!s->role[i]) (*columns)[(*count)++] = i;
    return ORFF_OK;
}

static int choose_outputs(fmt_table *table, parts *s, const char *names) {
    const int status = names ? fmt_columns_parse(table, "outputs", names, &s->p, &s->y)
                             : collect_rest(table, s, table->first_output, table->columns, &s->p, &s->y);
    return status ? status : assign_role(table, s, s->p, s->y, 1);
}

/* Drops times of day that follow their dates among the inputs, because they are part of these. */
static void drop_clock(const fmt_table *table, parts *s) {
    for (size_t i = 1; table->clock != FMT_NO_SLOT && i < s->d; i++) {
        if (s->x[i] != table->clock || s->x[i - 1] != table->clock - 1) continue;
        memmove(s->x + i, s->x + i + 1, (s->d - i - 1) * sizeof *s->x);
        s->d--;
    }
}

static int choose_inputs(fmt_table *table, parts *s, const char *names) {
    const int status = names ? fmt_columns_parse(table, "inputs", names, &s->d, &s->x)
                             : collect_rest(table, s, 0, table->first_output, &s->d, &s->x);
    if (!status) drop_clock(table, s);
    return status ? status : assign_role(table, s, s->d, s->x, 4);
}

static int choose_weights(fmt_table *table, parts *s, const char *names) {
    if (!names) return ORFF_OK;
    const int status = fmt_columns_parse(table, "weights", names, &s->w, &s->weights);
    if (status) return status;
    if (s->w != 1)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "weights: expected one column, found %zu",
                              s->w);
    return assign_role(table, s, 1, s->weights, 2);
}

/* A column that already has a role keeps it, and serves for groups too. */
static int choose_group(fmt_table *table, parts *s, fmt_group which, const char *what, const char *names) {
    if (!names) return ORFF_OK;
    const int status = fmt_columns_parse(table, what, names, &s->g[which], &s->groups[which]);
    if (status) return status;
    if (s->g[which] != 1)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "%s: expected one column, found %zu", what,
                              s->g[which]);
    const unsigned char part = s->role[s->groups[which][0]];
    table->groups[which].shared = part && part != 8;
    return part ? ORFF_OK : assign_role(table, s, 1, s->groups[which], 8);
}

static int choose_groups(fmt_table *table, parts *s, const fmt_table_selection *selection) {
    int status = choose_group(table, s, FMT_GROUPS, "groups", selection->groups);
    if (!status) status = choose_group(table, s, FMT_INSTRUMENTS, "noise-by", selection->instruments);
    return status ? status : choose_group(table, s, FMT_OFFSETS, "group-effect", selection->offsets);
}

/* chosen: all columns with a role, ascending; `slot` (columns): the index of each in a row. */
static int lay_out(fmt_table *table, const parts *s, size_t *slot) {
    const size_t n = s->d + s->p + s->w + FMT_GROUP_COUNT;
    table->chosen = calloc(n + 1, sizeof *table->chosen);
    table->row = calloc(n + 1, sizeof *table->row);
    table->x_slot = calloc(s->d + 1, sizeof *table->x_slot);
    table->y_slot = calloc(s->p + 1, sizeof *table->y_slot);
    if (!table->chosen || !table->row || !table->x_slot || !table->y_slot)
        return fmt_table_fail_memory(table);
    for (size_t i = 0; i < table->columns; i++) {
        if (!s->role[i]) continue;
        slot[i] = table->n_chosen;
        table->chosen[table->n_chosen++] = i;
    }
    for (size_t i = 0; i < s->d; i++) table->x_slot[i] = slot[s->x[i]];
    for (size_t i = 0; i < s->p; i++) table->y_slot[i] = slot[s->y[i]];
    if (s->w) table->weight_slot = slot[s->weights[0]];
    for (size_t k = 0; k < FMT_GROUP_COUNT; k++)
        if (s->g[k]) table->groups[k].slot = slot[s->groups[k][0]];
    table->d = s->d;
    table->p = s->p;
    return ORFF_OK;
}

static int place_columns(fmt_table *table, const fmt_table_selection *selection) {
    parts s = {.role = calloc(table->columns + 1, 1)};
    size_t *slot = calloc(table->columns + 1, sizeof *slot);
    int status = s.role && slot ? ORFF_OK : fmt_table_fail_memory(table);
    if (!status) status = choose_weights(table, &s, selection->weights);
    if (!status && !selection->inputs) status = choose_groups(table, &s, selection);
    if (!status) status = choose_outputs(table, &s, selection->outputs);
    if (!status) status = choose_inputs(table, &s, selection->inputs);
    if (!status && selection->inputs) status = choose_groups(table, &s, selection);
    if (!status) status = lay_out(table, &s, slot);
    free(slot);
    free_parts(&s);
    return status;
}

int fmt_table_count_columns(fmt_table *table, const char *what, const char *names, size_t *count) {
    size_t *columns = NULL;
    const int status = fmt_columns_parse(table, what, names, count, &columns);
    free(columns);
    return status;
}

static int prepare_labels(fmt_table *table, const fmt_table_selection *selection) {
    if (!selection->labels) return ORFF_OK;
    if (table->p != 1)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                              "outputs: classes need one column, found %zu", table->p);
    table->label_slot = table->y_slot[0];
    for (size_t i = 0; i < selection->n_labels; i++) {
        size_t index;
        const char *name = selection->label_names[i];
        const int status = fmt_labels_index(&table->labels, name, strlen(name), &index);
        if (status == ORFF_ERROR_NO_MEMORY) return fmt_table_fail_memory(table);
        if (status || index != i)
            return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                                  "the list of classes has \"%s\" twice or is too long", name);
    }
    table->labels.fixed = selection->n_labels > 0;
    return ORFF_OK;
}

int fmt_table_select(fmt_table *table, const fmt_table_selection *selection) {
    if (table->selected)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "columns were chosen before");
    table->drops_missing = table->drops_missing || selection->skip_missing;
    table->optional = selection->optional;
    table->companions = selection->companions;
    table->fixed = selection->fixed;
    int status = ORFF_OK;
    if (selection->fixed && strcmp(table->source->name, fmt_source_netcdf.name))
        status =
            fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "select: only NetCDF files have dimensions");
    if (!status) status = place_columns(table, selection);
    if (table->optional > table->p) table->optional = table->p;
    if (!status) status = prepare_labels(table, selection);
    if (!status && table->source->choose) status = table->source->choose(table);
    table->fixed = NULL;
    if (!status) status = fmt_table_begin_times(table);
    table->selected = !status;
    if (status) fmt_table_clear_selection(table);
    return status;
}
