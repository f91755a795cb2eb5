/* Coastlines from files: GeoJSON, lines of x and y as in GMT, and the built-in land of Natural Earth. */
#ifndef FMT_COAST_H
#define FMT_COAST_H

#include "orff.h"

#define FMT_NATURAL_EARTH "natural-earth"

typedef struct fmt_coast {
    size_t lines, points;
    size_t *starts; /* lines + 1 */
    double *xy;     /* points x 2 */
    size_t room_lines, room_points;
} fmt_coast;

/* GeoJSON: every LineString and Polygon, also inside collections. Otherwise text: x and y in the first two
 * cells of a line, separated by commas, semicolons, tabs or blanks. An empty line, a line that starts with >,
 * or NaN starts a new polyline; lines that start with #, and a first line of names, are skipped. The name
 * natural-earth stands for the built-in land. Returns an orff_status, with its message in `message`. Clear
 * the coast even on failure. */
int fmt_coast_read(fmt_coast *coast, const char *path, char *message, size_t room);
void fmt_coast_clear(fmt_coast *coast);

/* For calls of the library; valid as long as the coast. */
orff_coast fmt_coast_lines(const fmt_coast *coast);

#endif
