/* Messages between a process and its child: a head of fixed size, then `size` bytes. */
#ifndef FMT_WIRE_H
#define FMT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fmt_wire_head {
    uint32_t kind;   /* what is asked, or answered */
    int32_t status;  /* an orff_status; of a failure the bytes are the message */
    uint64_t number; /* as the kind has it */
    uint64_t size;
} fmt_wire_head;

/* The bytes of a message under way. Failures are kept: `bad` is looked at once, at the end. */
typedef struct fmt_wire {
    unsigned char *bytes; /* from malloc */
    size_t size, room;
    size_t at; /* how many of them were taken */
    bool bad;  /* no memory to put, or something taken that is not there */
} fmt_wire;

void fmt_wire_put_number(fmt_wire *wire, uint64_t number);
void fmt_wire_put_text(fmt_wire *wire, const char *text); /* NULL is a text of its own */

uint64_t fmt_wire_get_number(fmt_wire *wire); /* 0 when bad */

/* A copy from malloc; NULL for NULL, and when bad: `most` bytes or more, a zero byte inside, no memory. */
char *fmt_wire_get_text(fmt_wire *wire, size_t most);

/* Room for that many bytes, contents lost; false without memory. */
bool fmt_wire_resize(fmt_wire *wire, size_t size);
void fmt_wire_clear(fmt_wire *wire);

/* All of it, waiting as long as it takes. False when the other side is gone, or an error. */
bool fmt_wire_send(int descriptor, const void *bytes, size_t size);
bool fmt_wire_receive(int descriptor, void *bytes, size_t size);

#endif
