/* Dates and times: ISO 8601 in tables, and numbers counted from a date ("days since 1990-01-01") in NetCDF.
 * Both are returned as hours since an origin. */
#ifndef FMT_TIMES_H
#define FMT_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* The value returned for a raw number r:   (r unit + base - origin) / step   in seconds since 1970. */
typedef struct fmt_time {
    bool is_time;
    double unit, base; /* seconds: the length of a raw unit, and the origin of the raw count */
    double origin;     /* NAN: the first value, which is not known yet */
    double step;       /* seconds; 3600 for hours */
} fmt_time;

/* 2024-05-01, 2024-05-01T06:30, 2024-05-01 06:30:15.5Z, 20240501T0630, also with +02:00 after it. Without a
 * zone it is UTC. The text must fill text .. end-1. */
bool fmt_time_parse(const char *text, const char *end, double *seconds);

/* A time of day alone: 06:30, 06:30:15.5; a colon is required. */
bool fmt_clock_parse(const char *text, const char *end, double *seconds);

/* Parses "hours since 1990-01-01 00:00:00". False for other units, and if the unit is a month or a year.
 * Another calendar (360_day; NULL: none) keeps its count, because its dates are not in our calendar. */
bool fmt_time_units(const char *units, const char *calendar, fmt_time *time);

/* The count for a raw number. */
double fmt_time_count(const fmt_time *time, double raw);

#define FMT_DATE_ROOM 80
#define FMT_TIME_ROOM 96

/* "2024-05-01T06:30:00Z"; seconds since 1970. */
void fmt_time_date(double seconds, char text[FMT_DATE_ROOM]);

/* "hours since 2024-05-01T06:30:00Z" */
void fmt_time_show(const fmt_time *time, char text[FMT_TIME_ROOM]);

#endif
