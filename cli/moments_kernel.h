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

/* Of the options; what is auto, the rules too, is chosen by a small fit to the rows in memory. Returns an exit status. To be cleared in any
 * case. */
int cli_kernel_fill(cli_kernel *kernel, const cli_settings *settings, const cli_arguments *arguments,
                    const cli_data *data);
void cli_kernel_clear(cli_kernel *kernel);

/* Moments without rows on its frequencies, with the notes of the data; plane: that rows in degrees are laid on, or NULL. */
int cli_moments_start(const cli_data *data, const orff_settings *settings, const cli_kernel *kernel,
                      const orff_plane *plane, orff_moments **moments);

/* All rows of the data. Length scales that are auto are chosen first; the kernel is put into the data's notes, for
 * --from-moments. Returns an exit status. */
int cli_features_moments_make(const cli_arguments *arguments, cli_data *data, const cli_settings *settings,
                              orff_moments **moments);

/* The rules and weights of its parts, as --kernel takes them; to be freed. */
char *cli_kernel_rules(const cli_kernel *kernel);

/* Puts it into the notes, for --from-moments; scales: what stands there for the length scales, NULL for their numbers. */
int cli_kernel_note(orff_notes *notes, const cli_kernel *kernel, const char *scales);

/* Writes the moments to -o and says what they are; data->dropped is known by now. */
struct cli_moments;
int cli_moments_finish(const cli_arguments *arguments, const cli_data *data,
                       const struct cli_moments *moments, double begin);

#endif
