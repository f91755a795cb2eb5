/* The output matrices of a model: correlations between outputs as colours, a panel for each part that has one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "gnuplot.h"
#include "inert.h"
#include "picture.h"
#include "report.h"
#include "result.h"

#define WRITTEN 12 /* outputs up to which numbers are written into the squares */
#define NAMED   40 /* outputs up to which they are named */
#define LETTERS 16 /* of a name */

typedef struct matrices {
    cli_applied applied;
    const cli_picture *file;
    size_t p, count;           /* outputs, panels */
    size_t parts[MOST_PANELS]; /* one for each panel */
    double *correlation;       /* count x p x p */
} matrices;

static int find_matrices(matrices *m) {
    const orff_model_info *info = &m->applied.info;
    m->p = info->outputs;
    const size_t square = m->p * m->p;
    m->correlation = cli_more(NULL, MOST_PANELS * square, sizeof *m->correlation);
    for (size_t i = 0; !info->classes && i < info->parts && m->count < MOST_PANELS; i++) {
        double *A = m->correlation + m->count * square;
        orff_part part;
        if (orff_model_part(m->applied.model, i, &part) || !orff_rule_describe(part.rule).separable) continue;
        if (orff_model_output_matrix(m->applied.model, i, A)) return cli_failed("%s", orff_error_message());
        m->parts[m->count++] = i;
    }
    return m->count ? CLI_DONE
                    : cli_failed("no part of the model has an output matrix: they are for %s parts",
                                 orff_rule_name(ORFF_RULE_DECOMPOSABLE));
}

/* Turns covariances into correlations, 0 if an output does not vary. */
static void scale(matrices *m) {
    const size_t p = m->p;
    double *root = cli_more(NULL, p, sizeof *root);
    for (size_t c = 0; c < m->count; c++) {
        double *A = m->correlation + c * p * p;
        for (size_t k = 0; k < p; k++) root[k] = sqrt(A[k * (p + 1)]);
        for (size_t k = 0; k < p * p; k++) {
            const double size = root[k / p] * root[k % p];
            A[k] = size > 0.0 ? A[k] / size : 0.0;
        }
    }
    free(root);
}

/* The name of an output. */
static const char *name_of(const matrices *m, size_t k, char made[32]) {
    const char *name = orff_notes_name(m->applied.notes, ORFF_SIDE_OUTPUT, k);
    snprintf(made, 32, "y%zu", k + 1);
    return name ? name : made;
}

static size_t longest_name(const matrices *m) {
    size_t longest = 0;
    char made[32];
    for (size_t k = 0; m->p <= NAMED && k < m->p; k++) {
        const size_t length = strlen(name_of(m, k, made));
        if (length > longest) longest = length;
    }
    return longest < LETTERS ? longest : LETTERS;
}

/* Names below the columns are slanted if they are too wide, and need room that gnuplot does not reserve. */
static void put_tics(const matrices *m, const char *axis, FILE *script) {
    const bool leaning = *axis == 'x' && longest_name(m) * m->p * m->count * 3 / 2 >
                                             cli_picture_letters(m->file, m->file->width);
    char quoted[CLI_LABEL_ROOM], made[32];
    fprintf(script, "set %stics (", axis);
    for (size_t k = 0; m->p <= NAMED && k < m->p; k++)
        fprintf(script, "%s%s %zu", k ? ", " : "", cli_label(quoted, LETTERS, name_of(m, k, made)), k);
    fprintf(script, ") noenhanced scale 0%s\n", leaning ? " rotate by 45 right" : "");
    if (leaning) fprintf(script, "set bmargin %zu\n", 2 + longest_name(m) / 2);
}

static void put_panel(const matrices *m, size_t c, FILE *script) {
    char quoted[CLI_LABEL_ROOM], made[64];
    orff_part part;
    if (!orff_model_part(m->applied.model, m->parts[c], &part) && m->count > 1) {
        snprintf(made, sizeof made, "part %zu, length scale %.3g", m->parts[c] + 1,
                 part.sigmas ? part.sigmas[0] : part.sigma);
        fprintf(script, "set title %s noenhanced\n", cli_label(quoted, 60, made));
    }
    fprintf(script, "plot $matrix index %zu using 2:1:3 with image notitle", c);
    /* Numbers are dark on light squares; in the dark style large correlations have light squares. */
    if (m->p <= WRITTEN)
        fprintf(
            script,
            ", $matrix index %zu using 2:1:(sprintf('%%.2f', $3)):(abs($3) > 0.6 ? 0x%s : 0x%s) with labels "
            "textcolor rgb variable notitle",
            c, m->file->style->dark ? "000000" : "ffffff", m->file->style->dark ? "ffffff" : "000000");
    fputc('\n', script);
}

static int put_script(void *self, FILE *script) {
    const matrices *m = self;
    const size_t p = m->p;
    char colours[CLI_PALETTE_ROOM];
    fputs("$matrix << EOD\n", script);
    for (size_t i = 0; i < m->count * p * p; i++) {
        fprintf(script, "%zu %zu %.6g\n", i / p % p, i % p, m->correlation[i]);
        if ((i + 1) % (p * p) == 0) fputs("\n\n", script);
    }
    fprintf(script, "EOD\nset palette defined %s\n", cli_style_palette(m->file->style, true, colours));
    fputs("set cbrange [-1:1]\nset cblabel 'correlation'\nset size ratio 1\nset border 0\n", script);
    fprintf(script, "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\n", (double)p - 0.5, (double)p - 0.5);
    put_tics(m, "x", script);
    put_tics(m, "y", script);
    if (m->count > 1) fprintf(script, "set multiplot layout 1,%zu\n", m->count);
    for (size_t c = 0; c < m->count; c++) put_panel(m, c, script);
    if (m->count > 1) fputs("unset multiplot\n", script);
    return CLI_DONE;
}

int cli_plot_matrix(const cli_picture *file, const char *path) {
    matrices m = {.file = file};
    int status = cli_applied_load(&m.applied, path);
    if (!status) status = find_matrices(&m);
    if (!status) scale(&m);
    if (!status) status = cli_picture_draw(file, put_script, &m);
    if (!status) cli_say("%s", file->path);
    if (!status && cli_wants_json())
        status = cli_print_json(json_pack("{s:o, s:s, s:I}", "picture", cli_text_or_shown(file->path), "what",
                                          "matrix", "panels", (json_int_t)m.count));
    free(m.correlation);
    cli_applied_clear(&m.applied);
    return status;
}
