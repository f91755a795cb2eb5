/* Unpacking of xz, where liblzma is built in. */
#ifndef FMT_UNXZ_H
#define FMT_UNXZ_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fmt_unxz fmt_unxz;

typedef enum fmt_unxz_outcome {
    FMT_UNXZ_MORE,    /* all is well */
    FMT_UNXZ_END,     /* the last byte is out */
    FMT_UNXZ_SHORT,   /* the file ends too early */
    FMT_UNXZ_DAMAGED, /* it is no xz, or something else follows it */
    FMT_UNXZ_LARGE,   /* it needs more memory than FMT_UNXZ_MEGABYTES, or than there is */
    FMT_UNXZ_ABSENT   /* liblzma is not built in */
} fmt_unxz_outcome;

#define FMT_UNXZ_MEGABYTES 512

/* NULL: no memory. */
fmt_unxz *fmt_unxz_open(void);
void fmt_unxz_close(fmt_unxz *unxz);

/* Unpacks as far as bytes and room go, and moves both on. `last`: no bytes follow these. */
fmt_unxz_outcome fmt_unxz_run(fmt_unxz *unxz, const unsigned char **from, size_t *left, bool last,
                              unsigned char **to, size_t *room);

#endif
