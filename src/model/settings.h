/* The table of settings: what there is, what it may be, and where it goes. A setting is added by one line of the table in
 * settings.c and the code that uses it. */
#ifndef ORFFI_MODEL_SETTINGS_H
#define ORFFI_MODEL_SETTINGS_H

#include "base/status.h"

/* A value of an orff_settings, by the row of its setting. Settings of kind TEXT are for those who know the data's shape,
 * but for a few that are their own: nothing is done about the others here. */
orff_status orffi_setting_apply(orff_settings *settings, const orff_setting *setting, const char *text);

/* Whether a text may be a value of the setting, as far as that can be said without data. The message begins with the name
 * of the setting. */
orff_status orffi_setting_check(const orff_setting *setting, const char *text);

#endif
