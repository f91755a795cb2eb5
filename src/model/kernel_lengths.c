/* Length scales, wavelengths and weights of a kernel as text. */
#include "model/kernel_words.h"

#include <math.h>

#include "model/smoothness.h"
#include "model/survey.h"

static orff_status median_scales(const orff_data_shape *shape, size_t space, const size_t *inputs,
                                 const double *periods, double *sigmas) {
    double together;
    if (!shape->n || !shape->X)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "median needs rows; give a number%s",
                          shape->fixed ? "" : ", or auto");
    ORFFI_TRY(orffi_median_distance(shape->n, shape->d, shape->X, space, inputs, periods, 0, &together));
    for (size_t i = 0; i < shape->d; i++) {
        bool in_space = false;
        for (size_t s = 0; s < space; s++) in_space = in_space || inputs[s] == i;
        sigmas[i] = together;
        if (!in_space)
            ORFFI_TRY(orffi_median_distance(shape->n, shape->d, shape->X, 1, &i, periods, 0, &sigmas[i]));
    }
    return ORFF_OK;
}

/* Finite numbers above `low`, separated by commas. Returns how many there are and keeps the first d; 0 if
 * the text is anything else. */
static size_t scan_list(const char *word, double low, size_t d, double *values) {
    size_t count = 0;
    for (const char *at = word;; at++) {
        double value;
        at = orff_number_scan(at, &value);
        if (!at || (*at && *at != ',') || !(value > low) || !isfinite(value)) return 0;
        if (count < d) values[count] = value;
        count++;
        if (!*at) return count;
    }
}

/* One number for all inputs, or one for each. */
static orff_status read_numbers(orffi_kernel_read *k, const char *word, size_t d, double *sigmas) {
    const size_t count = scan_list(word, 0.0, d, sigmas);
    if (!count)
        return orffi_kernel_wrong(
            k, "sigma", "\"%s\" is not a positive length scale, a list of them, median, ard or auto", word);
    if (count != 1 && count != d)
        return orffi_kernel_wrong(k, "sigma", "%zu values for %zu inputs; expected one, or one for each",
                                  count, d);
    for (size_t i = 1; count == 1 && i < d; i++) sigmas[i] = sigmas[0];
    return ORFF_OK;
}

orff_status orffi_read_sigma(orffi_kernel_read *k, const orff_data_shape *shape, size_t space,
                             const char *word, double *sigmas, orff_part *part) {
    if (!strcmp(word, "median")) {
        ORFFI_TRY(orffi_kernel_blame(k, "sigma", median_scales(shape, space, k->space, k->periods, sigmas)));
    } else if (strcmp(word, "ard") && !orffi_is_auto(word)) {
        ORFFI_TRY(read_numbers(k, word, shape->d, sigmas));
    }
    part->sigma = strcmp(word, "ard") ? sigmas[0] : ORFF_SIGMA_ARD;
    part->sigmas = sigmas[0] > 0.0 ? sigmas : NULL;
    if (part->sigmas && orffi_shape_is_open(part))
        return orffi_kernel_wrong(k, "shape",
                                  "auto is chosen together with the length scale; give a number%s",
                                  shape->fixed ? "" : ", or sigma auto");
    if (part->sigmas && part->base == ORFF_BASE_AUTO) part->base = ORFF_BASE_GAUSSIAN;
    return ORFF_OK;
}

orff_status orffi_read_wavelength(orffi_kernel_read *k, const char *word, size_t d, double *waves,
                                  orff_part *part) {
    if (!word[0] || !strcmp(word, "none")) return ORFF_OK;
    part->learn_wavelengths = orffi_is_auto(word);
    if (part->learn_wavelengths) return ORFF_OK;
    const size_t count = scan_list(word, -INFINITY, d, waves);
    part->wavelengths = waves;
    if (!count)
        return orffi_kernel_wrong(k, "wavelength",
                                  "\"%.60s\" is not a wavelength, a list of them, none or auto", word);
    if (count == d) return ORFF_OK;
    return orffi_kernel_wrong(k, "wavelength",
                              "%zu values for %zu inputs; expected one for each, 0 for no waves along it",
                              count, d);
}

orff_status orffi_read_weight(orffi_kernel_read *k, const char *word, orff_part *part) {
    if (!word[0] && k->mixture) return ORFF_OK; /* will be learned */
    const char *end = orff_number_scan(word, &part->weight);
    if (end && !*end && part->weight >= 0.0 && isfinite(part->weight)) return ORFF_OK;
    return orffi_kernel_wrong(k, "weight", "\"%s\" is not a weight of 0 or more, a sum of them, or auto",
                              word);
}
