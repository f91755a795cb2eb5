#include "coast.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

/* x and y are the inputs of the plane, or the first two that are not covariates. */
static bool find_axes(cli_coast *coast, const cli_applied *ap) {
    size_t found = 0;
    if (ap->info.on_plane) {
        memcpy(coast->axis, ap->info.plane.inputs, sizeof coast->axis);
        return true;
    }
    for (size_t i = 0; found < 2 && i < ap->info.inputs; i++)
        if (!orff_notes_is_covariate(ap->notes, i)) coast->axis[found++] = i;
    return found == 2;
}

static bool is_degrees(const cli_coast *coast, const cli_applied *ap) {
    const char *units = orff_notes_units(ap->notes, ORFF_SIDE_INPUT, coast->axis[0]);
    return ap->info.on_plane || (units && !strcmp(units, "degrees_east"));
}

/* Open lines enclose no land. */
static int check_rings(const cli_coast *coast, const char *path) {
    const orff_coast lines = fmt_coast_lines(&coast->file);
    size_t rings = 0;
    const int status = cli_outcome(orff_coast_land(&lines, coast->degrees, 0, NULL, NULL, &rings), path);
    if (!status && !rings)
        return cli_failed("%s: none of its lines is closed, so there is no land to leave out; give polygons",
                          path);
    if (!status && rings < coast->file.lines)
        cli_say("%s: %zu of %zu lines are not closed and enclose no land", path, coast->file.lines - rings,
                coast->file.lines);
    return status;
}

int cli_coast_open(cli_coast *coast, const cli_arguments *a, const cli_applied *ap) {
    char message[512] = "";
    *coast = (cli_coast){.given = cli_given(a, CLI_OPT_COAST)};
    if (!coast->given) return CLI_DONE;
    const char *path = cli_text(a, CLI_OPT_COAST);
    if (!find_axes(coast, ap))
        return cli_wrong(a, CLI_OPT_COAST, "a coast needs a model with two inputs that are a position");
    coast->degrees = is_degrees(coast, ap);
    if (!strcmp(path, FMT_NATURAL_EARTH) && !coast->degrees)
        return cli_wrong(a, CLI_OPT_COAST,
                         FMT_NATURAL_EARTH " is in degrees, but the model's inputs are not; fit with --geo "
                                           "lonlat, or give a file in the model's coordinates");
    if (fmt_coast_read(&coast->file, path, message, sizeof message)) return cli_failed("%s", message);
    return check_rings(coast, path);
}

int cli_coast_outline(cli_coast *coast, const cli_applied *ap) {
    char message[512] = "";
    find_axes(coast, ap);
    coast->degrees = true;
    return fmt_coast_read(&coast->file, FMT_NATURAL_EARTH, message, sizeof message)
               ? cli_failed("%s", message)
               : CLI_DONE;
}

void cli_coast_clear(cli_coast *coast) {
    fmt_coast_clear(&coast->file);
}

int cli_coast_land(const cli_coast *coast, size_t d, size_t n, const double *X, bool *land) {
    const orff_coast lines = fmt_coast_lines(&coast->file);
    double *places = cli_more(NULL, 2 * n, sizeof *places);
    for (size_t i = 0; i < 2 * n; i++) places[i] = X[i / 2 * d + coast->axis[i % 2]];
    const int status = cli_outcome(orff_coast_land(&lines, coast->degrees, n, places, land, NULL), NULL);
    free(places);
    return status;
}
