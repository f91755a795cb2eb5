/* Dividing a table among several readers. */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/source.h"

/* n part / whole, rounded down, without overflow of 64 bits. */
static uint64_t scaled(uint64_t n, uint64_t part, uint64_t whole) {
    const uint64_t each = n / whole, rest = n % whole;
    uint64_t low = 0, sum = 0; /* remainder times part / whole, bit by bit: rest and sum stay below whole */
    for (int bit = 63; bit >= 0; bit--) {
        low *= 2;
        const bool over = sum >= whole - sum;
        sum = over ? sum - (whole - sum) : 2 * sum;
        low += over;
        if (!(part >> bit & 1)) continue;
        const bool more = sum >= whole - rest;
        sum = more ? sum - (whole - rest) : sum + rest;
        low += more;
    }
    return each * part + low;
}

uint64_t fmt_share_begin(const fmt_share *share, uint64_t n) {
    return scaled(n, share->from, share->whole);
}

uint64_t fmt_share_end(const fmt_share *share, uint64_t n) {
    return scaled(n, share->to, share->whole);
}

static bool is_all(const fmt_share *share) {
    return share->from == 0 && share->to == share->whole;
}

int fmt_table_share(fmt_table *table, const fmt_share *share) {
    bool divided = false;
    if (!share->whole || share->from > share->to || share->to > share->whole)
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "there is no such share");
    if (!table->selected) return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "no columns are chosen");
    if (is_all(share)) return ORFF_OK;
    table->used = table->dropped = table->partial = 0;
    table->ended = table->empty = false;
    const int status = table->source->share ? table->source->share(table, share, &divided) : ORFF_OK;
    if (!status && !divided) table->empty = share->from > 0 || share->to == 0;
    return status;
}

/* ---------------------------------------------------------------- NetCDF */

/* A dimension, and its selected indices. */
typedef struct axis {
    char name[128];
    uint64_t first, count;
} axis;

/* The entry of a name in a list "time=0,lat=3:9": its value, and the length of that; NULL: none. */
static const char *find_entry(const char *fixed, const char *name, size_t *length) {
    const size_t n = strlen(name);
    for (const char *at = fixed; at && *at; at += *at == ',') {
        *length = strcspn(at, ",");
        if (!strncmp(at, name, n) && at[n] == '=') {
            *length -= n + 1;
            return at + n + 1;
        }
        at += *length;
    }
    return NULL;
}

/* "time=24": false if the dimension is fixed at an index, or the text has another form. */
static bool parse_axis(const char *text, size_t length, const char *fixed, axis *a) {
    const char *equals = memchr(text, '=', length);
    if (!equals || (size_t)(equals - text) >= sizeof a->name) return false;
    snprintf(a->name, sizeof a->name, "%.*s", (int)(equals - text), text);
    a->first = 0;
    a->count = strtoull(equals + 1, NULL, 10);
    size_t room;
    const char *value = find_entry(fixed, a->name, &room);
    if (!value) return true;
    const char *colon = memchr(value, ':', room);
    if (!colon) return false;
    a->first = colon > value ? strtoull(value, NULL, 10) : 0;
    const uint64_t end = colon + 1 < value + room ? strtoull(colon + 1, NULL, 10) : a->count;
    a->count = end > a->first ? end - a->first : 0;
    return true;
}

/* The first dimension of the rows: that of the first variable among those with most dimensions. */
static bool find_axis(const fmt_table *table, const char *fixed, axis *a) {
    const char *best = NULL;
    size_t most = 0;
    for (size_t s = 0; s < table->n_chosen; s++) {
        const char *shape = fmt_table_shape(table, table->chosen[s]);
        size_t rank = shape && *shape ? 1 : 0;
        for (const char *at = shape; at && (at = strchr(at, ',')); at++) rank++;
        if (rank <= most) continue;
        most = rank;
        best = shape;
    }
    while (best && *best) {
        const size_t length = strcspn(best, ",");
        if (parse_axis(best, length, fixed, a)) return true;
        best += length;
        best += strspn(best, ", ");
    }
    return false;
}

/* The list with the entry of that name replaced or added. */
static char *replace_entry(const char *fixed, const axis *a, uint64_t from, uint64_t to) {
    size_t room;
    const char *value = fixed ? find_entry(fixed, a->name, &room) : NULL;
    const size_t before = value ? (size_t)(value - fixed) - strlen(a->name) - 1 : fixed ? strlen(fixed) : 0;
    const char *behind = value ? value + room : "";
    char *text;
    const int made =
        asprintf(&text, "%.*s%s%s=%llu:%llu%s", (int)before, fixed ? fixed : "", before && !value ? "," : "",
                 a->name, (unsigned long long)from, (unsigned long long)to, behind);
    return made < 0 ? NULL : text;
}

char *fmt_table_slab(const fmt_table *table, const char *fixed, const fmt_share *share, bool *empty) {
    axis a;
    *empty = false;
    if (!find_axis(table, fixed, &a)) return NULL;
    const uint64_t from = fmt_share_begin(share, a.count), to = fmt_share_end(share, a.count);
    *empty = from == to;
    return *empty ? NULL : replace_entry(fixed, &a, a.first + from, a.first + to);
}
