/* Any text at all is taken for the notes of a file: it is refused with what is wrong, or everything that the program reads
 * of notes is there.
 *
 * With libFuzzer: make fuzz, or scripts/fuzz.sh notes. Without it the program runs over seeds of its own and mutations of
 * them, as a test.
 */
#include "cli/notes.h"
#include "cli/notes_check.h"
#include "forged_change.h"
#include "fuzz_seeds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_columns(const json_t *notes, const char *side, size_t count) {
    char *columns = cli_notes_columns(notes, side);
    const bool there = json_object_get(notes, side) != NULL;
    for (size_t i = 0; i < count; i++) {
        const char *units = cli_notes_units(notes, side, i);
        if (there != (cli_notes_name(notes, side, i) != NULL)) abort();
        if (units && strlen(units) > 1 << 24) abort();
    }
    free(columns);
}

static void use(const json_t *notes, const cli_notes_sizes *sizes) {
    double low, high;
    const size_t labels = cli_notes_labels(notes);
    use_columns(notes, "inputs", sizes->inputs);
    use_columns(notes, "outputs", sizes->outputs);
    for (size_t i = 0; i < sizes->inputs; i++)
        if (cli_notes_range(notes, i, &low, &high) && !(low <= high && isfinite(low) && isfinite(high)))
            abort();
    if (labels && labels != sizes->classes) abort();
    for (size_t i = 0; i < labels; i++)
        if (!cli_notes_label(notes, i)) abort();
    if (cli_notes_covariate_count(notes) > sizes->inputs) abort();
    free(cli_notes_derived_units(notes, sizes->inputs, "curl"));
}

/* True when the text is an object that is good for these sizes. */
static bool try_text(const uint8_t *data, size_t size, const cli_notes_sizes *sizes) {
    char problem[256] = "";
    json_t *notes = json_loadb((const char *)data, size, 0, NULL);
    const bool good = cli_notes_check(notes, sizes, problem, sizeof problem);
    if (good == (*problem != '\0')) abort();
    if (good) use(notes, sizes);
    json_decref(notes);
    return good;
}

static const cli_notes_sizes field = {2, 2, 0}, classes = {2, 1, 3}, wide = {5, 2, 0};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_text(data, size, &field);
    try_text(data, size, &classes);
    try_text(data, size, &wide);
    return 0;
}

#ifndef ORFF_FUZZ
static const struct {
    const char *text;
    const cli_notes_sizes *sizes;
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
        for (uint64_t trial = 0; trial < 20000; trial++) try_changed(seeds[s].text, trial);
    }
    return 0;
}
#endif
