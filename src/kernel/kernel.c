/* Kernels: checking, copying and grouping their parts by law; exact values. */
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#include "base/blas_room.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/threads.h"

static const orffi_rule_ops *const rules[ORFF_RULE_COUNT] = {
#define OPS_OF(name, file, text) &orffi_rule_##file,
    ORFF_RULE_LIST(OPS_OF)
#undef OPS_OF
};

static const char *const names[] = {ORFF_RULE_LIST(ORFFI_NAME_OF_FILE) NULL};

/* ---- rules */

const orffi_rule_ops *orffi_rule_find(orff_rule rule) {
    return (unsigned)rule < ORFF_RULE_COUNT ? rules[rule] : NULL;
}

size_t orffi_rule_columns(const orffi_rule_ops *rule, size_t p) {
    return rule->columns ? rule->columns(p) : p;
}

const char *orff_rule_name(orff_rule rule) {
    return (unsigned)rule < ORFF_RULE_COUNT ? names[rule] : NULL;
}

/* Rules that need a callback come last in the list. */
const char *const *orff_rule_names(void) {
    static const char *const named[] = {
#define NAMED_OF(name, file, text) ORFF_RULE_##name < ORFF_RULE_CUSTOM_B ? text : NULL,
        ORFF_RULE_LIST(NAMED_OF) NULL
#undef NAMED_OF
    };
    return named;
}

orff_status orff_rule_parse(const char *name, orff_rule *rule) {
    size_t place;
    if (!rule) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_rule_parse: NULL argument");
    for (place = 0; name && names[place]; place++) {
        if (strcmp(name, names[place])) continue;
        *rule = (orff_rule)place;
        return ORFF_OK;
    }
    return orffi_names_find("kernel", name, orff_rule_names(), &place); /* sets the message, which lists the
                                                                           names */
}

orff_rule_info orff_rule_describe(orff_rule rule) {
    const orffi_rule_ops *ops = orffi_rule_find(rule);
    if (!ops) return (orff_rule_info){.words = ""};
    return (orff_rule_info){.words = ops->words,
                            .named = !ops->stored,
                            .physical = ops->physical,
                            .separable = ops->separable,
                            .mixes = ops->mixes,
                            .coupled = ops->coupled,
                            .delays = ops->delays};
}

size_t orff_rule_columns(orff_rule rule, size_t p) {
    const orffi_rule_ops *ops = orffi_rule_find(rule);
    return ops && !ops->given_columns ? orffi_rule_columns(ops, p) : 0;
}

bool orffi_part_is_rigid(const orff_part *part) {
    const orffi_rule_ops *rule = orffi_rule_find(part->rule);
    return rule && rule->stored && !part->stretchable;
}

bool orffi_part_is_hermitian(const orff_part *part) {
    const orffi_rule_ops *rule = orffi_rule_find(part->rule);
    return part->hermitian || (rule && rule->hermitian);
}

orff_status orffi_kernel_between(const orff_kernel *kernel, bool scalar, const double *x, const double *z,
                                 double *K, size_t stride, double *delta, double *block) {
    const size_t p = kernel->p;
    for (size_t i = 0; i < kernel->d; i++) delta[i] = x[i] - z[i];
    if (scalar) {
        K[0] = 0.0;
        for (size_t m = 0; m < kernel->n_parts; m++) {
            const orffi_kernel_part *part = &kernel->parts[m];
            K[0] += part->root * part->root * orffi_spectrum_k0(&part->law, delta);
        }
        return ORFF_OK;
    }
    ORFFI_TRY(orffi_kernel_exact(kernel, delta, block));
    for (size_t a = 0; a < p * p; a++) K[a / p * stride + a % p] = block[a];
    return ORFF_OK;
}

bool orffi_kernel_is_identity(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!kernel->parts[m].rule->separable || kernel->parts[m].A) return false;
    return true;
}

bool orffi_kernel_is_separable(const orff_kernel *kernel) {
    return kernel->n_parts == 1 && kernel->parts[0].rule->separable;
}

orff_part orff_part_default(void) {
    return (orff_part){.rule = ORFF_RULE_DECOMPOSABLE,
                       .base = ORFF_BASE_GAUSSIAN,
                       .shape = 1.0,
                       .sigma = 1.0,
                       .weight = 1.0,
                       .mix = 0.5};
}

/* ---- one part */

static orff_status check_shape(const orffi_rule_ops *rule, size_t d, size_t p, const orff_part *given) {
    if (!(given->weight >= 0.0 && isfinite(given->weight)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a part's weight is %g; it must be at least 0 and finite", given->weight);
    if (given->hermitian && !(rule->stored && !rule->own_law))
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "complex blocks are for parts whose A(w) or B(w) is a function of yours, not for %s",
            orff_rule_name(rule->id));
    if (given->space && !rule->physical)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "space is for parts that are fields over it, not for %s", orff_rule_name(rule->id));
    if (rule->physical && !given->space && d != p)
        return orffi_fail(
            ORFF_ERROR_INVALID_ARGUMENT,
            "%s needs one output for each input of the field's space, but there are %zu inputs and %zu "
            "outputs; name the %zu inputs that are the space, the others become covariates",
            orff_rule_name(rule->id), d, p, p);
    return ORFF_OK;
}

static orff_status check_exists(const orffi_kernel_part *part) {
    const orffi_base_ops *base = part->law.base;
    if (!part->rule->physical || isfinite(orffi_spectrum_moment(&part->law, 1))) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_DOES_NOT_EXIST,
        "%s with base %s%s does not exist: its k0 is not twice differentiable at 0 (E|w|^2 is infinite); "
        "use %s or another smooth base%s%s",
        orff_rule_name(part->rule->id), orff_base_name(base->id), base->has_shape ? " of this shape" : "",
        orff_base_name(ORFF_BASE_GAUSSIAN), base->smooth_when ? ", or a shape with " : "",
        base->smooth_when ? base->smooth_when : "");
}

/* root = sqrt(weight), times, with normalise, the factor that makes trace K(0) = p. */
static orff_status set_root(orffi_kernel_part *part, const orff_part *given) {
    double trace = 0.0, *zero = NULL, *K = NULL;
    const size_t p = part->p;
    part->root = sqrt(given->weight);
    if (!given->normalise) return ORFF_OK;
    orff_status status = ORFFI_NEW_ARRAY(zero, part->d);
    if (!status) status = ORFFI_NEW_ARRAY(K, p * p);
    if (!status) status = orffi_part_exact(part, 1, zero, K);
    for (size_t i = 0; !status && i < p; i++) trace += K[i * p + i];
    orffi_release(zero);
    orffi_release(K);
    if (!status && !(trace > 0.0))
        status = orffi_fail(ORFF_ERROR_NOT_POSITIVE, "a part cannot be normalised: trace K(0) is %g", trace);
    if (!status) part->root *= sqrt((double)p / trace);
    return status;
}

/* Copies what the rule needs from the caller's part. A part from a file has its columns but no functions. */
static orff_status prepare(orffi_kernel_part *part, const orff_part *given, bool without_functions) {
    if (!(part->rule->stored && without_functions)) return part->rule->prepare(part, given);
    if (part->rule->given_columns) part->columns = given->columns;
    return part->columns ? ORFF_OK : orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a part has no columns");
}

/* The caller's functions of differences hold for inputs that are not periodic. */
static orff_status set_periods(orffi_kernel_part *part, const double *periods) {
    if (!part->rule->stored && !part->rule->own_law) return orffi_spectrum_set_periods(&part->law, periods);
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a %s part of the kernel cannot have periodic inputs",
                      orff_rule_name(part->rule->id));
}

/* Blocks of the other rules are functions of w, which a centre shifts. */
static orff_status set_wavelengths(orffi_kernel_part *part, const double *wavelengths) {
    if (part->rule->coupled) return orffi_spectrum_set_wavelengths(&part->law, wavelengths);
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a %s part of the kernel has no wavelength",
                      orff_rule_name(part->rule->id));
}

static orff_status build_part(orffi_kernel_part *part, size_t d, size_t p, const orffi_kernel_how *how,
                              const orff_part *given) {
    part->rule = orffi_rule_find(given->rule);
    if (!part->rule)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there is no rule number %d", (int)given->rule);
    part->d = d;
    part->p = p;
    part->unit = how->unit;
    part->columns = orffi_rule_columns(part->rule, p);
    part->hermitian = orffi_part_is_hermitian(given);
    ORFFI_TRY(check_shape(part->rule, d, p, given));
    if (!part->rule->own_law)
        ORFFI_TRY(orffi_spectrum_init(&part->law, given->base, given->shape, d, given->sigma, given->sigmas,
                                      part->rule->physical ? p : d, given->space));
    if (how->periods) ORFFI_TRY(set_periods(part, how->periods));
    if (given->wavelengths) ORFFI_TRY(set_wavelengths(part, given->wavelengths));
    if (given->learn_wavelengths && !given->wavelengths)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "wavelengths are learned from rows: fit a model, or give them");
    ORFFI_TRY(check_exists(part));
    ORFFI_TRY(prepare(part, given, how->without_functions));
    return set_root(part, given);
}

static void clear_part(orffi_kernel_part *part) {
    orffi_spectrum_clear(&part->law);
    orffi_release(part->B);
    orffi_release(part->A);
    orffi_release(part->delays);
}

/* ---- groups */

static bool may_share(const orffi_kernel_group *group, const orffi_kernel_part *part) {
    return !group->own_law && !part->rule->own_law && orffi_spectrum_equal(group->law, &part->law);
}

/* Puts part i into the first group of its law, or into a new one. */
static void join_group(orff_kernel *kernel, orffi_kernel_part *part) {
    size_t g = 0;
    while (g < kernel->n_groups && !may_share(&kernel->groups[g], part)) g++;
    orffi_kernel_group *group = &kernel->groups[g];
    if (g == kernel->n_groups) {
        kernel->n_groups++;
        group->law = &part->law;
        group->own_law = part->rule->own_law;
        group->importance = true;
    }
    part->group = g;
    part->first_column = group->columns;
    group->columns += part->columns;
    group->gradient |= part->rule->physical;
    group->importance &= part->rule->physical && orffi_spectrum_same_space(group->law, &part->law);
}

static orff_status build(orff_kernel *kernel, const orff_part *parts, const orffi_kernel_how *how) {
    orffi_kernel_how own = *how;
    ORFFI_TRY(orffi_duplicate(&kernel->unit, how->unit, kernel->d, sizeof *how->unit));
    own.unit = kernel->unit;
    ORFFI_TRY(ORFFI_NEW_ARRAY(kernel->parts, kernel->n_parts));
    ORFFI_TRY(ORFFI_NEW_ARRAY(kernel->groups, kernel->n_parts));
    for (size_t i = 0; i < kernel->n_parts; i++) {
        ORFFI_TRY(build_part(&kernel->parts[i], kernel->d, kernel->p, &own, &parts[i]));
        join_group(kernel, &kernel->parts[i]);
        kernel->has_callbacks |= kernel->parts[i].matrix != NULL;
        kernel->hermitian |= kernel->parts[i].hermitian;
    }
    return ORFF_OK;
}

orff_status orff_kernel_create(orff_kernel **out, size_t d, size_t p, size_t n_parts,
                               const orff_part *parts) {
    const orffi_kernel_how plainly = {0};
    for (size_t m = 0; parts && m < n_parts; m++)
        if (parts[m].learn && !parts[m].A && !parts[m].B)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "an output matrix is learned from rows: fit a model, or give the matrix");
    return orffi_kernel_create_as(out, d, p, n_parts, parts, &plainly);
}

orff_status orffi_kernel_create_as(orff_kernel **out, size_t d, size_t p, size_t n_parts,
                                   const orff_part *parts, const orffi_kernel_how *how) {
    orff_kernel *kernel;
    if (!out || !parts || n_parts == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a kernel needs at least one part and a place to go");
    if (d == 0 || p == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a kernel needs inputs and outputs (d=%zu, p=%zu)", d,
                          p);
    ORFFI_TRY(orffi_blas_room(orffi_thread_count())); /* everything done with a kernel calls BLAS */
    ORFFI_TRY(ORFFI_NEW(kernel));
    atomic_init(&kernel->references, 1);
    kernel->d = d;
    kernel->p = p;
    kernel->n_parts = n_parts;
    const orff_status status = build(kernel, parts, how);
    if (status) {
        orff_kernel_free(kernel);
    } else {
        *out = kernel;
    }
    return status;
}

orff_kernel *orffi_kernel_retain(const orff_kernel *kernel) {
    orff_kernel *shared = (orff_kernel *)kernel; /* only the count changes */
    atomic_fetch_add(&shared->references, 1);
    return shared;
}

void orff_kernel_free(orff_kernel *kernel) {
    if (!kernel || atomic_fetch_sub(&kernel->references, 1) > 1) return;
    for (size_t i = 0; kernel->parts && i < kernel->n_parts; i++) clear_part(&kernel->parts[i]);
    orffi_release(kernel->parts);
    orffi_release(kernel->groups);
    orffi_release(kernel->unit);
    orffi_release(kernel);
}

size_t orff_kernel_inputs(const orff_kernel *kernel) {
    return kernel->d;
}
size_t orff_kernel_outputs(const orff_kernel *kernel) {
    return kernel->p;
}
size_t orff_kernel_groups(const orff_kernel *kernel) {
    return kernel->n_groups;
}

orff_status orff_part_moments(const orff_part *part, size_t d, size_t p, double moments[3]) {
    orffi_kernel_part built = {0};
    const orffi_kernel_how plainly = {0};
    if (!part || !moments) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_part_moments: NULL argument");
    if (orffi_rule_find(part->rule) && orffi_rule_find(part->rule)->own_law)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a signature has no base spectrum, so its moments are unknown");
    const orff_status status = build_part(&built, d, p, &plainly, part);
    for (int k = 1; !status && k <= 3; k++) moments[k - 1] = orffi_spectrum_moment(&built.law, k);
    clear_part(&built);
    return status;
}

/* ---- exact values */

orff_status orffi_part_exact(const orffi_kernel_part *part, size_t count, const double *delta, double *K) {
    if (part->rule->exact_many) return part->rule->exact_many(part, count, delta, K);
    for (size_t i = 0; i < count; i++)
        ORFFI_TRY(part->rule->exact(part, delta + i * part->d, K + i * part->p * part->p));
    return ORFF_OK;
}

/* K = sum of root^2 K_part at `count` differences (count x d); K and scratch are count x p x p. */
static orff_status sum_parts(const orff_kernel *kernel, size_t count, const double *delta, double *K,
                             double *scratch) {
    const size_t size = count * kernel->p * kernel->p;
    memset(K, 0, size * sizeof *K);
    for (size_t i = 0; i < kernel->n_parts; i++) {
        const orffi_kernel_part *part = &kernel->parts[i];
        ORFFI_TRY(orffi_part_exact(part, count, delta, scratch));
        for (size_t k = 0; k < size; k++) K[k] += part->root * part->root * scratch[k];
    }
    return ORFF_OK;
}

orff_status orffi_kernel_exact(const orff_kernel *kernel, const double *delta, double *K) {
    double *work, *sum;
    const size_t pp = kernel->p * kernel->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * pp));
    sum = work + pp;
    const orff_status status = sum_parts(kernel, 1, delta, sum, work);
    if (!status) memcpy(K, sum, pp * sizeof *K);
    orffi_release(work);
    return status;
}

orff_status orff_kernel_eval(const orff_kernel *kernel, const double *x, const double *z, double *K) {
    double *delta;
    if (!kernel || !x || !z || !K)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_kernel_eval: NULL argument");
    ORFFI_TRY(orffi_check_finite("x", 1, kernel->d, x));
    ORFFI_TRY(orffi_check_finite("z", 1, kernel->d, z));
    ORFFI_TRY(ORFFI_NEW_ARRAY(delta, kernel->d));
    for (size_t i = 0; i < kernel->d; i++) delta[i] = x[i] - z[i];
    const orff_status status = orffi_kernel_exact(kernel, delta, K);
    orffi_release(delta);
    return status;
}

/* The number of differences evaluated at once: many for callbacks, otherwise few enough for the cache. */
static size_t gram_width(const orff_kernel *kernel, size_t m) {
    const size_t most = kernel->has_callbacks ? 1024 : 16;
    return m < most ? m : most;
}

/* Row i of blocks: K(x, Z_j) for all j into rows of length m p. work: width (2 p^2 + d). */
static orff_status gram_row(const orff_kernel *kernel, const double *x, size_t m, const double *Z,
                            double *rows, double *work) {
    const size_t p = kernel->p, d = kernel->d, width = gram_width(kernel, m);
    double *K = work, *scratch = K + width * p * p, *delta = scratch + width * p * p;
    for (size_t first = 0; first < m; first += width) {
        const size_t now = m - first < width ? m - first : width;
        for (size_t j = 0; j < now; j++)
            for (size_t k = 0; k < d; k++) delta[j * d + k] = x[k] - Z[(first + j) * d + k];
        ORFFI_TRY(sum_parts(kernel, now, delta, K, scratch));
        for (size_t j = 0; j < now; j++)
            for (size_t a = 0; a < p; a++)
                memcpy(rows + a * m * p + (first + j) * p, K + (j * p + a) * p, p * sizeof *rows);
    }
    return ORFF_OK;
}

/* Each thread has its own scratch. Only callbacks can fail, and kernels with callbacks use one thread, so the
 * message reaches the caller. */
static orff_status gram_rows(const orff_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                             double *G) {
    const size_t p = kernel->p, d = kernel->d, room = gram_width(kernel, m) * (2 * p * p + d);
    const int threads = kernel->has_callbacks ? 1 : orffi_thread_count();
    double *work;
    orff_status status = ORFF_OK;
    ORFFI_TRY(orffi_alloc(&work, room * (size_t)threads, sizeof *work));
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        double *mine = work + room * (size_t)orffi_thread_index();
#pragma omp for schedule(dynamic, 8)
        for (size_t i = 0; i < n; i++) {
            if (threads == 1 && status) continue;
            const orff_status row = gram_row(kernel, X + i * d, m, Z, G + i * p * m * p, mine);
            if (row) status = row;
        }
    }
    orffi_release(work);
    return status;
}

orff_status orff_kernel_gram(const orff_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                             double *G) {
    if (!kernel || !X || !Z || !G)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_kernel_gram: NULL argument");
    ORFFI_TRY(orffi_check_finite("X", n, kernel->d, X));
    ORFFI_TRY(orffi_check_finite("Z", m, kernel->d, Z));
    return gram_rows(kernel, n, X, m, Z, G);
}
