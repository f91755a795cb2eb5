/* Sources in a child process: rows arrive unchanged, and any failure of the child is an error with the file's
 * name. The sources here are made for that: they crash, loop, sleep, exhaust memory, send invalid
 * messages. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "formats.h"
#include "formats/child_source.h"
#include "formats/wire.h"

enum { ROWS = 100000, LINE = 3 }; /* LINE: the descriptor by which a child answers */

/* ---------------------------------------------------------------- a source of rows (i, 2 i, 3 i) */

typedef enum deed {
    NOTHING,
    CRASH,
    ABORT,
    EXIT,
    LOOP,
    SLEEP,
    TAKE_MEMORY,
    FAIL,
    INTERRUPT_ITSELF,
    TALK_NONSENSE
} deed;

/* What is done when; children have these from their parent. */
static struct {
    deed at_open, at_choose, at_rewind, at_place, at_row;
    uint64_t row;
    const void *nonsense;
    size_t nonsense_size;
    const char *unit; /* of the first column */
} script;

static uint64_t next_row; /* of the child */

static int fill_memory(fmt_table *table) {
    for (size_t i = 0; i < 100000; i++) {
        char *memory = malloc(1 << 20);
        if (!memory) return fmt_table_fail_memory(table);
        memset(memory, 1, 1 << 20);
    }
    return ORFF_OK;
}

static int act(fmt_table *table, deed what) {
    volatile int forever = 1;
    switch (what) {
    case CRASH:
        raise(SIGSEGV);
        break;
    case ABORT:
        abort();
    case EXIT:
        _exit(0);
    case LOOP: /* after telling who does it, where there is somebody to tell */
        if (table->descriptor >= 0 && write(table->descriptor, &(pid_t){getpid()}, sizeof(pid_t)) < 0)
            _exit(1);
        while (forever) continue;
        break;
    case SLEEP:
        nanosleep(&(struct timespec){.tv_nsec = 700000000}, NULL);
        break;
    case TAKE_MEMORY:
        return fill_memory(table);
    case FAIL:
        return fmt_table_fail(table, ORFF_ERROR_NOT_FINITE, "something \033 is wrong");
    case INTERRUPT_ITSELF:
        raise(SIGINT);
        raise(SIGTERM);
        break;
    case TALK_NONSENSE:
        fmt_wire_send(LINE, script.nonsense, script.nonsense_size);
        _exit(0);
    case NOTHING:
        break;
    }
    return ORFF_OK;
}

static int fake_open(fmt_table *table) {
    static const char *const names[] = {"x", "y", NULL};
    const int status = fmt_table_make_columns(table, 3);
    if (status) return status;
    table->units = calloc(4, sizeof *table->units);
    if (!table->units) return fmt_table_fail_memory(table);
    for (size_t i = 0; i < 3; i++) table->names[i] = names[i] ? strdup(names[i]) : NULL;
    if (script.unit && asprintf(&table->units[0], "%s %d", script.unit, (int)getpid()) < 0) return 1;
    table->named = table->rewindable = true;
    table->first_output = 2;
    return act(table, script.at_open);
}

static int fake_choose(fmt_table *table) {
    table->rows = ROWS;
    next_row = 0;
    if (table->fixed && strcmp(table->fixed, "here"))
        return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT, "nothing is fixed at %s", table->fixed);
    return act(table, script.at_choose);
}

static int fake_next(fmt_table *table, double *row, bool *got) {
    const int status = next_row == script.row ? act(table, script.at_row) : ORFF_OK;
    *got = next_row < ROWS;
    if (status || !*got) return status;
    for (size_t s = 0; s < table->n_chosen; s++) row[s] = (double)((table->chosen[s] + 1) * next_row);
    next_row++;
    return ORFF_OK;
}

static int fake_rewind(fmt_table *table) {
    next_row = 0;
    return act(table, script.at_rewind);
}

static void fake_place(const fmt_table *table, size_t slot, char *text, size_t room) {
    fmt_table scratch = *table;
    act(&scratch, script.at_place);
    snprintf(text, room, "row %llu of column %zu", (unsigned long long)next_row, table->chosen[slot]);
}

static const fmt_source fake = {.name = "fake",
                                .open = fake_open,
                                .choose = fake_choose,
                                .next = fake_next,
                                .rewind = fake_rewind,
                                .place = fake_place};

static fmt_child_limits limits;

static int in_child_open(fmt_table *table) {
    const fmt_child_plan plan = {
        .source = &fake, .limits = limits, .library = "LIBRARY", .advice = " ADVICE", .raise = "MORE"};
    return fmt_child_source_open(table, &plan);
}

static const fmt_source in_child = {.name = "child",
                                    .open = in_child_open,
                                    .choose = fmt_child_source_choose,
                                    .next = fmt_child_source_next,
                                    .rewind = fmt_child_source_rewind,
                                    .place = fmt_child_source_place,
                                    .progress = fmt_child_source_progress,
                                    .close = fmt_child_source_close};

/* ---------------------------------------------------------------- tables of it */

static int set_up(void **state) {
    (void)state;
    memset(&script, 0, sizeof script);
    script.row = UINT64_MAX;
    limits = (fmt_child_limits){.seconds = 600.0, .memory = (uint64_t)1 << 30};
    return 0;
}

/* Every test ends without children, dead or alive. */
static int tear_down(void **state) {
    (void)state;
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static fmt_table *make(void) {
    fmt_table *table = fmt_table_make("FILE");
    assert_non_null(table);
    table->source = &in_child;
    return table;
}

static int open_and_select(fmt_table *table, const fmt_table_selection *selection) {
    const int status = table->source->open(table);
    return status ? status : fmt_table_select(table, selection);
}

static const fmt_table_selection all = {.inputs = "x,y", .outputs = "3"};

/* Reads to the end or to an error; checks the rows on the way. */
static int read_rows(fmt_table *table, uint64_t *count) {
    double X[7 * 2], Y[7];
    size_t got;
    *count = 0;
    do {
        const int status = fmt_table_read(table, 7, X, Y, NULL, &got);
        if (status) return status;
        for (size_t i = 0; i < got; i++) {
            const double row = (double)(*count + i);
            if (X[2 * i] != row || X[2 * i + 1] != 2 * row || Y[i] != 3 * row) fail_msg("row %g", row);
        }
        *count += got;
    } while (got);
    return ORFF_OK;
}

static fmt_table *made(void) {
    fmt_table *table = make();
    if (open_and_select(table, &all)) fail_msg("%s", fmt_table_error(table));
    return table;
}

/* Opening, choosing or reading ends in this status, with a message that begins with the file's name. */
static void refused(int expected, const char *word) {
    uint64_t rows;
    fmt_table *table = make();
    int status = open_and_select(table, &all);
    if (!status) status = read_rows(table, &rows);
    if (status != expected) fail_msg("status %d (%s), expected %d", status, fmt_table_error(table), expected);
    assert_memory_equal(fmt_table_error(table), "FILE: ", 6);
    formats_says(fmt_table_error(table), word);
    if (table->selected) assert_int_not_equal(read_rows(table, &rows), ORFF_OK); /* and so it stays */
    fmt_table_close(table);
}

/* ---------------------------------------------------------------- what goes well */

static void test_rows(void **state) {
    (void)state;
    uint64_t rows;
    script.unit = "m";
    fmt_table *table = made();
    assert_int_equal(fmt_table_columns(table), 3);
    assert_string_equal(fmt_table_name(table, 1), "y");
    assert_string_equal(fmt_table_name(table, 2), "c3");
    assert_memory_equal(fmt_table_units(table, 0), "m ", 2);
    assert_null(fmt_table_units(table, 1));
    assert_null(fmt_table_standard_name(table, 0));
    assert_true(fmt_table_named(table));
    assert_int_equal(fmt_table_rows(table), ROWS);
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(read_rows(table, &rows), ORFF_OK);
        assert_int_equal(rows, ROWS);
        assert_close(fmt_table_progress(table), 1.0, 0.0);
        assert_int_equal(fmt_table_rewind(table), ORFF_OK);
    }
    fmt_table_close(table);
}

/* Rows read ahead are dropped when the reader goes back. */
static void test_rewind_in_the_middle(void **state) {
    (void)state;
    double X[20], Y[10];
    size_t got;
    uint64_t rows;
    fmt_table *table = made();
    for (int turn = 0; turn < 20; turn++) {
        assert_int_equal(fmt_table_read(table, 10, X, Y, NULL, &got), ORFF_OK);
        assert_close(Y[9], 27.0, 0.0);
        assert_int_equal(fmt_table_rewind(table), ORFF_OK);
    }
    assert_int_equal(read_rows(table, &rows), ORFF_OK);
    assert_int_equal(rows, ROWS);
    fmt_table_close(table);
}

/* A failure comes behind the rows before it, in the words of the source, and for ever. */
static void test_failure_behind_rows(void **state) {
    (void)state;
    static const uint64_t places[] = {0, 1, 5000, 77777};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t rows;
        script.at_row = FAIL;
        script.row = places[i];
        fmt_table *table = made();
        assert_int_equal(read_rows(table, &rows), ORFF_ERROR_NOT_FINITE);
        assert_in_range(rows, places[i] / 7 * 7, places[i]);
        assert_string_equal(fmt_table_error(table), "FILE: something \\x1b is wrong");
        assert_int_equal(read_rows(table, &rows), ORFF_ERROR_NOT_FINITE);
        fmt_table_close(table);
    }
}

static void test_failure_to_choose(void **state) {
    (void)state;
    uint64_t rows;
    fmt_table *table = make();
    script.at_choose = NOTHING;
    assert_int_equal(in_child_open(table), ORFF_OK);
    const size_t chosen[] = {0, 1, 2};
    table->n_chosen = 3;
    table->chosen = malloc(sizeof chosen);
    assert_non_null(table->chosen);
    memcpy(table->chosen, chosen, sizeof chosen);
    table->fixed = "there";
    assert_int_equal(fmt_child_source_choose(table), ORFF_ERROR_INVALID_ARGUMENT);
    assert_string_equal(fmt_table_error(table), "FILE: nothing is fixed at there");
    table->fixed = "here";
    assert_int_equal(fmt_child_source_choose(table), ORFF_OK);
    table->fixed = NULL;
    fmt_table_clear_selection(table);
    assert_int_equal(fmt_table_select(table, &all), ORFF_OK); /* the child is none the worse for it */
    assert_int_equal(read_rows(table, &rows), ORFF_OK);
    fmt_table_close(table);
}

/* The place is that of the row given last, however far the child has read, and reading goes on behind it. */
static void test_place(void **state) {
    (void)state;
    static const uint64_t places[] = {1, 6000, 50001};
    double row[3];
    char text[64];
    bool got;
    fmt_table *table = made();
    uint64_t given = 0;
    for (size_t i = 0; i < 3; i++) {
        for (; given < places[i]; given++) assert_int_equal(fmt_child_source_next(table, row, &got), ORFF_OK);
        char expected[64];
        snprintf(expected, sizeof expected, "row %llu of column 2", (unsigned long long)places[i]);
        fmt_child_source_place(table, 2, text, sizeof text);
        assert_string_equal(text, expected);
        assert_int_equal(fmt_child_source_next(table, row, &got), ORFF_OK);
        assert_close(row[0], (double)given++, 0.0);
    }
    script.at_place = CRASH; /* in this process: the child has its own */
    fmt_table_close(table);
    table = made();
    assert_int_equal(fmt_child_source_next(table, row, &got), ORFF_OK);
    fmt_child_source_place(table, 2, text, sizeof text);
    assert_string_equal(text, "row 1");
    fmt_table_close(table);
}

/* Waiting is no work: a child that sleeps for longer than its limit goes on, as one with a slow disk does. */
static void test_sleeper_lives(void **state) {
    (void)state;
    limits.seconds = 0.4;
    script.at_open = SLEEP;
    script.at_row = SLEEP;
    script.row = 2;
    fmt_table *table = made();
    double row[3];
    bool got;
    assert_int_equal(fmt_child_source_next(table, row, &got), ORFF_OK);
    assert_true(got);
    assert_int_equal(fmt_child_source_rewind(table), ORFF_OK);
    fmt_table_close(table);
}

/* Interrupts reach a whole group of processes; they are for the parent to hear. */
static void test_interrupts_are_the_parents(void **state) {
    (void)state;
    uint64_t rows;
    script.at_open = INTERRUPT_ITSELF;
    fmt_table *table = made();
    assert_int_equal(read_rows(table, &rows), ORFF_OK);
    fmt_table_close(table);
}

/* ---------------------------------------------------------------- what goes wrong */

static void everywhere(deed what, int expected, const char *word) {
    deed *const when[] = {&script.at_open, &script.at_choose, &script.at_row, &script.at_row};
    const uint64_t row[] = {UINT64_MAX, UINT64_MAX, 0, 50000};
    for (size_t i = 0; i < 4; i++) {
        support_case("deed %d, time %zu", (int)what, i);
        *when[i] = what;
        script.row = row[i];
        refused(expected, word);
        *when[i] = NOTHING;
    }
    support_case(NULL);
}

static void test_crash(void **state) {
    (void)state;
    everywhere(CRASH, ORFF_ERROR_FORMAT, "LIBRARY crashed on it (signal 11)");
    everywhere(ABORT, ORFF_ERROR_FORMAT, "LIBRARY crashed on it (signal 6)");
    everywhere(CRASH, ORFF_ERROR_FORMAT, "damaged or hostile ADVICE");
    everywhere(EXIT, ORFF_ERROR_IO, "ended without a message");
}

static void test_crash_while_rewinding(void **state) {
    (void)state;
    script.at_rewind = CRASH;
    fmt_table *table = made();
    assert_int_equal(fmt_table_rewind(table), ORFF_ERROR_FORMAT);
    formats_says(fmt_table_error(table), "crashed");
    assert_int_equal(fmt_table_rewind(table), ORFF_ERROR_FORMAT);
    fmt_table_close(table);
}

static void test_loop(void **state) {
    (void)state;
    limits.seconds = 0.1;
    everywhere(LOOP, ORFF_ERROR_FORMAT, "did not finish within 0.1 s of processor time");
    script.at_open = LOOP;
    refused(ORFF_ERROR_FORMAT, "MORE allows more");
}

/* Sanitizers have an address space of their own kind. */
static void test_memory(void **state) {
    (void)state;
#if defined __SANITIZE_ADDRESS__
    skip();
#endif
    limits.memory = (uint64_t)64 << 20;
    everywhere(TAKE_MEMORY, ORFF_ERROR_NO_MEMORY, "LIBRARY may have 0.0671 GB; MORE");
}

static bool always(void) {
    return true;
}

static void test_interrupted(void **state) {
    (void)state;
    script.at_open = LOOP;
    fmt_table *table = make();
    table->options.interrupted = always;
    assert_int_equal(in_child_open(table), ORFF_ERROR_CANCELLED);
    formats_says(fmt_table_error(table), "FILE: interrupted");
    fmt_table_close(table);
}

/* ---------------------------------------------------------------- nonsense */

static void nonsense(deed *when, const fmt_wire_head *head, const void *bytes, size_t size) {
    unsigned char all_of_it[4096];
    memcpy(all_of_it, head, sizeof *head);
    if (size) memcpy(all_of_it + sizeof *head, bytes, size);
    script.nonsense = all_of_it;
    script.nonsense_size = sizeof *head + size;
    *when = TALK_NONSENSE;
    refused(ORFF_ERROR_FORMAT, "LIBRARY failed on it");
    *when = NOTHING;
}

static void test_nonsense_heads(void **state) {
    (void)state;
    const fmt_wire_head heads[] = {
        {0},
        {.kind = 77},
        {.kind = FMT_ASK_ROWS},
        {.kind = FMT_ASK_OPEN, .size = UINT64_MAX},
        {.kind = FMT_ASK_OPEN, .size = (uint64_t)1 << 40},
        {.kind = FMT_ASK_OPEN, .status = -1},
        {.kind = FMT_ASK_OPEN, .status = ORFF_STATUS_COUNT},
        {.kind = FMT_ASK_OPEN, .status = ORFF_ERROR_IO, .size = 4096},
        {.kind = FMT_ASK_OPEN},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        support_case("head %zu", i);
        nonsense(&script.at_open, &heads[i], NULL, 0);
    }
    support_case(NULL);
}

static void test_nonsense_columns(void **state) {
    (void)state;
    const uint64_t lists[][8] = {
        {4, 2, 3, 0}, /* first output behind the last column */
        {3, 1, 1, FMT_FLAG_LABELS},
        {4, 1, 1, 0, 1000}, /* a name longer than the message */
        {4, 1, 1, 0, UINT64_MAX - 1},
        {4, 1, 1, 0, 8},                                     /* no bytes of it */
        {7, 1, 1, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 5}, /* something left over */
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        support_case("list %zu", i);
        const fmt_wire_head head = {.kind = FMT_ASK_OPEN, .size = lists[i][0] * 8};
        nonsense(&script.at_open, &head, &lists[i][1], (size_t)head.size);
    }
    support_case(NULL);
}

/* Too many columns are refused before there is room made for them. */
static void test_nonsense_many_columns(void **state) {
    (void)state;
    const uint64_t message[6] = {FMT_ASK_OPEN, 0, 24, (uint64_t)1 << 60, 0, 0};
    script.at_open = TALK_NONSENSE;
    script.nonsense = message;
    script.nonsense_size = sizeof message;
    refused(ORFF_ERROR_FORMAT, "columns, more than");
}

static void test_nonsense_rows(void **state) {
    (void)state;
    const fmt_wire_head heads[] = {
        {.kind = FMT_ASK_ROWS, .number = UINT64_MAX}, /* more than were asked for */
        {.kind = FMT_ASK_ROWS, .number = (uint64_t)1 << 16},
        {.kind = FMT_ASK_ROWS, .number = 2, .size = (uint64_t)1 << 40},
        {.kind = FMT_ASK_ROWS, .number = 2, .size = 48},
        {.kind = FMT_ASK_OPEN, .number = 2},
    };
    script.row = 0;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        support_case("head %zu", i);
        nonsense(&script.at_row, &heads[i], NULL, 0);
    }
    support_case(NULL);
}

/* ---------------------------------------------------------------- manners */

/* What the child has open, as the unit of a column: it can say nothing else. */
static int open_and_count(fmt_table *table) {
    struct stat nothing, stream;
    int open = 0;
    bool silent = !stat("/dev/null", &nothing);
    for (int i = 0; i < 1024; i++) open += fcntl(i, F_GETFD) >= 0;
    for (int i = 0; i < 3; i++) silent = silent && !fstat(i, &stream) && stream.st_rdev == nothing.st_rdev;
    const int status = fake_open(table);
    char byte = 0;
    silent = silent && read(table->descriptor, &byte, 1) == 1 && byte == 'k';
    free(table->units[0]);
    return asprintf(&table->units[0], "%d %s", open, silent ? "silent" : "loud") < 0 ? 1 : status;
}

static void test_descriptors(void **state) {
    (void)state;
    fmt_source source = fake;
    source.open = open_and_count;
    const fmt_child_plan plan = {
        .source = &source, .limits = limits, .library = "LIBRARY", .advice = "", .raise = ""};
    const int other = open(formats_text("other", "o"), O_RDONLY);
    fmt_table *table = make();
    table->descriptor = open(formats_text("kept", "k"), O_RDONLY);
    assert_true(other >= 0 && table->descriptor >= 0);
    assert_int_equal(fmt_child_source_open(table, &plan), ORFF_OK);
    assert_string_equal(fmt_table_units(table, 0), "5 silent");
    fmt_table_close(table);
    close(other);
}

/* The child writes nothing of what its parent has yet to write. */
static void test_streams_of_the_parent(void **state) {
    (void)state;
    const char *path = formats_path("stream");
    struct stat about;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("once", file);
    script.at_row = EXIT;
    script.row = 5;
    refused(ORFF_ERROR_IO, "ended");
    assert_int_equal(fclose(file), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 4);
}

/* A process that reads from a child that loops, which tells its number. */
static void read_for_ever(int pipe_end) {
    uint64_t rows;
    script.at_row = LOOP;
    script.row = 10;
    limits.seconds = 1e9;
    fmt_table *table = make();
    table->descriptor = pipe_end;
    if (!open_and_select(table, &all)) read_rows(table, &rows);
    _exit(1);
}

/* The child of a process that is killed has nobody to work for, and dies too, even in a loop. */
static void test_dies_with_parent(void **state) {
    (void)state;
    int ends[2], ending = 0;
    pid_t child = 0;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) read_for_ever(ends[1]);
    assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, &ending, 0), parent);
    assert_int_equal(waitpid(child, &ending, 0), child);
    assert_true(WIFSIGNALED(ending) && WTERMSIG(ending) == SIGKILL);
    close(ends[0]);
    close(ends[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_rows),
        TEST(test_rewind_in_the_middle),
        TEST(test_failure_behind_rows),
        TEST(test_failure_to_choose),
        TEST(test_place),
        TEST(test_sleeper_lives),
        TEST(test_interrupts_are_the_parents),
        TEST(test_crash),
        TEST(test_crash_while_rewinding),
        TEST(test_loop),
        TEST(test_memory),
        TEST(test_interrupted),
        TEST(test_nonsense_heads),
        TEST(test_nonsense_columns),
        TEST(test_nonsense_many_columns),
        TEST(test_nonsense_rows),
        TEST(test_descriptors),
        TEST(test_streams_of_the_parent),
        TEST(test_dies_with_parent),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
