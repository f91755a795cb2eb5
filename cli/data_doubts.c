/* Hints and warnings about columns, before anything is learned from them. */
#include "data_steps.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

bool cli_has_units(const cli_data *data, size_t input, const char *units) {
    const char *own = orff_notes_units(data->notes, ORFF_SIDE_INPUT, input);
    return own && !strcmp(own, units);
}

bool cli_is_on_plane(const cli_arguments *a) {
    const cli_option_id geo = cli_setting("geo"), crs = cli_setting("crs");
    if (!cli_serves(geo, a->command)) return false;
    return cli_given(a, crs) || (cli_given(a, geo) && strcmp(cli_text(a, geo), orff_geo_name(ORFF_GEO_NONE)));
}

void cli_data_say_times(const cli_data *data) {
    for (size_t i = 0; i < data->d; i++) {
        const size_t column = fmt_table_input(data->table, i);
        const char *clock = fmt_table_clock(data->table, column);
        if (fmt_table_is_time(data->table, column))
            cli_say("%s: dates%s%s are counted in %s", fmt_table_name(data->table, column),
                    clock ? ", with times of day from " : "", clock ? clock : "",
                    fmt_table_units(data->table, column));
    }
}

void cli_data_hint_plane(const cli_data *data, const cli_arguments *a) {
    const cli_option_id geo = cli_setting("geo");
    if (!cli_serves(geo, a->command) || cli_given(a, geo) || cli_given(a, cli_setting("crs")) ||
        data->d < 2 || data->p != 2)
        return;
    if (cli_has_units(data, 0, "degrees_east") && cli_has_units(data, 1, "degrees_north"))
        cli_say("%s and %s are degrees; if the outputs are eastward and northward components, add --geo "
                "lonlat to learn in km on a local plane",
                fmt_table_name(data->table, fmt_table_input(data->table, 0)),
                fmt_table_name(data->table, fmt_table_input(data->table, 1)));
}

/* Whether a name or standard name is that of a component along the axes of a model's grid. */
static bool is_along_grid(const char *name) {
    static const char *const parts[] = {"x_wind",      "y_wind",        "_x_velocity",
                                        "_y_velocity", "grid_eastward", "grid_northward"};
    for (size_t i = 0; name && i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* On a grid of longitudes and latitudes the axes do point east and north. */
static bool is_on_axes(const cli_data *data) {
    const char *shape = fmt_table_shape(data->table, fmt_table_input(data->table, 0));
    return shape && *shape && !strchr(shape, ',');
}

void cli_data_warn_grid(const cli_data *data, const cli_arguments *a) {
    const size_t first = data->p == 2 ? fmt_table_output(data->table, 0) : 0;
    if (data->p != 2 || data->d < 2 || is_on_axes(data)) return;
    if (!cli_is_on_plane(a) && !cli_has_units(data, 0, "degrees_east")) return;
    if (is_along_grid(fmt_table_standard_name(data->table, first)) ||
        is_along_grid(fmt_table_name(data->table, first)))
        cli_warn(
            "%s and %s look like components along the axes of a grid, but --geo takes them as eastward and "
            "northward: rotate them by the grid's angle first, or learn in the grid's own coordinates "
            "(metres) without --geo",
            fmt_table_name(data->table, first),
            fmt_table_name(data->table, fmt_table_output(data->table, 1)));
}

int cli_data_refuse_unnamed(const cli_data *data, const cli_arguments *a, const char *option,
                            const char *what) {
    cli_string names = {0};
    const size_t count = fmt_table_columns(data->table), most = 40;
    for (size_t i = 0; i < count && i < most; i++) {
        const char *shape = fmt_table_shape(data->table, i);
        cli_append(&names, "%s%s", i ? ", " : "", fmt_table_name(data->table, i));
        if (shape && *shape) cli_append(&names, "(%s)", shape);
    }
    const int status = cli_wrong_usage(a->command, "--%s is missing: which columns of %s %s? There are %s%s",
                                       option, fmt_table_path(data->table), what,
                                       names.text ? names.text : "none", count > most ? ", .." : "");
    free(names.text);
    return status;
}
