/* A plane for a region of the Earth: azimuthal equidistant, in kilometres, on the sphere.
 *
 * Distances and directions from the centre are true. Across the direction to the centre, lengths are
 * stretched by c / sin c, c the angle from the centre. Vectors keep their length: they are turned by the
 * angle between the meridian and the plane's y axis, both measured against the great circle from the centre.
 * A plane with a crs is that of a projected coordinate system instead: see base/crs.h. */
#ifndef ORFFI_BASE_PLANE_H
#define ORFFI_BASE_PLANE_H

#include "base/fields.h"

#define ORFFI_EARTH_KM 6371.0088 /* mean radius */

/* Sums of unit vectors, which determine the centre. */
typedef struct orffi_plane_sum {
    double x, y, z;
} orffi_plane_sum;
void orffi_plane_add(orffi_plane_sum *sum, double lon, double lat);

/* False if there is no centre: the points surround the Earth evenly. */
bool orffi_plane_centre(const orffi_plane_sum *sum, orff_plane *plane);

/* Degrees to km on the plane; and the cosine and sine of the angle that turns (east, north) into the plane's
 * (x, y): x = cosine east - sine north, y = sine east + cosine north. Either pointer may be NULL. */
void orffi_plane_forward(const orff_plane *plane, double lon, double lat, double place[2], double turn[2]);
void orffi_plane_inverse(const orff_plane *plane, const double place[2], double *lon, double *lat);

void orffi_plane_vector_to(const double turn[2], double vector[2]);
void orffi_plane_vector_from(const double turn[2], double vector[2]);

/* c / sin c - 1 at a distance of `km` from the centre. */
double orffi_plane_stretch(double km);

/* Projects rows X (n x d) in place; turns (n x 2) may be NULL. The message about a row that is not in degrees
 * counts rows from first + 1. Rows with a number that is not finite are left unchanged; other checks refuse
 * them. */
orff_status orffi_plane_places(const orff_plane *plane, size_t d, size_t first, size_t n, double *X,
                               double *turns);

/* Projects places and turns vectors (n x 2, may be NULL) of rows, in place. */
orff_status orffi_plane_rows(const orff_plane *plane, size_t d, size_t first, size_t n, double *X,
                             double *vectors);

/* The largest relative error of lengths on the plane, over n rows X (n x d) in degrees: 0.05 is 5 %. */
orff_status orffi_plane_distortion(const orff_plane *plane, size_t d, size_t n, const double *X,
                                   double *most);

/* The plane of a coordinate system, or, if crs is NULL, the one centred on n rows. */
orff_status orffi_plane_find(orff_plane *plane, const char *crs, size_t d, const size_t inputs[2], size_t n,
                             const double *X);

/* Fails unless a plane can have d inputs and p outputs. */
orff_status orffi_plane_check(const orff_plane *plane, size_t d, size_t p);

/* ORFF_ERROR_MISMATCH if only one of them has a plane (NULL: none) or their planes differ. */
orff_status orffi_plane_compare(const orff_plane *a, const orff_plane *b);

/* ---- the member "plane" of a file's object: null if there is none */

/* Returns nonzero if memory runs out. */
int orffi_plane_pack(json_t *object, const orff_plane *plane);

/* For d inputs and p outputs; *there is false if there is none. A file older than this member has its plane
 * in the notes, if at all. */
orff_status orffi_plane_unpack(const orffi_fields *in, size_t d, size_t p, const char *notes,
                               orff_plane *plane, bool *there);

#endif
