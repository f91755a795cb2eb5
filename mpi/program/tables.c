#define _GNU_SOURCE

#include "tables.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/report.h"
#include "ranks.h"

#define PORTION \
    ((uint64_t)16 << 20) /* bytes, unless there are too few or too many, or others are asked for */
#define FEWEST 16
#define MOST   65536

/* The files, one behind the other, in portions of as many bytes each, whose number does not depend on that of the ranks: sums of
 * portions are the same whoever makes them. */
static struct {
    const cli_arguments *arguments;
    size_t count, pairs; /* files; those that have another beside them, with outputs: all or none */
    char **paths, **beside;
    uint64_t *start; /* count + 1: where each begins */
    uint64_t digest; /* of what the files are */
    uint64_t portions;
    uint64_t low, high; /* the bytes to be read now, counted from the beginning of the first file */
    size_t next;        /* the file to be looked at next */
    size_t open;        /* the file that the table is of, and ... */
    uint64_t open_to;   /* ... where its share ended; 0: none of ours */
    fmt_table_selection selection;
    char *texts[4];    /* of the selection, our own ... */
    char **labels;     /* ... and so these */
    size_t d, n_named; /* inputs; columns that are read */
    char **names;      /* n_named, or NULL: as the first file has them */
    char **clocks;     /* d: units of inputs that are dates, else NULL */
} all;

size_t cli_tables_count(void) {
    return all.count;
}

/* ---- which files: rank 0 finds them, as names with newlines between */

static bool is_pattern(const char *word) {
    return strpbrk(word, "*?[") != NULL;
}

static int list_pattern(const char *pattern, cli_string *list) {
    glob_t found;
    struct stat about;
    if (!stat(pattern, &about)) { /* a name with a bracket in it */
        cli_append(list, "%s\n", pattern);
        return CLI_DONE;
    }
    const int code = glob(pattern, 0, NULL, &found);
    if (code)
        return cli_failed("%s: %s", pattern,
                          code == GLOB_NOMATCH ? "there are no such files" : "cannot be looked for");
    for (size_t i = 0; i < found.gl_pathc; i++) cli_append(list, "%s\n", found.gl_pathv[i]);
    globfree(&found);
    return CLI_DONE;
}

/* @FILE: the names in a file, one a line. */
static int list_file(const char *path, cli_string *list) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file) return cli_failed("%s: cannot be opened: %s", path, strerror(errno));
    while (getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line) cli_append(list, "%s\n", line);
    }
    const bool bad = ferror(file) != 0;
    free(line);
    fclose(file);
    if (bad) return cli_failed("%s: cannot be read", path);
    return list->length ? CLI_DONE : cli_failed("%s: there are no names of files in it", path);
}

static int list_word(const char *word, cli_string *list) {
    if (!strcmp(word, "-")) return cli_failed("standard input cannot be divided among processes; give files");
    if (*word == '@') return list_file(word + 1, list);
    if (is_pattern(word)) return list_pattern(word, list);
    cli_append(list, "%s\n", word);
    return CLI_DONE;
}

/* Cuts the text into its lines. */
static char **cut_lines(char *text, size_t *count) {
    char **lines = NULL;
    *count = 0;
    for (char *save = NULL, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        lines = cli_more(lines, *count + 1, sizeof *lines);
        lines[(*count)++] = cli_copy_text(line);
    }
    return lines;
}

/* On rank 0, then everywhere. */
static int find_files(const char *word, char ***paths, size_t *count) {
    cli_string list = {0};
    int status = cli_is_first() ? list_word(word, &list) : CLI_DONE;
    status = cli_agree(status);
    if (!status) cli_share_text(&list.text);
    if (!status) *paths = cut_lines(list.text, count);
    free(list.text);
    return status;
}

/* ---- how large they are */

static uint64_t digest_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t digest_text(uint64_t hash, const char *text) {
    for (hash = digest_word(hash, text != NULL); text && *text; text++)
        hash = digest_word(hash, (unsigned char)*text);
    return digest_word(hash, 256);
}

/* A directory (Zarr) has no size of its own. */
static int measure(const char *path, uint64_t *bytes) {
    struct stat about;
    if (stat(path, &about)) return cli_failed("%s: cannot be opened: %s", path, strerror(errno));
    if (S_ISREG(about.st_mode) && about.st_size == 0) return cli_failed("%s: is empty", path);
    *bytes += S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 4096;
    all.digest = digest_text(all.digest, path) ^ (uint64_t)about.st_size;
    all.digest =
        digest_word(digest_word(all.digest, (uint64_t)about.st_mtim.tv_sec), (uint64_t)about.st_mtim.tv_nsec);
    return CLI_DONE;
}

static int measure_all(void) {
    int status = CLI_DONE;
    all.start = cli_more(NULL, all.count + 1, sizeof *all.start);
    all.start[0] = 0;
    for (size_t i = 0; cli_is_first() && !status && i < all.count; i++) {
        uint64_t bytes = 0;
        status = measure(all.paths[i], &bytes);
        if (!status && all.pairs) status = measure(all.beside[i], &bytes);
        all.start[i + 1] = all.start[i] + bytes;
    }
    status = cli_agree(status);
    if (status) return status;
    cli_share_bytes(all.start, (all.count + 1) * sizeof *all.start);
    cli_share_bytes(&all.digest, sizeof all.digest);
    cli_tables_divide(PORTION, FEWEST);
    return CLI_DONE;
}

void cli_tables_divide(uint64_t bytes, uint64_t fewest) {
    all.portions = all.start[all.count] / bytes;
    if (all.portions < fewest) all.portions = fewest;
    if (all.portions > MOST) all.portions = MOST;
}

uint64_t cli_tables_divided(void) {
    return all.portions;
}

uint64_t cli_tables_digest(void) {
    uint64_t digest = digest_word(all.digest, all.selection.skip_missing + 2u * all.selection.labels);
    for (size_t i = 0; i < sizeof all.texts / sizeof *all.texts; i++)
        digest = digest_text(digest, all.texts[i]);
    for (int i = 0; i < all.arguments->given[CLI_OPT_NA].count; i++)
        digest = digest_text(digest, all.arguments->given[CLI_OPT_NA].values[i]);
    return digest;
}

/* The byte at which portion k begins. */
static uint64_t portion_start(uint64_t k) {
    const uint64_t total = all.start[all.count], each = total / all.portions, rest = total % all.portions;
    return each * k + rest * k / all.portions;
}

void cli_tables_portions(uint64_t *first, uint64_t *last) {
    const uint64_t n = (uint64_t)cli_ranks(), r = (uint64_t)cli_rank();
    *first = all.portions * r / n;
    *last = all.portions * (r + 1) / n;
}

void cli_tables_read(cli_data *data, uint64_t first, uint64_t last) {
    all.low = portion_start(first);
    all.high = portion_start(last);
    all.next = 0;
    while (all.next + 1 < all.count && all.start[all.next + 1] <= all.low) all.next++;
    cli_data_again(data);
}

/* The part of file i that is to be read now; false: none of it. */
static bool share_of(size_t i, fmt_share *share) {
    const uint64_t begin = all.start[i], end = all.start[i + 1];
    if (all.high <= begin || all.low >= end) return false;
    share->from = all.low > begin ? all.low - begin : 0;
    share->to = all.high < end ? all.high - begin : end - begin;
    share->whole = end - begin;
    return share->from < share->to;
}

/* ---- opening */

static int open_file(size_t i, fmt_table **table) {
    fmt_table *outputs = NULL;
    int status = cli_data_open_table(table, all.paths[i], all.arguments);
    if (status || !all.pairs) return status;
    status = cli_data_open_table(&outputs, all.beside[i], all.arguments);
    if (status) {
        fmt_table_close(outputs);
        return status;
    }
    fmt_table *inputs = *table;
    *table = NULL;
    if (!fmt_table_pair(table, inputs, outputs)) return CLI_DONE;
    return cli_failed("%s", fmt_table_error(*table));
}

static int open_all(cli_data *data, const cli_arguments *a, int first) {
    all.arguments = a;
    int status = find_files(a->words[first], &all.paths, &all.count);
    if (!status && a->n_words > first + 1) {
        status = find_files(a->words[first + 1], &all.beside, &all.pairs);
        if (!status && all.pairs != all.count)
            status = cli_agree(cli_failed("%s: %zu files, and %s: %zu; there must be as many of both",
                                          a->words[first], all.count, a->words[first + 1], all.pairs));
    }
    if (!status) status = measure_all();
    if (status) return status;
    uint64_t begin, end;
    cli_tables_portions(&begin, &end);
    cli_tables_read(data, begin, end);
    return open_file(0, &data->table);
}

static const char *own_text(size_t i, const char *text) {
    free(all.texts[i]);
    all.texts[i] = text ? cli_copy_text(text) : NULL;
    return all.texts[i];
}

static int remember_selection(const fmt_table_selection *s) {
    if (s->groups || s->offsets || s->instruments)
        return cli_failed("groups and instruments are not available under mpirun");
    all.selection = (fmt_table_selection){.inputs = own_text(0, s->inputs),
                                          .outputs = own_text(1, s->outputs),
                                          .weights = own_text(2, s->weights),
                                          .fixed = own_text(3, s->fixed),
                                          .labels = s->labels,
                                          .optional = s->optional,
                                          .companions = s->companions,
                                          .skip_missing = s->skip_missing};
    return CLI_DONE;
}

void cli_tables_require_outputs(cli_data *data) {
    all.selection.optional = 0;
    fmt_table_require_outputs(data->table);
}

void cli_tables_number(cli_data *data, size_t count, const char *const *labels) {
    uint64_t first, last;
    all.labels = cli_more(NULL, count, sizeof *all.labels);
    for (size_t i = 0; i < count; i++) all.labels[i] = cli_copy_text(labels[i]);
    all.selection.n_labels = count;
    all.selection.label_names = (const char **)all.labels;
    all.open = all.count; /* the table that is open has numbers of its own */
    cli_tables_portions(&first, &last);
    cli_tables_read(data, first, last);
}

/* ---- one table after another */

static size_t column_at(const fmt_table *table, size_t i) {
    return i < all.d ? fmt_table_input(table, i) : fmt_table_output(table, i - all.d);
}

/* What all files must have alike, as the first one has it. */
static void remember_columns(const cli_data *data) {
    const fmt_table *table = data->table;
    all.d = fmt_table_inputs(table);
    all.n_named = all.d + fmt_table_outputs(table);
    all.names = cli_more(NULL, all.n_named, sizeof *all.names);
    all.clocks = cli_more(NULL, all.d, sizeof *all.clocks);
    for (size_t i = 0; i < all.n_named; i++)
        all.names[i] =
            fmt_table_named(table) ? cli_copy_text(fmt_table_name(table, column_at(table, i))) : NULL;
    for (size_t i = 0; i < all.d; i++) {
        const size_t column = fmt_table_input(table, i);
        const char *units = fmt_table_is_time(table, column) ? fmt_table_units(table, column) : NULL;
        all.clocks[i] = units ? cli_copy_text(units) : NULL;
    }
}

static int check_columns(const fmt_table *table) {
    if (fmt_table_inputs(table) + fmt_table_outputs(table) != all.n_named)
        return cli_failed("%s: has other columns than %s", fmt_table_path(table), all.paths[0]);
    for (size_t i = 0; i < all.n_named; i++) {
        const char *name = fmt_table_name(table, column_at(table, i));
        if (all.names[i] && (!fmt_table_named(table) || strcmp(name, all.names[i])))
            return cli_failed("%s: has a column %s where %s has %s", fmt_table_path(table), name,
                              all.paths[0], all.names[i]);
    }
    return CLI_DONE;
}

static int count_times(fmt_table *table) {
    for (size_t i = 0; i < all.d; i++)
        if (all.clocks[i] && fmt_table_count_time(table, i, all.clocks[i]))
            return cli_failed("%s", fmt_table_error(table));
    return CLI_DONE;
}

static int select_in(fmt_table *table, const char *fixed) {
    fmt_table_selection selection = all.selection;
    selection.fixed = fixed;
    return fmt_table_select(table, &selection) ? cli_failed("%s", fmt_table_error(table)) : CLI_DONE;
}

static int reopen(size_t i, cli_data *data, const char *fixed) {
    fmt_table_close(data->table);
    data->table = NULL;
    all.open = all.count; /* none, until it is done */
    int status = open_file(i, &data->table);
    if (!status) status = select_in(data->table, fixed);
    if (!status) status = check_columns(data->table);
    if (!status) status = count_times(data->table);
    if (!status) all.open = i;
    return status;
}

static bool is_netcdf(const fmt_table *table) {
    return fmt_table_columns(table) && fmt_table_shape(table, 0);
}

/* A slab of a NetCDF file: it is opened again, with what is held of its first dimension. */
static int open_slab(size_t i, cli_data *data, const fmt_share *share, bool *got) {
    bool empty;
    char *slab = fmt_table_slab(data->table, all.selection.fixed, share, &empty);
    *got = slab || (!empty && share->from == 0);
    const int status = slab ? reopen(i, data, slab) : CLI_DONE;
    free(slab);
    return status;
}

/* What follows the share read last is read on. */
static int open_share(size_t i, cli_data *data, const fmt_share *share, bool *got) {
    const bool same = all.open == i && data->table, whole = share->from == 0 && share->to == share->whole;
    const bool follows = same && share->from > 0 && all.open_to == share->from;
    int status = CLI_DONE;
    *got = true;
    if (!same || !(follows || is_netcdf(data->table))) status = reopen(i, data, all.selection.fixed);
    if (!status && is_netcdf(data->table)) {
        if (!whole) return open_slab(i, data, share, got);
        return same ? reopen(i, data, all.selection.fixed) : CLI_DONE;
    }
    if (!status && fmt_table_share(data->table, share))
        status = cli_failed("%s", fmt_table_error(data->table));
    all.open_to = share->to;
    return status;
}

static int next_share(cli_data *data, bool *got) {
    fmt_share share;
    int status = CLI_DONE;
    if (!all.names) remember_columns(data);
    for (*got = false; !status && !*got && all.next < all.count; all.next++) {
        if (all.start[all.next] >= all.high) break;
        if (share_of(all.next, &share)) status = open_share(all.next, data, &share, got);
    }
    return status;
}

static const cli_sharing sharing = {.open = open_all, .selected = remember_selection, .next = next_share};

void cli_tables_begin(void) {
    cli_data_sharing = &sharing;
}

static void free_texts(size_t count, char **texts) {
    for (size_t i = 0; texts && i < count; i++) free(texts[i]);
    free(texts);
}

void cli_tables_end(void) {
    free_texts(all.count, all.paths);
    free_texts(all.pairs, all.beside);
    free_texts(all.n_named, all.names);
    free_texts(all.selection.n_labels, all.labels);
    free_texts(all.d, all.clocks);
    for (size_t i = 0; i < 4; i++) free(all.texts[i]);
    free(all.start);
    memset(&all, 0, sizeof all);
    cli_data_sharing = NULL;
}
