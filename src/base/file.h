/* Whole files: replaced in one step (orff_file of orff.h), and read through a mapping. */
#ifndef ORFFI_BASE_FILE_H
#define ORFFI_BASE_FILE_H

#include "base/status.h"

typedef struct orffi_span {
    const void *data;
    size_t bytes;
} orffi_span;

/* Replaces the file at `path`, by an orff_file, with the spans one after the other. `check`, unless NULL,
 * gets the name of the complete temporary file; if it fails, the old file stays. */
typedef orff_status (*orffi_file_check)(const char *temporary);
orff_status orffi_file_replace(const char *path, size_t count, const orffi_span *spans,
                               orffi_file_check check);

/* ---- the target of a write */

typedef struct orffi_target {
    char *path;  /* with all links resolved, also dangling ones; allocated by malloc */
    bool exists; /* then it is a regular file that its owner may write */
    unsigned mode, owner, group;
} orffi_target;

/* ORFF_ERROR_IO if the target must not be replaced: a directory, a device, a pipe, a read-only file. On
 * failure there is nothing to clear. */
orff_status orffi_target_find(const char *path, orffi_target *target);
void orffi_target_clear(orffi_target *target);

/* ---- temporary files in progress */

/* Registers a name until it is forgotten; orff_file_remove_temporaries removes the files registered. Ignores
 * names that are too long or too many. */
void orffi_temporary_note(const char *name);
void orffi_temporary_forget(const char *name);

/* Removes the temporary files that dead processes left next to a target. */
void orffi_temporary_remove_stale(const char *target);

/* ".tmp-<process>-<counter>" follows the target's name. */
#define ORFFI_TEMPORARY_MARK ".tmp-"

/* ---- reading */

/* The bytes of a regular file, read-only: mapped if the system can, else read into memory. Writing through
 * orff_file never disturbs a mapping; truncating the file in place would. */
typedef struct orffi_file_view {
    const unsigned char *bytes; /* aligned to 64 at least */
    size_t size;
    void *memory; /* to be released; NULL if mapped */
} orffi_file_view;

orff_status orffi_file_view_open(orffi_file_view *view, const char *path);
void orffi_file_view_close(orffi_file_view *view);

#endif
