/* Banks in files. */
#include "features/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/memory.h"
#include "sampling/hadamard.h"

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
}

/* ---- laws: base, shape, scales, space */

static bool all_in_order(const orffi_spectrum *law) {
    size_t i = 0;
    while (i < law->space_count && law->space[i] == i) i++;
    return law->space_count == law->dim && i == law->dim;
}

int orffi_law_write(json_t *object, const orffi_spectrum *law) {
    int failed = json_object_set_new(object, "base", json_string(orff_base_name(law->base->id)));
    failed |= json_object_set_new(object, "shape", json_real(law->shape));
    failed |= json_object_set_new(object, "scales", orffi_json_numbers(law->dim, law->scale));
    failed |= json_object_set_new(
        object, "space", all_in_order(law) ? json_null() : orffi_json_sizes(law->space_count, law->space));
    if (law->period)
        failed |= json_object_set_new(object, "periods", orffi_json_numbers(law->dim, law->period));
    if (law->centre)
        failed |= json_object_set_new(object, "wavelengths", orffi_json_numbers(law->dim, law->wavelength));
    return failed;
}

orff_status orffi_law_read_base(const orffi_fields *in, orff_base *base, double *shape) {
    const char *name;
    double unused;
    ORFFI_TRY(orffi_fields_text(in, "base", &name));
    ORFFI_TRY(orffi_fields_blame(in, orff_base_parse(name, base, &unused)));
    return orffi_fields_number(in, "shape", shape);
}

orff_status orffi_law_read_lists(const orffi_fields *in, size_t d, double **scales, size_t *space_count,
                                 size_t **space) {
    ORFFI_TRY(orffi_fields_numbers(in, "scales", d, scales));
    *space_count = d;
    if (!orffi_fields_has(in, "space")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_list(in, "space", space_count));
    return orffi_fields_sizes(in, "space", *space_count, space);
}

static orff_status read_law(const orffi_fields *in, size_t d, orffi_spectrum *law) {
    double shape = 0.0, *scales = NULL, *periods = NULL, *waves = NULL;
    size_t space_count = 0, *space = NULL;
    orff_base base = ORFF_BASE_GAUSSIAN;
    orff_status status = orffi_law_read_base(in, &base, &shape);
    if (!status) status = orffi_law_read_lists(in, d, &scales, &space_count, &space);
    if (!status)
        status =
            orffi_fields_blame(in, orffi_spectrum_init(law, base, shape, d, 0.0, scales, space_count, space));
    if (!status && orffi_fields_has(in, "periods")) {
        status = orffi_fields_numbers(in, "periods", d, &periods);
        if (!status) status = orffi_fields_blame(in, orffi_spectrum_set_periods(law, periods));
    }
    if (!status && orffi_fields_has(in, "wavelengths")) {
        status = orffi_fields_numbers(in, "wavelengths", d, &waves);
        if (!status) status = orffi_fields_blame(in, orffi_spectrum_set_wavelengths(law, waves));
    }
    orffi_release(scales);
    orffi_release(space);
    orffi_release(periods);
    orffi_release(waves);
    return status;
}

/* ---- frequencies: writing */

/* Structured frequencies are not stored as numbers, so the checksum is that of their products with (1, ...,
 * 1). */
static orff_status structured_checksum(const orffi_frequencies *drawn, uint32_t *crc) {
    double *ones = NULL, *products = NULL, *scratch = NULL;
    orff_status status = ORFFI_NEW_ARRAY(ones, drawn->dim);
    if (!status) status = ORFFI_NEW_ARRAY(products, drawn->count);
    if (!status) status = ORFFI_NEW_ARRAY(scratch, orffi_structured_scratch(drawn->structured));
    if (!status) {
        for (size_t i = 0; i < drawn->dim; i++) ones[i] = 1.0;
        orffi_structured_project_double(drawn->structured, 1, ones, products, drawn->count, scratch);
        *crc = orffi_crc32c(*crc, products, drawn->count * sizeof *products);
    }
    orffi_release(ones);
    orffi_release(products);
    orffi_release(scratch);
    return status;
}

static orff_status checksum(const orffi_frequencies *drawn, char text[9]) {
    uint32_t crc = 0;
    if (drawn->structured)
        ORFFI_TRY(structured_checksum(drawn, &crc));
    else
        crc = orffi_crc32c(0, drawn->omega, drawn->count * drawn->dim * sizeof *drawn->omega);
    crc = orffi_crc32c(crc, drawn->weight, drawn->count * sizeof *drawn->weight);
    snprintf(text, 9, "%08" PRIx32, crc);
    return ORFF_OK;
}

static orff_status add_frequencies(const orffi_frequencies *drawn, size_t g, orffi_archive_writer *writer) {
    const size_t shape[2] = {drawn->count, drawn->dim};
    char name[ORFFI_TENSOR_NAME];
    snprintf(name, sizeof name, "%s.%zu", drawn->structured ? "scale" : "omega", g);
    ORFFI_TRY(drawn->structured ? orffi_archive_add(writer, name, ORFFI_F64, 1, shape,
                                                    orffi_structured_scale(drawn->structured))
                                : orffi_archive_add(writer, name, ORFFI_F64, 2, shape, drawn->omega));
    snprintf(name, sizeof name, "weight.%zu", g);
    return orffi_archive_add(writer, name, ORFFI_F64, 1, shape, drawn->weight);
}

/* A grid is small and slow to find again, so it is always stored. */
static bool may_leave_out(const orffi_bank *bank, const orffi_bank_group *group, size_t most) {
    return !bank->given && group->law.base && !orffi_is_quadrature(group->drawn.scheme) &&
           group->drawn.count <= most;
}

static json_t *pack_drawn(const orffi_frequencies *drawn) {
    return json_pack("{sI ss sb sf sb}", "count", (json_int_t)drawn->count, "scheme",
                     orff_scheme_name(drawn->scheme), "importance", (int)drawn->importance, "error",
                     drawn->error, "extent_guessed", (int)drawn->extent_guessed);
}

static json_t *pack_recipe(const orffi_recipe *recipe) {
    return json_pack("{ss sI so sI sb sb sf}", "scheme", orff_scheme_name(recipe->scheme), "count",
                     (json_int_t)recipe->count, "seed", orffi_json_whole(recipe->seed), "stream",
                     (json_int_t)recipe->stream, "importance", (int)recipe->importance, "gradient",
                     (int)recipe->gradient, "tolerance", recipe->tolerance);
}

static orff_status write_group(const orffi_bank *bank, size_t g, size_t most, orffi_archive_writer *writer,
                               json_t *object) {
    const orffi_bank_group *group = &bank->groups[g];
    char crc[9];
    const bool left_out = may_leave_out(bank, group, most);
    ORFFI_TRY(left_out ? checksum(&group->drawn, crc) : add_frequencies(&group->drawn, g, writer));
    int failed = group->law.base ? orffi_law_write(object, &group->law)
                                 : json_object_set_new(object, "base", json_null());
    failed |= json_object_set_new(object, "recipe", pack_recipe(&group->recipe));
    failed |= json_object_set_new(object, "drawn", pack_drawn(&group->drawn));
    failed |= orffi_json_set_text(json_object_get(object, "drawn"), "crc32c", left_out ? crc : NULL);
    return failed ? no_memory() : ORFF_OK;
}

orff_status orffi_bank_write(const orffi_bank *bank, size_t most, orffi_archive_writer *writer,
                             json_t *document) {
    json_t *object =
        json_pack("{sI sb so s[]}", "inputs", (json_int_t)bank->d, "given", (int)bank->given, "extent",
                  bank->extent ? orffi_json_numbers(bank->d, bank->extent) : json_null(), "groups");
    if (json_object_set_new(document, "bank", object)) return no_memory();
    for (size_t g = 0; g < bank->n_groups; g++) {
        json_t *group = json_object();
        if (json_array_append_new(json_object_get(object, "groups"), group)) return no_memory();
        ORFFI_TRY(write_group(bank, g, most, writer, group));
    }
    return ORFF_OK;
}

/* ---- frequencies: reading */

static orff_status read_scheme(const orffi_fields *in, orff_scheme *scheme) {
    const char *name;
    ORFFI_TRY(orffi_fields_text(in, "scheme", &name));
    return orffi_fields_blame(in, orff_scheme_parse(name, scheme));
}

static orff_status read_recipe(const orffi_fields *in, const double *extent, orffi_recipe *recipe) {
    size_t stream;
    ORFFI_TRY(read_scheme(in, &recipe->scheme));
    ORFFI_TRY(orffi_fields_size(in, "count", &recipe->count));
    ORFFI_TRY(orffi_fields_whole(in, "seed", &recipe->seed));
    ORFFI_TRY(orffi_fields_size(in, "stream", &stream));
    ORFFI_TRY(orffi_fields_flag(in, "importance", &recipe->importance));
    ORFFI_TRY(orffi_fields_flag(in, "gradient", &recipe->gradient));
    ORFFI_TRY(orffi_fields_number(in, "tolerance", &recipe->tolerance));
    if (stream > UINT32_MAX) return orffi_fields_fail(in, "stream", "is more than 32 bits hold");
    if (!(recipe->tolerance >= 0.0 && recipe->tolerance < 1.0))
        return orffi_fields_fail(in, "tolerance", "is not at least 0 and below 1");
    recipe->stream = (uint32_t)stream;
    recipe->extent = extent;
    return ORFF_OK;
}

/* Reads everything but the frequencies. */
static orff_status read_drawn(const orffi_fields *in, size_t d, orffi_frequencies *drawn) {
    drawn->dim = d;
    ORFFI_TRY(orffi_fields_size(in, "count", &drawn->count));
    ORFFI_TRY(read_scheme(in, &drawn->scheme));
    ORFFI_TRY(orffi_fields_flag(in, "importance", &drawn->importance));
    ORFFI_TRY(orffi_fields_number(in, "error", &drawn->error));
    ORFFI_TRY(orffi_fields_flag(in, "extent_guessed", &drawn->extent_guessed));
    if (drawn->count == 0) return orffi_fields_fail(in, "count", "is 0; a group has at least one frequency");
    return drawn->error >= 0.0 ? ORFF_OK : orffi_fields_fail(in, "error", "is negative");
}

/* A copy of a tensor of rank 1 or 2, all of whose numbers must be finite. */
static orff_status copy_tensor(const orffi_archive *archive, const char *name, size_t rank,
                               const size_t *shape, double **out) {
    const double *data;
    size_t entries = shape[0];
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, rank, shape, &data));
    ORFFI_TRY(orffi_archive_check_finite(archive, name));
    if (rank == 2) ORFFI_TRY(orffi_multiply(entries, shape[1], &entries));
    return orffi_duplicate(out, data, entries, sizeof *data);
}

/* Frequencies given by the caller may have weight 0. */
static orff_status read_weights(const orffi_archive *archive, const orffi_bank *bank, size_t g,
                                orffi_frequencies *drawn) {
    const size_t shape[1] = {drawn->count};
    char name[ORFFI_TENSOR_NAME];
    snprintf(name, sizeof name, "weight.%zu", g);
    ORFFI_TRY(copy_tensor(archive, name, 1, shape, &drawn->weight));
    for (size_t j = 0; j < drawn->count; j++)
        if (drawn->weight[j] < 0.0 || (drawn->weight[j] == 0.0 && !bank->given))
            return orffi_archive_fail(archive, "weight %zu of \"%s\" is %g; it must be positive", j + 1, name,
                                      drawn->weight[j]);
    return ORFF_OK;
}

static orff_status read_stored(const orffi_archive *archive, const orffi_bank *bank, size_t g,
                               const char *omega, orffi_frequencies *drawn) {
    const size_t shape[2] = {drawn->count, drawn->dim};
    ORFFI_TRY(copy_tensor(archive, omega, 2, shape, &drawn->omega));
    return read_weights(archive, bank, g, drawn);
}

/* Draws a group by its recipe; scheme and importance must match what the file says. */
static orff_status draw_again(const orffi_fields *in, orffi_bank_group *group) {
    const orffi_frequencies told = group->drawn;
    if (!group->law.base)
        return orffi_fields_fail(in, "base", "is null, but the frequencies are not in the file");
    if (orffi_is_quadrature(told.scheme))
        return orffi_fields_fail(in, "drawn", "is a grid, but the frequencies are not in the file");
    ORFFI_TRY(orffi_fields_blame(in, orffi_frequencies_draw(&group->drawn, &group->law, &group->recipe)));
    if (group->drawn.scheme != told.scheme || group->drawn.importance != told.importance)
        return orffi_fields_fail(in, "drawn", "is not what the recipe gives");
    return ORFF_OK;
}

/* Draws the signs again; scales and weights, which depend on rounding, are read from the file. */
static orff_status read_structured(const orffi_fields *in, const orffi_bank *bank, size_t g,
                                   const char *scale, orffi_bank_group *group) {
    const size_t shape[1] = {group->drawn.count};
    double *scales = NULL, *weight = NULL;
    orff_status status = copy_tensor(in->archive, scale, 1, shape, &scales);
    if (!status) status = read_weights(in->archive, bank, g, &group->drawn);
    if (!status) {
        weight = group->drawn.weight;
        group->drawn.weight = NULL;
        status = draw_again(in, group);
    }
    if (!status && !group->drawn.structured) status = orffi_fields_fail(in, "recipe", "is not structured");
    if (!status) {
        memcpy(orffi_structured_scale(group->drawn.structured), scales, shape[0] * sizeof *scales);
        memcpy(group->drawn.weight, weight, shape[0] * sizeof *weight);
    }
    orffi_release(scales);
    orffi_release(weight);
    return status;
}

/* Extreme laws draw frequencies that are not finite, and their checksum matches. */
static orff_status check_finite(const orffi_fields *in, const orffi_frequencies *drawn) {
    if (drawn->omega)
        ORFFI_TRY(
            orffi_fields_blame(in, orffi_check_finite("omega", drawn->count, drawn->dim, drawn->omega)));
    return orffi_fields_blame(in, orffi_check_finite("weight", drawn->count, 1, drawn->weight));
}

static orff_status read_left_out(const orffi_fields *in, size_t most, orffi_bank_group *group) {
    orffi_fields about;
    const char *told;
    char found[9];
    ORFFI_TRY(orffi_fields_object(in, "drawn", &about));
    if (group->drawn.count > most)
        return orffi_fields_fail(&about, "count",
                                 "is more than is drawn again; the file lacks these frequencies");
    ORFFI_TRY(orffi_fields_text(&about, "crc32c", &told));
    ORFFI_TRY(draw_again(in, group));
    ORFFI_TRY(check_finite(in, &group->drawn));
    ORFFI_TRY(checksum(&group->drawn, found));
    if (!strcmp(told, found)) return ORFF_OK;
    return orffi_fields_fail(
        &about, "crc32c",
        "differs from that of the frequencies drawn here: this machine rounds otherwise than the "
        "one that wrote the compact file; write it there again, not compact");
}

static orff_status read_frequencies(const orffi_fields *in, const orffi_bank *bank, size_t g, size_t most,
                                    orffi_bank_group *group) {
    char omega[ORFFI_TENSOR_NAME], scale[ORFFI_TENSOR_NAME];
    snprintf(omega, sizeof omega, "omega.%zu", g);
    snprintf(scale, sizeof scale, "scale.%zu", g);
    if (orffi_archive_has(in->archive, omega)) return read_stored(in->archive, bank, g, omega, &group->drawn);
    if (bank->given)
        return orffi_fields_fail(in, "drawn", "is of given frequencies, which are not in the file");
    if (orffi_archive_has(in->archive, scale)) return read_structured(in, bank, g, scale, group);
    return read_left_out(in, most, group);
}

/* Checks that the frequencies are a possible result of the recipe. Frequencies without a recipe, or derived
 * from a signature, are not checked. */
static orff_status check_recipe(const orffi_fields *in, const orffi_bank *bank,
                                const orffi_bank_group *group) {
    const orffi_recipe *recipe = &group->recipe;
    const orffi_frequencies *drawn = &group->drawn;
    const bool grid = orffi_is_quadrature(drawn->scheme);
    if (bank->given || !group->law.base) return ORFF_OK;
    if (drawn->scheme == ORFF_SCHEME_AUTO ||
        (recipe->scheme != drawn->scheme &&
         ((grid && !group->law.period) || recipe->scheme != ORFF_SCHEME_AUTO)))
        return orffi_fields_fail(in, "drawn", "has not the scheme of the recipe");
    if (grid ? recipe->count && recipe->count < drawn->count : recipe->count != drawn->count)
        return orffi_fields_fail(in, "drawn", "has not the count of the recipe");
    if (drawn->importance != (recipe->importance && !grid))
        return orffi_fields_fail(in, "drawn", "has not the importance of the recipe");
    return ORFF_OK;
}

static orff_status read_group(const orffi_fields *in, const orffi_bank *bank, size_t g, size_t most,
                              orffi_bank_group *group) {
    orffi_fields recipe, drawn;
    if (orffi_fields_has(in, "base")) ORFFI_TRY(read_law(in, bank->d, &group->law));
    ORFFI_TRY(orffi_fields_object(in, "recipe", &recipe));
    ORFFI_TRY(read_recipe(&recipe, bank->extent, &group->recipe));
    ORFFI_TRY(orffi_fields_object(in, "drawn", &drawn));
    ORFFI_TRY(read_drawn(&drawn, bank->d, &group->drawn));
    ORFFI_TRY(check_recipe(in, bank, group));
    return read_frequencies(in, bank, g, most, group);
}

static orff_status read_extent(const orffi_fields *in, orffi_bank *bank) {
    if (!orffi_fields_has(in, "extent")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_numbers(in, "extent", bank->d, &bank->extent));
    for (size_t i = 0; i < bank->d; i++)
        if (bank->extent[i] < 0.0) return orffi_fields_fail(in, "extent", "has a negative entry");
    return ORFF_OK;
}

static orff_status fill_bank(const orffi_fields *in, size_t most, orffi_bank *bank) {
    orffi_fields group;
    ORFFI_TRY(orffi_fields_flag(in, "given", &bank->given));
    ORFFI_TRY(read_extent(in, bank));
    for (size_t g = 0; g < bank->n_groups; g++) {
        ORFFI_TRY(orffi_fields_item(in, "groups", g, &group));
        ORFFI_TRY(read_group(&group, bank, g, most, &bank->groups[g]));
    }
    return orffi_fields_blame(in, orffi_bank_complete(bank));
}

orff_status orffi_bank_read(orffi_bank **out, const orffi_archive *archive, size_t most) {
    const orffi_fields document = orffi_fields_of(archive);
    orffi_fields in;
    orffi_bank *bank = NULL;
    size_t d, n_groups;
    ORFFI_TRY(orffi_fields_object(&document, "bank", &in));
    ORFFI_TRY(orffi_fields_size(&in, "inputs", &d));
    ORFFI_TRY(orffi_fields_list(&in, "groups", &n_groups));
    if (d == 0 || n_groups == 0) return orffi_fields_fail(&in, d ? "groups" : "inputs", "is empty");
    ORFFI_TRY(orffi_bank_create(&bank, d, n_groups));
    const orff_status status = fill_bank(&in, most, bank);
    if (status) {
        orffi_bank_free(bank);
    } else {
        *out = bank;
    }
    return status;
}
