/* An engine: one way of learning f(x) = sum over something of a kernel, behind one table of functions. What is above
 * (choosing hyperparameters, units, reports, files, predictions) knows no engine by name. All numbers here are in the
 * units that the kernel sees: x' = (x - shift)/unit, y' = y/spread.
 *
 *     prepare    before any row: what follows from the kernel alone (frequencies are drawn)
 *     read       all rows: summed up, or kept
 *     criterion  the cross-validated error at a kernel and a path of lambdas; as often as one likes, without the rows
 *     learn      the fit at one kernel and lambda
 *     values ..  what follows from a fit at a point
 */
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
    bool scores; /* only criteria will be asked for */
} orffi_task;

/* The mean that the task gives, in the engine's units (p). */
static inline void orffi_task_mean(const orffi_task *task, size_t p, double *mean) {
    for (size_t k = 0; k < p; k++) mean[k] = task->mean[k] / (task->spread ? task->spread[k] : 1.0);
}

/* Rows on their way into an engine. */
typedef struct orffi_source {
    const orffi_table *table;     /* all of them, which outlives what is prepared; or NULL ... */
    orff_reader reader;           /* ... and they are read */
    size_t expected;              /* how many, or about how many */
    size_t known;                 /* how many, 0 where that is not known; a table knows it */
    orffi_checkpoint *checkpoint; /* where what comes of them is saved on the way, or NULL */
} orffi_source;

/* The caller's arrays, one entry for each lambda. */
typedef struct orffi_criterion {
    double *errors;          /* count: what decides, the mean over the outputs; NAN where there is none */
    double *outputs;         /* count x p: of each output, where `told` */
    orff_path_point *points; /* count: all that is known of each; NULL: not wanted, which may be cheaper */
    bool each;    /* outputs are wanted at every lambda; else they may be left out where they are dear */
    bool told;    /* outputs are there */
    bool crossed; /* errors are those of rows left out; false: they stand in for them, and are not reported */
} orffi_criterion;

/* What a fit has to say of itself. The arrays are the caller's. */
typedef struct orffi_report {
    double *mean;      /* p: taken off y, added to the values */
    double *train_mse; /* p */
    double *cv_mse;    /* p: set where `crossed` */
    bool crossed;      /* the fit knows its errors on rows left out */
    double *
        evident; /* p, NULL: nobody asks. The noise variances of most evidence at this lambda; NAN where not known */
    /* rows x p, NULL: nobody asks. N lambda C^-1 y / c of each row that has a weight, of rows that are not directed. Told where y
     * less the values is not that, or would cancel; NAN at first, and left so elsewhere. */
    double *left;
    double N; /* sum of the weights; of directed rows, over the numbers of a whole one */
    uint64_t rows;
    double lambda, dof, log_evidence; /* NAN where not known */
    double unreached; /* the share of the variance of y that the kernel cannot reach: see reach.h */
    bool single;
    orff_solve_info solve;
} orffi_report;

/* A field that is derived from f, in the user's units: x = shift + unit x', f = mean + spread g(x'). */
typedef struct orffi_derived {
    orff_field field;
    const char *name;
    size_t k; /* numbers at a point: p d, 1, or 1 (plane) or 3 (space) for curl and stream function */
    const size_t *space; /* p inputs that are the field's space, in the order of the outputs; NULL: all */
    const double *unit, *spread; /* d, p */
} orffi_derived;

typedef struct orffi_engine orffi_engine;

/* What a posterior sample has more than the mean: a sum of fits, which may be those of another engine. */
typedef struct orffi_deviation {
    size_t count;
    struct {
        const orffi_engine *engine;
        void *fit;
    } terms[2];
} orffi_deviation;

struct orffi_engine {
    orff_engine id;      /* its name is in the list of orff.h */
    bool draws;          /* its kernel is only as good as the number of frequencies it draws */
    bool resumes;        /* what comes of its rows can be saved and taken up again */
    size_t parts_noises; /* up to so many rows it has outputs of several noises in good time; 0: any number */

    /* Whether it can serve these settings and so many rows (0: not known); the message says why not. *bytes: what it
     * would take at its peak, about. */
    orff_status (*suits)(const orff_settings *settings, size_t d, size_t p, size_t rows, size_t *bytes);

    /* Whether comparing candidates on so many rows, each with a criterion of its own, is quick. */
    bool (*compares)(const orff_kernel *kernel, size_t rows);

    /* ---- rows. The kernel is that of the settings; other kernels may be asked for wherever `serves` says so. */
    orff_status (*prepare)(void **rows, const orffi_task *task, const orff_kernel *kernel);
    orff_status (*read)(void *rows, const orffi_source *source);
    bool (*serves)(const void *rows, const orff_kernel *kernel);
    /* Whether `other`, prepared but not read, would sum up or keep the same of the same rows; then it may use those of
     * `rows`, which outlive it. */
    bool (*shares)(const void *rows, const void *other);
    void (*borrow)(void *other, const void *rows);

    /* What the weights of the rows add up to. */
    double (*weight)(const void *rows);
    /* The evidence of all rows is what its criterion decides by, or would: a lambda that was found by it is taken. */
    bool evident;
    /* trace K(0)/p of the kernel as the engine has it: what lambdas are relative to */
    orff_status (*size)(void *rows, const orff_kernel *kernel, double *size);
    orff_status (*criterion)(void *rows, const orff_kernel *kernel, size_t count, const double *lambdas,
                             orffi_criterion *criterion);
    /* The weights of a sum's parts by the criterion of the settings, as orff_mixture_learn; NULL: it has no way of doing so with all
     * rows, and they are learned from a sample. */
    orff_status (*weights)(void *rows, const orff_kernel *kernel, double drop, double *weights,
                           double *shares);
    /* The last that is asked of the rows. */
    orff_status (*learn)(void **fit, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report);
    /* What is learned from the same rows with other outputs (as Y of their table), quickly, and before `learn`; no posterior.
     * NULL: rows have to be read again for that. */
    orff_status (*again)(void **fit, void *rows, const orff_kernel *kernel, double lambda, const double *Y);
    void (*release)(void *rows); /* NULL, half-prepared: fine */

    /* ---- a fit: const, shared by threads. x is n x d. */
    const orff_kernel *(*kernel)(const void *fit);
    orff_status (*check_finite)(const void *fit);
    /* frequencies, parameters, scheme, seed, has_posterior, warnings */
    void (*describe)(const void *fit, orff_model_info *info);
    orff_status (*values)(const void *fit, size_t n, const double *x, double *F); /* n x p */
    /* NULL: they are computed in double */
    orff_status (*values_single)(const void *fit, size_t n, const float *x, float *F);
    /* n x p x p, for a noise variance of 1; only where describe says that there is a posterior */
    orff_status (*covariance)(const void *fit, size_t n, const double *x, double *covariance);
    orff_status (*derive)(const void *fit, const orffi_derived *what, size_t n, const double *x, double *out);
    /* n x k x k, likewise, in closed form; only where `has_derived_covariance` says so. */
    orff_status (*derived_covariance)(const void *fit, const orffi_derived *what, size_t n, const double *x,
                                      double *covariance);
    bool (*has_derived_covariance)(const void *fit, const orffi_derived *what);
    /* Joint posterior samples 0 .. count - 1 of a seed for a noise variance of 1, less the mean; only where there is a
     * posterior. The caller clears them, also on failure; the fit outlives them. */
    orff_status (*draw)(const void *fit, uint64_t seed, size_t count, orffi_deviation *samples);
    /* f as a sum, for a spread of 1; ORFF_ERROR_UNSUPPORTED where it is none. The caller clears the term, also on
     * failure. */
    orff_status (*sum)(const void *fit, orffi_term *term);

    /* ---- files: members of the object "model", tensors (which live until the archive is written), and back. The
     * archive must stay open where there is a posterior. compact: leave out what can be computed again. */
    int (*pack)(const void *fit, json_t *model); /* not 0: no memory */
    orff_status (*add)(const void *fit, bool compact, orffi_archive_writer *writer, json_t *document);
    orff_status (*load)(void **fit, const orffi_fields *model, const orff_kernel *kernel);
    void (*free)(void *fit); /* NULL is fine */
};

#define ORFFI_ENGINE_DECLARE(name, file, text) extern const orffi_engine orffi_engine_##file;
ORFF_ENGINE_LIST(ORFFI_ENGINE_DECLARE)
#undef ORFFI_ENGINE_DECLARE

/* NULL for none, and for auto. */
const orffi_engine *orffi_engine_find(orff_engine engine);

/* The engine for these settings and so many rows (0: not known). reason: why auto took it, "" where it was asked for;
 * lives for ever. Fails where the one that was asked for does not suit. */
orff_status orffi_engine_choose(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                const orffi_engine **engine, const char **reason);
/* The same for directed rows (see engine/table.h). Up to so many the exact kernel has them soonest. */
#define ORFFI_FEW_DIRECTED 6000
orff_status orffi_engine_choose_directed(const orff_settings *settings, size_t d, size_t p, size_t rows,
                                         const orffi_engine **engine, const char **reason);

/* The engine that compares candidates for another one on so many rows. */
const orffi_engine *orffi_engine_for_trials(const orffi_engine *engine, const orff_kernel *kernel,
                                            size_t rows);

/* Refuses periodic inputs for an engine that has none. */
orff_status orffi_refuse_periods(const orff_settings *settings, orff_engine engine, size_t d);

/* One more term. */
void orffi_deviation_add(orffi_deviation *deviation, const orffi_engine *engine, void *fit);
void orffi_deviation_clear(orffi_deviation *deviation);

/* Its values (n x p), or a field derived from it (n x k); work: as much. */
orff_status orffi_deviation_values(const orffi_deviation *deviation, size_t p, size_t n, const double *x,
                                   double *work, double *out);
orff_status orffi_deviation_derive(const orffi_deviation *deviation, const orffi_derived *what, size_t n,
                                   const double *x, double *work, double *out);

/* Whether to keep what error bars need, whose matrix has so many rows. */
bool orffi_keeps_posterior(const orff_settings *settings, double order);

#endif
