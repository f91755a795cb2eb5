#include "base/numbers.h"

#include <string.h>

orff_status orffi_numbers_check(const orffi_numbers *w, uint64_t size) {
    if (w->first <= size && w->count <= size - w->first) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu numbers from %llu on are asked for, of %llu",
                      w->count, (unsigned long long)w->first, (unsigned long long)size);
}

void orffi_numbers_pass(orffi_numbers *w, size_t count, double *numbers) {
    const uint64_t begin = w->at > w->first ? w->at : w->first, last = w->first + w->count;
    const uint64_t end = w->at + count < last ? w->at + count : last;
    if (begin < end) {
        double *here = numbers + (begin - w->at);
        const size_t bytes = (size_t)(end - begin) * sizeof *here, place = (size_t)(begin - w->first);
        if (w->out) {
            memcpy(w->out + place, here, bytes);
        } else {
            memcpy(here, w->in + place, bytes);
        }
    }
    w->at += count;
}

void orffi_numbers_pass_count(orffi_numbers *w, uint64_t *count) {
    double number = (double)*count;
    const bool inside = w->at >= w->first && w->at < w->first + w->count;
    orffi_numbers_pass(w, 1, &number);
    if (inside && !w->out) *count = (uint64_t)number;
}

bool orffi_numbers_done(const orffi_numbers *w) {
    return w->at >= w->first + w->count;
}

bool orffi_numbers_skip(orffi_numbers *w, uint64_t count) {
    if (!orffi_numbers_done(w) && w->at + count > w->first) return false;
    w->at += count;
    return true;
}
