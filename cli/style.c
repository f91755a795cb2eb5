#include "style.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const cli_style styles[] = {
    {"plain", "900x700", 12.0, 1.0, false, "#ffffff", "#111111", "#dddddd", "#cfccc6", "#55534e", "#c2410c",
     "#0072b2", "#c6e5f2"},
    {"talk", "1280x800", 19.0, 1.8, false, "#ffffff", "#111111", "#dddddd", "#cfccc6", "#55534e", "#c2410c",
     "#0072b2", "#c6e5f2"},
    {"paper", "140mmx110mm", 8.0, 0.75, false, "#ffffff", "#000000", "#dddddd", "#cfccc6", "#55534e",
     "#c2410c", "#0072b2", "#c6e5f2"},
    {"dark", "900x700", 12.0, 1.1, true, "#14171c", "#eceff4", "#3a4049", "#2c3038", "#8b93a1", "#ffb454",
     "#56b4e9", "#23465c"},
};

const cli_style *cli_style_find(const char *name) {
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (!strcmp(styles[i].name, name)) return &styles[i];
    return NULL;
}

/* ---- colours: lightness, chroma and hue in OKLCH, in which equal steps look equal */

typedef struct colour {
    double lightness, chroma, hue; /* hue in degrees */
} colour;

static void to_linear(colour c, double rgb[3]) {
    const double a = c.chroma * cos(c.hue * 0.017453292519943295),
                 b = c.chroma * sin(c.hue * 0.017453292519943295);
    const double x = pow(c.lightness + 0.3963377774 * a + 0.2158037573 * b, 3.0),
                 y = pow(c.lightness - 0.1055613458 * a - 0.0638541728 * b, 3.0),
                 z = pow(c.lightness - 0.0894841775 * a - 1.291485548 * b, 3.0);
    rgb[0] = 4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z;
    rgb[1] = -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z;
    rgb[2] = -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z;
}

static bool is_shown(const double rgb[3]) {
    for (size_t i = 0; i < 3; i++)
        if (rgb[i] < -1e-4 || rgb[i] > 1.0001) return false;
    return true;
}

/* Linear RGB with as much chroma as a screen can show. The limit is computed to the last digit, as steps
 * would be visible as edges. */
static void into_screen(colour c, double rgb[3]) {
    double low = 0.0, high = c.chroma;
    to_linear(c, rgb);
    if (is_shown(rgb)) return;
    for (int i = 0; i < 30; i++) {
        c.chroma = 0.5 * (low + high);
        to_linear(c, rgb);
        *(is_shown(rgb) ? &low : &high) = c.chroma;
    }
}

static unsigned to_screen(colour c) {
    double rgb[3];
    unsigned all = 0;
    into_screen(c, rgb);
    for (size_t i = 0; i < 3; i++) {
        const double light = fmin(1.0, fmax(0.0, rgb[i])),
                     value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
        all = all << 8 | (unsigned)lround(255.0 * value);
    }
    return all;
}

static double between(double from, double to, double t) {
    return from + (to - from) * t;
}

/* Lightness changes evenly from near that of the paper, but distinct from it, to where ink is still
 * legible. */
static colour growing(const cli_style *style, double t) {
    return style->dark
               ? (colour){between(0.32, 0.76, t), 0.055 + 0.045 * sin(3.14 * t), between(285.0, 105.0, t)}
               : (colour){between(0.945, 0.53, t), 0.06 + 0.04 * sin(2.4 * t), between(106.0, 258.0, t)};
}

static colour signed_colour(const cli_style *style, double t) {
    const double side = fabs(2.0 * t - 1.0);
    return (colour){between(style->dark ? 0.33 : 0.90, style->dark ? 0.78 : 0.47, side),
                    0.165 * pow(side, 0.9),
                    t < 0.5 ? between(240.0, 258.0, side) : between(45.0, 28.0, side)};
}

const char *cli_style_palette(const cli_style *style, bool signs, char text[CLI_PALETTE_ROOM]) {
    enum { STOPS = 33 };
    size_t used = 0;
    for (size_t i = 0; i < STOPS; i++) {
        const double t = (double)i / (STOPS - 1);
        const colour c = signs ? signed_colour(style, t) : growing(style, t);
        used += (size_t)snprintf(text + used, CLI_PALETTE_ROOM - used, "%s%.9g '#%06x'", i ? ", " : "(", t,
                                 to_screen(c));
    }
    snprintf(text + used, CLI_PALETTE_ROOM - used, ")");
    return text;
}
