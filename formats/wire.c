#define _GNU_SOURCE

#include "formats/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define NO_TEXT UINT64_MAX

static void put(fmt_wire *wire, const void *bytes, size_t size) {
    if (wire->bad || size == 0) return;
    if (wire->room - wire->size < size) {
        const size_t room = 2 * wire->room + size;
        unsigned char *grown = realloc(wire->bytes, room);
        wire->bad = !grown;
        if (!grown) return;
        wire->bytes = grown;
        wire->room = room;
    }
    memcpy(wire->bytes + wire->size, bytes, size);
    wire->size += size;
}

void fmt_wire_put_number(fmt_wire *wire, uint64_t number) {
    put(wire, &number, sizeof number);
}

void fmt_wire_put_text(fmt_wire *wire, const char *text) {
    fmt_wire_put_number(wire, text ? strlen(text) : NO_TEXT);
    if (text) put(wire, text, strlen(text));
}

uint64_t fmt_wire_get_number(fmt_wire *wire) {
    uint64_t number = 0;
    wire->bad = wire->bad || wire->size - wire->at < sizeof number;
    if (wire->bad) return 0;
    memcpy(&number, wire->bytes + wire->at, sizeof number);
    wire->at += sizeof number;
    return number;
}

char *fmt_wire_get_text(fmt_wire *wire, size_t most) {
    const uint64_t length = fmt_wire_get_number(wire);
    if (wire->bad || length == NO_TEXT) return NULL;
    const unsigned char *from = wire->bytes + wire->at;
    wire->bad = length >= most || length > wire->size - wire->at || memchr(from, '\0', (size_t)length);
    char *text = wire->bad ? NULL : strndup((const char *)from, (size_t)length);
    wire->bad = !text;
    if (text) wire->at += (size_t)length;
    return text;
}

bool fmt_wire_resize(fmt_wire *wire, size_t size) {
    fmt_wire_clear(wire);
    wire->bytes = malloc(size ? size : 1);
    if (!wire->bytes) return false;
    wire->size = wire->room = size;
    return true;
}

void fmt_wire_clear(fmt_wire *wire) {
    free(wire->bytes);
    *wire = (fmt_wire){0};
}

bool fmt_wire_send(int descriptor, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        const ssize_t sent = send(descriptor, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool fmt_wire_receive(int descriptor, void *bytes, size_t size) {
    char *at = bytes;
    while (size) {
        const ssize_t got = recv(descriptor, at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}
