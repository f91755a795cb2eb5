/* Messages between a process and its child: a head of fixed size, then `size` bytes. */
#ifndef FMT_WIRE_H
#define FMT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fmt_wire_head {
    uint32_t kind;   /* of the request or the answer */
    int32_t status;  /* an orff_status; for a failure the bytes are its message */
    uint64_t number; /* meaning depends on the kind */
    uint64_t size;
} fmt_wire_head;

/* The bytes of a message. Failures are recorded: check `bad` once, at the end. */
typedef struct fmt_wire {
    unsigned char *bytes; /* from malloc */
    size_t size, room;
    size_t at; /* how many of them were read */
    bool bad;  /* no memory to write, or read beyond the end */
} fmt_wire;

void fmt_wire_put_number(fmt_wire *wire, uint64_t number);
void fmt_wire_put_text(fmt_wire *wire, const char *text); /* NULL is distinct from "" */

uint64_t fmt_wire_get_number(fmt_wire *wire); /* 0 when bad */

/* A copy from malloc; NULL for NULL, and on failure: `most` bytes or more, a zero byte inside, no memory. */
char *fmt_wire_get_text(fmt_wire *wire, size_t most);

/* Resizes to that many bytes and loses the contents; false if memory runs out. */
bool fmt_wire_resize(fmt_wire *wire, size_t size);
void fmt_wire_clear(fmt_wire *wire);

/* Sends all bytes, however long that takes. False if the other side is gone, or on an error. */
bool fmt_wire_send(int descriptor, const void *bytes, size_t size);
bool fmt_wire_receive(int descriptor, void *bytes, size_t size);

#endif
