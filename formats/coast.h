/* Coastlines from files: GeoJSON, lines of x and y as GMT has them, and the land of Natural Earth that is built in. */
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

/* GeoJSON: every LineString and Polygon, wherever it is in collections. Else text: x and y in the first two cells of a line,
 * separated by commas, semicolons, tabs or blanks; an empty line, a line that begins with > and NaN begin a new polyline; lines that
 * begin with # and a first line of names are passed over. The name natural-earth is the land that is built in. Returns an
 * orff_status, with its message in `message`. The coast must be cleared in any case. */
int fmt_coast_read(fmt_coast *coast, const char *path, char *message, size_t room);
void fmt_coast_clear(fmt_coast *coast);

/* For the calls of the library; valid as long as the coast. */
orff_coast fmt_coast_lines(const fmt_coast *coast);

#endif
