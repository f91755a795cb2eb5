/* Pictures by gnuplot: a script with its data inside, run once, and a file that appears whole or not at all. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include <stdio.h>

#include "options.h"

typedef struct cli_picture {
    const char *path, *kind; /* kind: "svg", "png" or "pdf" */
    size_t width, height;
    bool keep; /* the script stays beside the picture */
} cli_picture;

/* From -o, --size and --keep. Returns an exit status. */
int cli_picture_parse(cli_picture *picture, const cli_arguments *arguments);

/* put writes data and commands below the lines that set terminal and output; it returns an exit status. */
int cli_picture_draw(const cli_picture *picture, int (*put)(void *self, FILE *script), void *self);

/* Text in the quotes of gnuplot. */
void cli_put_quoted(FILE *script, const char *text);

#endif
