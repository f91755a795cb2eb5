/* Lists as texts: inputs by name or place, and matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/kernel_text.h"

/* ---- covariates */

static bool find_name(const orff_data_shape *shape, const char *word, size_t *place) {
    for (size_t i = 0; shape->inputs && i < shape->d; i++) {
        if (strcmp(shape->inputs[i], word)) continue;
        *place = i;
        return true;
    }
    return false;
}

static orff_status find_input(const orff_data_shape *shape, const char *word, size_t *place) {
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
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "covariates: \"%s\" is not an input; did you mean \"%s\"?", word, near);
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "covariates: \"%s\" is neither the name of an input nor a number from 1 to %zu", word,
                      shape->d);
}

orff_status orffi_covariates_read(const char *text, const orff_data_shape *shape, bool *covariate) {
    memset(covariate, 0, shape->d * sizeof *covariate);
    for (; text && *text; text += *text == ',') {
        char word[256];
        const size_t length = strcspn(text, ",");
        size_t i = 0;
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
        ORFFI_TRY(find_input(shape, word, &i));
        covariate[i] = true;
        text += length;
    }
    return ORFF_OK;
}

/* ---- matrices */

/* One sweep over the text; numbers may be NULL: they are only counted. */
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
