#define _GNU_SOURCE

#include "formats/units.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    fmt_units units;
} names[] = {
    {"lon", {"degrees_east", "longitude", "X"}},     {"longitude", {"degrees_east", "longitude", "X"}},
    {"lon_deg", {"degrees_east", "longitude", "X"}}, {"nav_lon", {"degrees_east", "longitude", "X"}},
    {"lat", {"degrees_north", "latitude", "Y"}},     {"latitude", {"degrees_north", "latitude", "Y"}},
    {"lat_deg", {"degrees_north", "latitude", "Y"}}, {"nav_lat", {"degrees_north", "latitude", "Y"}},
};

static const struct {
    const char *end, *units;
} ends[] = {
    {"_ms", "m s-1"}, {"_mps", "m s-1"}, {"_cms", "cm s-1"}, {"_km", "km"}, {"_mm", "mm"},
    {"_cm", "cm"},    {"_m", "m"},       {"_s", "s"},        {"_h", "h"},   {"_deg", "degree"},
    {"_nt", "nT"},    {"_hpa", "hPa"},   {"_pa", "Pa"},      {"_k", "K"},   {"_degc", "degC"},
};

fmt_units fmt_units_guess(const char *name) {
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i].name)) return names[i].units;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i].end);
        if (length > end && !strcasecmp(name + length - end, ends[i].end))
            return (fmt_units){.units = ends[i].units};
    }
    return (fmt_units){0};
}
