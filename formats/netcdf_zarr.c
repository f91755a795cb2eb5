/* Detects arrays of Zarr that netcdf-c would misread: it takes the bytes of a codec that it lacks for
 * numbers, and fills a short chunk with whatever is in memory. */
#define _GNU_SOURCE

#include <dirent.h>
#include <fcntl.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/json.h"
#include "formats/netcdf_variable.h"

enum { ROOM = 65536, NAME_ROOM = 64 };

/* The codec in .zarray: the name of the compressor, or "a filter"; "" if there is none. */
static bool read_codec(fmt_json *j, char codec[NAME_ROOM]) {
    char key[32];
    for (bool more = fmt_json_enter(j, '{'); more; more = fmt_json_more(j, '}')) {
        if (!fmt_json_key(j, key, sizeof key)) return false;
        const char first = fmt_json_peek(j);
        if (!strcmp(key, "compressor") && first == '{') {
            snprintf(codec, NAME_ROOM, "a codec");
            for (bool inner = fmt_json_enter(j, '{'); inner; inner = fmt_json_more(j, '}')) {
                if (!fmt_json_key(j, key, sizeof key)) return false;
                if (strcmp(key, "id") || fmt_json_peek(j) != '"')
                    fmt_json_skip(j);
                else
                    fmt_json_text(j, codec, NAME_ROOM);
            }
        } else if (!strcmp(key, "filters") && first == '[') {
            if (!*codec) snprintf(codec, NAME_ROOM, "a filter");
            fmt_json_skip(j);
        } else {
            fmt_json_skip(j);
        }
    }
    return !j->trouble;
}

/* A descriptor of the array's directory, or -1. */
static int open_array(const fmt_table *table, const fmt_variable *v) {
    char path[4 * (NC_MAX_NAME + 1)] = "", group[2 * NC_MAX_NAME + 2] = "";
    size_t length = 0;
    if (nc_inq_grpname_full(v->file, &length, NULL) || length >= sizeof group) return -1;
    if (nc_inq_grpname_full(v->file, &length, group)) return -1;
    snprintf(path, sizeof path, ".%s%s%s", group, length > 1 ? "/" : "", v->name);
    return openat(table->descriptor, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int check_codec(fmt_table *table, const fmt_variable *v, int directory) {
    char text[ROOM], codec[NAME_ROOM] = "";
    size_t filters = 0;
    const int file = openat(directory, ".zarray", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, sizeof text);
    if (file >= 0) close(file);
    fmt_json j = {.start = text, .at = text, .end = text + (got > 0 ? got : 0)};
    if (!read_codec(&j, codec))
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "variable %.100s: its .zarray cannot be read",
                              v->name);
    if (*codec && (nc_inq_var_filter_ids(v->file, v->id, &filters, NULL) || !filters))
        return fmt_table_fail(
            table, ORFF_ERROR_UNSUPPORTED,
            "variable %.100s is packed by %s, which this netcdf-c cannot unpack; write it without "
            "compression (" FMT_ZARR_PLAIN "), or as NetCDF (ds.to_netcdf)",
            v->name, codec);
    return ORFF_OK;
}

/* The size of a chunk in bytes; 0 if chunks are not plain. */
static uint64_t chunk_bytes(const fmt_variable *v) {
    size_t sizes[FMT_VARIABLE_RANK], filters = 0, item = 0;
    int storage = NC_CONTIGUOUS;
    if (nc_inq_var_filter_ids(v->file, v->id, &filters, NULL) || filters) return 0;
    if (nc_inq_var_chunking(v->file, v->id, &storage, sizes) || nc_inq_type(v->file, v->type, NULL, &item))
        return 0;
    uint64_t bytes = item;
    for (int k = 0; storage == NC_CHUNKED && k < v->rank; k++) bytes *= sizes[k];
    return storage == NC_CHUNKED ? bytes : 0;
}

/* Checks that every existing chunk is complete. Closes the directory. */
static int check_chunks(fmt_table *table, const fmt_variable *v, int directory) {
    const uint64_t bytes = chunk_bytes(v);
    DIR *list = fdopendir(directory);
    int status = ORFF_OK;
    if (!list) close(directory);
    for (const struct dirent *entry; !status && bytes && list && (entry = readdir(list));) {
        struct stat about;
        if (*entry->d_name == '.' || fstatat(directory, entry->d_name, &about, 0) || !S_ISREG(about.st_mode))
            continue;
        if ((uint64_t)about.st_size != bytes)
            status = fmt_table_fail(
                table, ORFF_ERROR_FORMAT, "variable %.100s: chunk %.60s has %llu bytes, expected %llu",
                v->name, entry->d_name, (unsigned long long)about.st_size, (unsigned long long)bytes);
    }
    if (list) closedir(list);
    return status;
}

int fmt_zarr_check(fmt_table *table, const fmt_variable *v) {
    struct stat about;
    if (fstat(table->descriptor, &about) || !S_ISDIR(about.st_mode)) return ORFF_OK;
    const int directory = open_array(table, v);
    if (directory < 0)
        return fmt_table_fail(table, ORFF_ERROR_FORMAT, "variable %.100s: its directory cannot be opened",
                              v->name);
    const int status = check_codec(table, v, directory);
    if (!status) return check_chunks(table, v, directory);
    close(directory);
    return status;
}
