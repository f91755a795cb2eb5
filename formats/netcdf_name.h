/* How NetCDF files are recognised, with or without the library that reads them. */
#ifndef FMT_NETCDF_NAME_H
#define FMT_NETCDF_NAME_H

#include <string.h>

#include "formats/source.h"

static const char *const fmt_netcdf_ends[] = {".nc", ".nc4", ".cdf", ".grd", ".zarr", ".zarr/", NULL};

static inline bool fmt_netcdf_claims(const unsigned char *head, size_t got) {
    return got >= 4 && (!memcmp(head, "CDF", 3) || !memcmp(head, "\x89HDF", 4));
}

#endif
