#define _GNU_SOURCE

#include "formats/csv_layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/header.h"
#include "formats/times.h"
#include "orff.h"

enum { ROWS_LOOKED_AT = 40, CELLS_LOOKED_AT = 4096, LONGEST_NUMBER = 63 };

/* ---------------------------------------------------------------- lines and cells */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_empty(const fmt_csv_sample *line) {
    const char *at = line->text;
    while (at < line->end && (is_blank(*at) || *at == '\r')) at++;
    return at == line->end;
}

/* The next line, of any kind. */
static bool next_line(fmt_csv_sample *at, fmt_csv_sample *line) {
    if (at->text >= at->end) return false;
    const char *newline = memchr(at->text, '\n', (size_t)(at->end - at->text));
    *line = (fmt_csv_sample){at->text, newline ? newline : at->end};
    at->text = newline ? newline + 1 : at->end;
    if (line->end > line->text && line->end[-1] == '\r') line->end--;
    return true;
}

static bool is_comment(const fmt_csv_layout *layout, const fmt_csv_sample *line) {
    return line->text < line->end && *line->text && strchr(layout->marks, *line->text);
}

bool fmt_csv_sample_line(const fmt_csv_layout *layout, fmt_csv_sample *at, fmt_csv_sample *line) {
    while (next_line(at, line)) {
        const bool zone = layout->tecplot && line->text < line->end && isalpha((unsigned char)*line->text);
        if (!is_empty(line) && !is_comment(layout, line) && !zone) return true;
    }
    return false;
}

static void trim(fmt_csv_piece *piece) {
    while (piece->text < piece->end && is_blank(*piece->text)) piece->text++;
    while (piece->text < piece->end && is_blank(piece->end[-1])) piece->end--;
}

/* The position after the quote that closes the text at `at`, or the end. */
static const char *behind_quotes(const char *at, const char *end) {
    while (at < end && (*at != '"' || (at + 1 < end && at[1] == '"'))) at += at[0] == '"' ? 2 : 1;
    return at < end ? at + 1 : end;
}

static const char *find_separator(const char *at, const char *end, char separator) {
    const char *found = separator == ' ' ? at : memchr(at, separator, (size_t)(end - at));
    while (separator == ' ' && found < end && !is_blank(*found)) found++;
    return found ? found : end;
}

bool fmt_csv_piece_next(const char **at, const char *end, char separator, fmt_csv_piece *piece) {
    const char *from = *at;
    if (!from) return false;
    while (from < end && separator == ' ' && is_blank(*from)) from++;
    if (separator == ' ' && from == end) return false;
    piece->quoted = from < end && *from == '"';
    const char *closed = piece->quoted ? behind_quotes(from + 1, end) : from;
    const char *behind = find_separator(closed, end, separator);
    while (piece->quoted && closed < behind && is_blank(*closed)) closed++;
    if (closed < behind) piece->quoted = false; /* there is text after the closing quote */
    piece->text = from + piece->quoted;
    piece->end = behind;
    while (piece->quoted && piece->end > piece->text && is_blank(piece->end[-1])) piece->end--;
    if (piece->quoted && piece->end > piece->text && piece->end[-1] == '"') piece->end--;
    trim(piece);
    *at = behind < end ? behind + 1 : NULL;
    return true;
}

bool fmt_csv_is_missing(const char *text, size_t length) {
    static const char *const words[] = {"",     "na",   "n/a", "nan", "-nan", "+nan", "null",
                                        "#n/a", "none", "-",   "--",  "---",  "*"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && !strncasecmp(text, words[i], length)) return true;
    return false;
}

fmt_csv_kind fmt_csv_piece_kind(const fmt_csv_piece *piece, double *value) {
    char text[LONGEST_NUMBER + 1];
    const size_t length = (size_t)(piece->end - piece->text);
    if (fmt_csv_is_missing(piece->text, length)) return FMT_CSV_EMPTY;
    if (fmt_time_parse(piece->text, piece->end, value)) return FMT_CSV_TIME;
    if (fmt_clock_parse(piece->text, piece->end, value)) return FMT_CSV_CLOCK;
    if (length > LONGEST_NUMBER) return FMT_CSV_TEXT;
    memcpy(text, piece->text, length);
    text[length] = '\0';
    char *comma = strchr(text, ',');
    if (comma && !strchr(text, '.')) *comma = '.';
    const char *end = orff_number_scan(text, value);
    if (!end || *end || end != text + length) return FMT_CSV_TEXT;
    return comma ? FMT_CSV_COMMA_NUMBER : FMT_CSV_NUMBER;
}

/* ---------------------------------------------------------------- the separator */

/* Of tab, semicolon and comma the most frequent outside quotes; comma if there is none. */
static char most_frequent(const fmt_csv_sample *line) {
    static const char candidates[] = "\t;,";
    size_t counts[3] = {0};
    bool inside = false;
    for (const char *at = line->text; at < line->end; at++) {
        inside ^= *at == '"';
        const char *which = inside ? NULL : memchr(candidates, *at, 3);
        if (which) counts[which - candidates]++;
    }
    const size_t best = counts[0] >= counts[1] ? 0 : 1;
    return counts[2] > counts[best] || counts[best] == 0 ? ',' : candidates[best];
}

/* The share of cells that are numbers, dates or empty, for this separator; -1 if most lines have a single
 * cell that is none of these. A line of names above the rows does not count. */
static double share_of_numbers(const fmt_csv_layout *layout, fmt_csv_sample sample, char separator) {
    size_t rows = 0, wide = 0, cells = 0, good = 0;
    fmt_csv_sample line;
    const fmt_csv_sample all = sample;
    if (!fmt_csv_sample_line(layout, &sample, &line)) return -1.0;
    if (sample.text == sample.end || !fmt_csv_sample_line(layout, &sample, &line)) {
        sample = all;
        fmt_csv_sample_line(layout, &sample, &line);
    }
    do {
        fmt_csv_piece piece;
        double value;
        size_t here = 0;
        for (const char *at = line.text;
             here < CELLS_LOOKED_AT && fmt_csv_piece_next(&at, line.end, separator, &piece); here++)
            good += fmt_csv_piece_kind(&piece, &value) != FMT_CSV_TEXT;
        cells += here;
        wide += here > 1;
    } while (++rows < ROWS_LOOKED_AT && fmt_csv_sample_line(layout, &sample, &line));
    return 2 * wide > rows || good == cells ? (double)good / (double)cells : -1.0;
}

/* "[m]" and "(m/s)" after blanks belong to the name before them. */
static void join_units(const char **at, const char *end, fmt_csv_piece *piece) {
    const char *next = *at;
    while (next && next < end && is_blank(*next)) next++;
    if (!next || next >= end || (*next != '[' && *next != '(') || *piece->text == '(' || *piece->text == '[')
        return;
    const char *closing = memchr(next, *next == '[' ? ']' : ')', (size_t)(end - next));
    if (!closing) return;
    piece->end = closing + 1;
    *at = closing + 1 < end ? closing + 1 : NULL;
}

/* Whether blanks are likely separators: a line and the next one have as many cells, and the first has either
 * no numbers or mostly numbers. The words of a text are not cells. */
static bool are_blanks_likely(const fmt_csv_layout *layout, fmt_csv_sample sample, double share) {
    fmt_csv_sample first, second;
    fmt_csv_piece piece;
    double value;
    size_t cells[2] = {0}, numbers = 0;
    if (!fmt_csv_sample_line(layout, &sample, &first)) return false;
    if (!fmt_csv_sample_line(layout, &sample, &second)) second = first;
    for (const char *at = first.text; fmt_csv_piece_next(&at, first.end, ' ', &piece); cells[0]++) {
        if (!piece.quoted) join_units(&at, first.end, &piece);
        numbers += fmt_csv_piece_kind(&piece, &value) != FMT_CSV_TEXT;
    }
    for (const char *at = second.text; fmt_csv_piece_next(&at, second.end, ' ', &piece);) cells[1]++;
    return cells[0] == cells[1] && (numbers == 0 || share > 0.5);
}

/* The separator for which most cells of the rows are numbers; if that does not decide, the most frequent one
 * in the first line. */
static char find_best(const fmt_csv_layout *layout, fmt_csv_sample sample) {
    fmt_csv_sample first, rest = sample;
    if (!fmt_csv_sample_line(layout, &rest, &first)) return ',';
    const char candidates[] = {most_frequent(&first), '\t', ';', ',', ' '};
    char best = candidates[0];
    double most = share_of_numbers(layout, sample, best);
    for (size_t i = 1; i < sizeof candidates; i++) {
        const double share = share_of_numbers(layout, sample, candidates[i]);
        if (share <= most || share <= 0.0) continue;
        if (candidates[i] == ' ' && !are_blanks_likely(layout, sample, share)) continue;
        most = share;
        best = candidates[i];
    }
    return best;
}

/* ---------------------------------------------------------------- decimals */

/* If cells are separated by commas, numbers with a comma are in quotes, and three digits after it may be
 * thousands. */
static bool may_be_thousands(const fmt_csv_piece *piece, char separator) {
    const char *comma = memchr(piece->text, ',', (size_t)(piece->end - piece->text));
    return separator == ',' && comma && piece->end - comma == 4;
}

/* Whether some numbers have commas and none has a point. */
static bool has_decimal_commas(const fmt_csv_layout *layout, fmt_csv_sample sample) {
    fmt_csv_sample line;
    size_t commas = 0;
    for (size_t rows = 0; rows < ROWS_LOOKED_AT && fmt_csv_sample_line(layout, &sample, &line); rows++) {
        fmt_csv_piece piece;
        double value;
        size_t cells = 0;
        for (const char *at = line.text;
             cells++ < CELLS_LOOKED_AT && fmt_csv_piece_next(&at, line.end, layout->separator, &piece);) {
            const fmt_csv_kind kind = fmt_csv_piece_kind(&piece, &value);
            if (kind == FMT_CSV_NUMBER && memchr(piece.text, '.', (size_t)(piece.end - piece.text)))
                return false;
            if (kind == FMT_CSV_COMMA_NUMBER && may_be_thousands(&piece, layout->separator)) return false;
            commas += kind == FMT_CSV_COMMA_NUMBER;
        }
    }
    return commas > 0;
}

/* ---------------------------------------------------------------- names above the rows */

static bool add_name(fmt_csv_layout *layout, const char *text, const char *end) {
    char **names = realloc(layout->names, (layout->n_names + 1) * sizeof *names);
    if (!names) return false;
    layout->names = names;
    names[layout->n_names] = fmt_header_utf8(text, (size_t)(end - text));
    return names[layout->n_names++];
}

static void drop_names(fmt_csv_layout *layout) {
    for (size_t i = 0; i < layout->n_names; i++) free(layout->names[i]);
    free(layout->names);
    layout->names = NULL;
    layout->n_names = 0;
}

void fmt_csv_layout_clear(fmt_csv_layout *layout) {
    drop_names(layout);
}

/* Uses the cells of a line as names. */
static bool parse_names(fmt_csv_layout *layout, const fmt_csv_sample *line, char separator) {
    fmt_csv_piece piece;
    drop_names(layout);
    for (const char *at = line->text;
         layout->n_names < CELLS_LOOKED_AT && fmt_csv_piece_next(&at, line->end, separator, &piece);) {
        if (separator == ' ' && !piece.quoted) join_units(&at, line->end, &piece);
        if (!add_name(layout, piece.text, piece.end)) return false;
    }
    return true;
}

static bool are_names(const fmt_csv_layout *layout) {
    for (size_t i = 0; i < layout->n_names; i++) {
        const char *name = layout->names[i];
        const fmt_csv_piece piece = {name, name + strlen(name), false};
        double value;
        if (fmt_csv_piece_kind(&piece, &value) != FMT_CSV_TEXT) return false;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(layout->names[k], name)) return false;
    }
    return layout->n_names > 0;
}

static size_t count_cells(const fmt_csv_sample *line, char separator) {
    fmt_csv_piece piece;
    size_t count = 0;
    for (const char *at = line->text;
         count <= CELLS_LOOKED_AT && fmt_csv_piece_next(&at, line->end, separator, &piece);)
        count++;
    return count;
}

/* The last comment before the rows has the names of the columns if it has as many words as the rows have
 * cells: the "# x y u v" of numpy's savetxt and of OpenPIV. */
static bool names_from_comment(fmt_csv_layout *layout, fmt_csv_sample comment, const fmt_csv_sample *first) {
    const char separators[] = {layout->separator, ' ', ','};
    const size_t columns = count_cells(first, layout->separator);
    while (comment.text < comment.end && (is_blank(*comment.text) || strchr(layout->marks, *comment.text)))
        comment.text++;
    for (size_t i = 0; i < sizeof separators; i++) {
        if (!parse_names(layout, &comment, separators[i])) return false;
        if (layout->n_names == columns && are_names(layout)) return true;
    }
    drop_names(layout);
    return true;
}

/* Finds the comment right before the first row. */
static bool find_comment_names(fmt_csv_layout *layout, fmt_csv_sample sample) {
    fmt_csv_sample line, comment = {0};
    while (next_line(&sample, &line)) {
        if (is_comment(layout, &line)) {
            comment = line;
        } else if (!is_empty(&line)) {
            return comment.text ? names_from_comment(layout, comment, &line) : true;
        }
    }
    return true;
}

/* ---------------------------------------------------------------- Tecplot */

static bool begins_with(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && !strncasecmp(at, word, length);
}

/* TITLE = .. or VARIABLES = .. */
static bool is_tecplot(fmt_csv_sample sample) {
    static const char *const words[] = {"TITLE", "VARIABLES"};
    fmt_csv_sample line;
    do {
        if (!next_line(&sample, &line)) return false;
    } while (is_empty(&line) || *line.text == '#');
    for (size_t i = 0; i < 2; i++) {
        const char *at = line.text + strlen(words[i]);
        if (!begins_with(line.text, line.end, words[i])) continue;
        while (at < line.end && is_blank(*at)) at++;
        return at < line.end && *at == '=';
    }
    return false;
}

/* The position of a word outside quotes; NULL: not found. */
static const char *find_word(fmt_csv_sample text, const char *word) {
    for (const char *at = text.text; at < text.end; at++) {
        if (*at == '"') at = behind_quotes(at + 1, text.end) - 1;
        if ((at == text.text || !isalpha((unsigned char)at[-1])) && begins_with(at, text.end, word))
            return at;
    }
    return NULL;
}

/* Tecplot's writers turn a name with units into "U m/s"; it is shown as in other formats. */
static bool add_variable(fmt_csv_layout *layout, const char *text, const char *end) {
    const char *blank = memchr(text, ' ', (size_t)(end - text));
    char name[128];
    const bool two =
        blank && blank > text && blank + 1 < end && !memchr(blank + 1, ' ', (size_t)(end - blank - 1));
    if (!two || end - text > 100 || end[-1] == ']' || end[-1] == ')') return add_name(layout, text, end);
    const int length = snprintf(name, sizeof name, "%.*s (%.*s)", (int)(blank - text), text,
                                (int)(end - blank - 1), blank + 1);
    return add_name(layout, name, name + length);
}

/* The names after VARIABLES =, in quotes over any number of lines, or unquoted to the end of the line. */
static bool parse_variables(fmt_csv_layout *layout, const char *at, const char *end) {
    while (at < end && *at != '=') at++;
    const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    for (at += at < end; layout->n_names < CELLS_LOOKED_AT;) {
        while (at < end && (isspace((unsigned char)*at) || *at == ',')) at++;
        if (at >= end) return true;
        const bool quoted = *at == '"';
        if (!quoted && (at >= (line_end ? line_end : end) || begins_with(at, end, "ZONE"))) return true;
        const char *from = at + quoted;
        if (quoted) at = behind_quotes(from, end);
        while (!quoted && at < end && *at != ',' && !isspace((unsigned char)*at)) at++;
        if (!add_variable(layout, from, quoted ? at - (at > from) : at)) return false;
    }
    return true;
}

/* Examines everything above the first line that starts with a number. */
static bool find_tecplot(fmt_csv_layout *layout, fmt_csv_sample sample) {
    fmt_csv_sample line, head = {sample.text, sample.end};
    bool rows = false;
    while (!rows && next_line(&sample, &line)) {
        const char *at = line.text;
        while (at < line.end && is_blank(*at)) at++;
        rows = at < line.end && (isdigit((unsigned char)*at) || strchr("+-.", *at)) && *at;
        if (rows) head.end = line.text;
        layout->skip += !rows;
    }
    layout->tecplot = true;
    layout->separator =
        memchr(rows ? line.text : head.end, ',', rows ? (size_t)(line.end - line.text) : 0) ? ',' : ' ';
    if (find_word(head, "BLOCK"))
        layout->refusal = "is a Tecplot file in blocks; write it as points (F=POINT)";
    const char *variables = find_word(head, "VARIABLES");
    return variables ? parse_variables(layout, variables, head.end) : true;
}

/* ---------------------------------------------------------------- the whole layout */

/* '#' always; % and ! if the file starts with one; > between the segments of GMT. */
static void find_marks(fmt_csv_layout *layout, fmt_csv_sample sample) {
    fmt_csv_sample line;
    strcpy(layout->marks, "#");
    do {
        if (!next_line(&sample, &line)) return;
    } while (is_empty(&line) || *line.text == '#');
    if (*line.text == '%') strcpy(layout->marks, "#%");
    if (*line.text == '!') strcpy(layout->marks, "#!");
    if (*line.text == '>') strcpy(layout->marks, "#>");
}

bool fmt_csv_layout_find(fmt_csv_layout *layout, fmt_csv_sample sample, char separator) {
    *layout = (fmt_csv_layout){.separator = separator};
    find_marks(layout, sample);
    if (!separator && is_tecplot(sample)) return find_tecplot(layout, sample);
    if (!separator) layout->separator = find_best(layout, sample);
    layout->decimal_comma = has_decimal_commas(layout, sample);
    return find_comment_names(layout, sample);
}
