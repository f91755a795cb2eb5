/* Lists of columns: names, numbers and ranges. */
#define _GNU_SOURCE

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/header.h"
#include "formats/source.h"

const char *fmt_nearest(const char *name, size_t count, char *const *names) {
    const char **words = malloc((count + 1) * sizeof *words);
    size_t used = 0;
    if (!words) return NULL;
    for (size_t i = 0; i < count; i++)
        if (names[i]) words[used++] = names[i];
    words[used] = NULL;
    const char *nearest = orff_text_nearest(name, words);
    free(words);
    return nearest;
}

/* "a, b, c, .." as far as it fits. */
static void list_names(const fmt_table *table, char *text, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < table->columns; i++) {
        const char *name = fmt_table_name(table, i);
        if (used + strlen(name) + 8 > room) {
            snprintf(text + used, room - used, ", ..");
            return;
        }
        used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", name);
    }
}

static int fail_unknown(fmt_table *table, const char *what, const char *name) {
    char shown[FMT_SHOWN_ROOM], names[200] = "";
    fmt_shown(shown, name, strlen(name));
    const char *nearest = fmt_nearest(name, table->columns, table->names);
    if (nearest)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                              "%s: there is no column \"%s\"; did you mean \"%s\"?", what, shown, nearest);
    list_names(table, names, sizeof names);
    return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "%s: there is no column \"%s\"; there are %s",
                          what, shown, names);
}

/* A list being built: `room` entries are allocated. */
typedef struct list {
    fmt_table *table;
    const char *what;
    size_t count, room;
    size_t *columns;
} list;

static int add(list *l, size_t column) {
    for (size_t i = 0; l->count < 4096 && i < l->count; i++)
        if (l->columns[i] == column)
            return fmt_table_fail(l->table, ORFF_ERROR_INVALID_ARGUMENT, "%s: column \"%s\" is named twice",
                                  l->what, fmt_table_name(l->table, column));
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 16;
        size_t *columns = realloc(l->columns, room * sizeof *columns);
        if (!columns) return fmt_table_fail_memory(l->table);
        l->columns = columns;
        l->room = room;
    }
    l->columns[l->count++] = column;
    return ORFF_OK;
}

/* A number from 1 on at the start of the text; 0 if there is none. It stops growing long before it
 * overflows. */
static size_t number(const char **text) {
    size_t value = 0;
    for (; isdigit((unsigned char)**text); ++*text)
        if (value < (size_t)1 << 40) value = 10 * value + (size_t)(**text - '0');
    return value;
}

/* The form in which a name is shown is also accepted as the name. For names that are not UTF-8, it is the
 * only form that JSON can contain. */
static bool is_shown_as(const char *own, const char *name) {
    char shown[512];
    return strchr(name, '\\') && orff_text_show(shown, sizeof shown, own) && !strcmp(shown, name);
}

/* Whether a column has this name, its own or the generated one. */
static bool has_name(const fmt_table *table, size_t column, const char *name) {
    const char *own = table->names[column], *title = table->titles ? table->titles[column] : NULL;
    if (title && !strcmp(title, name)) return true;
    if (own && *name == '/' && !strcmp(own, name + 1)) return true; /* a variable of the root group */
    if (own) return !strcmp(own, name) || is_shown_as(own, name);
    const char *at = name + 1;
    return *name == 'c' && number(&at) == column + 1 && !*at;
}

/* Adds the column of that name, if there is one. */
static int add_named(list *l, const char *name, bool *found) {
    const fmt_table *table = l->table;
    size_t first = table->columns;
    *found = false;
    for (size_t i = 0; i < table->columns; i++) {
        if (!has_name(table, i, name)) continue;
        if (*found)
            return fmt_table_fail(l->table, ORFF_ERROR_INVALID_ARGUMENT,
                                  "%s: columns %zu and %zu are both named \"%s\"; give the number", l->what,
                                  first + 1, i + 1, name);
        first = i;
        *found = true;
    }
    return *found ? add(l, first) : ORFF_OK;
}

/* Adds "3" or "5-8". */
static int add_numbered(list *l, const char *text) {
    const char *at = text;
    const size_t columns = l->table->columns;
    size_t first = number(&at), last = first;
    if (at != text && *at == '-') {
        at++;
        last = number(&at);
    }
    if (at == text || *at) return fail_unknown(l->table, l->what, text);
    if (first < 1 || last < first || last > columns)
        return fmt_table_fail(l->table, ORFF_ERROR_INVALID_ARGUMENT, "%s: %s: columns are numbered 1 to %zu",
                              l->what, text, columns);
    for (size_t i = first; i <= last; i++) {
        const int status = add(l, i - 1);
        if (status) return status;
    }
    return ORFF_OK;
}

static int add_item(list *l, const char *item, bool quoted) {
    bool found;
    if (!*item)
        return fmt_table_fail(l->table, ORFF_ERROR_INVALID_ARGUMENT, "%s: an empty name in the list",
                              l->what);
    const int status = add_named(l, item, &found);
    if (status || found) return status;
    return quoted ? fail_unknown(l->table, l->what, item) : add_numbered(l, item);
}

/* Cuts the item at *at out of the text, in place, and moves past its comma. NULL: a quote is not closed. */
static char *cut_item(char **at, bool *quoted) {
    char *item = *at, *end;
    while (*item == ' ') item++;
    *quoted = *item == '"';
    if (*quoted) {
        end = strchr(++item, '"');
        if (!end) return NULL;
        *end++ = '\0';
        end += strspn(end, " ");
        if (*end && *end != ',') return NULL;
    } else {
        end = item + strcspn(item, ",");
    }
    *at = *end ? end + 1 : NULL;
    *end = '\0';
    for (char *last = end; !*quoted && last > item && last[-1] == ' ';) *--last = '\0';
    return item;
}

static int parse(list *l, char *text) {
    for (char *at = text; at;) {
        bool quoted;
        const char *item = cut_item(&at, &quoted);
        if (!item)
            return fmt_table_fail(l->table, ORFF_ERROR_INVALID_ARGUMENT, "%s: a quote is not closed",
                                  l->what);
        const int status = add_item(l, item, quoted);
        if (status) return status;
    }
    return ORFF_OK;
}

int fmt_columns_parse(fmt_table *table, const char *what, const char *text, size_t *count, size_t **columns) {
    list l = {.table = table, .what = what};
    char *copy = fmt_header_utf8(text, strlen(text));
    const int status = copy ? parse(&l, copy) : fmt_table_fail_memory(table);
    free(copy);
    *count = l.count;
    *columns = l.columns;
    return status;
}
