/* Creates a feature map: a bank of frequencies, and the blocks of the kernel's parts on it. */
#include "features/features.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- blocks on a bank */

/* Computes the positions of the parts' columns and of theta's coefficients. */
static void lay_out(orff_features *f) {
    size_t parameters = 0;
    for (size_t m = 0; m < f->kernel->n_parts; m++)
        f->groups[f->part_group[m]].columns = f->kernel->groups[f->kernel->parts[m].group].columns;
    for (size_t g = 0; g < f->bank->n_groups; g++) {
        f->groups[g].first_parameter = parameters;
        parameters += f->bank->groups[g].drawn.count * f->groups[g].columns;
    }
    f->D = f->bank->D;
    f->M = 2 * parameters;
}

/* What the blocks of a part at frequencies w (count x d) depend on: w on the field's space, in the order of
 * the outputs, or the callback's values. */
static orff_status fill_at(const orffi_kernel_part *part, size_t count, const double *w, double *at) {
    if (!part->rule->physical) return part->rule->blocks(part, count, w, at);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < part->p; i++) at[j * part->p + i] = w[j * part->d + part->law.space[i]];
    return ORFF_OK;
}

static orff_status store_blocks(orff_features *f, size_t m) {
    const orffi_kernel_part *part = &f->kernel->parts[m];
    const orffi_frequencies *drawn = &f->bank->groups[f->part_group[m]].drawn;
    double *w;
    if (f->blocks[m] || (!part->rule->physical && !part->rule->blocks)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->blocks[m], drawn->count * orffi_features_block_size(part)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(w, drawn->count * f->d));
    orff_status status = ORFF_OK;
    for (size_t j = 0; !status && j < drawn->count; j++)
        status = orffi_frequencies_row(drawn, j, w + j * f->d);
    if (!status) status = fill_at(part, drawn->count, w, f->blocks[m]);
    orffi_release(w);
    return status;
}

/* A physical part drawn from mu itself has finite variance only if E|w|^4 is finite. */
static void set_warnings(orff_features *f) {
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &f->kernel->parts[m];
        const orffi_frequencies *drawn = &f->bank->groups[f->part_group[m]].drawn;
        if (drawn->extent_guessed) f->warnings |= ORFF_WARN_EXTENT_GUESSED;
        if (part->rule->physical && !f->bank->given && !drawn->importance &&
            !orffi_is_quadrature(drawn->scheme) && isinf(orffi_spectrum_moment(&part->law, 2)))
            f->warnings |= ORFF_WARN_INFINITE_VARIANCE;
    }
    snprintf(f->warning, sizeof f->warning, "%s%s%s",
             f->warnings & ORFF_WARN_INFINITE_VARIANCE
                 ? "E|w|^4 is infinite for this base: without importance sampling the features converge "
                   "slower than "
                   "D^-1/2"
                 : "",
             f->warnings == (ORFF_WARN_INFINITE_VARIANCE | ORFF_WARN_EXTENT_GUESSED) ? "; " : "",
             f->warnings & ORFF_WARN_EXTENT_GUESSED
                 ? "no extent of the data was given: the grid assumes inputs within five length scales"
                 : "");
}

static orff_status derive(orff_features *f) {
    lay_out(f);
    for (size_t m = 0; m < f->kernel->n_parts; m++) ORFFI_TRY(store_blocks(f, m));
    set_warnings(f);
    return ORFF_OK;
}

/* ---- creating and freeing */

static orff_status start(orff_features **out, const orff_kernel *kernel) {
    orff_features *f;
    ORFFI_TRY(ORFFI_NEW(f));
    *out = f;
    f->kernel = orffi_kernel_retain(kernel);
    f->d = kernel->d;
    f->p = kernel->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(f->part_group, kernel->n_parts));
    for (size_t m = 0; m < kernel->n_parts; m++) f->part_group[m] = kernel->parts[m].group;
    return ORFFI_NEW_ARRAY(f->blocks, kernel->n_parts);
}

/* Returns what was built on the bank in *out, or frees it on failure. */
static orff_status finish(orff_status status, orff_features *f, orff_features **out) {
    if (!status) status = ORFFI_NEW_ARRAY(f->groups, f->bank->n_groups);
    if (!status) status = derive(f);
    if (status) {
        orff_features_free(f);
    } else {
        *out = f;
    }
    return status;
}

static orff_status check_sampling(const orff_kernel *kernel, const orff_sampling *sampling) {
    if ((unsigned)sampling->scheme >= ORFF_SCHEME_COUNT)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no sampling scheme number %d",
                          (int)sampling->scheme);
    if (!(sampling->tolerance >= 0.0 && sampling->tolerance < 1.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the tolerance is %g; it must be at least 0 and below 1", sampling->tolerance);
    for (size_t i = 0; sampling->extent && i < kernel->d; i++)
        if (!(sampling->extent[i] >= 0.0 && isfinite(sampling->extent[i])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the extent of input %zu is %g; it must be at least 0", i + 1,
                              sampling->extent[i]);
    if (!orffi_is_quadrature(sampling->scheme) && sampling->features < kernel->n_groups)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "%zu frequencies for %zu groups of parts; give at least one each",
                          sampling->features, kernel->n_groups);
    return ORFF_OK;
}

orff_status orff_features_create(orff_features **out, const orff_kernel *kernel,
                                 const orff_sampling *sampling) {
    orff_features *f = NULL;
    if (!out || !kernel || !sampling)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_features_create: NULL argument");
    if (sampling->omega)
        return orff_features_create_at(out, kernel, sampling->features, sampling->omega, sampling->weights);
    ORFFI_TRY(check_sampling(kernel, sampling));
    orff_status status = start(&f, kernel);
    if (!status) status = orffi_bank_draw(&f->bank, kernel, sampling, f->blocks);
    return finish(status, f, out);
}

orff_status orff_features_create_at(orff_features **out, const orff_kernel *kernel, size_t D,
                                    const double *omega, const double *weights) {
    orff_features *f = NULL;
    if (!out || !kernel || !omega || D == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_features_create_at needs a kernel and at least one frequency");
    if (kernel->n_groups != 1 || kernel->groups[0].own_law)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "given frequencies serve kernels whose parts all share one law; this one has %zu",
                          kernel->n_groups);
    ORFFI_TRY(orffi_check_finite("omega", D, kernel->d, omega));
    orff_status status = start(&f, kernel);
    if (!status) status = orffi_bank_give(&f->bank, kernel, D, omega, weights);
    return finish(status, f, out);
}

/* The group of the bank with the law of a part; n_groups if there is none. */
static size_t find_law(const orffi_bank *bank, const orffi_kernel_part *part) {
    size_t g = 0;
    while (g < bank->n_groups && !(bank->groups[g].law.base && part->law.base &&
                                   orffi_spectrum_equal(&bank->groups[g].law, &part->law)))
        g++;
    return g;
}

/* The group of a part with its own law and stored blocks. Such parts come in the same order as the groups
 * without a law. */
static size_t find_own(const orff_features *f, const orffi_bank *bank, size_t m) {
    size_t g = 0, before = 0;
    for (size_t i = 0; i < m; i++) before += f->kernel->parts[i].rule->own_law;
    while (g < bank->n_groups && (bank->groups[g].law.base || before-- > 0)) g++;
    return g;
}

/* The bank's group of each part. */
static orff_status match_groups(orff_features *f, const orffi_bank *bank) {
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &f->kernel->parts[m];
        const size_t g = part->rule->own_law && f->blocks[m] ? find_own(f, bank, m) : find_law(bank, part);
        if (g == bank->n_groups)
            return orffi_fail(
                ORFF_ERROR_UNSUPPORTED,
                "part %zu of the kernel has a base or length scale that these frequencies were not drawn for",
                m + 1);
        if (bank->groups[g].drawn.importance &&
            !(part->rule->physical && orffi_spectrum_same_space(&bank->groups[g].law, &part->law)))
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "part %zu (%s) cannot stand on frequencies drawn by importance%s", m + 1,
                              orff_rule_name(part->rule->id),
                              part->rule->physical ? " for a field on other inputs" : "");
        f->part_group[m] = g;
    }
    return ORFF_OK;
}

orff_status orffi_features_create_on(orff_features **out, const orffi_bank *bank, const orff_kernel *kernel) {
    orff_features *f = NULL;
    if (kernel->d != bank->d)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the frequencies have %zu inputs, the kernel %zu", bank->d,
                          kernel->d);
    orff_status status = start(&f, kernel);
    if (!status) status = match_groups(f, bank);
    if (!status) f->bank = orffi_bank_retain(bank);
    return finish(status, f, out);
}

static orff_status adopt_blocks(orff_features *f, const orffi_bank *bank, orffi_kept_blocks *kept) {
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        f->blocks[m] = kept[m].B;
        kept[m].B = NULL;
    }
    ORFFI_TRY(match_groups(f, bank));
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const size_t count = bank->groups[f->part_group[m]].drawn.count;
        if (f->blocks[m] && kept[m].count != count)
            return orffi_fail(ORFF_ERROR_MISMATCH, "part %zu has %zu blocks for %zu frequencies", m + 1,
                              kept[m].count, count);
    }
    return ORFF_OK;
}

orff_status orffi_features_create_from(orff_features **out, const orffi_bank *bank, const orff_kernel *kernel,
                                       orffi_kept_blocks *kept) {
    orff_features *f = NULL;
    if (kernel->d != bank->d)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the frequencies have %zu inputs, the kernel %zu", bank->d,
                          kernel->d);
    orff_status status = start(&f, kernel);
    if (!status) status = adopt_blocks(f, bank, kept);
    if (!status) f->bank = orffi_bank_retain(bank);
    return finish(status, f, out);
}

orff_status orff_features_rebind(orff_features **out, const orff_features *features,
                                 const orff_kernel *kernel) {
    if (!out || !features || !kernel)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_features_rebind: NULL argument");
    return orffi_features_create_on(out, features->bank, kernel);
}

void orff_features_free(orff_features *f) {
    if (!f) return;
    for (size_t m = 0; f->blocks && m < f->kernel->n_parts; m++) orffi_release(f->blocks[m]);
    orffi_release(f->groups);
    orffi_release(f->part_group);
    orffi_release(f->blocks);
    orffi_bank_free(f->bank);
    orff_kernel_free(f->kernel);
    orffi_release(f);
}

/* ---- describing */

orff_features_info orff_features_describe(const orff_features *f) {
    orff_features_info info = {.inputs = f->d,
                               .outputs = f->p,
                               .frequencies = f->D,
                               .length = 2 * f->D,
                               .parameters = f->M,
                               .scheme = f->bank->groups[0].drawn.scheme,
                               .warnings = f->warnings,
                               .warning = f->warning};
    for (size_t g = 0; g < f->bank->n_groups; g++) {
        info.importance |= f->bank->groups[g].drawn.importance;
        info.quadrature_error = fmax(info.quadrature_error, f->bank->groups[g].drawn.error);
    }
    return info;
}

orff_status orff_features_frequencies(const orff_features *f, double *omega, double *weights) {
    if (!f) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_features_frequencies: NULL argument");
    for (size_t g = 0; g < f->bank->n_groups; g++) {
        const orffi_bank_group *group = &f->bank->groups[g];
        for (size_t j = 0; j < group->drawn.count; j++) {
            if (omega) ORFFI_TRY(orffi_frequencies_row(&group->drawn, j, omega + (group->first + j) * f->d));
            if (weights) weights[group->first + j] = group->drawn.weight[j];
        }
    }
    return ORFF_OK;
}

/* The real and the imaginary part of the block (p x columns each), one after the other; the caller releases
 * them. */
static orff_status find_block(const orff_features *f, size_t j, const char *call, size_t *columns,
                              double **B) {
    double *unit;
    if (!f || !columns) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: NULL argument", call);
    if (j >= f->D)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no frequency %zu among %zu (0-based)", j,
                          f->D);
    *columns = orffi_features_block_columns(f, j);
    if (!B) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(*B, 2 * f->p * *columns));
    const orff_status status = ORFFI_NEW_ARRAY(unit, f->p);
    if (status) {
        orffi_release(*B);
        return status;
    }
    orffi_features_dense_block(f, j, *B, *B + f->p * *columns, unit);
    orffi_release(unit);
    return ORFF_OK;
}

orff_status orff_features_block(const orff_features *f, size_t j, size_t *columns, double *B) {
    double *both;
    if (f && B && f->kernel->hermitian)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the blocks of this kernel are complex; use orff_features_block_complex");
    ORFFI_TRY(find_block(f, j, "orff_features_block", columns, B ? &both : NULL));
    if (!B) return ORFF_OK;
    memcpy(B, both, f->p * *columns * sizeof *B);
    orffi_release(both);
    return ORFF_OK;
}

orff_status orff_features_block_complex(const orff_features *f, size_t j, size_t *columns, double *B) {
    double *both;
    ORFFI_TRY(find_block(f, j, "orff_features_block_complex", columns, B ? &both : NULL));
    if (!B) return ORFF_OK;
    const size_t count = f->p * *columns;
    for (size_t i = 0; i < 2 * count; i++) B[i] = both[i % 2 * count + i / 2];
    orffi_release(both);
    return ORFF_OK;
}
