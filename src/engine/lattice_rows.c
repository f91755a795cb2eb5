/* Rows for a lattice: which lattice they need, and whether they are summed up or kept. */
#include "engine/lattice.h"

#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/periods.h"
#include "lattice/functionals.h"

#define TOLERANCE 1e-6 /* of the kernel, by default */
/* Tolerance of the sums over rows: below N lambda relative to N, unless the noise is as small as rounding. */
#define TRANSFORM     1e-10
#define NOTABLE_LOSS  0.1
#define UNKNOWN_NOISE 0.1 /* of the field, where lambda is still to be found */
#define MOST_SAMPLED \
    2000000 /* rows whose error bars come without being asked for: they take as long as the fit */
#define TOGETHER \
    65536 /* rows that are summed up at once: whole blocks of the sums, so that they are the same */
#define STREAM_SLACK 0.25 /* of the extent: later rows of a stream may lie outside of the first */
/* Of matern: error bars of the nearest 60 of 60 000 noisy rows in space are 0.2, 4 and 25 % too large for 1/2, 3/2 and 5/2. Of
 * gaussian kernels they are twice too large, and there are few waves. */
#define HIDING     3.0
#define MOST_NOISY 40000 /* the same where noise is not small: iterations are more, but quick */

/* ---- rows */

void orffi_lattice_release(void *rows) {
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

orff_status orffi_lattice_prepare(void **rows, const orffi_task *task, const orff_kernel *kernel) {
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

orff_status orffi_lattice_kernel_size(const orff_kernel *kernel, double *size) {
    const double zero[ORFF_LATTICE_INPUTS] = {0};
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
    ORFFI_TRY(orffi_lattice_kernel_size(kernel, &size));
    if (size > 0.0) *ratio = lambda * (r->directed > 0.0 ? r->directed : weight) / size;
    return ORFF_OK;
}

bool orffi_lattice_can_keep(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known,
                            size_t most) {
    return !(r->directed > 0.0) && known && known <= most / kernel->p && orffi_lattice_has_exact(kernel) &&
           (orffi_lattice_is_scalar(kernel) || kernel->p <= ORFFI_NEIGHBOURS_MOST);
}

orff_status orffi_lattice_choose_for(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known,
                                     orffi_lattice *lattice, orffi_lattice_quality *quality) {
    const orff_settings *s = r->task.settings;
    double extent[ORFF_LATTICE_INPUTS], noise;
    ORFFI_TRY(orffi_lattice_noise_ratio(r, kernel, (double)known, &noise));
    noise /= fmax(r->finest, 1.0);
    for (size_t i = 0; i < kernel->d; i++)
        extent[i] =
            orffi_is_periodic(kernel->parts[0].law.period, i) ? kernel->parts[0].law.period[i] : r->extent[i];
    const orffi_lattice_need need = {
        .anyhow = orffi_lattice_can_keep(r, kernel, known, ORFFI_LATTICE_MOST_KEPT),
        .center = r->middle,
        .extent = extent,
        .periods = kernel->parts[0].law.period,
        .rows = (double)known,
        .noise = s->sampling.tolerance > 0.0 ? 0.0 : noise,
        .tolerance = s->sampling.tolerance > 0.0
                         ? s->sampling.tolerance
                         : fmax(TOLERANCE, ORFFI_LATTICE_OF_NOISE * fmin(noise, 1.0))};
    return orffi_lattice_choose(lattice, kernel, &need, quality);
}

/* ---- summed up */

static orff_status add_table(orffi_lattice_sums *sums, const orffi_table *t) {
    const size_t rows = t->n - t->functionals, d = t->d, p = t->p;
    for (size_t i = 0; i < rows; i += TOGETHER) {
        const size_t n = rows - i < TOGETHER ? rows - i : TOGETHER;
        ORFFI_TRY(orffi_progress("summing up", (double)i, (double)rows));
        if (t->along)
            ORFFI_TRY(orffi_lattice_sums_add_directed(sums, n, t->X + i * d, t->Y + i, t->weights + i,
                                                      t->along + i * p));
        else
            ORFFI_TRY(orffi_lattice_sums_add(sums, n, t->X + i * d, t->Y + i * p,
                                             t->weights ? t->weights + i : NULL));
    }
    return ORFF_OK;
}

static orff_status add_rows(orffi_lattice_sums *sums, const orffi_source *source, size_t d, size_t p) {
    orffi_table block = {0};
    size_t n = 1;
    if (source->table) return add_table(sums, source->table);
    orff_status status = orffi_table_init(&block, TOGETHER, d, p, source->reader.weighted);
    for (size_t row = 0; !status && n; row += n) {
        n = 0;
        status = orffi_progress("summing up", (double)row, (double)source->known);
        if (status) break;
        const int code =
            source->reader.read(source->reader.self, block.n, block.X, block.Y, block.weights, &n);
        if (code) status = orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %zu", code, row);
        if (!status) status = orffi_lattice_sums_add(sums, n, block.X, block.Y, block.weights);
    }
    orffi_table_clear(&block);
    return status;
}

/* Rows of a stream may lie outside the range of the first ones. Beyond the margin left for them they would
 * come near periodic images of other rows. */
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

size_t orffi_lattice_draws(const orffi_lattice_rows *r, size_t known) {
    const orff_switch wanted = r->task.settings->posterior;
    const bool may = wanted == ORFF_SWITCH_AUTO && known && known <= MOST_SAMPLED;
    if (!(may || wanted == ORFF_SWITCH_YES) || r->task.scores ||
        orffi_lattice_is_direct(r->kernel, &r->lattice, r->directed > 0.0))
        return 0;
    return wanted == ORFF_SWITCH_YES ? ORFFI_LATTICE_DRAWS_ASKED : ORFFI_LATTICE_DRAWS;
}

static orff_status check_weights(const orffi_lattice_moments *m) {
    uint64_t rows = 0;
    for (size_t f = 0; f < m->n_sets; f++) rows += m->sets[f].rows;
    if (rows) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "all weights are zero: there are no rows to learn from");
}

/* Adds functionals, the last rows of a table; all others have one point each. */
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
    const size_t draws = orffi_lattice_draws(r, source->table ? source->table->n : source->known);
    const orffi_lattice_pass pass = {.p = r->kernel->p,
                                     .directed = r->directed > 0.0,
                                     .draws = draws,
                                     .tolerance = r->transform,
                                     .folds = {.folds = draws ? 1 : r->task.folds,
                                               /* draws need many grids already */ .seed = s->sampling.seed}};
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

/* ---- kept */

/* Removes rows without weight. */
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

/* ---- summed up or kept */

/* What the lattice leaves out of the kernel acts like noise: beyond a tenth of the rows' noise it would be
 * noticeable. */
static bool is_missed(const orffi_lattice_rows *r, double noise) {
    return r->quality.cut > NOTABLE_LOSS * (noise > 0.0 ? noise : UNKNOWN_NOISE);
}

/* If so, values come from the nearest rows. Where the lattice ends at waves that evenly spread rows cannot
 * resolve, clusters of rows may still resolve them: the part left out may be as large as the variance of a
 * row given its neighbours. Up to there all rows together are better, above all in gaps. */
orff_status orffi_lattice_find_local(orffi_lattice_rows *r, const orff_kernel *kernel,
                                     const orffi_table *table, size_t known) {
    double noise, unknown = INFINITY;
    ORFFI_TRY(orffi_lattice_noise_ratio(r, kernel, (double)known, &noise));
    r->local = is_missed(r, noise) && orffi_lattice_can_keep(r, kernel, known, ORFFI_LATTICE_MOST_KEPT);
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
    if (table->p <= ORFF_LATTICE_OUTPUTS) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "a lattice accepts rows with missing outputs or directions for up to %d outputs, but there are %zu: "
        "drop such rows, or use the engine %s or %s",
        ORFF_LATTICE_OUTPUTS, table->p, orff_engine_name(ORFF_ENGINE_EXACT),
        orff_engine_name(ORFF_ENGINE_FEATURES));
}

/* Warns if no rows are kept that could give a better preconditioner. */
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

/* Whether the nearest rows hide those farther away (Stein 2002), of which error bars then know nothing. */
static bool is_rough(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++) {
        const orffi_spectrum *law = &kernel->parts[m].law;
        if (!law->base || orffi_spectrum_is_smooth(law, HIDING)) return false;
    }
    return true;
}

/* A dense solution is exact, and worth what a dense matrix of the rows may cost. Beyond that, rows that are fewer than the waves
 * are kept if their nearest determine values and error bars. */
static orff_status prefers_to_dense(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known,
                                    bool *prefers) {
    double work;
    if (known > orffi_lattice_unknowns(&r->lattice) || !is_rough(kernel)) return ORFF_OK;
    ORFFI_TRY(orffi_lattice_dense_work(r, kernel, &work));
    *prefers = work > pow(ORFFI_FEW_NUMBERS, 3.0);
    return ORFF_OK;
}

/* Error bars of kept rows come from the nearest, with the kernel beyond the lattice too: so few rows are kept in any case, those that
 * are no more than the waves, and those with little noise, for which iterations on waves go into hundreds. Else it is a matter of
 * work, where the nearest say enough: steps on waves cost what the waves do, and waves need a solution for each sample of error
 * bars. */
orff_status orffi_lattice_prefers_rows(const orffi_lattice_rows *r, const orff_kernel *kernel, size_t known,
                                       double noise, bool *prefers) {
    double kept, summed;
    *prefers = false;
    if (!orffi_lattice_can_keep(r, kernel, known, ORFFI_LATTICE_MOST_KEPT)) return ORFF_OK;
    if (orffi_lattice_is_direct(kernel, &r->lattice, false))
        return prefers_to_dense(r, kernel, known, prefers);
    *prefers = noise < ORFFI_SMALL_NOISE || known <= orffi_lattice_unknowns(&r->lattice) ||
               orffi_lattice_can_keep(r, kernel, known, MOST_NOISY);
    if (*prefers || !is_rough(kernel)) return ORFF_OK;
    ORFFI_TRY(orffi_lattice_compare(r, kernel, known, noise, &kept, &summed));
    *prefers = kept < summed;
    return ORFF_OK;
}

/* Rows are kept if the modes are too many for a dense solution, the rows are not too many, and their noise
 * is small, since then the nearest rows determine most of a prediction. Otherwise many rows together
 * determine it, and moments sum them up. Rows are also kept if the modes do not carry the kernel: it is
 * rough then, and the nearest rows screen off the others. */
orff_status orffi_lattice_read_rows(void *rows, const orffi_source *source) {
    orffi_lattice_rows *r = rows;
    const size_t known = source->table ? source->table->n : source->known;
    if (source->table && source->table->along) ORFFI_TRY(set_directed(r, source->table));
    for (size_t i = 0; !known && i < r->kernel->d; i++) r->extent[i] *= 1.0 + 2.0 * STREAM_SLACK;
    double noise;
    ORFFI_TRY(orffi_lattice_choose_for(r, r->kernel, known, &r->lattice, &r->quality));
    ORFFI_TRY(orffi_lattice_noise_ratio(r, r->kernel, (double)known, &noise));
    r->quiet = noise > 0.0 && noise < ORFFI_SMALL_NOISE;
    orffi_source all = *source;
    const bool whether = !all.table && is_missed(r, noise) &&
                         orffi_lattice_can_keep(r, r->kernel, known, ORFFI_LATTICE_MOST_KEPT);
    if (whether) ORFFI_TRY(keep_rows(r, source)); /* needed to see whether they are clustered */
    if (whether) all.table = r->table;
    ORFFI_TRY(orffi_lattice_find_local(r, r->kernel, all.table, known));
    r->keeps = r->local;
    if (!r->keeps) ORFFI_TRY(orffi_lattice_prefers_rows(r, r->kernel, known, noise, &r->keeps));
    warn_slow(r, known, noise);
    if (r->keeps) return whether ? ORFF_OK : keep_rows(r, source);
    ORFFI_TRY(sum_rows(r, &all));
    if (whether) orffi_table_clear(&r->gathered);
    if (whether) r->table = NULL;
    return ORFF_OK;
}
