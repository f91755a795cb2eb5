#include "lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "report.h"

/* LO:HI:COUNT or V. */
static bool scan_range(const char *text, double *low, double *high, size_t *count) {
    double number = 1.0;
    const char *at = cli_scan_number(text, ":", low);
    *high = at ? *low : 0.0;
    if (at && *at == ':') {
        at = cli_scan_number(at + 1, ":", high);
        at = at && *at == ':' ? cli_scan_number(at + 1, "", &number) : NULL;
    }
    if (!at || *at || number < 1.0 || number > 1e9 || number != floor(number)) return false;
    *count = (size_t)number;
    return *high >= *low;
}

static bool named(const json_t *notes, size_t i, const char *name) {
    char number[24];
    const char *own = cli_notes_name(notes, "inputs", i);
    snprintf(number, sizeof number, "%zu", i + 1);
    return (own && !strcmp(own, name)) || !strcmp(number, name);
}

static int unknown_input(const cli_arguments *a, const json_t *notes, size_t d, const char *name) {
    const char **names = cli_more(NULL, d, sizeof *names);
    size_t known = 0;
    for (size_t i = 0; i < d; i++)
        if (cli_notes_name(notes, "inputs", i)) names[known++] = cli_notes_name(notes, "inputs", i);
    const char *near = cli_suggest(name, known, names);
    if (!near && known) near = names[0];
    free(names);
    return cli_wrong(a, CLI_OPT_ON_GRID, "\"%s\" is not an input of the model; did you mean \"%s\"?", name,
                     near ? near : "1");
}

/* One entry NAME=RANGE. */
static int take(cli_lattice *l, const cli_arguments *a, const json_t *notes, char *entry) {
    char *range = strrchr(entry, '=');
    size_t i = 0;
    if (!range) return cli_wrong(a, CLI_OPT_ON_GRID, "\"%s\" has no =; expected INPUT=LO:HI:COUNT", entry);
    *range++ = 0;
    while (i < l->d && !named(notes, i, entry)) i++;
    if (i == l->d) return unknown_input(a, notes, l->d, entry);
    if (l->count[i]) return cli_wrong(a, CLI_OPT_ON_GRID, "\"%s\" is there twice", entry);
    if (!scan_range(range, &l->low[i], &l->high[i], &l->count[i]))
        return cli_wrong(a, CLI_OPT_ON_GRID, "\"%s\" is not LO:HI:COUNT with LO <= HI, or one value", range);
    return CLI_DONE;
}

static int check_all(cli_lattice *l, const cli_arguments *a, const json_t *notes) {
    double rows = 1.0;
    for (size_t i = 0; i < l->d; i++) {
        const char *name = cli_notes_name(notes, "inputs", i);
        if (!l->count[i])
            return cli_wrong(a, CLI_OPT_ON_GRID, "input %zu (%s) is missing", i + 1, name ? name : "no name");
        rows *= (double)l->count[i];
    }
    if (rows > 1e12) return cli_wrong(a, CLI_OPT_ON_GRID, "a grid of %g points is too large", rows);
    l->rows = (size_t)rows;
    return CLI_DONE;
}

int cli_lattice_parse(cli_lattice *l, const cli_arguments *a, const json_t *notes, size_t d) {
    int status = CLI_DONE;
    *l = (cli_lattice){.d = d};
    l->count = cli_more(NULL, d, sizeof *l->count);
    l->low = cli_more(NULL, d, sizeof *l->low);
    l->high = cli_more(NULL, d, sizeof *l->high);
    memset(l->count, 0, d * sizeof *l->count);
    char *text = cli_copy_text(cli_text(a, CLI_OPT_ON_GRID));
    for (char *at = text; !status && at;) {
        char *comma = strchr(at, ',');
        if (comma) *comma = 0;
        status = take(l, a, notes, at);
        at = comma ? comma + 1 : NULL;
    }
    free(text);
    return status ? status : check_all(l, a, notes);
}

void cli_lattice_clear(cli_lattice *l) {
    free(l->count);
    free(l->low);
    free(l->high);
    *l = (cli_lattice){0};
}

void cli_lattice_fill(const cli_lattice *l, size_t first, size_t n, double *X) {
    for (size_t row = 0; row < n; row++) {
        size_t rest = first + row;
        for (size_t i = 0; i < l->d; i++) {
            const size_t k = rest % l->count[i];
            const double part = l->count[i] > 1 ? (double)k / (double)(l->count[i] - 1) : 0.0;
            X[row * l->d + i] =
                k + 1 == l->count[i] && k ? l->high[i] : l->low[i] + part * (l->high[i] - l->low[i]);
            rest /= l->count[i];
        }
    }
}
