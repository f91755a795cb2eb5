/* What the parts of orff plot share. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "apply.h"
#include "coast.h"
#include "gnuplot.h"

#define MOST_PANELS 16

typedef struct picture {
    const cli_arguments *arguments;
    cli_picture file;
    cli_applied applied;
    cli_coast coast;
    const char *what;
    size_t axes;    /* 2: a map; 1: curves */
    size_t axis[2]; /* inputs that are x and y */
    double *fixed;  /* d: where the other inputs are held */
    double low[2], high[2];
    size_t arrows;
    double limit; /* standard deviation above which nothing is drawn */
    orff_mask mask;
    bool masking;                  /* by --mask instead of the limit */
    size_t cells, hidden;          /* coloured cells in all, and those that are masked */
    const cli_derived *derived;    /* NULL: outputs, magnitude or error */
    size_t width, panels;          /* values of a point, and how many of them are drawn, each in a panel */
    double ranges[MOST_PANELS][2]; /* of the colours */
    FILE *script;
} picture;

/* "set xlabel .." and the like: what is "xlabel", the room `length` pixels. Inputs are those of an axis. */
void cli_picture_label(const picture *f, const char *what, size_t length, const char *name,
                       const char *units);
void cli_picture_input_label(const picture *f, const char *what, size_t length, size_t axis);
void cli_picture_output_label(const picture *f, const char *what, size_t length, size_t output);

/* The output matrices of the model in a file. */
int cli_plot_matrix(const cli_picture *file, const char *path);

/* The script of curves over one input: a cli_picture_put. */
int cli_picture_put_lines(void *self, FILE *script);

#endif
