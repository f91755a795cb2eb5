#define _GNU_SOURCE

#include "formats/times.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "orff.h"

#define DAY 86400.0

/* ---------------------------------------------------------------- the calendar */

/* Days from 1970-01-01 in the Gregorian calendar, also before its introduction. Years start in March here, so
 * that the leap day is the last day of a year. */
static long days_from_date(long year, long month, long day) {
    year -= month <= 2;
    const long era = (year >= 0 ? year : year - 399) / 400, in_era = year - 400 * era;
    const long in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static void date_from_days(long days, long *year, long *month, long *day) {
    days += 719468;
    const long era = (days >= 0 ? days : days - 146096) / 146097, in_era = days - era * 146097;
    const long years = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const long in_year = in_era - (365 * years + years / 4 - years / 100), m = (5 * in_year + 2) / 153;
    *day = in_year - (153 * m + 2) / 5 + 1;
    *month = m + (m < 10 ? 3 : -9);
    *year = years + era * 400 + (*month <= 2);
}

static long days_of_month(long year, long month) {
    static const long days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* ---------------------------------------------------------------- reading */

/* Reads from `least` to `most` digits at *at, which moves past them. */
static bool digits(const char **at, const char *end, int least, int most, long *value) {
    int count = 0;
    *value = 0;
    while (count < most && *at < end && isdigit((unsigned char)**at)) {
        *value = 10 * *value + (*(*at)++ - '0');
        count++;
    }
    return count >= least;
}

static bool accept_letter(const char **at, const char *end, char letter) {
    const bool there = *at < end && **at == letter;
    *at += there;
    return there;
}

/* 2024-05-01; loose: the origin of a NetCDF count may also be 1-1-1. */
static bool parse_date(const char **at, const char *end, bool loose, long *days) {
    long year, month, day;
    const char *start = *at;
    if (!digits(at, end, loose ? 1 : 4, 4, &year)) return false;
    const bool dashes = accept_letter(at, end, '-');
    if (!dashes && loose) return false;
    const int least = loose ? 1 : 2;
    if (!digits(at, end, least, 2, &month) || (dashes && !accept_letter(at, end, '-'))) return false;
    if (!digits(at, end, least, 2, &day)) return false;
    if (!dashes && (*at - start != 8 || *at == end || **at != 'T'))
        return false; /* just a number of 8 digits */
    if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) return false;
    *days = days_from_date(year, month, day);
    return true;
}

/* The fraction of a second after the point. */
static double parse_fraction(const char **at, const char *end) {
    double value = 0.0, place = 0.1;
    for (; *at < end && isdigit((unsigned char)**at); ++*at, place /= 10.0) value += place * (**at - '0');
    return value;
}

/* 06:30, 06:30:15.5, 0630 */
static bool parse_clock(const char **at, const char *end, int least, double *seconds) {
    long hour, minute = 0, second = 0;
    if (!digits(at, end, least, 2, &hour)) return false;
    const bool colons = accept_letter(at, end, ':'), more = *at < end && isdigit((unsigned char)**at);
    if ((colons || more) && !digits(at, end, least, 2, &minute)) return false;
    const bool again =
        colons ? accept_letter(at, end, ':') : more && *at < end && isdigit((unsigned char)**at);
    if (again && !digits(at, end, least, 2, &second)) return false;
    *seconds = 3600.0 * (double)hour + 60.0 * (double)minute + (double)second;
    if (again && accept_letter(at, end, '.')) *seconds += parse_fraction(at, end);
    return hour <= 24 && minute < 60 && second <= 60;
}

/* Z, UTC, +02:00; without a zone it is UTC too. */
static bool parse_zone(const char **at, const char *end, double *seconds) {
    *seconds = 0.0;
    while (accept_letter(at, end, ' ')) {}
    if (*at == end || accept_letter(at, end, 'Z') || accept_letter(at, end, 'z')) return true;
    if (end - *at == 3 && (!strncmp(*at, "UTC", 3) || !strncmp(*at, "GMT", 3))) {
        *at = end;
        return true;
    }
    const bool east = **at == '+';
    if (!accept_letter(at, end, '+') && !accept_letter(at, end, '-')) return false;
    if (!parse_clock(at, end, 1, seconds)) return false;
    if (!east) *seconds = -*seconds;
    return true;
}

static bool parse(const char *at, const char *end, bool loose, double *seconds) {
    long days;
    double clock = 0.0, zone = 0.0;
    if (!parse_date(&at, end, loose, &days)) return false;
    if (at < end &&
        (accept_letter(&at, end, 'T') || accept_letter(&at, end, 't') || accept_letter(&at, end, ' '))) {
        while (accept_letter(&at, end, ' ')) {}
        if (!parse_clock(&at, end, loose ? 1 : 2, &clock) || !parse_zone(&at, end, &zone)) return false;
    }
    *seconds = DAY * (double)days + clock - zone;
    return at == end;
}

bool fmt_time_parse(const char *text, const char *end, double *seconds) {
    return parse(text, end, false, seconds);
}

bool fmt_clock_parse(const char *text, const char *end, double *seconds) {
    const char *at = text;
    double zone;
    if (!memchr(text, ':', (size_t)(end - text)) || !parse_clock(&at, end, 1, seconds)) return false;
    if (!parse_zone(&at, end, &zone)) return false;
    *seconds -= zone;
    return at == end;
}

/* ---------------------------------------------------------------- counts */

static double seconds_of(const char *word, size_t length) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {
        {"second", 1.0},    {"seconds", 1.0},
        {"sec", 1.0},       {"secs", 1.0},
        {"s", 1.0},         {"minute", 60},
        {"minutes", 60},    {"min", 60},
        {"mins", 60},       {"hour", 3600.0},
        {"hours", 3600},    {"hr", 3600},
        {"hrs", 3600},      {"h", 3600},
        {"day", DAY},       {"days", DAY},
        {"d", DAY},         {"week", 7 * DAY},
        {"weeks", 7 * DAY}, {"millisecond", 1e-3},
        {"ms", 1e-3},       {"milliseconds", 1e-3},
        {"msec", 1e-3},     {"microseconds", 1e-6},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && !strncasecmp(units[i].name, word, length))
            return units[i].seconds;
    return 0.0;
}

static bool is_ordinary(const char *calendar) {
    static const char *const names[] = {"standard", "gregorian", "proleptic_gregorian", ""};
    for (size_t i = 0; calendar && i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(calendar, names[i])) return true;
    return !calendar;
}

bool fmt_time_units(const char *units, const char *calendar, fmt_time *time) {
    const char *since = units ? strcasestr(units, " since ") : NULL;
    if (!since || !is_ordinary(calendar)) return false;
    const char *at = since + strlen(" since "), *end = at + strlen(at);
    *time = (fmt_time){.is_time = true, .origin = (double)NAN, .step = 3600.0};
    while (*units == ' ') units++;
    time->unit = units < since ? seconds_of(units, (size_t)(since - units)) : 0.0;
    while (*at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    return time->unit > 0.0 && parse(at, end, true, &time->base);
}

double fmt_time_count(const fmt_time *time, double raw) {
    return (raw * time->unit + (time->base - time->origin)) / time->step;
}

void fmt_time_date(double seconds, char text[FMT_DATE_ROOM]) {
    long year, month, day;
    const double days = fmax(-4e8, fmin(4e8, floor(seconds / DAY)));
    const long rest = (long)(seconds - DAY * days);
    date_from_days((long)days, &year, &month, &day);
    snprintf(text, FMT_DATE_ROOM, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)year, (int)month % 100,
             (int)day % 100, (int)(rest / 3600 % 24), (int)(rest / 60 % 60), (int)(rest % 60));
}

void fmt_time_show(const fmt_time *time, char text[FMT_TIME_ROOM]) {
    char date[FMT_DATE_ROOM];
    const char *step = time->step == 1.0    ? "seconds"
                       : time->step == 60.0 ? "minutes"
                       : time->step == DAY  ? "days"
                                            : "hours";
    fmt_time_date(time->origin, date);
    snprintf(text, FMT_TIME_ROOM, "%s since %s", step, date);
}
