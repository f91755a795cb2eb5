/* What a fit on a lattice will cost.
 *
 * Choices look at samples, and blocks that are held out are so many: both take as long for any number of rows. So a choice is
 * timed, and a fit of some rows, of which what solving takes for them is replaced by what it takes for all. The choice has found a kernel and a noise, from
 * which the engine says what it does with so many rows:
 *
 *     kept        each row has its neighbours, and iterations depend on how dense rows are beside the length scale. So rows of
 *                 that density are solved for in two parts of the range: the rest is in proportion.
 *     summed up   sums are in proportion to the rows, and iterations depend on the sums. So some rows are summed up, each with
 *                 the weight of many.
 */
#include <math.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "engine/lattice.h"
#include "exact/learn.h"
#include "model/cost.h"
#include "model/fit.h"

#define SOME_ROWS 10000 /* that are fitted */
#define MANY_ROWS 50000 /* that are chosen by: samples of more are no larger */
#define PART \
    20000 /* rows of the larger part of the range, whose neighbours are more than a cache holds ... */
#define PART_OF 0.1   /* ... but no more of all than that, unless SOME_ROWS are */
#define SUMMED  65536 /* rows whose sums are timed: as many as are summed up at once */

typedef struct solving {
    const orffi_plan *plan;
    const orff_kernel *kernel;
    orff_settings settings; /* of the plan, but for lambda: the task has the noise */
    double *extent;         /* d: of a part of the range */
    double noise;           /* of a row, over the kernel's size */
} solving;

/* ---- rows */

/* In the plan's units, in a part of the range. */
static orff_status make_table(const solving *t, size_t n, double side, orffi_table *table) {
    double *X = NULL, *Y;
    const size_t d = t->plan->d, p = t->plan->p;
    ORFFI_TRY(orffi_cost_rows(n, d, p, side, &X, &Y));
    orff_status status = orffi_table_init(table, n, d, p, false);
    for (size_t i = 0; !status && i < n * d; i++) table->X[i] = X[i];
    for (size_t i = 0; !status && i < n * p; i++) table->Y[i] = Y[i];
    if (!status) orffi_units_apply(&t->plan->units, table);
    orffi_release(X);
    return status;
}

/* Rows of a table, each with this weight. */
typedef struct heavy {
    const orffi_table *table;
    size_t next;
    double weight;
} heavy;

static int read_heavy(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    heavy *h = self;
    const orffi_table *t = h->table;
    const size_t left = t->n - h->next, n = left < room ? left : room;
    for (size_t i = 0; i < n * t->d; i++) X[i] = t->X[h->next * t->d + i];
    for (size_t i = 0; i < n * t->p; i++) Y[i] = t->Y[h->next * t->p + i];
    for (size_t i = 0; i < n; i++) weights[i] = h->weight;
    h->next += n;
    *rows = n;
    return 0;
}

/* ---- solving */

static orffi_task task_of(const solving *t, double side) {
    orffi_task task = orffi_plan_task(t->plan);
    task.settings = &t->settings;
    task.shift = t->noise;
    for (size_t i = 0; i < t->plan->d; i++) t->extent[i] = t->plan->extent[i] * side;
    task.extent = t->extent;
    return task;
}

/* Seconds of learning from rows that are prepared. */
static orff_status time_learning(const solving *t, void *rows, double *seconds) {
    const orffi_engine *engine = &orffi_engine_lattice;
    const size_t p = t->plan->p;
    double size, *numbers;
    void *fit = NULL;
    ORFFI_TRY(ORFFI_NEW_ARRAY(numbers, 3 * p));
    orffi_report report = {.mean = numbers, .train_mse = numbers + p, .cv_mse = numbers + 2 * p};
    const double start = orffi_cost_now();
    orff_status status = engine->size(rows, t->kernel, &size);
    if (!status)
        status = engine->learn(&fit, rows, t->kernel, t->noise * size / engine->weight(rows), &report);
    *seconds = orffi_cost_now() - start;
    engine->free(fit);
    orffi_release(numbers);
    return status;
}

/* Seconds for n rows that are kept, in a part of the range. */
static orff_status time_kept(const solving *t, size_t n, double side, bool local, double *seconds) {
    const orffi_task task = task_of(t, side);
    orffi_table table = {0};
    void *rows = NULL;
    orff_status status = make_table(t, n, side, &table);
    if (!status) status = orffi_lattice_prepare(&rows, &task, t->kernel);
    if (!status) status = orffi_lattice_keep_table(rows, &table, local);
    if (!status) status = time_learning(t, rows, seconds);
    orffi_lattice_release(rows);
    orffi_table_clear(&table);
    return status;
}

/* Seconds for all rows, from two parts of the range in which they are as dense. */
static orff_status grow_kept(const solving *t, size_t n, bool local, double *seconds) {
    const double all = (double)n, d = (double)t->plan->d, some = fmax(SOME_ROWS, fmin(PART_OF * all, PART));
    double one, half;
    if (n <= SOME_ROWS) return time_kept(t, n, 1.0, local, seconds);
    ORFFI_TRY(time_kept(t, (size_t)(0.5 * some), pow(0.5 * some / all, 1.0 / d), local, &half));
    ORFFI_TRY(time_kept(t, (size_t)some, pow(some / all, 1.0 / d), local, &one));
    *seconds = one + fmax(one - half, 0.0) / (0.5 * some) * (all - some);
    return ORFF_OK;
}

/* Seconds for all rows, from the sums of some. */
static orff_status grow_summed(const solving *t, size_t n, double *seconds) {
    const orffi_task task = task_of(t, 1.0);
    const size_t some = n < SUMMED ? n : SUMMED;
    orffi_table table = {0};
    void *rows = NULL;
    double reading = 0.0, learning = 0.0;
    heavy h = {.table = &table, .weight = (double)n / (double)some};
    const orffi_source source = {
        .reader = {.read = read_heavy, .self = &h, .weighted = true}, .expected = some, .known = n};
    orff_status status = make_table(t, some, 1.0, &table);
    if (!status) status = orffi_lattice_prepare(&rows, &task, t->kernel);
    const double start = orffi_cost_now();
    if (!status) status = orffi_lattice_read_rows(rows, &source);
    reading = orffi_cost_now() - start;
    if (!status) status = time_learning(t, rows, &learning);
    *seconds = reading * (double)n / (double)some + learning;
    orffi_lattice_release(rows);
    orffi_table_clear(&table);
    return status;
}

static orff_status time_solving(const solving *t, size_t n, double *seconds, double *bytes) {
    const orffi_task task = task_of(t, 1.0);
    orffi_lattice_way way;
    ORFFI_TRY(orffi_lattice_foresee(&task, t->kernel, n, &way));
    *bytes = way.bytes;
    return way.keeps ? grow_kept(t, n, way.local, seconds) : grow_summed(t, n, seconds);
}

/* ---- the plan of some rows */

/* The noise of a row, as the choice found it, or as lambda has it for n rows. */
static orff_status find_noise(solving *t, size_t n) {
    const double lambda = t->plan->settings.lambda;
    double size;
    t->noise = t->plan->shift;
    if (!(lambda > 0.0)) return ORFF_OK;
    ORFFI_TRY(orffi_exact_size(t->kernel, &size));
    t->noise = lambda * (double)n / size;
    return ORFF_OK;
}

/* What solving takes for all rows more than for some. */
static orff_status compare(const orffi_plan *plan, size_t some, size_t n, double *more, double *bytes) {
    solving t = {.plan = plan, .settings = plan->settings};
    orff_kernel *kernel = NULL;
    double before = 0.0, after = 0.0;
    t.settings.lambda = 0.0;
    orff_status status = ORFFI_NEW_ARRAY(t.extent, plan->d);
    if (!status) status = orffi_plan_kernel(plan, &kernel);
    t.kernel = kernel;
    if (!status) status = find_noise(&t, some);
    if (!status && some < n) status = time_solving(&t, some, &before, bytes);
    if (!status) status = find_noise(&t, n);
    if (!status) status = time_solving(&t, n, &after, bytes);
    *more = some < n ? after - before : 0.0;
    orff_kernel_free(kernel);
    orffi_release(t.extent);
    return status;
}

/* The plan of some rows, made by so many that its samples are as large as those of all. */
static orff_status time_choice(orffi_plan *plan, const orff_settings *settings, size_t d, size_t p, size_t n,
                               double *seconds) {
    const orffi_codes none = {0};
    orffi_rows rows = {0};
    double *X = NULL, *Y;
    ORFFI_TRY(orffi_cost_rows(n, d, p, 1.0, &X, &Y));
    const double start = orffi_cost_now();
    orff_status status = orffi_rows_from_arrays(&rows, d, p, &none, n, X, Y, NULL, settings->subsample);
    if (!status) status = orffi_plan_make(plan, settings, &rows);
    *seconds = orffi_cost_now() - start;
    orffi_rows_clear(&rows);
    orffi_release(X);
    return status;
}

/* Everything that follows the choice, for n rows. */
static orff_status time_rest(orffi_plan *plan, size_t n, double *seconds) {
    const orffi_codes none = {0};
    orffi_rows rows = {0};
    orff_model *model = NULL;
    double *X = NULL, *Y;
    ORFFI_TRY(orffi_cost_rows(n, plan->d, plan->p, 1.0, &X, &Y));
    orff_status status =
        orffi_rows_from_arrays(&rows, plan->d, plan->p, &none, n, X, Y, NULL, plan->settings.subsample);
    const double start = orffi_cost_now();
    if (!status) status = orffi_fit_checked(&model, plan, &rows, NULL);
    *seconds = orffi_cost_now() - start;
    orff_model_free(model);
    orffi_rows_clear(&rows);
    orffi_release(X);
    return status;
}

/* Another engine for so many rows, or a noise that only a path finds. */
static bool has_way(const orffi_plan *plan) {
    return plan->engine == &orffi_engine_lattice && (plan->shift > 0.0 || plan->settings.lambda > 0.0);
}

orff_status orffi_cost_lattice(const orff_settings *settings, size_t d, size_t p, size_t n, orff_cost *cost) {
    const size_t some = n < SOME_ROWS ? n : SOME_ROWS, chosen_by = n < MANY_ROWS ? n : MANY_ROWS;
    orffi_plan plan = {0};
    double choice = 0.0, rest = 0.0, more = 0.0, bytes = 0.0;
    orff_status status = time_choice(&plan, settings, d, p, chosen_by, &choice);
    if (!status) status = time_rest(&plan, some, &rest);
    if (!status && has_way(&plan)) status = compare(&plan, some, n, &more, &bytes);
    cost->seconds = choice + fmax(rest + more, 0.0);
    cost->bytes = ORFFI_COST_ALWAYS + bytes + (double)n * 8.0 * (double)(2 * d + 2 * p + 2);
    orffi_plan_clear(&plan);
    return status;
}
