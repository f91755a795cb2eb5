/* The options of kernels, features and learning, as the library's structs. */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include "data.h"
#include "options.h"
#include "orff.h"

#define CLI_MOST_PARTS 64

typedef struct cli_spec {
    size_t n, d;
    orff_part *parts;
    double *sigmas; /* n x d */
    size_t *space;  /* NULL: all inputs */
    double *A;      /* p x p, or NULL */
    bool auto_kernel, mixture, auto_mix;
    bool auto_sigma; /* of some part */
} cli_spec;

/* covariate (d) may be NULL: none. Returns an exit status; a wrong option has been told. The spec must be
 * cleared in any case. */
int cli_spec_parse(cli_spec *spec, const cli_arguments *arguments, size_t d, size_t p, const bool *covariate);
void cli_spec_clear(cli_spec *spec);

/* --output-matrix, for which the outputs may be looked at. */
int cli_spec_output_matrix(cli_spec *spec, const cli_arguments *arguments, const cli_data *data);

int cli_sampling_parse(const cli_arguments *arguments, orff_sampling *sampling);

/* Everything; points into the spec. */
int cli_settings_parse(orff_settings *settings, const cli_arguments *arguments, const cli_spec *spec,
                       size_t classes);

/* --features auto: as many as `rows` rows (0: not known) and p outputs are worth. */
void cli_settings_auto_features(orff_settings *settings, const cli_arguments *arguments, const cli_spec *spec,
                                size_t rows, size_t p);

#endif
