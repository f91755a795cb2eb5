/* Any bytes at all are read as JSON, by the library's reader and by jansson's: both refuse them, or both make the same of
 * them.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh json. Without it the program runs over seeds of its own and mutations of
 * them, as a test.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "fuzz_seeds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    json_t *ours = NULL, *theirs = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    const orff_status status = orffi_json_read((const char *)data, size, &ours);
    if ((status == ORFF_OK) != (ours != NULL) || (status && status != ORFF_ERROR_FORMAT)) abort();
    if (size && memchr(data, 0, size)) { /* never in JSON; jansson stumbles over it */
        if (ours) abort();
        json_decref(theirs);
        return 0;
    }
    if ((ours != NULL) != (theirs != NULL) || (ours && !json_equal(ours, theirs))) {
        fprintf(stderr, "ours %s (%s), jansson's %s: %.*s\n", ours ? "good" : "bad",
                ours ? "" : orff_error_message(), theirs ? "good" : "bad", (int)(size < 200 ? size : 200),
                (const char *)data);
        abort();
    }
    json_decref(ours);
    json_decref(theirs);
    return 0;
}

#ifndef ORFF_FUZZ
#include "forged_change.h"

static const char *const seeds[] = {
    "{\"a\":[1,-2,0,-0,12345678901234567,9223372036854775807,-9223372036854775808],\"b\":{\"c\":null},\"\":[]"
    "}",
    " [ 1.5 , -0.0 , 1e10 , 2E-3 , 1.25e+300 , 5e-324 , 1e-400 , true , false , null ] ",
    "[\"\\u00e9\\ud83d\\ude00\\n\\t\\\"\\\\\\/\\b\\f\\r\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\"\"]",
    "{\"__metadata__\":{\"checksum\":\"00000000\",\"json\":\"{\\\"x\\\":[1]}\"},\"a\":{\"dtype\":\"F64\","
    "\"shape\":"
    "[2,3],\"data_offsets\":[0,48]}}",
    "[[[[[[[[{\"k\":[{}]}]]]]]]]]",
    "[1,2",
    "{\"a\":1,\"a\":2}",
    "[01]",
    "[1e999]",
    "[9223372036854775808]",
    "[\"\\u0000\"]",
    "[\"\\ud800\"]",
    "\"text\"",
    "",
};

static void try_changed(const char *seed, uint64_t trial) {
    static const char likely[] = "0123456789-+.eE[]{}\",:\\u ntrf\x80\xc3";
    uint8_t text[512];
    uint64_t state = trial;
    size_t size = strlen(seed);
    memcpy(text, seed, size);
    for (size_t edits = 1 + forged_below(&state, 3); edits--;) {
        const size_t at = forged_below(&state, size), kind = forged_below(&state, 4);
        if (kind == 0) memmove(text + at + 1, text + at, size++ - at);
        if (kind == 1 && size > 1) memmove(text + at, text + at + 1, --size - at);
        if (kind != 1) text[at] = (uint8_t)likely[forged_below(&state, sizeof likely - 1)];
        if (forged_below(&state, 8) == 0) text[at] = (uint8_t)forged_random(&state);
    }
    LLVMFuzzerTestOneInput(text, size);
}

int main(void) {
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        LLVMFuzzerTestOneInput((const uint8_t *)seeds[s], strlen(seeds[s]));
        if (fuzz_keep(seeds[s], strlen(seeds[s]))) continue;
        for (uint64_t trial = 0; *seeds[s] && trial < 20000; trial++) try_changed(seeds[s], trial);
    }
    return 0;
}
#endif
