/*     kernel = part + part ..        part = RULE[:BASE][@SIGMA][~WAVE][*WEIGHT]
 *     base = BASE + BASE ..          BASE = name or name/shape
 *     sigma = SIGMA + SIGMA ..       SIGMA = auto, ard, median, S, or S1,..,Sd
 *     wavelength = WAVE + WAVE ..    WAVE = none, auto, or L1,..,Ld
 *
 * What a part says of itself stands before what the settings of all parts say. */
#include "model/kernel_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/smoothness.h"
#include "model/survey.h"

#define MOST_PARTS  64
#define LONGEST     64 /* of a word */
#define ADVICE_ROOM 400

/* One part on its way. NULL where it leaves a thing to the settings of all. */
typedef struct words {
    char rule[LONGEST], base[LONGEST], weight[LONGEST];
    char *sigma, *wavelength; /* as long as they are: one number for each of many inputs */
} words;

static orff_status wrong(orffi_kernel_read *k, const char *culprit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static orff_status wrong(orffi_kernel_read *k, const char *culprit, const char *format, ...) {
    char message[768];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    k->culprit = culprit;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%s: %s", culprit, message);
}

/* What another function of the library says is wrong with a setting. */
static orff_status blame(orffi_kernel_read *k, const char *culprit, orff_status status) {
    char message[768];
    if (!status) return ORFF_OK;
    snprintf(message, sizeof message, "%s", orff_error_message());
    k->culprit = culprit;
    return orffi_fail(status, "%s: %s", culprit, message);
}

static bool is_auto(const char *text) {
    return !strcmp(text, "auto");
}

/* ---- words between plus signs */

/* Where a plus ends a word: not inside of a number such as 1e+5. */
static const char *end_of_word(const char *text) {
    const char *at = text;
    for (; *at; at++) {
        const bool exponent = at > text + 1 && (at[-1] == 'e' || at[-1] == 'E') &&
                              ((at[-2] >= '0' && at[-2] <= '9') || at[-2] == '.') && at[1] >= '0' &&
                              at[1] <= '9';
        if (*at == '+' && !exponent) break;
    }
    return at;
}

static size_t count_words(const char *text) {
    size_t count = 1;
    for (const char *at = end_of_word(text); *at; at = end_of_word(at + 1)) count++;
    return count;
}

/* Word i, or the only one there is, without spaces around it; false where it does not fit. */
static bool word_of(const char *text, size_t i, char *word, size_t room) {
    const char *at = text, *end = end_of_word(text);
    while (i-- && *end) {
        at = end + 1;
        end = end_of_word(at);
    }
    while (*at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    if ((size_t)(end - at) >= room) return false;
    memcpy(word, at, (size_t)(end - at));
    word[end - at] = '\0';
    return true;
}

static orff_status check_count(orffi_kernel_read *k, const char *name, const char *text) {
    const size_t count = text ? count_words(text) : 1;
    if (count == 1 || count == k->n) return ORFF_OK;
    return wrong(k, name, "%zu values for %zu %s of the kernel; expected one, or one for each", count, k->n,
                 k->n == 1 ? "part" : "parts");
}

/* ---- one part */

/* From `mark` on, moved out of the text. */
static void split_at(char *text, char mark, char *rest, size_t room) {
    char *at = strchr(text, mark);
    if (!at) return;
    snprintf(rest, room, "%s", at + 1);
    *at = '\0';
}

/* text (room bytes): scratch; w->sigma and w->wavelength have as much room. */
static orff_status read_words(orffi_kernel_read *k, const orffi_kernel_texts *t, size_t m, words *w,
                              char *text, size_t room) {
    word_of(t->kernel, m, text, room);
    split_at(text, '*', w->weight, sizeof w->weight);
    split_at(text, '~', w->wavelength, room);
    split_at(text, '@', w->sigma, room);
    split_at(text, ':', w->base, sizeof w->base);
    snprintf(w->rule, sizeof w->rule, "%.*s", LONGEST - 1, text);
    if (!w->base[0] && !word_of(t->base, m, w->base, sizeof w->base))
        return wrong(k, "base", "the name of the base is too long");
    if (!w->sigma[0]) word_of(t->sigma, m, w->sigma, room);
    if (!w->wavelength[0] && t->wavelength) word_of(t->wavelength, m, w->wavelength, room);
    if (!w->weight[0] && !is_auto(t->weight) && !word_of(t->weight, m, w->weight, sizeof w->weight))
        return wrong(k, "weight", "a weight is too long");
    return ORFF_OK;
}

static orff_status read_rule(orffi_kernel_read *k, const char *word, orff_part *part) {
    if (is_auto(word)) return wrong(k, "kernel", "auto cannot be part of a sum: it is already one");
    ORFFI_TRY(blame(k, "kernel", orff_rule_parse(word, &part->rule)));
    if (orff_rule_describe(part->rule).named) return ORFF_OK;
    return wrong(k, "kernel", "%s needs a function, which a text cannot give", word);
}

/* BASE, BASE/SHAPE, or a base whose shape is that of the setting. */
static orff_status read_base(orffi_kernel_read *k, const orffi_kernel_texts *t, size_t m, char *word,
                             orff_part *part) {
    char shape[LONGEST] = "";
    const char *end, *culprit = "base";
    split_at(word, '/', shape, sizeof shape);
    ORFFI_TRY(blame(k, "base", orff_base_parse(word, &part->base, &part->shape)));
    const bool open = orff_base_has_shape(part->base) && part->shape == 0.0;
    if (shape[0] && !open) return wrong(k, "base", "base %s takes no shape", word);
    if (open && !shape[0] && t->shape) {
        culprit = "shape";
        if (!word_of(t->shape, m, shape, sizeof shape)) return wrong(k, "shape", "a shape is too long");
    }
    if (open && !shape[0])
        return wrong(k, "shape", "base %s needs a shape: give this setting, or a base such as %s/1.5", word,
                     word);
    if (!open) return ORFF_OK;
    if (is_auto(shape)) {
        part->shape = ORFF_SHAPE_AUTO;
        return ORFF_OK;
    }
    end = orff_number_scan(shape, &part->shape);
    if (end && !*end && part->shape > 0.0 && isfinite(part->shape)) return ORFF_OK;
    return wrong(k, culprit, "\"%s\" is neither a positive number nor auto", shape);
}

/* ---- length scales */

static orff_status median_scales(const orff_data_shape *shape, size_t space, const size_t *inputs,
                                 const double *periods, double *sigmas) {
    double together;
    if (!shape->n || !shape->X)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "median needs rows; give a number, or auto");
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

/* Finite numbers between commas, above `low`: how many there are, of which the first d are kept; 0 where something else stands
 * there. */
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

/* One, or one for each input. */
static orff_status read_numbers(orffi_kernel_read *k, const char *word, size_t d, double *sigmas) {
    const size_t count = scan_list(word, 0.0, d, sigmas);
    if (!count)
        return wrong(k, "sigma", "\"%s\" is not a positive length scale, a list of them, median, ard or auto",
                     word);
    if (count != 1 && count != d)
        return wrong(k, "sigma", "%zu values for %zu inputs; expected one, or one for each", count, d);
    for (size_t i = 1; count == 1 && i < d; i++) sigmas[i] = sigmas[0];
    return ORFF_OK;
}

static orff_status read_sigma(orffi_kernel_read *k, const orff_data_shape *shape, size_t space,
                              const char *word, double *sigmas, orff_part *part) {
    if (!strcmp(word, "median")) {
        ORFFI_TRY(blame(k, "sigma", median_scales(shape, space, k->space, k->periods, sigmas)));
    } else if (strcmp(word, "ard") && !is_auto(word)) {
        ORFFI_TRY(read_numbers(k, word, shape->d, sigmas));
    }
    part->sigma = strcmp(word, "ard") ? sigmas[0] : ORFF_SIGMA_ARD;
    part->sigmas = sigmas[0] > 0.0 ? sigmas : NULL;
    if (part->sigmas && orffi_shape_is_open(part))
        return wrong(k, "shape",
                     "auto is chosen together with the length scale; give a number, or sigma auto");
    if (part->sigmas && part->base == ORFF_BASE_AUTO) part->base = ORFF_BASE_GAUSSIAN;
    return ORFF_OK;
}

static orff_status read_wavelength(orffi_kernel_read *k, const char *word, size_t d, double *waves,
                                   orff_part *part) {
    if (!word[0] || !strcmp(word, "none")) return ORFF_OK;
    part->learn_wavelengths = is_auto(word);
    if (part->learn_wavelengths) return ORFF_OK;
    const size_t count = scan_list(word, -INFINITY, d, waves);
    part->wavelengths = waves;
    if (!count)
        return wrong(k, "wavelength",
                     "\"%.60s\" is not a wavelength, a list of them, none or "
                     "auto",
                     word);
    if (count == d) return ORFF_OK;
    return wrong(k, "wavelength", "%zu values for %zu inputs; expected one for each, 0 for no waves along it",
                 count, d);
}

static orff_status read_weight(orffi_kernel_read *k, const char *word, orff_part *part) {
    if (!word[0] && k->mixture) return ORFF_OK; /* learned */
    const char *end = orff_number_scan(word, &part->weight);
    if (end && !*end && part->weight >= 0.0 && isfinite(part->weight)) return ORFF_OK;
    return wrong(k, "weight", "\"%s\" is not a weight of 0 or more, a sum of them, or auto", word);
}

/* ---- all parts */

static orff_status read_mix(orffi_kernel_read *k, const char *text) {
    double mix = 0.5;
    const char *end = text && !is_auto(text) ? orff_number_scan(text, &mix) : "";
    bool any = false;
    if (!end || *end || !(mix >= 0.0 && mix <= 1.0))
        return wrong(k, "mix", "\"%s\" is neither a number from 0 to 1 nor auto", text);
    for (size_t m = 0; m < k->n; m++) {
        any = any || orff_rule_describe(k->parts[m].rule).mixes;
        k->parts[m].mix = mix;
    }
    k->auto_mix = text && is_auto(text);
    if (text && !any)
        return wrong(k, "mix", "no part of the kernel has one; it is for kernel %s",
                     orff_rule_name(ORFF_RULE_HELMHOLTZ));
    return ORFF_OK;
}

/* The inputs of the field's space: those that are not covariates. */
static orff_status read_space(orffi_kernel_read *k, const char *text, const orff_data_shape *shape,
                              size_t *count) {
    bool *covariate;
    ORFFI_TRY(ORFFI_NEW_ARRAY(covariate, shape->d));
    orff_status status = ORFFI_NEW_ARRAY(k->space, shape->d);
    if (!status) status = orffi_covariates_read(text, shape, covariate);
    if (status && status != ORFF_ERROR_NO_MEMORY) k->culprit = "covariates";
    *count = 0;
    for (size_t i = 0; !status && i < shape->d; i++)
        if (!covariate[i]) k->space[(*count)++] = i;
    orffi_release(covariate);
    return status;
}

/* Names of inputs that are rarely part of a field's space. */
static bool is_outside(const char *name) {
    static const char *const outside[] = {"time", "date", "hour", "day", "month", "year", "depth", "level"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (!strncasecmp(name, outside[i], strlen(outside[i]))) return true;
    return false;
}

/* Removes one of `count` inputs from a space: that which its name tells, else the last. */
static void leave_out(const orff_data_shape *shape, size_t *space, size_t count) {
    size_t k = count - 1;
    while (k && !is_outside(shape->inputs[space[k]])) k--;
    if (!is_outside(shape->inputs[space[k]])) k = count - 1;
    memmove(space + k, space + k + 1, (count - 1 - k) * sizeof *space);
}

/* "": none; else what to do, with the inputs that are likely meant. The space is cut down to p inputs. */
static void advise(orffi_kernel_read *k, const orff_data_shape *shape, size_t count, size_t p,
                   char text[ADVICE_ROOM]) {
    size_t used = 0, next = 0;
    *text = '\0';
    if (count <= p) return;
    snprintf(text, ADVICE_ROOM, "; name those outside of the field's space as covariates");
    if (!shape->inputs) return;
    for (; count > p; count--) leave_out(shape, k->space, count);
    for (size_t i = 0; i < shape->d && used < ADVICE_ROOM - 100; i++) {
        if (next < count && k->space[next] == i) {
            next++;
            continue;
        }
        used = strlen(text);
        snprintf(text + used, ADVICE_ROOM - used, "%s%.60s", strstr(text, " --") ? "," : ": --covariates ",
                 shape->inputs[i]);
    }
}

/* Fields have as many inputs in their space as outputs. To other kernels covariates are inputs as any. */
static orff_status set_space(orffi_kernel_read *k, const orff_data_shape *shape, size_t p, size_t count) {
    for (size_t m = 0; m < k->n; m++) {
        const bool physical = orff_rule_describe(k->parts[m].rule).physical;
        char advice[ADVICE_ROOM] = "";
        if (physical && count != p) {
            advise(k, shape, count, p, advice);
            return wrong(k, "kernel", "%s needs as many inputs as outputs, but there are %zu and %zu%s",
                         orff_rule_name(k->parts[m].rule), count, p, advice);
        }
        if ((physical || k->automatic) && count == p && count < shape->d) k->parts[m].space = k->space;
    }
    return ORFF_OK;
}

static orff_status allocate(orffi_kernel_read *k, size_t d) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->parts, k->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->sigmas, k->n * d));
    return ORFFI_NEW_ARRAY(k->waves, k->n * d);
}

static orff_status fill_part(orffi_kernel_read *k, const orffi_kernel_texts *t, const orff_data_shape *shape,
                             size_t space, size_t m, words *w) {
    orff_part *part = &k->parts[m];
    *part = orff_part_default();
    part->normalise = k->n > 1;
    if (!k->automatic) ORFFI_TRY(read_rule(k, w->rule, part));
    ORFFI_TRY(read_base(k, t, m, w->base, part));
    ORFFI_TRY(read_weight(k, w->weight, part));
    ORFFI_TRY(read_wavelength(k, w->wavelength, shape->d, k->waves + m * shape->d, part));
    return read_sigma(k, shape, space, w->sigma, k->sigmas + m * shape->d, part);
}

static orff_status read_part(orffi_kernel_read *k, const orffi_kernel_texts *t, const orff_data_shape *shape,
                             size_t space, size_t m) {
    const size_t room =
        strlen(t->kernel) + strlen(t->sigma) + (t->wavelength ? strlen(t->wavelength) : 0) + 1;
    char *text;
    words w = {0};
    ORFFI_TRY(ORFFI_NEW_ARRAY(text, 3 * room));
    w.sigma = text + room;
    w.wavelength = w.sigma + room;
    orff_status status = read_words(k, t, m, &w, text, room);
    if (!status) status = fill_part(k, t, shape, space, m, &w);
    orffi_release(text);
    return status;
}

/* What `auto` chooses itself may not be given. */
static orff_status check_automatic(orffi_kernel_read *k, const orffi_kernel_texts *t) {
    if (!is_auto(t->sigma)) return wrong(k, "sigma", "kernel auto chooses this itself");
    if (strcmp(t->weight, "1")) return wrong(k, "weight", "kernel auto chooses this itself");
    if (t->wavelength) return wrong(k, "wavelength", "kernel auto has no waves");
    if (t->mix) return wrong(k, "mix", "kernel auto chooses this itself");
    if (t->matrix) return wrong(k, "output-matrix", "kernel auto chooses this itself");
    if (count_words(t->base) > 1) return wrong(k, "base", "kernel auto has one base");
    return ORFF_OK;
}

/* ---- output matrices */

/* MATRIX (p x p) into A; what follows it may only be `more` (a ridge). */
static orff_status read_square(orffi_kernel_read *k, const char *text, size_t p, double *A,
                               const char **more) {
    size_t rows, cols;
    double *numbers = NULL;
    const char *end = orffi_matrix_read(text, &rows, &cols, &numbers);
    orff_status status = ORFF_OK;
    if (!end) {
        status = wrong(k, "output-matrix",
                       "\"%.60s\" is not an output matrix; expected identity, covariance, learn[:RANK], "
                       "learn:sparse[:S], a matrix (1,0;0,1), or laplacian:MATRIX[:RIDGE]",
                       text);
    } else if (rows != p || cols != p) {
        status =
            wrong(k, "output-matrix", "the matrix is %zu x %zu; expected %zu x %zu, as there %s %zu output%s",
                  rows, cols, p, p, p == 1 ? "is" : "are", p, p == 1 ? "" : "s");
    }
    if (!status) memcpy(A, numbers, p * p * sizeof *A);
    *more = end;
    orffi_release(numbers);
    return status;
}

static orff_status read_laplacian(orffi_kernel_read *k, const char *text, size_t p, double *A) {
    double *W, ridge = ORFF_RIDGE_AUTO;
    const char *more;
    ORFFI_TRY(ORFFI_NEW_ARRAY(W, p * p));
    orff_status status = read_square(k, text, p, W, &more);
    if (!status && *more) {
        const char *end = *more == ':' ? orff_number_scan(more + 1, &ridge) : NULL;
        if (!end || *end || !(ridge >= 0.0) || !isfinite(ridge))
            status = wrong(k, "output-matrix", "\"%.60s\" is not a ridge of 0 or more", more);
    }
    if (!status) status = blame(k, "output-matrix", orff_output_laplacian(p, W, ridge, A));
    orffi_release(W);
    return status;
}

static orff_status read_covariance(orffi_kernel_read *k, const orff_data_shape *shape, size_t p, double *A) {
    if (shape->classes) return wrong(k, "output-matrix", "covariance is not for classes");
    if (!shape->n || !shape->Y)
        return wrong(k, "output-matrix", "covariance needs all rows in memory, or a sample of the outputs");
    return blame(k, "output-matrix", orff_output_covariance(shape->n, p, shape->Y, A));
}

/* learn:sparse, or learn:sparse:S */
static orff_status read_sparse(orffi_kernel_read *k, const char *text, orff_part *part) {
    const char *end = *text ? orff_number_scan(text + 1, &part->sparsity) : "";
    if ((*text && *text != ':') || !end || *end ||
        (*text && !(part->sparsity > 0.0 && isfinite(part->sparsity))))
        return wrong(k, "output-matrix",
                     "\"%.60s\" is not a sparsity; expected learn:sparse, or learn:sparse:S with S > 0",
                     text);
    part->learn = part->sparse = true;
    return ORFF_OK;
}

/* learn, learn:RANK, or a sparse one */
static orff_status read_learned(orffi_kernel_read *k, const orff_data_shape *shape, size_t p,
                                const char *word, orff_part *part) {
    double rank = 0.0;
    if (!shape->classes && !strncmp(word, "learn:sparse", 12)) return read_sparse(k, word + 12, part);
    const char *end = word[5] ? orff_number_scan(word + 6, &rank) : "";
    if (shape->classes) return wrong(k, "output-matrix", "learn is not for classes");
    if (!end || *end || (word[5] && !(rank >= 1.0 && rank <= (double)p && rank == floor(rank))))
        return wrong(k, "output-matrix",
                     "\"%.60s\" is not a rank; expected a whole number from 1 to %zu, the number of "
                     "outputs",
                     word + 6, p);
    part->learn = true;
    part->rank = (size_t)rank;
    return ORFF_OK;
}

static orff_status read_matrix(orffi_kernel_read *k, const orff_data_shape *shape, size_t p, const char *word,
                               double *A, orff_part *part) {
    const char *more = "";
    if (!strcmp(word, "identity")) return ORFF_OK;
    if (!strcmp(word, "learn") || !strncmp(word, "learn:", 6)) return read_learned(k, shape, p, word, part);
    part->A = A;
    if (!strcmp(word, "covariance")) return read_covariance(k, shape, p, A);
    if (!strncmp(word, "laplacian:", 10)) return read_laplacian(k, word + 10, p, A);
    ORFFI_TRY(read_square(k, word, p, A, &more));
    return *more ? wrong(k, "output-matrix", "\"%.60s\" follows the matrix and is not expected", more)
                 : ORFF_OK;
}

/* One for all parts that have one, or one for each of them. */
static orff_status read_matrices(orffi_kernel_read *k, const char *text, const orff_data_shape *shape,
                                 size_t p) {
    size_t coupled = 0, at = 0;
    char *word;
    if (!text || !strcmp(text, "identity")) return ORFF_OK;
    for (size_t m = 0; m < k->n; m++) coupled += orff_rule_describe(k->parts[m].rule).coupled;
    if (!coupled)
        return wrong(k, "output-matrix", "no part of the kernel has one; it is for %s parts",
                     orff_rule_name(ORFF_RULE_DECOMPOSABLE));
    const size_t count = count_words(text);
    if (count != 1 && count != coupled)
        return wrong(k, "output-matrix", "%zu matrices for %zu %s parts; expected one, or one for each",
                     count, coupled, orff_rule_name(ORFF_RULE_DECOMPOSABLE));
    const size_t room = strlen(text) + 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->A, k->n * p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(word, room));
    orff_status status = ORFF_OK;
    for (size_t m = 0; !status && m < k->n; m++) {
        if (!orff_rule_describe(k->parts[m].rule).coupled) continue;
        word_of(text, at++, word, room);
        status = read_matrix(k, shape, p, word, k->A + m * p * p, &k->parts[m]);
    }
    orffi_release(word);
    return status;
}

/* ---- delays */

/* Those of all delayed parts. */
static orff_status read_delays(orffi_kernel_read *k, const char *text, size_t d, size_t p) {
    size_t rows, cols, parts = 0;
    if (!text || is_auto(text)) return ORFF_OK;
    const char *end = orffi_matrix_read(text, &rows, &cols, &k->delays);
    if (!end || *end)
        return wrong(k, "delays",
                     "\"%.60s\" is not a list of delays; expected auto, or a delay for each "
                     "output: 0;1.5",
                     text);
    if (rows != p || cols != d)
        return wrong(k, "delays", "%zu x %zu numbers; expected %zu, one for each output, by %zu inputs", rows,
                     cols, p, d);
    for (size_t m = 0; m < k->n; m++) {
        if (k->parts[m].rule != ORFF_RULE_DELAYED) continue;
        k->parts[m].delays = k->delays;
        parts++;
    }
    if (parts) return ORFF_OK;
    return wrong(k, "delays", "no part of the kernel has any; they are for %s parts",
                 orff_rule_name(ORFF_RULE_DELAYED));
}

/* ---- */

orff_status orffi_kernel_text_read(orffi_kernel_read *k, const orffi_kernel_texts *t,
                                   const orff_data_shape *shape) {
    const size_t p = shape->classes ? shape->classes - 1 : shape->p;
    size_t space;
    *k = (orffi_kernel_read){
        .culprit = "", .automatic = is_auto(t->kernel), .mixture = is_auto(t->weight), .periods = t->periods};
    k->n = count_words(t->kernel);
    if (k->n > MOST_PARTS) return wrong(k, "kernel", "there are more than %d parts", MOST_PARTS);
    if (k->automatic) ORFFI_TRY(check_automatic(k, t));
    ORFFI_TRY(check_count(k, "base", t->base));
    ORFFI_TRY(check_count(k, "shape", t->shape));
    ORFFI_TRY(check_count(k, "sigma", t->sigma));
    ORFFI_TRY(check_count(k, "wavelength", t->wavelength));
    ORFFI_TRY(check_count(k, "weight", t->weight));
    ORFFI_TRY(allocate(k, shape->d));
    ORFFI_TRY(read_space(k, t->covariates, shape, &space));
    for (size_t m = 0; m < k->n; m++) ORFFI_TRY(read_part(k, t, shape, space, m));
    if (!k->automatic) ORFFI_TRY(read_mix(k, t->mix));
    ORFFI_TRY(set_space(k, shape, p, space));
    ORFFI_TRY(read_delays(k, t->delays, shape->d, p));
    return read_matrices(k, t->matrix, shape, p);
}

void orffi_kernel_read_clear(orffi_kernel_read *k) {
    orffi_release(k->parts);
    orffi_release(k->sigmas);
    orffi_release(k->waves);
    orffi_release(k->A);
    orffi_release(k->delays);
    orffi_release(k->space);
    memset(k, 0, sizeof *k);
}
