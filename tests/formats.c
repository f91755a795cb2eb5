#define _GNU_SOURCE

#include "formats.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "formats/source.h"

enum { PATHS = 64, BLOCK = 7 };

static char directory[64];
static char paths[PATHS][160];
static size_t n_paths;

int formats_set_up(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/orff_formats_XXXXXX");
    n_paths = 0;
    return mkdtemp(directory) ? 0 : -1;
}

int formats_tear_down(void **state) {
    (void)state;
    for (size_t i = 0; i < n_paths; i++) remove(paths[i]);
    return rmdir(directory);
}

const char *formats_path(const char *name) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (size_t i = 0; i < n_paths; i++)
        if (!strcmp(paths[i], path)) return paths[i];
    if (n_paths == PATHS) fail_msg("too many files");
    memcpy(paths[n_paths], path, sizeof path);
    return paths[n_paths++];
}

const char *formats_file(const char *name, const void *bytes, size_t size) {
    const char *path = formats_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *formats_text(const char *name, const char *text) {
    return formats_file(name, text, strlen(text));
}

const char *formats_packed(const char *name, const void *bytes, size_t size) {
    const char *path = formats_path(name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)size), (int)size);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static pid_t writer;

const char *formats_piped(const char *name, const void *bytes, size_t size) {
    const char *path = formats_path(name);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    writer = fork();
    assert_true(writer >= 0);
    if (writer) return path;
    signal(SIGPIPE, SIG_IGN); /* a reader may have seen enough */
    const int end = open(path, O_WRONLY);
    for (const char *at = bytes; size;) {
        const ssize_t written = write(end, at, size);
        if (written <= 0) break;
        at += written;
        size -= (size_t)written;
    }
    _exit(0);
}

void formats_piped_end(void) {
    assert_int_equal(waitpid(writer, NULL, 0), writer);
}

static void grow(formats_data *data, size_t *room) {
    if (data->n + BLOCK <= *room) return;
    *room = 2 * *room + BLOCK;
    data->X = realloc(data->X, (*room * data->d + 1) * sizeof(double));
    data->Y = realloc(data->Y, (*room * data->p + 1) * sizeof(double));
    data->weights = realloc(data->weights, *room * sizeof(double));
    if (!data->X || !data->Y || !data->weights) fail_msg("not enough memory");
}

/* All rows behind those that are there. */
static int read_all(formats_data *data) {
    size_t room = 0, rows;
    data->d = fmt_table_inputs(data->table);
    data->p = fmt_table_outputs(data->table);
    do {
        grow(data, &room);
        const int status = fmt_table_read(data->table, BLOCK, data->X + data->n * data->d,
                                          data->Y + data->n * data->p, data->weights + data->n, &rows);
        if (status) return status;
        data->n += rows;
    } while (rows);
    return ORFF_OK;
}

static const fmt_source *source;

void formats_use_source(const fmt_source *given) {
    source = given;
}

static int open_table(fmt_table **table, const char *path) {
    if (!source) return fmt_table_open(table, path, NULL);
    *table = fmt_table_make(path);
    assert_non_null(*table);
    (*table)->source = source;
    return source->open(*table);
}

static int attempt(formats_data *data, const char *path, const fmt_table_selection *selection) {
    int status = open_table(&data->table, path);
    if (!status) status = fmt_table_select(data->table, selection);
    return status ? status : read_all(data);
}

formats_data formats_read(const char *path, const fmt_table_selection *selection) {
    formats_data data = {0};
    if (attempt(&data, path, selection)) fail_msg("%s", fmt_table_error(data.table));
    assert_int_equal(data.n, fmt_table_used(data.table));
    return data;
}

void formats_free(formats_data *data) {
    fmt_table_close(data->table);
    free(data->X);
    free(data->Y);
    free(data->weights);
}

void formats_says(const char *message, const char *word) {
    if (!strstr(message, word)) fail_msg("\"%s\" does not say \"%s\"", message, word);
}

void formats_refused(const char *path, const fmt_table_selection *selection, int status, ...) {
    formats_data data = {0};
    const int got = attempt(&data, path, selection);
    if (got != status)
        fail_msg("%s: status %d (%s), expected %d", path, got, got ? fmt_table_error(data.table) : "done",
                 status);
    va_list words;
    va_start(words, status);
    for (const char *word = va_arg(words, const char *); word; word = va_arg(words, const char *))
        formats_says(fmt_table_error(data.table), word);
    va_end(words);
    formats_free(&data);
}
