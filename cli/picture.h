/* Shared by the parts of orff plot. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "apply.h"
#include "coast.h"
#include "gnuplot.h"

#define MOST_PANELS 16

/* One map in colours. */
typedef struct panel {
    const char *what;           /* field, outputs, error or a derived field */
    const cli_derived *derived; /* NULL: no derived field */
    size_t output;              /* for outputs: which one */
    double range[2];            /* of the colours */
    double *values;             /* at the nodes of the grid */
} panel;

/* The model at the nodes of a grid over the region, x varying fastest; values between them are
 * interpolated. */
typedef struct grid {
    size_t count[2];
    double *X;     /* n x d */
    double *F;     /* n x p, NULL if not needed */
    double *doubt; /* n: how uncertain the field is; drawn up to the picture's limit */
} grid;

typedef struct picture {
    const cli_arguments *arguments;
    cli_picture file;
    cli_applied applied;
    cli_coast coast;
    bool outline; /* coasts are only lines, and hide nothing */
    const char *what;
    size_t axes;    /* 2: a map; 1: curves */
    size_t axis[2]; /* inputs for x and y */
    double *fixed;  /* d: values of the other inputs */
    double low[2], high[2];
    bool degrees;     /* x and y are longitude and latitude */
    double aspect;    /* length of a unit of y in the picture relative to a unit of x */
    size_t layout[2]; /* rows and columns of panels */
    double corner[2],
        room[2]; /* lower left corner, width and height of one map, about, in units of the picture's width */
    size_t arrows;
    double limit; /* doubt above which nothing is drawn */
    orff_mask mask;
    bool masking;         /* hides points by --mask instead of the limit */
    size_t cells, hidden; /* number of coloured cells, and of those masked */
    size_t panels;
    panel panel[MOST_PANELS];
    grid grid;
    bool hatched;             /* something is hatched */
    bool has_coast, has_flow; /* whether there is any of them to draw */
    double marked;            /* size of the points of data */
    double reference;         /* value of the arrow that shows the scale; 0: none */
    double cell;              /* length of that arrow, in units of x */
    FILE *script;
} picture;

/* ---- plot_labels.c: texts and axes */

/* Units as people write them: "m s-1" becomes "m/s". From malloc. */
char *cli_units_shown(const char *units);

/* "set xlabel .." and similar: what is "xlabel", length the available length in units of the picture's
 * width. Inputs are given by axis. */
void cli_picture_label(const picture *f, const char *what, size_t length, const char *name,
                       const char *units);
void cli_picture_input_label(const picture *f, const char *what, size_t length, size_t axis);
void cli_picture_output_label(const picture *f, const char *what, size_t length, size_t output);

/* Names and units of what a panel shows. */
void cli_picture_colour_label(const picture *f, const panel *one, const char *what, size_t length);

/* The title if given, otherwise the values of the other inputs; NULL: none. From malloc. */
char *cli_picture_title(const picture *f);

/* Tics of a map in degrees: 10°W. */
void cli_picture_degrees(const picture *f, size_t axis);

/* Height of a line of text, in units of the picture's width. */
double cli_picture_line(const picture *f);

/* ---- plot_grid.c: the model over the region */

/* Computes nodes, values of all panels, and the limit. Returns an exit status. */
int cli_grid_fill(picture *f);
void cli_grid_clear(picture *f);

/* Numbers of points along x and y, with `most` along the side that is longer in the picture. */
void cli_grid_counts(const picture *f, size_t most, size_t count[2]);

/* Interpolates one of `width` values per node (the first is at `values`). */
double cli_grid_at(const picture *f, const double *values, size_t width, const double place[2]);
bool cli_grid_known(const picture *f, const double place[2]);

/* Marks which of n places (n x 2) are on land that hides the field. */
int cli_grid_land(const picture *f, size_t n, const double *places, bool *land);

/* ---- plot_arrows.c, plot_streams.c: the field above the colours, as data of the script */

int cli_picture_put_arrows(picture *f);
void cli_picture_put_reference(const picture *f);
void cli_picture_put_streams(picture *f);

/* ---- plot_marks.c: positions of data, and coasts, as data of the script */

int cli_picture_put_points(picture *f);
void cli_picture_put_coast(picture *f);

/* ---- plot_room.c: positions of panels, in units of the picture's width from its lower left corner */

void cli_map_arrange(picture *f); /* must be called first */
void cli_map_put_frame(picture *f, size_t k);

/* ---- plot_panels.c */

void cli_picture_put_panels(picture *f);

/* ---- plot_map.c, plot_lines.c: whole scripts; each a cli_picture_put */

bool cli_panel_is(const panel *one, const char *what);

/* Whether an arrow below the map shows the scale of the arrows. */
bool cli_picture_has_reference(const picture *f);

int cli_picture_put_map(void *self, FILE *script);
int cli_picture_put_lines(void *self, FILE *script);

/* ---- plot_matrix.c: the output matrices of the model in a file */

int cli_plot_matrix(const cli_picture *file, const char *path);

/* ---- plot_scores.c: residuals and calibration of a model on data, the second operand */

int cli_plot_scores(picture *f);

/* ---- plot_spectrum.c: power against wavenumber */

int cli_plot_spectrum(picture *f);

#endif
