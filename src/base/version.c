#include "base/status.h"

#define TEXT(number)              #number
#define JOIN(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *orff_version(void) {
    return JOIN(ORFF_VERSION_MAJOR, ORFF_VERSION_MINOR, ORFF_VERSION_PATCH);
}
