/* In place of the NetCDF writer where netcdf-c was not found. */
#include "formats/sink.h"

static int refuse(fmt_output *output) {
    return fmt_output_fail(
        output, ORFF_ERROR_UNSUPPORTED,
        "this build cannot write NetCDF: install netcdf-c (libnetcdf-dev on Debian) and build again");
}

const fmt_sink fmt_sink_netcdf = {.name = "netcdf", .begin = refuse};
