#define _GNU_SOURCE

#include "formats/child_source.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "formats/wire.h"

/* Values in one block: enough that messages cost little in comparison, few enough for a cache. */
enum { BLOCK_VALUES = 1 << 14, HEADER_MOST = 1 << 28, TEXT_MOST = 1 << 16 };

typedef struct remote {
    fmt_child_plan plan;
    fmt_child child;
    int failed;              /* status of the failure after which nothing can be read */
    bool asked;              /* rows have been requested */
    bool ended;              /* all rows have been received */
    double *blocks;          /* two of FMT_BLOCK_VALUES, shared with the child; NULL: none */
    size_t which;            /* the block with the current rows */
    size_t room, held, next; /* rows that fit a block, rows received, rows returned */
    uint64_t given;          /* rows returned since the start */
} remote;

/* ---------------------------------------------------------------- failures */

static int fail_crashed(fmt_table *table, const remote *r) {
    const int ending = r->child.ending;
    const bool killed = ending != -1 && WIFSIGNALED(ending);
    if (killed && WTERMSIG(ending) != SIGKILL)
        return fmt_table_fail(table, ORFF_ERROR_FORMAT,
                              "%s crashed on it (signal %d) after %llu rows: the file is damaged or "
                              "hostile%s, or memory is short",
                              r->plan.library, WTERMSIG(ending), (unsigned long long)r->given,
                              r->plan.advice);
    return fmt_table_fail(table, ORFF_ERROR_IO, "the process that reads it %s",
                          killed ? "was killed (signal 9), perhaps for lack of memory"
                                 : "ended without a message; is memory short?");
}

/* Reports a broken connection. The child is gone then, and nothing more can be read. */
static int fail_line(fmt_table *table, remote *r, fmt_child_outcome outcome) {
    fmt_child_end(&r->child);
    if (outcome == FMT_CHILD_INTERRUPTED) {
        r->failed = fmt_table_fail(table, ORFF_ERROR_CANCELLED, "interrupted");
    } else if (outcome == FMT_CHILD_SLOW) {
        r->failed =
            fmt_table_fail(table, ORFF_ERROR_FORMAT,
                           "%s did not finish within %.3g s of processor time: the file is damaged or "
                           "hostile%s. If it is neither, %s allows more",
                           r->plan.library, r->child.seconds, r->plan.advice, r->plan.raise);
    } else {
        r->failed = fail_crashed(table, r);
    }
    return r->failed;
}

static int fail_nonsense(fmt_table *table, remote *r) {
    fmt_child_end(&r->child);
    r->failed = fmt_table_fail(
        table, ORFF_ERROR_FORMAT,
        "%s failed on it after %llu rows: the file is damaged or hostile%s, or memory is short",
        r->plan.library, (unsigned long long)r->given, r->plan.advice);
    return r->failed;
}

/* The limit may be lower than the machine's memory. */
static int fail_memory(fmt_table *table, const remote *r) {
    return fmt_table_fail(table, ORFF_ERROR_NO_MEMORY,
                          "not enough memory: %s may have %.3g GB; %s allows more", r->plan.library,
                          1e-9 * (double)r->plan.limits.memory, r->plan.raise);
}

/* ---------------------------------------------------------------- asking */

static int ask(fmt_table *table, remote *r, uint32_t kind, uint64_t number, const fmt_wire *wire) {
    const fmt_wire_head head = {.kind = kind, .number = number, .size = wire ? wire->size : 0};
    if (r->failed) return r->failed; /* its message is still set */
    if (wire && wire->bad) return fmt_table_fail_memory(table);
    fmt_child_outcome outcome = fmt_child_ask(&r->child, &head, sizeof head);
    if (!outcome && wire) outcome = fmt_child_ask(&r->child, wire->bytes, wire->size);
    return outcome ? fail_line(table, r, outcome) : ORFF_OK;
}

/* Reads the message of a failure; the child words it as this side would. */
static int read_failure(fmt_table *table, remote *r, const fmt_wire_head *head) {
    char message[sizeof table->message] = "";
    if (head->size >= sizeof message || (unsigned)head->status >= ORFF_STATUS_COUNT)
        return fail_nonsense(table, r);
    const fmt_child_outcome outcome = fmt_child_receive(&r->child, message, (size_t)head->size);
    if (outcome) return fail_line(table, r, outcome);
    if (head->status == ORFF_ERROR_NO_MEMORY) return fail_memory(table, r);
    orff_text_show(table->message, sizeof table->message, message);
    return head->status;
}

/* Receives the head of an answer with at most `most` bytes. */
static int hear(fmt_table *table, remote *r, uint32_t kind, uint64_t most, fmt_wire_head *head) {
    if (r->failed) return r->failed;
    const fmt_child_outcome outcome = fmt_child_receive(&r->child, head, sizeof *head);
    if (outcome) return fail_line(table, r, outcome);
    if (head->kind != kind) return fail_nonsense(table, r);
    if (head->status) return read_failure(table, r, head);
    return head->size <= most ? ORFF_OK : fail_nonsense(table, r);
}

static int hear_wire(fmt_table *table, remote *r, uint32_t kind, uint64_t most, uint64_t *number,
                     fmt_wire *wire) {
    fmt_wire_head head = {0};
    const int status = hear(table, r, kind, most, &head);
    if (status) return status;
    if (!fmt_wire_resize(wire, (size_t)head.size)) return fmt_table_fail_memory(table);
    const fmt_child_outcome outcome = fmt_child_receive(&r->child, wire->bytes, wire->size);
    *number = head.number;
    return outcome ? fail_line(table, r, outcome) : ORFF_OK;
}

/* ---------------------------------------------------------------- opening */

static int read_columns(fmt_table *table, remote *r, fmt_wire *wire) {
    const uint64_t columns = fmt_wire_get_number(wire), first_output = fmt_wire_get_number(wire);
    const uint64_t flags = fmt_wire_get_number(wire);
    if (wire->bad || first_output > columns || flags & FMT_FLAG_LABELS) return fail_nonsense(table, r);
    const int status = fmt_table_make_columns(table, columns);
    if (status) return status;
    table->units = calloc((size_t)columns + 1, sizeof *table->units);
    table->standard_names = calloc((size_t)columns + 1, sizeof *table->standard_names);
    table->shapes = calloc((size_t)columns + 1, sizeof *table->shapes);
    if (!table->units || !table->standard_names || !table->shapes) return fmt_table_fail_memory(table);
    for (size_t i = 0; i < table->columns; i++) {
        table->names[i] = fmt_wire_get_text(wire, TEXT_MOST);
        table->units[i] = fmt_wire_get_text(wire, TEXT_MOST);
        table->standard_names[i] = fmt_wire_get_text(wire, TEXT_MOST);
        table->shapes[i] = fmt_wire_get_text(wire, TEXT_MOST);
        if (fmt_wire_get_number(wire) && fmt_table_time_by_units(table, i, NULL))
            return fmt_table_fail_memory(table);
    }
    table->first_output = (size_t)first_output;
    table->named = flags & FMT_FLAG_NAMED;
    table->rewindable = flags & FMT_FLAG_REWINDABLE;
    table->drops_missing = flags & FMT_FLAG_DROPS_MISSING;
    return wire->bad || wire->at != wire->size ? fail_nonsense(table, r) : ORFF_OK;
}

/* Runs in the child, where the table is a copy of the parent's and becomes that of the source itself. */
static void work(int socket, int kept, void *self) {
    fmt_table *table = self;
    const remote *r = table->state;
    table->descriptor = kept;
    table->state = NULL;
    fmt_child_source_serve(socket, table, r->plan.source, r->blocks);
}

static size_t blocks_size(void) {
    return 2 * FMT_BLOCK_VALUES * sizeof(double); /* only the pages used take real memory */
}

int fmt_child_source_open(fmt_table *table, const fmt_child_plan *plan) {
    remote *r = table->state = calloc(1, sizeof *r);
    if (!r) return fmt_table_fail_memory(table);
    r->plan = *plan;
    void *blocks = mmap(NULL, blocks_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (blocks == MAP_FAILED) return fmt_table_fail_memory(table);
    r->blocks = blocks;
    const int error = fmt_child_start(&r->child, &plan->limits, table->descriptor, work, table);
    if (error)
        return fmt_table_fail(table, ORFF_ERROR_IO, "cannot start a process to read it: %s", strerror(error));
    r->child.interrupted = table->options.interrupted;
    fmt_wire wire = {0};
    int status = ask(table, r, FMT_ASK_OPEN, 0, NULL);
    if (!status) status = hear_wire(table, r, FMT_ASK_OPEN, HEADER_MOST, &table->rows, &wire);
    if (!status) status = read_columns(table, r, &wire);
    fmt_wire_clear(&wire);
    return status;
}

/* ---------------------------------------------------------------- rows */

/* Requests rows into the block that is not in use. */
static int ask_rows(fmt_table *table, remote *r) {
    fmt_wire wire = {0};
    fmt_wire_put_number(&wire, !r->which);
    const int status = ask(table, r, FMT_ASK_ROWS, r->room, &wire);
    fmt_wire_clear(&wire);
    r->asked = !status;
    return status;
}

/* Receives rows that were requested ahead and are no longer wanted. */
static int drain(fmt_table *table, remote *r) {
    fmt_wire_head head = {0};
    const int status = r->asked ? hear(table, r, FMT_ASK_ROWS, 0, &head) : ORFF_OK;
    r->asked = r->ended = false;
    r->held = r->next = 0;
    return r->failed ? status : ORFF_OK; /* a failure of those rows does not matter */
}

int fmt_child_source_choose(fmt_table *table) {
    remote *r = table->state;
    fmt_wire wire = {0};
    fmt_wire_head head = {0};
    fmt_wire_put_number(&wire, table->n_chosen);
    fmt_wire_put_number(&wire, table->d);
    for (size_t s = 0; s < table->n_chosen; s++) fmt_wire_put_number(&wire, table->chosen[s]);
    for (size_t i = 0; i < table->d; i++) fmt_wire_put_number(&wire, table->x_slot[i]);
    fmt_wire_put_text(&wire, table->fixed);
    const size_t width = table->n_chosen ? table->n_chosen : 1;
    r->room = width < BLOCK_VALUES ? BLOCK_VALUES / width : 1;
    int status = drain(table, r);
    if (!status) status = ask(table, r, FMT_ASK_CHOOSE, 0, &wire);
    if (!status) status = hear(table, r, FMT_ASK_CHOOSE, 0, &head);
    fmt_wire_clear(&wire);
    r->given = 0;
    table->rows = status ? table->rows : head.number;
    return status;
}

/* Receives the next block, and requests the one after it at once, so that the child works while these rows
 * are used. */
static int fetch(fmt_table *table, remote *r) {
    fmt_wire_head head = {0};
    r->held = r->next = 0;
    if (r->ended) return ORFF_OK;
    int status = r->asked ? ORFF_OK : ask_rows(table, r);
    if (!status) status = hear(table, r, FMT_ASK_ROWS, 0, &head);
    r->asked = false;
    if (status) return status;
    if (head.number > r->room) return fail_nonsense(table, r);
    r->which = !r->which;
    r->held = (size_t)head.number;
    r->ended = r->held == 0;
    return r->ended ? ORFF_OK : ask_rows(table, r);
}

int fmt_child_source_next(fmt_table *table, double *row, bool *got) {
    remote *r = table->state;
    const size_t width = table->n_chosen;
    *got = false;
    const int status = r->next == r->held ? fetch(table, r) : ORFF_OK;
    if (status || r->held == 0) return status;
    memcpy(row, r->blocks + r->which * FMT_BLOCK_VALUES + r->next++ * width, width * sizeof *row);
    r->given++;
    *got = true;
    return ORFF_OK;
}

int fmt_child_source_rewind(fmt_table *table) {
    remote *r = table->state;
    fmt_wire_head head = {0};
    int status = drain(table, r);
    if (!status) status = ask(table, r, FMT_ASK_REWIND, 0, NULL);
    if (!status) status = hear(table, r, FMT_ASK_REWIND, 0, &head);
    r->given = 0;
    return status;
}

/* Asks the child for the place of a value; if it cannot say, the row number must do. */
static int ask_place(fmt_table *table, remote *r, size_t slot, char *text, size_t room) {
    fmt_wire wire = {0};
    uint64_t number;
    fmt_wire_put_number(&wire, slot);
    int status = drain(table, r);
    if (!status) status = ask(table, r, FMT_ASK_PLACE, r->given, &wire);
    if (!status) status = hear_wire(table, r, FMT_ASK_PLACE, FMT_PLACE_ROOM - 1, &number, &wire);
    if (!status) snprintf(text, room, "%.*s", (int)wire.size, (const char *)wire.bytes);
    fmt_wire_clear(&wire);
    return status;
}

void fmt_child_source_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    remote *r = table->state;
    fmt_table scratch = *table; /* collects messages that nobody reads */
    if (ask_place(&scratch, r, slot, text, room))
        snprintf(text, room, "row %llu", (unsigned long long)r->given);
}

double fmt_child_source_progress(const fmt_table *table) {
    const remote *r = table->state;
    const bool known = table->rows && table->rows != FMT_ROWS_UNKNOWN;
    return known ? (double)r->given / (double)table->rows : (double)NAN;
}

void fmt_child_source_close(fmt_table *table) {
    remote *r = table->state;
    if (!r) return;
    fmt_child_end(&r->child);
    if (r->blocks) munmap(r->blocks, blocks_size());
    free(r);
}
