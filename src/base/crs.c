#define _POSIX_C_SOURCE 200809L
#include "base/crs.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/status.h"

/* ---- names that are safe to pass to PROJ */

static bool is_code(const char *name) {
    static const char *const authorities[] = {"EPSG:", "ESRI:", "IGNF:"};
    for (size_t i = 0; i < sizeof authorities / sizeof *authorities; i++) {
        const size_t length = strlen(authorities[i]);
        if (strncmp(name, authorities[i], length)) continue;
        const char *code = name + length;
        while (isalnum((unsigned char)*code) || *code == '_') code++;
        return *code == '\0' && code > name + length;
    }
    return false;
}

/* +key or +key=value, in which no key names a file and no value can be a path. */
static bool is_safe_word(const char *word, size_t length) {
    static const char *const keys[] = {"proj", "lat_0", "lon_0", "lat_1", "lat_2",   "lat_ts",
                                       "lonc", "alpha", "gamma", "k",     "k_0",     "x_0",
                                       "y_0",  "zone",  "south", "ellps", "datum",   "a",
                                       "b",    "rf",    "R",     "units", "no_defs", "type"};
    const char *equals = memchr(word, '=', length);
    const size_t key = equals ? (size_t)(equals - word) : length;
    for (size_t i = key; i < length; i++)
        if (!isalnum((unsigned char)word[i]) && !strchr("=+-._", word[i])) return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i]) == key && !memcmp(keys[i], word, key)) return true;
    return false;
}

static bool is_safe_string(const char *name) {
    while (*name) {
        const size_t length = strcspn(name, " ");
        if (length && (*name != '+' || !is_safe_word(name + 1, length - 1))) return false;
        name += length;
        name += strspn(name, " ");
    }
    return true;
}

static orff_status check_name(const char *name) {
    if (strlen(name) >= ORFF_CRS_ROOM)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "crs: the name is longer than %d characters",
                          ORFF_CRS_ROOM - 1);
    if (is_code(name) || (*name == '+' && is_safe_string(name))) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                      "crs: \"%s\" is not the name of a projected coordinate system; expected a code such as "
                      "EPSG:32633, or \"+proj=lcc +lat_0=47 ..\"",
                      name);
}

#ifdef ORFF_HAVE_PROJ
#include <proj.h>
#include <pthread.h>

#define DEGREE          0.017453292519943295
#define TEXT(number)    TEXT_OF(number)
#define TEXT_OF(number) #number
#define STEP            1e-5 /* degrees, about a metre */

/* The system used last. PROJ's objects admit one thread at a time, and creating one takes milliseconds. */
static struct system {
    char name[ORFF_CRS_ROOM];
    PJ_CONTEXT *context;
    PJ *way;      /* from degrees to the system */
    double km;    /* km per unit */
    double a, e2; /* its ellipsoid: semi-major axis in km, squared eccentricity */
} last;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock(void) {
    pthread_mutex_lock(&mutex);
}
static void unlock(void) {
    pthread_mutex_unlock(&mutex);
}
/* A child of fork gets a free lock. */
static void begin(void) {
    pthread_atfork(lock, unlock, unlock);
}

static void silent(void *unused, int level, const char *text) {
    (void)unused;
    (void)level;
    (void)text;
}

static void forget(void) {
    proj_destroy(last.way);
    if (last.context) proj_context_destroy(last.context);
    last = (struct system){0};
}

/* km per unit of the first axis. */
static double unit_km(PJ_CONTEXT *context, const PJ *crs) {
    double metres = 0.0;
    PJ *axes = proj_crs_get_coordinate_system(context, crs);
    if (!axes || !proj_cs_get_axis_info(context, axes, 0, NULL, NULL, NULL, &metres, NULL, NULL, NULL))
        metres = 1.0;
    proj_destroy(axes);
    return metres / 1000.0;
}

static void read_ellipsoid(PJ_CONTEXT *context, const PJ *crs) {
    double a = 6378137.0, b = 6356752.314;
    PJ *ellipsoid = proj_get_ellipsoid(context, crs);
    if (ellipsoid) proj_ellipsoid_get_parameters(context, ellipsoid, &a, &b, NULL, NULL);
    proj_destroy(ellipsoid);
    last.a = a / 1000.0;
    last.e2 = 1.0 - b / a * (b / a);
}

/* PROJ takes its own strings for operations unless they say that they are systems. */
static PJ *create_crs(PJ_CONTEXT *context, const char *name) {
    char text[ORFF_CRS_ROOM + 16] = "";
    strcpy(text, name);
    if (*name == '+' && !strstr(name, "+type=crs")) strcat(text, " +type=crs");
    return proj_create(context, text);
}

/* The transformation from degrees, easting first; NULL if there is none, with the reason in *trouble. */
static PJ *find_way(PJ_CONTEXT *context, const char *name, const char **trouble) {
    PJ *crs = create_crs(context, name), *degrees = proj_create(context, "OGC:CRS84"), *way = NULL,
       *straight = NULL;
    *trouble = "PROJ does not know it";
    if (!degrees) {
        *trouble = "PROJ does not find its database proj.db (Debian: proj-data; or set PROJ_DATA)";
    } else if (crs && proj_get_type(crs) != PJ_TYPE_PROJECTED_CRS) {
        *trouble = "it is no projected system, whose coordinates are lengths in a plane";
    } else if (crs) {
        way = proj_create_crs_to_crs_from_pj(context, degrees, crs, NULL, NULL);
        if (way) straight = proj_normalize_for_visualization(context, way);
        last.km = unit_km(context, crs);
        read_ellipsoid(context, crs);
    }
    proj_destroy(way);
    proj_destroy(degrees);
    proj_destroy(crs);
    return straight;
}

static orff_status open_system(const char *name) {
    const char *trouble;
    if (last.way && !strcmp(last.name, name)) return ORFF_OK;
    forget();
    last.context = proj_context_create();
    if (!last.context) return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for a projection");
    proj_log_func(last.context, NULL, silent);
    proj_context_set_enable_network(last.context, 0);
    last.way = find_way(last.context, name, &trouble);
    if (!last.way)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "crs: \"%s\" cannot be used: %s", name, trouble);
    strcpy(last.name, name);
    return ORFF_OK;
}

/* The place of a point in degrees, km. */
static bool place_of(double lon, double lat, double place[2]) {
    const PJ_COORD found = proj_trans(last.way, PJ_FWD, proj_coord(lon, lat, 0, HUGE_VAL));
    place[0] = found.xy.x * last.km;
    place[1] = found.xy.y * last.km;
    const bool there = isfinite(place[0]) && isfinite(place[1]);
    if (!there) proj_errno_reset(last.way);
    return there;
}

/* The image (2) of a step of 1 km along (east, north), from a small step in each direction. If one of them
 * crosses a cut of the map, the shorter image is the right one. */
static bool image_of_step(double lon, double lat, double east, double north, double km, double image[2]) {
    double here[2], ahead[2], behind[2], forward[2], backward[2];
    if (!place_of(lon, lat, here) || !place_of(lon + STEP * east, lat + STEP * north, ahead) ||
        !place_of(lon - STEP * east, lat - STEP * north, behind))
        return false;
    for (size_t k = 0; k < 2; k++) {
        forward[k] = (ahead[k] - here[k]) / (STEP * km);
        backward[k] = (here[k] - behind[k]) / (STEP * km);
    }
    const double f = hypot(forward[0], forward[1]), b = hypot(backward[0], backward[1]);
    const bool cut = fmax(f, b) > 2.0 * fmin(f, b);
    for (size_t k = 0; k < 2; k++)
        image[k] = !cut ? 0.5 * (forward[k] + backward[k]) : f < b ? forward[k] : backward[k];
    return true;
}

/* Derivatives along east and north on the ellipsoid: J = (xe xn; ye yn). The nearest rotation to J has the
 * angle of (xe + yn, ye - xn); the singular values of J are the scales. */
static bool derivatives(double lon, double lat, double turn[2], double scale[2]) {
    const double s = sin(lat * DEGREE), w = 1.0 - last.e2 * s * s;
    const double north_km = DEGREE * last.a * (1.0 - last.e2) / (w * sqrt(w)),
                 east_km = DEGREE * last.a / sqrt(w) * cos(lat * DEGREE);
    double e[2], n[2];
    if (!image_of_step(lon, lat, 1.0, 0.0, east_km, e) || !image_of_step(lon, lat, 0.0, 1.0, north_km, n))
        return false;
    const double sum = hypot(e[0] + n[1], e[1] - n[0]), difference = hypot(e[0] - n[1], e[1] + n[0]);
    turn[0] = (e[0] + n[1]) / sum;
    turn[1] = (e[1] - n[0]) / sum;
    scale[0] = 0.5 * fabs(sum - difference);
    scale[1] = 0.5 * (sum + difference);
    return isfinite(turn[0]) && isfinite(turn[1]) && isfinite(scale[1]);
}

/* Moves a point off the pole, where there is no east. */
static double off_pole(double lat) {
    return fmax(-89.9999, fmin(89.9999, lat));
}

static orff_status project_point(size_t row, double *lon, double *lat, double *turn, double *scale) {
    const double l = remainder(*lon, 360.0), f = *lat;
    double place[2], t[2] = {1.0, 0.0}, s[2] = {1.0, 1.0};
    if (!place_of(l, f, place) || ((turn || scale) && !derivatives(l, off_pole(f), t, s)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "row %zu at longitude %g, latitude %g cannot be projected to crs \"%s\"", row + 1,
                          *lon, *lat, last.name);
    *lon = place[0];
    *lat = place[1];
    if (turn) memcpy(turn, t, sizeof t);
    if (scale) memcpy(scale, s, sizeof s);
    return ORFF_OK;
}

static orff_status project(const char *name, size_t first, size_t n, size_t stride, double *lon, double *lat,
                           double *turns, double *scales) {
    ORFFI_TRY(open_system(name));
    for (size_t i = 0; i < n; i++) {
        double *turn = turns ? turns + 2 * i : NULL, *scale = scales ? scales + 2 * i : NULL;
        if (turn) memcpy(turn, (double[]){1.0, 0.0}, 2 * sizeof *turn);
        if (isfinite(lon[i * stride]) && isfinite(lat[i * stride]))
            ORFFI_TRY(project_point(first + i, &lon[i * stride], &lat[i * stride], turn, scale));
    }
    return ORFF_OK;
}

const char *orffi_crs_library(void) {
    return "PROJ " TEXT(PROJ_VERSION_MAJOR) "." TEXT(PROJ_VERSION_MINOR);
}

orff_status orffi_crs_check(const char *name) {
    return orffi_crs_project(name, 0, 0, 0, NULL, NULL, NULL, NULL);
}

orff_status orffi_crs_project(const char *name, size_t first, size_t n, size_t stride, double *lon,
                              double *lat, double *turns, double *scales) {
    ORFFI_TRY(check_name(name));
    pthread_once(&once, begin);
    lock();
    const orff_status status = project(name, first, n, stride, lon, lat, turns, scales);
    unlock();
    return status;
}

#else

const char *orffi_crs_library(void) {
    return "no PROJ";
}

orff_status orffi_crs_check(const char *name) {
    ORFFI_TRY(check_name(name));
    return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                      "crs: this orff was built without PROJ; geo lonlat without crs uses a local plane");
}

orff_status orffi_crs_project(const char *name, size_t first, size_t n, size_t stride, double *lon,
                              double *lat, double *turns, double *scales) {
    (void)first, (void)n, (void)stride, (void)lon, (void)lat, (void)turns, (void)scales;
    return orffi_crs_check(name);
}

#endif
