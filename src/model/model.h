/* A fitted model, as the files of this module share it.
 *
 *     f(x) = mean + spread * g(x') + trend(x'),      x' = (x - shift) / unit
 *
 * with g what its engine has learned.
 */
#ifndef ORFFI_MODEL_MODEL_H
#define ORFFI_MODEL_MODEL_H

#include "engine/engine.h"
#include "model/autoregression.h"
#include "model/cover.h"
#include "model/trend.h"

enum { ORFFI_FIRST_OUTLIERS = 8 }; /* that a warning names */

struct orff_model {
    const orffi_engine *engine;
    void *fit;           /* the engine's */
    char *engine_reason; /* why auto took it, "" where it was asked for */
    size_t d, p;         /* of the kernel: p = T-1 for T classes */
    size_t classes;
    double *shift, *unit;  /* d: inputs */
    double *mean, *spread; /* p: outputs */
    double *codes;         /* T x p, or NULL */
    bool own_codes;        /* which are not those of a simplex */
    orffi_trend *trend;    /* or NULL; the mean is then 0 */
    orffi_series *series;  /* or NULL: see autoregression.h */
    orffi_archive *file;   /* what the fit may point into, or NULL */
    bool on_plane;         /* points are given in degrees: see plane_apply.h */
    orff_plane plane;

    /* the report */
    double lambda, train_mse, cv_mse, dof, log_evidence;
    double left_out;  /* as plan's; 0: the kernel is not chosen so */
    double unreached; /* the share of the variance of y that the kernel cannot reach: see reach.h */
    unsigned warnings;
    char warning[2048];
    uint64_t rows;
    double weight; /* what the weights of the rows add up to: lambda times it is the noise over the field */
    bool single;
    double *output_train_mse; /* p */
    double *noise;            /* p: standard deviations, of a row of weight 1; NAN where not known */
    double *own_noise;        /* p: of a measurement, where weights say how well rows are measured; NULL: `noise` */
    double error_share;       /* of known errors in the variance of the noise, or NAN */
    size_t instruments;       /* 0: alike */
    double *instrument_noise; /* instruments: over `noise`; or NULL */
    double *output_cv_mse;    /* p, or NULL when not cross-validated */
    double *shares;           /* parts + 1, or NULL */
    struct {
        orff_folds folds;
        double mse, coverage[ORFF_INTERVALS];
        double excess; /* mean over blocks of (error / its standard deviation)^2; 0 in a model from a file */
        size_t rows, blocks;
        double *outputs; /* p, or NULL */
    } held;              /* rows left out: see held_out.h */
    struct {
        unsigned flags;             /* of ORFF_WARN_.. */
        double nearest_mse, beyond; /* what they were found by */
        double outlying;            /* the share of outliers: see outliers.h */
        size_t outliers, looked_at; /* how many, of how many rows */
        size_t first[ORFFI_FIRST_OUTLIERS];
        struct {
            size_t input, values; /* which, from 1, and how many */
            double mse, coverage; /* of rows whose value is left out; coverage of 95 % */
        } repeated;
    } doubts;                       /* see doubts.h */
    orff_solve_info solve;
    char *method;      /* what solve.method points to in a model from a file, or NULL */
    char *notes;       /* the caller's, or NULL */
    orffi_cover cover; /* where the rows were */
    char *kernel_words;
    double *user_sigmas; /* parts x d: length scales in the user's units */
    double *user_delays; /* parts x p x d: the same of delays */
    double *user_waves;  /* parts x d: and of wavelengths */
};

/* With room for the arrays whose sizes follow from the fit, which is taken over, also on failure.
 * shift = 0, unit = 1, mean = 0, spread = 1. */
orff_status orffi_model_create(orff_model **out, const orffi_engine *engine, void *fit, size_t classes);

const orff_kernel *orffi_model_kernel(const orff_model *model);

/* The noise of a measurement of each output (p). */
const double *orffi_model_noise(const orff_model *model);

/* Codes (classes x p) that are not those of a simplex. */
void orffi_model_set_codes(orff_model *model, const double *codes);

/* codes, words and user_sigmas from what is there: called when units are final. */
orff_status orffi_model_finish(orff_model *model);

/* Gives a model, NULL for none, what is known of where its rows were, which is taken over in any case. */
void orffi_model_cover(orff_model *model, orffi_cover *cover);

/* Refuses a model without error bars. */
orff_status orffi_model_check_posterior(const orff_model *model);

/* x' of n rows into out (n x d). */
void orffi_model_transform(const orff_model *model, size_t n, const double *X, double *out);

enum { ORFFI_MODEL_BLOCK = 16384 }; /* rows that are transformed at a time: X is not copied as a whole */

/* What a function of a fit gives at x' of n points: out (n x k) is untouched on failure.
 * ORFF_ERROR_NOT_FINITE where a result is NaN or infinite. Done in blocks of rows, and progress is theirs. */
typedef orff_status orffi_at_points(const orff_model *model, const void *what, size_t n, const double *x,
                                    double *out);
orff_status orffi_model_evaluate(const orff_model *model, const char *task, orffi_at_points *function,
                                 const void *what, size_t k, size_t n, const double *X, double *out);

#endif
