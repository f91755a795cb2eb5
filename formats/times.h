/* Dates and times: those of ISO 8601 in tables, and numbers counted from a date ("days since 1990-01-01") in NetCDF.
 * Either is handed out as a number of hours since an origin. */
#ifndef FMT_TIMES_H
#define FMT_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* What is handed out of a raw number r:   (r unit + base - origin) / step   in seconds since 1970. */
typedef struct fmt_time {
    bool is_time;
    double unit, base; /* seconds: the length of a raw unit, and where the raw count begins */
    double origin;     /* NAN: the first value, once it is known */
    double step;       /* seconds; 3600 for hours */
} fmt_time;

/* 2024-05-01, 2024-05-01T06:30, 2024-05-01 06:30:15.5Z, 20240501T0630, also with +02:00 behind. Without a zone it is UTC.
 * The text must be the whole of text .. end-1. */
bool fmt_time_parse(const char *text, const char *end, double *seconds);

/* A time of day alone: 06:30, 06:30:15.5; a colon must be there. */
bool fmt_clock_parse(const char *text, const char *end, double *seconds);

/* "hours since 1990-01-01 00:00:00". False for other units, and where a month or a year is the unit. A calendar of its
 * own (360_day; NULL: none) keeps its count: its dates are not on our calendar. */
bool fmt_time_units(const char *units, const char *calendar, fmt_time *time);

/* The count of a raw number. */
double fmt_time_count(const fmt_time *time, double raw);

#define FMT_DATE_ROOM 80
#define FMT_TIME_ROOM 96

/* "2024-05-01T06:30:00Z"; seconds since 1970. */
void fmt_time_date(double seconds, char text[FMT_DATE_ROOM]);

/* "hours since 2024-05-01T06:30:00Z" */
void fmt_time_show(const fmt_time *time, char text[FMT_TIME_ROOM]);

#endif
