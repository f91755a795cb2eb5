/* Creates banks of frequencies for the laws of a kernel. */
#include "features/bank.h"

#include <limits.h>
#include <math.h>

#include "base/memory.h"
#include "kernel/signature.h"
#include "sampling/sampling.h"

/* Importance sampling is used where it helps and exists. */
static bool wants_importance(const orffi_kernel_group *group, const orff_sampling *sampling) {
    return group->importance && (sampling->importance == ORFF_SWITCH_YES ||
                                 (sampling->importance == ORFF_SWITCH_AUTO &&
                                  orffi_importance_serves(sampling->scheme, group->law->space_count)));
}

/* ---- dividing the D frequencies among the groups */

#define EVEN_SHARE 0.2 /* of D is divided evenly, for any scales */

/* To resolve a field of n inputs on scale l takes of the order of l^-n frequencies. Powers above 2 would
 * leave nothing for the longer scales. Returns the logarithm; a signature has no scale: 0. */
static double log_need(const orffi_spectrum *law) {
    double logs = 0.0;
    for (size_t i = 0; i < law->dim; i++) logs -= log(law->scale[i]) / (double)law->dim;
    return law->dim < 2 ? logs : 2.0 * logs;
}

/* The number of frequencies of groups 0 .. g-1, out of D; every group gets at least one. */
static size_t allotted_before(const orff_kernel *kernel, size_t D, size_t g) {
    const size_t n = kernel->n_groups;
    double largest = -INFINITY, before = 0.0, total = 0.0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, log_need(kernel->groups[i].law));
    for (size_t i = 0; i < n; i++) {
        const double need = exp(log_need(kernel->groups[i].law) - largest);
        total += need;
        if (i < g) before += need;
    }
    const double share = EVEN_SHARE * (double)g / (double)n + (1.0 - EVEN_SHARE) * before / total;
    return g == n ? D : g + (size_t)((double)(D - n) * share + 0.5);
}

/* A grid with 0 frequencies uses as many as its tolerance needs. */
size_t orffi_bank_allotted(const orff_kernel *kernel, size_t D, size_t g) {
    if (D < kernel->n_groups) return g < D;
    return allotted_before(kernel, D, g + 1) - allotted_before(kernel, D, g);
}

static orffi_recipe recipe_of(const orffi_bank *bank, const orff_kernel *kernel, size_t g,
                              const orff_sampling *sampling) {
    const orffi_kernel_group *group = &kernel->groups[g];
    return (orffi_recipe){
        .scheme = sampling->scheme,
        .count = orffi_bank_allotted(kernel, sampling->features, g),
        .seed = sampling->seed,
        .stream = (uint32_t)g,
        .importance = wants_importance(group, sampling),
        .gradient = group->gradient,
        .extent = bank->extent,
        .tolerance = sampling->tolerance,
    };
}

static orff_status draw_signature(orffi_bank_group *group, const orff_kernel *kernel, size_t g,
                                  double **blocks) {
    size_t m = 0;
    while (kernel->parts[m].group != g) m++;
    return orffi_signature_draw(&group->drawn, &blocks[m], &kernel->parts[m], &group->recipe);
}

static orff_status draw_group(orffi_bank *bank, const orff_kernel *kernel, size_t g,
                              const orff_sampling *sampling, double **blocks) {
    orffi_bank_group *group = &bank->groups[g];
    if (sampling->importance == ORFF_SWITCH_YES && !kernel->groups[g].importance)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "importance sampling by |w|^2 is for parts that are "
                                                  "fields, whose blocks grow with |w|; another part would "
                                                  "get unbounded weights at w = 0");
    group->recipe = recipe_of(bank, kernel, g, sampling);
    if (kernel->groups[g].own_law) return draw_signature(group, kernel, g, blocks);
    ORFFI_TRY(orffi_spectrum_copy(&group->law, kernel->groups[g].law));
    return orffi_frequencies_draw(&group->drawn, &group->law, &group->recipe);
}

/* ---- derived from the frequencies */

static orff_status fill_single(orffi_bank_group *group) {
    const orffi_frequencies *drawn = &group->drawn;
    if (drawn->structured) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(group->omega_single, drawn->count * drawn->dim));
    for (size_t i = 0; i < drawn->count * drawn->dim; i++) group->omega_single[i] = (float)drawn->omega[i];
    return ORFF_OK;
}

static void fill_amplitudes(orffi_bank *bank, const orffi_bank_group *group) {
    for (size_t j = 0; j < group->drawn.count; j++) {
        bank->amplitude[group->first + j] = sqrt(group->drawn.weight[j]);
        bank->amplitude_single[group->first + j] = (float)bank->amplitude[group->first + j];
    }
}

orff_status orffi_bank_complete(orffi_bank *bank) {
    for (size_t g = 0; g < bank->n_groups; g++) {
        bank->groups[g].first = bank->D;
        bank->D += bank->groups[g].drawn.count;
    }
    if (bank->D > INT_MAX / 2)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "%zu frequencies are more than BLAS can count", bank->D);
    ORFFI_TRY(ORFFI_NEW_ARRAY(bank->amplitude, bank->D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(bank->amplitude_single, bank->D));
    for (size_t g = 0; g < bank->n_groups; g++) {
        ORFFI_TRY(fill_single(&bank->groups[g]));
        fill_amplitudes(bank, &bank->groups[g]);
    }
    return ORFF_OK;
}

/* ---- creating and freeing */

orff_status orffi_bank_create(orffi_bank **out, size_t d, size_t n_groups) {
    orffi_bank *bank;
    ORFFI_TRY(ORFFI_NEW(bank));
    atomic_init(&bank->references, 1);
    bank->d = d;
    bank->n_groups = n_groups;
    const orff_status status = ORFFI_NEW_ARRAY(bank->groups, n_groups);
    if (status) {
        orffi_bank_free(bank);
    } else {
        *out = bank;
    }
    return status;
}

/* Returns what was built in *out, or frees it on failure. */
static orff_status finish(orff_status status, orffi_bank *bank, orffi_bank **out) {
    if (!status) status = orffi_bank_complete(bank);
    if (status) {
        orffi_bank_free(bank);
    } else {
        *out = bank;
    }
    return status;
}

/* Delays widen the differences at which outputs are compared. */
static void widen_extent(orffi_bank *bank, const orff_kernel *kernel) {
    for (size_t k = 0; bank->extent && k < kernel->d; k++) {
        double most = 0.0;
        for (size_t m = 0; m < kernel->n_parts; m++) {
            const double *delays = kernel->parts[m].delays;
            for (size_t i = 0; delays && i < kernel->p * kernel->p; i++)
                most =
                    fmax(most, delays[i / kernel->p * kernel->d + k] - delays[i % kernel->p * kernel->d + k]);
        }
        bank->extent[k] += most;
    }
}

orff_status orffi_bank_draw(orffi_bank **out, const orff_kernel *kernel, const orff_sampling *sampling,
                            double **blocks) {
    orffi_bank *bank = NULL;
    orff_status status = orffi_bank_create(&bank, kernel->d, kernel->n_groups);
    if (!status) status = orffi_duplicate(&bank->extent, sampling->extent, kernel->d, sizeof *bank->extent);
    if (!status) widen_extent(bank, kernel);
    for (size_t g = 0; !status && g < kernel->n_groups; g++)
        status = draw_group(bank, kernel, g, sampling, blocks);
    return finish(status, bank, out);
}

static orff_status copy_frequencies(orffi_frequencies *drawn, size_t d, size_t D, const double *omega,
                                    const double *weights) {
    drawn->count = D;
    drawn->dim = d;
    ORFFI_TRY(orffi_duplicate(&drawn->omega, omega, D * d, sizeof *omega));
    ORFFI_TRY(ORFFI_NEW_ARRAY(drawn->weight, D));
    for (size_t j = 0; j < D; j++) {
        drawn->weight[j] = weights ? weights[j] : 1.0 / (double)D;
        if (!(drawn->weight[j] >= 0.0 && isfinite(drawn->weight[j])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "weight %zu is %g; it must be at least 0", j + 1,
                              drawn->weight[j]);
    }
    return ORFF_OK;
}

orff_status orffi_bank_give(orffi_bank **out, const orff_kernel *kernel, size_t D, const double *omega,
                            const double *weights) {
    orffi_bank *bank = NULL;
    orff_status status = orffi_bank_create(&bank, kernel->d, kernel->n_groups);
    if (!status) bank->given = true;
    if (!status) status = orffi_spectrum_copy(&bank->groups[0].law, kernel->groups[0].law);
    if (!status) status = copy_frequencies(&bank->groups[0].drawn, kernel->d, D, omega, weights);
    return finish(status, bank, out);
}

orffi_bank *orffi_bank_retain(const orffi_bank *bank) {
    orffi_bank *shared = (orffi_bank *)bank; /* only the count changes */
    atomic_fetch_add(&shared->references, 1);
    return shared;
}

void orffi_bank_free(orffi_bank *bank) {
    if (!bank || atomic_fetch_sub(&bank->references, 1) > 1) return;
    for (size_t g = 0; bank->groups && g < bank->n_groups; g++) {
        orffi_spectrum_clear(&bank->groups[g].law);
        orffi_frequencies_clear(&bank->groups[g].drawn);
        orffi_release(bank->groups[g].omega_single);
    }
    orffi_release(bank->groups);
    orffi_release(bank->extent);
    orffi_release(bank->amplitude);
    orffi_release(bank->amplitude_single);
    orffi_release(bank);
}
