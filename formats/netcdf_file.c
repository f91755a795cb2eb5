#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <netcdf_meta.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/netcdf_variable.h"

int fmt_netcdf_fail(fmt_table *table, const char *what, int code) {
    const int status = code == NC_ENOMEM ? ORFF_ERROR_NO_MEMORY
                       : code > 0        ? ORFF_ERROR_IO
                                         : ORFF_ERROR_FORMAT;
    return fmt_table_fail(
        table, status, "%s: %s%s", what, nc_strerror(code),
        code == NC_EHDFERR || code == NC_EBADID ? ": the file is damaged, or memory is short" : "");
}

/* ---------------------------------------------------------------- a seekable file for netcdf-c */

static int write_all(fmt_table *table, const char *piece, size_t size) {
    while (size) {
        const ssize_t written = write(table->descriptor, piece, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0)
            return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be unpacked to a temporary file: %s",
                                  strerror(errno));
        piece += written;
        size -= (size_t)written;
    }
    return ORFF_OK;
}

/* Opens a temporary file and unlinks it at once, so that it never stays behind. */
static int open_temporary(fmt_table *table) {
    const char *given = getenv("TMPDIR"), *directory = given && *given ? given : "/tmp";
    char *name = NULL;
    if (asprintf(&name, "%s/orff-XXXXXX", directory) < 0) return fmt_table_fail_memory(table);
    table->descriptor = mkostemp(name, O_CLOEXEC);
    const int error = errno;
    if (table->descriptor >= 0) unlink(name);
    free(name);
    if (table->descriptor >= 0) return ORFF_OK;
    return fmt_table_fail(table, ORFF_ERROR_IO,
                          "cannot be unpacked to a file in %s: %s; set TMPDIR to another directory",
                          directory, strerror(error));
}

/* Unpacks the bytes already read, and those that follow. */
static int unpack(fmt_table *table, fmt_stream *stream, const char *head, size_t size) {
    char piece[65536];
    size_t got;
    int status = open_temporary(table);
    if (!status) status = write_all(table, head, size);
    do {
        if (status) return status;
        status = fmt_stream_read(stream, piece, sizeof piece, &got);
        if (status) return fmt_table_fail_stream(table, status, stream);
        status = write_all(table, piece, got);
    } while (got == sizeof piece);
    return status;
}

static int find_file(fmt_table *table, fmt_stream *stream) {
    char head[4] = {0};
    size_t got;
    const int status = fmt_stream_read(stream, head, sizeof head, &got);
    if (status) return fmt_table_fail_stream(table, status, stream);
    if (memcmp(head, "CDF", 3) && memcmp(head, "\x89HDF", 4))
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "is not a NetCDF file");
    if (fmt_stream_packed(stream) || !fmt_stream_can_rewind(stream)) return unpack(table, stream, head, got);
    table->descriptor = fmt_stream_duplicate(stream);
    return table->descriptor >= 0
               ? ORFF_OK
               : fmt_table_fail(table, ORFF_ERROR_IO, "cannot be opened: %s", strerror(errno));
}

/* Zarr is a directory, which netcdf-c reads as NCZarr. */
static int find_directory(fmt_table *table) {
#if NC_HAS_NCZARR
    table->descriptor = open(table->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (table->descriptor < 0)
        return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be opened: %s", strerror(errno));
    if (!faccessat(table->descriptor, ".zgroup", F_OK, 0)) return ORFF_OK;
    if (!faccessat(table->descriptor, "zarr.json", F_OK, 0))
        return fmt_table_fail(
            table, ORFF_ERROR_UNSUPPORTED,
            "is Zarr version 3, but only version 2 can be read; write it again (" FMT_ZARR_PLAIN
            "), or as NetCDF (ds.to_netcdf)");
    return fmt_table_fail(
        table, ORFF_ERROR_IO,
        "cannot be read: it is a directory, without the .zgroup that Zarr of version 2 has");
#else
    return fmt_table_fail(table, ORFF_ERROR_UNSUPPORTED,
                          "is a directory; to read Zarr, netcdf-c must be built with NCZarr");
#endif
}

static bool is_directory(const char *path) {
    struct stat about;
    return !stat(path, &about) && S_ISDIR(about.st_mode);
}

int fmt_netcdf_find_file(fmt_table *table) {
    fmt_stream *stream;
    if (is_directory(table->path)) return find_directory(table);
    int status = fmt_stream_open(&stream, table->path);
    status = status ? fmt_table_fail_stream(table, status, stream) : find_file(table, stream);
    fmt_stream_close(stream);
    return status;
}

/* ---------------------------------------------------------------- opening it */

/* A name for the open descriptor. netcdf-c accepts only names, and takes some (URLs) for something other than
 * a file. If the system has no such name, the file's own name must do. */
static const char *name_of(const fmt_table *table, char name[64]) {
    static const char *const directories[] = {"/proc/self/fd", "/dev/fd"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        snprintf(name, 64, "%s/%d", directories[i], table->descriptor);
        if (!access(name, R_OK)) return name;
    }
    return table->path;
}

/* Maps a file without a name, which libhdf5 refuses to open through /proc. */
static int open_nameless(fmt_table *table, const struct stat *about, fmt_netcdf_file *file) {
    file->size = (size_t)about->st_size;
    void *map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, table->descriptor, 0);
    if (map == MAP_FAILED) return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be read: %s", strerror(errno));
    file->map = map;
    const int code = nc_open_mem("unpacked", NC_NOWRITE, file->size, file->map, &file->id);
    return code ? fmt_netcdf_fail(table, "cannot be read", code) : ORFF_OK;
}

/* Opens a directory by URL, which is how netcdf-c recognises one. */
static int open_directory(fmt_table *table, fmt_netcdf_file *file) {
    char url[96];
    snprintf(url, sizeof url, "file:///proc/self/fd/%d#mode=nczarr,file", table->descriptor);
    const int code = nc_open(url, NC_NOWRITE, &file->id);
    return code ? fmt_netcdf_fail(table, "cannot be read as Zarr", code) : ORFF_OK;
}

int fmt_netcdf_open_file(fmt_table *table, fmt_netcdf_file *file) {
    char name[64];
    struct stat about;
    const bool known = !fstat(table->descriptor, &about);
    if (known && S_ISDIR(about.st_mode)) return open_directory(table, file);
    if (known && about.st_nlink == 0) return open_nameless(table, &about, file);
    const int code = nc_open(name_of(table, name), NC_NOWRITE, &file->id);
    return code ? fmt_netcdf_fail(table, "cannot be read", code) : ORFF_OK;
}

void fmt_netcdf_close_file(fmt_netcdf_file *file) {
    if (file->id >= 0) nc_close(file->id);
    if (file->map) munmap(file->map, file->size);
}
