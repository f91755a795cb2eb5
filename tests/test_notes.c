/* Notes: values are read back from their text, invalid ones are refused, units are derived; and a model file
 * from before models stored their plane finds it in its notes. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <unistd.h>

#include "forged.h"
#include "support.h"

static void test_round_trip(void **state) {
    (void)state;
    orff_notes *notes = NULL, *again = NULL;
    const char *text = NULL;
    const bool covariate[3] = {true, false, false};
    const orff_plane plane = {.lon = -70.5, .lat = 39.25};
    orff_plane found;
    double low, high;
    assert_ok(orff_notes_create(&notes, 3, 2));
    assert_null(orff_notes_name(notes, ORFF_SIDE_INPUT, 0));
    assert_ok(orff_notes_set_named(notes, true));
    assert_ok(orff_notes_set_name(notes, ORFF_SIDE_INPUT, 1, "lon"));
    assert_ok(orff_notes_set_units(notes, ORFF_SIDE_OUTPUT, 0, "m s-1"));
    assert_ok(orff_notes_set_standard_name(notes, ORFF_SIDE_OUTPUT, 0, "eastward_wind"));
    assert_ok(orff_notes_set_name(notes, ORFF_SIDE_OUTPUT, 1, "\xff"));
    assert_ok(orff_notes_set_range(notes, 1, -72.0, -68.0));
    assert_ok(orff_notes_set_covariates(notes, covariate));
    assert_ok(orff_notes_set_plane(notes, &plane));
    assert_ok(orff_notes_set_kernel(notes, "div-free", "gaussian", "0.3"));
    assert_ok(orff_notes_set_member(notes, "python", "{\"class\":\"X\"}"));
    assert_ok(orff_notes_text(notes, &text));
    assert_non_null(strstr(text, "\"python\":{\"class\":\"X\"}"));
    assert_ok(orff_notes_parse(&again, text, 3, 2, 0));
    assert_true(orff_notes_named(again) && orff_notes_is_covariate(again, 0) &&
                !orff_notes_is_covariate(again, 1));
    assert_string_equal(orff_notes_name(again, ORFF_SIDE_INPUT, 0), "x1");
    assert_string_equal(orff_notes_name(again, ORFF_SIDE_INPUT, 1), "lon");
    assert_string_equal(orff_notes_name(again, ORFF_SIDE_OUTPUT, 1), "\\xff");
    assert_string_equal(orff_notes_standard_name(again, ORFF_SIDE_OUTPUT, 0), "eastward_wind");
    assert_true(orff_notes_range(again, 1, &low, &high) && low == -72.0 && high == -68.0);
    assert_false(orff_notes_range(again, 0, &low, &high));
    assert_true(orff_notes_plane(again, &found) && found.lon == plane.lon && found.inputs[0] == 1 &&
                found.inputs[1] == 2);
    assert_string_equal(orff_notes_kernel(again, "sigma"), "0.3");
    orff_notes_free(notes);
    orff_notes_free(again);
}

static void test_units(void **state) {
    (void)state;
    orff_notes *notes = NULL;
    char units[32];
    const orff_plane plane = {0};
    assert_ok(orff_notes_create(&notes, 2, 2));
    assert_ok(orff_notes_set_units(notes, ORFF_SIDE_OUTPUT, 0, "m/s"));
    assert_false(orff_notes_derived_units(notes, false, units, sizeof units));
    assert_ok(orff_notes_set_units(notes, ORFF_SIDE_INPUT, 0, "m"));
    assert_ok(orff_notes_set_units(notes, ORFF_SIDE_INPUT, 1, "m"));
    assert_true(orff_notes_derived_units(notes, true, units, sizeof units));
    assert_string_equal(units, "m/s m");
    assert_ok(orff_notes_set_plane(notes, &plane));
    assert_true(orff_notes_derived_units(notes, false, units, sizeof units));
    assert_string_equal(units, "m/s km-1");
    assert_false(orff_notes_derived_units(notes, false, units, 4));
    orff_notes_free(notes);
}

static void test_errors(void **state) {
    (void)state;
    orff_notes *notes = NULL;
    const char *const twice[] = {"a", "b", "a"};
    assert_status(orff_notes_parse(&notes, "{\"inputs\":[]}", 2, 1, 0), ORFF_ERROR_FORMAT);
    assert_says("\"inputs\" names 0 columns; there are 2");
    assert_null(notes);
    assert_ok(orff_notes_parse(&notes, "somebody else's text", 2, 1, 0));
    assert_status(orff_notes_set_range(notes, 0, 2.0, 1.0), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_notes_set_range(notes, 0, 0.0, (double)INFINITY), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_notes_set_name(notes, ORFF_SIDE_OUTPUT, 1, "v"), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_notes_set_labels(notes, 3, twice), ORFF_ERROR_INVALID_ARGUMENT);
    assert_true(orff_notes_labels(notes) == 0);
    assert_ok(orff_notes_set_labels(notes, 2, twice));
    assert_string_equal(orff_notes_label(notes, 1), "b");
    assert_status(orff_notes_set_member(notes, "labels", "[1]"), ORFF_ERROR_INVALID_ARGUMENT);
    assert_true(orff_notes_labels(notes) == 2);
    assert_status(orff_notes_set_member(notes, "own", "{"), ORFF_ERROR_INVALID_ARGUMENT);
    orff_notes_free(notes);
}

/* ---- a file of an older version: no member "plane", and notes that tell it */

static void make_older(const char *path, const char *notes) {
    forged file = {0};
    size_t size;
    unsigned char *bytes = forged_read(path, &size);
    assert_true(forged_take_apart(bytes, size, &file));
    free(bytes);
    assert_int_equal(json_object_del(forged_about(&file), "plane"), 0);
    assert_int_equal(json_object_set_new(forged_about(&file), "notes", json_string(notes)), 0);
    bytes = forged_put_together(&file, &size);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_true(fwrite(bytes, 1, size, out) == size && !fclose(out));
    free(bytes);
    forged_clear(&file);
}

static void test_older_files(void **state) {
    (void)state;
    const double X[6] = {0.0, 0.0, 1.0, 0.5, 0.3, 1.0}, Y[6] = {1.0, 0.0, 0.0, 1.0, 0.5, 0.5};
    orff_settings settings = orff_settings_default();
    orff_part part = orff_part_default();
    orff_model *model = NULL;
    char path[] = "/tmp/orff-notes-XXXXXX";
    settings.n_parts = 1;
    settings.parts = &part;
    settings.lambda = 0.1;
    settings.sampling.features = 5;
    assert_ok(orff_model_fit(&model, &settings, 2, 2, 3, X, Y, NULL));
    assert_ok(orff_model_set_notes(model, "{\"geo\":{\"lon\":5,\"lat\":6}}"));
    close(mkstemp(path));
    assert_ok(orff_model_save(model, path, false));
    orff_model_free(model);
    assert_ok(orff_model_load(&model, path)); /* this file says that there is none */
    assert_false(orff_model_describe(model).on_plane);
    orff_model_free(model);
    make_older(path, "{\"geo\":{\"lon\":5,\"lat\":6}}");
    assert_ok(orff_model_load(&model, path));
    assert_true(orff_model_describe(model).on_plane && orff_model_describe(model).plane.lat == 6.0);
    orff_model_free(model);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_older_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
