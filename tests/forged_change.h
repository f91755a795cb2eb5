/* Changes at random that keep the structure of a file: members of its document, notes and header, numbers of its
 * tensors. */
#ifndef ORFF_TESTS_FORGED_CHANGE_H
#define ORFF_TESTS_FORGED_CHANGE_H

#include "forged.h"

/* splitmix64 */
static inline uint64_t forged_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline size_t forged_below(uint64_t *state, size_t count) {
    return count ? (size_t)(forged_random(state) % count) : 0;
}

/* Values that members may be surprised by. */
static const char *const forged_values[] = {
    "null",
    "true",
    "false",
    "-1",
    "0",
    "1",
    "2",
    "3",
    "1099511627776",
    "9223372036854775807",
    "1e308",
    "-1e308",
    "5e-324",
    "0.5",
    "\"\"",
    "\"inf\"",
    "\"7\"",
    "\"18446744073709551615\"",
    "\"a\\nb\\u0007\"",
    "\"gaussian\"",
    "\"qmc\"",
    "\"grid\"",
    "\"iid\"",
    "\"curl-free\"",
    "\"div-free\"",
    "\"decomposable\"",
    "[]",
    "{}",
    "[0]",
    "[1,0]",
    "[null,null,null]",
    "[\"a\",\"b\",\"c\"]",
    "[{\"name\":\"x\"},{\"name\":\"y\"}]",
    "{\"lon\":10,\"lat\":20}",
    "{\"kernel\":\"div-free\",\"base\":\"gaussian\",\"sigma\":\"1\"}"};
enum { FORGED_VALUES = sizeof forged_values / sizeof *forged_values };

static inline json_t *forged_value(uint64_t *state) {
    return json_loads(forged_values[forged_below(state, FORGED_VALUES)], JSON_DECODE_ANY, NULL);
}

/* A key of an object, NULL where it has none; valid until the object changes. */
static inline const char *forged_key(json_t *object, uint64_t *state) {
    size_t left = forged_below(state, json_object_size(object));
    void *at = json_object_iter(object);
    while (at && left--) at = json_object_iter_next(object, at);
    return at ? json_object_iter_key(at) : NULL;
}

/* Down to some member, which is replaced, left out or doubled. */
static inline void forged_change_json(json_t *node, uint64_t *state) {
    const size_t action = forged_below(state, 8);
    if (json_is_object(node)) {
        const char *key = forged_key(node, state);
        json_t *value = key ? json_object_get(node, key) : NULL;
        const bool deeper = json_object_size(value) || json_array_size(value);
        char copy[64];
        snprintf(copy, sizeof copy, "%s", key ? key : "more");
        if (deeper && action > 1)
            forged_change_json(value, state);
        else if (action == 0)
            json_object_del(node, copy);
        else
            json_object_set_new(node, copy, forged_value(state));
    } else if (json_is_array(node)) {
        const size_t i = forged_below(state, json_array_size(node));
        json_t *value = json_array_get(node, i);
        const bool deeper = json_object_size(value) || json_array_size(value);
        if (deeper && action > 2)
            forged_change_json(value, state);
        else if (action == 0 && value)
            json_array_remove(node, i);
        else if (action == 1 && value)
            json_array_insert(node, i, value);
        else if (value)
            json_array_set_new(node, i, forged_value(state));
        else
            json_array_append_new(node, forged_value(state));
    }
}

/* The notes are JSON in a text. A file without notes gets some. */
static inline void forged_change_notes(const forged *file, uint64_t *state) {
    static const char start[] =
        "{\"named\":true,\"inputs\":[{\"name\":\"x\",\"low\":0,\"high\":1},{\"name\":\"y\",\"units\":\"m\"}],"
        "\"outputs\":[{\"name\":\"u\"},{\"name\":\"v\"}],\"covariates\":[],\"labels\":[\"a\",\"b\",\"c\"],"
        "\"geo\":{\"lon\":1,\"lat\":2},\"kernel\":{\"kernel\":\"div-free\",\"base\":\"gaussian\",\"sigma\":"
        "\"1\"}}";
    json_t *about = forged_about(file);
    const char *text = json_string_value(json_object_get(about, "notes"));
    json_t *notes = json_loads(text && *text ? text : start, 0, NULL);
    if (!json_is_object(notes)) {
        json_decref(notes);
        notes = json_loads(start, 0, NULL);
    }
    if (!json_is_object(about) || !notes) {
        json_decref(notes);
        return;
    }
    forged_change_json(notes, state);
    char *changed = json_dumps(notes, JSON_COMPACT);
    json_object_set_new(about, "notes", json_string(changed ? changed : ""));
    free(changed);
    json_decref(notes);
}

static inline void forged_change_tensor(const forged *file, uint64_t *state) {
    static const double numbers[] = {(double)NAN, (double)INFINITY, -1.0,   0.0, 1e308, -1e308, 1e200,
                                     1e155,       1e-155,           5e-324, 1.0, -1e30, 1e30};
    const char *name = forged_key(file->header, state);
    size_t begin;
    const size_t count = name ? forged_numbers(file, name, &begin) : 0;
    const double number = numbers[forged_below(state, sizeof numbers / sizeof *numbers)];
    const size_t first = forged_below(state, count), last = forged_below(state, 4) ? first + 1 : count;
    for (size_t i = first; count && i < last; i++) forged_set_number(file, name, i, number);
}

/* One change of a file. */
static inline void forged_change(const forged *file, uint64_t *state) {
    const size_t kind = forged_below(state, 8);
    if (kind < 3)
        forged_change_json(file->document, state);
    else if (kind < 5)
        forged_change_notes(file, state);
    else if (kind < 7)
        forged_change_tensor(file, state);
    else
        forged_change_json(file->header, state);
}

/* The bytes of a file with a few changes, sealed again, to be freed; NULL where it is none. */
static inline unsigned char *forged_mutate(const unsigned char *bytes, size_t size, uint64_t seed,
                                           size_t *out) {
    uint64_t state = seed;
    forged file;
    unsigned char *made = NULL;
    if (forged_take_apart(bytes, size, &file)) {
        for (size_t changes = 1 + forged_below(&state, 3); changes--;) forged_change(&file, &state);
        if (json_is_object(json_object_get(file.header, "__metadata__")))
            made = forged_put_together(&file, out);
    }
    forged_clear(&file);
    return made;
}

#endif
