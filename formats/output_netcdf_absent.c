/* In place of the NetCDF writer where netcdf-c was not found. */
#include "formats/sink.h"

static int refuse(orff_output *output) {
    return orff_output_fail(
        output, ORFF_UNSUPPORTED,
        "this build cannot write NetCDF: install netcdf-c (libnetcdf-dev on Debian) and build again");
}

const orff_sink orff_sink_netcdf = {.name = "netcdf", .begin = refuse};
