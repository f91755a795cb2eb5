/* Coasts of a page: pieces of lines in degrees, near the map. */
#include <math.h>
#include <stdlib.h>

#include "formats/coast.h"
#include "page.h"
#include "report.h"

/* A point of a coast, with its longitude in the range of the map; false if it is elsewhere. */
static bool is_near(const double box[4], const double *point, double *lon) {
    *lon = point[0] + 360.0 * round(((box[0] + box[1]) / 2.0 - point[0]) / 360.0);
    return *lon >= box[0] && *lon <= box[1] && point[1] >= box[2] && point[1] <= box[3];
}

/* Rounds to about a metre, which is not visible. */
static json_t *degrees(double value) {
    return json_real(round(value * 1e5) / 1e5);
}

/* Adds the pieces of one line. A piece continues to the first point outside, so that it crosses the edge. */
static void add_pieces(json_t *list, const double box[4], size_t n, const double *points) {
    json_t *piece = NULL;
    for (size_t i = 0; i < n; i++) {
        double lon, before;
        const bool near = is_near(box, points + 2 * i, &lon);
        if (near && !piece) {
            piece = json_array();
            json_array_append_new(list, piece);
            if (i && !is_near(box, points + 2 * (i - 1), &before) && fabs(before - lon) < 180.0) {
                json_array_append_new(piece, degrees(before));
                json_array_append_new(piece, degrees(points[2 * i - 1]));
            }
        }
        if (!piece) continue;
        json_array_append_new(piece, degrees(lon));
        json_array_append_new(piece, degrees(points[2 * i + 1]));
        if (!near) piece = NULL;
    }
}

int cli_page_coast(const char *path, const double box[4], json_t **list) {
    char message[512] = "";
    fmt_coast file = {0};
    *list = json_array();
    const int status = fmt_coast_read(&file, path ? path : FMT_NATURAL_EARTH, message, sizeof message);
    for (size_t k = 0; !status && k < file.lines; k++)
        add_pieces(*list, box, file.starts[k + 1] - file.starts[k], file.xy + 2 * file.starts[k]);
    fmt_coast_clear(&file);
    return status ? cli_failed("%s", message) : CLI_DONE;
}
