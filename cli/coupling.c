#include "coupling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"
#include "result.h"

static bool is_separable(const orff_model *model, size_t i) {
    orff_part part;
    return !orff_model_part(model, i, &part) && orff_rule_describe(part.rule).separable;
}

bool cli_coupling_joins(const orff_model *model, size_t i) {
    const size_t p = orff_model_describe(model).outputs;
    double A[CLI_COUPLING_MOST * CLI_COUPLING_MOST];
    bool joins = false;
    if (p < 2 || p > CLI_COUPLING_MOST || !is_separable(model, i) || orff_model_output_matrix(model, i, A))
        return false;
    for (size_t k = 0; k < p * p; k++) joins = joins || (k / p != k % p && A[k] != 0.0);
    return joins;
}

void cli_coupling_line(const orff_model *model, size_t i, size_t k, char line[CLI_COUPLING_LINE]) {
    const size_t p = orff_model_describe(model).outputs;
    double A[CLI_COUPLING_MOST * CLI_COUPLING_MOST];
    size_t used = 0;
    line[0] = '\0';
    if (orff_model_output_matrix(model, i, A)) return;
    used += (size_t)snprintf(line, CLI_COUPLING_LINE, "%-10.5g", sqrt(A[k * p + k]));
    for (size_t l = 0; l < p && used + 16 < CLI_COUPLING_LINE; l++) {
        const double size = sqrt(A[k * p + k] * A[l * p + l]);
        used += (size_t)snprintf(line + used, CLI_COUPLING_LINE - used, " %5.2f",
                                 size > 0.0 ? A[k * p + l] / size : 0.0);
    }
}

json_t *cli_coupling_json(const orff_model *model, size_t i) {
    const orff_model_info info = orff_model_describe(model);
    const size_t p = info.outputs;
    if (info.classes || !is_separable(model, i)) return NULL;
    double *A = cli_more(NULL, p * p, sizeof *A);
    json_t *matrix = orff_model_output_matrix(model, i, A) ? NULL : json_array();
    for (size_t k = 0; matrix && k < p; k++) {
        json_t *row = json_array();
        for (size_t l = 0; l < p; l++) json_array_append_new(row, cli_number_or_null(A[k * p + l]));
        json_array_append_new(matrix, row);
    }
    free(A);
    return matrix;
}
