/* How pictures look: for a screen, a talk, a printed page, or a dark room. */
#ifndef CLI_STYLE_H
#define CLI_STYLE_H

#include <stdbool.h>

/* Colours are "#rrggbb". */
typedef struct cli_style {
    const char *name;
    const char *size; /* of the picture, where --size is not given */
    double font;      /* points */
    double line;      /* all widths of lines are times this */
    bool dark;
    const char *paper;        /* the background, which also says: not known */
    const char *ink, *faint;  /* texts, axes and arrows; lines of grids */
    const char *land, *coast; /* areas and lines */
    const char *dots;         /* data */
    const char *curve, *band; /* a curve, and what it may be */
} cli_style;

/* NULL: there is none of that name. */
const cli_style *cli_style_find(const char *name);

/* Colours that are even to the eye for values from low to high, as "(0 '#..', .. 1 '#..')" of gnuplot's "set palette
 * defined". None is the colour of the paper. signs: two colours that meet in the middle, else one that grows. */
#define CLI_PALETTE_ROOM 1024
const char *cli_style_palette(const cli_style *style, bool signs, char text[CLI_PALETTE_ROOM]);

#endif
