/* Units derived from the name of a column, in the terms of the CF conventions. */
#ifndef FMT_UNITS_H
#define FMT_UNITS_H

/* NULL if the name implies none. */
typedef struct fmt_units {
    const char *units, *standard_name, *axis;
} fmt_units;

fmt_units fmt_units_guess(const char *name);

#endif
