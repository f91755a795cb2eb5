/* Any bytes as a coast: read or refused with a message that names the file; what was read gives points and land. */
#include "fuzz_table.h"

#include "formats/coast.h"

static void use(const fmt_coast *coast) {
    const orff_coast lines = fmt_coast_lines(coast);
    const double box[4] = {-10.0, 10.0, -10.0, 10.0}, place[2] = {1.0, 1.0};
    const orff_plane plane = {.lon = 1.0};
    static double rows[4 * 1000];
    size_t n;
    bool land;
    orff_coast_points(&lines, NULL, 1.0, box, 1000, rows, &n);
    orff_coast_points(&lines, &plane, 100.0, box, 1000, rows, &n);
    if (orff_coast_land(&lines, true, 1, place, &land, NULL)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fmt_coast coast;
    char message[512] = "";
    fuzz_write(data, size);
    if (!fmt_coast_read(&coast, fuzz_path, message, sizeof message)) {
        use(&coast);
    } else if (!strstr(message, fuzz_path)) {
        abort();
    }
    fmt_coast_clear(&coast);
    return 0;
}

#ifndef ORFF_FUZZ
int main(void) {
    static const char *const seeds[] = {
        "x,y\n1,2\n3,4\n\n5,6\n7,8\n5,6\n",
        "> a\n1 2\n3 4\nNaN NaN\n-5 6e2\n7 8\n",
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":"
        "\"Polygon\",\"coordinates\":"
        "[[[0,0],[10,0],[10,10],[0,0]],[[1,1],[2,1],[1,2],[1,1]]]}},{\"geometry\":{\"coordinates\":[[1,2],[3,"
        "4]]}}]}",
    };
    static const char likely[] = "[]{}\",:0123456789.-+enula\\> \n";
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
        fuzz_seed(seeds[s], strlen(seeds[s]), 2000, likely, sizeof likely - 1);
    return 0;
}
#endif
