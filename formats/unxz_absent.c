#include <stdlib.h>

#include "formats/unxz.h"

struct fmt_unxz {
    char unused;
};

fmt_unxz *fmt_unxz_open(void) {
    return calloc(1, sizeof(fmt_unxz));
}

void fmt_unxz_close(fmt_unxz *unxz) {
    free(unxz);
}

fmt_unxz_outcome fmt_unxz_run(fmt_unxz *unxz, const unsigned char **from, size_t *left, bool last,
                              unsigned char **to, size_t *room) {
    (void)unxz, (void)from, (void)left, (void)last, (void)to, (void)room;
    return FMT_UNXZ_ABSENT;
}
