/* Kernels as texts: sums of parts with their bases, shapes, length scales, weights and output matrices. */
#ifndef ORFFI_MODEL_KERNEL_TEXT_H
#define ORFFI_MODEL_KERNEL_TEXT_H

#include "base/status.h"

/* The texts of the settings that describe a kernel; NULL: not given. */
typedef struct orffi_kernel_texts {
    const char *kernel, *base, *shape, *sigma, *wavelength, *weight, *mix, *matrix, *delays, *covariates;
    const double *periods; /* d: of inputs on a circle, or NULL */
} orffi_kernel_texts;

/* The kernel that they describe, and everything it points to. */
typedef struct orffi_kernel_read {
    const char *culprit; /* after a failure: the setting that is wrong */
    size_t n;
    orff_part *parts;
    double *sigmas; /* n x d */
    double *waves;  /* n x d: wavelengths */
    double *A;      /* n x p x p, or NULL */
    double *delays; /* p x d, or NULL */
    size_t *space;  /* the inputs that are not covariates: p of them */
    const double *periods;
    bool automatic, mixture, auto_mix;
} orffi_kernel_read;

/* Clear `kernel` in any case. */
orff_status orffi_kernel_text_read(orffi_kernel_read *kernel, const orffi_kernel_texts *texts,
                                   const orff_data_shape *shape);
void orffi_kernel_read_clear(orffi_kernel_read *kernel);

/* Marks the inputs (d) that a list names; `setting` is for messages. */
orff_status orffi_inputs_read(const char *setting, const char *text, const orff_data_shape *shape,
                              bool *chosen);

/* Marks the inputs (d) that are covariates. */
orff_status orffi_covariates_read(const char *text, const orff_data_shape *shape, bool *covariate);

/* Reads the periods of inputs (d), such as "hour=24,lon=360"; 0 for inputs not named. */
orff_status orffi_periods_read(const char *text, const orff_data_shape *shape, double *periods);

/* Reads a matrix such as "1,2;3,4", rows between semicolons. Returns the end of it, or NULL if the text is
 * no matrix. The caller releases the numbers. */
const char *orffi_matrix_read(const char *text, size_t *rows, size_t *cols, double **numbers);

/* Reads widths of hidden layers, such as "8,8". */
enum { ORFFI_MOST_WIDTHS = 16, ORFFI_WIDEST = 4096 };
orff_status orffi_widths_read(const char *text, size_t *count, size_t *widths);

#endif
