/* Arrows of a map, the arrow that shows their scale, and ellipses at their heads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inert.h"
#include "picture.h"
#include "report.h"

#define USUAL 0.9 /* this share of the arrows is at most as long as the distance between arrows, .. */
/* And this share at most REACH times as long: longer arrows cover the heads of the next ones. */
#define MOST  0.99
#define REACH 2.5
/* Standard deviations of an ellipse that contains 95 % of a normal distribution in the plane. */
#define HOLDS 2.44775

typedef struct arrows {
    size_t count[2], n;
    double *places, *X; /* n x 2, n x d */
    double *F;          /* n x 2 */
    bool *drawn;        /* n */
    double scale;       /* from values to units of x */
} arrows;

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Along the longer side. Small panels have fewer than single pictures, unless the number was given. */
static size_t number_of_arrows(const picture *f) {
    const double room = fmax(f->room[0], f->room[1]) / (1.8 * f->file.style->font);
    if (cli_given(f->arguments, CLI_OPT_ARROWS)) return f->arrows;
    return (size_t)fmax(2.0, fmin(room, (double)f->arrows));
}

/* Arrows are at the centres of cells, so that none is on the frame. */
static void find_places(const picture *f, arrows *a) {
    const size_t d = f->applied.info.inputs;
    cli_grid_counts(f, number_of_arrows(f), a->count);
    a->n = a->count[0] * a->count[1];
    a->places = cli_more(NULL, 2 * a->n, sizeof *a->places);
    a->X = cli_more(NULL, d * a->n, sizeof *a->X);
    a->F = cli_more(NULL, 2 * a->n, sizeof *a->F);
    a->drawn = cli_more(NULL, a->n, sizeof *a->drawn);
    for (size_t i = 0; i < a->n; i++) {
        const size_t cell[2] = {i % a->count[0], i / a->count[0]};
        memcpy(a->X + i * d, f->fixed, d * sizeof *a->X);
        for (size_t k = 0; k < 2; k++)
            a->X[i * d + f->axis[k]] = a->places[2 * i + k] =
                f->low[k] + (f->high[k] - f->low[k]) * ((double)cell[k] + 0.5) / (double)a->count[k];
    }
}

static int find_values(const picture *f, arrows *a) {
    int status = cli_applied_predict(&f->applied, a->n, a->X, a->F);
    if (!status) status = cli_grid_land(f, a->n, a->places, a->drawn);
    for (size_t i = 0; !status && i < a->n; i++)
        a->drawn[i] = !a->drawn[i] && isfinite(hypot(a->F[2 * i], a->F[2 * i + 1])) &&
                      (cli_given(f->arguments, CLI_OPT_HATCH) || cli_grid_known(f, a->places + 2 * i));
    return status;
}

/* A quantile of `count` ascending lengths; 0 if there are none. */
static double quantile(const double *lengths, size_t count, double share) {
    return count ? lengths[(size_t)(share * (double)(count - 1))] : 0.0;
}

/* Uses quantiles, so that one jet does not make all other arrows vanish. Returns the value whose arrow is
 * as long as a cell. */
static double find_scale(const picture *f, arrows *a) {
    double *lengths = cli_more(NULL, a->n, sizeof *lengths);
    size_t known = 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->drawn[i]) lengths[known++] = hypot(a->F[2 * i], a->F[2 * i + 1]);
    qsort(lengths, known, sizeof *lengths, ascending);
    const double usual = fmax(quantile(lengths, known, USUAL), quantile(lengths, known, MOST) / REACH),
                 cell = (f->high[0] - f->low[0]) / (double)a->count[0];
    a->scale = usual > 0.0 ? cell / usual : 0.0;
    free(lengths);
    return usual;
}

/* Draws a round value and its arrow below the right corner. */
void cli_picture_put_reference(const picture *f) {
    const double w = (double)f->file.width, h = (double)f->file.height, right = f->corner[0] + f->room[0],
                 from = right - f->cell * f->room[0] / (f->high[0] - f->low[0]),
                 y = (f->corner[1] - 2.5 * cli_picture_line(f)) / h;
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0), *ink = f->file.style->ink;
    char *shown = units ? cli_units_shown(units) : NULL, quoted[CLI_LABEL_ROOM];
    cli_string text = {0};
    if (!(f->reference > 0.0) || !isfinite(from)) {
        free(shown);
        return;
    }
    cli_append(&text, "%s%.6g %s", cli_given(f->arguments, CLI_OPT_ELLIPSES) ? "ellipses 95 %, " : "",
               f->reference, shown ? shown : "");
    fprintf(f->script,
            "set arrow 1 from screen %.6f, screen %.6f to screen %.6f, screen %.6f head filled size screen "
            "0.008,20 "
            "lw 1.1 lc rgb '%s' front\n",
            from / w, y, right / w, y, ink);
    fprintf(f->script,
            "set label 1 %s at screen %.6f, screen %.6f right noenhanced front textcolor rgb '%s'\n",
            cli_label(quoted, cli_picture_letters(&f->file, (size_t)f->room[0]), text.text),
            (from - 0.5 * cli_picture_line(f)) / w, y, ink);
    free(text.text);
    free(shown);
}

/* Diameters along the axes of the covariance C (2 x 2), and the first one's angle in degrees. */
static void axes_of(const double C[4], double diameters[2], double *angle) {
    const double mean = 0.5 * (C[0] + C[3]), half = 0.5 * (C[0] - C[3]), swing = hypot(half, C[1]);
    diameters[0] = 2.0 * HOLDS * sqrt(fmax(mean + swing, 0.0));
    diameters[1] = 2.0 * HOLDS * sqrt(fmax(mean - swing, 0.0));
    *angle = 0.5 * atan2(C[1], half) * 57.29577951308232;
}

static int put_ellipses(const picture *f, const arrows *a) {
    double *C = cli_more(NULL, 4 * a->n, sizeof *C), size[2], angle;
    const int status = cli_outcome(orff_model_covariance(f->applied.model, a->n, a->X, C), NULL);
    fputs("$ellipses << EOD\n", f->script);
    for (size_t i = 0; !status && i < a->n; i++) {
        axes_of(C + 4 * i, size, &angle);
        if (!a->drawn[i] || !isfinite(size[0] + size[1] + angle)) continue;
        fprintf(f->script, "%.9g %.9g %.9g %.9g %.9g\n", a->places[2 * i] + 0.5 * a->scale * a->F[2 * i],
                a->places[2 * i + 1] + 0.5 * a->scale * a->F[2 * i + 1] / f->aspect, a->scale * size[0],
                a->scale * size[1], angle);
    }
    fputs("EOD\n", f->script);
    free(C);
    return status;
}

/* Arrows are centred on their places. As degrees of longitude are shorter than degrees of latitude, v is
 * scaled so that an arrow points where the wind blows. */
static void put_data(picture *f, const arrows *a) {
    fputs("$arrows << EOD\n", f->script);
    for (size_t i = 0; i < a->n; i++) {
        const double u = a->scale * a->F[2 * i], v = a->scale * a->F[2 * i + 1] / f->aspect;
        if (!a->drawn[i] || !isfinite(u) || !isfinite(v)) continue;
        f->has_flow = fprintf(f->script, "%.9g %.9g %.9g %.9g\n", a->places[2 * i] - 0.5 * u,
                              a->places[2 * i + 1] - 0.5 * v, u, v) > 0;
    }
    fputs("EOD\n", f->script);
}

int cli_picture_put_arrows(picture *f) {
    arrows a = {0};
    find_places(f, &a);
    int status = find_values(f, &a);
    if (!status) {
        const double usual = find_scale(f, &a);
        put_data(f, &a);
        f->reference = usual > 0.0 ? cli_tic_step(usual, 0.8) : 0.0;
        f->cell = f->reference * a.scale;
        if (cli_given(f->arguments, CLI_OPT_ELLIPSES)) status = put_ellipses(f, &a);
    }
    free(a.places);
    free(a.X);
    free(a.F);
    free(a.drawn);
    return status;
}
