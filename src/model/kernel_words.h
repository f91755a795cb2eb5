/* Shared by the files that read kernels as texts. */
#ifndef ORFFI_MODEL_KERNEL_WORDS_H
#define ORFFI_MODEL_KERNEL_WORDS_H

#include <string.h>

#include "model/kernel_text.h"

/* Fails because of the setting `culprit`. */
orff_status orffi_kernel_wrong(orffi_kernel_read *k, const char *culprit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Blames the setting for the error that another function of the library returned. */
orff_status orffi_kernel_blame(orffi_kernel_read *k, const char *culprit, orff_status status);

static inline bool orffi_is_auto(const char *text) {
    return !strcmp(text, "auto");
}

/* ---- words between plus signs */

size_t orffi_words_count(const char *text);

/* Copies word i, or the only one, without surrounding spaces; false if it does not fit. */
bool orffi_word_of(const char *text, size_t i, char *word, size_t room);

/* ---- length scales, wavelengths and weights of a part */

/* space: how many inputs the field's space has. sigmas, waves (d): memory that the part may point to. */
orff_status orffi_read_sigma(orffi_kernel_read *k, const orff_data_shape *shape, size_t space,
                             const char *word, double *sigmas, orff_part *part);
orff_status orffi_read_wavelength(orffi_kernel_read *k, const char *word, size_t d, double *waves,
                                  orff_part *part);
orff_status orffi_read_weight(orffi_kernel_read *k, const char *word, orff_part *part);

/* ---- the field's space */

/* The inputs of the field's space: those that are not covariates. */
orff_status orffi_read_space(orffi_kernel_read *k, const char *text, const orff_data_shape *shape,
                             size_t *count);

/* Fields need as many inputs in their space as outputs. For other kernels covariates are ordinary inputs. */
orff_status orffi_set_space(orffi_kernel_read *k, const orff_data_shape *shape, size_t p, size_t count);

/* ---- output matrices and delays */

/* Reads output matrices: one for all parts that take one, or one for each of them. */
orff_status orffi_read_matrices(orffi_kernel_read *k, const char *text, const orff_data_shape *shape,
                                size_t p);

/* Reads the delays of all delayed parts. */
orff_status orffi_read_delays(orffi_kernel_read *k, const char *text, size_t d, size_t p);

#endif
