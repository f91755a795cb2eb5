/* Rows for features: summed up, kept for the dual, or swept. */
#include "engine/features.h"

#include <string.h>

#include "base/memory.h"

#define LARGEST_DIRECT 16000 /* order of the system: 2 GB for each matrix */

/* The order of the system of a direct solution: 2 D for one decomposable part, otherwise at most 2 D p. */
static size_t system_rows(const orffi_task *task, const orff_kernel *kernel) {
    const size_t D = task->D ? task->D : orff_sampling_default().features;
    return orffi_kernel_is_separable(kernel) ? 2 * D : 2 * D * kernel->p;
}

static bool is_direct(const orffi_task *task, const orff_kernel *kernel) {
    const orff_settings *s = task->settings;
    return task->scores || s->solver == ORFF_SOLVER_DIRECT ||
           (s->solver == ORFF_SOLVER_AUTO && s->loss == ORFF_LOSS_SQUARED &&
            system_rows(task, kernel) <= LARGEST_DIRECT);
}

orff_status orffi_features_draw(orff_features **features, const orffi_task *task, const orff_kernel *kernel,
                                size_t D) {
    orff_sampling sampling = task->settings->sampling;
    sampling.features = D > kernel->n_groups || orffi_is_quadrature(sampling.scheme) ? D : kernel->n_groups;
    if (!sampling.extent) sampling.extent = task->extent;
    return orff_features_create(features, kernel, &sampling);
}

static void unbind(orffi_features_rows *r) {
    orff_ridge_free(r->ridge);
    orffi_dual_clear(&r->dual);
    orffi_system_clear(&r->joint);
    if (r->bound != r->drawn) orff_features_free(r->bound);
    r->ridge = NULL;
    r->bound = NULL;
}

void orffi_features_release(void *rows) {
    orffi_features_rows *r = rows;
    if (!r) return;
    unbind(r);
    orffi_features_release(r->smaller);
    orff_moments_free(r->own);
    orff_features_free(r->drawn);
    orffi_table_clear(&r->gathered);
    orffi_release(r);
}

static orff_status create(orffi_features_rows **out, const orffi_task *task) {
    ORFFI_TRY(ORFFI_NEW(*out));
    (*out)->task = *task;
    return ORFF_OK;
}

orff_status orffi_features_prepare(void **out, const orffi_task *task, const orff_kernel *kernel) {
    const orff_settings *s = task->settings;
    orffi_features_rows *r;
    ORFFI_TRY(create(&r, task));
    r->iterates = !is_direct(task, kernel);
    orff_status status =
        r->iterates && s->mixture && !s->auto_kernel
            ? orffi_fail(ORFF_ERROR_UNSUPPORTED,
                         "learning the weights of a mixture needs the direct solver; use fewer frequencies")
            : orffi_features_draw(&r->drawn, task, kernel, task->D);
    if (status) {
        orffi_features_release(r);
    } else {
        *out = r;
    }
    return status;
}

orff_status orffi_features_rows_of_moments(void **out, const orffi_task *task, const orff_kernel *kernel,
                                           const orff_moments *moments) {
    orffi_features_rows *r;
    ORFFI_TRY(create(&r, task));
    r->moments = moments;
    r->directed = orffi_moments_is_parted(moments);
    const orff_status status = orff_moments_features(moments, kernel, &r->drawn);
    if (status) {
        orffi_features_release(r);
    } else {
        *out = r;
    }
    return status;
}

static orff_moments_settings settings_of(const orffi_features_rows *r) {
    return (orff_moments_settings){.folds = r->task.folds,
                                   .seed = r->task.settings->sampling.seed,
                                   .single = r->task.single,
                                   .blocks = r->task.blocks,
                                   .groups = r->task.groups};
}

static orff_status sum_rows(orffi_features_rows *r, const orffi_source *source) {
    const orff_moments_settings how = settings_of(r);
    const orffi_table *t = source->table;
    ORFFI_TRY(orff_moments_create(&r->own, r->drawn, &how));
    r->moments = r->own;
    if (t) return orff_moments_accumulate(r->own, t->n, t->X, t->Y, t->weights);
    return orffi_checkpoint_read(source->checkpoint, r->own, &source->reader);
}

static orff_status keep_rows(orffi_features_rows *r, const orffi_source *source) {
    r->checkpoint = source->checkpoint;
    r->table = source->table ? source->table : &r->gathered;
    if (source->table) return ORFF_OK;
    return orffi_table_gather(&r->gathered, &source->reader, source->expected, r->drawn->d, r->drawn->p);
}

static orff_status keep_directed(orffi_features_rows *r, const orffi_source *source) {
    if (r->iterates || r->task.single)
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "rows with missing outputs or directions are solved directly and in double precision: ask for "
            "fewer features, or for the engine %s",
            orff_engine_name(ORFF_ENGINE_LATTICE));
    return keep_rows(r, source);
}

orff_status orffi_features_read_rows(void *rows, const orffi_source *source) {
    orffi_features_rows *r = rows;
    const size_t n = source->table ? source->table->n : source->known;
    r->directed = source->table && source->table->along;
    if (r->directed) return keep_directed(r, source);
    r->few = !r->iterates && !source->checkpoint && orffi_features_are_few(r, n);
    return r->iterates || r->few ? keep_rows(r, source) : sum_rows(r, source);
}

orff_status orffi_features_sum_few(orffi_features_rows *r) {
    if (!r->few) return ORFF_OK;
    unbind(r);
    r->few = false;
    return sum_rows(r, &(orffi_source){.table = r->table});
}

/* ---- rows of other candidates */

bool orffi_features_serves(const void *rows, const orff_kernel *kernel) {
    const orffi_features_rows *r = rows;
    const orffi_bank *bank = r->drawn->bank;
    if (r->drawn->kernel == kernel) return true;
    for (size_t m = 0; m < kernel->n_parts; m++) {
        size_t g = 0;
        if (kernel->parts[m].rule->own_law) return false;
        while (g < bank->n_groups && !(bank->groups[g].law.base &&
                                       orffi_spectrum_equal(&bank->groups[g].law, &kernel->parts[m].law)))
            g++;
        if (g == bank->n_groups) return false;
    }
    return true;
}

static bool same_folds(const orffi_task *a, const orffi_task *b, size_t d) {
    if (a->folds != b->folds || a->groups != b->groups || !a->blocks != !b->blocks) return false;
    return !a->blocks || memcmp(a->blocks, b->blocks, d * sizeof *a->blocks) == 0;
}

bool orffi_features_shares(const void *rows, const void *other) {
    const orffi_features_rows *a = rows, *b = other;
    return a->moments && !b->iterates && same_folds(&a->task, &b->task, a->drawn->d) &&
           a->task.single == b->task.single &&
           a->task.settings->sampling.seed == b->task.settings->sampling.seed &&
           orffi_bank_compare(a->drawn->bank, b->drawn->bank) == ORFF_OK;
}

void orffi_features_borrow(void *other, const void *rows) {
    ((orffi_features_rows *)other)->moments = ((const orffi_features_rows *)rows)->moments;
}

/* ---- binding rows to a kernel */

static orff_status fill_dual(orffi_features_rows *r) {
    const orffi_table *t = r->table;
    const orffi_exact_rows rows = {
        .n = t->n, .X = t->X, .Y = t->Y, .weights = t->weights, .center = r->task.settings->center};
    const orff_moments_settings folds = settings_of(r);
    return orffi_dual_fill(&r->dual, r->bound, &rows, &folds);
}

orff_status orffi_features_bind(orffi_features_rows *r, const orff_kernel *kernel) {
    if (r->bound && r->bound->kernel == kernel) return ORFF_OK;
    unbind(r);
    if (r->drawn->kernel == kernel) {
        r->bound = r->drawn;
    } else {
        ORFFI_TRY(orff_features_rebind(&r->bound, r->drawn, kernel));
    }
    if (r->iterates) return ORFF_OK;
    orff_status status = r->directed ? orffi_features_join(r)
                         : r->few
                             ? fill_dual(r)
                             : orff_ridge_create(&r->ridge, r->bound, r->moments, r->task.settings->center);
    if (status) unbind(r);
    return status;
}

orff_features *orffi_features_adopt(orffi_features_rows *r) {
    orff_features *features = r->bound;
    if (r->drawn == features) r->drawn = NULL; /* now owned by the fit */
    r->bound = NULL;
    return features;
}
