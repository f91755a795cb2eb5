/* Any text at all is taken for the notes of a file: it is refused with what is wrong, or everything that is read of notes is
 * there.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh notes. Without it the program runs over seeds of its own and mutations of
 * them, as a test.
 */
#include "forged_change.h"
#include "fuzz_seeds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct sizes {
    size_t inputs, outputs, classes;
} sizes;

static void use_columns(const orff_notes *notes, orff_side side, size_t count) {
    const bool there = orff_notes_name(notes, side, 0) != NULL;
    for (size_t i = 0; i < count; i++) {
        const char *units = orff_notes_units(notes, side, i);
        if (there != (orff_notes_name(notes, side, i) != NULL)) abort();
        if (units && strlen(units) > 1 << 24) abort();
    }
    if (orff_notes_name(notes, side, count)) abort();
}

static void use(const orff_notes *notes, const sizes *s) {
    orff_plane plane;
    char units[64];
    double low, high;
    size_t covariates = 0;
    const size_t labels = orff_notes_labels(notes);
    use_columns(notes, ORFF_SIDE_INPUT, s->inputs);
    use_columns(notes, ORFF_SIDE_OUTPUT, s->outputs);
    for (size_t i = 0; i < s->inputs; i++) {
        covariates += orff_notes_is_covariate(notes, i);
        if (orff_notes_range(notes, i, &low, &high) && !(low <= high && isfinite(low) && isfinite(high)))
            abort();
    }
    if (labels && labels != s->classes) abort();
    for (size_t i = 0; i < labels; i++)
        if (!orff_notes_label(notes, i)) abort();
    if (orff_notes_plane(notes, &plane) &&
        !(fabs(plane.lon) <= 360.0 && fabs(plane.lat) <= 90.0 && s->inputs - covariates >= 2))
        abort();
    orff_notes_derived_units(notes, true, units, sizeof units);
}

/* The text that notes make is read as the same notes. */
static void go_round(orff_notes *notes, const sizes *s) {
    orff_notes *again = NULL;
    const char *text, *other;
    if (orff_notes_text(notes, &text) || orff_notes_parse(&again, text, s->inputs, s->outputs, s->classes) ||
        orff_notes_text(again, &other) || strcmp(text, other) != 0)
        abort();
    orff_notes_free(again);
}

/* True when the text is not refused for these sizes. */
static bool try_text(const uint8_t *data, size_t size, const sizes *s) {
    orff_notes *notes = NULL;
    char *text = calloc(size + 1, 1);
    if (!text) abort();
    memcpy(text, data, size);
    const orff_status status = orff_notes_parse(&notes, text, s->inputs, s->outputs, s->classes);
    if (status && (status != ORFF_ERROR_FORMAT || notes)) abort();
    if (!status) {
        use(notes, s);
        go_round(notes, s);
    }
    orff_notes_free(notes);
    free(text);
    return !status;
}

static const sizes field = {2, 2, 0}, classes = {2, 1, 3}, wide = {5, 2, 0};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_text(data, size, &field);
    try_text(data, size, &classes);
    try_text(data, size, &wide);
    return 0;
}

#ifndef ORFF_FUZZ
static const struct {
    const char *text;
    const sizes *sizes;
} seeds[] = {
    {"{}", &field},
    {"{\"named\":true,\"inputs\":[{\"name\":\"lon\",\"units\":\"degrees_east\",\"low\":-7.5,\"high\":3},{"
     "\"name\":\"lat\"}],"
     "\"outputs\":[{\"name\":\"u\",\"standard_name\":\"eastward_wind\"},{\"name\":\"v\"}],\"covariates\":[],"
     "\"geo\":{\"projection\":\"azimuthal-equidistant\",\"lon\":-70.1,\"lat\":39.2,\"units\":\"km\"}}",
     &field},
    {"{\"named\":false,\"inputs\":[{\"name\":\"x1\"},{\"name\":\"x2\"}],\"outputs\":[{\"name\":\"y\"}],"
     "\"labels\":[\"a\","
     "\"b\",\"\"],\"python\":{\"class\":\"ORFFClassifier\",\"labels\":\"<U1\"}}",
     &classes},
    {"{\"covariates\":[4,2],\"kernel\":{\"kernel\":\"div-free\",\"base\":\"matern52\",\"sigma\":\"0.3\"}}",
     &wide},
};

/* By structure, and by a byte. */
static void try_changed(const char *text, uint64_t trial) {
    uint64_t state = trial;
    json_t *notes = json_loads(text, 0, NULL);
    for (size_t changes = 1 + forged_below(&state, 2); changes--;) forged_change_json(notes, &state);
    char *changed = json_dumps(notes, JSON_COMPACT);
    if (!changed) abort();
    LLVMFuzzerTestOneInput((const uint8_t *)changed, strlen(changed));
    if (*changed) changed[forged_below(&state, strlen(changed))] = (char)forged_random(&state);
    LLVMFuzzerTestOneInput((const uint8_t *)changed, strlen(changed));
    free(changed);
    json_decref(notes);
}

int main(void) {
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        const size_t size = strlen(seeds[s].text);
        if (!try_text((const uint8_t *)seeds[s].text, size, seeds[s].sizes)) {
            fprintf(stderr, "seed %zu was refused\n", s);
            return 1;
        }
        if (fuzz_keep(seeds[s].text, size)) continue;
        for (uint64_t trial = 0; trial < 5000; trial++) try_changed(seeds[s].text, trial);
    }
    return 0;
}
#endif
