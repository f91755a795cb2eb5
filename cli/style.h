/* Styles of pictures: for a screen, a talk, a printed page, or a dark room. */
#ifndef CLI_STYLE_H
#define CLI_STYLE_H

#include <stdbool.h>

/* Colours are "#rrggbb". */
typedef struct cli_style {
    const char *name;
    const char *size; /* of the picture, unless --size is given */
    double font;      /* points */
    double line;      /* factor for all line widths */
    bool dark;
    const char *paper;        /* the background, which also means: not known */
    const char *ink, *faint;  /* texts, axes and arrows; grid lines */
    const char *land, *coast; /* its areas and lines */
    const char *dots;         /* data */
    const char *curve, *band; /* a curve, and its band */
} cli_style;

/* NULL if there is no style of that name. */
const cli_style *cli_style_find(const char *name);

/* Perceptually even colours for values from low to high, as "(0 '#..', .. 1 '#..')" for gnuplot's "set
 * palette defined". None is the colour of the paper. signs: two colours that meet in the middle; otherwise
 * a single progression. */
#define CLI_PALETTE_ROOM 1024
const char *cli_style_palette(const cli_style *style, bool signs, char text[CLI_PALETTE_ROOM]);

#endif
