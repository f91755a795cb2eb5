/* Replaces the NetCDF reader if netcdf-c was not found. */
#include <math.h>

#include "formats/netcdf_name.h"

static int refuse(fmt_table *table) {
    return fmt_table_fail(
        table, ORFF_ERROR_UNSUPPORTED,
        "this build cannot read NetCDF: install netcdf-c (libnetcdf-dev on Debian) and build again");
}

static double no_progress(const fmt_table *table) {
    (void)table;
    return (double)NAN;
}

static void nothing(fmt_table *table) {
    (void)table;
}

const fmt_source fmt_source_netcdf = {.name = "netcdf",
                                      .ends = fmt_netcdf_ends,
                                      .claims = fmt_netcdf_claims,
                                      .open = refuse,
                                      .progress = no_progress,
                                      .close = nothing};
