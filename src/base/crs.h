/* Projected coordinate reference systems by name, such as EPSG:32633, through PROJ.
 *
 * A name may come from a file of unknown origin, so PROJ only gets names that make it read nothing but its
 * own database: codes of a few authorities, and PROJ strings whose keys take numbers and names. */
#ifndef ORFFI_BASE_CRS_H
#define ORFFI_BASE_CRS_H

#include <stddef.h>

#include "orff.h"

/* Refuses names that are unknown, unsafe or not of a projected system; always fails in builds without
 * PROJ. */
orff_status orffi_crs_check(const char *name);

/* Projects n points in degrees (longitude, latitude; WGS 84), `stride` doubles apart, to km, in place. turns
 * (n x 2, may be NULL) are as in base/plane.h: the rotation nearest to the projection's derivatives, which
 * for conformal projections is by the meridian convergence. scales (n x 2, may be NULL): the smallest and the
 * largest factor by which lengths grow there. Points that are not finite are left unchanged. Messages count
 * rows from first + 1. */
orff_status orffi_crs_project(const char *name, size_t first, size_t n, size_t stride, double *lon,
                              double *lat, double *turns, double *scales);

/* For orff_build_info. */
const char *orffi_crs_library(void);

#endif
