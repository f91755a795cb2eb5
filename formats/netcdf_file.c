#define _GNU_SOURCE

#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/netcdf_variable.h"

int fmt_netcdf_fail(fmt_table *table, const char *what, int code) {
    const int status = code == NC_ENOMEM ? ORFF_ERROR_NO_MEMORY
                       : code > 0        ? ORFF_ERROR_IO
                                         : ORFF_ERROR_FORMAT;
    return fmt_table_fail(table, status, "%s: %s", what, nc_strerror(code));
}

/* Unpacks to a file without a lasting name, since netcdf-c wants to seek. */
static int unpack(fmt_table *table, fmt_stream *stream, int descriptor) {
    char piece[65536];
    size_t got;
    do {
        const int status = fmt_stream_read(stream, piece, sizeof piece, &got);
        if (status) return fmt_table_fail_stream(table, status, stream);
        for (size_t done = 0; done < got;) {
            const ssize_t written = write(descriptor, piece + done, got - done);
            if (written < 0 && errno != EINTR)
                return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be unpacked to a temporary file: %s",
                                      strerror(errno));
            if (written > 0) done += (size_t)written;
        }
    } while (got == sizeof piece);
    return ORFF_OK;
}

static int open_unpacked(fmt_table *table, fmt_stream *stream, int *file) {
    const char *directory = getenv("TMPDIR");
    char name[512];
    snprintf(name, sizeof name, "%.480s/orff-XXXXXX.nc", directory && *directory ? directory : "/tmp");
    const int descriptor = mkstemps(name, 3);
    if (descriptor < 0)
        return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be unpacked to %s: %s", name, strerror(errno));
    int status = unpack(table, stream, descriptor);
    close(descriptor);
    if (!status) {
        const int code = nc_open(name, NC_NOWRITE, file);
        if (code) status = fmt_netcdf_fail(table, "is not a NetCDF file", code);
    }
    unlink(name);
    return status;
}

/* Through a stream first, for plain words about what is absent, unreadable or packed. */
int fmt_netcdf_open_file(fmt_table *table, int *file) {
    unsigned char head[4] = {0};
    size_t got;
    fmt_stream *stream;
    int status = fmt_stream_open(&stream, table->path);
    if (!status) status = fmt_stream_read(stream, head, sizeof head, &got);
    if (status) {
        fmt_table_fail_stream(table, status, stream);
    } else if (memcmp(head, "CDF", 3) && memcmp(head, "\x89HDF", 4)) {
        status = fmt_table_fail(table, ORFF_ERROR_FORMAT, "is not a NetCDF file");
    } else if (fmt_stream_packed(stream)) {
        status = fmt_stream_rewind(stream);
        if (!status) status = open_unpacked(table, stream, file);
    } else {
        const int code = nc_open(table->path, NC_NOWRITE, file);
        if (code) status = fmt_netcdf_fail(table, "cannot be read", code);
    }
    fmt_stream_close(stream);
    return status;
}
