#define _GNU_SOURCE

#include "lattice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "formats/output.h"
#include "notes.h"
#include "report.h"

/* The limit if nothing else sets one: half a month at a million points a second. */
#define MOST_POINTS ((uint64_t)1000000000000)

/* The number of steps from low to high; sets high to the last step. 0: too many. */
static double count_steps(double low, double *high, double step) {
    const double steps = floor((*high - low) / step * (1.0 + 1e-12) + 1e-9);
    if (!(step > 0.0) || !(steps >= 0.0 && steps < 1e9)) return 0.0;
    *high = low + steps * step;
    return steps + 1.0;
}

/* LO:HI:COUNT, LO:HI@STEP or V. */
static bool scan_range(const char *text, double *low, double *high, size_t *count) {
    double number = 1.0;
    const char *at = cli_scan_number(text, ":", low);
    *high = at ? *low : 0.0;
    if (at && *at == ':') {
        at = cli_scan_number(at + 1, ":@", high);
        const bool spaced = at && *at == '@';
        at = at && *at ? cli_scan_number(at + 1, "", &number) : NULL;
        if (spaced && at && *high >= *low) number = count_steps(*low, high, number);
    }
    if (!at || *at || number < 1.0 || number > 1e9 || number != floor(number)) return false;
    *count = (size_t)number;
    return *high >= *low;
}

char *cli_cut_entry(char **at, char **value) {
    char *entry = *at, *end = entry;
    const char *closing = *entry == '"' ? strchr(entry + 1, '"') : NULL;
    if (closing && closing[1] == '=') {
        entry++;
        end = *at + (closing - *at);
        *end++ = '\0';
    }
    char *comma = strchr(end, ',');
    if (comma) *comma = '\0';
    *at = comma ? comma + 1 : NULL;
    *value = strrchr(end, '=');
    if (*value) *(*value)++ = '\0';
    return entry;
}

/* "x (m)" and "x [m]", as in headers, for x in m. */
static bool named_with_units(const char *own, const char *units, const char *name) {
    const size_t n = strlen(own), m = units ? strlen(units) : 0;
    if (!m || strncmp(name, own, n)) return false;
    name += n + strspn(name + n, " ");
    return (*name == '(' || *name == '[') && !strncmp(name + 1, units, m) &&
           name[m + 1] == (*name == '(' ? ')' : ']') && !name[m + 2];
}

static bool named(const orff_notes *notes, size_t i, const char *name) {
    char number[24];
    const char *own = orff_notes_name(notes, ORFF_SIDE_INPUT, i);
    snprintf(number, sizeof number, "%zu", i + 1);
    if (!own) return !strcmp(number, name);
    return !strcmp(own, name) || !strcmp(number, name) ||
           named_with_units(own, orff_notes_units(notes, ORFF_SIDE_INPUT, i), name);
}

static int unknown_input(const cli_arguments *a, cli_option_id id, const orff_notes *notes, size_t d,
                         const char *name) {
    const char **names = cli_more(NULL, d, sizeof *names);
    size_t known = 0;
    for (size_t i = 0; i < d; i++)
        if (orff_notes_name(notes, ORFF_SIDE_INPUT, i))
            names[known++] = orff_notes_name(notes, ORFF_SIDE_INPUT, i);
    const char *near = cli_suggest(name, known, names);
    if (!near && known) near = names[0];
    free(names);
    return cli_wrong(a, id, "\"%s\" is not an input; did you mean \"%s\"?", name, near ? near : "1");
}

int cli_input_place(const cli_arguments *a, cli_option_id id, const orff_notes *notes, size_t d,
                    const char *name, size_t *place) {
    *place = 0;
    while (*place < d && !named(notes, *place, name)) ++*place;
    return *place < d ? CLI_DONE : unknown_input(a, id, notes, d, name);
}

/* Parses one entry NAME=RANGE. */
static int parse_entry(cli_lattice *l, const cli_arguments *a, const orff_notes *notes, const char *entry,
                       const char *range) {
    size_t i = 0;
    if (!range)
        return cli_wrong(a, CLI_OPT_ON_GRID,
                         "\"%s\" has no =; expected INPUT=LO:HI:COUNT or INPUT=LO:HI@STEP", entry);
    const int status = cli_input_place(a, CLI_OPT_ON_GRID, notes, l->d, entry, &i);
    if (status) return status;
    if (l->count[i]) return cli_wrong(a, CLI_OPT_ON_GRID, "\"%s\" is given twice", entry);
    if (!scan_range(range, &l->low[i], &l->high[i], &l->count[i]))
        return cli_wrong(a, CLI_OPT_ON_GRID,
                         "\"%s\" is not LO:HI:COUNT or LO:HI@STEP with LO <= HI, or one value", range);
    return CLI_DONE;
}

static int check_all(cli_lattice *l, const cli_arguments *a, const orff_notes *notes) {
    l->rows = 1;
    for (size_t i = 0; i < l->d; i++) {
        const char *name = orff_notes_name(notes, ORFF_SIDE_INPUT, i);
        if (!l->count[i])
            return cli_wrong(a, CLI_OPT_ON_GRID, "input %zu (%s) is missing", i + 1, name ? name : "no name");
        if (l->rows > UINT64_MAX / l->count[i]) l->rows = UINT64_MAX;
        if (l->rows != UINT64_MAX) l->rows *= l->count[i];
    }
    return CLI_DONE;
}

int cli_lattice_parse(cli_lattice *l, const cli_arguments *a, const orff_notes *notes, size_t d) {
    int status = CLI_DONE;
    *l = (cli_lattice){.d = d};
    l->count = cli_more(NULL, d, sizeof *l->count);
    l->low = cli_more(NULL, d, sizeof *l->low);
    l->high = cli_more(NULL, d, sizeof *l->high);
    memset(l->count, 0, d * sizeof *l->count);
    char *text = cli_copy_text(cli_text(a, CLI_OPT_ON_GRID));
    for (char *at = text; !status && at;) {
        char *range;
        const char *entry = cli_cut_entry(&at, &range);
        status = parse_entry(l, a, notes, entry, range);
    }
    free(text);
    return status ? status : check_all(l, a, notes);
}

/* Free bytes on the disk of the file; UINT64_MAX if unknown. */
static uint64_t free_space(const char *path) {
    struct statvfs about;
    char *directory = cli_copy_text(path), *slash = strrchr(directory, '/');
    if (slash) slash[slash == directory] = '\0';
    const bool known = !statvfs(path, &about) || !statvfs(slash ? directory : ".", &about);
    free(directory);
    return known ? (uint64_t)about.f_bavail * about.f_frsize : UINT64_MAX;
}

static uint64_t machine_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

/* "123 points would take at least 4.5 GB WHERE, but HAVE; .." */
static int too_large(const cli_lattice *l, uint64_t bytes, const char *where, double have) {
    char points[32] = "more than 1.8e19";
    if (l->rows != UINT64_MAX) snprintf(points, sizeof points, "%" PRIu64, l->rows);
    cli_string text = {0};
    cli_append(&text, "--grid: %s points would take at least %.3g GB %s", points, 1e-9 * (double)bytes,
               where);
    if (have >= 0.0) cli_append(&text, ", but there are only %.3g GB", have);
    const int status =
        cli_failed("%s; ask for fewer points, or for one part of the region at a time", text.text);
    free(text.text);
    return status;
}

int cli_lattice_check(const cli_lattice *l, const cli_arguments *a, size_t columns) {
    const char *path = cli_text(a, CLI_OPT_OUTPUT);
    const bool standard = !strcmp(path, "-");
    const uint64_t space = standard ? UINT64_MAX : free_space(path), machine = machine_memory();
    uint64_t file, memory;
    fmt_output_least(path, columns, l->rows, &file, &memory);
    if (memory > machine) return too_large(l, memory, "of memory", 1e-9 * (double)machine);
    if (file > space) return too_large(l, file, "on the disk", 1e-9 * (double)space);
    if (l->rows >= MOST_POINTS) return too_large(l, file, standard ? "to write" : "on the disk", -1.0);
    return CLI_DONE;
}

void cli_lattice_clear(cli_lattice *l) {
    free(l->count);
    free(l->low);
    free(l->high);
    *l = (cli_lattice){0};
}

void cli_lattice_fill(const cli_lattice *l, uint64_t first, size_t n, double *X) {
    for (size_t row = 0; row < n; row++) {
        uint64_t rest = first + row;
        for (size_t i = 0; i < l->d; i++) {
            const uint64_t k = rest % l->count[i];
            const double part = l->count[i] > 1 ? (double)k / (double)(l->count[i] - 1) : 0.0;
            X[row * l->d + i] =
                k + 1 == l->count[i] && k ? l->high[i] : l->low[i] + part * (l->high[i] - l->low[i]);
            rest /= l->count[i];
        }
    }
}
