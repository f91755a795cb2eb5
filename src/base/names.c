#include "base/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 255 /* longer words are not compared */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of letters inserted, deleted or changed to turn one word into the other, ignoring case. */
static size_t edits(const char *a, const char *b) {
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= strlen(b); j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; b[j - 1]; j++) {
            const size_t above = row[j];
            row[j] = smaller(diagonal + !same(a[i - 1], b[j - 1]), smaller(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[strlen(b)];
}

const char *orff_text_nearest(const char *word, const char *const *words) {
    const char *nearest = NULL;
    if (!word || !words || strlen(word) > LONGEST) return NULL;
    size_t best = strlen(word) / 2 + 2;
    for (; *words; words++) {
        const size_t a = strlen(word), b = strlen(*words);
        if (b > LONGEST || (a > b ? a - b : b - a) >= best) continue;
        const size_t far = edits(word, *words);
        if (far < best && far < b) { /* else they have no letter in common */
            best = far;
            nearest = *words;
        }
    }
    return nearest;
}

/* Writes "a, b and c" to text (`room` bytes), cut off if it does not fit. */
static void join(char *text, size_t room, const char *const *names) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; names[i]; i++) {
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " and ";
        const int more = snprintf(text + used, room - used, "%s%s", before, names[i]);
        if (more < 0 || (size_t)more >= room - used) return;
        used += (size_t)more;
    }
}

orff_status orffi_names_find(const char *what, const char *name, const char *const *names, size_t *place) {
    char all[400];
    if (!name || !place) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "no name of a %s", what);
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(name, names[i])) continue;
        *place = i;
        return ORFF_OK;
    }
    const char *near = orff_text_nearest(name, names);
    join(all, sizeof all, names);
    if (near)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "there is no %s \"%s\"; did you mean \"%s\"? There are %s", what, name, near, all);
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no %s \"%s\"; there are %s", what, name, all);
}
