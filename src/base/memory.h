/* Allocation: overflow-checked, aligned to 64 bytes (a cache line, an AVX-512 vector). The library allocates
 * all memory through orffi_alloc and frees it with orffi_release. */
#ifndef ORFFI_BASE_MEMORY_H
#define ORFFI_BASE_MEMORY_H

#include "base/status.h"

/* *out = count * size bytes, zeroed; a count of 0 gives a valid pointer. On failure *out = NULL and the
 * message says how much was requested. `out` is the address of any object pointer. */
orff_status orffi_alloc(void *out, size_t count, size_t size);

/* A copy of count * size bytes; NULL stays NULL. */
orff_status orffi_duplicate(void *out, const void *from, size_t count, size_t size);

void orffi_release(void *pointer);

/* Replaces *text by a copy of `with` and releases the old text, which stays if memory runs out. */
orff_status orffi_replace_text(char **text, const char *with);

/* a * b, or ORFF_ERROR_NO_MEMORY if it does not fit a size_t. */
orff_status orffi_multiply(size_t a, size_t b, size_t *product);

/* Tells the memory sanitizer what code that it cannot see has written. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define ORFFI_WRITTEN(memory, bytes) __msan_unpoison(memory, bytes)
#endif
#endif
#ifndef ORFFI_WRITTEN
#define ORFFI_WRITTEN(memory, bytes) ((void)0)
#endif

#define ORFFI_NEW(pointer)              orffi_alloc(&(pointer), 1, sizeof *(pointer))
#define ORFFI_NEW_ARRAY(pointer, count) orffi_alloc(&(pointer), (count), sizeof *(pointer))

#endif
