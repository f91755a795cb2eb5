/* What the interposer (interpose.c, inside the program) tells the driver (faults.c, outside): one page that both
 * share. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>

/* The calls that can be made to fail: by their names in ORFF_FAIL, "name:which[+][:error]". */
enum { FAULT_MEMORY, FAULT_WRITE, FAULT_SYNC, FAULT_RENAME, FAULT_CLOSE, FAULT_FLUSH, FAULT_KINDS };
#define FAULT_NAMES \
    { "memory", "write", "sync", "rename", "close", "flush" }

enum { FAULT_FRAMES = 16, FAULT_PLACE = 96, FAULT_SECONDS = 60 };

/* Which call is to fail. */
typedef struct fault_order {
    int kind; /* -1: none */
    unsigned long which;
    bool all_after;
    int error;  /* an errno */
    long limit; /* of the size of files in bytes; -1: none */
} fault_order;

typedef struct fault_record {
    atomic_ulong calls[FAULT_KINDS]; /* since main began */
    atomic_ulong before;             /* allocations before it: constructors of libraries */
    atomic_int frames;               /* of the first call that failed */
    char frame[FAULT_FRAMES][FAULT_PLACE];
    char ended_in[FAULT_PLACE]; /* the library that a signal came from, or that called exit; empty: none */
} fault_record;

#endif
