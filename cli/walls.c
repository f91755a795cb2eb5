#include "walls.h"

#include <math.h>
#include <stdlib.h>

#include "formats/coast.h"
#include "report.h"

#define MARGIN 0.25 /* of the range: a coast that bounds the data lies outside them */
#define MOST   2000 /* points of a coast: about as many as the rows of a field that is well known along it */

/* The range of the data with a margin: low x, high x, low y, high y. */
static void find_box(const cli_data *data, double box[4]) {
    for (size_t k = 0; k < 2; k++) {
        box[2 * k] = box[2 * k + 1] = data->X[k];
        for (size_t i = 1; i < data->n; i++) {
            box[2 * k] = fmin(box[2 * k], data->X[i * 2 + k]);
            box[2 * k + 1] = fmax(box[2 * k + 1], data->X[i * 2 + k]);
        }
        const double margin = MARGIN * (box[2 * k + 1] - box[2 * k]);
        box[2 * k] -= margin;
        box[2 * k + 1] += margin;
    }
}

/* About the distance between rows, in the coast's unit of length. */
static double spacing_of(const cli_data *data, const double box[4], bool degrees) {
    const double north = degrees ? 111.2 : 1.0,
                 east = north * (degrees ? cos((box[2] + box[3]) * 0.00872664626) : 1.0);
    const double area = (box[1] - box[0]) * east * (box[3] - box[2]) * north;
    return area > 0.0 ? sqrt(area / (double)data->n) : 1.0;
}

/* Doubles the spacing until the points are few enough. */
static int place(cli_data *data, const orff_coast *coast, const orff_plane *plane, const double box[4],
                 double spacing) {
    int status = CLI_DONE;
    for (data->n_walls = MOST + 1; !status && data->n_walls > MOST; spacing *= 2.0)
        status = cli_outcome(orff_coast_points(coast, plane, spacing, box, 0, NULL, &data->n_walls), NULL);
    spacing /= 2.0;
    data->walls = cli_more(NULL, 4 * (data->n_walls + 1), sizeof *data->walls);
    if (!status)
        status = cli_outcome(
            orff_coast_points(coast, plane, spacing, box, data->n_walls, data->walls, &data->n_walls), NULL);
    if (!status && data->n_walls)
        cli_say("the field does not cross the coast: %zu points of it, %.3g apart", data->n_walls, spacing);
    return status;
}

static int check(const cli_data *data, const cli_arguments *a) {
    if (data->d != 2 || data->p != 2)
        return cli_wrong(a, CLI_OPT_COAST,
                         "needs a field of two components over two inputs, not of %zu over %zu", data->p,
                         data->d);
    if (data->classes) return cli_wrong(a, CLI_OPT_COAST, "is not for classes");
    if (!data->whole)
        return cli_failed("%s: --coast needs all rows in memory; raise --memory",
                          fmt_table_path(data->table));
    return CLI_DONE;
}

int cli_walls_read(cli_data *data, const cli_arguments *a, const orff_settings *settings) {
    static const size_t inputs[2] = {0, 1};
    char message[512] = "";
    double box[4];
    fmt_coast file = {0};
    orff_plane plane;
    if (!cli_given(a, CLI_OPT_COAST)) return CLI_DONE;
    int status = check(data, a);
    if (!status && fmt_coast_read(&file, cli_text(a, CLI_OPT_COAST), message, sizeof message))
        status = cli_failed("%s", message);
    if (!status && settings->geo)
        status = cli_outcome(settings->crs ? orff_plane_of_crs(&plane, settings->crs, 2, inputs)
                                           : orff_plane_around(&plane, 2, inputs, data->n, data->X),
                             NULL);
    if (!status) {
        const orff_coast coast = fmt_coast_lines(&file);
        find_box(data, box);
        status =
            place(data, &coast, settings->geo ? &plane : NULL, box, spacing_of(data, box, settings->geo));
    }
    if (!status && !data->n_walls)
        cli_warn("%s: no part of this coast is near the data, so it has no effect",
                 cli_text(a, CLI_OPT_COAST));
    fmt_coast_clear(&file);
    return status;
}
