/* The options of kernels, features and learning, as the library's structs. */
#ifndef ORFF_CLI_SPEC_H
#define ORFF_CLI_SPEC_H

#include "data.h"
#include "options.h"
#include "orff.h"

#define ORFF_MOST_PARTS 64

typedef struct orff_spec {
    size_t n, d;
    orff_part *parts;
    double *sigmas; /* n x d */
    size_t *space;  /* NULL: all inputs */
    double *A;      /* p x p, or NULL */
    bool auto_kernel, mixture, auto_mix;
    bool auto_sigma; /* of some part */
} orff_spec;

/* covariate (d) may be NULL: none. Returns an exit status; a wrong option has been told. The spec must be
 * cleared in any case. */
int orff_spec_parse(orff_spec *spec, const orff_arguments *arguments, size_t d, size_t p,
                    const bool *covariate);
void orff_spec_clear(orff_spec *spec);

/* --output-matrix, for which the outputs may be looked at. */
int orff_spec_output_matrix(orff_spec *spec, const orff_arguments *arguments, const orff_data *data);

int orff_sampling_parse(const orff_arguments *arguments, orff_sampling *sampling);

/* Everything; points into the spec. */
int orff_settings_parse(orff_settings *settings, const orff_arguments *arguments, const orff_spec *spec,
                        size_t classes);

/* --features auto: as many as `rows` rows (0: not known) and p outputs are worth. */
void orff_settings_auto_features(orff_settings *settings, const orff_arguments *arguments,
                                 const orff_spec *spec, size_t rows, size_t p);

#endif
