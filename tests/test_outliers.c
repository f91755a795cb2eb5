/* Rows far from all their neighbours: they are found, reported, and left out on request; none is found where
 * there are none. */
#define _XOPEN_SOURCE 700

#include <unistd.h>

#include "fields.h"
#include "model/outliers.h"

enum { ROWS = 400, NEW = 300, EVERY = 40 };

static void smooth(const double *x, double *y) {
    y[0] = sin(3.0 * x[0]) * cos(2.0 * x[1]);
    y[1] = cos(2.0 * x[0] + x[1]);
}

/* A step between two rows is none. */
static void step(const double *x, double *y) {
    y[0] = x[0] + 0.5 * x[1] > 0.1 ? 1.0 : -1.0;
    y[1] = x[1] > 0.0 ? x[1] : 0.0;
}

/* Every 40th row, from the eighth on, has an error of 20 in its first output. */
static fields_rows draw_spoiled(double error) {
    fields_rows rows = fields_draw(smooth, ROWS, 2, 2, 0.1, 3);
    for (size_t i = 7; i < ROWS; i += EVERY) rows.Y[2 * i] += i % 80 == 7 ? error : -error;
    return rows;
}

static double rmse(const orff_model *model) {
    fields_rows at = fields_draw(smooth, NEW, 2, 2, 0.0, 4);
    double F[2 * NEW], sum = 0.0;
    assert_ok(orff_model_predict(model, NEW, at.X, F));
    for (size_t i = 0; i < 2 * NEW; i++) sum += pow(F[i] - at.truth[i], 2.0) / (2 * NEW);
    fields_free(&at);
    return sqrt(sum);
}

static orff_observations observed(const fields_rows *rows, size_t d, const double *X) {
    return (orff_observations){.d = d, .p = rows->p, .n = rows->n, .X = X, .Y = rows->Y};
}

/* Those that were spoiled and no others, in one to six inputs, and where outputs are missing. */
static void are_found(void **state) {
    (void)state;
    for (size_t d = 1; d <= 6; d += d < 3 ? 1 : 3) {
        fields_rows rows = fields_draw(smooth, ROWS, d < 2 ? 2 : d, 2, 0.1, d);
        double *X = support_zeros(ROWS * d);
        orffi_outliers found;
        for (size_t i = 0; i < ROWS * d; i++) X[i] = rows.X[i / d * rows.d + i % d];
        for (size_t i = 0; d > 1 && i < ROWS; i += 5) rows.Y[2 * i + 1] = NAN;
        for (size_t i = 7; i < ROWS; i += EVERY) rows.Y[2 * i] += 20.0;
        const orff_observations o = observed(&rows, d, X);
        assert_ok(orffi_outliers_find(&found, &o, NULL, 0.5));
        assert_int_equal(found.count, ROWS / EVERY);
        assert_true(found.share > 0.5 && found.share <= 1.0);
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(found.out[i], i % EVERY == 7);
        orffi_outliers_clear(&found);
        free(X);
        fields_free(&rows);
    }
}

static void are_not_found_where_there_are_none(void **state) {
    const fields_truth truths[] = {smooth, step};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        fields_rows rows = fields_draw(truths[k], ROWS, 2, 2, 0.1, 5);
        orffi_outliers found;
        const orff_observations o = observed(&rows, 2, rows.X);
        assert_ok(orffi_outliers_find(&found, &o, NULL, 0.0));
        assert_int_equal(found.count, 0);
        orffi_outliers_clear(&found);
        fields_free(&rows);
    }
}

/* Every fifth row is measured ten times worse, and every third has an offset: these are no mistakes, others are. */
static void known_differences_are_none(void **state) {
    (void)state;
    for (size_t which = 0; which < 3; which++) {
        fields_rows rows = fields_draw(smooth, ROWS, 2, 2, which < 2 ? 0.02 : 0.1, 6);
        double errors[2 * ROWS];
        uint32_t instruments[ROWS];
        uint64_t offsets[ROWS];
        orff_observations o = observed(&rows, 2, rows.X);
        orffi_outliers found;
        for (size_t i = 0; i < 2 * ROWS; i++) {
            const bool bad = which < 2 && i / 2 % 5 == 0;
            rows.Y[i] += bad ? 50.0 * (rows.Y[i] - rows.truth[i]) : 0.0;
            errors[i] = bad ? 5.1 : 0.1; /* right but for a factor */
            instruments[i / 2] = bad;
            offsets[i / 2] = i / 2 % 3 == 0;
            if (which == 2 && i / 2 % 3 == 0) rows.Y[i] += 4.0;
        }
        for (size_t i = 7; i < ROWS; i += EVERY) rows.Y[2 * i] += 20.0;
        assert_ok(orffi_outliers_find(&found, &o, NULL, 0.0));
        assert_true(found.count > 2 * ROWS / EVERY);
        orffi_outliers_clear(&found);
        if (which == 0) o.errors = errors;
        if (which == 1) o.instruments = instruments;
        assert_ok(orffi_outliers_find(&found, &o, which == 2 ? offsets : NULL, 0.0));
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(found.out[i], i % EVERY == 7);
        orffi_outliers_clear(&found);
        fields_free(&rows);
    }
}

static bool stop(void *self, const char *task, double done, double total) {
    (void)self, (void)done, (void)total;
    return strstr(task, "outliers") == NULL;
}

/* Of many inputs all pairs of rows are compared, which may take long. */
static void search_may_be_stopped(void **state) {
    (void)state;
    fields_rows rows = fields_draw(smooth, ROWS, 5, 2, 0.1, 7);
    const orff_observations o = observed(&rows, 5, rows.X);
    const orff_hooks hooks = {.progress = stop};
    orffi_outliers found;
    orff_set_hooks(&hooks);
    assert_int_equal(orffi_outliers_find(&found, &o, NULL, 0.0), ORFF_ERROR_CANCELLED);
    orff_set_hooks(NULL);
    orffi_outliers_clear(&found);
    fields_free(&rows);
}

/* A row that no fit takes is named by its number among all rows. */
static void rows_keep_their_numbers(void **state) {
    (void)state;
    fields_rows rows = draw_spoiled(20.0);
    double weights[ROWS];
    orff_settings settings = orff_settings_default();
    orff_model *model = NULL;
    for (size_t i = 0; i < ROWS; i++) weights[i] = i == 200 ? -1.0 : 1.0;
    settings.drop_outliers = true;
    assert_int_equal(orff_model_fit(&model, &settings, 2, 2, ROWS, rows.X, rows.Y, weights),
                     ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "row 201 "));
    rows.X[400] = 1e150;
    assert_int_equal(orff_model_fit(&model, &settings, 2, 2, ROWS, rows.X, rows.Y, NULL),
                     ORFF_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(orff_error_message(), "row 201,"));
    fields_free(&rows);
}

/* The warning names them, also in a file; a fit without them is as good as one of rows that were never spoiled. */
static void are_named_and_dropped(void **state) {
    char path[] = "/tmp/orff_outliers_XXXXXX";
    orff_settings settings = orff_settings_default();
    fields_rows rows = draw_spoiled(20.0), plain = draw_spoiled(0.0);
    orff_model *spoiled = fields_fit(&settings, &rows), *clean = fields_fit(&settings, &plain), *read;
    (void)state;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(orff_model_describe(spoiled).warnings & ORFF_WARN_OUTLIERS);
    assert_non_null(
        strstr(orff_model_describe(spoiled).warning, "10 of 400 rows (counted from 1: 8, 48, 88, "));
    assert_false(orff_model_describe(clean).warnings & ORFF_WARN_OUTLIERS);
    assert_ok(orff_model_save(spoiled, path, false));
    assert_ok(orff_model_load(&read, path));
    unlink(path);
    assert_string_equal(orff_model_describe(read).warning, orff_model_describe(spoiled).warning);
    settings.drop_outliers = true;
    orff_model *dropped = fields_fit(&settings, &rows);
    assert_int_equal(orff_model_describe(dropped).rows, ROWS - ROWS / EVERY);
    assert_false(orff_model_describe(dropped).warnings & ORFF_WARN_OUTLIERS);
    print_message("rmse %.3f with them, %.4f without, %.4f of clean rows\n", rmse(spoiled), rmse(dropped),
                  rmse(clean));
    assert_true(rmse(dropped) < 1.2 * rmse(clean) && rmse(spoiled) > 3.0 * rmse(clean));
    orff_model *models[] = {spoiled, clean, read, dropped};
    for (size_t i = 0; i < 4; i++) orff_model_free(models[i]);
    fields_free(&rows);
    fields_free(&plain);
}

/* What goes with the rows: weights, errors, instruments, groups, and in every candidate. */
static void what_belongs_to_rows_stays_with_them(void **state) {
    fields_rows rows = draw_spoiled(20.0);
    double weights[ROWS], errors[2 * ROWS];
    uint32_t instruments[ROWS];
    uint64_t groups[ROWS], others[ROWS];
    orff_settings s[2] = {orff_settings_default(), orff_settings_default()};
    orffi_without_outliers left;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        weights[i] = errors[2 * i] = errors[2 * i + 1] = (double)i + 1.0;
        instruments[i] = (uint32_t)i;
        groups[i] = i;
        others[i] = ROWS - i;
    }
    s[0].drop_outliers = s[1].drop_outliers = true;
    s[0].groups = groups;
    s[1].groups = others;
    const orff_observations o = {.d = 2,
                                 .p = 2,
                                 .n = ROWS,
                                 .X = rows.X,
                                 .Y = rows.Y,
                                 .weights = weights,
                                 .errors = errors,
                                 .instruments = instruments};
    assert_ok(orffi_outliers_drop(&left, 2, s, &o));
    assert_int_equal(left.rows.n, ROWS - ROWS / EVERY);
    assert_false(left.settings[0].drop_outliers || left.settings[1].drop_outliers);
    for (size_t i = 0, at = 0; i < ROWS; i++) {
        if (i % EVERY == 7) continue;
        assert_memory_equal(left.rows.X + 2 * at, rows.X + 2 * i, 2 * sizeof(double));
        assert_memory_equal(left.rows.Y + 2 * at, rows.Y + 2 * i, 2 * sizeof(double));
        assert_true(left.rows.weights[at] == weights[i] && left.rows.errors[2 * at + 1] == weights[i]);
        assert_true(left.rows.instruments[at] == i && left.settings[0].groups[at] == i);
        assert_true(left.settings[1].groups[at++] == ROWS - i);
    }
    assert_null(left.settings[1].offset_groups);
    orffi_without_outliers_clear(&left);
    for (size_t i = 0; i < ROWS; i++) others[i] = i % 2;
    s[0].offset_groups = others;
    assert_ok(orffi_outliers_drop(&left, 1, s, &o));
    for (size_t i = 0, at = 0; i < ROWS; i++)
        if (i % EVERY != 7) assert_true(left.settings[0].offset_groups[at++] == i % 2);
    orffi_without_outliers_clear(&left);
    fields_free(&rows);
}

static int no_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    (void)self, (void)room, (void)X, (void)Y, (void)weights;
    *rows = 0;
    return 0;
}

static void are_refused_where_rows_are_not_alike(void **state) {
    orff_settings s = orff_settings_default();
    orff_model *model = NULL;
    const double X[2] = {0.0, 1.0}, Y[2] = {0.0, 1.0}, e[2] = {1.0, 1.0};
    const orff_observations directed = {.d = 1, .p = 1, .n = 2, .X = X, .Y = Y, .directions = e};
    const orff_reader reader = {.read = no_rows};
    (void)state;
    s.drop_outliers = true;
    assert_int_equal(orff_model_fit_observations(&model, &s, &directed), ORFF_ERROR_UNSUPPORTED);
    assert_int_equal(orff_model_fit_stream(&model, &s, 1, 1, &reader), ORFF_ERROR_UNSUPPORTED);
    orff_settings some[2] = {orff_settings_default(), s};
    double scores[2];
    size_t best;
    assert_int_equal(orff_model_tune(&model, 2, some, 1, 1, 2, X, Y, NULL, scores, &best),
                     ORFF_ERROR_UNSUPPORTED);
    s.classes = 2;
    assert_int_equal(orff_model_fit(&model, &s, 1, 1, 2, X, Y, NULL), ORFF_ERROR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_found),
                                       cmocka_unit_test(are_not_found_where_there_are_none),
                                       cmocka_unit_test(known_differences_are_none),
                                       cmocka_unit_test(search_may_be_stopped),
                                       cmocka_unit_test(rows_keep_their_numbers),
                                       cmocka_unit_test(are_named_and_dropped),
                                       cmocka_unit_test(what_belongs_to_rows_stays_with_them),
                                       cmocka_unit_test(are_refused_where_rows_are_not_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
