/* Whole files: replaced in one step, and read through a mapping. */
#ifndef ORFFI_BASE_FILE_H
#define ORFFI_BASE_FILE_H

#include "base/status.h"

typedef struct orffi_span {
    const void *data;
    size_t bytes;
} orffi_span;

/* The file at `path` becomes the spans one after the other. They go to a temporary name in the same
 * directory, which is synced and renamed over `path`: whoever looks, even after a crash, finds the old file
 * or the new one, whole. A symbolic link is followed. On failure (ORFF_ERROR_IO) the old file is as before and no
 * temporary is left. */
orff_status orffi_file_replace(const char *path, size_t count, const orffi_span *spans);

/* The bytes of a regular file, read-only: mapped where the system can, else read into memory. Who writes
 * through orffi_file_replace never disturbs a mapping; cutting the file short in place would. */
typedef struct orffi_file_view {
    const unsigned char *bytes; /* aligned to 64 at least */
    size_t size;
    void *memory; /* what to release, NULL when mapped */
} orffi_file_view;

orff_status orffi_file_view_open(orffi_file_view *view, const char *path);
void orffi_file_view_close(orffi_file_view *view);

#endif
