/* orff-paper: the numerical results of the paper, regenerated. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char usage[] =
    "usage: orff-paper list\n"
    "       orff-paper NAME ... | all [--quick] [--check] [--resume] [--long-runs N] [-o DIR] [--data DIR]\n"
    "\n"
    "Computes tables and pictures of the paper into DIR/NAME/ (DIR: paper-out).\n"
    "  --quick     a smaller version, a few seconds for each item\n"
    "  --check     compare the quick version with the numbers expected of it; ends with 1 where they differ\n"
    "  --resume    go on where an earlier run into DIR was stopped\n"
    "  --long-runs N  at most N runs of what takes minutes each, in place of 10; the tables say how many\n"
    "  --data DIR  where data sets lie (MNIST); items without their data are left out\n";

typedef struct options {
    bool quick, check, resume;
    size_t long_runs; /* 0: not given */
    const char *out, *data;
    size_t n_names;
    const char **names;
} options;

static int list(void) {
    for (const paper_item *item = paper_items; item->name; item++)
        printf("%-20s %s\n", item->name, item->title);
    return EXIT_SUCCESS;
}

static _Noreturn void misuse(const char *text, const char *argument) {
    fprintf(stderr, "orff-paper: %s%s\n%s", text, argument, usage);
    exit(2);
}

static size_t whole(const char *word) {
    char *end;
    const long value = strtol(word, &end, 10);
    if (end == word || *end || value < 1) misuse("--long-runs takes a whole number from 1 on, not ", word);
    return (size_t)value;
}

static options parse(int count, char **words) {
    options o = {.out = "paper-out", .names = paper_alloc((size_t)count, sizeof *o.names)};
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        const bool valued = !strcmp(word, "-o") || !strcmp(word, "--data") || !strcmp(word, "--long-runs");
        if (valued && i + 1 == count) misuse("a value is missing after ", word);
        if (!strcmp(word, "--quick"))
            o.quick = true;
        else if (!strcmp(word, "--check"))
            o.check = true;
        else if (!strcmp(word, "--resume"))
            o.resume = true;
        else if (!strcmp(word, "-o"))
            o.out = words[++i];
        else if (!strcmp(word, "--data"))
            o.data = words[++i];
        else if (!strcmp(word, "--long-runs"))
            o.long_runs = whole(words[++i]);
        else if (word[0] == '-')
            misuse("there is no option ", word);
        else
            o.names[o.n_names++] = word;
    }
    if (o.check && !o.quick) misuse("--check is about the quick version: give --quick too", "");
    if (!o.n_names) misuse("which item? ", "");
    return o;
}

static bool wanted(const options *o, const char *name) {
    for (size_t i = 0; i < o->n_names; i++)
        if (!strcmp(o->names[i], name) || !strcmp(o->names[i], "all")) return true;
    return false;
}

static void refuse_unknown(const options *o) {
    for (size_t i = 0; i < o->n_names; i++) {
        const paper_item *item = paper_items;
        while (item->name && strcmp(item->name, o->names[i])) item++;
        if (!item->name && strcmp(o->names[i], "all")) misuse("no item is called ", o->names[i]);
    }
}

/* Run one item and, if asked, compare; returns how many numbers disagree. */
static size_t run_item(const options *o, const paper_item *item) {
    paper_run run = {.item = item,
                     .out = o->out,
                     .data = o->data,
                     .quick = o->quick,
                     .resume = o->resume,
                     .long_runs = o->long_runs};
    if (!paper_run_begin(&run))
        printf("%s: is in %s/%s already\n", item->name, o->out, item->name);
    else {
        const int result = item->run(&run);
        const double seconds = paper_seconds() - run.started, cpu = paper_cpu_seconds() - run.cpu_started;
        paper_run_end(&run, result == PAPER_DONE);
        if (result != PAPER_DONE) return 0;
        printf("%s: written to %s/%s in %.1f s, %.1f s of the processor\n", item->name, o->out, item->name,
               seconds, cpu);
    }
    if (!o->check) return 0;
    size_t compared;
    const size_t wrong = paper_check(&run, &compared);
    printf("%s: %zu of %zu numbers as expected\n", item->name, compared - wrong, compared);
    return wrong;
}

int main(int count, char **words) {
    if (count == 2 && !strcmp(words[1], "list")) return list();
    if (count == 2 && (!strcmp(words[1], "--help") || !strcmp(words[1], "-h"))) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    const options o = parse(count, words);
    refuse_unknown(&o);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (o.quick) paper_must(orff_set_threads(1), "threads"); /* small work, and tests run beside each other */
    const double started = paper_seconds();
    size_t wrong = 0;
    for (const paper_item *item = paper_items; item->name; item++)
        if (wanted(&o, item->name)) wrong += run_item(&o, item);
    printf("in all %.0f s, %.0f s of the processor\n", paper_seconds() - started, paper_cpu_seconds());
    free(o.names);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
