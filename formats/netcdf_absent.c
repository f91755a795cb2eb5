/* In place of the NetCDF reader where netcdf-c was not found. */
#include <math.h>

#include "formats/source.h"

static int refuse(orff_table *table) {
    return orff_table_fail(
        table, ORFF_UNSUPPORTED,
        "this build cannot read NetCDF: install netcdf-c (libnetcdf-dev on Debian) and build again");
}

static double no_progress(const orff_table *table) {
    (void)table;
    return (double)NAN;
}

static void nothing(orff_table *table) {
    (void)table;
}

const orff_source orff_source_netcdf = {
    .name = "netcdf", .open = refuse, .progress = no_progress, .close = nothing};
