#include "base/plane.h"

#include <math.h>
#include <string.h>

#include "base/crs.h"
#include "base/memory.h"
#include "base/names.h"

#define DEGREE 0.017453292519943295

enum { ROWS = 256 }; /* projected at once */

/* ---- names */

static const char *const names[] = {ORFF_GEO_LIST(ORFFI_NAME_OF) NULL};

const char *orff_geo_name(orff_geo geo) {
    return (unsigned)geo < ORFF_GEO_COUNT ? names[geo] : NULL;
}

const char *const *orff_geo_names(void) {
    return names;
}

orff_status orff_geo_parse(const char *name, orff_geo *geo) {
    size_t place;
    if (!geo) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_geo_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("kind of coordinates", name, names, &place));
    *geo = (orff_geo)place;
    return ORFF_OK;
}

orff_status orff_geo_inputs(size_t d, size_t p, const bool *covariate, size_t inputs[2]) {
    size_t found = 0, places[2];
    if (!inputs) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_geo_inputs: NULL argument");
    for (size_t i = 0; found < 2 && i < d; i++)
        if (!covariate || !covariate[i]) places[found++] = i;
    if (found < 2 || p != 2)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "a plane needs two inputs (longitude, latitude) and two outputs (eastward, northward); "
            "there are %zu and %zu",
            found, p);
    inputs[0] = places[0];
    inputs[1] = places[1];
    return ORFF_OK;
}

/* ---- the sphere */

void orffi_plane_add(orffi_plane_sum *sum, double lon, double lat) {
    sum->x += cos(lat * DEGREE) * cos(lon * DEGREE);
    sum->y += cos(lat * DEGREE) * sin(lon * DEGREE);
    sum->z += sin(lat * DEGREE);
}

bool orffi_plane_centre(const orffi_plane_sum *sum, orff_plane *plane) {
    const double across = hypot(sum->x, sum->y);
    plane->lon = atan2(sum->y, sum->x) / DEGREE;
    plane->lat = atan2(sum->z, across) / DEGREE;
    return hypot(across, sum->z) > 1e-9;
}

/* Let e0, n0 (at the centre) and e, n (at the point) be unit vectors to the east and north. The great circle
 * from the centre leaves along (sin a0, cos a0) and arrives along (sin a1, cos a1); vectors are turned by a1
 * - a0. */
void orffi_plane_forward(const orff_plane *plane, double lon, double lat, double place[2], double turn[2]) {
    const double l = (lon - plane->lon) * DEGREE, f = lat * DEGREE, f0 = plane->lat * DEGREE;
    const double east = cos(f) * sin(l), north = cos(f0) * sin(f) - sin(f0) * cos(f) * cos(l);
    const double sine = hypot(east, north), cosine = sin(f0) * sin(f) + cos(f0) * cos(f) * cos(l);
    const double stretch = sine > 0.0 ? atan2(sine, cosine) / sine : 1.0;
    if (place) {
        place[0] = ORFFI_EARTH_KM * stretch * east;
        place[1] = ORFFI_EARTH_KM * stretch * north;
    }
    if (turn) {
        const double onward_east = cos(f0) * sin(l),
                     onward_north = cos(f0) * sin(f) * cos(l) - sin(f0) * cos(f);
        const double angle = sine > 0.0 ? atan2(onward_east, onward_north) - atan2(east, north) : 0.0;
        turn[0] = cos(angle);
        turn[1] = sin(angle);
    }
}

void orffi_plane_inverse(const orff_plane *plane, const double place[2], double *lon, double *lat) {
    const double far = hypot(place[0], place[1]), c = far / ORFFI_EARTH_KM, f0 = plane->lat * DEGREE;
    const double east = far > 0.0 ? place[0] / far : 0.0, north = far > 0.0 ? place[1] / far : 0.0;
    const double height = cos(c) * sin(f0) + north * sin(c) * cos(f0);
    *lat = asin(fmax(-1.0, fmin(1.0, height))) / DEGREE;
    *lon = plane->lon + atan2(east * sin(c), cos(f0) * cos(c) - north * sin(f0) * sin(c)) / DEGREE;
}

void orffi_plane_vector_to(const double turn[2], double vector[2]) {
    const double east = vector[0], north = vector[1];
    vector[0] = turn[0] * east - turn[1] * north;
    vector[1] = turn[1] * east + turn[0] * north;
}

void orffi_plane_vector_from(const double turn[2], double vector[2]) {
    const double x = vector[0], y = vector[1];
    vector[0] = turn[0] * x + turn[1] * y;
    vector[1] = turn[0] * y - turn[1] * x;
}

double orffi_plane_stretch(double km) {
    const double c = km / ORFFI_EARTH_KM;
    return c > 0.0 ? c / sin(fmin(c, 3.14)) - 1.0 : 0.0;
}

/* ---- rows */

static orff_status check_degrees(size_t row, double lon, double lat) {
    if (fabs(lat) <= 90.0 && fabs(lon) <= 540.0) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "row %zu is at longitude %g, latitude %g; expected degrees, up to 540 and 90", row + 1,
                      lon, lat);
}

static void project_local(const orff_plane *plane, double *lon, double *lat, double *turn) {
    double place[2];
    if (turn) {
        turn[0] = 1.0;
        turn[1] = 0.0;
    }
    if (!isfinite(*lon) || !isfinite(*lat)) return;
    orffi_plane_forward(plane, *lon, *lat, place, turn);
    *lon = place[0];
    *lat = place[1];
}

orff_status orffi_plane_places(const orff_plane *plane, size_t d, size_t first, size_t n, double *X,
                               double *turns) {
    double *lon = X + plane->inputs[0], *lat = X + plane->inputs[1];
    for (size_t i = 0; i < n; i++)
        if (isfinite(lon[i * d]) && isfinite(lat[i * d]))
            ORFFI_TRY(check_degrees(first + i, lon[i * d], lat[i * d]));
    if (*plane->crs) return orffi_crs_project(plane->crs, first, n, d, lon, lat, turns, NULL);
    for (size_t i = 0; i < n; i++)
        project_local(plane, &lon[i * d], &lat[i * d], turns ? turns + 2 * i : NULL);
    return ORFF_OK;
}

orff_status orffi_plane_rows(const orff_plane *plane, size_t d, size_t first, size_t n, double *X,
                             double *vectors) {
    double turns[2 * ROWS];
    for (size_t i = 0; i < n; i += ROWS) {
        const size_t rows = n - i < ROWS ? n - i : ROWS;
        ORFFI_TRY(orffi_plane_places(plane, d, first + i, rows, X + i * d, turns));
        for (size_t k = 0; vectors && k < rows; k++)
            orffi_plane_vector_to(turns + 2 * k, vectors + 2 * (i + k));
    }
    return ORFF_OK;
}

orff_status orffi_plane_distortion(const orff_plane *plane, size_t d, size_t n, const double *X,
                                   double *most) {
    double scale[2] = {1.0, 1.0};
    *most = 0.0;
    for (size_t i = 0; i < n; i++) {
        double lon = X[i * d + plane->inputs[0]], lat = X[i * d + plane->inputs[1]], place[2];
        if (*plane->crs) {
            ORFFI_TRY(orffi_crs_project(plane->crs, i, 1, 1, &lon, &lat, NULL, scale));
        } else {
            orffi_plane_forward(plane, lon, lat, place, NULL);
            scale[1] = 1.0 + orffi_plane_stretch(hypot(place[0], place[1]));
        }
        *most = fmax(*most, fmax(1.0 - scale[0], scale[1] - 1.0));
    }
    return ORFF_OK;
}

static orff_status check_inputs(const size_t inputs[2], size_t d) {
    if (inputs[0] < d && inputs[1] < d && inputs[0] != inputs[1]) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "inputs %zu and %zu (0-based) cannot be longitude and latitude of %zu inputs",
                      inputs[0], inputs[1], d);
}

orff_status orff_plane_around(orff_plane *plane, size_t d, const size_t inputs[2], size_t n,
                              const double *X) {
    orffi_plane_sum sum = {0};
    orff_plane found = {0};
    if (!plane || !inputs || !X)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_plane_around: NULL argument");
    ORFFI_TRY(check_inputs(inputs, d));
    ORFFI_TRY(orffi_check_finite("X", n, d, X));
    for (size_t i = 0; i < n; i++) {
        const double lon = X[i * d + inputs[0]], lat = X[i * d + inputs[1]];
        ORFFI_TRY(check_degrees(i, lon, lat));
        orffi_plane_add(&sum, lon, lat);
    }
    if (!orffi_plane_centre(&sum, &found))
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "the data have no centre for a plane: they surround the Earth, or there are none. Learn one "
            "region at a time, up to a few thousand km wide; or use a map of the whole Earth (--crs "
            "EPSG:8857), whose lengths are wrong far from its middle; or learn without --geo from x, y, z on "
            "the unit sphere as three inputs");
    found.inputs[0] = inputs[0];
    found.inputs[1] = inputs[1];
    *plane = found;
    return ORFF_OK;
}

orff_status orff_plane_of_crs(orff_plane *plane, const char *crs, size_t d, const size_t inputs[2]) {
    if (!plane || !crs || !inputs)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_plane_of_crs: NULL argument");
    ORFFI_TRY(check_inputs(inputs, d));
    ORFFI_TRY(orffi_crs_check(crs));
    *plane = (orff_plane){.inputs = {inputs[0], inputs[1]}};
    memcpy(plane->crs, crs, strlen(crs) + 1);
    return ORFF_OK;
}

orff_status orffi_plane_find(orff_plane *plane, const char *crs, size_t d, const size_t inputs[2], size_t n,
                             const double *X) {
    if (!crs) return orff_plane_around(plane, d, inputs, n, X);
    ORFFI_TRY(orffi_check_finite("X", n, d, X));
    return orff_plane_of_crs(plane, crs, d, inputs);
}

orff_status orffi_plane_check(const orff_plane *plane, size_t d, size_t p) {
    size_t unused[2];
    ORFFI_TRY(orff_geo_inputs(d, p, NULL, unused));
    ORFFI_TRY(check_inputs(plane->inputs, d));
    if (*plane->crs) return orffi_crs_check(plane->crs);
    if (fabs(plane->lat) <= 90.0 && fabs(plane->lon) <= 540.0) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a plane cannot lie at longitude %g, latitude %g",
                      plane->lon, plane->lat);
}

orff_status orff_plane_project(const orff_plane *plane, size_t d, size_t n, double *X, double *vectors) {
    if (!plane || !X) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_plane_project: NULL argument");
    ORFFI_TRY(orffi_plane_check(plane, d, 2));
    ORFFI_TRY(orffi_check_finite("X", n, d, X));
    for (size_t i = 0; i < n; i++)
        ORFFI_TRY(check_degrees(i, X[i * d + plane->inputs[0]], X[i * d + plane->inputs[1]]));
    return orffi_plane_rows(plane, d, 0, n, X, vectors);
}

orff_status orffi_plane_compare(const orff_plane *a, const orff_plane *b) {
    if (!a && !b) return ORFF_OK;
    if (!a || !b)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "one is on a plane at longitude %g, latitude %g, the other on none",
                          (a ? a : b)->lon, (a ? a : b)->lat);
    if (strcmp(a->crs, b->crs))
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "the plane is that of crs \"%s\" in one and of \"%s\" in the other", a->crs,
                          b->crs);
    if (a->lon != b->lon || a->lat != b->lat)
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "the plane lies at longitude %.17g, latitude %.17g in one and at %.17g, %.17g in the other",
            a->lon, a->lat, b->lon, b->lat);
    if (a->inputs[0] != b->inputs[0] || a->inputs[1] != b->inputs[1])
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "longitude and latitude are other inputs in one than in the other");
    return ORFF_OK;
}

/* ---- files */

int orffi_plane_pack(json_t *object, const orff_plane *plane) {
    if (!plane) return json_object_set_new(object, "plane", json_null());
    if (*plane->crs)
        return json_object_set_new(
            object, "plane",
            json_pack("{ss so}", "crs", plane->crs, "inputs", orffi_json_sizes(2, plane->inputs)));
    return json_object_set_new(object, "plane",
                               json_pack("{sf sf so}", "lon", plane->lon, "lat", plane->lat, "inputs",
                                         orffi_json_sizes(2, plane->inputs)));
}

static orff_status read_crs(const orffi_fields *in, char crs[ORFF_CRS_ROOM]) {
    const char *text;
    ORFFI_TRY(orffi_fields_text(in, "crs", &text));
    if (!*text || strlen(text) >= ORFF_CRS_ROOM)
        return orffi_fields_fail(in, "crs", "is no name of a system");
    memcpy(crs, text, strlen(text) + 1);
    return ORFF_OK;
}

static orff_status read_plane(const orffi_fields *in, size_t d, size_t p, orff_plane *plane) {
    size_t *inputs = NULL;
    *plane = (orff_plane){0};
    if (json_object_get(in->object, "crs")) {
        ORFFI_TRY(read_crs(in, plane->crs));
    } else {
        ORFFI_TRY(orffi_fields_number(in, "lon", &plane->lon));
        ORFFI_TRY(orffi_fields_number(in, "lat", &plane->lat));
    }
    ORFFI_TRY(orffi_fields_sizes(in, "inputs", 2, &inputs));
    plane->inputs[0] = inputs[0];
    plane->inputs[1] = inputs[1];
    orffi_release(inputs);
    return orffi_fields_blame(in, orffi_plane_check(plane, d, p));
}

/* Notes in another format, or damaged, contain no plane. */
static orff_status read_notes(size_t d, size_t p, const char *text, orff_plane *plane, bool *there) {
    orff_notes *notes = NULL;
    orff_plane found;
    *there = false;
    const orff_status status = p == 2 && text ? orff_notes_parse(&notes, text, d, p, 0) : ORFF_OK;
    if (!status && orff_notes_plane(notes, &found)) {
        *plane = found;
        *there = true;
    }
    orff_notes_free(notes);
    return status == ORFF_ERROR_NO_MEMORY ? status : ORFF_OK;
}

orff_status orffi_plane_unpack(const orffi_fields *in, size_t d, size_t p, const char *notes,
                               orff_plane *plane, bool *there) {
    orffi_fields about;
    if (!json_object_get(in->object, "plane")) return read_notes(d, p, notes, plane, there);
    *there = orffi_fields_has(in, "plane");
    if (!*there) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(in, "plane", &about));
    return read_plane(&about, d, p, plane);
}
