/* Text in UTF-8. orff_text_show of orff.h makes it safe to show. */
#ifndef ORFFI_BASE_TEXT_H
#define ORFFI_BASE_TEXT_H

#include "base/status.h"

bool orffi_text_is_utf8(const char *text);

#endif
