#define _GNU_SOURCE

#include "portions.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "ranks.h"
#include "tables.h"

enum { TO_DO, IN_A_FILE, MINE };

/* ---- files by their names */

static char *name_of(const char *path, uint64_t k) {
    cli_string name = {0};
    cli_append(&name, "%s.%" PRIu64, path, k);
    return name.text;
}

/* Calls back for all files FILE.k that are there, with what follows the number: "" but for files that were being written. */
typedef void found_fn(void *self, uint64_t k, const char *name, const char *rest);

static int for_files(const char *path, found_fn *found, void *self) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *folder = slash ? cli_copy_text(path) : cli_copy_text(".");
    if (slash) folder[slash - path + 1] = '\0';
    DIR *directory = opendir(folder);
    const int status =
        directory ? CLI_DONE : cli_failed("%s: cannot be read: %s", folder, strerror(errno));
    const size_t length = strlen(base);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *number = entry->d_name + length + 1;
        if (strncmp(entry->d_name, base, length) != 0 || entry->d_name[length] != '.') continue;
        const size_t digits = strspn(number, "0123456789");
        if (digits && digits < 19 && (*number != '0' || digits == 1))
            found(self, strtoull(number, NULL, 10), entry->d_name, number + digits);
    }
    if (directory) closedir(directory);
    free(folder);
    return status;
}

typedef struct file_list {
    size_t count;
    uint64_t *k;
} file_list;

static void add_file(void *self, uint64_t k, const char *name, const char *rest) {
    file_list *list = self;
    (void)name;
    if (*rest) return;
    list->k = cli_more(list->k, list->count + 1, sizeof *list->k);
    list->k[list->count++] = k;
}

/* What is there would be overwritten, whatever it is. */
static int refuse_file(const char *path, uint64_t k) {
    char *name = name_of(path, k);
    const int status =
        orff_mpi_sum_load(NULL, name, NULL)
            ? cli_failed(
                  "%s: is not a checkpoint, and stands where one may be written; give --checkpoint another name",
                  name)
            : cli_failed("%s: there is a checkpoint already; continue from it with --resume yes, or remove it",
                         name);
    free(name);
    return status;
}

int cli_portions_check(const char *path, bool resume) {
    file_list list = {0};
    int status = cli_outcome(orff_checkpoint_check(path, false), NULL);
    if (!status) status = for_files(path, add_file, &list);
    if (!status && list.count && !resume) status = refuse_file(path, list.k[0]);
    free(list.k);
    return status;
}

/* Sums, and what a process that was killed left of one. */
static void forget_file(void *self, uint64_t k, const char *entry, const char *rest) {
    static const char part[] = ".tmp-";
    const char *path = self, *slash = strrchr(path, '/');
    cli_string name = {0};
    (void)k;
    cli_append(&name, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, entry);
    if (*rest ? strncmp(rest, part, strlen(part)) != 0
              : orff_mpi_sum_load(NULL, name.text, NULL) != ORFF_OK) {
        cli_warn("%s: is not a checkpoint, so it is left alone", name.text);
    } else if (unlink(name.text)) {
        cli_warn("%s: cannot be removed: %s", name.text, strerror(errno));
    }
    free(name.text);
}

void cli_portions_forget(const char *path) {
    for_files(path, forget_file, (void *)path);
}

/* ---- what stands in a file beside its sum: the question, the number of portions, rows left out, those that it has, and the
 * range of each input */

#define MOST_INPUTS 65536

typedef struct label {
    uint64_t k; /* the file */
    uint64_t has;
    unsigned char *state; /* count of the portions: MINE for those that it has */
    cli_aside aside;
} label;

static char *write_label(const cli_portions *p, const cli_aside *aside) {
    cli_string text = {0};
    cli_append(&text, "%016" PRIx64 " %" PRIu64 " %" PRIu64 " %zu\n", p->question, p->count, aside->dropped,
               aside->d);
    for (size_t i = 0; i < aside->d; i++) cli_append(&text, "%a %a\n", aside->low[i], aside->high[i]);
    for (uint64_t k = 0; k < p->count; k++) cli_append(&text, "%c", p->state[k] == MINE ? 'x' : '.');
    return text.text;
}

static bool parse_label(const cli_portions *p, const char *text, size_t d, label *l) {
    uint64_t question, count;
    int used = 0;
    if (sscanf(text, "%" SCNx64 " %" SCNu64 " %" SCNu64 " %zu %n", &question, &count, &l->aside.dropped,
               &l->aside.d, &used) < 4 ||
        question != p->question || count != p->count || l->aside.d != d || d > MOST_INPUTS)
        return false;
    l->aside.low = cli_more(NULL, d, sizeof *l->aside.low);
    l->aside.high = cli_more(NULL, d, sizeof *l->aside.high);
    l->state = cli_more(NULL, (size_t)count, 1);
    text += used;
    for (size_t i = 0; i < 2 * d; i++) {
        char *end;
        (i % 2 ? l->aside.high : l->aside.low)[i / 2] = strtod(text, &end);
        if (end == text) return false;
        text = end;
    }
    text += strspn(text, "\n");
    if (strlen(text) != count) return false;
    for (uint64_t k = 0; k < count; k++) {
        l->state[k] = text[k] == 'x' ? MINE : TO_DO;
        l->has += text[k] == 'x';
    }
    return l->k < count && l->state[l->k] == MINE;
}

static void clear_label(label *l) {
    free(l->state);
    free(l->aside.low);
    free(l->aside.high);
}

static int load(const cli_portions *p, uint64_t k, orff_mpi_sum *sum, size_t d, label *l) {
    char *name = name_of(p->path, k), *text = NULL;
    int status = CLI_DONE;
    *l = (label){.k = k};
    const orff_status outcome = orff_mpi_sum_load(sum, name, &text);
    if (outcome == ORFF_ERROR_IO) {
        status = cli_failed("%s: cannot be opened: %s", name, strerror(errno));
    } else if (outcome) {
        status = cli_failed("%s: is not a checkpoint of orff under mpirun, or is damaged (%s); remove it, and its "
                            "rows are summed again",
                            name, orff_status_text(outcome));
    } else if (!parse_label(p, text, d, l)) {
        status = cli_failed("%s: is the checkpoint of other data or settings, and is left alone", name);
    }
    free(text);
    free(name);
    return status;
}

/* ---- which files to go on from */

static int compare(const void *one, const void *other) {
    const label *a = one, *b = other;
    if (a->has != b->has) return a->has > b->has ? -1 : 1;
    return a->k < b->k ? -1 : a->k > b->k;
}

/* Adds the portions of the file unless another, which has more, has them: 0 then, 1 if they were added, -1 where only some of
 * them are new, which no run leaves behind. */
static int add_label(cli_portions *p, const label *l) {
    uint64_t there = 0;
    for (uint64_t k = 0; k < p->count; k++) there += l->state[k] == MINE && p->state[k] == IN_A_FILE;
    if (there) return there == l->has ? 0 : -1;
    for (uint64_t k = 0; k < p->count; k++)
        if (l->state[k] == MINE) p->state[k] = IN_A_FILE;
    return 1;
}

/* On rank 0. */
static int choose_files(cli_portions *p, size_t d) {
    file_list list = {0};
    size_t read = 0;
    int status = for_files(p->path, add_file, &list);
    label *labels = cli_more(NULL, list.count, sizeof *labels);
    for (; !status && read < list.count; read++) status = load(p, list.k[read], NULL, d, &labels[read]);
    if (!status) qsort(labels, read, sizeof *labels, compare);
    p->taken = cli_more(NULL, list.count, sizeof *p->taken);
    for (size_t i = 0; !status && i < read; i++) {
        const int added = add_label(p, &labels[i]);
        if (added < 0)
            status =
                cli_failed("%s.%" PRIu64 ": has rows that another file of the checkpoint has too; remove it",
                           p->path, labels[i].k);
        if (added > 0) p->taken[p->n_taken++] = labels[i].k;
    }
    for (size_t i = 0; i < read; i++) clear_label(&labels[i]);
    free(labels);
    free(list.k);
    return status;
}

/* Every rank keeps those that it takes over: one after the other, around. */
static void share_files(cli_portions *p) {
    uint64_t count = p->n_taken;
    size_t kept = 0;
    cli_share_bytes(&count, sizeof count);
    if (!cli_is_first()) p->taken = cli_more(NULL, (size_t)count, sizeof *p->taken);
    cli_share_bytes(p->taken, (size_t)count * sizeof *p->taken);
    cli_share_bytes(p->state, (size_t)p->count);
    for (size_t i = (size_t)cli_rank(); i < count; i += (size_t)cli_ranks()) p->taken[kept++] = p->taken[i];
    p->n_taken = kept;
}

static void add_aside(cli_aside *into, const cli_aside *from) {
    into->dropped += from->dropped;
    for (size_t i = 0; i < into->d; i++) {
        into->low[i] = fmin(into->low[i], from->low[i]);
        into->high[i] = fmax(into->high[i], from->high[i]);
    }
}

static int load_portions(cli_portions *p, orff_mpi_sum *sum, cli_aside *aside) {
    int status = CLI_DONE;
    for (size_t i = 0; !status && i < p->n_taken; i++) {
        label l;
        status = load(p, p->taken[i], sum, aside->d, &l);
        if (!status) add_aside(aside, &l.aside);
        for (uint64_t k = 0; !status && k < p->count; k++)
            if (l.state[k] == MINE) p->state[k] = MINE;
        clear_label(&l);
    }
    return status;
}

/* ---- who does what */

static uint64_t count_to_do(const cli_portions *p) {
    uint64_t left = 0;
    for (uint64_t k = 0; k < p->count; k++) left += p->state[k] == TO_DO;
    return left;
}

/* As many of those to do for each, side by side. */
static void divide(cli_portions *p, uint64_t left) {
    const uint64_t n = (uint64_t)cli_ranks(), r = (uint64_t)cli_rank();
    const uint64_t begin = left * r / n, end = left * (r + 1) / n;
    uint64_t seen = 0;
    p->first = p->last = 0;
    for (uint64_t k = 0; k < p->count; k++) {
        if (p->state[k] != TO_DO) continue;
        if (seen == begin) p->first = k;
        if (seen < end) p->last = k + 1;
        seen++;
    }
    if (begin == end) p->last = p->first;
}

int cli_portions_begin(cli_portions *p, const char *path, uint64_t every, uint64_t question,
                       orff_mpi_sum *sum, cli_aside *aside) {
    *p = (cli_portions){.path = path, .every = every, .question = question, .count = cli_tables_divided()};
    p->state = cli_more(NULL, (size_t)p->count, 1);
    memset(p->state, TO_DO, (size_t)p->count);
    int status = cli_agree(path && cli_is_first() ? choose_files(p, aside->d) : CLI_DONE);
    if (status) return status;
    if (path) share_files(p);
    const uint64_t left = count_to_do(p);
    divide(p, left);
    if (left < p->count)
        cli_say("%" PRIu64 " of %" PRIu64 " portions of the rows are in the checkpoint", p->count - left,
                p->count);
    return cli_agree(load_portions(p, sum, aside));
}

void cli_portions_clear(cli_portions *p) {
    free(p->state);
    free(p->taken);
    *p = (cli_portions){0};
}

bool cli_portions_next(cli_portions *p, uint64_t *k) {
    while (p->first < p->last && p->state[p->first] != TO_DO) p->first++;
    *k = p->first;
    return p->first < p->last;
}

/* ---- saving */

static uint64_t first_of_mine(const cli_portions *p) {
    uint64_t k = 0;
    while (k < p->count && p->state[k] != MINE) k++;
    return k;
}

static void remove_merged(cli_portions *p, uint64_t own) {
    for (size_t i = 0; i < p->n_taken; i++) {
        if (p->taken[i] == own) continue;
        char *name = name_of(p->path, p->taken[i]);
        unlink(name);
        free(name);
    }
    p->n_taken = 0;
}

void cli_portions_save(cli_portions *p, const orff_mpi_sum *sum, const cli_aside *aside) {
    const uint64_t own = first_of_mine(p);
    if (!p->path || !p->unsaved || own == p->count) return;
    char *name = name_of(p->path, own), *text = write_label(p, aside);
    if (orff_mpi_sum_save(sum, name, text)) {
        p->failed = true; /* the work itself can go on */
    } else {
        remove_merged(p, own);
        p->unsaved = 0;
    }
    free(text);
    free(name);
}

void cli_portions_done(cli_portions *p, uint64_t k, uint64_t rows, const orff_mpi_sum *sum,
                       const cli_aside *aside) {
    p->state[k] = MINE;
    p->unsaved += rows ? rows : 1;
    if (p->path && p->unsaved >= p->every) cli_portions_save(p, sum, aside);
}
