/* Any NetCDF file that can be: the bytes choose dimensions, types, attributes (of the right kind or not)
 * and values, the file is made by netcdf-c, and read; see fuzz_table.h. Bytes that are no NetCDF file at
 * all are the business of netcdf-c, save for the first few. */
#include "fuzz_table.h"

#ifdef ORFF_HAVE_NETCDF
#include <netcdf.h>
#include <netcdf_mem.h>

#include "formats/source.h"

/* In this process, where the fuzzer sees what is covered. */
static void fuzz_bare(const fmt_table_selection *selection) {
    fmt_table *table = fmt_table_make(fuzz_path);
    if (!table) abort();
    table->source = &fmt_source_netcdf_bare;
    fuzz_opened(table, table->source->open(table), selection);
}

/* Bytes that choose; zeros when they are used up. */
typedef struct chooser {
    const uint8_t *data;
    size_t size;
} chooser;

static unsigned choose(chooser *c, unsigned count) {
    if (c->size == 0) return 0;
    c->size--;
    return *c->data++ % count;
}

static double choose_number(chooser *c) {
    static const double numbers[] = {0,   1,  -1, 0.5, 100, -999, 1e30, -1e300, 9.9692099683868690e+36,
                                     255, 3e9};
    if (choose(c, 8) == 0) return (double)NAN;
    return numbers[choose(c, sizeof numbers / sizeof *numbers)];
}

/* Some attribute that the reader looks at, of some type and length. Files may not have it: codes are of no
 * interest. */
static void choose_attribute(chooser *c, int file, int variable) {
    static const char *const names[] = {"_FillValue",  "missing_value", "scale_factor", "add_offset",
                                        "valid_range", "valid_min",     "valid_max",    "units",
                                        "_Unsigned",   "standard_name", "calendar"};
    static const char *const texts[] = {"true", "days since 2000-01-01", "s since 1-1-1 0:0", "360_day"};
    static const nc_type types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE};
    const char *name = names[choose(c, sizeof names / sizeof *names)];
    const unsigned length = choose(c, 30);
    double values[30];
    for (unsigned i = 0; i < 30; i++) values[i] = i < length ? choose_number(c) : 0;
    if (choose(c, 3) == 0) {
        const char *text = texts[choose(c, 4)];
        nc_put_att_text(file, variable, name, length < strlen(text) ? length : strlen(text), text);
    } else {
        nc_put_att_double(file, variable, name, types[choose(c, 5)], length, values);
    }
}

static void choose_variable(chooser *c, int file, int n_dimensions, const char *name) {
    static const nc_type types[] = {NC_BYTE, NC_CHAR, NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE};
    int dimensions[4] = {0}, variable;
    const int rank = (int)choose(c, 4);
    for (int k = 0; k < rank; k++) dimensions[k] = (int)choose(c, (unsigned)n_dimensions);
    if (nc_def_var(file, name, types[choose(c, 6)], rank, dimensions, &variable)) return;
    for (unsigned i = choose(c, 4); i > 0; i--) choose_attribute(c, file, variable);
}

static void choose_values(chooser *c, int file) {
    int count = 0;
    if (nc_inq_nvars(file, &count)) return;
    for (int v = 0; v < count; v++) {
        double values[512];
        const size_t step = 1 + choose(c, 3);
        for (size_t i = 0; i < 512; i++) values[i] = i % step ? (double)i : choose_number(c);
        nc_put_var_double(file, v, values);
    }
}

/* A file of at most 4 dimensions of at most 7, so that no variable has more than 343 values. Nothing when
 * netcdf-c will not have it. */
static void make_file(chooser *c, NC_memio *memory) {
    static const char *const dimensions[] = {"x", "y", "z", "t"};
    static const char *const variables[] = {"x", "y", "u", "v"};
    int file, dimension;
    if (nc_create_mem("fuzz", 0, 4096, &file)) abort();
    const int n = 1 + (int)choose(c, 4);
    for (int k = 0; k < n; k++) nc_def_dim(file, dimensions[k], 1 + choose(c, 7), &dimension);
    for (int v = 0; v < 4; v++) choose_variable(c, file, n, variables[v]);
    if (nc_enddef(file)) {
        nc_abort(file);
        return;
    }
    choose_values(c, file);
    if (nc_close_memio(file, memory)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const fmt_table_selection selections[] = {
        {.inputs = "1"},
        {.inputs = "x,y", .outputs = "u,v"},
        {.inputs = "x,y", .outputs = "u", .fixed = "t=0,z=0"},
        {.inputs = "x", .outputs = "y", .weights = "u", .fixed = "x=1"},
        {.inputs = "x,y", .outputs = "u", .fixed = "t=0:2,x=1:"},
        {.inputs = "y", .outputs = "x", .labels = true},
    };
    chooser c = {data, size};
    NC_memio memory = {0};
    make_file(&c, &memory);
    if (!memory.memory) return 0;
    fuzz_write(memory.memory, memory.size);
    free(memory.memory);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) fuzz_bare(&selections[i]);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const fmt_table_selection everything = {0};
    fuzz_write(data, size);
    fuzz_table(FMT_FORMAT_NETCDF, &everything);
    return 0;
}
#endif

#ifndef ORFF_FUZZ
int main(void) {
    const orffi_rng rng = {.seed = 4};
    uint8_t seed[200];
    for (uint64_t s = 0; s < 20; s++) {
        for (size_t i = 0; i < sizeof seed; i++) seed[i] = (uint8_t)orffi_rng_bits(rng, s, (uint32_t)i);
        fuzz_seed(seed, sizeof seed, 30, "\0\1\2", 3);
    }
    return 0;
}
#endif
