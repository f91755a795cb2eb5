#define _XOPEN_SOURCE 700

#include "files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orff.h"
#include "report.h"
#include "settings.h"

/* Options that name files. All operands are read. A checkpoint is also read, but has its own rules. */
enum { WRITTEN = 3, READ_TOO = 8 };

static cli_option_id written(size_t k) {
    const cli_option_id ids[WRITTEN] = {CLI_OPT_OUTPUT, CLI_OPT_REPORT, cli_setting("checkpoint")};
    return ids[k];
}

static cli_option_id read_too(size_t k) {
    const cli_option_id ids[READ_TOO] = {CLI_OPT_FROM_MOMENTS,
                                         CLI_OPT_SUBTRACT,
                                         CLI_OPT_LIKE,
                                         CLI_OPT_POINTS,
                                         CLI_OPT_COAST,
                                         CLI_OPT_FROM,
                                         cli_setting("output-matrix"),
                                         cli_setting("frequencies")};
    return ids[k];
}

/* ---- the same file */

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Finds the directory of a file name. */
static bool stat_directory(const char *path, struct stat *about) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash) return !stat(".", about);
    const int length = snprintf(directory, sizeof directory, "%.*s", (int)(slash - path) + 1, path);
    return length < (int)sizeof directory && !stat(directory, about);
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Follows links. Two files that do not exist yet are the same if their directories and names are. */
static bool are_same_outputs(const char *a, const char *b) {
    struct stat one, other;
    const bool there = !stat(a, &one);
    if (there != !stat(b, &other)) return false;
    if (there) return is_same(&one, &other);
    return !strcmp(base_of(a), base_of(b)) && stat_directory(a, &one) && stat_directory(b, &other) &&
           is_same(&one, &other);
}

static bool is_read(const char *input, const char *output) {
    struct stat one, other;
    const int missing = strcmp(input, "-") ? stat(input, &one) : fstat(STDIN_FILENO, &one);
    return !missing && !stat(output, &other) && is_same(&one, &other);
}

/* ---- files written */

/* NULL if there is none, or if it is standard output. */
static const char *output_of(const cli_arguments *a, cli_option_id id) {
    const unsigned tables = CLI_BIT(predict) | CLI_BIT(sample) | CLI_BIT(drift);
    const char *path = cli_given(a, id) ? cli_text(a, id) : NULL;
    const bool standard = path && id == CLI_OPT_OUTPUT && a->command->bit & tables && !strcmp(path, "-");
    return standard ? NULL : path;
}

static int refuse(const cli_arguments *a, cli_option_id id, const char *input) {
    return cli_wrong(a, id, "%s is also read by this command%s%s; choose another name", cli_text(a, id),
                     strcmp(input, cli_text(a, id)) ? " as " : "",
                     strcmp(input, cli_text(a, id)) ? input : "");
}

static int compare_with_inputs(const cli_arguments *a, cli_option_id id, const char *output) {
    for (int i = 0; i < a->n_words; i++)
        if (is_read(a->words[i], output)) return refuse(a, id, a->words[i]);
    for (size_t k = 0; k < READ_TOO; k++) {
        const cli_option_id other = read_too(k);
        for (int i = 0; i < a->given[other].count; i++) {
            const orff_setting *setting = orff_setting_find(cli_option_at(other)->name);
            const char *value = a->given[other].values[i];
            const char *input = setting ? cli_matrix_of(setting, value) : value;
            if (is_read(input, output)) return refuse(a, id, input);
        }
    }
    return CLI_DONE;
}

static int compare_with_outputs(const cli_arguments *a, size_t place, const char *output) {
    for (size_t k = 0; k < place; k++) {
        const char *other = output_of(a, written(k));
        if (other && are_same_outputs(other, output))
            return cli_wrong(a, written(place), "%s is also the file of --%s; choose another name", output,
                             cli_option_at(written(k))->name);
    }
    return CLI_DONE;
}

int cli_files_check(const cli_arguments *a) {
    int status = CLI_DONE;
    for (size_t k = 0; !status && k < WRITTEN; k++) {
        const char *output = output_of(a, written(k));
        if (!output) continue;
        if (a->command->bit != CLI_BIT(merge)) status = compare_with_inputs(a, written(k), output);
        if (!status) status = compare_with_outputs(a, k, output);
        if (!status) status = cli_outcome(orff_file_check(output), NULL);
    }
    return status;
}
