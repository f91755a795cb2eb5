/* Names, units, plane and coast of a page. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "page.h"

static json_t *column(const cli_view *f, orff_side side, size_t i) {
    const orff_notes *notes = f->applied.notes;
    json_t *object = json_pack("{s:o, s:o}", "name", cli_page_text(orff_notes_name(notes, side, i)), "units",
                               cli_page_text(orff_notes_units(notes, side, i)));
    if (side == ORFF_SIDE_OUTPUT) {
        const double noise = f->applied.info.noise[i];
        json_object_set_new(object, "noise", isfinite(noise) ? json_real(noise) : json_null());
        return object;
    }
    json_object_set_new(object, "covariate", json_boolean(orff_notes_is_covariate(notes, i)));
    json_object_set_new(object, "low", json_real(f->low[i]));
    json_object_set_new(object, "high", json_real(f->high[i]));
    return object;
}

static json_t *columns(const cli_view *f, orff_side side, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, column(f, side, i));
    return list;
}

static bool has_units(const cli_view *f, size_t axis, const char *expected) {
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, f->axis[axis]);
    return units && !strcmp(units, expected);
}

int cli_view_plane(cli_view *f) {
    const orff_plane *plane = &f->applied.info.plane;
    const size_t *at = plane->inputs;
    json_t *object = NULL;
    f->degrees = has_units(f, 0, "degrees_east") && has_units(f, 1, "degrees_north");
    if (!f->applied.info.on_plane) return CLI_DONE;
    double low[2] = {f->low[at[0]], f->low[at[1]]}, high[2] = {f->high[at[0]], f->high[at[1]]};
    const int status = cli_page_plane(plane, low, high, f->box, &object);
    for (size_t k = 0; k < 2; k++) {
        f->low[at[k]] = low[k];
        f->high[at[k]] = high[k];
    }
    json_object_set_new(f->object, "plane", object);
    return status;
}

/* The shortest length scale of each input, which determines how fine the page must draw. */
static json_t *details(const cli_view *f) {
    json_t *list = json_array();
    for (size_t i = 0; i < f->d; i++) {
        double least = INFINITY;
        for (size_t m = 0; m < f->applied.info.parts; m++) {
            orff_part part;
            if (!orff_model_part(f->applied.model, m, &part) && part.sigmas && part.sigmas[i] > 0.0)
                least = fmin(least, part.sigmas[i]);
        }
        json_array_append_new(list, isfinite(least) ? json_real(least) : json_null());
    }
    return list;
}

void cli_view_names(cli_view *f) {
    const orff_model_info *info = &f->applied.info;
    const char *path = f->arguments->words[0], *slash = strrchr(path, '/');
    char *turn = cli_notes_derived_units(f->applied.notes, "curl");
    json_object_set_new(f->object, "title", cli_page_text(slash ? slash + 1 : path));
    json_object_set_new(f->object, "version", json_string(orff_version()));
    json_object_set_new(f->object, "kernel", cli_page_text(info->kernel));
    json_object_set_new(f->object, "engine", json_string(orff_engine_name(info->engine)));
    json_object_set_new(f->object, "rows", json_integer((json_int_t)info->rows));
    json_object_set_new(f->object, "inputs", columns(f, ORFF_SIDE_INPUT, f->d));
    json_object_set_new(f->object, "outputs", columns(f, ORFF_SIDE_OUTPUT, f->p));
    json_object_set_new(f->object, "axes",
                        json_pack("[I, I]", (json_int_t)f->axis[0], (json_int_t)f->axis[1]));
    json_object_set_new(f->object, "vector", json_boolean(f->vector));
    json_object_set_new(f->object, "degrees", json_boolean(f->degrees));
    json_object_set_new(f->object, "length", cli_page_text(orff_notes_length_units(f->applied.notes)));
    json_object_set_new(f->object, "slope_units", cli_page_text(turn));
    json_object_set_new(f->object, "details", details(f));
    free(turn);
}

int cli_view_coast(cli_view *f) {
    const orff_model_info *info = &f->applied.info;
    const bool given = cli_given(f->arguments, CLI_OPT_COAST);
    json_t *list = NULL;
    double box[4];
    if (!info->on_plane && !f->degrees)
        return given ? cli_wrong(f->arguments, CLI_OPT_COAST,
                                 "is for pages of models in degrees (--geo lonlat)")
                     : CLI_DONE;
    for (size_t k = 0; k < 2; k++) {
        const size_t at = info->on_plane ? info->plane.inputs[k] : f->axis[k];
        const double about = f->high[at] - f->low[at];
        box[2 * k] = f->low[at] - about;
        box[2 * k + 1] = f->high[at] + about;
    }
    const int status = cli_page_coast(given ? cli_text(f->arguments, CLI_OPT_COAST) : NULL, box, &list);
    json_object_set_new(f->object, "coast", list);
    return status;
}
