/* Positions of the panels of a map, in units of the picture's width, from its lower left corner. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

/* The width of what numbers at the left have more than four letters: "40.5°N" of "40°N". */
static double more_letters(const picture *f) {
    const double low = f->low[1], high = f->high[1], parts = f->degrees ? 10.0 : 6.0;
    const size_t letters = cli_tic_letters(low, high, parts) + (f->degrees ? 2 : 0);
    return letters > 4 ? 0.65 * (double)(letters - 4) * (double)f->file.style->font : 0.0;
}

/* Lines of text that stand left of a map, below it, right of it and above it. */
static void margins_of(const picture *f, double margins[4]) {
    const double line = cli_picture_line(f);
    margins[0] = line * (f->degrees ? (f->panels > 1 ? 3.4 : 4.2) : 4.6) + more_letters(f);
    margins[1] = line * (f->degrees && !cli_picture_has_reference(f) ? 1.7 : 3.2);
    margins[2] = line * (f->panels > 1 ? 5.8 : 6.4);
    margins[3] = line * (f->panels > 1 ? 2.2 : 0.7);
}

/* Width and height of a map in a part of the picture, in true proportions. */
static void find_room(picture *f, double width, double height) {
    const double w = f->high[0] - f->low[0], h = (f->high[1] - f->low[1]) * f->aspect;
    double margins[4];
    margins_of(f, margins);
    const double scale =
        fmax(fmin((width - margins[0] - margins[2]) / w, (height - margins[1] - margins[3]) / h),
             cli_picture_line(f) / fmax(w, h));
    f->room[0] = w * scale;
    f->room[1] = h * scale;
}

static double height_of_title(const picture *f) {
    char *title = cli_picture_title(f);
    const double height = title ? 1.8 * cli_picture_line(f) : 0.0;
    free(title);
    return height;
}

/* The layout (rows, columns) with the largest panels. */
static void find_layout(picture *f) {
    const double width = (double)f->file.width, height = (double)f->file.height - height_of_title(f);
    double best = 0.0;
    for (size_t columns = 1; columns <= f->panels; columns++) {
        const size_t rows = (f->panels + columns - 1) / columns;
        find_room(f, width / (double)columns, height / (double)rows);
        if (columns > 1 && f->room[0] <= best) continue;
        best = f->room[0];
        f->layout[0] = rows;
        f->layout[1] = columns;
    }
    find_room(f, width / (double)f->layout[1], height / (double)f->layout[0]);
}

/* Arranges panels side by side, up to three per row (four: two by two), and makes the picture as high as
 * they need, unless a size was given. */
static void fit_height(picture *f) {
    const size_t columns = f->panels < 3 || f->panels == 4 ? 2 : 3,
                 rows = (f->panels + columns - 1) / columns;
    double margins[4];
    if (f->panels == 1 || cli_given(f->arguments, CLI_OPT_SIZE)) return;
    margins_of(f, margins);
    f->file.width = f->file.width * (f->file.printed ? 6 : 8) / 5;
    find_room(f, (double)f->file.width / (double)columns, INFINITY);
    const double high = (double)rows * (f->room[1] + margins[1] + margins[3]) + height_of_title(f),
                 width = (double)f->file.width;
    f->file.height = (size_t)fmin(fmax(high, 0.2 * width), 1.5 * width);
}

void cli_map_arrange(picture *f) {
    fit_height(f);
    find_layout(f);
}

/* The frame of panel k, in the middle of its part of the picture. */
static void find_corner(const picture *f, size_t k, double corner[2]) {
    const double width = (double)f->file.width / (double)f->layout[1],
                 height = ((double)f->file.height - height_of_title(f)) / (double)f->layout[0];
    double margins[4];
    margins_of(f, margins);
    corner[0] = width * (double)(k % f->layout[1]) + margins[0] +
                0.5 * (width - margins[0] - margins[2] - f->room[0]);
    corner[1] = height * (double)(f->layout[0] - 1 - k / f->layout[1]) + margins[1] +
                0.5 * (height - margins[1] - margins[3] - f->room[1]);
}

void cli_map_put_frame(picture *f, size_t k) {
    const double w = (double)f->file.width, h = (double)f->file.height, line = cli_picture_line(f);
    double *corner = f->corner;
    find_corner(f, k, corner);
    fprintf(
        f->script,
        "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\nset tmargin at "
        "screen %.6f\n",
        corner[0] / w, (corner[0] + f->room[0]) / w, corner[1] / h, (corner[1] + f->room[1]) / h);
    fprintf(f->script, "set colorbox user origin screen %.6f,%.6f size screen %.6f,%.6f\n",
            (corner[0] + f->room[0] + 0.6 * line) / w, corner[1] / h, 0.8 * line / w, f->room[1] / h);
}
