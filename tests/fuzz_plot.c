/* Any bytes as a text on its way out (cli/inert.h): as a label it is one string of gnuplot over a small alphabet, of
 * bounded length; on a terminal it is one line without control characters; in JSON it says the same without them.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh plot. Without it the program runs over seeds of its own and mutations
 * of them, as a test.
 */
#define _GNU_SOURCE

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/inert.h"
#include "orff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds) abort();
}

static void require_plain(const char *text) {
    char *shown = malloc(4 * strlen(text) + 1);
    require(shown && orff_text_show(shown, 4 * strlen(text) + 1, text) && !strcmp(shown, text));
    free(shown);
}

/* ---- labels */

static bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/* What gnuplot makes of the string, which must be of the form that cli_label promises. */
static void unquote(const char *quoted, char *text) {
    const size_t length = strlen(quoted);
    size_t used = 0;
    require(length >= 2 && length < CLI_LABEL_ROOM && quoted[0] == '"' && quoted[length - 1] == '"');
    for (const char *at = quoted + 1; at < quoted + length - 1; used++) {
        if (*at != '\\') {
            require(isascii(*at) && (isalpha(*at) || strchr(" ._-,[]", *at)));
            text[used] = *at++;
            continue;
        }
        require(at[1] <= '3' && is_octal(at[1]) && is_octal(at[2]) && is_octal(at[3]));
        text[used] = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
        require(text[used]);
        at += 4;
    }
    text[used] = '\0';
}

static size_t characters(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

static void try_label(const char *text, size_t most) {
    char quoted[CLI_LABEL_ROOM], drawn[CLI_LABEL_ROOM];
    require(cli_label(quoted, most, text) == quoted);
    unquote(quoted, drawn);
    require_plain(drawn);
    require(characters(drawn) <= (most < CLI_LABEL_LEAST ? CLI_LABEL_LEAST : most));
    /* what XML forbids, though it may be shown */
    require(!strstr(drawn, "]]>") && !strstr(drawn, "\xef\xbf\xbe") && !strstr(drawn, "\xef\xbf\xbf"));
}

/* ---- terminals and JSON */

static void put_shown(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_shown(FILE *stream, const char *format, ...) {
    va_list list;
    va_start(list, format);
    cli_put_shown(stream, format, list);
    va_end(list);
}

static void try_terminal(const char *text) {
    char *printed = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&printed, &size);
    require(stream);
    put_shown(stream, "%s", text);
    require(!fclose(stream) && size == strlen(printed) && size < 8192);
    require_plain(printed);
    free(printed);
}

/* Only what jansson takes for UTF-8 gets as far as this. */
static void try_json(const char *text) {
    char *printed = NULL;
    size_t size = 0;
    json_t *object = json_pack("{s:s}", text, text), *again;
    if (!object) return;
    char *dump = json_dumps(object, 0);
    FILE *stream = open_memstream(&printed, &size);
    require(dump && stream);
    cli_put_json(stream, dump);
    require(!fclose(stream));
    require_plain(printed);
    again = json_loads(printed, 0, NULL);
    require(json_equal(again, object));
    json_decref(again);
    json_decref(object);
    free(dump);
    free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1); /* up to its first zero; just as long, for the sanitizers */
    require(text);
    memcpy(text, data, size);
    text[size] = '\0';
    try_label(text, CLI_LABEL_MOST);
    try_label(text, size ? data[0] % CLI_LABEL_MOST : 0);
    try_terminal(text);
    try_json(text);
    free(text);
    return 0;
}

#ifndef ORFF_FUZZ
#include "fuzz_seeds.h"

static const char *const seeds[] = {
    "x_km [km]",
    "x\n!touch y\n#",
    "'\nsystem('id')\n'\"; print \"`id` $(id) @x \\ \\n \\042 %d",
    "</text><script>]]>]]&gt;<!-- {/Symbol a}^2_3",
    "\xc3\xa9 \xe9\x80\x9f\xe5\xba\xa6 \xf0\x9f\x8c\x8a",
    "\x01\x1b[31m\x7f\xc2\x80\xc2\x9b\xe2\x80\xae\xef\xbb\xbf\xef\xbf\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
    "\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf\xe9",
    ("a text that is much longer than the hundred characters of a label, and goes on and on, and is cut "
     "where "
     "nobody would miss it: \xe9\x80\x9f\xe5\xba\xa6\xe9\x80\x9f\xe5\xba\xa6\xe9\x80\x9f\xe5\xba\xa6"),
};

/* Replace, insert or take out a few bytes; those that mean something to gnuplot, XML or UTF-8 come often. */
static size_t mutate(uint8_t *text, size_t size, uint64_t trial) {
    static const char likely[] = "\n\r\"'`@\\!$%<>&]]01789\x1b\x7f\xc2\x80\x9b\xe2\xef\xbf\xbe\xf4\xed\xa0";
    const orffi_rng rng = {.seed = 12, .stream = 3};
    const size_t edits = 1 + (size_t)orffi_rng_below(rng, trial, 0, 6);
    for (uint32_t e = 0; e < edits; e++) {
        const size_t at = (size_t)orffi_rng_below(rng, trial, 4 * e + 1, size);
        const uint64_t bits = orffi_rng_bits(rng, trial, 4 * e + 2);
        const uint64_t kind = orffi_rng_below(rng, trial, 4 * e + 3, 4);
        if (kind == 0) memmove(text + at + 1, text + at, size++ - at);
        if (kind == 1 && size > 1) memmove(text + at, text + at + 1, --size - at);
        if (kind != 1)
            text[at] =
                (uint8_t)(bits & 1 ? bits >> 8 & 0xff : (uint8_t)likely[(bits >> 8) % (sizeof likely - 1)]);
    }
    return size;
}

int main(void) {
    enum { TRIALS = 5000 };
    uint8_t text[1024];
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        const size_t size = strlen(seeds[s]);
        if (fuzz_keep(seeds[s], size)) continue;
        LLVMFuzzerTestOneInput((const uint8_t *)seeds[s], size);
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            memcpy(text, seeds[s], size);
            LLVMFuzzerTestOneInput(text, mutate(text, size, trial));
        }
    }
    return 0;
}
#endif
