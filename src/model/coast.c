/* Coasts: points along them for walls, and which points are on land. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/plane.h"
#include "orff.h"

#define TURN 360.0

enum { MOST_POINTS = 100000000 };

static orff_status check(const orff_coast *coast) {
    if (!coast || (coast->lines && (!coast->starts || !coast->points)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a coast needs starts and points of its lines");
    for (size_t k = 0; k < coast->lines; k++)
        if (coast->starts[k] > coast->starts[k + 1])
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "line %zu of the coast ends before it begins",
                              k + 1);
    return ORFF_OK;
}

/* From one x to another; in degrees, the short way around. */
static double step(double from, double to, bool degrees) {
    return degrees ? remainder(to - from, TURN) : to - from;
}

/* ---- points along it */

typedef struct walk {
    const orff_plane *plane;
    const double *box;
    double spacing;
    double ahead; /* how far along the line the next point is */
    size_t room, n;
    double *rows;
} walk;

/* The longitude x, shifted by whole turns to be nearest to the middle of the box. */
static double into_box(const walk *w, double x) {
    if (!w->plane || !w->box) return x;
    const double middle = 0.5 * (w->box[0] + w->box[1]);
    return middle + remainder(x - middle, TURN);
}

static bool is_inside(const walk *w, double x, double y) {
    return !w->box || (x >= w->box[0] && x <= w->box[1] && y >= w->box[2] && y <= w->box[3]);
}

/* Whether a segment from (x, y), with x shifted as above, may have points in the box. */
static bool may_meet(const walk *w, double x, double y, double dx, double dy) {
    const double *b = w->box;
    if (!b) return true;
    return fmax(x, x + dx) >= b[0] && fmin(x, x + dx) <= b[1] && fmax(y, y + dy) >= b[2] &&
           fmin(y, y + dy) <= b[3];
}

/* The segment from (x, y) as an arrow in the plane. */
static orff_status arrow_of(const walk *w, double x, double y, double dx, double dy, double arrow[2]) {
    double ends[4] = {x, y, x + dx, y + dy};
    orff_plane plane;
    arrow[0] = dx;
    arrow[1] = dy;
    if (!w->plane) return ORFF_OK;
    plane = *w->plane;
    plane.inputs[0] = 0;
    plane.inputs[1] = 1;
    ORFFI_TRY(orffi_plane_places(&plane, 2, 0, 2, ends, NULL));
    arrow[0] = ends[2] - ends[0];
    arrow[1] = ends[3] - ends[1];
    return ORFF_OK;
}

static orff_status put(walk *w, double x, double y, const double normal[2]) {
    if (w->n >= MOST_POINTS)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a spacing of %g makes more than %d points of the coast", w->spacing, MOST_POINTS);
    if (w->n < w->room) {
        double *row = w->rows + 4 * w->n, place[2] = {x, y}, turn[2] = {1.0, 0.0};
        memcpy(row, place, sizeof place);
        memcpy(row + 2, normal, 2 * sizeof *normal);
        if (w->plane) {
            orff_plane plane = *w->plane;
            plane.inputs[0] = 0;
            plane.inputs[1] = 1;
            ORFFI_TRY(orffi_plane_places(&plane, 2, 0, 1, place, turn));
            orffi_plane_vector_from(turn, row + 2);
        }
    }
    w->n++;
    return ORFF_OK;
}

static orff_status trace_segment(walk *w, const double *from, const double *to) {
    const double x = into_box(w, from[0]), y = from[1], dx = step(from[0], to[0], w->plane), dy = to[1] - y;
    double arrow[2];
    if (!isfinite(x) || !isfinite(y) || !isfinite(dx) || !isfinite(dy) || !may_meet(w, x, y, dx, dy))
        return ORFF_OK;
    ORFFI_TRY(arrow_of(w, x, y, dx, dy, arrow));
    const double length = hypot(arrow[0], arrow[1]);
    if (!(length > 0.0) || !isfinite(length)) return ORFF_OK;
    if (length / w->spacing > (double)MOST_POINTS)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a spacing of %g is too small for a coast of %g",
                          w->spacing, length);
    const double normal[2] = {-arrow[1] / length, arrow[0] / length};
    double at = w->ahead;
    for (; at <= length; at += w->spacing) {
        const double px = x + dx * at / length, py = y + dy * at / length;
        if (is_inside(w, px, py)) ORFFI_TRY(put(w, px, py, normal));
    }
    w->ahead = at - length;
    return ORFF_OK;
}

orff_status orff_coast_points(const orff_coast *coast, const orff_plane *plane, double spacing,
                              const double *box, size_t room, double *rows, size_t *n) {
    walk w = {.plane = plane, .box = box, .spacing = spacing, .room = rows ? room : 0, .rows = rows};
    if (!n || !(spacing > 0.0) || !isfinite(spacing))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "points of a coast need a spacing above 0");
    ORFFI_TRY(check(coast));
    for (size_t k = 0; k < coast->lines; k++) {
        w.ahead = 0.5 * spacing;
        for (size_t i = coast->starts[k]; i + 1 < coast->starts[k + 1]; i++)
            ORFFI_TRY(trace_segment(&w, coast->points + 2 * i, coast->points + 2 * (i + 1)));
    }
    *n = w.n;
    return ORFF_OK;
}

/* ---- land */

typedef struct ring {
    const double *points;
    double *x; /* n, made continuous along the ring, so that longitudes do not jump */
    size_t n;
    double top, bottom;
    double middle, half; /* of x */
    bool polar, north;   /* encloses a pole; the northern one */
} ring;

/* False for a line that does not end where it begins. x: room for n numbers. */
static bool ring_of(const double *points, size_t n, bool degrees, double *x, ring *r) {
    if (n < 4) return false;
    const double *end = points + 2 * (n - 1);
    double low = points[0], high = low, sum = 0.0;
    if (step(points[0], end[0], degrees) != 0.0 || points[1] != end[1]) return false;
    *r = (ring){.points = points, .x = x, .n = n, .top = points[1], .bottom = points[1]};
    x[0] = points[0];
    for (size_t i = 1; i < n; i++) {
        x[i] = x[i - 1] + step(points[2 * i - 2], points[2 * i], degrees);
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
        sum += points[2 * i + 1];
        r->top = fmax(r->top, points[2 * i + 1]);
        r->bottom = fmin(r->bottom, points[2 * i + 1]);
        if (!isfinite(x[i]) || !isfinite(points[2 * i + 1])) return false;
    }
    r->polar = degrees && fabs(x[n - 1] - x[0]) > 0.5 * TURN;
    r->north = r->polar && sum > 0.0;
    r->middle = 0.5 * (low + high);
    r->half = 0.5 * (high - low);
    return isfinite(low) && isfinite(high);
}

/* Whether an odd number of the ring's sides are north of the point. The ray goes up, so that sides along a
 * meridian, where maps are cut, do not count. The side of the ray on which a corner lies depends on the
 * corner alone, so both of its segments agree. */
static bool is_within(const ring *r, double x, double y, bool degrees) {
    const double at = r->middle + step(r->middle, x, degrees);
    bool odd = r->north;
    if (y > r->top || (!r->polar && (y < r->bottom || fabs(at - r->middle) > r->half))) return odd;
    for (size_t i = 0; i + 1 < r->n; i++) {
        if ((r->x[i] < at) == (r->x[i + 1] < at)) continue;
        const double *p = r->points + 2 * i, share = (at - r->x[i]) / (r->x[i + 1] - r->x[i]);
        if (p[1] + (p[3] - p[1]) * share > y) odd = !odd;
    }
    return odd;
}

/* x: room for one number per point. */
static size_t find_rings(const orff_coast *coast, bool degrees, double *x, ring *all) {
    size_t count = 0;
    for (size_t k = 0; k < coast->lines; k++) {
        const size_t first = coast->starts[k];
        if (ring_of(coast->points + 2 * first, coast->starts[k + 1] - first, degrees, x + first, &all[count]))
            count++;
    }
    return count;
}

orff_status orff_coast_land(const orff_coast *coast, bool degrees, size_t n, const double *points, bool *land,
                            size_t *rings) {
    ring *all = NULL;
    double *x = NULL;
    ORFFI_TRY(check(coast));
    if (n && (!points || !land))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_coast_land: NULL argument");
    orff_status status = ORFFI_NEW_ARRAY(all, coast->lines + 1);
    if (!status) status = ORFFI_NEW_ARRAY(x, coast->lines ? coast->starts[coast->lines] + 1 : 1);
    const size_t count = status ? 0 : find_rings(coast, degrees, x, all);
    for (size_t i = 0; !status && i < n; i++) {
        land[i] = false;
        for (size_t k = 0; k < count && isfinite(points[2 * i]) && isfinite(points[2 * i + 1]); k++)
            if (is_within(&all[k], points[2 * i], points[2 * i + 1], degrees)) land[i] = !land[i];
    }
    if (!status && rings) *rings = count;
    orffi_release(all);
    orffi_release(x);
    return status;
}
