/* CRC-32C (Castagnoli): finds every single flipped bit, every odd number of them and every burst up to 32
 * bits. */
#ifndef ORFFI_BASE_CRC32C_H
#define ORFFI_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` stands for followed by these bytes; begin with 0. */
uint32_t orffi_crc32c(uint32_t crc, const void *data, size_t bytes);

#endif
