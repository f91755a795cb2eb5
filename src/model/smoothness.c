#include "model/smoothness.h"

#include "kernel/kernel.h"
#include "spectrum/spectrum.h"

typedef struct rung {
    orff_base base;
    double shape;
} rung;

static const rung bases[] = {
    {ORFF_BASE_MATERN, 0.5}, {ORFF_BASE_MATERN, 1.5}, {ORFF_BASE_MATERN, 2.5}, {ORFF_BASE_GAUSSIAN, 1.0}};
enum { BASES = sizeof bases / sizeof *bases, MIDDLE = 1 };

bool orffi_shape_is_open(const orff_part *part) {
    return part->shape == ORFF_SHAPE_AUTO && orff_base_has_shape(part->base);
}

bool orffi_smoothness_is_open(const orff_part *part) {
    return part->base == ORFF_BASE_AUTO || orffi_shape_is_open(part);
}

static size_t count_of(const orff_part *part) {
    const double *shapes = orffi_base_find(part->base)->shapes;
    size_t count = 0;
    if (part->base == ORFF_BASE_AUTO) return BASES;
    while (shapes[count] > 0.0) count++;
    return count;
}

static size_t middle_of(const orff_part *part) {
    return part->base == ORFF_BASE_AUTO ? MIDDLE : orffi_base_find(part->base)->middle_shape;
}

static rung rung_of(const orff_part *part, size_t i) {
    if (part->base == ORFF_BASE_AUTO) return bases[i];
    return (rung){part->base, orffi_base_find(part->base)->shapes[i]};
}

static bool has_two_derivatives(rung r) {
    const orffi_base_ops *base = orffi_base_find(r.base);
    return !base->smoothness || base->smoothness(r.shape) > 2.0;
}

void orffi_smoothness_span(const orff_part *part, size_t *low, size_t *high) {
    const size_t first = ORFFI_SMOOTHNESS_MIDDLE - middle_of(part);
    *low = first;
    *high = first + count_of(part) - 1;
    while (orff_rule_describe(part->rule).physical && *low < *high &&
           !has_two_derivatives(rung_of(part, *low - first)))
        ++*low;
}

void orffi_smoothness_set(const orff_part *part, size_t place, orff_part *to) {
    size_t low, high;
    orffi_smoothness_span(part, &low, &high);
    const size_t at = place < low ? low : place > high ? high : place;
    const rung r = rung_of(part, at + middle_of(part) - ORFFI_SMOOTHNESS_MIDDLE);
    to->base = r.base;
    to->shape = r.shape;
}
