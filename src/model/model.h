/* A fitted model, shared by the files of this module.
 *
 *     f(x) = mean + spread * g(x') + trend(x'),      x' = (x - shift) / unit
 *
 * where the engine has learned g. */
#ifndef ORFFI_MODEL_MODEL_H
#define ORFFI_MODEL_MODEL_H

#include "engine/engine.h"
#include "model/autoregression.h"
#include "model/cover.h"
#include "model/trend.h"

enum { ORFFI_FIRST_OUTLIERS = 8 }; /* at most so many are named in a warning */

struct orff_model {
    const orffi_engine *engine;
    void *fit;           /* belongs to the engine */
    char *engine_reason; /* why auto chose it; "" if the user did */
    size_t d, p;         /* dimensions of the kernel: p = T-1 for T classes */
    size_t classes;
    double *shift, *unit;  /* d: inputs */
    double *mean, *spread; /* p: outputs */
    double *codes;         /* T x p, or NULL */
    bool own_codes;        /* whether codes differ from those of a simplex */
    orffi_trend *trend;    /* or NULL; with a trend the mean is 0 */
    orffi_series *series;  /* or NULL: see autoregression.h */
    orffi_archive *file;   /* file that the fit may point into, or NULL */
    bool on_plane;         /* points are given in degrees: see plane_apply.h */
    orff_plane plane;

    /* the report */
    double lambda, train_mse, cv_mse, dof, log_evidence;
    double left_out;  /* as in plan; 0: the kernel was not chosen by held-out rows */
    double unreached; /* share of the variance of y that the kernel cannot reach: see reach.h */
    unsigned warnings;
    char warning[2048];
    uint64_t rows;
    double weight; /* sum of the rows' weights; times lambda it is noise over field */
    bool single;
    double *output_train_mse; /* p */
    double *noise;            /* p: standard deviations for a row of weight 1; NAN if unknown */
    /* p: for a single measurement, if weights describe how well rows are measured; NULL: same as `noise`. */
    double *own_noise;
    double error_share;       /* share of the known errors in the noise variance, or NAN */
    size_t instruments;       /* 0: all alike */
    double *instrument_noise; /* instruments: relative to `noise`; or NULL */
    double *output_cv_mse;    /* p, or NULL when not cross-validated */
    double *shares;           /* parts + 1, or NULL */
    struct {
        orff_folds folds;
        double mse, coverage[ORFF_INTERVALS];
        double excess; /* mean over blocks of (error / its standard deviation)^2; 0 in a model from a file */
        size_t rows, blocks;
        double *outputs; /* p, or NULL */
    } held;              /* held-out rows: see held_out.h */
    struct {
        unsigned flags;             /* of ORFF_WARN_.. */
        double nearest_mse, beyond; /* the numbers behind the warnings */
        double outlying;            /* share of outliers: see outliers.h */
        size_t outliers, looked_at; /* number of outliers, and of rows examined */
        size_t first[ORFFI_FIRST_OUTLIERS];
        struct {
            size_t input, values; /* the input, from 1, and its number of values */
            double mse, coverage; /* for held-out values; coverage of 95 % intervals */
        } repeated;
    } doubts; /* see doubts.h */
    orff_solve_info solve;
    char *method;      /* text of solve.method in a model from a file, or NULL */
    char *notes;       /* set by the caller, or NULL */
    orffi_cover cover; /* where the rows were */
    char *kernel_words;
    double *user_sigmas; /* parts x d: length scales in the user's units */
    double *user_delays; /* parts x p x d: delays in the user's units */
    double *user_waves;  /* parts x d: wavelengths in the user's units */
};

/* Creates a model with all arrays whose sizes follow from the fit. Takes over the fit, also on failure.
 * Sets shift = 0, unit = 1, mean = 0, spread = 1. */
orff_status orffi_model_create(orff_model **out, const orffi_engine *engine, void *fit, size_t classes);

const orff_kernel *orffi_model_kernel(const orff_model *model);

/* The standard deviation of the noise of a measurement, for each output (p). */
const double *orffi_model_noise(const orff_model *model);

/* Sets codes (classes x p) other than those of a simplex. */
void orffi_model_set_codes(orff_model *model, const double *codes);

/* Computes codes, words and user_sigmas; call it when units are final. */
orff_status orffi_model_finish(orff_model *model);

/* Moves the cover to a model; with model NULL it is only freed. */
void orffi_model_cover(orff_model *model, orffi_cover *cover);

/* Fails for a model without error bars. */
orff_status orffi_model_check_posterior(const orff_model *model);

/* x' of n rows into out (n x d). */
void orffi_model_transform(const orff_model *model, size_t n, const double *X, double *out);

enum { ORFFI_MODEL_BLOCK = 16384 }; /* rows transformed at a time, so that X is not copied as a whole */

/* Evaluates a function of a fit at x' of n points. out (n x k) is unchanged on failure;
 * ORFF_ERROR_NOT_FINITE if a result is NaN or infinite. Works in blocks of rows and reports progress. */
typedef orff_status orffi_at_points(const orff_model *model, const void *what, size_t n, const double *x,
                                    double *out);
orff_status orffi_model_evaluate(const orff_model *model, const char *task, orffi_at_points *function,
                                 const void *what, size_t k, size_t n, const double *X, double *out);

#endif
