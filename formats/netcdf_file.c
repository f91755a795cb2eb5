#define _GNU_SOURCE

#include <errno.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/netcdf_variable.h"

int orff_netcdf_fail(orff_table *table, const char *what, int code) {
    const int status = code == NC_ENOMEM ? ORFF_NO_MEMORY : code > 0 ? ORFF_IO : ORFF_FORMAT;
    return orff_table_fail(table, status, "%s: %s", what, nc_strerror(code));
}

/* Unpacks to a file without a lasting name, since netcdf-c wants to seek. */
static int unpack(orff_table *table, orff_stream *stream, int descriptor) {
    char piece[65536];
    size_t got;
    do {
        const int status = orff_stream_read(stream, piece, sizeof piece, &got);
        if (status) return orff_table_fail_stream(table, status, stream);
        for (size_t done = 0; done < got;) {
            const ssize_t written = write(descriptor, piece + done, got - done);
            if (written < 0 && errno != EINTR)
                return orff_table_fail(table, ORFF_IO, "cannot be unpacked to a temporary file: %s",
                                       strerror(errno));
            if (written > 0) done += (size_t)written;
        }
    } while (got == sizeof piece);
    return ORFF_OK;
}

static int open_unpacked(orff_table *table, orff_stream *stream, int *file) {
    const char *directory = getenv("TMPDIR");
    char name[512];
    snprintf(name, sizeof name, "%.480s/orff-XXXXXX.nc", directory && *directory ? directory : "/tmp");
    const int descriptor = mkstemps(name, 3);
    if (descriptor < 0)
        return orff_table_fail(table, ORFF_IO, "cannot be unpacked to %s: %s", name, strerror(errno));
    int status = unpack(table, stream, descriptor);
    close(descriptor);
    if (!status) {
        const int code = nc_open(name, NC_NOWRITE, file);
        if (code) status = orff_netcdf_fail(table, "is not a NetCDF file", code);
    }
    unlink(name);
    return status;
}

/* Through a stream first, for plain words about what is absent, unreadable or packed. */
int orff_netcdf_open_file(orff_table *table, int *file) {
    unsigned char head[4] = {0};
    size_t got;
    orff_stream *stream;
    int status = orff_stream_open(&stream, table->path);
    if (!status) status = orff_stream_read(stream, head, sizeof head, &got);
    if (status) {
        orff_table_fail_stream(table, status, stream);
    } else if (memcmp(head, "CDF", 3) && memcmp(head, "\x89HDF", 4)) {
        status = orff_table_fail(table, ORFF_FORMAT, "is not a NetCDF file");
    } else if (orff_stream_packed(stream)) {
        status = orff_stream_rewind(stream);
        if (!status) status = open_unpacked(table, stream, file);
    } else {
        const int code = nc_open(table->path, NC_NOWRITE, file);
        if (code) status = orff_netcdf_fail(table, "cannot be read", code);
    }
    orff_stream_close(stream);
    return status;
}
