#include "base/archive.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are written as they lie in memory, which must be little-endian"
#endif

const orffi_dtype_info orffi_dtypes[ORFFI_DTYPE_COUNT] = {
    [ORFFI_F64] = {"F64", 8},
    [ORFFI_F32] = {"F32", 4},
    [ORFFI_I64] = {"I64", 8},
};

orff_status orffi_archive_bytes(orffi_dtype dtype, size_t rank, const size_t *shape, size_t *bytes) {
    *bytes = orffi_dtypes[dtype].size;
    for (size_t i = 0; i < rank; i++) ORFFI_TRY(orffi_multiply(*bytes, shape[i], bytes));
    return ORFF_OK;
}

uint32_t orffi_archive_head_checksum(const unsigned char *head, size_t bytes) {
    const size_t digits = 8 + strlen(ORFFI_ARCHIVE_PREFIX), after = digits + ORFFI_ARCHIVE_DIGITS;
    const uint32_t crc = orffi_crc32c(orffi_crc32c(0, head, digits), "00000000", ORFFI_ARCHIVE_DIGITS);
    return orffi_crc32c(crc, head + after, bytes - after);
}
