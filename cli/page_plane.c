/* The plane of a page: the centre of a plane that touches the Earth, or samples of a projected system,
 * between which the page interpolates. Projections are smooth functions of longitude and latitude, except
 * for a cut somewhere on the far side. */
#include <math.h>
#include <stdlib.h>

#include "page.h"
#include "report.h"

/* Polynomials of degree 7 through nodes 2.5 degrees apart reproduce maps of the whole Earth to 1e-9. */
#define SPACING     2.5
#define LEAST_NODES 24
#define MARGINS     4
#define TURN        360.0
#define CUT         0.3  /* of the width of the map: neighbours farther apart are on two sides of a cut */
#define CLOSE       1e-9 /* degrees: accuracy of the position of a cut */

static const double margins[MARGINS] = {0.4, 0.2, 0.05, 0.0}; /* of the region, on each side */

/* For longitude and latitude: x, y (km), and the cosine and sine of the angle by which (east, north) is
 * turned there. */
typedef struct sampled {
    size_t count[2];
    double *values; /* count[1] x count[0] x 4 */
} sampled;

/* X, n x 2: degrees, replaced by km. turns: n x 2. */
static orff_status project(const orff_plane *plane, size_t n, double *X, double *turns) {
    orff_plane alone = *plane;
    alone.inputs[0] = 0;
    alone.inputs[1] = 1;
    for (size_t i = 0; i < n; i++) {
        turns[2 * i] = 1.0;
        turns[2 * i + 1] = 0.0;
    }
    return orff_plane_project(&alone, 2, n, X, turns);
}

static double node(const double box[4], size_t k, size_t i, size_t count) {
    return box[2 * k] + (box[2 * k + 1] - box[2 * k]) * (double)i / (double)(count - 1);
}

/* box: sides of a few turns at most, see cli_page_plane. */
static orff_status sample(sampled *s, const orff_plane *plane, const double box[4]) {
    for (size_t k = 0; k < 2; k++)
        s->count[k] = (size_t)fmax(LEAST_NODES, ceil((box[2 * k + 1] - box[2 * k]) / SPACING)) + 1;
    const size_t n = s->count[0] * s->count[1];
    double *X = cli_more(NULL, 4 * n, sizeof *X), *turns = X + 2 * n;
    s->values = cli_more(s->values, 4 * n, sizeof *s->values);
    for (size_t i = 0; i < 2 * n; i++)
        X[i] = node(box, i % 2, i % 2 ? i / 2 / s->count[0] : i / 2 % s->count[0], s->count[i % 2]);
    const orff_status status = project(plane, n, X, turns);
    for (size_t i = 0; i < 4 * n; i++) s->values[i] = (i % 4 < 2 ? X : turns)[i / 4 * 2 + i % 2];
    free(X);
    return status;
}

/* The larger side of the map, km. */
static double width_of(const sampled *s) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < s->count[0] * s->count[1]; i++)
        for (size_t k = 0; k < 2; k++) {
            low[k] = fmin(low[k], s->values[4 * i + k]);
            high[k] = fmax(high[k], s->values[4 * i + k]);
        }
    return fmax(high[0] - low[0], high[1] - low[1]);
}

static double apart(const double *a, const double *b) {
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* Whether a parallel jumps between two neighbours, and then their *row and *column. */
static bool find_cut(const sampled *s, size_t *row, size_t *column) {
    const double far = CUT * width_of(s);
    for (size_t j = 0; j < s->count[1]; j++)
        for (size_t i = 0; i + 1 < s->count[0]; i++) {
            const double *here = s->values + 4 * (j * s->count[0] + i);
            if (apart(here, here + 4) < far) continue;
            *row = j;
            *column = i;
            return true;
        }
    return false;
}

/* The longitude of the cut between two longitudes, by bisection. */
static double place_cut(const orff_plane *plane, double lat, double west, double east) {
    while (east - west > CLOSE) {
        const double at = (west + east) / 2.0;
        double X[6] = {west, lat, at, lat, east, lat}, turns[6];
        if (project(plane, 3, X, turns)) break;
        if (apart(X, X + 2) > apart(X + 2, X + 4))
            east = at;
        else
            west = at;
    }
    return (west + east) / 2.0;
}

static void box_around(const double low[2], const double high[2], double margin, double box[4]) {
    const double most[2] = {TURN / 2.0, 90.0};
    for (size_t k = 0; k < 2; k++) {
        const double about = margin * (high[k] - low[k]), middle = (low[k] + high[k]) / 2.0;
        box[2 * k] = fmax(low[k] - about, k ? -most[k] : fmin(low[k], middle - most[k]));
        box[2 * k + 1] = fmin(high[k] + about, k ? most[k] : fmax(high[k], middle + most[k]));
    }
}

/* Samples the region with its margin, as far as it can be projected without a cut. */
static orff_status sample_around(sampled *s, const orff_plane *plane, const double low[2],
                                 const double high[2], double box[4], bool *cut, size_t place[2]) {
    orff_status status = ORFF_OK;
    for (size_t m = 0; m < MARGINS; m++) {
        box_around(low, high, margins[m], box);
        status = sample(s, plane, box);
        *cut = !status && find_cut(s, &place[1], &place[0]);
        if (!status && !*cut) break;
    }
    return status;
}

static int sample_crs(sampled *s, const orff_plane *plane, double low[2], double high[2], double box[4]) {
    size_t place[2] = {0};
    /* Limits the nodes to what fits in memory. */
    if (!(high[0] - low[0] <= 2.0 * TURN && high[1] - low[1] <= TURN))
        return cli_failed("the region spans %g x %g degrees, more than the Earth has; give it with --grid",
                          high[0] - low[0], high[1] - low[1]);
    bool cut = false;
    orff_status status = sample_around(s, plane, low, high, box, &cut, place);
    if (!status && cut) {
        const double lat = node(box, 1, place[1], s->count[1]);
        high[0] = place_cut(plane, lat, node(box, 0, place[0], s->count[0]),
                            node(box, 0, place[0] + 1, s->count[0]));
        high[0] -= TURN * round((high[0] - TURN / 2.0) / TURN); /* -180 to 180, not 180 to 540 */
        low[0] = high[0] - TURN + 2.0 * CLOSE;
        high[0] -= 2.0 * CLOSE;
        status = sample_around(s, plane, low, high, box, &cut, place);
    }
    if (status) return cli_outcome(status, NULL);
    return cut ? cli_failed("the map of %s is torn within the region; choose a part of the region with "
                            "--grid",
                            plane->crs)
               : CLI_DONE;
}

static json_t *whole_numbers(const size_t numbers[2]) {
    return json_pack("[I, I]", (json_int_t)numbers[0], (json_int_t)numbers[1]);
}

static json_t *as_json(const sampled *s, const orff_plane *plane, const double box[4]) {
    const double low[2] = {box[0], box[2]}, high[2] = {box[1], box[3]};
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "inputs", whole_numbers(plane->inputs), "crs",
                     cli_page_text(plane->crs), "low", cli_page_numbers(2, low, false), "high",
                     cli_page_numbers(2, high, false), "count", whole_numbers(s->count), "values",
                     cli_page_numbers(4 * s->count[0] * s->count[1], s->values, false));
}

int cli_page_plane(const orff_plane *plane, double low[2], double high[2], double box[4], json_t **object) {
    sampled s = {0};
    if (!*plane->crs) {
        box[0] = -INFINITY;
        box[1] = INFINITY;
        box[2] = -90.0;
        box[3] = 90.0;
        *object = json_pack("{s:f, s:f, s:o}", "lon", plane->lon, "lat", plane->lat, "inputs",
                            whole_numbers(plane->inputs));
        return CLI_DONE;
    }
    const int status = sample_crs(&s, plane, low, high, box);
    *object = status ? json_null() : as_json(&s, plane, box);
    free(s.values);
    return status;
}
