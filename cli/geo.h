/* A plane for a region of the Earth: azimuthal equidistant, in kilometres, on the sphere.
 *
 * Distances from the centre and directions at the centre are true. Across the direction from the centre
 * lengths are stretched by c / sin c, c being the angle from the centre. Vectors keep their length: they are
 * turned by the angle between the meridian and the plane's y axis, measured against the great circle from the
 * centre. */
#ifndef CLI_GEO_H
#define CLI_GEO_H

#include <stdbool.h>
#include <stddef.h>

#define CLI_EARTH_KM 6371.0088 /* mean radius */

typedef struct cli_geo {
    double lon, lat; /* centre, degrees */
} cli_geo;

/* Sums of unit vectors, from which the centre follows. */
typedef struct cli_geo_sum {
    double x, y, z;
} cli_geo_sum;
void cli_geo_add(cli_geo_sum *sum, double lon, double lat);
/* False where there is none: the points surround the Earth evenly. */
bool cli_geo_centre(const cli_geo_sum *sum, cli_geo *geo);

/* Degrees to km on the plane; and the cosine and sine of the angle that turns (east, north) into the plane's
 * (x, y): x = cosine east - sine north, y = sine east + cosine north. Either pointer pair may be NULL. */
void cli_geo_forward(const cli_geo *geo, double lon, double lat, double plane[2], double turn[2]);
void cli_geo_inverse(const cli_geo *geo, const double plane[2], double *lon, double *lat);

void cli_geo_to_plane(const double turn[2], double vector[2]);
void cli_geo_from_plane(const double turn[2], double vector[2]);

/* c / sin c - 1 at a distance of `km` from the centre. */
double cli_geo_stretch(double km);

#endif
