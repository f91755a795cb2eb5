#include "model/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/periods.h"
#include "exact/near.h"
#include "model/survey.h"

#define MOST_UNKNOWNS 1200
/* Times as many rows as for other automatic choices: some megabytes for few inputs. */
#define DENSER 10

orff_status orffi_trial_sample(const orffi_plan *plan, const orffi_rows *rows, size_t most,
                               orffi_table *table) {
    const orffi_table *head = &rows->head;
    const size_t n = head->n < most ? head->n : most;
    ORFFI_TRY(orffi_table_init_like(table, n, head));
    for (size_t i = 0; i < n; i++)
        orffi_table_copy_row(table, i, head, (size_t)((double)i * ((double)head->n / (double)n)));
    orffi_units_apply(&plan->units, table);
    return ORFF_OK;
}

/* Whether there are more rows than the head has: rows from arrays with nothing but weights, in few inputs. */
static bool has_more(const orffi_plan *plan, const orffi_rows *rows) {
    return !rows->stream && !rows->classes && !rows->along && !rows->known && !rows->instrument &&
           !rows->set && !rows->quality && rows->n > rows->head.n && plan->d <= ORFFI_NEAR_MOST;
}

/* False if a number is not finite, which is reported when all rows are read. */
static bool copy_numbers(const double *from, size_t count, double *to) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        finite &= (bool)isfinite(from[i]);
    }
    return finite;
}

static bool copy_dense(const orffi_rows *rows, orffi_table *table) {
    const size_t d = rows->d, p = rows->p;
    bool finite = true;
    for (size_t i = 0; i < table->n; i++) {
        const size_t from = (size_t)((double)i * ((double)rows->n / (double)table->n));
        finite &= copy_numbers(rows->X + from * d, d, table->X + i * d);
        finite &= copy_numbers(rows->Y + from * p, p, table->Y + i * p);
        if (rows->weights) finite &= copy_numbers(rows->weights + from, 1, table->weights + i);
    }
    return finite;
}

orff_status orffi_trial_dense_sample(const orffi_plan *plan, const orffi_rows *rows, orffi_table *table) {
    const double most = DENSER * (double)plan->settings.subsample;
    if (!has_more(plan, rows)) return orffi_trial_sample(plan, rows, rows->head.n, table);
    const size_t n = (double)rows->n < most ? rows->n : (size_t)most;
    ORFFI_TRY(orffi_table_init(table, n, rows->d, rows->p, rows->weights != NULL));
    if (copy_dense(rows, table)) {
        orffi_units_apply(&plan->units, table);
        return ORFF_OK;
    }
    orffi_table_clear(table);
    return orffi_trial_sample(plan, rows, rows->head.n, table);
}

/* The number of unknowns per feature, about: columns of all parts' blocks together, at most p; 1 for a
 * Stein equation. */
static size_t columns_of(const orffi_plan *plan) {
    const size_t n = plan->parts.count;
    size_t columns = 0;
    if (n == 1 && orffi_rule_find(plan->parts.list[0].part.rule)->separable) return 1;
    for (size_t m = 0; m < n; m++)
        columns += orffi_rule_columns(orffi_rule_find(plan->parts.list[m].part.rule), plan->p);
    if (columns == 0) return 1;
    return columns < plan->p ? columns : plan->p;
}

/* Half as many frequencies as rows give as many features as rows; more would not distinguish candidates
 * better. They are also limited to keep the systems small, one of which is factored for every candidate
 * and fold. */
size_t orffi_trial_frequencies(const orffi_plan *plan, const orffi_table *table) {
    const size_t D = plan->settings.sampling.features, enough = table->n < 200 ? 100 : table->n / 2;
    const size_t small = MOST_UNKNOWNS / (2 * columns_of(plan)), quick = small < 50 ? 50 : small;
    const size_t most = enough < quick ? enough : quick;
    return D && D < most ? D : most;
}

size_t orffi_trial_folds(const orffi_plan *plan, const orffi_table *table) {
    const size_t folds = plan->settings.folds > 1 && plan->settings.folds < 3 ? plan->settings.folds : 3;
    return table->n < 30 ? 2 : folds;
}

orff_status orffi_trial_prepare(orffi_trial *trial, const orffi_engine *engine, const orffi_plan *plan,
                                const orff_kernel *kernel, const orffi_table *table, size_t D, size_t folds) {
    orffi_task task = orffi_plan_task(plan);
    task.D = D;
    task.folds = folds;
    task.blocks = NULL; /* length scales are still open, and the table is a sample */
    task.groups = NULL;
    task.single = false;
    task.scores = true;
    orffi_trial_clear(trial);
    trial->engine = engine;
    ORFFI_TRY(engine->prepare(&trial->rows, &task, kernel));
    return engine->read(trial->rows, &(orffi_source){.table = table});
}

void orffi_trial_clear(orffi_trial *trial) {
    if (trial->engine) trial->engine->release(trial->rows);
    *trial = (orffi_trial){0};
}

static orff_status find_error(orffi_trial *trial, const orffi_plan *plan, const orff_kernel *kernel,
                              double *error) {
    orffi_path path = {0};
    const orff_status status =
        orffi_path_fill(&path, ORFFI_PATH_TRIAL, plan, trial->engine, trial->rows, kernel);
    if (!status) *error = path.errors[path.best];
    orffi_path_clear(&path);
    return status;
}

orff_status orffi_trial_error(orffi_trial *trial, const orffi_plan *plan, const orffi_table *table, size_t D,
                              double *error) {
    orff_kernel *kernel;
    ORFFI_TRY(orffi_plan_kernel(plan, &kernel));
    const orffi_engine *engine = orffi_engine_for_trials(plan->engine, kernel, table->n);
    orff_status status = ORFF_OK;
    if (trial->engine != engine || !engine->serves(trial->rows, kernel))
        status = orffi_trial_prepare(trial, engine, plan, kernel, table, D, orffi_trial_folds(plan, table));
    if (!status) status = find_error(trial, plan, kernel, error);
    orff_kernel_free(kernel);
    return status;
}

orff_status orffi_trial_medians(const orffi_plan *plan, const orffi_table *table, double *median) {
    size_t *all;
    double together;
    const bool split = plan->space && plan->d > plan->p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(all, plan->d));
    for (size_t i = 0; i < plan->d; i++) all[i] = i;
    orff_status status = orffi_median_distance(table->n, plan->d, table->X, split ? plan->p : plan->d,
                                               split ? plan->space : all, plan->periods,
                                               plan->settings.sampling.seed, &together);
    for (size_t i = 0; !status && i < plan->d; i++) {
        bool apart = split;
        for (size_t k = 0; split && k < plan->p; k++) apart = apart && plan->space[k] != i;
        median[i] = together;
        if (apart)
            status = orffi_median_distance(table->n, plan->d, table->X, 1, &i, plan->periods,
                                           plan->settings.sampling.seed, &median[i]);
    }
    orffi_release(all);
    return status;
}

/* The spacing of the table's rows if they were spread evenly over their box, in the field's space or all
 * inputs. */
static double even_spacing(const orffi_plan *plan, const orffi_table *table) {
    double volume = 1.0, inputs = 0.0;
    for (size_t k = 0; k < plan->d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; orffi_plan_in_space(plan, k) && i < table->n; i++) {
            low = fmin(low, table->X[i * plan->d + k]);
            high = fmax(high, table->X[i * plan->d + k]);
        }
        if (!(high > low)) continue;
        volume *= high - low;
        inputs += 1.0;
    }
    return inputs > 0.0 ? pow(volume / (double)table->n, 1.0 / inputs) : 0.0;
}

/* The distance of the nearest row that is farther away than `place`. */
static double nearest(const orffi_plan *plan, const orffi_table *table, double place, size_t row) {
    const double *x = table->X + row * plan->d;
    double best = INFINITY;
    for (size_t i = 0; i < table->n; i++) {
        double square = 0.0;
        for (size_t k = 0; k < plan->d; k++) {
            const double step = orffi_plan_in_space(plan, k)
                                    ? orffi_shortest(plan->periods, k, table->X[i * plan->d + k] - x[k])
                                    : 0.0;
            square += step * step;
        }
        if (square > place * place) best = fmin(best, square);
    }
    return sqrt(best);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double orffi_trial_spacing(const orffi_plan *plan, const orffi_table *table) {
    enum { LOOKED_AT = 63 }; /* the median of so many is accurate to some 15 % */
    /* Stations report repeatedly, with coordinates that differ in the last digits. By chance hardly any
     * rows are so close. */
    const double place = 1e-3 * even_spacing(plan, table);
    double found[LOOKED_AT] = {0};
    const size_t count = table->n < LOOKED_AT ? table->n : LOOKED_AT;
    for (size_t i = 0; i < count; i++)
        found[i] = nearest(plan, table, place, (size_t)((double)i * ((double)table->n / (double)count)));
    qsort(found, count, sizeof *found, ascending);
    return count && isfinite(found[count / 2]) ? found[count / 2] : 1.0;
}

bool orffi_plan_in_space(const orffi_plan *plan, size_t i) {
    if (!plan->space || plan->d == plan->p) return true;
    for (size_t k = 0; k < plan->p; k++)
        if (plan->space[k] == i) return true;
    return false;
}
