/* Output matrices and delays of a kernel as text. */
#include "model/kernel_words.h"

#include <math.h>

#include "base/memory.h"

/* ---- output matrices */

/* Reads MATRIX (p x p) into A; only `more` (a ridge) may follow it. */
static orff_status read_square(orffi_kernel_read *k, const char *text, size_t p, double *A,
                               const char **more) {
    size_t rows, cols;
    double *numbers = NULL;
    const char *end = orffi_matrix_read(text, &rows, &cols, &numbers);
    orff_status status = ORFF_OK;
    if (!end) {
        status = orffi_kernel_wrong(
            k, "output-matrix",
            "\"%.60s\" is not an output matrix; expected identity, covariance, learn[:RANK], "
            "learn:sparse[:S], a matrix (1,0;0,1), or laplacian:MATRIX[:RIDGE]",
            text);
    } else if (rows != p || cols != p) {
        status = orffi_kernel_wrong(k, "output-matrix",
                                    "the matrix is %zu x %zu; expected %zu x %zu, as there %s %zu output%s",
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
            status = orffi_kernel_wrong(k, "output-matrix", "\"%.60s\" is not a ridge of 0 or more", more);
    }
    if (!status) status = orffi_kernel_blame(k, "output-matrix", orff_output_laplacian(p, W, ridge, A));
    orffi_release(W);
    return status;
}

static orff_status read_covariance(orffi_kernel_read *k, const orff_data_shape *shape, size_t p, double *A) {
    if (shape->classes) return orffi_kernel_wrong(k, "output-matrix", "covariance is not for classes");
    if (!shape->n || !shape->Y)
        return orffi_kernel_wrong(k, "output-matrix",
                                  shape->fixed
                                      ? "covariance needs rows; give a matrix"
                                      : "covariance needs all rows in memory, or a sample of the outputs");
    return orffi_kernel_blame(k, "output-matrix", orff_output_covariance(shape->n, p, shape->Y, A));
}

/* learn:sparse, or learn:sparse:S */
static orff_status read_sparse(orffi_kernel_read *k, const char *text, orff_part *part) {
    const char *end = *text ? orff_number_scan(text + 1, &part->sparsity) : "";
    if ((*text && *text != ':') || !end || *end ||
        (*text && !(part->sparsity > 0.0 && isfinite(part->sparsity))))
        return orffi_kernel_wrong(
            k, "output-matrix",
            "\"%.60s\" is not a sparsity; expected learn:sparse, or learn:sparse:S with S > 0", text);
    part->learn = part->sparse = true;
    return ORFF_OK;
}

/* learn, learn:RANK, or a sparse one */
static orff_status read_learned(orffi_kernel_read *k, const orff_data_shape *shape, size_t p,
                                const char *word, orff_part *part) {
    double rank = 0.0;
    if (!shape->classes && !strncmp(word, "learn:sparse", 12)) return read_sparse(k, word + 12, part);
    const char *end = word[5] ? orff_number_scan(word + 6, &rank) : "";
    if (shape->classes) return orffi_kernel_wrong(k, "output-matrix", "learn is not for classes");
    if (!end || *end || (word[5] && !(rank >= 1.0 && rank <= (double)p && rank == floor(rank))))
        return orffi_kernel_wrong(
            k, "output-matrix",
            "\"%.60s\" is not a rank; expected a whole number from 1 to %zu, the number of outputs", word + 6,
            p);
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
    return *more ? orffi_kernel_wrong(k, "output-matrix", "\"%.60s\" follows the matrix and is not expected",
                                      more)
                 : ORFF_OK;
}

orff_status orffi_read_matrices(orffi_kernel_read *k, const char *text, const orff_data_shape *shape,
                                size_t p) {
    size_t coupled = 0, at = 0;
    char *word;
    if (!text || !strcmp(text, "identity")) return ORFF_OK;
    for (size_t m = 0; m < k->n; m++) coupled += orff_rule_describe(k->parts[m].rule).coupled;
    if (!coupled)
        return orffi_kernel_wrong(k, "output-matrix", "no part of the kernel has one; it is for %s parts",
                                  orff_rule_name(ORFF_RULE_DECOMPOSABLE));
    const size_t count = orffi_words_count(text);
    if (count != 1 && count != coupled)
        return orffi_kernel_wrong(k, "output-matrix",
                                  "%zu matrices for %zu %s parts; expected one, or one for each", count,
                                  coupled, orff_rule_name(ORFF_RULE_DECOMPOSABLE));
    const size_t room = strlen(text) + 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->A, k->n * p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(word, room));
    orff_status status = ORFF_OK;
    for (size_t m = 0; !status && m < k->n; m++) {
        if (!orff_rule_describe(k->parts[m].rule).coupled) continue;
        orffi_word_of(text, at++, word, room);
        status = read_matrix(k, shape, p, word, k->A + m * p * p, &k->parts[m]);
    }
    orffi_release(word);
    return status;
}

/* ---- delays */

orff_status orffi_read_delays(orffi_kernel_read *k, const char *text, size_t d, size_t p) {
    size_t rows, cols, parts = 0;
    if (!text || orffi_is_auto(text)) return ORFF_OK;
    const char *end = orffi_matrix_read(text, &rows, &cols, &k->delays);
    if (!end || *end)
        return orffi_kernel_wrong(
            k, "delays",
            "\"%.60s\" is not a list of delays; expected auto, or a delay for each output: 0;1.5", text);
    if (rows != p || cols != d)
        return orffi_kernel_wrong(k, "delays",
                                  "%zu x %zu numbers; expected %zu, one for each output, by %zu inputs", rows,
                                  cols, p, d);
    for (size_t m = 0; m < k->n; m++) {
        if (!orff_rule_describe(k->parts[m].rule).delays) continue;
        k->parts[m].delays = k->delays;
        parts++;
    }
    if (parts) return ORFF_OK;
    return orffi_kernel_wrong(k, "delays", "no part of the kernel has any; they are for %s parts",
                              orff_rule_name(ORFF_RULE_DELAYED));
}
