/* The run of one item: its folder, its settings, its agreement, its progress; and how the program gives up. */
#define _GNU_SOURCE /* getloadavg */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

#define QUIET_SECONDS 5.0 /* between two lines of progress */

/* ---- giving up */

void paper_fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("orff-paper: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void paper_must(orff_status status, const char *what) {
    if (status != ORFF_OK) paper_fatal("%s: %s (%s)", what, orff_error_message(), orff_status_text(status));
}

void *paper_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) paper_fatal("not enough memory for %zu items of %zu bytes", count, size);
    return memory;
}

double paper_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double paper_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the machine */

double paper_load(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : NAN;
}

/* Linux names its processor in /proc/cpuinfo. */
const char *paper_machine(void) {
    static char text[192];
    char line[256], name[128] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %127[^\n]", name) == 1) break;
    if (file) fclose(file);
    for (char *c = name; *c; c++)
        if (*c == ',' || *c == '"') *c = ';';
    const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    snprintf(text, sizeof text, "%s; %ld cores; %.0f GB", name, sysconf(_SC_NPROCESSORS_ONLN),
             bytes / 0x1p30);
    return text;
}

/* ---- files */

static void join(char path[PAPER_MAX_PATH], const char *folder, const char *name, const char *file) {
    const int length = snprintf(path, PAPER_MAX_PATH, "%s/%s/%s", folder, name, file);
    if (length < 0 || length >= PAPER_MAX_PATH) paper_fatal("%s: the path is too long", folder);
}

void paper_path(const paper_run *run, const char *file, char path[PAPER_MAX_PATH]) {
    join(path, run->out, run->item->name, file);
}

void paper_source(const paper_run *run, const char *file, char path[PAPER_MAX_PATH]) {
    join(path, PAPER_SOURCE_DIR, run->item->name, file);
}

char *paper_read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t length = 0, room = 1 << 16;
    char *text = paper_alloc(room, 1);
    for (size_t got; (got = fread(text + length, 1, room - length - 1, file)) > 0;) {
        length += got;
        if (length + 1 < room) continue;
        room *= 2;
        text = realloc(text, room);
        if (!text) paper_fatal("%s: not enough memory", path);
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

static FILE *create(const paper_run *run, const char *file) {
    char path[PAPER_MAX_PATH];
    paper_path(run, file, path);
    FILE *stream = fopen(path, "w");
    if (!stream) paper_fatal("%s: %s", path, strerror(errno));
    return stream;
}

/* Like mkdir -p. */
static void make_folders(const char *path) {
    char part[PAPER_MAX_PATH];
    for (size_t i = 0; i < PAPER_MAX_PATH - 1; i++) {
        part[i] = '\0';
        if ((path[i] == '/' || !path[i]) && i > 0 && mkdir(part, 0777) && errno != EEXIST)
            paper_fatal("%s: %s", part, strerror(errno));
        if (!path[i]) return;
        part[i] = path[i];
    }
}

/* ---- settings */

/* Whether settings.txt of the run before has this line. */
static bool had_line(const paper_run *run, const char *line) {
    const size_t length = strlen(line);
    for (const char *at = run->previous; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (!strncmp(at, line, length) && (at[length] == '\n' || !at[length])) return true;
    return false;
}

static bool had_name(const paper_run *run, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = run->previous; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (!strncmp(at, name, length) && !strncmp(at + length, " = ", 3)) return true;
    return false;
}

void paper_setting(paper_run *run, const char *name, const char *format, ...) {
    char value[1024], line[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%s = %s", name, value);
    if (had_name(run, name) && !had_line(run, line))
        paper_fatal("%s/%s was made with another value of \"%s\" than now, %s; run it without --resume",
                    run->out, run->item->name, name, value);
    fprintf(run->settings, "%s\n", line);
    fflush(run->settings);
}

/* ---- begin and end */

static const char *mode_line(const paper_run *run) {
    return run->quick ? "mode = quick" : "mode = full";
}

/* The number behind a name in the settings of the run that is resumed; 0 where there is none. */
static double number_of(const paper_run *run, const char *name) {
    const char *found = run->previous ? strstr(run->previous, name) : NULL;
    return found ? strtod(found + strlen(name), NULL) : 0.0;
}

bool paper_run_begin(paper_run *run) {
    char path[PAPER_MAX_PATH];
    paper_path(run, "", path);
    make_folders(path);
    paper_path(run, "settings.txt", path);
    run->started = run->told = paper_seconds();
    run->cpu_started = paper_cpu_seconds();
    run->previous = run->resume ? paper_read_text(path) : NULL;
    if (!had_line(run, mode_line(run))) { /* nothing there, or of the other mode: start afresh */
        free(run->previous);
        run->previous = NULL;
        run->resume = false;
    }
    if (had_line(run, "finished = yes")) {
        free(run->previous);
        run->previous = NULL;
        return false;
    }
    run->before = number_of(run, "\nseconds = ");
    run->cpu_before = number_of(run, "\nprocessor seconds = ");
    run->settings = create(run, "settings.txt");
    run->agreement = create(run, "agreement.md");
    fprintf(
        run->settings,
        "item = %s\n%s\nversion = %s\nbuild = %s\nthreads = %zu\nmachine = %s\nload at the start = %.1f\n",
        run->item->name, mode_line(run), orff_version(), orff_build_info(), orff_get_threads(),
        paper_machine(), paper_load());
    fprintf(run->agreement, "# %s\n\n", run->item->title);
    return true;
}

void paper_run_end(paper_run *run, bool finished) {
    for (size_t i = 0; i < run->n_tables; i++) paper_table_close(run->tables[i]);
    run->n_tables = 0;
    const char *part = run->resume && run->before == 0.0 ? " since it was resumed" : "";
    if (finished)
        fprintf(run->settings,
                "load at the end = %.1f\nseconds%s = %.1f\nprocessor seconds%s = %.1f\nfinished = yes\n",
                paper_load(), part, run->before + paper_seconds() - run->started, part,
                run->cpu_before + paper_cpu_seconds() - run->cpu_started);
    if (fclose(run->settings) || fclose(run->agreement))
        paper_fatal("%s/%s: %s", run->out, run->item->name, strerror(errno));
    free(run->previous);
    run->previous = NULL;
}

/* ---- what an item tells */

bool paper_quick(const paper_run *run) {
    return run->quick;
}

size_t paper_long_runs(const paper_run *run, size_t all) {
    if (!run->long_runs || run->long_runs >= all) return all;
    fprintf(run->settings, "runs of what takes long = %zu\n", run->long_runs);
    return run->long_runs;
}

const char *paper_data(const paper_run *run) {
    return run->data;
}

void paper_agreement(paper_run *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(run->agreement, format, arguments);
    va_end(arguments);
}

void paper_progress(paper_run *run, double done, double total, const char *format, ...) {
    const double now = paper_seconds();
    if (now - run->told < QUIET_SECONDS) return;
    run->told = now;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: %3.0f %%, %.0f s, ", run->item->name, total > 0 ? 100 * done / total : 0.0,
            now - run->started);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int paper_skip(paper_run *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("%s: left out: ", run->item->name);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    return PAPER_SKIPPED;
}
