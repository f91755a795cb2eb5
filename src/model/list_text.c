/* Lists as texts: inputs by name or number, and matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/kernel_text.h"

/* ---- inputs */

static bool find_name(const orff_data_shape *shape, const char *word, size_t *place) {
    for (size_t i = 0; shape->inputs && i < shape->d; i++) {
        if (strcmp(shape->inputs[i], word)) continue;
        *place = i;
        return true;
    }
    return false;
}

static orff_status find_input(const char *setting, const orff_data_shape *shape, const char *word,
                              size_t *place) {
    char *end;
    const char *near = NULL, **names;
    if (find_name(shape, word, place)) return ORFF_OK;
    const unsigned long number = strtoul(word, &end, 10);
    if (*word >= '0' && *word <= '9' && !*end && number >= 1 && number <= shape->d) {
        *place = number - 1;
        return ORFF_OK;
    }
    if (shape->inputs && !ORFFI_NEW_ARRAY(names, shape->d + 1)) { /* ends with NULL */
        memcpy(names, shape->inputs, shape->d * sizeof *names);
        near = orff_text_nearest(word, names);
        orffi_release(names);
    }
    if (near)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: \"%s\" is not an input; did you mean \"%s\"?",
                          setting, word, near);
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "%s: \"%s\" is neither the name of an input nor a number from 1 to %zu", setting, word,
                      shape->d);
}

orff_status orffi_inputs_read(const char *setting, const char *text, const orff_data_shape *shape,
                              bool *chosen) {
    memset(chosen, 0, shape->d * sizeof *chosen);
    for (; text && *text; text += *text == ',') {
        char word[256];
        const size_t length = strcspn(text, ",");
        size_t i = 0;
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
        ORFFI_TRY(find_input(setting, shape, word, &i));
        chosen[i] = true;
        text += length;
    }
    return ORFF_OK;
}

orff_status orffi_covariates_read(const char *text, const orff_data_shape *shape, bool *covariate) {
    return orffi_inputs_read("covariates", text, shape, covariate);
}

/* Reads "NAME=T" from the first `length` characters of the text. */
static orff_status read_period(const char *text, size_t length, const orff_data_shape *shape,
                               double *periods) {
    char word[256];
    size_t i = 0;
    double period;
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
    char *equals = strrchr(word, '=');
    const char *end = equals ? orff_number_scan(equals + 1, &period) : NULL;
    if (!end || *end || !(period > 0.0) || !isfinite(period))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "period: \"%s\" is not INPUT=T with a positive T, such as hour=24", word);
    *equals = '\0';
    ORFFI_TRY(find_input("period", shape, word, &i));
    if (periods[i] > 0.0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "period: the input \"%s\" has two periods", word);
    periods[i] = period;
    return ORFF_OK;
}

orff_status orffi_periods_read(const char *text, const orff_data_shape *shape, double *periods) {
    for (size_t i = 0; i < shape->d; i++) periods[i] = 0.0;
    for (; text && *text; text += *text == ',') {
        const size_t length = strcspn(text, ",");
        ORFFI_TRY(read_period(text, length, shape, periods));
        text += length;
    }
    return ORFF_OK;
}

/* ---- widths */

orff_status orffi_widths_read(const char *text, size_t *count, size_t *widths) {
    for (*count = 0; *count < ORFFI_MOST_WIDTHS; text++) {
        char *end;
        const unsigned long width = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || width < 1 || width > ORFFI_WIDEST || (*end && *end != ',')) break;
        widths[(*count)++] = width;
        if (!*end) return ORFF_OK;
        text = end;
    }
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "stack: expected the widths of up to %d hidden layers, from 1 to %d each, such as 8,8",
                      ORFFI_MOST_WIDTHS, ORFFI_WIDEST);
}

/* ---- matrices */

/* One pass over the text; with numbers NULL it only counts them. */
static const char *scan_matrix(const char *text, size_t *rows, size_t *cols, double *numbers) {
    size_t in_row = 0, count = 0;
    *rows = *cols = 0;
    for (const char *at = text;; at++) {
        double value;
        while (*at == ' ') at++;
        at = orff_number_scan(at, &value);
        if (!at || !isfinite(value)) return NULL;
        if (numbers) numbers[count] = value;
        count++;
        in_row++;
        if (*at == ',') continue;
        if (*rows && in_row != *cols) return NULL;
        *cols = in_row;
        in_row = 0;
        ++*rows;
        if (*at != ';') return at;
    }
}

const char *orffi_matrix_read(const char *text, size_t *rows, size_t *cols, double **numbers) {
    const char *end = scan_matrix(text, rows, cols, NULL);
    *numbers = NULL;
    if (!end || ORFFI_NEW_ARRAY(*numbers, *rows * *cols)) return NULL;
    return scan_matrix(text, rows, cols, *numbers);
}
