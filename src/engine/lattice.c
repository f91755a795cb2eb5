/* The lattice engine: what is prepared, and what can be asked of it. */
#include "engine/lattice.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/periods.h"
#include "engine/reach.h"
#include "lattice/fft.h"
#include "lattice/functionals.h"

#define TOLERANCE 1e-6 /* of the kernel, where none is asked for */
#define OF_NOISE  0.01 /* what lattices may leave out, in variances of the noise: rows cannot tell */
/* Of the sums over rows: below what N lambda is beside N, but for noise that is no more than rounding. */
#define TRANSFORM     1e-10
#define MOST_KEPT     400000 /* rows x outputs */
#define NOTABLE_LOSS  0.1
#define UNKNOWN_NOISE 0.1 /* of the field, where lambda is still to be found */
#define MOST_SAMPLED \
    2000000 /* rows whose error bars come without being asked for: they take as long as the fit */
#define STREAM_SLACK 0.25  /* of the extent: later rows of a stream may lie outside of the first */
#define MOST_NOISY   40000 /* the same where noise is not small: iterations are more, but quick */
#define CARRIED      0.01  /* length scales may be outside of what a lattice was made for by this share */

/* ---- what it can do */

static orff_status suits(const orff_settings *s, size_t d, size_t p, size_t rows, size_t *bytes) {
    (void)rows;
    const size_t few = d < ORFFI_LATTICE_MOST ? d : ORFFI_LATTICE_MOST;
    const double fine = pow(4.0, (double)few) *
                        (double)orffi_lattice_most(few); /* four points for an unknown, along each input */
    const double grids = 8.0 * fine * (double)(p + 1) * (double)(s->folds + 1);
    *bytes = grids < (double)(SIZE_MAX / 2) ? (size_t)grids : SIZE_MAX;
    ORFFI_TRY(orffi_fft_require());
    if (d > ORFFI_LATTICE_MOST)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the %s engine is for up to %d inputs, but there are %zu; use the engine %s",
                          orff_engine_name(ORFF_ENGINE_LATTICE), ORFFI_LATTICE_MOST, d,
                          orff_engine_name(ORFF_ENGINE_FEATURES));
    if (s->loss != ORFF_LOSS_SQUARED)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s engine is for the squared loss; for %s use %s",
                          orff_engine_name(ORFF_ENGINE_LATTICE), orff_loss_name(s->loss),
                          orff_engine_name(ORFF_ENGINE_FEATURES));
    if (s->solver != ORFF_SOLVER_AUTO)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "the %s solver belongs to the engine %s, not to %s",
                          orff_solver_name(s->solver), orff_engine_name(ORFF_ENGINE_FEATURES),
                          orff_engine_name(ORFF_ENGINE_LATTICE));
    for (size_t m = 0; m < s->n_parts; m++)
        if (orffi_part_is_hermitian(&s->parts[m]))
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "the %s engine has no kernels with complex blocks; use %s or %s",
                              orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(ORFF_ENGINE_EXACT),
                              orff_engine_name(ORFF_ENGINE_FEATURES));
    for (size_t m = 0; m < s->n_parts; m++)
        if (s->parts[m].wavelengths || s->parts[m].learn_wavelengths)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "the %s engine has no parts with wavelengths; use %s or %s",
                              orff_engine_name(ORFF_ENGINE_LATTICE), orff_engine_name(ORFF_ENGINE_EXACT),
                              orff_engine_name(ORFF_ENGINE_FEATURES));
    if (s->single)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "lattices are computed in double precision, not in single");
    return ORFF_OK;
}

static bool compares(const orff_kernel *kernel, size_t rows) {
    (void)kernel, (void)rows;
    return false;
}

/* ---- rows */

static void release(void *rows) {
    orffi_lattice_rows *r = rows;
    if (!r) return;
    orffi_lattice_unbind(r);
    orffi_lattice_set_clear(&r->total);
    orffi_lattice_moments_free(r->own);
    orffi_table_clear(&r->gathered);
    orffi_release(r->mean);
    orffi_release(r->squares);
    orff_kernel_free(r->kernel);
    orffi_release(r);
}

static orff_status prepare(void **rows, const orffi_task *task, const orff_kernel *kernel) {
    orffi_lattice_rows *r;
    if (!task->extent || !task->middle)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a lattice needs the range of the inputs");
    ORFFI_TRY(ORFFI_NEW(r));
    r->task = *task;
    r->kernel = orffi_kernel_retain(kernel);
    r->transform = TRANSFORM;
    for (size_t i = 0; i < kernel->d; i++) {
        r->extent[i] = task->extent[i];
        r->middle[i] = task->middle[i];
    }
    *rows = r;
    return ORFF_OK;
}

/* trace K(0)/p; 0 where the kernel has no exact form. */
static orff_status kernel_size(const orff_kernel *kernel, double *size) {
    const double zero[ORFFI_LATTICE_MOST] = {0};
    double *K;
    *size = 0.0;
    if (!orffi_lattice_has_exact(kernel)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(K, kernel->p * kernel->p));
    const orff_status status = orffi_kernel_exact(kernel, zero, K);
    for (size_t a = 0; !status && a < kernel->p; a++) *size += K[a * (kernel->p + 1)] / (double)kernel->p;
    orffi_release(K);
    return status;
}

orff_status orffi_lattice_noise_ratio(const orffi_lattice_rows *r, const orff_kernel *kernel, double weight,
                                      double *ratio) {
    const double lambda = r->task.settings->lambda;
    double size;
    *ratio = r->task.shift;
    if (*ratio > 0.0 || !(lambda > 0.0)) return ORFF_OK;
    ORFFI_TRY(kernel_size(kernel, &size));
    if (size > 0.0) *ratio = lambda * (r->directed > 0.0 ? r->directed : weight) / size;
    return ORFF_OK;
}

/* Blocks of neighbours have room for so many outputs; directed rows are summed up, however few. */
static bool can_keep(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known, size_t most) {
    return !(r->directed > 0.0) && known && known <= most / kernel->p && orffi_lattice_has_exact(kernel) &&
           (orffi_lattice_is_scalar(kernel) || kernel->p <= ORFFI_NEIGHBOURS_MOST);
}

orff_status orffi_lattice_choose_for(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known,
                                     orffi_lattice *lattice, orffi_lattice_quality *quality) {
    const orff_settings *s = r->task.settings;
    double extent[ORFFI_LATTICE_MOST], noise;
    ORFFI_TRY(orffi_lattice_noise_ratio(r, kernel, (double)known, &noise));
    noise /= fmax(r->finest, 1.0);
    for (size_t i = 0; i < kernel->d; i++)
        extent[i] =
            orffi_is_periodic(kernel->parts[0].law.period, i) ? kernel->parts[0].law.period[i] : r->extent[i];
    const orffi_lattice_need need = {.anyhow = can_keep(r, kernel, known, MOST_KEPT),
                                     .center = r->middle,
                                     .extent = extent,
                                     .periods = kernel->parts[0].law.period,
                                     .rows = (double)known,
                                     .noise = s->sampling.tolerance > 0.0 ? 0.0 : noise,
                                     .tolerance = s->sampling.tolerance > 0.0
                                                      ? s->sampling.tolerance
                                                      : fmax(TOLERANCE, OF_NOISE * fmin(noise, 1.0))};
    return orffi_lattice_choose(lattice, kernel, &need, quality);
}

static orff_status add_rows(orffi_lattice_sums *sums, const orffi_source *source, size_t d, size_t p) {
    orffi_table block = {0};
    const orffi_table *t = source->table;
    size_t n = 1;
    if (t && t->along)
        return orffi_lattice_sums_add_directed(sums, t->n - t->functionals, t->X, t->Y, t->weights, t->along);
    if (t) return orffi_lattice_sums_add(sums, t->n, t->X, t->Y, t->weights);
    orff_status status = orffi_table_init(&block, 65536, d, p, source->reader.weighted);
    for (size_t row = 0; !status && n; row += n) {
        n = 0;
        const int code =
            source->reader.read(source->reader.self, block.n, block.X, block.Y, block.weights, &n);
        if (code) status = orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %zu", code, row);
        if (!status) status = orffi_lattice_sums_add(sums, n, block.X, block.Y, block.weights);
    }
    orffi_table_clear(&block);
    return status;
}

/* Rows of a stream may lie where the first did not: beyond what was left free for them they would come near to the images
 * of others. */
static orff_status check_range(const orffi_lattice_rows *r) {
    const orffi_lattice_moments *m = r->own;
    for (size_t i = 0; i < m->lattice.d; i++)
        if (m->low[i] < r->middle[i] - 0.5 * r->extent[i] || m->high[i] > r->middle[i] + 0.5 * r->extent[i])
            return orffi_fail(
                ORFF_ERROR_INVALID_ARGUMENT,
                "later rows lie far outside the range of the first ones in input %zu; shuffle the rows, or "
                "give enough memory to read them all at once",
                i + 1);
    return ORFF_OK;
}

/* Whether error bars come from samples. */
static bool wants_samples(const orffi_lattice_rows *r, size_t known) {
    const orff_switch wanted = r->task.settings->posterior;
    const bool may = wanted == ORFF_SWITCH_AUTO && known && known <= MOST_SAMPLED;
    return (may || wanted == ORFF_SWITCH_YES) && !r->task.scores &&
           !orffi_lattice_is_direct(r->kernel, &r->lattice, r->directed > 0.0);
}

static orff_status check_weights(const orffi_lattice_moments *m) {
    uint64_t rows = 0;
    for (size_t f = 0; f < m->n_sets; f++) rows += m->sets[f].rows;
    if (rows) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "all weights are zero: there are no rows to learn from");
}

/* The last rows of a table, which come after those of one point each. */
static orff_status add_functionals(orffi_lattice_moments *m, const orffi_table *t, uint64_t seed) {
    const size_t first = t->n - t->functionals;
    ORFFI_TRY(orffi_lattice_functionals_create(&m->functionals, &m->lattice, m->p, t->functionals,
                                               t->points + first, t->X, t->along, t->Y + first,
                                               t->weights + first));
    orffi_lattice_functionals_count(m->functionals, &m->sets[0]);
    return orffi_lattice_functionals_draw(m->functionals, seed, m->draws, m->E);
}

static orff_status sum_rows(orffi_lattice_rows *r, const orffi_source *source) {
    const orff_settings *s = r->task.settings;
    orffi_lattice_sums *sums = NULL;
    const bool samples = wants_samples(r, source->table ? source->table->n : source->known);
    const orffi_lattice_pass pass = {.p = r->kernel->p,
                                     .directed = r->directed > 0.0,
                                     .draws = !samples                          ? 0
                                              : s->posterior == ORFF_SWITCH_YES ? ORFFI_LATTICE_DRAWS_ASKED
                                                                                : ORFFI_LATTICE_DRAWS,
                                     .tolerance = r->transform,
                                     .folds = {.folds = samples ? 1 : r->task.folds,
                                               /* their grids are many enough */ .seed = s->sampling.seed}};
    ORFFI_TRY(orffi_lattice_moments_create(&r->own, &r->lattice, &pass));
    r->moments = r->own;
    orff_status status = orffi_lattice_sums_create(&sums, r->own, &pass);
    if (!status) status = add_rows(sums, source, r->kernel->d, r->kernel->p);
    if (!status && !source->table && !source->known) status = check_range(r);
    if (!status) status = check_weights(r->own);
    if (!status) status = orffi_lattice_sums_finish(sums);
    if (!status && source->table && source->table->functionals)
        status = add_functionals(r->own, source->table, s->sampling.seed);
    orffi_lattice_sums_free(sums);
    return status;
}

/* Rows without weight say nothing. */
static void drop_weightless(orffi_table *t) {
    size_t kept = 0;
    for (size_t i = 0; t->weights && i < t->n; i++) {
        if (!(t->weights[i] > 0.0)) continue;
        memmove(t->X + kept * t->d, t->X + i * t->d, t->d * sizeof *t->X);
        memmove(t->Y + kept * t->p, t->Y + i * t->p, t->p * sizeof *t->Y);
        t->weights[kept++] = t->weights[i];
    }
    if (t->weights) t->n = kept;
}

static orff_status copy_table(const orffi_table *from, orffi_table *to) {
    ORFFI_TRY(orffi_table_init(to, from->n, from->d, from->p, from->weights != NULL));
    memcpy(to->X, from->X, from->n * from->d * sizeof *to->X);
    memcpy(to->Y, from->Y, from->n * from->p * sizeof *to->Y);
    if (from->weights) memcpy(to->weights, from->weights, from->n * sizeof *to->weights);
    return ORFF_OK;
}

static orff_status keep_rows(orffi_lattice_rows *r, const orffi_source *source) {
    const size_t d = r->kernel->d, p = r->kernel->p;
    r->table = source->table && !source->table->weights ? source->table : &r->gathered;
    if (r->table == source->table) return ORFF_OK;
    ORFFI_TRY(source->table ? copy_table(source->table, &r->gathered)
                            : orffi_table_gather(&r->gathered, &source->reader, source->expected, d, p));
    drop_weightless(&r->gathered);
    if (r->gathered.n) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "all weights are zero: there are no rows to learn from");
}

/* What the lattice leaves out of the kernel acts like noise: beyond a tenth of that of the rows it would be seen. */
static bool is_missed(const orffi_lattice_rows *r, double noise) {
    return r->quality.cut > NOTABLE_LOSS * (noise > 0.0 ? noise : UNKNOWN_NOISE);
}

/* Then the nearest rows have to stand in for it. Where the lattice ends at waves that as many rows cannot tell if they lie evenly,
 * they may still tell them where they crowd: what is left out may be as much as rows leave unknown of each other. Up to there
 * all rows together are better, in gaps above all. */
static orff_status find_local(orffi_lattice_rows *r, const orff_kernel *kernel, const orffi_table *table,
                              size_t known) {
    double noise, unknown = INFINITY;
    ORFFI_TRY(orffi_lattice_noise_ratio(r, kernel, (double)known, &noise));
    r->local = is_missed(r, noise) && can_keep(r, kernel, known, MOST_KEPT);
    if (!r->local || r->quality.band_limited) return ORFF_OK;
    if (table && noise > 0.0) ORFFI_TRY(orffi_lattice_crowding(kernel, table, noise, &unknown));
    r->local = r->quality.cut > unknown;
    return ORFF_OK;
}

static orff_status set_directed(orffi_lattice_rows *r, const orffi_table *table) {
    r->directed = table->N;
    r->walls = table->walls;
    for (size_t i = table->n - table->functionals; i < table->n; i++)
        r->finest = fmax(r->finest, table->weights[i]);
    if (table->p <= ORFFI_LATTICE_OUTPUTS) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "a lattice accepts rows with missing outputs or directions for up to %d outputs, but there are %zu: "
        "drop such rows, or use the engine %s or %s",
        ORFFI_LATTICE_OUTPUTS, table->p, orff_engine_name(ORFF_ENGINE_EXACT),
        orff_engine_name(ORFF_ENGINE_FEATURES));
}

/* No rows are kept that could make a better preconditioner. */
static void warn_slow(const orffi_lattice_rows *r, size_t known, double noise) {
    if (!(r->directed > 0.0) || r->task.scores || !(noise > 0.0 && noise < ORFFI_SMALL_NOISE) ||
        orffi_lattice_is_direct(r->kernel, &r->lattice, true))
        return;
    orffi_log(ORFF_LOG_WARNING,
              "%zu values of rows with errors, directions or missing outputs have a noise variance of only "
              "%.1g of the field's; with so little noise a lattice takes many iterations and may not "
              "converge",
              known, noise);
}

/* Moments serve many noisy rows, as their steps cost what the waves do. With more waves than rows they are no quicker, and error
 * bars of kept rows come from the nearest, where waves need a solution for each of their samples. */
static bool prefers_rows(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known, double noise) {
    const bool few = known <= orffi_lattice_unknowns(&r->lattice);
    if (orffi_lattice_is_direct(kernel, &r->lattice, false)) return false;
    return can_keep(r, kernel, known, noise < ORFFI_SMALL_NOISE || few ? MOST_KEPT : MOST_NOISY);
}

/* Rows are kept where the modes are too many for a dense solution, the rows are not too many to be kept, and their noise is
 * small: then the nearest rows tell most of what there is to know about a point. Else many rows together do, and moments have
 * them. They are kept too where the modes do not carry the kernel: it is rough then, and the nearest rows hide the others. */
static orff_status read_rows(void *rows, const orffi_source *source) {
    orffi_lattice_rows *r = rows;
    const size_t known = source->table ? source->table->n : source->known;
    if (source->table && source->table->along) ORFFI_TRY(set_directed(r, source->table));
    for (size_t i = 0; !known && i < r->kernel->d; i++) r->extent[i] *= 1.0 + 2.0 * STREAM_SLACK;
    double noise;
    ORFFI_TRY(orffi_lattice_choose_for(r, r->kernel, known, &r->lattice, &r->quality));
    ORFFI_TRY(orffi_lattice_noise_ratio(r, r->kernel, (double)known, &noise));
    r->quiet = noise > 0.0 && noise < ORFFI_SMALL_NOISE;
    orffi_source all = *source;
    const bool whether = !all.table && is_missed(r, noise) && can_keep(r, r->kernel, known, MOST_KEPT);
    if (whether) ORFFI_TRY(keep_rows(r, source)); /* only they say whether they crowd */
    if (whether) all.table = r->table;
    ORFFI_TRY(find_local(r, r->kernel, all.table, known));
    r->keeps = r->local || prefers_rows(r, r->kernel, known, noise);
    warn_slow(r, known, noise);
    if (r->keeps) return whether ? ORFF_OK : keep_rows(r, source);
    ORFFI_TRY(sum_rows(r, &all));
    if (whether) orffi_table_clear(&r->gathered);
    if (whether) r->table = NULL;
    return ORFF_OK;
}

/* Whether the lattice is at least as large, in period and cut, as the one that the kernel would get. */
static bool covers(const orffi_lattice *l, const orffi_lattice *other) {
    for (size_t i = 0; i < l->d; i++)
        if (l->period[i] < 0.99 * other->period[i] ||
            (double)l->m[i] / l->period[i] < 0.99 * (double)other->m[i] / other->period[i])
            return false;
    return true;
}

/* Length scales within the range that the lattice was made for, or nearly. */
static orff_status check_carried(const orff_kernel *kernel, const orff_lattice_moments *moments) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        for (size_t i = 0; kernel->parts[m].law.base && i < kernel->d; i++) {
            const double scale = kernel->parts[m].law.scale[i];
            if (scale < (1.0 - CARRIED) * moments->shortest[i] ||
                scale > (1.0 + CARRIED) * moments->longest[i])
                return orffi_fail(ORFF_ERROR_MISMATCH,
                                  "the length scale %g of input %zu is not one that the lattice of these "
                                  "moments was made for: %g to %g; make moments for a wider range",
                                  scale, i + 1, moments->shortest[i], moments->longest[i]);
        }
    return ORFF_OK;
}

/* Weights that errors were taken into add up to what they did without: noise is that of a number of average quality. */
static void even_weights(orffi_lattice_moments *m, double plain) {
    const size_t side = m->p + 1;
    double sum = 0.0;
    for (size_t f = 0; f < m->n_sets; f++)
        sum += m->directed ? m->sets[f].weight : m->sets[f].T[side * side - 1];
    if (sum > 0.0 && plain > 0.0) orffi_lattice_moments_scale(m, plain / sum);
}

/* Of the lattice of moments, what the kernel needs. */
static orff_status narrow(orffi_lattice_rows *r, const orff_lattice_moments *moments, bool folds) {
    const double asked = r->task.settings->sampling.tolerance,
                 N = orff_lattice_moments_describe(moments).weight;
    double noise = 0.0;
    if (!(asked > 0.0)) ORFFI_TRY(orffi_lattice_noise_ratio(r, r->kernel, N, &noise));
    const orffi_lattice_need need = {
        .rows = N,
        .noise = noise,
        .tolerance = fmax(moments->tolerance, asked > 0.0 ? asked : OF_NOISE * fmin(noise, 1.0))};
    ORFFI_TRY(orffi_lattice_narrow(&r->lattice, r->kernel, &need));
    ORFFI_TRY(orffi_lattice_moments_narrow(&r->own, moments->sums, &r->lattice, folds));
    r->moments = r->own;
    if (moments->errors) even_weights(r->own, moments->plain);
    return ORFF_OK;
}

orff_status orffi_lattice_rows_of_moments(void **rows, const orffi_task *task, const orff_kernel *kernel,
                                          const orff_lattice_moments *moments, bool folds) {
    if (kernel->p != moments->sums->p)
        return orffi_fail(ORFF_ERROR_MISMATCH, "the moments have %zu outputs, the kernel %zu",
                          moments->sums->p, kernel->p);
    ORFFI_TRY(check_carried(kernel, moments));
    ORFFI_TRY(prepare(rows, task, kernel));
    orffi_lattice_rows *r = *rows;
    r->lattice = moments->sums->lattice;
    r->directed = moments->sums->directed ? moments->N : 0.0;
    orffi_lattice_judge(&r->lattice, kernel, moments->tolerance, &r->quality);
    return narrow(r, moments, folds);
}

static bool serves(const void *rows, const orff_kernel *kernel) {
    const orffi_lattice_rows *r = rows;
    orffi_lattice lattice;
    orffi_lattice_quality quality;
    if (kernel == r->kernel) return true;
    if (r->keeps) return can_keep(r, kernel, r->table->n, MOST_KEPT);
    return orffi_lattice_choose_for(r, kernel, r->moments->sets[0].rows * r->moments->n_sets, &lattice,
                                    &quality) == ORFF_OK &&
           covers(&r->moments->lattice, &lattice);
}

static bool shares(const void *rows, const void *other) {
    const orffi_lattice_rows *a = rows, *b = other;
    if (a->keeps) return true;
    return a->moments && a->task.folds == b->task.folds &&
           a->task.settings->sampling.seed == b->task.settings->sampling.seed && serves(rows, b->kernel);
}

static void borrow(void *other, const void *rows) {
    orffi_lattice_rows *to = other;
    const orffi_lattice_rows *from = rows;
    to->moments = from->moments;
    to->lattice = from->lattice;
    to->keeps = from->keeps;
    to->directed = from->directed;
    to->walls = from->walls;
    to->quiet = from->quiet;
    to->table = from->table;
    to->quality = from->quality;
    memcpy(to->extent, from->extent, sizeof to->extent);
    memcpy(to->middle, from->middle, sizeof to->middle);
}

/* ---- the criterion */

static double weight(const void *rows) {
    const orffi_lattice_rows *r = rows;
    const size_t p = r->kernel->p;
    double sum = 0.0;
    if (r->keeps) return orffi_table_weight(r->table);
    if (r->directed > 0.0) return r->directed;
    for (size_t f = 0; f < r->moments->n_sets; f++) sum += r->moments->sets[f].T[(p + 1) * (p + 1) - 1];
    return sum;
}

static orff_status bind(orffi_lattice_rows *r, const orff_kernel *kernel) {
    if (!r->keeps || r->bound == kernel) return orffi_lattice_bind(r, kernel);
    orffi_lattice_unbind(r);
    orff_status status = orffi_kept_bind(r, kernel);
    if (!status) status = find_local(r, kernel, r->table, r->table->n);
    if (status) orffi_lattice_unbind(r);
    return status;
}

static orff_status size(void *rows, const orff_kernel *kernel, double *out) {
    orffi_lattice_rows *r = rows;
    ORFFI_TRY(bind(r, kernel));
    *out = r->system.trace > 0.0 ? r->system.trace : 1.0;
    return ORFF_OK;
}

/* One lambda of a path: the evidence decides. */
static orff_status try_lambda(orffi_lattice_rows *r, double lambda, double *error, orff_path_point *point) {
    orffi_lattice_solution found;
    ORFFI_TRY(r->keeps ? orffi_kept_solve_at(r, lambda, false, &found)
                       : orffi_lattice_solve_at(r, lambda, true, &found));
    *error = -found.profile;
    if (point)
        *point = (orff_path_point){.lambda = lambda,
                                   .log_evidence = found.log_evidence,
                                   .dof = found.dof,
                                   .train_mse = NAN,
                                   .gcv = NAN,
                                   .cv_mse = NAN,
                                   .noise = NAN};
    return ORFF_OK;
}

/* The evidence rises to one top and falls again: the thirds of what is left are compared. */
static orff_status climb(orffi_lattice_rows *r, size_t count, const double *lambdas, orffi_criterion *c) {
    size_t low = 0, high = count - 1;
    for (size_t l = 0; l < count; l++) {
        c->errors[l] = NAN;
        if (c->points)
            c->points[l] = (orff_path_point){.lambda = lambdas[l],
                                             .log_evidence = NAN,
                                             .dof = NAN,
                                             .train_mse = NAN,
                                             .gcv = NAN,
                                             .cv_mse = NAN,
                                             .noise = NAN};
    }
    while (true) {
        const size_t third = (high - low) / 3, one = low + third, two = high - third;
        const size_t both[2] = {two, one}; /* from large lambdas, which are easy, to small ones */
        for (size_t i = 0; i < 2; i++)
            if (isnan(c->errors[both[i]]))
                ORFFI_TRY(try_lambda(r, lambdas[both[i]], &c->errors[both[i]],
                                     c->points ? &c->points[both[i]] : NULL));
        if (third == 0) {
            if (high - low != 2) break;
            high--; /* the one between */
            continue;
        }
        if (c->errors[one] < c->errors[two])
            high = two - 1;
        else
            low = one + 1;
    }
    return ORFF_OK;
}

static size_t best_of(size_t count, const double *errors) {
    size_t best = count;
    for (size_t l = 0; l < count; l++)
        if (!isnan(errors[l]) && (best == count || errors[l] <= errors[best])) best = l;
    return best;
}

/* Errors of rows left out at one lambda: each row in turn, or each fold. */
static orff_status cross(orffi_lattice_rows *r, double lambda, double *errors) {
    orffi_lattice_solution found;
    double *train;
    if (!r->keeps) return orffi_lattice_cross(r, lambda, errors);
    ORFFI_TRY(ORFFI_NEW_ARRAY(train, r->table->p));
    orff_status status = orffi_kept_solve_at(r, lambda, !r->local, &found);
    if (!status) status = orffi_kept_errors(r, lambda, train, errors);
    orffi_release(train);
    return status;
}

static orff_status criterion(void *rows, const orff_kernel *kernel, size_t count, const double *lambdas,
                             orffi_criterion *c) {
    orffi_lattice_rows *r = rows;
    const size_t p = kernel->p;
    ORFFI_TRY(bind(r, kernel));
    for (size_t i = 0; i < count * p; i++) c->outputs[i] = NAN;
    ORFFI_TRY(climb(r, count, lambdas, c));
    c->told = true;
    const size_t best = best_of(count, c->errors);
    if (best == count || (!r->keeps && r->moments->n_sets < 2)) return ORFF_OK;
    ORFFI_TRY(cross(r, lambdas[best], c->outputs + best * p));
    double mean = 0.0;
    for (size_t a = 0; a < p; a++) mean += c->outputs[best * p + a] / (double)p;
    if (c->points) c->points[best].cv_mse = mean;
    c->crossed = true;
    return ORFF_OK;
}

/* ---- the fit */

static void warn(const orffi_lattice_rows *r, orffi_lattice_fit *fit) {
    if (!r->quality.band_limited || r->quality.cut < 0.01 || r->local) return;
    fit->warnings |= ORFF_WARN_BAND_LIMIT;
    snprintf(fit->warning, sizeof fit->warning,
             "the lattice leaves out waves with %.2g of the kernel's variance: they are shorter than the "
             "rows resolve, or than %zu modes can represent",
             r->quality.cut, orffi_lattice_unknowns(&fit->lattice));
}

/* What helps where iterations of directed rows ended too soon. */
static void warn_unconverged(const orff_solve_info *solve, double numbers) {
    orffi_log(
        ORFF_LOG_WARNING,
        "the solution did not converge: after %zu iterations a residual of %.2g is left. What helps: the "
        "engine %s, whose matrix takes %.2g GB; complete rows without errors; more noise, by a larger "
        "lambda; a smoother base; more iterations",
        solve->iterations, solve->residual, orff_engine_name(ORFF_ENGINE_EXACT), 8e-9 * numbers * numbers);
}

static void fill_solve(const orffi_lattice_rows *r, double lambda, const orffi_lattice_solution *found,
                       orffi_report *report) {
    const bool direct = !r->keeps && orffi_lattice_block_is_all(&r->block);
    memcpy(report->mean, r->mean, r->kernel->p * sizeof *r->mean);
    report->N = orffi_lattice_observed(r) / (r->directed > 0.0 ? (double)r->kernel->p : 1.0);
    report->rows = r->keeps ? r->table->n : r->total.rows;
    report->lambda = lambda;
    report->dof = found->dof;
    report->log_evidence = found->log_evidence;
    report->solve = (orff_solve_info){.method = direct     ? "lattice-cholesky"
                                                : r->local ? "lattice-neighbours"
                                                : r->keeps ? "lattice-neighbours-pcg"
                                                           : "lattice-block-pcg",
                                      .iterations = found->iterations.done,
                                      .residual = found->iterations.reached,
                                      .converged = found->iterations.reached <=
                                                   fmax(r->task.settings->tolerance, FINEST_RESIDUAL)};
    if (!report->solve.converged && r->directed > 0.0 && !r->task.scores)
        warn_unconverged(&report->solve, (double)report->rows);
}

static orff_status fill_summed(orffi_lattice_rows *r, orffi_lattice_fit *fit, double lambda,
                               orffi_report *report) {
    const size_t p = r->moments->p;
    orffi_lattice_solution found;
    ORFFI_TRY(orffi_lattice_solve_at(r, lambda, true, &found));
    orffi_lattice_system_field(&r->system, r->theta, fit->V);
    ORFFI_TRY(orffi_lattice_errors(&r->system, &r->total, p, r->mean, fit->V, report->train_mse));
    for (size_t a = 0; a < p; a++) report->train_mse[a] /= orffi_lattice_observed(r);
    if (report->evident && !r->moments->directed) orffi_lattice_noises(r, report->evident);
    fill_solve(r, lambda, &found, report);
    ORFFI_TRY(orffi_lattice_keep_posterior(r, fit, lambda));
    report->crossed = r->moments->n_sets > 1;
    return report->crossed ? orffi_lattice_cross(r, lambda, report->cv_mse) : ORFF_OK;
}

static orff_status fill_kept(orffi_lattice_rows *r, orffi_lattice_fit *fit, double lambda,
                             orffi_report *report) {
    orffi_lattice_solution found;
    ORFFI_TRY(orffi_kept_solve_at(r, lambda, !r->local, &found));
    ORFFI_TRY(orffi_kept_field(r, fit->V));
    ORFFI_TRY(orffi_kept_errors(r, lambda, report->train_mse, report->cv_mse));
    if (report->evident) orffi_kept_noises(r, lambda, report->evident);
    if (report->left) ORFFI_TRY(orffi_kept_left(r, lambda, report->left));
    report->crossed = true;
    fill_solve(r, lambda, &found, report);
    fit->shift = r->N * lambda;
    if (r->local) return orffi_lattice_fit_keep_outputs(fit, r->table, r->mean);
    if (r->task.settings->posterior == ORFF_SWITCH_NO) return ORFF_OK;
    return orffi_lattice_fit_keep_rows(fit, r->table);
}

static orff_status learn(void **out, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report) {
    orffi_lattice_rows *r = rows;
    orffi_lattice_fit *fit;
    ORFFI_TRY(bind(r, kernel));
    ORFFI_TRY(orffi_lattice_fit_create(&fit, kernel, &r->lattice, r->transform));
    fit->directed = r->directed > 0.0;
    orff_status status = (r->keeps ? fill_kept : fill_summed)(r, fit, lambda, report);
    if (!status) status = orffi_lattice_fit_finish(fit);
    if (!status && !r->local) status = orffi_lattice_kernel_error(&r->system, r->extent, &fit->kernel_error);
    if (r->local) fit->kernel_error = NAN; /* the nearest rows have the exact one */
    warn(r, fit);
    if (status) {
        orffi_lattice_fit_free(fit);
    } else {
        *out = fit;
    }
    return status;
}

static const orff_kernel *kernel_of(const void *fit) {
    return ((const orffi_lattice_fit *)fit)->kernel;
}

static orff_status check_finite(const void *self) {
    const orffi_lattice_fit *fit = self;
    return orffi_check_finite("modes", fit->p, 2 * fit->H, (const double *)fit->V);
}

static void describe(const void *self, orff_model_info *info) {
    const orffi_lattice_fit *fit = self;
    info->frequencies = orffi_lattice_unknowns(&fit->lattice);
    info->parameters = info->frequencies * fit->p;
    info->has_posterior = fit->posterior != NULL || fit->samples != NULL || fit->rows.n > 0;
    info->kept_samples = fit->posterior || fit->rows.n ? 0 : fit->draws;
    info->warnings = fit->warnings;
    info->warning = fit->warning;
    info->kernel_error = fit->kernel_error;
}

const orffi_engine orffi_engine_lattice = {
    .id = ORFF_ENGINE_LATTICE,
    .suits = suits,
    .compares = compares,
    .prepare = prepare,
    .read = read_rows,
    .serves = serves,
    .shares = shares,
    .borrow = borrow,
    .weight = weight,
    .evident = true,
    .size = size,
    .criterion = criterion,
    .learn = learn,
    .release = release,
    .kernel = kernel_of,
    .check_finite = check_finite,
    .describe = describe,
    .values = orffi_lattice_values,
    .covariance = orffi_lattice_covariance,
    .derive = orffi_lattice_derive,
    .derived_covariance = orffi_lattice_derived_covariance,
    .has_derived_covariance = orffi_lattice_has_derived_covariance,
    .draw = orffi_lattice_draw_samples,
    .sum = orffi_lattice_sum,
    .pack = orffi_lattice_pack,
    .add = orffi_lattice_add,
    .load = orffi_lattice_load,
    .free = orffi_lattice_fit_free,
};
