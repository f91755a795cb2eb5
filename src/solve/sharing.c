#include "solve/sharing.h"

#include <string.h>

#include "base/memory.h"

orff_status orffi_sharing_sum(const orff_sharing *sharing, size_t count, double *numbers, const double *low) {
    if (!sharing) {
        for (size_t i = 0; low && i < count; i++) numbers[i] += low[i];
        return ORFF_OK;
    }
    if (!sharing->sum(sharing->self, count, numbers, low)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_CALLBACK, "the sum over processes failed");
}

orff_status orffi_sharing_square(const orff_sharing *sharing, size_t count, const double *u, double *square) {
    double low = 0.0;
    *square = 0.0;
    for (size_t i = 0; sharing && i < count; i++) orffi_sharing_add(square, &low, u[i] * u[i]);
    for (size_t i = 0; !sharing && i < count; i++) *square += u[i] * u[i];
    return orffi_sharing_sum(sharing, 1, square, &low);
}

orff_status orffi_sharing_first(const orff_sharing *sharing, size_t count, double *numbers) {
    if (!orffi_sharing_is_first(sharing)) memset(numbers, 0, count * sizeof *numbers);
    return orffi_sharing_sum(sharing, count, numbers, NULL);
}

orff_status orffi_sharing_count(const orff_sharing *sharing, size_t n, size_t *before, size_t *total) {
    double *counts;
    *before = 0;
    *total = n;
    if (!sharing) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(counts, sharing->count));
    counts[sharing->rank] = (double)n;
    const orff_status status = orffi_sharing_sum(sharing, sharing->count, counts, NULL);
    *total = 0;
    for (size_t i = 0; !status && i < sharing->count; i++) {
        if (i < sharing->rank) *before += (size_t)counts[i];
        *total += (size_t)counts[i];
    }
    orffi_release(counts);
    return status;
}

/* Sums the rows over processes; every row is zero in all processes but one. */
orff_status orffi_sharing_gather(const orff_sharing *sharing, size_t n, size_t width, const double *mine,
                                 size_t *total, double **all) {
    size_t before;
    *total = n;
    if (!sharing) return orffi_duplicate(all, mine, n * width, sizeof *mine);
    ORFFI_TRY(orffi_sharing_count(sharing, n, &before, total));
    ORFFI_TRY(ORFFI_NEW_ARRAY(*all, *total * width));
    if (n) memcpy(*all + before * width, mine, n * width * sizeof *mine);
    return orffi_sharing_sum(sharing, *total * width, *all, NULL);
}
