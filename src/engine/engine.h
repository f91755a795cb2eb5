/* An engine: one way of learning f(x) = sum over something of a kernel, behind one table of functions. The
 * modules above (choosing hyperparameters, units, reports, files, predictions) know no engine by name. All
 * numbers here are in the units of the kernel: x' = (x - shift)/unit, y' = y/spread.
 *
 *     prepare    before any row: what depends on the kernel alone (frequencies are drawn)
 *     read       all rows: summed up, or kept
 *     criterion  the error that decides, for a kernel and a path of lambdas; repeatedly on the same rows
 *     learn      the fit for one kernel and lambda
 *     values ..  results of a fit at a point */
#ifndef ORFFI_ENGINE_ENGINE_H
#define ORFFI_ENGINE_ENGINE_H

#include "base/fields.h"
#include "engine/sum.h"
#include "engine/table.h"
#include "moments/checkpoint.h"

/* What rows are prepared for. */
typedef struct orffi_task {
    const orff_settings *settings;
    const double *extent; /* d: the range of the inputs, or NULL */
    const double *middle; /* d: the middle of that range, or NULL */
    const double *mean;   /* p: of the outputs, in the user's units; NULL: that of the rows, or none */
    const double *spread; /* p: what outputs are divided by, with mean; or NULL */
    double
        shift; /* the noise variance of a row of weight 1 over trace K(0)/p, where the choices found one; else 0 */
    size_t D;               /* frequencies, for engines that draw them; 0: a tolerance decides */
    size_t folds;           /* of cross-validation, for engines that need them; 1: none */
    const double *blocks;   /* d: sides of blocks that are left out together, or NULL */
    const uint64_t *groups; /* of the rows, which are then all: left out together; or NULL */
    bool single;
    bool scores; /* only criteria are needed */
} orffi_task;

/* The mean that the task gives, in the engine's units (p). */
static inline void orffi_task_mean(const orffi_task *task, size_t p, double *mean) {
    for (size_t k = 0; k < p; k++) mean[k] = task->mean[k] / (task->spread ? task->spread[k] : 1.0);
}

/* Rows on their way into an engine. */
typedef struct orffi_source {
    const orffi_table *table;     /* all rows, which must outlive what is prepared; or NULL ... */
    orff_reader reader;           /* ... and the rows are read from here */
    size_t expected;              /* number of rows, exactly or about */
    size_t known;                 /* number of rows, 0 if unknown; with a table, its n */
    orffi_checkpoint *checkpoint; /* where progress is saved, or NULL */
} orffi_source;

/* Arrays of the caller, with one entry for each lambda. */
typedef struct orffi_criterion {
    double *errors;  /* count: the errors that decide, averaged over the outputs; NAN if there is none */
    double *outputs; /* count x p: for each output, if `told` */
    /* count: everything known about each lambda; NULL: not wanted, which may be cheaper. */
    orff_path_point *points;
    bool each; /* outputs are wanted at every lambda; if false, they may be left out where they are costly */
    bool told; /* outputs are set */
    bool crossed; /* errors are those of held-out rows; false: they are a substitute and not reported */
} orffi_criterion;

/* The report of a fit. Its arrays belong to the caller. */
typedef struct orffi_report {
    double *mean;      /* p: subtracted from y, added to the values */
    double *train_mse; /* p */
    double *cv_mse;    /* p: set if `crossed` */
    bool crossed;      /* the fit knows its errors on held-out rows */
    /* p, or NULL if not wanted: the noise variances of highest evidence at this lambda; NAN if unknown. */
    double *evident;
    /* rows x p, or NULL if not wanted; only for rows that are not directed. N lambda C^-1 y / c for each
     * row with a weight. Set if y minus the values is something else or would suffer cancellation; NAN on
     * entry, and left so otherwise. */
    double *left;
    double N; /* sum of the weights; for directed rows divided by the number of outputs */
    uint64_t rows;
    double lambda, dof, log_evidence; /* NAN if unknown */
    double unreached; /* share of the variance of y that the kernel cannot reach: see reach.h */
    bool single;
    orff_solve_info solve;
} orffi_report;

/* A field derived from f, in the user's units: x = shift + unit x', f = mean + spread g(x'). */
typedef struct orffi_derived {
    orff_field field;
    const char *name;
    size_t k; /* numbers per point: p d; 1; or, for curl and stream function, 1 (plane) or 3 (space) */
    const size_t *space; /* the p inputs of the field's space, in the order of the outputs; NULL: all */
    const double *unit, *spread; /* d, p */
} orffi_derived;

typedef struct orffi_engine orffi_engine;

/* The difference of a posterior sample from the mean: a sum of fits, possibly of another engine. */
typedef struct orffi_deviation {
    size_t count;
    struct {
        const orffi_engine *engine;
        void *fit;
    } terms[2];
} orffi_deviation;

struct orffi_engine {
    orff_engine id; /* named in the list in orff.h */
    bool draws;     /* its kernel is an approximation that depends on the number of frequencies drawn */
    bool resumes;   /* its progress can be saved and resumed */
    /* Up to so many rows it handles outputs of different noises fast enough; 0: any number. */
    size_t parts_noises;

    /* Whether it can serve these settings and so many rows (0: unknown); if not, the message says why.
     * *bytes: peak memory, about. */
    orff_status (*suits)(const orff_settings *settings, size_t d, size_t p, size_t rows, size_t *bytes);

    /* Whether comparing candidates on so many rows, each with its own criterion, is fast. */
    bool (*compares)(const orff_kernel *kernel, size_t rows);

    /* ---- rows. The kernel is that of the settings; other kernels are allowed wherever `serves` returns
     * true. */
    orff_status (*prepare)(void **rows, const orffi_task *task, const orff_kernel *kernel);
    orff_status (*read)(void *rows, const orffi_source *source);
    bool (*serves)(const void *rows, const orff_kernel *kernel);
    /* Whether `other`, prepared but not read, would sum up or keep the same from the same rows. If so, it
     * may borrow from `rows`, which must outlive it. */
    bool (*shares)(const void *rows, const void *other);
    void (*borrow)(void *other, const void *rows);

    /* The sum of the rows' weights. */
    double (*weight)(const void *rows);
    /* Its criterion is, or would be, the evidence of all rows: a lambda found by the evidence is used as
     * it is. */
    bool evident;
    /* trace K(0)/p of the kernel as the engine computes it; lambdas are relative to it */
    orff_status (*size)(void *rows, const orff_kernel *kernel, double *size);
    orff_status (*criterion)(void *rows, const orff_kernel *kernel, size_t count, const double *lambdas,
                             orffi_criterion *criterion);
    /* The weights of a sum's parts by the criterion of the settings, as orff_mixture_learn; NULL: the
     * engine cannot learn them from all rows, so they are learned from a sample. */
    orff_status (*weights)(void *rows, const orff_kernel *kernel, double drop, double *weights,
                           double *shares);
    /* The last call that uses the rows. */
    orff_status (*learn)(void **fit, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report);
    /* Learns quickly from the same rows with other outputs (in place of the table's Y), before `learn`;
     * without a posterior. NULL: the rows must be read again for that. */
    orff_status (*again)(void **fit, void *rows, const orff_kernel *kernel, double lambda, const double *Y);
    void (*release)(void *rows); /* accepts NULL and half-prepared rows */

    /* ---- a fit: const, may be shared by threads. x is n x d. */
    const orff_kernel *(*kernel)(const void *fit);
    orff_status (*check_finite)(const void *fit);
    /* fills frequencies, parameters, scheme, seed, has_posterior, warnings */
    void (*describe)(const void *fit, orff_model_info *info);
    orff_status (*values)(const void *fit, size_t n, const double *x, double *F); /* n x p */
    /* NULL: values are computed in double */
    orff_status (*values_single)(const void *fit, size_t n, const float *x, float *F);
    /* n x p x p, for a noise variance of 1; only if describe reports a posterior */
    orff_status (*covariance)(const void *fit, size_t n, const double *x, double *covariance);
    orff_status (*derive)(const void *fit, const orffi_derived *what, size_t n, const double *x, double *out);
    /* n x k x k, likewise, in closed form; only if `has_derived_covariance` */
    orff_status (*derived_covariance)(const void *fit, const orffi_derived *what, size_t n, const double *x,
                                      double *covariance);
    bool (*has_derived_covariance)(const void *fit, const orffi_derived *what);
    /* Joint posterior samples 0 .. count - 1 of a seed, minus the mean, for a noise variance of 1; only
     * with a posterior. The caller clears them, also on failure; the fit must outlive them. */
    orff_status (*draw)(const void *fit, uint64_t seed, size_t count, orffi_deviation *samples);
    /* f as a sum, for a spread of 1; ORFF_ERROR_UNSUPPORTED if f is not a sum. The caller clears the term,
     * also on failure. */
    orff_status (*sum)(const void *fit, orffi_term *term);

    /* ---- files: members of the object "model", tensors (which must live until the archive is written),
     * and reading them. The archive must stay open if there is a posterior. compact: leave out what can be
     * computed again. */
    int (*pack)(const void *fit, json_t *model); /* nonzero: out of memory */
    orff_status (*add)(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
    orff_status (*load)(void **fit, const orffi_fields *model, const orff_kernel *kernel);
    void (*free)(void *fit); /* accepts NULL */
};

#define ORFFI_ENGINE_DECLARE(name, file, text) extern const orffi_engine orffi_engine_##file;
ORFF_ENGINE_LIST(ORFFI_ENGINE_DECLARE)
#undef ORFFI_ENGINE_DECLARE

/* NULL for none, and for auto. */
const orffi_engine *orffi_engine_find(orff_engine engine);

/* Order of a dense matrix (rows, times outputs where these are not alike) that is factored in a second. */
#define ORFFI_FEW_NUMBERS 3000

/* The engine for these settings and so many rows (0: unknown). reason: why auto chose it, "" if the user
 * did; a constant string. Fails if the engine asked for cannot serve. */
orff_status orffi_engine_choose(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                const orffi_engine **engine, const char **reason);
/* The same for directed rows (see engine/table.h). Up to so many rows the exact engine is fastest. */
#define ORFFI_FEW_DIRECTED 6000
orff_status orffi_engine_choose_directed(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                         const orffi_engine **engine, const char **reason);

/* The engine that compares candidates on so many rows on behalf of another one. */
const orffi_engine *orffi_engine_for_trials(const orffi_engine *engine, const orff_kernel *kernel,
                                            size_t rows);

/* Fails if inputs are periodic and the engine does not support that. */
orff_status orffi_refuse_periods(const orff_settings *settings, orff_engine engine, size_t d);

/* Adds a term. */
void orffi_deviation_add(orffi_deviation *deviation, const orffi_engine *engine, void *fit);
void orffi_deviation_clear(orffi_deviation *deviation);

/* Its values (n x p), or a field derived from it (n x k); work: of the same size. */
orff_status orffi_deviation_values(const orffi_deviation *deviation, size_t p, size_t n, const double *x,
                                   double *work, double *out);
orff_status orffi_deviation_derive(const orffi_deviation *deviation, const orffi_derived *what, size_t n,
                                   const double *x, double *work, double *out);

/* Whether to keep what error bars need, a matrix of this order. */
bool orffi_keeps_posterior(const orff_settings *settings, double order);

#endif
