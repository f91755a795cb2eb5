/* The panels of a map: frames, axes, colours and what is drawn above them. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inert.h"

#define LEVELS 10.0 /* contours, about */

static void put_palette(const picture *f, const panel *one) {
    const double low = one->range[0], high = one->range[1] > low ? one->range[1] : low + 1.0,
                 tic = cli_tic_step(high - low, f->panels > 1 ? 4.0 : 6.0);
    char colours[CLI_PALETTE_ROOM];
    fprintf(f->script, "set palette defined %s\nset cbrange [%.9g:%.9g]\n",
            cli_style_palette(f->file.style, low < 0.0 && low == -high, colours), low, high);
    cli_put_tics(f->script, "cb", low, high, tic);
    /* The label would be a letter too near to numbers that gnuplot is given as a list. */
    if (f->panels == 1) fputs("set cblabel offset char 1,0\n", f->script);
}

static bool has_contours(const picture *f, const panel *one) {
    const char *wish = cli_text(f->arguments, CLI_OPT_CONTOURS);
    const double step = cli_tic_step(one->range[1] - one->range[0], LEVELS);
    if (!(step > 0.0) || !isfinite(step)) return false;
    if (strcmp(wish, "auto")) return !strcmp(wish, "yes");
    return cli_panel_is(one, "potential") || cli_panel_is(one, "stream") ||
           (cli_panel_is(one, "outputs") && f->applied.p == 1);
}

/* gnuplot computes the contours, which become a data block of their own. */
static void put_contours(const picture *f, const panel *one, size_t column) {
    const double low = one->range[0], high = one->range[1], step = cli_tic_step(high - low, LEVELS);
    fprintf(f->script,
            "set contour base\nunset surface\nset cntrparam linear levels incremental %.9g,%.9g,%.9g\n"
            "set table $contours\nsplot $colours using 1:2:%zu\nunset table\nunset contour\nset surface\n",
            step * ceil(low / step), step, high, column);
}

/* As many as leave room for their numbers. */
static void put_tics(const picture *f) {
    const double *low = f->low, *high = f->high, numbers = f->room[1] / (5.0 * (double)f->file.style->font);
    cli_put_tics(f->script, "x", low[0], high[0],
                 cli_tic_step_below(&f->file, f->room[0], low[0], high[0], 10.0));
    cli_put_tics(f->script, "y", low[1], high[1],
                 cli_tic_step(high[1] - low[1], fmax(2.0, fmin(numbers, 10.0))));
}

static void put_axes(const picture *f, size_t width, size_t height) {
    fprintf(f->script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", f->low[0], f->high[0], f->low[1],
            f->high[1]);
    fputs("set tics out nomirror\nunset key\n", f->script);
    if (f->degrees) {
        cli_picture_degrees(f, 0);
        cli_picture_degrees(f, 1);
        return;
    }
    put_tics(f);
    cli_picture_input_label(f, "xlabel", width, 0);
    cli_picture_input_label(f, "ylabel", height, 1);
}

/* Land hides what is below it, including the ends of streamlines. */
static void put_over(const picture *f) {
    const cli_style *style = f->file.style;
    unsigned red, green, blue;
    if (f->coast.given && sscanf(style->land, "#%2x%2x%2x", &red, &green, &blue) == 3)
        fprintf(f->script, ", \\\n    $land using 1:2:(%u):(%u):(%u):3 with rgbalpha", red, green, blue);
    if (f->has_coast)
        fprintf(f->script, ", \\\n    $coast using 1:2 with lines lw 0.8 lc rgb '%s'", style->coast);
    if (f->marked > 0.0)
        fprintf(f->script, ", \\\n    $points using 1:2 with points pt 7 ps %.3g lc rgb '%s'", f->marked,
                style->dots);
}

static void put_flow(const picture *f) {
    const char *ink = f->file.style->ink;
    if (!f->has_flow) return;
    if (cli_given(f->arguments, CLI_OPT_STREAMLINES)) {
        fprintf(f->script,
                ", \\\n    $streams using 1:2 with lines lw 1 lc rgb '%s', \\\n    $heads using 1:2:3:4 with "
                "vectors head filled size screen 0.009,22 fixed lw 1 lc rgb '%s'",
                ink, ink);
        return;
    }
    if (cli_given(f->arguments, CLI_OPT_ELLIPSES))
        fprintf(
            f->script,
            ", \\\n    $ellipses using 1:2:3:4:5 with ellipses units xx fs transparent solid 0.25 border lc "
            "rgb '%s' fc rgb '%s' lw 0.5",
            ink, f->file.style->paper);
    fprintf(
        f->script,
        ", \\\n    $arrows using 1:2:3:4 with vectors head filled size screen 0.008,20 lw 1.1 lc rgb '%s'",
        ink);
}

static void put_panel(picture *f, size_t k) {
    const panel *one = &f->panel[k];
    const bool contours = has_contours(f, one), field = cli_panel_is(one, "field");
    const char *ink = f->file.style->ink;
    cli_map_put_frame(f, k);
    put_palette(f, one);
    cli_picture_colour_label(
        f, one, f->panels > 1 ? "title" : "cblabel",
        (size_t)(f->panels > 1 ? (double)f->file.width / (double)f->layout[1] : f->room[1]));
    if (contours) put_contours(f, one, k + 3);
    if (field && cli_picture_has_reference(f)) cli_picture_put_reference(f);
    fprintf(f->script, "plot $colours using 1:2:%zu with image", k + 3);
    if (contours) fprintf(f->script, ", \\\n    $contours using 1:2 with lines lw 0.7 lc rgb '%s'", ink);
    if (f->hatched) fprintf(f->script, ", \\\n    $hatch using 1:2 with lines lw 0.5 lc rgb '%s'", ink);
    if (field) put_flow(f);
    put_over(f);
    fputs(field ? "\nunset arrow 1\nunset label 1\n" : "\n", f->script);
}

/* Puts the title in the middle of the upper edge. */
static void put_title(const picture *f) {
    char *title = cli_picture_title(f), quoted[CLI_LABEL_ROOM];
    if (title)
        fprintf(f->script,
                "set label 2 %s at screen 0.5, screen %.6f center noenhanced front textcolor rgb '%s'\n",
                cli_label(quoted, cli_picture_letters(&f->file, f->file.width * 9 / 10), title),
                1.0 - 0.9 * cli_picture_line(f) / (double)f->file.height, f->file.style->ink);
    free(title);
}

void cli_picture_put_panels(picture *f) {
    put_axes(f, (size_t)f->room[0], (size_t)f->room[1]);
    put_title(f);
    if (f->panels > 1) fputs("set multiplot\nset title offset 0,-0.6\n", f->script);
    for (size_t k = 0; k < f->panels; k++) {
        put_panel(f, k);
        fputs("unset label 2\n", f->script);
    }
    if (f->panels > 1) fputs("unset multiplot\n", f->script);
}
