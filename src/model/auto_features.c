#include "model/auto_features.h"

#define USUAL          1000
#define FEWEST         100
#define LARGEST_SYSTEM 2400 /* rows: seconds, not minutes, for a handful of eigendecompositions */

/* Rows of the system for each frequency: parts that differ in their scales divide the frequencies among them. */
static double rows_for_each(const orff_settings *s, size_t p) {
    size_t columns = 0;
    bool same = true;
    if (s->auto_kernel) return 2.0 * (double)p;
    if (s->n_parts == 0 || (s->n_parts == 1 && orff_rule_describe(s->parts[0].rule).separable)) return 2.0;
    for (size_t m = 0; m < s->n_parts; m++) {
        const orff_part *part = &s->parts[m];
        const size_t own = orff_rule_columns(part->rule, p);
        columns += own ? own : part->columns;
        same = same && part->sigma == s->parts[0].sigma && part->base == s->parts[0].base;
    }
    if (same) return 2.0 * (double)(columns < p ? columns : p);
    return 2.0 * (double)columns / (double)s->n_parts;
}

size_t orffi_auto_features(const orff_settings *s, size_t p, size_t rows) {
    size_t features = (size_t)(LARGEST_SYSTEM / rows_for_each(s, p));
    if (features > USUAL) features = USUAL;
    if (rows && features > rows / 2) features = rows / 2; /* as many features as rows */
    return features < FEWEST ? FEWEST : features;
}

size_t orff_settings_features(const orff_settings *settings, size_t p, size_t rows) {
    if (!settings || !p) return 0;
    return settings->sampling.features ? settings->sampling.features : orffi_auto_features(settings, p, rows);
}
