/* A page of HTML around an object of JSON. Nothing in the object can act as markup: it is ASCII, and <, >
 * and & are written as \u003c, \u003e and \u0026, so that no text can end its element. */
#include "page.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* ---- numbers */

/* base64: four characters for three bytes, filled up with = at the end. */
static void put_base64(size_t size, const unsigned char *bytes, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (i + k < size ? bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++) *text++ = i + k > size ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    *text = '\0';
}

/* Little-endian on any machine. */
static void put_bytes(double number, bool single, unsigned char *bytes) {
    const float narrow = (float)number;
    uint64_t bits = 0;
    uint32_t few;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&few, &narrow, sizeof few);
    if (single) bits = few;
    for (size_t k = 0; k < (single ? 4 : 8); k++) bytes[k] = (unsigned char)(bits >> 8 * k & 255);
}

json_t *cli_page_numbers(size_t count, const double *numbers, bool single) {
    const size_t width = single ? 4 : 8;
    unsigned char *bytes = cli_more(NULL, count, width);
    char *text = cli_more(NULL, count + 3, width * 4 / 3 + 1);
    for (size_t i = 0; i < count; i++) put_bytes(numbers[i], single, bytes + i * width);
    put_base64(count * width, bytes, text);
    json_t *object = json_pack("{s:s, s:s}", "type", single ? "f32" : "f64", "data", text);
    free(bytes);
    free(text);
    return object;
}

json_t *cli_page_text(const char *text) {
    if (!text) return json_null();
    char *shown = cli_more(NULL, 4 * strlen(text) + 1, 1);
    orff_text_show(shown, 4 * strlen(text) + 1, text);
    json_t *string = json_string(shown);
    free(shown);
    return string;
}

json_t *cli_page_grid(const cli_lattice *grid, size_t p, const double *values) {
    json_t *counts = json_array();
    for (size_t i = 0; i < grid->d; i++)
        json_array_append_new(counts, json_integer((json_int_t)grid->count[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "low", cli_page_numbers(grid->d, grid->low, false), "high",
                     cli_page_numbers(grid->d, grid->high, false), "count", counts, "values",
                     cli_page_numbers((size_t)grid->rows * p, values, true));
}

/* ---- the file */

/* Writes the text with every character that HTML could interpret as a JSON escape. */
static orff_status put_inert(orff_file *file, const char *text, size_t *bytes) {
    orff_status status = ORFF_OK;
    while (!status && *text) {
        const size_t plain = strcspn(text, "<>&");
        char escaped[7] = "";
        status = orff_file_write(file, text, plain);
        text += plain;
        *bytes += plain;
        if (status || !*text) break;
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*text++);
        status = orff_file_write(file, escaped, 6);
        *bytes += 6;
    }
    return status;
}

static orff_status put_page(orff_file *file, const char *text, size_t *bytes) {
    *bytes = cli_page_before_size + cli_page_behind_size;
    orff_status status = orff_file_write(file, cli_page_before, cli_page_before_size);
    if (!status) status = put_inert(file, text, bytes);
    if (!status) status = orff_file_write(file, cli_page_behind, cli_page_behind_size);
    return status ? status : orff_file_commit(file);
}

int cli_page_write(const char *path, json_t *object, size_t *bytes) {
    orff_file *file = NULL;
    char *text = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
    json_decref(object);
    if (!text) return cli_failed("the model cannot be written as JSON");
    orff_status status = orff_file_create(&file, path);
    if (!status) status = put_page(file, text, bytes);
    orff_file_free(file);
    free(text);
    return cli_outcome(status, NULL);
}
