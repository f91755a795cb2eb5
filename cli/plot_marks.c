/* Above the colours of a map: positions of data, and coasts. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include "data.h"
#include "report.h"

#define COVERED     0.06 /* largest share of the map that points of data cover ... */
#define LARGEST     0.4  /* ... with the largest marks */
#define MOST_POINTS 20000

/* Shifts a longitude to the range of the map. */
static double into_map(const picture *f, double x) {
    return f->degrees ? x - 360.0 * floor((x - 0.5 * (f->low[0] + f->high[0])) / 360.0 + 0.5) : x;
}

/* Marks small enough for the map to be visible. Their diameter is about 6 pixels at size 1. */
static double mark_size(const picture *f, size_t count) {
    const double area = 0.5 * (double)f->file.width * (double)f->file.height,
                 diameter = sqrt(COVERED * area / fmax((double)count, 1.0));
    return fmax(fmin(diameter / 8.0, LARGEST), 0.08);
}

/* Which of many rows are drawn: practically random, but the same each time. */
static bool is_chosen(size_t row, size_t count) {
    const double part = fmod((double)row * 0.6180339887498949, 1.0);
    return count <= MOST_POINTS || part * (double)count < (double)MOST_POINTS;
}

/* Reads all places in the map, n x 2. */
static int read_points(const picture *f, size_t *n, double **places) {
    const char *words[1] = {cli_text(f->arguments, CLI_OPT_POINTS)};
    const size_t d = f->applied.info.inputs;
    cli_arguments a = *f->arguments;
    cli_data data;
    a.words = words;
    a.n_words = 1;
    int status = cli_data_apply(&data, &a, 0, f->applied.notes, d, 0, false);
    double *X = cli_more(NULL, 4096 * d, sizeof *X);
    size_t rows = 1, room = 0;
    while (!status && rows) {
        status = cli_data_read(&data, 4096, X, NULL, &rows);
        if (*n + 4096 > room) *places = cli_more(*places, 2 * (room = 2 * (*n + 4096)), sizeof **places);
        for (size_t i = 0; !status && i < rows; i++) {
            const double x = into_map(f, X[i * d + f->axis[0]]), y = X[i * d + f->axis[1]];
            if (!isfinite(x) || !isfinite(y)) continue;
            (*places)[2 * *n] = x;
            (*places)[2 * (*n)++ + 1] = y;
        }
    }
    free(X);
    cli_data_close(&data);
    return status;
}

int cli_picture_put_points(picture *f) {
    size_t n = 0, drawn = 0;
    double *places = NULL;
    const int status = read_points(f, &n, &places);
    fputs("$points << EOD\n", f->script);
    for (size_t i = 0; !status && i < n; i++) {
        if (!is_chosen(i, n)) continue;
        fprintf(f->script, "%.9g %.9g\n", places[2 * i], places[2 * i + 1]);
        drawn++;
    }
    fputs("EOD\n", f->script);
    f->marked = drawn ? mark_size(f, drawn) : 0.0;
    if (!status && drawn < n) cli_say("%zu of %zu points are marked", drawn, n);
    free(places);
    return status;
}

void cli_picture_put_coast(picture *f) {
    const orff_coast lines = fmt_coast_lines(&f->coast.file);
    fputs("$coast << EOD\n", f->script);
    for (size_t k = 0; k < lines.lines; k++)
        for (size_t i = lines.starts[k]; i + 1 < lines.starts[k + 1]; i++) {
            const double *p = lines.points + 2 * i, x = into_map(f, p[0]), X = into_map(f, p[2]);
            if (!isfinite(x + p[1] + X + p[3]) || (f->coast.degrees && fabs(X - x) > 180.0)) continue;
            if (fmax(x, X) < f->low[0] || fmin(x, X) > f->high[0] || fmax(p[1], p[3]) < f->low[1] ||
                fmin(p[1], p[3]) > f->high[1])
                continue;
            f->has_coast = fprintf(f->script, "%.9g %.9g\n%.9g %.9g\n\n", x, p[1], X, p[3]) > 0;
        }
    fputs("EOD\n", f->script);
}
