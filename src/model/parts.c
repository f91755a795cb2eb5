#include "model/parts.h"

#include <string.h>

#include "base/memory.h"

static void clear_part(orffi_planned_part *one) {
    orffi_release(one->sigmas);
    orffi_release(one->A);
    orffi_release(one->B);
    orffi_release(one->delays);
    orffi_release(one->wavelengths);
    orffi_release(one->space);
    *one = (orffi_planned_part){0};
}

/* A part with a length scale for each input is not auto, whatever its sigma. */
static orff_status fill_part(orffi_planned_part *one, const orff_part *from, size_t d, size_t p) {
    one->part = *from;
    if (from->sigmas) one->part.sigma = from->sigmas[0];
    ORFFI_TRY(ORFFI_NEW_ARRAY(one->sigmas, d));
    for (size_t i = 0; i < d; i++) one->sigmas[i] = from->sigmas ? from->sigmas[i] : from->sigma;
    if (orff_rule_describe(from->rule).coupled) {
        ORFFI_TRY(orffi_duplicate(&one->A, from->A, p * p, sizeof *one->A));
        ORFFI_TRY(orffi_duplicate(&one->B, from->B, p * from->columns, sizeof *one->B));
        ORFFI_TRY(orffi_duplicate(&one->delays, from->delays, p * d, sizeof *one->delays));
    }
    ORFFI_TRY(orffi_duplicate(&one->wavelengths, from->wavelengths, d, sizeof *one->wavelengths));
    ORFFI_TRY(orffi_duplicate(&one->space, from->space, p, sizeof *one->space));
    one->part.sigmas = one->sigmas;
    one->part.A = one->A;
    one->part.B = one->B;
    one->part.delays = one->delays;
    one->part.wavelengths = one->wavelengths;
    one->part.space = one->space;
    return ORFF_OK;
}

orff_status orffi_parts_init(orffi_parts *to, size_t d, size_t p, size_t count, const orff_part *parts) {
    *to = (orffi_parts){.count = count, .d = d, .p = p};
    orff_status status = ORFFI_NEW_ARRAY(to->list, count);
    if (status) to->count = 0;
    for (size_t m = 0; !status && m < count; m++) status = fill_part(&to->list[m], &parts[m], d, p);
    return status;
}

orff_status orffi_parts_copy(orffi_parts *to, const orffi_parts *from) {
    *to = (orffi_parts){.count = from->count, .d = from->d, .p = from->p};
    orff_status status = ORFFI_NEW_ARRAY(to->list, from->count);
    if (status) to->count = 0;
    for (size_t m = 0; !status && m < from->count; m++) {
        status = fill_part(&to->list[m], &from->list[m].part, from->d, from->p);
        to->list[m].part.sigma = from->list[m].part.sigma;
    }
    if (status || !from->shares) return status;
    return orffi_duplicate(&to->shares, from->shares, from->count + 1, sizeof *to->shares);
}

void orffi_parts_clear(orffi_parts *parts) {
    for (size_t m = 0; m < parts->count; m++) clear_part(&parts->list[m]);
    orffi_release(parts->list);
    orffi_release(parts->shares);
    *parts = (orffi_parts){0};
}

void orffi_parts_move(orffi_parts *to, orffi_parts *from) {
    orffi_parts_clear(to);
    *to = *from;
    *from = (orffi_parts){0};
}

orff_status orffi_parts_keep(orffi_parts *parts, const double *weights) {
    const size_t n = parts->count;
    size_t kept = 0;
    for (size_t m = 0; m < n; m++) {
        if (!(weights[m] > 0.0)) {
            clear_part(&parts->list[m]);
            continue;
        }
        const orffi_planned_part one = parts->list[m];
        parts->list[m] = (orffi_planned_part){0};
        parts->list[kept] = one;
        parts->list[kept].part.weight *= weights[m];
        parts->shares[kept++] = parts->shares[m];
    }
    parts->shares[kept] = parts->shares[n];
    parts->count = kept;
    if (kept) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_NUMERICAL,
        "the evidence keeps no part of the mixture: the outputs are indistinguishable from noise");
}

orff_status orffi_parts_kernel(const orffi_parts *parts, const size_t *space, const orffi_kernel_how *how,
                               orff_kernel **kernel) {
    orff_part *list;
    ORFFI_TRY(ORFFI_NEW_ARRAY(list, parts->count));
    for (size_t m = 0; m < parts->count; m++) {
        list[m] = parts->list[m].part;
        if (orff_rule_describe(list[m].rule).physical && !list[m].space) list[m].space = space;
    }
    const orff_status status = orffi_kernel_create_as(kernel, parts->d, parts->p, parts->count, list, how);
    orffi_release(list);
    return status;
}
