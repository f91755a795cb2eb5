/* Runs one command of the program again and again in the present directory, each time with another call failing, and
 * judges every run:
 *
 *     faults [-f FAULTS] [-i INPUT] [-s FILE] NAME COMMAND..
 *
 * INPUT becomes standard input. FAULTS is a list of memory, write, sync, rename, close, flush (see interpose.c) and size (no file may grow beyond so
 * many bytes); without it all are tried. A run is good if it
 *
 *     - ends with status 0, and all files and standard output are, bit for bit, as without a failure; or
 *     - ends with another status, says on standard error what is short or broken, and all files are as before.
 *
 * FILE (-s) is written on the way to the end, as checkpoints are: a run that fails may leave it as before or changed, but
 * then "orff info" can read it. A temporary file that stays is a difference too. What ends inside of another library, by a signal or by exit, is
 * counted apart; it may not change files either. Lines of standard output that tell seconds or bytes of memory are not
 * compared. ORFF_FAULTS=all tries every call, otherwise some in even steps and always the first and the last ones, with one error
 * for a call that fails alone and another for one after which all fail;
 * ORFF_FAULTS_TRACE=1 shows where the failing call of a bad run was made. */
#define _GNU_SOURCE

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

enum { STEPS = 12, SHOWN = 4, MOST_FILES = 256, MOST_CALLS = 8000 };

static void leave(const char *what) {
    fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- texts and files */

typedef struct text {
    char *bytes;
    size_t size;
} text;

static text read_all(int file) {
    text t = {NULL, 0};
    for (;;) {
        t.bytes = realloc(t.bytes, t.size + 65537);
        if (!t.bytes) leave("memory");
        const ssize_t got = read(file, t.bytes + t.size, 65536);
        if (got < 0 && errno != EAGAIN) leave("read");
        t.size += got > 0 ? (size_t)got : 0;
        t.bytes[t.size] = '\0';
        if (got <= 0) return t;
    }
}

static bool same_text(const text *a, const text *b) {
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

typedef struct picture { /* of the present directory */
    size_t count;
    struct entry {
        char *path;
        bool folder;
        text content;
    } entries[MOST_FILES];
} picture;

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void list_folder(picture *p, const char *folder) {
    DIR *directory = opendir(folder);
    if (!directory) leave(folder);
    for (const struct dirent *d = readdir(directory); d; d = readdir(directory)) {
        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")) continue;
        if (p->count == MOST_FILES) leave("too many files");
        struct entry *e = &p->entries[p->count++];
        if (asprintf(&e->path, "%s/%s", folder, d->d_name) < 0) leave("memory");
        const int file = open(e->path, O_RDONLY | O_CLOEXEC);
        struct stat about;
        if (file < 0 || fstat(file, &about)) leave(e->path);
        e->folder = S_ISDIR(about.st_mode);
        e->content = e->folder ? (text){strdup(""), 0} : read_all(file);
        close(file);
        if (e->folder) list_folder(p, e->path);
    }
    closedir(directory);
}

static picture *list_files(void) {
    picture *p = calloc(1, sizeof *p);
    if (!p) leave("memory");
    list_folder(p, ".");
    qsort(p->entries, p->count, sizeof *p->entries, by_path);
    return p;
}

static void drop(picture *p) {
    for (size_t i = 0; p && i < p->count; i++) {
        free(p->entries[i].path);
        free(p->entries[i].content.bytes);
    }
    free(p);
}

static const struct entry *find(const picture *p, const char *path) {
    const struct entry wanted = {.path = (char *)(size_t)path};
    return bsearch(&wanted, p->entries, p->count, sizeof *p->entries, by_path);
}

/* The first path that is not alike, NULL when all but `apart` (may be NULL) are. */
static const char *difference(const picture *a, const picture *b, const char *apart) {
    const picture *const both[2] = {a, b};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->count; i++) {
            const struct entry *one = &both[k]->entries[i], *other = find(both[1 - k], one->path);
            if (apart && !strcmp(one->path + 2, apart)) continue;
            if (!other || !same_text(&one->content, &other->content)) return one->path;
        }
    return NULL;
}

static void write_file(const struct entry *e) {
    FILE *file = fopen(e->path, "wb");
    if (!file || fwrite(e->content.bytes, 1, e->content.size, file) != e->content.size || fclose(file))
        leave(e->path);
}

/* The directory, found as `now`, becomes again as it was. Folders come before what is in them, so that going backwards
 * empties them first. */
static void restore(const picture *old, const picture *now) {
    for (size_t i = now->count; i-- > 0;)
        if (!find(old, now->entries[i].path) && remove(now->entries[i].path)) leave(now->entries[i].path);
    for (size_t i = 0; i < old->count; i++) {
        const struct entry *e = &old->entries[i], *other = find(now, e->path);
        if (!e->folder && (!other || !same_text(&e->content, &other->content))) write_file(e);
    }
}

/* ---- one run */

typedef struct fault {
    const char *name;    /* of the kind; "size": a limit; NULL: none */
    unsigned long which; /* the call, or the bytes that a file may have */
    bool all_after;
    int error;
} fault;

typedef struct run {
    int status; /* of wait */
    bool hung;
    text out, err;
    picture *files;
    fault_record record;
} run;

static const char *const kinds[FAULT_KINDS] = FAULT_NAMES;

/* The program, waiting before its main: see interpose.c. */
static struct {
    int socket, in, out, err;
    fault_record *record;
} program;

static void set_number(const char *name, int number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    setenv(name, digits, 1);
}

static void become_program(char **command, int socket, int record, int err) {
    set_number("ORFF_FAIL_SERVER", socket);
    set_number("ORFF_FAIL_RECORD", record);
    setenv("LD_PRELOAD", getenv("ORFF_INTERPOSER"), 1);
    setenv("LD_BIND_NOW", "1", 1);
    signal(SIGXFSZ, SIG_IGN);
    if (dup2(program.in, 0) < 0 || dup2(program.out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
    execv(command[0], command);
    _exit(127);
}

static void start_program(char **command, const char *input) {
    int sockets[2], err[2];
    const int record = memfd_create("record", 0);
    program.out = memfd_create("out", MFD_CLOEXEC);
    program.in = open(input, O_RDONLY | O_CLOEXEC);
    if (record < 0 || program.out < 0 || program.in < 0 || ftruncate(record, sizeof *program.record))
        leave(input);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || pipe2(err, O_CLOEXEC)) leave("pipe");
    program.record = mmap(NULL, sizeof *program.record, PROT_READ | PROT_WRITE, MAP_SHARED, record, 0);
    if (program.record == MAP_FAILED) leave("memory");
    fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
    fcntl(err[1], F_SETPIPE_SZ, 1 << 20); /* all that is said fits */
    const pid_t child = fork();
    if (child < 0) leave("fork");
    if (!child) become_program(command, sockets[1], record, err[1]);
    close(sockets[1]);
    close(err[1]);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    program.socket = sockets[0];
    program.err = err[0];
}

static fault_order order_of(const fault *f) {
    fault_order order = {
        .kind = -1, .which = f->which, .all_after = f->all_after, .error = f->error, .limit = -1};
    if (f->name && !strcmp(f->name, "size")) order.limit = (long)f->which;
    for (int i = 0; f->name && i < FAULT_KINDS; i++)
        if (!strcmp(f->name, kinds[i])) order.kind = i;
    return order;
}

/* Lines that tell how long or how much memory it took differ from run to run. */
static void drop_measures(text *t) {
    char *to = t->bytes;
    for (char *line = t->bytes; *line;) {
        char *end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        const char kept = *end;
        *end = '\0';
        const bool measure = strstr(line, "seconds\"") || strstr(line, "peak_bytes\"");
        *end = kept;
        if (!measure) to = (char *)memmove(to, line, (size_t)(end - line)) + (end - line);
        line = end;
    }
    if (strlen(t->bytes) != t->size) return; /* not a text */
    *to = '\0';
    t->size = (size_t)(to - t->bytes);
}

static run run_program(const fault *f) {
    run r = {0};
    const fault_order order = order_of(f);
    memset(program.record, 0, sizeof *program.record);
    lseek(program.in, 0, SEEK_SET);
    lseek(program.out, 0, SEEK_SET);
    if (ftruncate(program.out, 0)) leave("output");
    if (write(program.socket, &order, sizeof order) != sizeof order ||
        read(program.socket, &r.status, sizeof r.status) != sizeof r.status)
        leave("the program does not answer");
    r.hung = WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGALRM;
    lseek(program.out, 0, SEEK_SET);
    r.out = read_all(program.out);
    drop_measures(&r.out);
    r.err = read_all(program.err);
    r.files = list_files();
    memcpy(&r.record, program.record, sizeof r.record);
    return r;
}

static void clear(run *r) {
    free(r->out.bytes);
    free(r->err.bytes);
    drop(r->files);
}

/* ---- the verdict */

typedef enum verdict { SAME, REFUSED, FOREIGN, LOST, OTHER, VERDICTS } verdict;

typedef struct campaign {
    const char *name, *orff;
    const char *side; /* NULL: none */
    picture *old;
    run good;
    size_t counts[VERDICTS];
} campaign;

static bool says(const run *r, const fault *f) {
    if (!strcmp(f->name, "memory")) return strcasestr(r->err.bytes, "memory");
    return strstr(r->err.bytes, strerror(f->error)) || strstr(r->err.bytes, "full?");
}

static bool in_other_library(const run *r) {
    const char *place = r->record.ended_in;
    return *place && strncmp(place, "orff", 4) && strncmp(place, "liborff", 7);
}

/* The file written on the way, in a run that has failed. */
static bool side_is_whole(const campaign *c, const run *r) {
    char line[512], path[256];
    if (!c->side) return true;
    snprintf(path, sizeof path, "./%s", c->side);
    const struct entry *old = find(c->old, path), *now = find(r->files, path);
    if (!now || (old && same_text(&old->content, &now->content))) return true;
    snprintf(line, sizeof line, "'%s' info '%s' >/dev/null 2>&1", c->orff, c->side);
    return !system(line);
}

/* Files of a run that has failed: as before; or, where only standard output failed, as after a good one. */
static bool files_kept(const campaign *c, const run *r) {
    if (!difference(c->old, r->files, c->side)) return side_is_whole(c, r);
    return strstr(r->err.bytes, "standard output: ") && !difference(c->good.files, r->files, NULL);
}

static verdict judge(const campaign *c, const run *r, const fault *f, char why[256]) {
    const bool success = WIFEXITED(r->status) && !WEXITSTATUS(r->status);
    const char *differs = difference(success ? c->good.files : c->old, r->files, NULL);
    *why = '\0';
    if (success && (differs || !same_text(&c->good.out, &r->out))) {
        snprintf(why, 256, "status 0, but another %s", differs ? differs : "standard output");
        return LOST;
    }
    if (success) return SAME;
    if (r->hung) {
        snprintf(why, 256, "does not end");
    } else if (!files_kept(c, r)) {
        snprintf(why, 256, "has failed, but %s is changed", differs);
    } else if (in_other_library(r)) {
        return FOREIGN;
    } else if (WIFSIGNALED(r->status)) {
        snprintf(why, 256, "signal %d in %s", WTERMSIG(r->status), r->record.ended_in);
    } else if (!says(r, f)) {
        snprintf(why, 256, "status %d without a word on it", WEXITSTATUS(r->status));
    }
    return *why ? OTHER : REFUSED;
}

static void show(const campaign *c, const run *r, const fault *f, const char *why) {
    printf("BAD %s %s:%lu%s:%s: %s\n", c->name, f->name, f->which, f->all_after ? "+" : "",
           strerrorname_np(f->error), why);
    printf("    says: %.*s\n", (int)strcspn(r->err.bytes, "\n"), r->err.bytes);
    for (int i = 0; getenv("ORFF_FAULTS_TRACE") && i < atomic_load(&r->record.frames); i++)
        printf("    %s\n", r->record.frame[i]);
}

/* The library of "libhdf5.so.103+0x12" */
static void name_library(const char *place, char library[FAULT_PLACE]) {
    snprintf(library, FAULT_PLACE, "%.*s", (int)strcspn(place, ".+"), place);
}

static void try(campaign *c, const fault *f, size_t counts[VERDICTS]) {
    char why[256], library[FAULT_PLACE];
    run r = run_program(f);
    const verdict v = judge(c, &r, f, why);
    counts[v]++;
    if (*why && (counts[LOST] + counts[OTHER] <= SHOWN || getenv("ORFF_FAULTS_TRACE"))) show(c, &r, f, why);
    if (v == FOREIGN) {
        name_library(r.record.ended_in, library);
        printf("FOREIGN %s %s:%lu%s %s %s %d\n", c->name, f->name, f->which, f->all_after ? "+" : "", library,
               WIFSIGNALED(r.status) ? "signal" : "status",
               WIFSIGNALED(r.status) ? WTERMSIG(r.status) : WEXITSTATUS(r.status));
    }
    restore(c->old, r.files);
    clear(&r);
}

/* ---- all runs */

static bool all_wanted(void) {
    const char *wanted = getenv("ORFF_FAULTS");
    return wanted && !strcmp(wanted, "all");
}

/* The next call to fail: all of them, or the first and the last few and some between. Of sizes, and of thousands and
 * thousands of calls, never all. */
static unsigned long after(unsigned long k, unsigned long count, bool is_size) {
    const bool all = all_wanted();
    const unsigned long edge = STEPS / 4, step = count / (all ? 8 * STEPS : STEPS) + 1;
    if ((all && !is_size && count <= MOST_CALLS) || k < edge || k + edge >= count) return k + 1;
    return k + step <= count - edge ? k + step : count - edge + 1;
}

static void sweep(campaign *c, const char *name, unsigned long first, unsigned long count, int error,
                  bool all_after) {
    size_t counts[VERDICTS] = {0}, runs = 0;
    for (unsigned long k = first; k < first + count; k = after(k, first + count - 1, error == EFBIG), runs++)
        try(c, &(fault){name, k, all_after, error}, counts);
    printf(
        "SWEEP %-16s %-6s %-6s %-5s calls %lu runs %zu same %zu refused %zu foreign %zu lost %zu other %zu\n",
        c->name, name, strerrorname_np(error), all_after ? "on" : "once", count, runs, counts[SAME],
        counts[REFUSED], counts[FOREIGN], counts[LOST], counts[OTHER]);
    fflush(stdout);
    for (int v = 0; v < VERDICTS; v++) c->counts[v] += counts[v];
}

static size_t largest_output(const campaign *c) {
    size_t most = c->good.out.size;
    for (size_t i = 0; i < c->good.files->count; i++) {
        const struct entry *e = &c->good.files->entries[i], *old = find(c->old, e->path);
        if ((!old || !same_text(&old->content, &e->content)) && e->content.size > most)
            most = e->content.size;
    }
    return most;
}

static bool wants(const char *faults, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = faults; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (!at[length] || at[length] == ',')) return true;
    return !faults;
}

/* A call alone and with all after it, each with one error or with both: these differ only in what is said. */
static void sweep_kind(campaign *c, int kind, unsigned long count) {
    for (int after = 0; after < 2; after++) {
        if (kind == FAULT_MEMORY) sweep(c, kinds[kind], 1, count, ENOMEM, after);
        if (kind != FAULT_MEMORY && (!after || all_wanted())) sweep(c, kinds[kind], 1, count, ENOSPC, after);
        if (kind != FAULT_MEMORY && (after || all_wanted())) sweep(c, kinds[kind], 1, count, EIO, after);
    }
}

static void sweep_all(campaign *c, const char *faults) {
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        const unsigned long count = atomic_load(&c->good.record.calls[kind]);
        if (wants(faults, kinds[kind]) && count) sweep_kind(c, kind, count);
    }
    const size_t most = largest_output(c);
    if (wants(faults, "size") && most) sweep(c, "size", 0, most, EFBIG, true);
}

/* Two runs without a failure, which must agree. */
static void begin(campaign *c) {
    char why[256];
    c->old = list_files();
    c->good = run_program(&(fault){0});
    restore(c->old, c->good.files);
    if (!WIFEXITED(c->good.status) || WEXITSTATUS(c->good.status) ||
        !atomic_load(&c->good.record.calls[FAULT_MEMORY])) {
        printf("BAD %s: fails by itself, or is not seen: %s", c->name, c->good.err.bytes);
        exit(1);
    }
    run again = run_program(&(fault){0});
    if (judge(c, &again, &(fault){"memory", 0, false, 0}, why) != SAME) {
        printf("BAD %s: is not the same twice: %s\n", c->name, why);
        exit(1);
    }
    restore(c->old, again.files);
    clear(&again);
}

int main(int count, char **words) {
    const char *faults = NULL, *input = "/dev/null";
    int option;
    campaign c = {0};
    while ((option = getopt(count, words, "+f:i:s:")) != -1) {
        if (option == 'f') faults = optarg;
        if (option == 'i') input = optarg;
        if (option == 's') c.side = optarg;
    }
    if (count - optind < 2 || !getenv("ORFF_INTERPOSER")) {
        fputs("faults [-f FAULTS] [-i INPUT] [-s FILE] NAME COMMAND.., with ORFF_INTERPOSER\n", stderr);
        return 2;
    }
    c.name = words[optind];
    c.orff = words[optind + 1];
    setenv("TMPDIR", ".", 1); /* what is left there is seen */
    start_program(words + optind + 1, input);
    begin(&c);
    sweep_all(&c, faults);
    close(program.socket); /* which ends it */
    while (wait(NULL) > 0) continue;
    drop(c.old);
    clear(&c.good);
    return c.counts[LOST] || c.counts[OTHER];
}
