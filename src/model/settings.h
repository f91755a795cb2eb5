/* The table of settings: which there are, which values they take, and where these are stored. A new
 * setting is one line in the table of settings.c and the code that uses it. */
#ifndef ORFFI_MODEL_SETTINGS_H
#define ORFFI_MODEL_SETTINGS_H

#include "base/status.h"

/* Stores a value into the settings. Most settings of kind TEXT can be read only when the data's shape is
 * known; nothing is done about them here. */
orff_status orffi_setting_apply(orff_settings *settings, const orff_setting *setting, const char *text);

/* Checks, as far as possible without data, whether a text is a value of the setting. The message begins
 * with the setting's name. */
orff_status orffi_setting_check(const orff_setting *setting, const char *text);

#endif
