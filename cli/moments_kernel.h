/* The kernel that moments are made for. */
#ifndef CLI_MOMENTS_KERNEL_H
#define CLI_MOMENTS_KERNEL_H

#include "data.h"
#include "settings.h"

/* The parts of the kernel, all with known length scales. */
typedef struct cli_kernel {
    size_t n, d;
    orff_part *parts;
    double *sigmas; /* n x d */
} cli_kernel;

/* The kernel of the options; whatever is auto, including rules, is chosen by a small fit to the rows in
 * memory. Returns an exit status. Clear the kernel in any case. */
int cli_kernel_fill(cli_kernel *kernel, const cli_settings *settings, const cli_arguments *arguments,
                    const cli_data *data);
void cli_kernel_clear(cli_kernel *kernel);

/* Creates moments without rows on the kernel's frequencies, with the notes of the data; plane: to which
 * rows in degrees are projected, or NULL. */
int cli_moments_start(const cli_data *data, const orff_settings *settings, const cli_kernel *kernel,
                      const orff_plane *plane, orff_moments **moments);

/* Makes moments of all rows. Chooses length scales that are auto first, and writes the kernel into the
 * data's notes, for --from-moments. Returns an exit status. */
int cli_features_moments_make(const cli_arguments *arguments, cli_data *data, const cli_settings *settings,
                              orff_moments **moments);

/* The rules and weights of the parts, as --kernel takes them; free the text. */
char *cli_kernel_rules(const cli_kernel *kernel);

/* Writes the kernel into the notes, for --from-moments; scales: text for the length scales, NULL for their
 * numbers. */
int cli_kernel_note(orff_notes *notes, const cli_kernel *kernel, const char *scales);

/* Writes the moments to -o and describes them; data->dropped must be known. */
struct cli_moments;
int cli_moments_finish(const cli_arguments *arguments, const cli_data *data,
                       const struct cli_moments *moments, double begin);

#endif
