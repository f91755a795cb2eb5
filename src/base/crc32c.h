/* CRC-32C (Castagnoli): detects every odd number of flipped bits and every burst of up to 32 bits. */
#ifndef ORFFI_BASE_CRC32C_H
#define ORFFI_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues the checksum `crc` of earlier bytes with these; start with 0. */
uint32_t orffi_crc32c(uint32_t crc, const void *data, size_t bytes);

#endif
