#include "formats/unxz.h"

#include <lzma.h>
#include <stdlib.h>

struct fmt_unxz {
    lzma_stream stream;
};

/* Concatenated streams are one file, as for xz itself. */
fmt_unxz *fmt_unxz_open(void) {
    fmt_unxz *unxz = calloc(1, sizeof *unxz);
    if (!unxz) return NULL;
    unxz->stream = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&unxz->stream, (uint64_t)FMT_UNXZ_MEGABYTES << 20, LZMA_CONCATENATED) == LZMA_OK)
        return unxz;
    free(unxz);
    return NULL;
}

void fmt_unxz_close(fmt_unxz *unxz) {
    if (!unxz) return;
    lzma_end(&unxz->stream);
    free(unxz);
}

fmt_unxz_outcome fmt_unxz_run(fmt_unxz *unxz, const unsigned char **from, size_t *left, bool last,
                              unsigned char **to, size_t *room) {
    lzma_stream *s = &unxz->stream;
    s->next_in = *from;
    s->avail_in = *left;
    s->next_out = *to;
    s->avail_out = *room;
    const lzma_ret code = lzma_code(s, last ? LZMA_FINISH : LZMA_RUN);
    *from = s->next_in;
    *left = s->avail_in;
    *to = s->next_out;
    *room = s->avail_out;
    switch (code) {
    case LZMA_OK:
        return FMT_UNXZ_MORE;
    case LZMA_STREAM_END:
        return FMT_UNXZ_END;
    case LZMA_BUF_ERROR:
        return last ? FMT_UNXZ_SHORT : FMT_UNXZ_MORE;
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR:
        return FMT_UNXZ_LARGE;
    default:
        return FMT_UNXZ_DAMAGED;
    }
}
