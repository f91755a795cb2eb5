#include "codes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

enum { OFTEN = 3, FAR = 5, SMALL = 500, WARNINGS = 5 };

/* The outermost value on one side of a column, its number of occurrences, and the next value. */
typedef struct side {
    double outer, next;
    size_t count;
} side;

/* sign -1: the lowest value, as the highest of the negated values. */
static side find_side(size_t n, size_t stride, const double *column, double sign) {
    side s = {.outer = (double)-INFINITY, .next = (double)-INFINITY};
    for (size_t i = 0; i < n; i++) {
        const double value = sign * column[i * stride];
        if (value > s.outer) {
            s.next = s.outer;
            s.outer = value;
            s.count = 0;
        } else if (value < s.outer && value > s.next) {
            s.next = value;
        }
        s.count += value == s.outer;
    }
    return s;
}

/* The number of characters of 99, -999, 9999, 99999.9; 0 if there is a digit other than 9. */
static size_t nines_of(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.10g", fabs(value));
    return strspn(text, "9.") == strlen(text) ? strlen(text) : 0;
}

/* Whether the outer value is a code and not part of a column of that width. Nines are likely codes; other
 * small numbers are not, such as the 255 of a pixel. */
static bool is_code(const side *s, double width) {
    const double gap = s->outer - s->next;
    const size_t nines = nines_of(s->outer);
    if (s->count < OFTEN || !(width > 0.0) || !isfinite(gap)) return false;
    if (nines < 2 && fabs(s->outer) < SMALL) return false;
    return gap > (nines > 2 ? width : FAR * width);
}

static void warn(const cli_data *data, size_t column, double value, size_t count) {
    cli_warn("%s: the value %.10g occurs %zu times, far from all other values; if it means missing, give "
             "--na %.10g",
             fmt_table_name(data->table, column), value, count, value);
}

/* Both sides may be codes; the column is then what lies between. */
static size_t warn_of_codes(const cli_data *data, size_t at, size_t stride, const double *values) {
    const side low = find_side(data->n, stride, values, -1.0), high = find_side(data->n, stride, values, 1.0);
    const double between = high.next + low.next;
    const bool both = is_code(&low, between) && is_code(&high, between);
    const bool below = both || is_code(&low, high.outer + low.next);
    const bool above = both || is_code(&high, high.next + low.outer);
    if (below) warn(data, at, -low.outer, low.count);
    if (above) warn(data, at, high.outer, high.count);
    return (size_t)below + (size_t)above;
}

void cli_data_warn_codes(const cli_data *data) {
    size_t warned = 0;
    for (size_t i = 0; i < data->d && warned < WARNINGS; i++)
        warned += warn_of_codes(data, fmt_table_input(data->table, i), data->d, data->X + i);
    const size_t outputs = data->directions ? 1 : data->p;
    for (size_t k = 0; !data->classes && k < outputs && warned < WARNINGS; k++)
        warned += warn_of_codes(data, fmt_table_output(data->table, k), outputs, data->Y + k);
}
