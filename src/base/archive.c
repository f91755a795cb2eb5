#include "base/archive.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are written as they lie in memory, which must be little-endian"
#endif

const orff_dtype_info orff_dtypes[ORFF_DTYPE_COUNT] = {
    [ORFF_F64] = {"F64", 8},
    [ORFF_F32] = {"F32", 4},
    [ORFF_I64] = {"I64", 8},
};

orff_status orff_archive_bytes(orff_dtype dtype, size_t rank, const size_t *shape, size_t *bytes) {
    *bytes = orff_dtypes[dtype].size;
    for (size_t i = 0; i < rank; i++) ORFF_TRY(orff_multiply(*bytes, shape[i], bytes));
    return ORFF_OK;
}

uint32_t orff_archive_head_checksum(const unsigned char *head, size_t bytes) {
    const size_t digits = 8 + strlen(ORFF_ARCHIVE_PREFIX), after = digits + ORFF_ARCHIVE_DIGITS;
    const uint32_t crc = orff_crc32c(orff_crc32c(0, head, digits), "00000000", ORFF_ARCHIVE_DIGITS);
    return orff_crc32c(crc, head + after, bytes - after);
}
