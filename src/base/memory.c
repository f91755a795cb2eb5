#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 };

/* In pages of 4 KB a matrix costs a trap for each page when first written, and misses in the address cache
 * later. Large arrays therefore ask for large pages, if the system offers them; a refusal does no harm. */
enum { PAGE = 2 << 20, LARGE = 4 * PAGE };

static void *allocate_large(size_t bytes) {
    void *pointer = aligned_alloc(PAGE, bytes + (PAGE - bytes % PAGE) % PAGE);
#ifdef MADV_HUGEPAGE
    if (pointer) madvise(pointer, bytes, MADV_HUGEPAGE);
#endif
    return pointer;
}

orff_status orffi_multiply(size_t a, size_t b, size_t *product) {
    if (a && b > SIZE_MAX / a)
        return orffi_fail(ORFF_ERROR_NO_MEMORY, "a size of %zu x %zu does not fit this machine", a, b);
    *product = a * b;
    return ORFF_OK;
}

/* No object may exceed PTRDIFF_MAX bytes. Allocates at least one line, so that a count of 0 gives a unique
 * pointer; aligned_alloc needs whole lines. */
static void *allocate(size_t count, size_t size) {
    if (size && count > (PTRDIFF_MAX - ALIGNMENT) / size) return NULL;
    const size_t bytes = count * size;
    if (bytes >= LARGE && bytes <= PTRDIFF_MAX - PAGE) return allocate_large(bytes);
    const size_t lines = bytes / ALIGNMENT + (bytes % ALIGNMENT || bytes == 0);
    return aligned_alloc(ALIGNMENT, lines * ALIGNMENT);
}

static orff_status hand_over(void *out, void *pointer, size_t count, size_t size) {
    memcpy(out, &pointer, sizeof pointer);
    if (pointer) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for %zu elements of %zu bytes (%.3g GB)", count, size,
                      (double)count * (double)size * 1e-9);
}

orff_status orffi_alloc(void *out, size_t count, size_t size) {
    void *pointer = allocate(count, size);
    if (pointer) memset(pointer, 0, count * size);
    return hand_over(out, pointer, count, size);
}

orff_status orffi_duplicate(void *out, const void *from, size_t count, size_t size) {
    void *pointer = NULL;
    if (!from) {
        memcpy(out, &pointer, sizeof pointer);
        return ORFF_OK;
    }
    pointer = allocate(count, size);
    if (pointer) memcpy(pointer, from, count * size);
    return hand_over(out, pointer, count, size);
}

void orffi_release(void *pointer) {
    free(pointer);
}

orff_status orffi_replace_text(char **text, const char *with) {
    char *copy;
    ORFFI_TRY(orffi_duplicate(&copy, with, strlen(with) + 1, 1));
    orffi_release(*text);
    *text = copy;
    return ORFF_OK;
}
