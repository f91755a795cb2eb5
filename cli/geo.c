#include "geo.h"

#include <math.h>

#define DEGREE 0.017453292519943295

void cli_geo_add(cli_geo_sum *sum, double lon, double lat) {
    sum->x += cos(lat * DEGREE) * cos(lon * DEGREE);
    sum->y += cos(lat * DEGREE) * sin(lon * DEGREE);
    sum->z += sin(lat * DEGREE);
}

bool cli_geo_centre(const cli_geo_sum *sum, cli_geo *geo) {
    const double across = hypot(sum->x, sum->y);
    geo->lon = atan2(sum->y, sum->x) / DEGREE;
    geo->lat = atan2(sum->z, across) / DEGREE;
    return hypot(across, sum->z) > 1e-9;
}

/* With unit vectors e0, n0 (east, north at the centre) and e, n (at the point): the great circle from the
 * centre leaves along (sin a0, cos a0) and arrives along (sin a1, cos a1); the vectors are turned by a1 - a0.
 */
void cli_geo_forward(const cli_geo *geo, double lon, double lat, double plane[2], double turn[2]) {
    const double l = (lon - geo->lon) * DEGREE, f = lat * DEGREE, f0 = geo->lat * DEGREE;
    const double east = cos(f) * sin(l), north = cos(f0) * sin(f) - sin(f0) * cos(f) * cos(l);
    const double sine = hypot(east, north), cosine = sin(f0) * sin(f) + cos(f0) * cos(f) * cos(l);
    const double stretch = sine > 0.0 ? atan2(sine, cosine) / sine : 1.0;
    if (plane) {
        plane[0] = CLI_EARTH_KM * stretch * east;
        plane[1] = CLI_EARTH_KM * stretch * north;
    }
    if (turn) {
        const double onward_east = cos(f0) * sin(l),
                     onward_north = cos(f0) * sin(f) * cos(l) - sin(f0) * cos(f);
        const double angle = sine > 0.0 ? atan2(onward_east, onward_north) - atan2(east, north) : 0.0;
        turn[0] = cos(angle);
        turn[1] = sin(angle);
    }
}

void cli_geo_inverse(const cli_geo *geo, const double plane[2], double *lon, double *lat) {
    const double far = hypot(plane[0], plane[1]), c = far / CLI_EARTH_KM, f0 = geo->lat * DEGREE;
    const double east = far > 0.0 ? plane[0] / far : 0.0, north = far > 0.0 ? plane[1] / far : 0.0;
    const double height = cos(c) * sin(f0) + north * sin(c) * cos(f0);
    *lat = asin(fmax(-1.0, fmin(1.0, height))) / DEGREE;
    *lon = geo->lon + atan2(east * sin(c), cos(f0) * cos(c) - north * sin(f0) * sin(c)) / DEGREE;
}

void cli_geo_to_plane(const double turn[2], double vector[2]) {
    const double east = vector[0], north = vector[1];
    vector[0] = turn[0] * east - turn[1] * north;
    vector[1] = turn[1] * east + turn[0] * north;
}

void cli_geo_from_plane(const double turn[2], double vector[2]) {
    const double x = vector[0], y = vector[1];
    vector[0] = turn[0] * x + turn[1] * y;
    vector[1] = turn[0] * y - turn[1] * x;
}

double cli_geo_stretch(double km) {
    const double c = km / CLI_EARTH_KM;
    return c > 0.0 ? c / sin(fmin(c, 3.14)) - 1.0 : 0.0;
}
