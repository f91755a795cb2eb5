/* Settings of a drift from the notes of a model: which inputs move, which is time, and the units. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "model/model.h"

/* ---- units */

typedef struct unit {
    const char *text;
    double size;
} unit;

static const unit speeds[] = {/* km/h */
                              {"m/s", 3.6},           {"ms-1", 3.6},        {"cm/s", 0.036},
                              {"cms-1", 0.036},       {"mm/s", 0.0036},     {"mms-1", 0.0036},
                              {"km/h", 1.0},          {"kmh-1", 1.0},       {"km/hr", 1.0},
                              {"km/s", 3600.0},       {"kms-1", 3600.0},    {"m/h", 0.001},
                              {"mh-1", 0.001},        {"km/day", 1.0 / 24}, {"kmday-1", 1.0 / 24},
                              {"km/d", 1.0 / 24},     {"kmd-1", 1.0 / 24},  {"m/day", 0.001 / 24},
                              {"mday-1", 0.001 / 24}, {"md-1", 0.001 / 24}, {"knot", 1.852},
                              {"knots", 1.852},       {"kt", 1.852},        {"kts", 1.852},
                              {"kn", 1.852},          {NULL, 0.0}};
static const unit lengths[] = {/* km */
                               {"km", 1.0},      {"kilometer", 1.0}, {"kilometre", 1.0}, {"kilometers", 1.0},
                               {"m", 1e-3},      {"meter", 1e-3},    {"metre", 1e-3},    {"meters", 1e-3},
                               {"metres", 1e-3}, {"cm", 1e-5},       {"mm", 1e-6},       {"kilometres", 1.0},
                               {NULL, 0.0}};
static const unit times[] = {/* hours */
                             {"h", 1.0},
                             {"hr", 1.0},
                             {"hrs", 1.0},
                             {"hour", 1.0},
                             {"hours", 1.0},
                             {"s", 1.0 / 3600},
                             {"sec", 1.0 / 3600},
                             {"secs", 1.0 / 3600},
                             {"second", 1.0 / 3600},
                             {"seconds", 1.0 / 3600},
                             {"min", 1.0 / 60},
                             {"minute", 1.0 / 60},
                             {"minutes", 1.0 / 60},
                             {"d", 24.0},
                             {"day", 24.0},
                             {"days", 24.0},
                             {NULL, 0.0}};

/* NAN if it is not in the list. "m s**-1", "m s^-1" and "m.s-1" count as "ms-1". */
static double find(const unit *units, const char *text) {
    char plain[24];
    size_t used = 0;
    for (; text && *text && used + 1 < sizeof plain; text++)
        if (!strchr(" .*^", *text)) plain[used++] = (char)tolower((unsigned char)*text);
    plain[used] = '\0';
    for (; used && units->text; units++)
        if (!strcmp(units->text, plain)) return units->size;
    return (double)NAN;
}

/* Uses the first word of "hours since 1990-01-01". */
static double hours_of(const char *text) {
    char word[24];
    snprintf(word, sizeof word, "%.*s", text ? (int)fmin((double)strcspn(text, " "), 23.0) : 0,
             text ? text : "");
    return find(times, word);
}

/* ---- inputs */

/* By its units; without units, by its name. */
static bool is_time(const orff_notes *notes, size_t i) {
    const char *name = orff_notes_name(notes, ORFF_SIDE_INPUT, i),
               *units = orff_notes_units(notes, ORFF_SIDE_INPUT, i);
    if (units && *units) return !isnan(hours_of(units));
    return name && (!strcasecmp(name, "t") || !strncasecmp(name, "time", 4) || !isnan(find(times, name)));
}

static const size_t *physical_space(const orff_model *model) {
    const orff_kernel *kernel = orffi_model_kernel(model);
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (kernel->parts[m].rule->physical) return kernel->parts[m].law.space;
    return NULL;
}

static orff_status find_space(const orff_model *model, const orff_notes *notes, size_t *space) {
    const size_t *known = model->on_plane ? model->plane.inputs : physical_space(model);
    const bool all = model->d == model->p;
    size_t found = 0;
    for (size_t i = 0; !known && found < model->p && i < model->d; i++)
        if (all || (!orff_notes_is_covariate(notes, i) && !is_time(notes, i))) space[found++] = i;
    for (size_t k = 0; known && k < model->p; k++) space[found++] = known[k];
    if (found == model->p) return ORFF_OK;
    return orffi_fail(
        ORFF_ERROR_UNSUPPORTED,
        "particles need an input for each output to move along: the model has %zu inputs that are not time, "
        "and %zu outputs",
        found, model->p);
}

static bool is_space(const orff_model *model, const orff_drift *drift, size_t i) {
    for (size_t k = 0; k < model->p; k++)
        if (drift->space[k] == i) return true;
    return false;
}

static void find_clock(const orff_model *model, const orff_notes *notes, orff_drift *drift) {
    for (size_t i = model->d; i-- > 0;) {
        if (is_space(model, drift, i)) continue;
        const bool nameless = !orff_notes_name(notes, ORFF_SIDE_INPUT, i) && model->d == model->p + 1;
        if (!is_time(notes, i) && !nameless) continue;
        drift->has_clock = true;
        drift->clock = i;
    }
}

/* ---- hours */

/* The units of all outputs if they agree; otherwise NULL. */
static const char *shared_units(const orff_notes *notes, size_t p) {
    const char *first = orff_notes_units(notes, ORFF_SIDE_OUTPUT, 0);
    for (size_t k = 1; k < p; k++) {
        const char *other = orff_notes_units(notes, ORFF_SIDE_OUTPUT, k);
        if (!first || !other || strcmp(first, other) != 0) return NULL;
    }
    return first && *first ? first : NULL;
}

/* The unit of length of the inputs that move, in km. */
static double length_of(const orff_model *model, const orff_notes *notes, const size_t *space) {
    double length = model->on_plane ? 1.0 : find(lengths, orff_notes_units(notes, ORFF_SIDE_INPUT, space[0]));
    for (size_t k = 1; !model->on_plane && k < model->p; k++)
        if (find(lengths, orff_notes_units(notes, ORFF_SIDE_INPUT, space[k])) != length) return (double)NAN;
    return length;
}

static orff_status fill_hours(const orff_model *model, const orff_notes *notes, orff_drift *drift) {
    const char *units = shared_units(notes, model->p);
    const double length = length_of(model, notes, drift->space);
    double speed = find(speeds, units);
    if (!units && model->on_plane) {
        drift->assumed = "the outputs have no units; m/s is assumed";
        speed = find(speeds, "m/s");
    }
    if (isnan(speed) || isnan(length))
        return orffi_fail(
            ORFF_ERROR_UNSUPPORTED,
            "hours need inputs in km or m, or degrees on a plane, and outputs in m/s or the like; the "
            "outputs have %s%s: give times in units of the inputs over those of the outputs instead",
            units ? "units of " : "no units that are known", units ? units : "");
    drift->rate = speed / length;
    if (!drift->has_clock) return ORFF_OK;
    const double hours = hours_of(orff_notes_units(notes, ORFF_SIDE_INPUT, drift->clock));
    drift->pace = isnan(hours) ? 1.0 : 1.0 / hours;
    if (isnan(hours) && !*drift->assumed) drift->assumed = "the time input has no units; hours are assumed";
    return ORFF_OK;
}

static orff_status fill(const orff_model *model, const orff_notes *notes, bool hours, orff_drift *drift) {
    ORFFI_TRY(find_space(model, notes, drift->space));
    find_clock(model, notes, drift);
    return hours ? fill_hours(model, notes, drift) : ORFF_OK;
}

orff_status orff_model_drift_default(const orff_model *model, bool hours, orff_drift *drift) {
    orff_notes *notes = NULL;
    if (!model || !drift)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_drift_default: NULL argument");
    if (model->classes || model->p > 3)
        return orffi_fail(ORFF_ERROR_UNSUPPORTED, "particles need a field of up to 3 outputs, not %s",
                          model->classes ? "classes" : "so many");
    orff_drift made = {
        .rate = 1.0, .pace = 1.0, .tolerance = 1e-6, .mask = orff_mask_default(), .assumed = ""};
    ORFFI_TRY(orff_notes_parse(&notes, orff_model_notes(model), model->d, model->p, 0));
    const orff_status status = fill(model, notes, hours, &made);
    orff_notes_free(notes);
    if (!status) *drift = made;
    return status;
}
