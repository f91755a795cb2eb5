/* Trapezoid quadrature of the spectral integral for up to three inputs.
 *
 * Frequencies lie on a regular grid over a half space of the whitened coordinates, q = 2 prod h p(z) (once
 * for the origin), w = z / l. Half of the tolerance goes to the step (aliasing), half to the level of log
 * density below which points are dropped. The points kept form a ball for spherical bases, a diamond or a
 * cross for product bases. */
#include "sampling/grid.h"

#include <math.h>

#include "base/memory.h"
#include "base/periods.h"
#include "sampling/scheme.h"

#define TWO_PI             6.28318530717958647693
#define LARGEST_GRID       ((size_t)1 << 24)
#define SMALLEST_TOLERANCE 1e-12
#define DEFAULT_TOLERANCE  1e-6
#define GUESSED_EXTENT     5.0 /* length scales */

/* ---- visiting the points above a level */

/* One point z >= 0 of the grid together with its mirror images: 2^(nonzero z_i) points of the same
 * density. */
typedef struct place {
    double z[ORFFI_GRID_MAX_DIM];
    double weight; /* prod h p(z) */
    size_t mirrors;
} place;

/* Returns false to stop visit_lattice. */
typedef bool visit_fn(void *self, const place *at);

static double steps_product(const orffi_grid *grid) {
    double product = 1.0;
    for (size_t i = 0; i < grid->law->dim; i++) product *= TWO_PI / grid->period[i];
    return product;
}

/* Visits all z >= 0 with log p(z) >= level. The density decreases in every coordinate, so a row ends at its
 * first point below the level, and a plane at its first row without points. */
static bool visit_lattice(const orffi_grid *grid, double level, visit_fn *visit, void *self) {
    const size_t d = grid->law->dim;
    const double cell = steps_product(grid);
    size_t k[ORFFI_GRID_MAX_DIM] = {0}, axis = d - 1;
    for (;;) {
        place at = {.mirrors = 1};
        for (size_t i = 0; i < d; i++) {
            at.z[i] = (double)k[i] * TWO_PI / grid->period[i];
            if (k[i]) at.mirrors *= 2;
        }
        const double log_density = orffi_spectrum_log_density(grid->law, at.z);
        if (log_density >= level) {
            at.weight = cell * exp(log_density);
            if (!visit(self, &at)) return false;
            axis = d - 1;
        } else {
            /* everything further along `axis` is below the level too: go to the next row or plane */
            if (axis == 0) return true;
            k[axis--] = 0;
        }
        k[axis]++;
    }
}

/* ---- the points that a level keeps */

typedef struct survey {
    const orffi_spectrum *law;
    size_t limit;  /* stop beyond this many points of the whole grid */
    size_t points; /* of the whole grid, an odd number */
    double mass;
    double second[ORFFI_GRID_MAX_DIM];
} survey;

static bool measure(void *self, const place *at) {
    survey *s = self;
    const double weight = at->weight * (double)at->mirrors;
    s->points += at->mirrors;
    s->mass += weight;
    for (size_t i = 0; i < s->law->space_count; i++) {
        const double z = at->z[s->law->space[i]];
        s->second[i] += weight * z * z;
    }
    return s->points <= s->limit;
}

/* The part of the whole sum that the kept points lack, relative to |K(0)|. */
static double dropped(const orffi_grid *grid, const orffi_grid_total *total, const survey *kept) {
    double worst = fmax(0.0, total->mass - kept->mass);
    for (size_t i = 0; grid->gradient && i < grid->law->space_count; i++)
        worst = fmax(worst, (total->second[i] - kept->second[i]) / grid->unit);
    return worst;
}

static size_t half_space(size_t points) {
    return (points + 1) / 2;
}

/* A grid with its level and the outcome. */
typedef struct solution {
    orffi_grid grid;
    double level;
    size_t count; /* points in the half space */
    double error;
    bool fits; /* within the limit; if not, count is an extrapolation or 0 */
} solution;

/* Two surveys within the limit, the later one larger: the number of points grows as a power of 1/dropped. */
typedef struct trend {
    double points[2], lost[2];
} trend;

static void note(trend *t, const survey *s, double lost) {
    t->points[0] = t->points[1], t->lost[0] = t->lost[1];
    t->points[1] = (double)s->points, t->lost[1] = lost;
}

/* The points of the half space needed for a loss of `target`; 0 if unknown. */
static double extrapolate(const trend *t, double target) {
    if (!(t->points[0] > 0.0 && t->lost[1] < t->lost[0])) return 0.0;
    const double power = log(t->points[1] / t->points[0]) / log(t->lost[0] / t->lost[1]);
    return 0.5 * t->points[1] * pow(t->lost[1] / target, power);
}

/* The outcome of a level: it loses too much, is good enough, or keeps more points than the limit. */
typedef enum verdict { LOSES, SERVES, OVERFLOWS } verdict;

typedef struct search {
    solution *to;
    const orffi_grid_total *total;
    double target;
    size_t limit;
    trend trend;
} search;

static verdict try_level(search *look, double level) {
    solution *to = look->to;
    survey s = {.law = to->grid.law, .limit = 2 * look->limit - 1};
    if (!visit_lattice(&to->grid, level, measure, &s)) return OVERFLOWS;
    const double lost = dropped(&to->grid, look->total, &s);
    if (lost > look->target) {
        note(&look->trend, &s, lost);
        return LOSES;
    }
    to->fits = true;
    to->level = level;
    to->count = half_space(s.points);
    to->error = lost;
    return SERVES;
}

#define LEVEL_STEP 3.0 /* a factor 20 of density */
#define LEVEL_FINE 0.05

/* The highest level whose cut loses at most the target: in steps downwards, then by bisection. */
static void find_level(search *look) {
    const double origin[ORFFI_GRID_MAX_DIM] = {0.0};
    double high = orffi_spectrum_log_density(look->to->grid.law, origin), low = high - 1e-9;
    verdict at_low;
    while ((at_low = try_level(look, low)) == LOSES) high = low, low -= LEVEL_STEP;
    const double needed = extrapolate(&look->trend, look->target);
    const bool hopeless = at_low == OVERFLOWS && needed > 8.0 * (double)look->limit;
    while (!hopeless && high - low > LEVEL_FINE) {
        const double middle = 0.5 * (low + high);
        *(try_level(look, middle) == LOSES ? &high : &low) = middle;
    }
    if (!look->to->fits) {
        const double points = extrapolate(&look->trend, look->target);
        look->to->count = points < 1e18 ? (size_t)points : 0;
    }
}

/* The shortest reach whose aliasing is at most `target`, to a thousandth; false if there is none. */
static bool find_reach(orffi_grid *grid, double target) {
    double low = log(1e-3), high = log(1e9);
    orffi_grid_set_reach(grid, exp(high));
    if (orffi_grid_aliasing(grid) > target) return false;
    while (high - low > 1e-3) {
        const double middle = 0.5 * (low + high);
        orffi_grid_set_reach(grid, exp(middle));
        *(orffi_grid_aliasing(grid) <= target ? &high : &low) = middle;
    }
    orffi_grid_set_reach(grid, exp(high));
    return true;
}

/* The smallest grid of at most `limit` frequencies with an error, including rounding, of at most the
 * tolerance. */
static solution solve(const orffi_grid *grid, double tolerance, size_t limit) {
    solution s = {.grid = *grid};
    const double rounding = 0.01 * SMALLEST_TOLERANCE, target = 0.5 * tolerance - rounding;
    if (!find_reach(&s.grid, target)) return s;
    const orffi_grid_total total = orffi_grid_totals(&s.grid);
    search look = {.to = &s, .total = &total, .target = target, .limit = limit};
    find_level(&look);
    s.error += orffi_grid_aliasing(&s.grid) + 2.0 * rounding;
    return s;
}

/* The smallest error that `limit` frequencies can reach, to a tenth, by bisection over the tolerance. */
static solution solve_best(const orffi_grid *grid, size_t limit) {
    double low = log(SMALLEST_TOLERANCE), high = log(8.0); /* the origin alone has an error of a few |K(0)| */
    solution best = solve(grid, exp(low), limit);
    if (best.fits) return best;
    best = solve(grid, exp(high), limit);
    while (high - low > 0.1) {
        const double middle = 0.5 * (low + high);
        const solution s = solve(grid, exp(middle), limit);
        if (s.fits) best = s;
        *(s.fits ? &high : &low) = middle;
    }
    return best;
}

/* ---- the frequencies of a solution */

typedef struct writer {
    orffi_frequencies *out;
    const orffi_spectrum *law;
    size_t next;
} writer;

/* Writes the mirror images whose first nonzero coordinate is positive; bit i of `signs` flips z_i. */
static bool write_place(void *self, const place *at) {
    writer *w = self;
    const size_t d = w->law->dim;
    size_t first = 0, nonzero = 0;
    while (first < d && at->z[first] == 0.0) first++;
    for (size_t i = 0; i < d; i++) nonzero |= (size_t)(at->z[i] != 0.0) << i;
    for (size_t signs = 0; signs < (size_t)1 << d; signs++) {
        if (signs & ~nonzero || (first < d && signs >> first & 1)) continue;
        double *omega = w->out->omega + w->next * d;
        for (size_t i = 0; i < d; i++) omega[i] = (signs >> i & 1 ? -at->z[i] : at->z[i]) / w->law->scale[i];
        w->out->weight[w->next++] = nonzero ? 2.0 * at->weight : at->weight;
    }
    return true;
}

static orff_status write_grid(orffi_frequencies *out, const solution *s, const orffi_recipe *recipe) {
    orffi_recipe sized = *recipe;
    sized.count = s->count;
    ORFFI_TRY(orffi_frequencies_allocate(out, s->grid.law, &sized));
    writer w = {.out = out, .law = s->grid.law};
    visit_lattice(&s->grid, s->level, write_place, &w);
    out->error = s->error;
    return ORFF_OK;
}

/* ---- the scheme */

static orff_status check(const orffi_spectrum *law, const orffi_recipe *recipe) {
    const double origin[ORFFI_GRID_MAX_DIM] = {0.0};
    if (law->dim > ORFFI_GRID_MAX_DIM)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "grid sampling takes at most %d inputs; there are %zu",
                          ORFFI_GRID_MAX_DIM, law->dim);
    if (recipe->tolerance != 0.0 && !(recipe->tolerance >= SMALLEST_TOLERANCE && isfinite(recipe->tolerance)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the tolerance is %g; it must be 0 or at least %g",
                          recipe->tolerance, SMALLEST_TOLERANCE);
    for (size_t i = 0; recipe->extent && i < law->dim; i++)
        if (!(recipe->extent[i] >= 0.0 && isfinite(recipe->extent[i])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "extent %zu is %g; it must be finite and not negative", i + 1,
                              recipe->extent[i]);
    if (recipe->gradient && !isfinite(orffi_spectrum_whitened_moment(law)))
        return orffi_fail(ORFF_ERROR_DOES_NOT_EXIST,
                          "blocks that grow like |w|^2 need a finite E|w|^2; base %s has none",
                          orff_base_name(law->base->id));
    if (!isfinite(orffi_spectrum_log_density(law, origin)))
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "the density of base %s with shape %g is infinite at 0 for %zu inputs: there is no "
                          "trapezoid rule for it; use qmc",
                          orff_base_name(law->base->id), law->shape, law->dim);
    return ORFF_OK;
}

static orffi_grid make_grid(const orffi_spectrum *law, const orffi_recipe *recipe) {
    orffi_grid grid = {.law = law, .gradient = recipe->gradient};
    if (grid.gradient) grid.unit = orffi_spectrum_whitened_moment(law) / (double)law->space_count;
    for (size_t i = 0; i < law->dim; i++)
        grid.extent[i] = orffi_is_periodic(law->period, i) ? 0.5 * law->period[i] / law->scale[i]
                         : recipe->extent                  ? recipe->extent[i] / law->scale[i]
                                                           : GUESSED_EXTENT;
    return grid;
}

static orff_status refuse(const solution *s, double tolerance, size_t most) {
    if (s->count)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                          "a grid to tolerance %g needs about %zu frequencies; at most %zu may be used",
                          tolerance, s->count, most);
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "a grid to tolerance %g needs far more than the %zu frequencies that may be used",
                      tolerance, most);
}

static orff_status draw(orffi_frequencies *out, const orffi_spectrum *law, const orffi_recipe *recipe) {
    ORFFI_TRY(check(law, recipe));
    const orffi_grid grid = make_grid(law, recipe);
    const size_t most = recipe->count && recipe->count < LARGEST_GRID ? recipe->count : LARGEST_GRID;
    const bool best = recipe->count && recipe->tolerance == 0.0;
    const double tolerance = recipe->tolerance > 0.0 ? recipe->tolerance : DEFAULT_TOLERANCE;
    const solution s = best ? solve_best(&grid, most) : solve(&grid, tolerance, LARGEST_GRID);
    if (!s.fits || s.count > most) return refuse(&s, tolerance, most);
    out->extent_guessed = !recipe->extent;
    return write_grid(out, &s, recipe);
}

const orffi_scheme orffi_scheme_grid = {.draw = draw, .quadrature = true, .around_0 = true};
