/* The points of a page: positions of data. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "page.h"
#include "report.h"

#define MOST_POINTS 20000 /* most points drawn */

/* Keeps every `step`th row; doubles the step whenever there are too many. */
typedef struct thinned {
    size_t kept, step, seen;
    double *X; /* kept x d */
} thinned;

static void keep(thinned *t, size_t d, const double *x) {
    if (t->seen++ % t->step) return;
    if (t->kept == MOST_POINTS) {
        for (size_t i = 0; 2 * i < t->kept; i++) memmove(t->X + i * d, t->X + 2 * i * d, d * sizeof *t->X);
        t->kept = (t->kept + 1) / 2;
        t->step *= 2;
        if ((t->seen - 1) % t->step) return;
    }
    memcpy(t->X + t->kept++ * d, x, d * sizeof *t->X);
}

static bool all_finite(size_t d, const double *x) {
    for (size_t i = 0; i < d; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static int read_points(cli_view *f, thinned *t) {
    const char *words[1] = {cli_text(f->arguments, CLI_OPT_POINTS)};
    cli_arguments a = *f->arguments;
    cli_data data;
    double *X = cli_more(NULL, 4096 * f->d, sizeof *X);
    size_t n = 1;
    a.words = words;
    a.n_words = 1;
    int status = cli_data_apply(&data, &a, 0, f->applied.notes, f->d, 0, false);
    while (!status && n) {
        status = cli_data_read(&data, 4096, X, NULL, &n);
        for (size_t i = 0; !status && i < n; i++)
            if (all_finite(f->d, X + i * f->d)) keep(t, f->d, X + i * f->d);
    }
    cli_data_close(&data);
    free(X);
    return status;
}

int cli_view_points(cli_view *f) {
    thinned t = {.step = 1};
    if (!cli_given(f->arguments, CLI_OPT_POINTS)) return CLI_DONE;
    t.X = cli_more(NULL, MOST_POINTS * f->d, sizeof *t.X);
    const int status = read_points(f, &t);
    if (!status)
        json_object_set_new(f->object, "points",
                            json_pack("{s:I, s:I, s:o}", "count", (json_int_t)t.kept, "of",
                                      (json_int_t)t.seen, "x", cli_page_numbers(t.kept * f->d, t.X, true)));
    free(t.X);
    return status;
}
