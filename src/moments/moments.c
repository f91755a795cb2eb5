/* Moments as objects: creating, adding, subtracting and describing them. */
#include "moments/moments.h"

#include <string.h>

#include "base/fields.h"
#include "base/linalg.h"
#include "base/memory.h"
#include "base/plane.h"

/* ---- one set */

orff_status orffi_moment_set_init(orffi_moment_set *set, size_t L, size_t p) {
    size_t square;
    memset(set, 0, sizeof *set);
    ORFFI_TRY(orffi_multiply(L, L, &square));
    ORFFI_TRY(ORFFI_NEW_ARRAY(set->S, square));
    ORFFI_TRY(ORFFI_NEW_ARRAY(set->R, L * (p + 1)));
    return ORFFI_NEW_ARRAY(set->T, (p + 1) * (p + 1));
}

void orffi_moment_set_clear(orffi_moment_set *set) {
    orffi_release(set->S);
    orffi_release(set->R);
    orffi_release(set->T);
    orffi_parted_clear(&set->parted);
    memset(set, 0, sizeof *set);
}

static void add_scaled(double *into, const double *from, double sign, size_t count) {
    for (size_t i = 0; i < count; i++) into[i] += sign * from[i];
}

void orffi_moment_set_add(orffi_moment_set *into, const orffi_moment_set *from, double sign, size_t L,
                          size_t p) {
    for (size_t i = 0; i < L; i++) add_scaled(into->S + i * L + i, from->S + i * L + i, sign, L - i);
    add_scaled(into->R, from->R, sign, L * (p + 1));
    add_scaled(into->T, from->T, sign, (p + 1) * (p + 1));
    into->rows = sign > 0 ? into->rows + from->rows : into->rows - from->rows;
}

void orffi_moments_sum(const orff_moments *moments, size_t left_out, orffi_moment_set *into) {
    for (size_t k = 0; k < moments->n_sets; k++)
        if (k != left_out)
            orffi_moment_set_add(into, &moments->sets[k], 1.0, 2 * moments->bank->D, moments->p);
}

bool orffi_moments_is_parted(const orff_moments *moments) {
    return moments->sets[0].parted.pairs > 0;
}

orff_status orffi_moments_refuse_parted(const orff_moments *moments, const char *what) {
    if (!orffi_moments_is_parted(moments)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "%s for moments of complete rows; some of these have missing outputs, directions or "
                      "errors",
                      what);
}

double orffi_moments_weight(const orff_moments *moments, size_t fold) {
    const size_t side = moments->p + 1;
    return moments->sets[fold].T[side * side - 1];
}

static size_t count_filled(const orff_moments *moments) {
    size_t filled = 0;
    for (size_t k = 0; k < moments->n_sets; k++) filled += orffi_moments_weight(moments, k) > 0.0;
    return filled;
}

bool orffi_moments_too_few(const orff_moments *moments) {
    return moments->n_sets > 1 && count_filled(moments) < 2;
}

orff_status orffi_moments_check_folds(const orff_moments *moments) {
    if (moments->n_sets < 2)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "cross-validation needs moments with at least 2 folds");
    const size_t filled = count_filled(moments);
    if (filled > 1) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "cross-validation needs rows in at least 2 folds; %zu of %zu have any with weight",
                      filled, moments->n_sets);
}

/* ---- creating */

static orff_status fill_sets(orff_moments *moments) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(moments->sets, moments->n_sets));
    for (size_t k = 0; k < moments->n_sets; k++)
        ORFFI_TRY(orffi_moment_set_init(&moments->sets[k], 2 * moments->bank->D, moments->p));
    return ORFF_OK;
}

orff_status orffi_moments_create_on(orff_moments **out, orffi_bank *bank, size_t p,
                                    const orff_moments_settings *settings) {
    orff_moments *moments = NULL;
    orff_status status = ORFFI_NEW(moments);
    if (status) {
        orffi_bank_free(bank);
        return status;
    }
    moments->bank = bank;
    moments->p = p;
    moments->settings = *settings;
    if (settings->plane) {
        moments->plane = *settings->plane;
        moments->settings.plane = &moments->plane;
    }
    moments->n_sets = settings->folds > 1 ? settings->folds : 1;
    status = fill_sets(moments);
    if (status) {
        orff_moments_free(moments);
    } else {
        *out = moments;
    }
    return status;
}

orff_status orff_moments_create(orff_moments **out, const orff_features *features,
                                const orff_moments_settings *settings) {
    if (!out || !features || !settings)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_create: NULL argument");
    if (settings->folds > 1000)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu folds are too many; 5 or 10 are usual",
                          settings->folds);
    if (settings->plane) ORFFI_TRY(orffi_plane_check(settings->plane, features->bank->d, features->p));
    return orffi_moments_create_on(out, orffi_bank_retain(features->bank), features->p, settings);
}

orff_status orff_moments_create_like(orff_moments **out, const orff_moments *other) {
    if (!out || !other)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_create_like: NULL argument");
    return orffi_moments_create_on(out, orffi_bank_retain(other->bank), other->p, &other->settings);
}

void orff_moments_free(orff_moments *moments) {
    if (!moments) return;
    for (size_t k = 0; moments->sets && k < moments->n_sets; k++) orffi_moment_set_clear(&moments->sets[k]);
    orffi_release(moments->sets);
    orffi_release(moments->notes);
    orffi_bank_free(moments->bank);
    orffi_release(moments);
}

/* ---- adding and subtracting */

static orff_status compare_groups(size_t g, const orffi_bank_group *a, const orffi_bank_group *b) {
    const orffi_spectrum *x = &a->law, *y = &b->law;
    if (x->base != y->base || x->shape != y->shape)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "group %zu has base %s (shape %g) in one and %s (shape %g) in the other", g + 1,
                          x->base ? orff_base_name(x->base->id) : "none", x->shape,
                          y->base ? orff_base_name(y->base->id) : "none", y->shape);
    for (size_t i = 0; x->base && i < x->dim; i++)
        if (x->scale[i] != y->scale[i])
            return orffi_fail(ORFF_ERROR_MISMATCH,
                              "the length scale of input %zu is %.17g in one and %.17g in the other", i + 1,
                              x->scale[i], y->scale[i]);
    for (size_t i = 0; x->base && i < x->dim; i++)
        if ((x->centre ? x->centre[i] : 0.0) != (y->centre ? y->centre[i] : 0.0))
            return orffi_fail(ORFF_ERROR_MISMATCH, "the wavelengths along input %zu differ", i + 1);
    if (a->drawn.scheme != b->drawn.scheme)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the sampling is %s in one and %s in the other",
                          orff_scheme_name(a->drawn.scheme), orff_scheme_name(b->drawn.scheme));
    if (a->drawn.count != b->drawn.count)
        return orffi_fail(ORFF_ERROR_MISMATCH, "group %zu has %zu frequencies in one and %zu in the other",
                          g + 1, a->drawn.count, b->drawn.count);
    if (a->recipe.seed != b->recipe.seed)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the seed is %llu in one and %llu in the other",
                          (unsigned long long)a->recipe.seed, (unsigned long long)b->recipe.seed);
    if (a->drawn.importance != b->drawn.importance)
        return orffi_fail(ORFF_ERROR_MISMATCH, "one was drawn by importance, the other not");
    return ORFF_OK;
}

/* Compares amplitudes and the first and last frequency, in addition to the recipe, which a bank of given
 * frequencies lacks. */
static orff_status compare_numbers(const orffi_bank *a, const orffi_bank *b) {
    if (memcmp(a->amplitude, b->amplitude, a->D * sizeof *a->amplitude) != 0)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the weights of the frequencies differ");
    for (size_t g = 0; g < a->n_groups; g++) {
        const orffi_frequencies *x = &a->groups[g].drawn, *y = &b->groups[g].drawn;
        if (x->omega && y->omega && memcmp(x->omega, y->omega, x->count * x->dim * sizeof *x->omega) != 0)
            return orffi_fail(ORFF_ERROR_MISMATCH, "the frequencies themselves differ");
    }
    return ORFF_OK;
}

orff_status orffi_bank_compare(const orffi_bank *a, const orffi_bank *b) {
    if (a == b) return ORFF_OK;
    if (a->d != b->d) return orffi_fail(ORFF_ERROR_MISMATCH, "one has %zu inputs, the other %zu", a->d, b->d);
    if (a->n_groups != b->n_groups)
        return orffi_fail(ORFF_ERROR_MISMATCH, "one has %zu groups of frequencies, the other %zu",
                          a->n_groups, b->n_groups);
    for (size_t g = 0; g < a->n_groups; g++) ORFFI_TRY(compare_groups(g, &a->groups[g], &b->groups[g]));
    return compare_numbers(a, b);
}

static orff_status check_match(const orff_moments *a, const orff_moments *b) {
    if (!a || !b) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "moments are NULL");
    if (a->p != b->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "one has %zu outputs, the other %zu", a->p, b->p);
    if (a->n_sets != b->n_sets)
        return orffi_fail(ORFF_ERROR_MISMATCH, "one has %zu folds, the other %zu", a->n_sets, b->n_sets);
    if (a->n_sets > 1 && a->settings.seed != b->settings.seed)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the seed of the folds is %llu in one and %llu in the other",
                          (unsigned long long)a->settings.seed, (unsigned long long)b->settings.seed);
    ORFFI_TRY(orffi_plane_compare(a->settings.plane, b->settings.plane));
    ORFFI_TRY(orffi_bank_compare(a->bank, b->bank));
    return orff_moments_describe(b).rows ? orffi_moments_match(a, b->counts.errors) : ORFF_OK;
}

/* Adds or subtracts the sums over rows that are not whole. */
static orff_status join_parted(orff_moments *into, const orff_moments *other, double sign) {
    const size_t pairs = other->sets[0].parted.pairs, L = 2 * into->bank->D;
    orff_moments *wide = NULL;
    if (!pairs) return ORFF_OK;
    ORFFI_TRY(orffi_moments_widen(into, pairs));
    if (into->sets[0].parted.pairs > pairs) {
        ORFFI_TRY(orff_moments_create_like(&wide, other));
        orff_status status = join_parted(wide, other, 1.0);
        if (!status) status = orffi_moments_widen(wide, into->sets[0].parted.pairs);
        if (!status) status = join_parted(into, wide, sign);
        orff_moments_free(wide);
        return status;
    }
    for (size_t k = 0; k < into->n_sets; k++)
        orffi_parted_add(&into->sets[k].parted, &other->sets[k].parted, sign, into->p, L);
    into->counts.N += sign * other->counts.N;
    into->counts.plain += sign * other->counts.plain;
    into->counts.rows =
        sign > 0.0 ? into->counts.rows + other->counts.rows : into->counts.rows - other->counts.rows;
    into->counts.errors = other->counts.errors;
    return ORFF_OK;
}

orff_status orff_moments_add(orff_moments *into, const orff_moments *other) {
    ORFFI_TRY(check_match(into, other));
    ORFFI_TRY(join_parted(into, other, 1.0));
    for (size_t k = 0; k < into->n_sets; k++)
        orffi_moment_set_add(&into->sets[k], &other->sets[k], 1.0, 2 * into->bank->D, into->p);
    into->arrived += other->arrived;
    return ORFF_OK;
}

orff_status orff_moments_subtract(orff_moments *into, const orff_moments *other) {
    ORFFI_TRY(check_match(into, other));
    for (size_t k = 0; k < into->n_sets; k++)
        if (other->sets[k].rows > into->sets[k].rows ||
            other->sets[k].parted.rows > into->sets[k].parted.rows)
            return orffi_fail(ORFF_ERROR_MISMATCH, "%llu rows cannot be subtracted from %llu",
                              (unsigned long long)other->sets[k].rows,
                              (unsigned long long)into->sets[k].rows);
    ORFFI_TRY(join_parted(into, other, -1.0));
    for (size_t k = 0; k < into->n_sets; k++)
        orffi_moment_set_add(&into->sets[k], &other->sets[k], -1.0, 2 * into->bank->D, into->p);
    return ORFF_OK;
}

/* ---- describing */

orff_status orff_moments_set_notes(orff_moments *moments, const char *notes) {
    if (!moments) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_set_notes: NULL argument");
    return orffi_notes_set(&moments->notes, notes);
}

const char *orff_moments_notes(const orff_moments *moments) {
    return moments->notes ? moments->notes : "";
}

orff_moments_info orff_moments_describe(const orff_moments *moments) {
    const size_t corner = (moments->p + 1) * (moments->p + 1) - 1;
    orff_moments_info info = {.inputs = moments->bank->d,
                              .outputs = moments->p,
                              .frequencies = moments->bank->D,
                              .folds = moments->n_sets,
                              .single = moments->settings.single,
                              .on_plane = moments->settings.plane != NULL,
                              .plane = moments->plane,
                              .parted = orffi_moments_is_parted(moments),
                              .rows = moments->counts.rows,
                              .weight = moments->counts.N};
    for (size_t k = 0; k < moments->n_sets; k++) {
        info.rows += moments->sets[k].rows;
        info.weight += moments->sets[k].T[corner];
    }
    return info;
}

/* Splits the sums over y~ = (y, 1) into those over y and over 1. */
static void split_totals(const orffi_moment_set *sum, size_t L, size_t p, double *R, double *sum_phi,
                         double *sum_y, double *sum_yy) {
    for (size_t a = 0; a < L; a++) {
        if (R) memcpy(R + a * p, sum->R + a * (p + 1), p * sizeof *R);
        if (sum_phi) sum_phi[a] = sum->R[a * (p + 1) + p];
    }
    for (size_t i = 0; i < p; i++) {
        if (sum_y) sum_y[i] = sum->T[p * (p + 1) + i];
        if (sum_yy) memcpy(sum_yy + i * p, sum->T + i * (p + 1), p * sizeof *sum_yy);
    }
}

orff_status orff_moments_totals(const orff_moments *moments, double *S, double *R, double *sum_phi,
                                double *sum_y, double *sum_yy) {
    orffi_moment_set sum = {0};
    if (!moments) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_totals: NULL argument");
    ORFFI_TRY(orffi_moments_refuse_parted(moments, "totals are"));
    const size_t L = 2 * moments->bank->D;
    const orff_status status = orffi_moment_set_init(&sum, L, moments->p);
    if (!status) {
        orffi_moments_sum(moments, moments->n_sets, &sum);
        if (S) {
            memcpy(S, sum.S, L * L * sizeof *S);
            orffi_mirror(L, S);
        }
        split_totals(&sum, L, moments->p, R, sum_phi, sum_y, sum_yy);
    }
    orffi_moment_set_clear(&sum);
    return status;
}

orff_status orff_moments_features(const orff_moments *moments, const orff_kernel *kernel,
                                  orff_features **features) {
    if (!moments || !kernel || !features)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_features: NULL argument");
    if (kernel->p != moments->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the moments have %zu outputs, the kernel %zu", moments->p,
                          kernel->p);
    return orffi_features_create_on(features, moments->bank, kernel);
}
