/* What the name of a column tells of its units, in the words of the CF conventions. */
#ifndef ORFF_FORMATS_UNITS_H
#define ORFF_FORMATS_UNITS_H

/* NULL where the name tells nothing. */
typedef struct orff_units {
    const char *units, *standard_name, *axis;
} orff_units;

orff_units orff_units_guess(const char *name);

#endif
