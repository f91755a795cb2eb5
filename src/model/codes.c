/* Codes of classes, which are learned in place of labels. */
#include <string.h>

#include "base/memory.h"
#include "model/fit.h"

size_t orffi_code_length(const orff_settings *settings, size_t p) {
    if (!settings->classes) return p;
    return settings->codes ? settings->code_length : settings->classes - 1;
}

static orff_status check_different(const orff_settings *s) {
    const size_t length = s->code_length;
    for (size_t k = 1; k < s->classes; k++)
        for (size_t l = 0; l < k; l++)
            if (!memcmp(s->codes + k * length, s->codes + l * length, length * sizeof *s->codes))
                return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                                  "codes: those of classes %zu and %zu are the same", l + 1, k + 1);
    return ORFF_OK;
}

orff_status orffi_check_codes(const orff_settings *s) {
    if (!s->codes) return ORFF_OK;
    if (!s->classes) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "codes: they are for classes");
    if (!s->code_length) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "codes: they have no numbers");
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "codes: the %s loss has codes of its own; give the squared loss",
                          orff_loss_name(s->loss));
    ORFFI_TRY(orffi_check_finite("codes", s->classes, s->code_length, s->codes));
    return check_different(s);
}

bool orffi_have_same_codes(const orff_settings *a, const orff_settings *b) {
    if (a->classes != b->classes || !a->codes != !b->codes) return false;
    return !a->codes || (a->code_length == b->code_length &&
                         !memcmp(a->codes, b->codes, a->classes * a->code_length * sizeof *a->codes));
}

orff_status orffi_codes_make(orffi_codes *codes, const orff_settings *s) {
    if (!s->classes) return ORFF_OK;
    codes->classes = s->classes;
    codes->length = orffi_code_length(s, 1);
    if (s->codes)
        return orffi_duplicate(&codes->codes, s->codes, s->classes * s->code_length, sizeof *s->codes);
    ORFFI_TRY(ORFFI_NEW_ARRAY(codes->codes, codes->classes * codes->length));
    return orff_simplex_codes(codes->classes, codes->codes);
}

void orffi_codes_clear(orffi_codes *codes) {
    orffi_release(codes->codes);
    *codes = (orffi_codes){0};
}
