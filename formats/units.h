/* What the name of a column tells of its units, in the words of the CF conventions. */
#ifndef FMT_UNITS_H
#define FMT_UNITS_H

/* NULL where the name tells nothing. */
typedef struct fmt_units {
    const char *units, *standard_name, *axis;
} fmt_units;

fmt_units fmt_units_guess(const char *name);

#endif
