/* Texts of a picture: names, units, titles, degrees. */
#define _GNU_SOURCE

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/times.h"
#include "formats/units.h"
#include "inert.h"
#include "notes.h"
#include "picture.h"
#include "report.h"

/* ---- units */

/* Scans a factor of units: letters with an optional power. NULL if the text is something else. */
static const char *scan_factor(const char *text, size_t *letters, int *power) {
    const char *at = text;
    while (isalpha((unsigned char)*at) || *at == '%') at++;
    *letters = (size_t)(at - text);
    *power = 1;
    const bool minus = *at == '-';
    if (minus) at++;
    if (*at >= '1' && *at <= '9')
        *power = *at++ - '0';
    else if (minus)
        return NULL;
    if (minus) *power = -*power;
    return *letters && (!*at || *at == ' ') ? at : NULL;
}

/* Appends a unit as people write it. */
static void append_unit(cli_string *shown, const char *unit, size_t letters) {
    static const char *const signs[][2] = {{"degC", "°C"}, {"degF", "°F"}, {"degree", "°"}, {"degrees", "°"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i][0]) == letters && !strncmp(unit, signs[i][0], letters)) {
            cli_append(shown, "%s", signs[i][1]);
            return;
        }
    cli_append(shown, "%.*s", (int)letters, unit);
}

/* Appends the factors above (sign 1) or below (-1) the fraction bar; returns their number, or -1 if one is
 * not a factor. */
static int append_factors(cli_string *shown, const char *units, int sign) {
    static const char *const powers[] = {"", "", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    int count = 0;
    for (const char *at = units; *at;) {
        size_t letters;
        int power;
        const char *end = scan_factor(at, &letters, &power);
        if (!end) return -1;
        if (power * sign > 0) {
            cli_append(shown, "%s", count++ ? " " : "");
            append_unit(shown, at, letters);
            cli_append(shown, "%s", powers[abs(power)]);
        }
        at = end + (*end == ' ');
    }
    return count;
}

char *cli_units_shown(const char *units) {
    cli_string above = {0}, below = {0}, shown = {0};
    const int over = append_factors(&above, units, 1), under = append_factors(&below, units, -1);
    if (over >= 0 && under > 0)
        cli_append(&shown, under > 1 ? "%s/(%s)" : "%s/%s", over ? above.text : "1", below.text);
    else
        cli_append(&shown, "%s", over > 0 ? above.text : units);
    free(above.text);
    free(below.text);
    return shown.text;
}

/* ---- labels */

void cli_picture_label(const picture *f, const char *what, size_t length, const char *name,
                       const char *units) {
    char quoted[CLI_LABEL_ROOM], *shown = units && *units ? cli_units_shown(units) : NULL;
    cli_string text = {0};
    cli_append(&text, shown ? "%s (%s)" : "%s", name, shown);
    fprintf(f->script, "set %s %s noenhanced\n", what,
            cli_label(quoted, cli_picture_letters(&f->file, length * 4 / 5), text.text));
    free(text.text);
    free(shown);
}

/* A column's name without the units at its end, which are shown separately: x_km becomes x. From malloc. */
static char *stem_of(const picture *f, orff_side side, size_t i, const char *otherwise) {
    const char *name = orff_notes_name(f->applied.notes, side, i),
               *units = orff_notes_units(f->applied.notes, side, i);
    char *stem = cli_copy_text(name ? name : otherwise), *end = strrchr(stem, '_');
    const char *guess = end && end > stem ? fmt_units_guess(stem).units : NULL;
    if (guess && units && !strcmp(guess, units)) *end = '\0';
    return stem;
}

static void label_column(const picture *f, const char *what, size_t length, orff_side side, size_t i,
                         const char *otherwise) {
    char *stem = stem_of(f, side, i, otherwise);
    cli_picture_label(f, what, length, stem, orff_notes_units(f->applied.notes, side, i));
    free(stem);
}

void cli_picture_input_label(const picture *f, const char *what, size_t length, size_t k) {
    label_column(f, what, length, ORFF_SIDE_INPUT, f->axis[k], k ? "y" : "x");
}

void cli_picture_output_label(const picture *f, const char *what, size_t length, size_t k) {
    char made[24];
    snprintf(made, sizeof made, "y%zu", k + 1);
    label_column(f, what, length, ORFF_SIDE_OUTPUT, k, made);
}

double cli_picture_line(const picture *f) {
    return 1.7 * f->file.style->font;
}

/* ---- what is shown */

static bool any_name_contains(const picture *f, const char *const *words) {
    for (size_t k = 0; k < f->applied.p; k++) {
        const char *name = orff_notes_name(f->applied.notes, ORFF_SIDE_OUTPUT, k);
        for (size_t i = 0; name && words[i]; i++)
            if (strcasestr(name, words[i])) return true;
    }
    return false;
}

static bool is_velocity(const picture *f) {
    static const char *const velocities[] = {"m/s", "cm/s", "mm/s", "km/s", "km/h",  "m/h", "ft/s",
                                             "kn",  "kt",   "kts",  "knot", "knots", "mph"};
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0);
    char *shown = units ? cli_units_shown(units) : NULL;
    bool found = false;
    for (size_t i = 0; shown && i < sizeof velocities / sizeof *velocities; i++)
        found = found || !strcasecmp(shown, velocities[i]); /* some files write M/S */
    free(shown);
    return found;
}

/* The name for the length of a vector, from names and units. */
static const char *name_of_size(const picture *f) {
    static const char *const wind[] = {"wind", "wnd", "u10", NULL}, *const current[] = {"current", "water",
                                                                                        "ocean", "sea_",
                                                                                        NULL};
    if (cli_given(f->arguments, CLI_OPT_QUANTITY)) return cli_text(f->arguments, CLI_OPT_QUANTITY);
    if (any_name_contains(f, wind)) return "wind speed";
    if (!is_velocity(f)) return "magnitude";
    return any_name_contains(f, current) ? "current speed" : "speed";
}

void cli_picture_colour_label(const picture *f, const panel *one, const char *what, size_t length) {
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0), *name = one->what;
    char *derived = one->derived ? cli_notes_derived_units(f->applied.notes, one->what) : NULL;
    if (!strcmp(one->what, "outputs")) {
        cli_picture_output_label(f, what, length, one->output);
        return;
    }
    if (!strcmp(name, "field"))
        name = name_of_size(f);
    else if (!strcmp(name, "error"))
        name = "standard deviation";
    else if (!strcmp(name, "stream"))
        name = "stream function";
    else if (!strcmp(name, "curl") && is_velocity(f))
        name = "vorticity";
    cli_picture_label(f, what, length, name, one->derived ? derived : units);
    free(derived);
}

/* ---- titles */

/* "depth = 10 m", or "time = 2024-05-01T06:30:00Z". */
static void append_held(cli_string *text, const picture *f, size_t i) {
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, i);
    char *stem = stem_of(f, ORFF_SIDE_INPUT, i, "x"), *shown = units ? cli_units_shown(units) : NULL,
         date[FMT_DATE_ROOM];
    fmt_time time;
    cli_append(text, "%s%s = ", text->length ? ", " : "", stem);
    if (units && fmt_time_units(units, NULL, &time)) {
        fmt_time_date(time.base + time.unit * f->fixed[i], date);
        cli_append(text, "%s", date);
    } else {
        cli_append(text, "%.4g%s%s", f->fixed[i], shown ? " " : "", shown ? shown : "");
    }
    free(stem);
    free(shown);
}

char *cli_picture_title(const picture *f) {
    cli_string text = {0};
    if (cli_given(f->arguments, CLI_OPT_TITLE)) {
        cli_append(&text, "%s", cli_text(f->arguments, CLI_OPT_TITLE));
        return text.text;
    }
    for (size_t i = 0; f->fixed && i < f->applied.info.inputs; i++) {
        if (i == f->axis[0] || (f->axes == 2 && i == f->axis[1])) continue;
        if (orff_notes_name(f->applied.notes, ORFF_SIDE_INPUT, i)) append_held(&text, f, i);
    }
    return text.text;
}

/* ---- degrees */

/* Steps that are usual on maps. */
static double degree_step(double range, double parts) {
    static const double steps[] = {1, 2, 5, 10, 15, 20, 30, 45, 60, 90};
    if (range / parts < 1.0) return cli_tic_step(range, parts);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * parts >= range) return steps[i];
    return 90.0;
}

static void put_degree(FILE *script, size_t axis, double at) {
    const double value = axis ? at : at - 360.0 * floor((at + 180.0) / 360.0), size = fabs(value);
    const bool plain = size < 1e-9 || (!axis && size > 180.0 - 1e-9);
    fprintf(script, "\"%.6g°%s\" %.9g", plain && size < 1e-9 ? 0.0 : size,
            plain       ? ""
            : value < 0 ? (axis ? "S" : "W")
                        : (axis ? "N" : "E"),
            at);
}

void cli_picture_degrees(const picture *f, size_t axis) {
    const double room = (axis ? 45.0 : 75.0) * f->file.style->font / 12.0,
                 step = degree_step(f->high[axis] - f->low[axis], fmax(1.0, f->room[axis] / room));
    bool first = true;
    if (!(step > 0.0) || !isfinite(step)) return;
    fprintf(f->script, "set %ctics (", axis ? 'y' : 'x');
    for (double k = ceil(f->low[axis] / step - 1e-9); k * step <= f->high[axis] + 1e-9 * step; k++) {
        fputs(first ? "" : ", ", f->script);
        put_degree(f->script, axis, k * step);
        first = false;
    }
    fputs(")\n", f->script);
}
