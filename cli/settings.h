/* The library's settings, from the command line. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "data.h"
#include "options.h"
#include "orff.h"

typedef struct cli_settings {
    orff_options *options; /* owns what `settings` points to */
    orff_settings settings;
    bool auto_sigma; /* for some part */
} cli_settings;

/* Files that are named where a matrix may stand are read first. Returns an exit status; a wrong option has been told. To be cleared in any case. */
int cli_settings_read(cli_settings *settings, const cli_arguments *arguments, const orff_data_shape *shape);

/* The same on top of settings of the kernel from a file, lines "name=text", for those that no option
 * gives. */
int cli_settings_read_over(cli_settings *settings, const cli_arguments *arguments,
                           const orff_data_shape *shape, const char *lines);

/* The same for the data of a command that learns. */
int cli_settings_read_for(cli_settings *settings, const cli_arguments *arguments, const cli_data *data);
void cli_settings_clear(cli_settings *settings);

/* Writes the settings that were given into the notes of a model, so that the fit can be repeated. */
int cli_settings_note(const cli_settings *settings, orff_notes *notes);

/* Marks the inputs given by --covariates in the notes, which have the inputs' names. */
int cli_settings_note_covariates(const cli_arguments *arguments, size_t d, orff_notes *notes);

/* The part of a word that is in the place of MATRIX in the setting's form. */
const char *cli_matrix_of(const orff_setting *setting, const char *word);

/* Whether the kernel in the options is a field, which has as many outputs as inputs. */
int cli_settings_is_field(const cli_arguments *arguments, bool *field);

#endif
