/* NetCDF files are read in a child process. On damaged files libhdf5 and netcdf-c may crash, loop for ever or
 * ask for any amount of memory, and no check can tell in advance which files are good. In a child the result
 * is an error with the file's name, so no file needs to be trusted. The cost is a few milliseconds; rows come
 * as fast as without a child, since it reads ahead. It is no sandbox; see child.h.
 *
 * The limits are generous; a good file stays far below them. Time for one answer is 30 s plus 1 s for every
 * megabyte of the file (one answer may have to unpack all of it, at about a hundred times that speed); memory
 * is 1 GiB plus a hundred times the file, but not more than the machine has. */
#define _GNU_SOURCE

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/child_source.h"
#include "formats/netcdf_name.h"
#include "formats/netcdf_variable.h"
#include "orff.h"

#define VARIABLE "ORFF_NETCDF_LIMITS"

/* The factor of the limits. */
static int find_factor(fmt_table *table, double *factor) {
    const char *text = getenv(VARIABLE);
    *factor = 1.0;
    if (!text || !*text) return ORFF_OK;
    const char *end = orff_number_scan(text, factor);
    if (end && !*end && *factor > 0.0 && *factor <= 1e6) return ORFF_OK;
    return fmt_table_fail(table, ORFF_ERROR_INVALID_ARGUMENT,
                          VARIABLE " is \"%.40s\"; expected a number above 0, at most 1000000", text);
}

/* For a directory, the size of everything in it; links to elsewhere are not followed. */
static double summed;

static int add_size(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)path;
    (void)where;
    if (kind == FTW_F) summed += (double)about->st_size;
    return 0;
}

static double size_of(const fmt_table *table, const struct stat *about) {
    if (!S_ISDIR(about->st_mode)) return (double)about->st_size;
    summed = 0.0;
    nftw(table->path, add_size, 16, FTW_PHYS);
    return summed;
}

static int find_limits(fmt_table *table, fmt_child_limits *limits) {
    struct stat about;
    double factor;
    const int status = find_factor(table, &factor);
    if (status) return status;
    if (fstat(table->descriptor, &about))
        return fmt_table_fail(table, ORFF_ERROR_IO, "cannot be read: %s", strerror(errno));
    const double size = size_of(table, &about), wanted = 0x1p30 + 100.0 * size;
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    limits->seconds = factor * (30.0 + 1e-6 * size);
    limits->memory = (uint64_t)(factor * (machine > 0.0 && machine < wanted ? machine : wanted));
    return ORFF_OK;
}

static int open_in_child(fmt_table *table) {
    fmt_child_plan plan = {.source = &fmt_source_netcdf_bare,
                           .library = "the NetCDF library",
                           .advice = " (download it again, or see what nccopy can save)",
                           .raise = VARIABLE "=10"};
    int status = fmt_netcdf_find_file(table);
    if (!status) status = find_limits(table, &plan.limits);
    return status ? status : fmt_child_source_open(table, &plan);
}

const fmt_source fmt_source_netcdf = {
    .name = "netcdf",
    .ends = fmt_netcdf_ends,
    .claims = fmt_netcdf_claims,
    .open = open_in_child,
    .choose = fmt_child_source_choose,
    .next = fmt_child_source_next,
    .rewind = fmt_child_source_rewind,
    .place = fmt_child_source_place,
    .progress = fmt_child_source_progress,
    .close = fmt_child_source_close,
};
