/* Errors on held-out blocks of rows, or groups, at a small part of the cost of fitting again without them.
 *
 * Some blocks are drawn, with probabilities in proportion to their rows. Each is predicted by a Gaussian
 * process with the model's kernel, noise and lambda from the rows around it, at least one block wide on
 * all sides: these screen off farther ones. If they are too many for a small system, the nearest enter one
 * by one, and the others as means over cells that are small compared with a length scale. Groups: the rows
 * of a group in one block are predicted from all rows of other groups in and around it. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "exact/learn.h"
#include "model/held_out_unit.h"

#define STREAM   0x4845u
#define UNITS    80 /* blocks that are tested: a share of 5 % is then known to within 2.4 % */
#define TOGETHER 16 /* blocks between two progress reports */

/* ---- all units */

/* Draws rows to predict from the unit of a row. */
static void choose_tests(const orffi_left_field *f, orffi_left_unit *u, size_t draw) {
    const orffi_left_block *b = &f->blocks[u->block];
    const orffi_rng rng = {f->plan->settings.sampling.seed, STREAM};
    size_t met = 0;
    for (size_t i = 0; i < b->count; i++) {
        const size_t row = f->order[b->first + i].row;
        if (f->groups && !orffi_left_is_out(f, u, row)) continue;
        if (row >= f->measured || (f->table.weights && !(f->table.weights[row] > 0.0))) continue;
        const size_t at =
            met < u->wanted ? met : (size_t)orffi_rng_below(rng, i, (uint32_t)draw + 1, met + 1);
        if (at < u->wanted) u->test[at] = row;
        met++;
    }
    u->tests = met < u->wanted ? met : u->wanted;
}

static size_t block_of(const orffi_left_field *f, size_t place) {
    size_t low = 0, high = f->n_blocks;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(f->blocks[middle].first <= place ? &low : &high) = middle;
    }
    return low;
}

/* The result of a unit. */
typedef struct outcome {
    orff_status status;
    uint64_t id;                  /* of the block or group */
    size_t tests;                 /* 0: no rows to predict, or none to predict them from */
    double *F, *S, *Y;            /* ORFFI_LEFT_MOST x p */
    size_t rows[ORFFI_LEFT_MOST]; /* one per test: its row */
} outcome;

/* One row, by its place in the order of blocks, from each of `units` equal shares of all rows. */
static size_t draw_place(const orffi_left_field *f, size_t draw, size_t units) {
    const orffi_rng rng = {f->plan->settings.sampling.seed, STREAM};
    const size_t n = f->table.n;
    const double from = (double)n / (double)units * ((double)draw + orffi_rng_uniform(rng, draw, 0));
    return (size_t)from < n ? (size_t)from : n - 1;
}

/* Unit number `draw`. A block drawn several times is one unit: its first draw gets more rows to predict,
 * the others none. */
static orffi_left_unit make_unit(const orffi_left_field *f, size_t draw, size_t units) {
    const size_t place = draw_place(f, draw, units);
    orffi_left_unit u = {
        .block = block_of(f, place), .group_row = f->order[place].row, .wanted = ORFFI_LEFT_EACH};
    for (size_t i = 0; !f->groups && i < units; i++) {
        if (i == draw || block_of(f, draw_place(f, i, units)) != u.block) continue;
        if (i < draw) return u;
        u.wanted =
            u.wanted + ORFFI_LEFT_EACH <= ORFFI_LEFT_MOST ? u.wanted + ORFFI_LEFT_EACH : ORFFI_LEFT_MOST;
    }
    choose_tests(f, &u, draw);
    return u;
}

static void do_unit(const orffi_left_field *f, size_t draw, size_t units, outcome *out) {
    const size_t width = f->width;
    orffi_left_unit u = make_unit(f, draw, units);
    out->id = f->groups ? f->groups[u.group_row] : u.block;
    orff_status status = u.tests ? orffi_left_gather(f, &u) : ORFF_OK;
    const bool possible = !status && u.tests && u.n_seen;
    if (possible) status = orffi_left_choose_rows(f, &u);
    if (possible && !status) status = orffi_left_predict(f, &u, out->F, out->S);
    for (size_t i = 0; possible && !status && i < u.tests * width; i++)
        out->Y[i] = orffi_left_value(f, u.test[i / width], i % width);
    memcpy(out->rows, u.test, sizeof out->rows);
    out->tests = possible && !status ? u.tests : 0;
    out->status =
        status == ORFF_ERROR_NUMERICAL ? ORFF_OK : status; /* rows too close to be distinguished: skipped */
    orffi_left_unit_clear(&u);
}

/* Scores over everything, and of each output. */
typedef struct tally {
    size_t count; /* number of scores: p if each row is a single output, otherwise 1 */
    orff_scores **scores;
} tally;

static void tally_clear(tally *t) {
    for (size_t k = 0; t->scores && k < t->count; k++) orff_scores_free(t->scores[k]);
    orffi_release(t->scores);
}

static orff_status tally_init(tally *t, const orffi_left_field *f) {
    t->count = f->apart ? f->plan->p : 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->scores, t->count));
    for (size_t k = 0; k < t->count; k++) ORFFI_TRY(orff_scores_create(&t->scores[k], f->width));
    return ORFF_OK;
}

/* The output of a row that is a single output. */
static size_t output_of(const orffi_left_field *f, size_t row) {
    size_t k = 0;
    while (k + 1 < f->plan->p && f->table.along[row * f->plan->p + k] == 0.0) k++;
    return k;
}

/* Mean squares are averaged over the outputs; intervals are counted over all rows. */
static orff_status keep_scores(orff_model *model, const orffi_left_field *f, const tally *t, size_t blocks) {
    double n = 0.0, outputs = 0.0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(model->held.outputs, model->p));
    model->held.mse = 0.0;
    memset(model->held.coverage, 0, sizeof model->held.coverage);
    for (size_t k = 0; k < t->count; k++) {
        const orff_score all = orff_scores_all(t->scores[k]);
        if (!all.n) continue;
        const double rows = (double)all.n;
        n += rows;
        outputs += 1.0;
        model->held.mse += all.mse;
        for (size_t i = 0; i < ORFF_INTERVALS; i++) model->held.coverage[i] += rows * all.coverage[i];
    }
    model->held.mse /= outputs;
    for (size_t i = 0; i < ORFF_INTERVALS; i++) model->held.coverage[i] /= n;
    for (size_t k = 0; k < model->p; k++) {
        const orff_score one = f->apart       ? orff_scores_all(t->scores[k])
                               : f->width > 1 ? orff_scores_output(t->scores[0], k)
                                              : orff_scores_all(t->scores[0]);
        model->held.outputs[k] = one.n ? one.mse : model->held.mse;
    }
    model->held.rows = (size_t)n / f->width;
    model->held.blocks = blocks;
    return ORFF_OK;
}

/* Units [first, first + count), one thread per unit. */
static orff_status do_some(const orffi_left_field *f, size_t first, size_t count, size_t units,
                           outcome *outcomes) {
    const int threads = orffi_thread_count();
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic, 1)
    for (size_t i = first; i < first + count; i++) do_unit(f, i, units, &outcomes[i]);
    for (size_t i = first; i < first + count; i++)
        if (outcomes[i].status)
            return orffi_fail(outcomes[i].status, "rows could not be held out: %s",
                              orff_status_text(outcomes[i].status));
    return ORFF_OK;
}

static orff_status add_outcome(const orffi_left_field *f, const outcome *one, tally *t) {
    if (!f->apart) return orff_scores_add(t->scores[0], one->tests, one->F, one->S, one->Y);
    for (size_t i = 0; i < one->tests; i++)
        ORFFI_TRY(
            orff_scores_add(t->scores[output_of(f, one->rows[i])], 1, one->F + i, one->S + i, one->Y + i));
    return ORFF_OK;
}

/* The mean of (y - f)^2 / s^2 over the rows of a unit. */
static double excess_of(const orffi_left_field *f, const outcome *one) {
    double sum = 0.0;
    const size_t count = one->tests * f->width;
    for (size_t i = 0; i < count; i++) sum += pow((one->Y[i] - one->F[i]) / one->S[i], 2.0);
    return sum / (double)count;
}

static orff_status add_scores(orff_model *model, const orffi_left_field *f, size_t units,
                              const outcome *outcomes) {
    tally t = {0};
    size_t done = 0, met = 0;
    double excess = 0.0;
    orff_status status = tally_init(&t, f);
    for (size_t i = 0; !status && i < units; i++) {
        const outcome *one = &outcomes[i];
        bool again = false;
        for (size_t j = 0; j < i; j++) again = again || (outcomes[j].tests && outcomes[j].id == one->id);
        status = add_outcome(f, one, &t);
        if (one->tests) excess += excess_of(f, one);
        met += one->tests > 0;
        done += one->tests > 0 && !again;
    }
    if (!status && done > 1) status = keep_scores(model, f, &t, done);
    if (!status && done > 1) model->held.excess = excess / (double)met;
    tally_clear(&t);
    return status;
}

static orff_status do_units(orff_model *model, const orffi_left_field *f) {
    const size_t units = f->table.n < UNITS ? f->table.n : UNITS, p = f->plan->p;
    outcome outcomes[UNITS] = {0};
    double *numbers = NULL;
    orff_status status = orffi_alloc(&numbers, 3 * units * ORFFI_LEFT_MOST, p * sizeof *numbers);
    for (size_t i = 0; !status && i < units; i++) {
        outcomes[i].F = numbers + 3 * i * ORFFI_LEFT_MOST * p;
        outcomes[i].S = outcomes[i].F + ORFFI_LEFT_MOST * p;
        outcomes[i].Y = outcomes[i].S + ORFFI_LEFT_MOST * p;
    }
    for (size_t i = 0; !status && i < units; i += TOGETHER) {
        status = orffi_progress("holding out blocks", (double)i, (double)units);
        if (!status) status = do_some(f, i, units - i < TOGETHER ? units - i : TOGETHER, units, outcomes);
    }
    if (!status) status = add_scores(model, f, units, outcomes);
    orffi_release(numbers);
    return status;
}

/* groups: one per row; or NULL to hold out blocks. */
static orff_status leave_out(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                             const uint64_t *groups) {
    orffi_left_field f = {.plan = plan, .model = model, .kernel = orffi_model_kernel(model)};
    f.groups = groups;
    f.scalar = orffi_kernel_is_identity(f.kernel); /* one system serves all outputs */
    f.q = f.scalar || plan->directed ? 1 : plan->p;
    f.width = plan->directed ? 1 : plan->p;
    f.apart = rows->apart;
    orff_status status = orffi_left_copy_rows(&f, rows);
    if (!status) status = orffi_left_sort_rows(&f);
    if (!status) status = orffi_left_fill_blur(&f);
    if (!status) status = do_units(model, &f);
    orffi_left_field_clear(&f);
    return status;
}

/* ---- which method */

static orff_status can_leave_out(const orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                 bool *can) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    double size;
    *can = false;
    if (plan->engine->draws || model->classes || kernel->has_callbacks || plan->p > ORFFI_LEFT_NUMBERS / 2)
        return ORFF_OK;
    if (plan->folds == ORFF_FOLDS_RANDOM || !plan->blocks || !orffi_rows_known(rows)) return ORFF_OK;
    const orff_status status = orffi_exact_size(kernel, &size); /* fails without an exact form */
    *can = status == ORFF_OK;
    return status == ORFF_ERROR_NO_MEMORY ? status : ORFF_OK;
}

orff_status orffi_held_out_fill(orff_model *model, const orffi_plan *plan, const orffi_rows *rows) {
    const bool crossed = isfinite(model->cv_mse);
    bool can;
    model->held.folds = plan->folds;
    ORFFI_TRY(can_leave_out(model, plan, rows, &can));
    if (can) {
        const bool grouped = plan->folds == ORFF_FOLDS_GROUPS;
        ORFFI_TRY(leave_out(model, plan, rows, grouped ? plan->settings.groups : NULL));
    } else if (crossed && (plan->engine->draws || plan->folds == ORFF_FOLDS_RANDOM)) {
        model->held.mse = model->cv_mse;
        ORFFI_TRY(orffi_duplicate(&model->held.outputs, model->output_cv_mse, model->p, sizeof(double)));
    }
    if (!isfinite(model->held.mse)) model->held.folds = ORFF_FOLDS_AUTO;
    return ORFF_OK;
}

/* ---- inputs of few values */

/* groups (n): numbers the values of an input in the order in which they occur, and gives each row the
 * number of its value. *count is UNITS + 1 if there are more values than units. */
static void number_values(const orffi_rows *rows, size_t input, uint64_t *groups, size_t *count) {
    double values[UNITS];
    *count = 0;
    for (size_t i = 0; i < rows->n && *count <= UNITS; i++) {
        const double value = rows->X[i * rows->d + input];
        size_t at = 0;
        while (at < *count && values[at] != value) at++;
        if (at == *count && at < UNITS) values[at] = value;
        *count += at == *count;
        groups[i] = at;
    }
}

orff_status orffi_held_out_values(orff_model *model, const orffi_plan *plan, const orffi_rows *rows,
                                  size_t input, size_t *values) {
    const bool apart = model->held.folds == ORFF_FOLDS_BLOCKS && model->held.blocks && !rows->along;
    uint64_t *groups;
    *values = 0;
    if (!apart || rows->stream || plan->d < 2) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(groups, rows->n));
    number_values(rows, input, groups, values);
    if (*values < 2 || *values > UNITS || *values * ORFFI_LEFT_EACH > rows->n) *values = 0;
    model->held.outputs = NULL;
    const orff_status status = *values ? leave_out(model, plan, rows, groups) : ORFF_OK;
    orffi_release(groups);
    return status;
}
