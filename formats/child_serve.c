/* The child's side of a source. Requests come from its own parent and are trusted. When the connection
 * breaks, nobody is left to work for. */
#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/child_source.h"
#include "formats/wire.h"

typedef struct server {
    int socket;
    fmt_table *table;
    const fmt_source *source;
    double *blocks; /* shared with the parent */
    int failed;     /* the failure that ended the rows, reported after the rows before it are sent */
} server;

static void answer(const server *s, uint32_t kind, int status, uint64_t number, const void *bytes,
                   size_t size) {
    const char *message = s->table->message;
    if (status) {
        bytes = message;
        size = strlen(message);
    }
    const fmt_wire_head head = {.kind = kind, .status = status, .number = number, .size = size};
    if (!fmt_wire_send(s->socket, &head, sizeof head) || !fmt_wire_send(s->socket, bytes, size)) _exit(0);
}

static void answer_wire(const server *s, uint32_t kind, int status, uint64_t number, fmt_wire *wire) {
    if (!status && wire->bad) status = fmt_table_fail_memory(s->table);
    answer(s, kind, status, number, wire->bytes, wire->size);
    fmt_wire_clear(wire);
}

static void open_source(server *s) {
    fmt_table *table = s->table;
    fmt_wire wire = {0};
    const int status = s->source->open(table);
    fmt_wire_put_number(&wire, table->columns);
    fmt_wire_put_number(&wire, table->first_output);
    fmt_wire_put_number(&wire, (uint64_t)(table->named * FMT_FLAG_NAMED) |
                                   (uint64_t)(table->rewindable * FMT_FLAG_REWINDABLE) |
                                   (uint64_t)(table->drops_missing * FMT_FLAG_DROPS_MISSING) |
                                   (uint64_t)(table->label_done * FMT_FLAG_LABELS));
    for (size_t i = 0; !status && i < table->columns; i++) {
        fmt_wire_put_text(&wire, table->names[i]);
        fmt_wire_put_text(&wire, fmt_table_units(table, i));
        fmt_wire_put_text(&wire, fmt_table_standard_name(table, i));
        fmt_wire_put_text(&wire, fmt_table_shape(table, i));
        fmt_wire_put_number(&wire, fmt_table_is_time(table, i));
    }
    answer_wire(s, FMT_ASK_OPEN, status, table->rows, &wire);
}

static size_t *read_list(fmt_wire *wire, size_t count) {
    size_t *list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) list[i] = (size_t)fmt_wire_get_number(wire);
    return list;
}

static int choose(server *s, fmt_wire *asked) {
    fmt_table *table = s->table;
    fmt_table_clear_selection(table);
    table->n_chosen = (size_t)fmt_wire_get_number(asked);
    table->d = (size_t)fmt_wire_get_number(asked);
    table->chosen = read_list(asked, table->n_chosen);
    table->x_slot = read_list(asked, table->d);
    char *fixed = fmt_wire_get_text(asked, SIZE_MAX);
    s->failed = ORFF_OK;
    table->fixed = fixed;
    int status = table->chosen && table->x_slot && !asked->bad ? ORFF_OK : fmt_table_fail_memory(table);
    if (!status && s->source->choose) status = s->source->choose(table);
    table->fixed = NULL;
    free(fixed);
    return status;
}

/* Fills a block with rows, until the end or a failure. A failure after some rows is reported with the next
 * request. */
static void fill_block(server *s, uint64_t most, uint64_t which) {
    double *row = s->blocks + (which ? FMT_BLOCK_VALUES : 0);
    uint64_t count = 0;
    bool got = true;
    while (!s->failed && count < most) {
        s->failed = s->source->next(s->table, row, &got);
        if (s->failed || !got) break;
        row += s->table->n_chosen;
        count++;
    }
    answer(s, FMT_ASK_ROWS, count ? ORFF_OK : s->failed, count, NULL, 0);
}

static int rewind_source(server *s) {
    s->failed = ORFF_OK;
    return s->source->rewind(s->table);
}

/* The source knows only the place of the last row it gave, and may have read far ahead. So it rewinds and
 * reads up to the wanted row again. */
static void find_place(server *s, uint64_t row, size_t slot) {
    char text[FMT_PLACE_ROOM] = "";
    bool got = true;
    int status = rewind_source(s);
    for (uint64_t i = 0; !status && got && i < row; i++) status = s->source->next(s->table, s->blocks, &got);
    if (!status) s->source->place(s->table, slot, text, sizeof text);
    answer(s, FMT_ASK_PLACE, status, 0, text, strlen(text));
}

static void serve_one(server *s, const fmt_wire_head *head, fmt_wire *asked) {
    int status;
    switch (head->kind) {
    case FMT_ASK_OPEN:
        open_source(s);
        break;
    case FMT_ASK_CHOOSE:
        status = choose(s, asked);
        answer(s, head->kind, status, s->table->rows, NULL, 0);
        break;
    case FMT_ASK_ROWS:
        fill_block(s, head->number, fmt_wire_get_number(asked));
        break;
    case FMT_ASK_REWIND:
        answer(s, head->kind, rewind_source(s), 0, NULL, 0);
        break;
    case FMT_ASK_PLACE:
        find_place(s, head->number, (size_t)fmt_wire_get_number(asked));
        break;
    default:
        _exit(1);
    }
}

void fmt_child_source_serve(int socket, fmt_table *table, const fmt_source *source, double *blocks) {
    server s = {.socket = socket, .table = table, .source = source, .blocks = blocks};
    fmt_wire asked = {0};
    fmt_wire_head head;
    while (fmt_wire_receive(socket, &head, sizeof head)) {
        if (!fmt_wire_resize(&asked, (size_t)head.size)) _exit(1);
        if (!fmt_wire_receive(socket, asked.bytes, asked.size)) break;
        serve_one(&s, &head, &asked);
    }
}
