/* The real data sets, if they are present: every row is read, and none is invented. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

typedef struct expectation {
    const char *file, *inputs, *outputs, *fixed;
    uint64_t rows, dropped;
    size_t d, p;
} expectation;

static const expectation tables[] = {
    {"wind/coads_wind_climatology.csv.gz", "lon_deg,lat_deg,month", "u_ms,v_ms", NULL, 107557, 0, 3, 2},
    {"ocean/hfradar_20220221T12.csv.gz", "lon_deg,lat_deg", "u_ms,v_ms", NULL, 5336, 0, 2, 2},
    {"drifters/gladfull.csv", "x_km,y_km", "u_ms,v_ms", NULL, 1183, 0, 2, 2},
    {"drifters/gladsparse.csv", "1-2", "3-4", NULL, 85, 0, 2, 2},
    {"drifters/laserfull.csv", "1-2", "3-4", NULL, 240, 0, 2, 2},
    {"drifters/lasersparse.csv", "1-2", "3-4", NULL, 54, 0, 2, 2},
    {"stations/surface_wind.csv.gz", "lon_deg,lat_deg", "u_ms,v_ms", NULL, 9730, 0, 2, 2},
    {"magnetic/swarm_Concat_A.csv", "Latitude,Longitude,Radius", "N_res,E_res,C_res", NULL, 2880, 0, 3, 3},
    {"piv/soapfilm_1.csv.gz", "x_mm,y_mm", "u_ms,v_ms", NULL, 3969, 0, 2, 2},
    {"piv/soapfilm_2.csv.gz", "x_mm,y_mm", "u_ms,v_ms", NULL, 3969, 0, 2, 2},
    {"multitarget/enb.csv", NULL, "9-10", NULL, 768, 0, 8, 2},
    {"timeseries/macrodata.csv", NULL, NULL, NULL, 203, 0, 14, 0},
    {"timeseries/wind_ireland.csv", "year,month,day", "4-15", NULL, 6574, 0, 3, 12},
#ifdef ORFF_HAVE_NETCDF
    {"wind/coads_climatology.cdf.gz", "COADSX,COADSY,TIME", "UWND,VWND", NULL, 107557, 194400 - 107557, 3, 2},
    {"wind/coads_climatology.cdf.gz", "COADSX,COADSY", "UWND,VWND", "TIME=0", 9736, 16200 - 9736, 2, 2},
    {"ocean/hfr_rtv_midatl_6km_oi_maracoos_2022_02_21_1200.nc", "lon,lat", "u,v", NULL, 5336, 36652 - 5336, 2,
     2},
#endif
    {"mnist/t10k-images-idx3-ubyte.gz", NULL, NULL, NULL, 10000, 0, 784, 0},
    {"mnist/t10k-labels-idx1-ubyte.gz", NULL, NULL, NULL, 10000, 0, 1, 0},
    {"mnist/train-labels-idx1-ubyte.gz", NULL, NULL, NULL, 60000, 0, 1, 0},
};

/* The path of a data set; without it the test is skipped. */
static const char *need(const char *name) {
    const char *path = support_data_path(name);
    if (!path) {
        print_message("%s is not here: skipped\n", name);
        skip();
    }
    return path;
}

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const expectation *e = &tables[i];
        support_case("%s", e->file);
        formats_data data = formats_read(
            need(e->file),
            &(fmt_table_selection){.inputs = e->inputs, .outputs = e->outputs, .fixed = e->fixed});
        assert_int_equal(data.n, e->rows);
        assert_int_equal(fmt_table_dropped(data.table), e->dropped);
        assert_int_equal(data.d, e->d);
        assert_int_equal(data.p, e->p);
        formats_free(&data);
    }
}

static double sum(size_t n, const double *values) {
    double total = 0;
    for (size_t i = 0; i < n; i++) total += values[i];
    return total;
}

#ifdef ORFF_HAVE_NETCDF
/* The same winds and currents as a table and as NetCDF; the tables are rounded to 3 or 4 digits. */
static void test_netcdf_agrees_with_tables(void **state) {
    (void)state;
    static const struct {
        const char *csv, *nc, *inputs, *outputs;
        double worst;
    } pairs[] = {
        {"ocean/hfradar_20220221T12.csv.gz", "ocean/hfr_rtv_midatl_6km_oi_maracoos_2022_02_21_1200.nc",
         "lon,lat", "u,v", 6e-5},
        {"wind/coads_wind_climatology.csv.gz", "wind/coads_climatology.cdf.gz", "COADSX,COADSY,TIME",
         "UWND,VWND", 6e-4},
    };
    for (size_t i = 0; i < 2; i++) {
        support_case("%s", pairs[i].nc);
        formats_data a = formats_read(
            need(pairs[i].csv), &(fmt_table_selection){.inputs = "lon_deg,lat_deg", .outputs = "u_ms,v_ms"});
        formats_data b = formats_read(need(pairs[i].nc), &(fmt_table_selection){.inputs = pairs[i].inputs,
                                                                                .outputs = pairs[i].outputs});
        assert_int_equal(a.n, b.n);
        assert_all_close(a.n * 2, b.Y, a.Y, pairs[i].worst);
        for (size_t r = 0; r < a.n; r++) assert_all_close(2, b.X + r * b.d, a.X + 2 * r, 1e-5);
        formats_free(&a);
        formats_free(&b);
    }
}
#endif

static void test_text_labels(void **state) {
    (void)state;
    formats_data data =
        formats_read(need("stations/surface_wind.csv.gz"),
                     &(fmt_table_selection){.inputs = "3-4", .outputs = "station", .labels = true});
    assert_int_equal(fmt_table_label_count(data.table), 1072);
    assert_string_equal(fmt_table_label(data.table, 0), "YUM");
    formats_free(&data);
    formats_refused(need("stations/surface_wind.csv.gz"), &(fmt_table_selection){.inputs = "station"},
                    ORFF_ERROR_FORMAT, "line 2, column 1 (station)", "\"YUM\" is not a number", NULL);
}

static void test_mnist_pair(void **state) {
    (void)state;
    fmt_table *x, *y, *pair;
    assert_int_equal(fmt_table_open(&x, need("mnist/t10k-images-idx3-ubyte.gz"), NULL), 0);
    assert_int_equal(fmt_table_open(&y, need("mnist/t10k-labels-idx1-ubyte.gz"), NULL), 0);
    assert_int_equal(fmt_table_pair(&pair, x, y), 0);
    assert_int_equal(fmt_table_select(pair, &(fmt_table_selection){.labels = true}), 0);
    assert_int_equal(fmt_table_inputs(pair), 784);
    assert_int_equal(fmt_table_rows(pair), 10000);
    double *X = malloc(10000 * 784 * sizeof *X), *Y = malloc(10000 * sizeof *Y);
    assert_true(X && Y);
    size_t rows;
    assert_int_equal(fmt_table_read(pair, 10000, X, Y, NULL, &rows), 0);
    assert_int_equal(rows, 10000);
    assert_close(sum(10000 * 784, X), 264923200.0, 0.0);
    size_t order[10];
    assert_int_equal(fmt_table_label_count(pair), 10);
    assert_int_equal(fmt_table_sort_labels(pair, order), 0);
    double total = 0;
    for (size_t i = 0; i < rows; i++) total += (double)order[(size_t)Y[i]];
    assert_close(total, 44434.0, 0.0);
    fmt_table_close(pair);
    free(X);
    free(Y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
#ifdef ORFF_HAVE_NETCDF
        cmocka_unit_test(test_netcdf_agrees_with_tables),
#endif
        cmocka_unit_test(test_text_labels),
        cmocka_unit_test(test_mnist_pair),
    };
    return cmocka_run_group_tests(tests, formats_set_up, formats_tear_down);
}
