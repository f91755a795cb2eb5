#include "model/kernel_words.h"

#include <stdarg.h>
#include <stdio.h>

orff_status orffi_kernel_wrong(orffi_kernel_read *k, const char *culprit, const char *format, ...) {
    char message[768];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    k->culprit = culprit;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %s", culprit, message);
}

orff_status orffi_kernel_blame(orffi_kernel_read *k, const char *culprit, orff_status status) {
    char message[768];
    if (!status) return ORFF_OK;
    snprintf(message, sizeof message, "%s", orff_error_message());
    k->culprit = culprit;
    return orffi_fail(status, "%s: %s", culprit, message);
}

/* ---- words between plus signs */

/* The end of a word at a plus sign, but not within a number such as 1e+5. */
static const char *end_of_word(const char *text) {
    const char *at = text;
    for (; *at; at++) {
        const bool exponent = at > text + 1 && (at[-1] == 'e' || at[-1] == 'E') &&
                              ((at[-2] >= '0' && at[-2] <= '9') || at[-2] == '.') && at[1] >= '0' &&
                              at[1] <= '9';
        if (*at == '+' && !exponent) break;
    }
    return at;
}

size_t orffi_words_count(const char *text) {
    size_t count = 1;
    for (const char *at = end_of_word(text); *at; at = end_of_word(at + 1)) count++;
    return count;
}

bool orffi_word_of(const char *text, size_t i, char *word, size_t room) {
    const char *at = text, *end = end_of_word(text);
    while (i-- && *end) {
        at = end + 1;
        end = end_of_word(at);
    }
    while (*at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    if ((size_t)(end - at) >= room) return false;
    memcpy(word, at, (size_t)(end - at));
    word[end - at] = '\0';
    return true;
}
