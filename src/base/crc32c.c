#include "base/crc32c.h"

#include <pthread.h>
#include <string.h>

enum { SLICES = 8, VALUES = 256 };

/* table[k][b]: the effect of byte b on the remainder when k bytes follow it. */
static uint32_t table[SLICES][VALUES];

static void fill_table(void) {
    const uint32_t polynomial = 0x82f63b78u; /* 0x1edc6f41, lowest bit first */
    for (uint32_t b = 0; b < VALUES; b++) {
        uint32_t rest = b;
        for (int bit = 0; bit < 8; bit++) rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
        table[0][b] = rest;
    }
    for (int k = 1; k < SLICES; k++)
        for (uint32_t b = 0; b < VALUES; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

static uint32_t step(uint32_t rest, unsigned char byte) {
    return rest >> 8 ^ table[0][(rest ^ byte) & 0xff];
}

/* Eight bytes at once, so that their lookups are independent. */
static uint32_t step8(uint32_t rest, const unsigned char *bytes) {
    unsigned char mixed[SLICES];
    memcpy(mixed, bytes, SLICES);
    for (int k = 0; k < 4; k++) mixed[k] = (unsigned char)(mixed[k] ^ (rest >> 8 * k & 0xff));
    uint32_t next = 0;
    for (int k = 0; k < SLICES; k++) next ^= table[SLICES - 1 - k][mixed[k]];
    return next;
}

uint32_t orffi_crc32c(uint32_t crc, const void *data, size_t bytes) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_table);
    const unsigned char *at = data;
    uint32_t rest = ~crc;
    for (; bytes >= SLICES; at += SLICES, bytes -= SLICES) rest = step8(rest, at);
    for (; bytes; at++, bytes--) rest = step(rest, *at);
    return ~rest;
}
