/* Banks in files. */
#include "features/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/memory.h"
#include "sampling/hadamard.h"

static orff_status no_memory(void) {
    return orff_fail(ORFF_NO_MEMORY, "no memory for the document of a file");
}

/* ---- laws: base, shape, scales, space */

static bool all_in_order(const orff_spectrum *law) {
    size_t i = 0;
    while (i < law->space_count && law->space[i] == i) i++;
    return law->space_count == law->dim && i == law->dim;
}

int orff_law_write(json_t *object, const orff_spectrum *law) {
    int failed = json_object_set_new(object, "base", json_string(law->base->name));
    failed |= json_object_set_new(object, "shape", json_real(law->shape));
    failed |= json_object_set_new(object, "scales", orff_json_numbers(law->dim, law->scale));
    failed |= json_object_set_new(
        object, "space", all_in_order(law) ? json_null() : orff_json_sizes(law->space_count, law->space));
    return failed;
}

orff_status orff_law_read_base(const orff_fields *in, orff_base *base, double *shape) {
    const char *name;
    double unused;
    ORFF_TRY(orff_fields_text(in, "base", &name));
    ORFF_TRY(orff_fields_blame(in, orff_base_parse(name, base, &unused)));
    return orff_fields_number(in, "shape", shape);
}

orff_status orff_law_read_lists(const orff_fields *in, size_t d, double **scales, size_t *space_count,
                                size_t **space) {
    ORFF_TRY(orff_fields_numbers(in, "scales", d, scales));
    *space_count = d;
    if (!orff_fields_has(in, "space")) return ORFF_OK;
    ORFF_TRY(orff_fields_list(in, "space", space_count));
    return orff_fields_sizes(in, "space", *space_count, space);
}

static orff_status read_law(const orff_fields *in, size_t d, orff_spectrum *law) {
    double shape = 0.0, *scales = NULL;
    size_t space_count = 0, *space = NULL;
    orff_base base = ORFF_GAUSSIAN;
    orff_status status = orff_law_read_base(in, &base, &shape);
    if (!status) status = orff_law_read_lists(in, d, &scales, &space_count, &space);
    if (!status)
        status =
            orff_fields_blame(in, orff_spectrum_init(law, base, shape, d, 0.0, scales, space_count, space));
    orff_release(scales);
    orff_release(space);
    return status;
}

/* ---- frequencies: writing */

/* Structured frequencies are not there as numbers: their products with (1, ..., 1) stand for them. */
static orff_status structured_checksum(const orff_frequencies *drawn, uint32_t *crc) {
    double *ones = NULL, *products = NULL, *scratch = NULL;
    orff_status status = ORFF_NEW_ARRAY(ones, drawn->dim);
    if (!status) status = ORFF_NEW_ARRAY(products, drawn->count);
    if (!status) status = ORFF_NEW_ARRAY(scratch, orff_structured_scratch(drawn->structured));
    if (!status) {
        for (size_t i = 0; i < drawn->dim; i++) ones[i] = 1.0;
        orff_structured_project_double(drawn->structured, 1, ones, products, drawn->count, scratch);
        *crc = orff_crc32c(*crc, products, drawn->count * sizeof *products);
    }
    orff_release(ones);
    orff_release(products);
    orff_release(scratch);
    return status;
}

static orff_status checksum(const orff_frequencies *drawn, char text[9]) {
    uint32_t crc = 0;
    if (drawn->structured)
        ORFF_TRY(structured_checksum(drawn, &crc));
    else
        crc = orff_crc32c(0, drawn->omega, drawn->count * drawn->dim * sizeof *drawn->omega);
    crc = orff_crc32c(crc, drawn->weight, drawn->count * sizeof *drawn->weight);
    snprintf(text, 9, "%08" PRIx32, crc);
    return ORFF_OK;
}

static orff_status add_frequencies(const orff_frequencies *drawn, size_t g, orff_archive_writer *writer) {
    const size_t shape[2] = {drawn->count, drawn->dim};
    char name[ORFF_TENSOR_NAME];
    snprintf(name, sizeof name, "%s.%zu", drawn->structured ? "scale" : "omega", g);
    ORFF_TRY(drawn->structured ? orff_archive_add(writer, name, ORFF_F64, 1, shape,
                                                  orff_structured_scale(drawn->structured))
                               : orff_archive_add(writer, name, ORFF_F64, 2, shape, drawn->omega));
    snprintf(name, sizeof name, "weight.%zu", g);
    return orff_archive_add(writer, name, ORFF_F64, 1, shape, drawn->weight);
}

/* A grid is small and finding it again is slow: it is always kept. */
static bool may_leave_out(const orff_bank *bank, const orff_bank_group *group, size_t most) {
    return !bank->given && group->law.base && group->drawn.scheme != ORFF_GRID && group->drawn.count <= most;
}

static json_t *pack_drawn(const orff_frequencies *drawn, const char *crc) {
    return json_pack("{sI ss sb sf sb ss*}", "count", (json_int_t)drawn->count, "scheme",
                     orff_scheme_name(drawn->scheme), "importance", (int)drawn->importance, "error",
                     drawn->error, "extent_guessed", (int)drawn->extent_guessed, "crc32c", crc);
}

static json_t *pack_recipe(const orff_recipe *recipe) {
    return json_pack("{ss sI so sI sb sb sf}", "scheme", orff_scheme_name(recipe->scheme), "count",
                     (json_int_t)recipe->count, "seed", orff_json_whole(recipe->seed), "stream",
                     (json_int_t)recipe->stream, "importance", (int)recipe->importance, "gradient",
                     (int)recipe->gradient, "tolerance", recipe->tolerance);
}

static orff_status write_group(const orff_bank *bank, size_t g, size_t most, orff_archive_writer *writer,
                               json_t *object) {
    const orff_bank_group *group = &bank->groups[g];
    char crc[9];
    const bool left_out = may_leave_out(bank, group, most);
    ORFF_TRY(left_out ? checksum(&group->drawn, crc) : add_frequencies(&group->drawn, g, writer));
    int failed = group->law.base ? orff_law_write(object, &group->law)
                                 : json_object_set_new(object, "base", json_null());
    failed |= json_object_set_new(object, "recipe", pack_recipe(&group->recipe));
    failed |= json_object_set_new(object, "drawn", pack_drawn(&group->drawn, left_out ? crc : NULL));
    return failed ? no_memory() : ORFF_OK;
}

orff_status orff_bank_write(const orff_bank *bank, size_t most, orff_archive_writer *writer,
                            json_t *document) {
    json_t *object =
        json_pack("{sI sb so s[]}", "inputs", (json_int_t)bank->d, "given", (int)bank->given, "extent",
                  bank->extent ? orff_json_numbers(bank->d, bank->extent) : json_null(), "groups");
    if (json_object_set_new(document, "bank", object)) return no_memory();
    for (size_t g = 0; g < bank->n_groups; g++) {
        json_t *group = json_object();
        if (json_array_append_new(json_object_get(object, "groups"), group)) return no_memory();
        ORFF_TRY(write_group(bank, g, most, writer, group));
    }
    return ORFF_OK;
}

/* ---- frequencies: reading */

static orff_status read_scheme(const orff_fields *in, orff_scheme *scheme) {
    const char *name;
    ORFF_TRY(orff_fields_text(in, "scheme", &name));
    return orff_fields_blame(in, orff_scheme_parse(name, scheme));
}

static orff_status read_recipe(const orff_fields *in, const double *extent, orff_recipe *recipe) {
    size_t stream;
    ORFF_TRY(read_scheme(in, &recipe->scheme));
    ORFF_TRY(orff_fields_size(in, "count", &recipe->count));
    ORFF_TRY(orff_fields_whole(in, "seed", &recipe->seed));
    ORFF_TRY(orff_fields_size(in, "stream", &stream));
    ORFF_TRY(orff_fields_flag(in, "importance", &recipe->importance));
    ORFF_TRY(orff_fields_flag(in, "gradient", &recipe->gradient));
    ORFF_TRY(orff_fields_number(in, "tolerance", &recipe->tolerance));
    if (stream > UINT32_MAX) return orff_fields_fail(in, "stream", "is more than 32 bits hold");
    if (!(recipe->tolerance >= 0.0 && recipe->tolerance < 1.0))
        return orff_fields_fail(in, "tolerance", "is not at least 0 and below 1");
    recipe->stream = (uint32_t)stream;
    recipe->extent = extent;
    return ORFF_OK;
}

/* All but the frequencies. */
static orff_status read_drawn(const orff_fields *in, size_t d, orff_frequencies *drawn) {
    drawn->dim = d;
    ORFF_TRY(orff_fields_size(in, "count", &drawn->count));
    ORFF_TRY(read_scheme(in, &drawn->scheme));
    ORFF_TRY(orff_fields_flag(in, "importance", &drawn->importance));
    ORFF_TRY(orff_fields_number(in, "error", &drawn->error));
    ORFF_TRY(orff_fields_flag(in, "extent_guessed", &drawn->extent_guessed));
    if (drawn->count == 0) return orff_fields_fail(in, "count", "is 0; a group has at least one frequency");
    return drawn->error >= 0.0 ? ORFF_OK : orff_fields_fail(in, "error", "is negative");
}

/* A copy of a tensor of finite numbers, of rank 1 or 2. */
static orff_status copy_tensor(const orff_archive *archive, const char *name, size_t rank,
                               const size_t *shape, double **out) {
    const double *data;
    size_t entries = shape[0];
    ORFF_TRY(orff_archive_expect(archive, name, ORFF_F64, rank, shape, &data));
    ORFF_TRY(orff_archive_check_finite(archive, name));
    if (rank == 2) ORFF_TRY(orff_multiply(entries, shape[1], &entries));
    return orff_duplicate(out, data, entries, sizeof *data);
}

/* Frequencies that are the caller's own may have no weight. */
static orff_status read_weights(const orff_archive *archive, const orff_bank *bank, size_t g,
                                orff_frequencies *drawn) {
    const size_t shape[1] = {drawn->count};
    char name[ORFF_TENSOR_NAME];
    snprintf(name, sizeof name, "weight.%zu", g);
    ORFF_TRY(copy_tensor(archive, name, 1, shape, &drawn->weight));
    for (size_t j = 0; j < drawn->count; j++)
        if (drawn->weight[j] < 0.0 || (drawn->weight[j] == 0.0 && !bank->given))
            return orff_archive_fail(archive, "weight %zu of \"%s\" is %g; it must be positive", j + 1, name,
                                     drawn->weight[j]);
    return ORFF_OK;
}

static orff_status read_stored(const orff_archive *archive, const orff_bank *bank, size_t g,
                               const char *omega, orff_frequencies *drawn) {
    const size_t shape[2] = {drawn->count, drawn->dim};
    ORFF_TRY(copy_tensor(archive, omega, 2, shape, &drawn->omega));
    return read_weights(archive, bank, g, drawn);
}

/* Draw a group by its recipe; what comes must be what the file says of it. */
static orff_status draw_again(const orff_fields *in, orff_bank_group *group) {
    const orff_frequencies told = group->drawn;
    if (!group->law.base)
        return orff_fields_fail(in, "base", "is null, but the frequencies are not in the file");
    if (told.scheme == ORFF_GRID)
        return orff_fields_fail(in, "drawn", "is a grid, but the frequencies are not in the file");
    ORFF_TRY(orff_fields_blame(in, orff_frequencies_draw(&group->drawn, &group->law, &group->recipe)));
    if (group->drawn.scheme != told.scheme || group->drawn.importance != told.importance)
        return orff_fields_fail(in, "drawn", "is not what the recipe gives");
    return ORFF_OK;
}

/* The signs are drawn again; scales and weights, which rounding touches, are as stored. */
static orff_status read_structured(const orff_fields *in, const orff_bank *bank, size_t g, const char *scale,
                                   orff_bank_group *group) {
    const size_t shape[1] = {group->drawn.count};
    double *scales = NULL, *weight = NULL;
    orff_status status = copy_tensor(in->archive, scale, 1, shape, &scales);
    if (!status) status = read_weights(in->archive, bank, g, &group->drawn);
    if (!status) {
        weight = group->drawn.weight;
        group->drawn.weight = NULL;
        status = draw_again(in, group);
    }
    if (!status && !group->drawn.structured) status = orff_fields_fail(in, "recipe", "is not structured");
    if (!status) {
        memcpy(orff_structured_scale(group->drawn.structured), scales, shape[0] * sizeof *scales);
        memcpy(group->drawn.weight, weight, shape[0] * sizeof *weight);
    }
    orff_release(scales);
    orff_release(weight);
    return status;
}

/* Extreme laws give frequencies that are not finite, with a checksum like any other. */
static orff_status check_finite(const orff_fields *in, const orff_frequencies *drawn) {
    if (drawn->omega)
        ORFF_TRY(orff_fields_blame(in, orff_check_finite("omega", drawn->count, drawn->dim, drawn->omega)));
    return orff_fields_blame(in, orff_check_finite("weight", drawn->count, 1, drawn->weight));
}

static orff_status read_left_out(const orff_fields *in, size_t most, orff_bank_group *group) {
    orff_fields about;
    const char *told;
    char found[9];
    ORFF_TRY(orff_fields_object(in, "drawn", &about));
    if (group->drawn.count > most)
        return orff_fields_fail(&about, "count",
                                "is more than is drawn again; the file lacks these frequencies");
    ORFF_TRY(orff_fields_text(&about, "crc32c", &told));
    ORFF_TRY(draw_again(in, group));
    ORFF_TRY(check_finite(in, &group->drawn));
    ORFF_TRY(checksum(&group->drawn, found));
    if (!strcmp(told, found)) return ORFF_OK;
    return orff_fields_fail(
        &about, "crc32c",
        "differs from that of the frequencies drawn here: this machine rounds otherwise than the "
        "one that wrote the compact file; write it there again, not compact");
}

static orff_status read_frequencies(const orff_fields *in, const orff_bank *bank, size_t g, size_t most,
                                    orff_bank_group *group) {
    char omega[ORFF_TENSOR_NAME], scale[ORFF_TENSOR_NAME];
    snprintf(omega, sizeof omega, "omega.%zu", g);
    snprintf(scale, sizeof scale, "scale.%zu", g);
    if (orff_archive_has(in->archive, omega)) return read_stored(in->archive, bank, g, omega, &group->drawn);
    if (bank->given)
        return orff_fields_fail(in, "drawn", "is of given frequencies, which are not in the file");
    if (orff_archive_has(in->archive, scale)) return read_structured(in, bank, g, scale, group);
    return read_left_out(in, most, group);
}

/* What a recipe may have given; frequencies without one, or found from a signature, follow no rule. */
static orff_status check_recipe(const orff_fields *in, const orff_bank *bank, const orff_bank_group *group) {
    const orff_recipe *recipe = &group->recipe;
    const orff_frequencies *drawn = &group->drawn;
    const bool grid = drawn->scheme == ORFF_GRID;
    if (bank->given || !group->law.base) return ORFF_OK;
    if (drawn->scheme == ORFF_SAMPLING_AUTO ||
        (recipe->scheme != drawn->scheme && (grid || recipe->scheme != ORFF_SAMPLING_AUTO)))
        return orff_fields_fail(in, "drawn", "has not the scheme of the recipe");
    if (grid ? recipe->count && recipe->count < drawn->count : recipe->count != drawn->count)
        return orff_fields_fail(in, "drawn", "has not the count of the recipe");
    if (drawn->importance != (recipe->importance && !grid))
        return orff_fields_fail(in, "drawn", "has not the importance of the recipe");
    return ORFF_OK;
}

static orff_status read_group(const orff_fields *in, const orff_bank *bank, size_t g, size_t most,
                              orff_bank_group *group) {
    orff_fields recipe, drawn;
    if (orff_fields_has(in, "base")) ORFF_TRY(read_law(in, bank->d, &group->law));
    ORFF_TRY(orff_fields_object(in, "recipe", &recipe));
    ORFF_TRY(read_recipe(&recipe, bank->extent, &group->recipe));
    ORFF_TRY(orff_fields_object(in, "drawn", &drawn));
    ORFF_TRY(read_drawn(&drawn, bank->d, &group->drawn));
    ORFF_TRY(check_recipe(in, bank, group));
    return read_frequencies(in, bank, g, most, group);
}

static orff_status read_extent(const orff_fields *in, orff_bank *bank) {
    if (!orff_fields_has(in, "extent")) return ORFF_OK;
    ORFF_TRY(orff_fields_numbers(in, "extent", bank->d, &bank->extent));
    for (size_t i = 0; i < bank->d; i++)
        if (bank->extent[i] < 0.0) return orff_fields_fail(in, "extent", "has a negative entry");
    return ORFF_OK;
}

static orff_status fill_bank(const orff_fields *in, size_t most, orff_bank *bank) {
    orff_fields group;
    ORFF_TRY(orff_fields_flag(in, "given", &bank->given));
    ORFF_TRY(read_extent(in, bank));
    for (size_t g = 0; g < bank->n_groups; g++) {
        ORFF_TRY(orff_fields_item(in, "groups", g, &group));
        ORFF_TRY(read_group(&group, bank, g, most, &bank->groups[g]));
    }
    return orff_fields_blame(in, orff_bank_complete(bank));
}

orff_status orff_bank_read(orff_bank **out, const orff_archive *archive, size_t most) {
    const orff_fields document = orff_fields_of(archive);
    orff_fields in;
    orff_bank *bank = NULL;
    size_t d, n_groups;
    ORFF_TRY(orff_fields_object(&document, "bank", &in));
    ORFF_TRY(orff_fields_size(&in, "inputs", &d));
    ORFF_TRY(orff_fields_list(&in, "groups", &n_groups));
    if (d == 0 || n_groups == 0) return orff_fields_fail(&in, d ? "groups" : "inputs", "is empty");
    ORFF_TRY(orff_bank_create(&bank, d, n_groups));
    const orff_status status = fill_bank(&in, most, bank);
    if (status) {
        orff_bank_free(bank);
    } else {
        *out = bank;
    }
    return status;
}
