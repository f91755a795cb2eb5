/* Pictures by gnuplot: a script that contains its data and is run once, and a file that appears complete
 * or not at all. Texts enter a script only through cli_label of inert.h, and numbers only if they are
 * finite. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <stdio.h>

#include "options.h"
#include "style.h"

/* Of a font of 12 points, in units of a picture's width, rounded up. */
#define CLI_CHARACTER_WIDTH 8

typedef struct cli_picture_kind cli_picture_kind;

typedef struct cli_picture {
    const char *path;
    const cli_picture_kind *kind;
    const cli_style *style;
    size_t width, height; /* pixels, or hundredths of an inch */
    bool printed;         /* the size was given in mm, cm or inches */
    bool keep;            /* keep the script beside the picture */
} cli_picture;

/* From -o, --size, --style and --keep. Returns an exit status. */
int cli_picture_parse(cli_picture *picture, const cli_arguments *arguments);

/* How many characters of the style's font fit into a length. */
size_t cli_picture_letters(const cli_picture *picture, size_t length);

/* A step of 1, 2 or 5 times a power of ten that divides the range into about so many parts. */
double cli_tic_step(double range, double parts);

/* "set xtics ('0.5' 0.5, ..)", with numbers that differ, in as few letters as that takes. gnuplot's own tics read 0.100000 where
 * an axis begins just above 0, and 1e+06 six times on one from 1000000 to 1000010. Nothing for a step that is not a number > 0. */
void cli_put_tics(FILE *script, const char *axis, double low, double high, double step);

/* The letters of the longest of about so many such numbers. */
size_t cli_tic_letters(double low, double high, double parts);

/* The step that leaves room for the numbers below an axis of this length, of so many parts at most. */
double cli_tic_step_below(const cli_picture *picture, double length, double low, double high, double parts);

/* put writes data and commands below the lines that set terminal and output; it returns an exit status. */
typedef int cli_picture_put(void *self, FILE *script);
int cli_picture_draw(const cli_picture *picture, cli_picture_put *put, void *self);

#endif
