/* Unpacks xz, if liblzma is built in. */
#ifndef FMT_UNXZ_H
#define FMT_UNXZ_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fmt_unxz fmt_unxz;

typedef enum fmt_unxz_outcome {
    FMT_UNXZ_MORE,    /* no error so far */
    FMT_UNXZ_END,     /* the last byte was returned */
    FMT_UNXZ_SHORT,   /* the file ends too early */
    FMT_UNXZ_DAMAGED, /* it is not xz, or something else follows it */
    FMT_UNXZ_LARGE,   /* it needs more memory than FMT_UNXZ_MEGABYTES, or than is available */
    FMT_UNXZ_ABSENT   /* liblzma is not built in */
} fmt_unxz_outcome;

#define FMT_UNXZ_MEGABYTES 512

/* NULL: no memory. */
fmt_unxz *fmt_unxz_open(void);
void fmt_unxz_close(fmt_unxz *unxz);

/* Unpacks as far as bytes and room allow, and advances both. `last`: no bytes follow these. */
fmt_unxz_outcome fmt_unxz_run(fmt_unxz *unxz, const unsigned char **from, size_t *left, bool last,
                              unsigned char **to, size_t *room);

#endif
