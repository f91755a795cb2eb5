/* Kernels in files. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "features/recipe.h"

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
}

/* ---- writing */

orff_status orffi_kernel_check_closed(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (kernel->parts[m].rule->stored)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "part %zu of the kernel (%s) is a function of the caller's program, which a "
                              "file cannot hold; "
                              "a model with features can be saved, one with the exact kernel cannot",
                              m + 1, orff_rule_name(kernel->parts[m].rule->id));
    return ORFF_OK;
}

static orff_status write_part(const orffi_kernel_part *part, size_t m, orffi_archive_writer *writer,
                              json_t *object) {
    const size_t shape[2] = {part->p, part->columns};
    char name[ORFFI_TENSOR_NAME];
    int failed = json_object_set_new(object, "rule", json_string(orff_rule_name(part->rule->id)));
    failed |= part->law.base ? orffi_law_write(object, &part->law)
                             : json_object_set_new(object, "base", json_null());
    failed |= json_object_set_new(object, "weight", orffi_json_number(part->root * part->root));
    failed |= json_object_set_new(object, "root", json_real(part->root));
    failed |= json_object_set_new(object, "mix", json_real(part->mix));
    failed |= json_object_set_new(object, "columns", json_integer((json_int_t)part->columns));
    if (part->hermitian && part->rule->stored)
        failed |= json_object_set_new(object, "hermitian", json_true());
    if (part->delays)
        failed |= json_object_set_new(object, "delays", orffi_json_numbers(part->p * part->d, part->delays));
    if (failed) return no_memory();
    snprintf(name, sizeof name, "part.%zu.B", m);
    return part->B ? orffi_archive_add(writer, name, ORFFI_F64, 2, shape, part->B) : ORFF_OK;
}

orff_status orffi_kernel_write(const orff_kernel *kernel, orffi_archive_writer *writer, json_t *document) {
    json_t *object =
        json_pack("{sI sI s[]}", "inputs", (json_int_t)kernel->d, "outputs", (json_int_t)kernel->p, "parts");
    if (json_object_set_new(document, "kernel", object)) return no_memory();
    for (size_t m = 0; m < kernel->n_parts; m++) {
        json_t *part = json_object();
        if (json_array_append_new(json_object_get(object, "parts"), part)) return no_memory();
        ORFFI_TRY(write_part(&kernel->parts[m], m, writer, part));
    }
    return ORFF_OK;
}

/* ---- reading */

/* What the parts of a kernel in a file consist of, to be released when the kernel is created. */
typedef struct source {
    orff_part part;
    double *scales, *periods; /* periods: or NULL */
    double *delays;           /* p x d, or NULL */
    double *wavelengths;      /* d, or NULL */
    size_t *space;
    size_t columns;
    double root;
} source;

static void clear_sources(size_t count, source *sources) {
    for (size_t m = 0; m < count; m++) {
        orffi_release(sources[m].scales);
        orffi_release(sources[m].periods);
        orffi_release(sources[m].delays);
        orffi_release(sources[m].wavelengths);
        orffi_release(sources[m].space);
    }
    orffi_release(sources);
}

/* root is stored because the sqrt of a stored weight may differ in the last bits. */
static orff_status read_numbers(const orffi_fields *in, source *from) {
    double weight;
    ORFFI_TRY(orffi_fields_any_number(in, "weight", &weight));
    ORFFI_TRY(orffi_fields_number(in, "root", &from->root));
    ORFFI_TRY(orffi_fields_number(in, "mix", &from->part.mix));
    ORFFI_TRY(orffi_fields_size(in, "columns", &from->columns));
    if (from->root < 0.0) return orffi_fields_fail(in, "root", "is negative");
    if (!(from->part.mix >= 0.0 && from->part.mix <= 1.0))
        return orffi_fields_fail(in, "mix", "is not between 0 and 1");
    return weight == from->root * from->root
               ? ORFF_OK
               : orffi_fields_fail(in, "weight", "is not the square of the root");
}

static orff_status read_factor(const orffi_fields *in, size_t m, size_t p, source *from) {
    char name[ORFFI_TENSOR_NAME];
    snprintf(name, sizeof name, "part.%zu.B", m);
    if (!orffi_archive_has(in->archive, name)) return ORFF_OK;
    if (!orffi_rule_find(from->part.rule)->coupled)
        return orffi_fields_fail(in, "rule", "has no output factor");
    from->part.columns = from->columns;
    const size_t shape[2] = {p, from->columns};
    return orffi_archive_expect(in->archive, name, ORFFI_F64, 2, shape, &from->part.B);
}

static orff_status read_rule(const orffi_fields *in, orff_rule *rule) {
    const char *name;
    ORFFI_TRY(orffi_fields_text(in, "rule", &name));
    return orffi_fields_blame(in, orff_rule_parse(name, rule));
}

/* base, shape, scales and space; a rule with its own law has none. */
static orff_status read_law(const orffi_fields *in, size_t d, size_t p, source *from) {
    size_t space_count = 0;
    const bool own = orffi_rule_find(from->part.rule)->own_law;
    if (own)
        return orffi_fields_has(in, "base") ? orffi_fields_fail(in, "base", "is not for this rule") : ORFF_OK;
    ORFFI_TRY(orffi_law_read_base(in, &from->part.base, &from->part.shape));
    ORFFI_TRY(orffi_law_read_lists(in, d, &from->scales, &space_count, &from->space));
    if (from->space && space_count != p)
        return orffi_fields_fail(in, "space", "has not one input for each output");
    if (orffi_fields_has(in, "periods")) ORFFI_TRY(orffi_fields_numbers(in, "periods", d, &from->periods));
    if (orffi_fields_has(in, "wavelengths"))
        ORFFI_TRY(orffi_fields_numbers(in, "wavelengths", d, &from->wavelengths));
    from->part.wavelengths = from->wavelengths;
    from->part.sigmas = from->scales;
    from->part.space = from->space;
    return ORFF_OK;
}

static orff_status read_part(const orffi_fields *in, size_t m, size_t d, size_t p, source *from) {
    from->part = orff_part_default();
    ORFFI_TRY(read_rule(in, &from->part.rule));
    ORFFI_TRY(read_law(in, d, p, from));
    ORFFI_TRY(read_numbers(in, from));
    if (orffi_rule_find(from->part.rule)->stored) from->part.columns = from->columns;
    if (orffi_rule_find(from->part.rule)->delays) {
        ORFFI_TRY(orffi_fields_numbers(in, "delays", p * d, &from->delays));
        from->part.delays = from->delays;
    }
    if (orffi_fields_has(in, "hermitian"))
        ORFFI_TRY(orffi_fields_flag(in, "hermitian", &from->part.hermitian));
    return read_factor(in, m, p, from);
}

/* The periods of the first part, which all parts must share. */
static orff_status find_periods(const orffi_fields *in, size_t d, size_t n_parts, const source *sources,
                                const double **periods) {
    *periods = n_parts ? sources[0].periods : NULL; /* a kernel without parts is refused later */
    for (size_t m = 1; m < n_parts; m++)
        if (!sources[m].periods != !*periods ||
            (*periods && memcmp(sources[m].periods, *periods, d * sizeof **periods)))
            return orffi_fields_fail(in, "parts", "has parts of different periods");
    return ORFF_OK;
}

/* Changes the kernel, which is allowed because nobody else has a reference to it yet. */
static orff_status set_roots(const orffi_fields *in, const source *sources, orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++) {
        if (kernel->parts[m].columns != sources[m].columns)
            return orffi_fields_fail(in, "parts", "has a part whose columns are not those of its rule");
        kernel->parts[m].root = sources[m].root;
    }
    return ORFF_OK;
}

static orff_status build_kernel(const orffi_fields *in, size_t d, size_t p, size_t n_parts, source *sources,
                                orff_part *parts, orff_kernel **kernel) {
    orffi_kernel_how how = {.without_functions = true};
    orffi_fields part;
    for (size_t m = 0; m < n_parts; m++) {
        ORFFI_TRY(orffi_fields_item(in, "parts", m, &part));
        ORFFI_TRY(read_part(&part, m, d, p, &sources[m]));
        parts[m] = sources[m].part;
    }
    ORFFI_TRY(find_periods(in, d, n_parts, sources, &how.periods));
    ORFFI_TRY(orffi_fields_blame(in, orffi_kernel_create_as(kernel, d, p, n_parts, parts, &how)));
    return set_roots(in, sources, *kernel);
}

static orff_status check_size(const orffi_fields *in, const char *key, size_t want) {
    size_t found;
    ORFFI_TRY(orffi_fields_size(in, key, &found));
    return found == want && found > 0 ? ORFF_OK : orffi_fields_fail(in, key, "disagrees with the tensors");
}

orff_status orffi_kernel_read(orff_kernel **out, const orffi_archive *archive, size_t d, size_t p) {
    const orffi_fields document = orffi_fields_of(archive);
    orffi_fields in;
    size_t n_parts;
    source *sources = NULL;
    orff_part *parts = NULL;
    orff_kernel *kernel = NULL;
    ORFFI_TRY(orffi_fields_object(&document, "kernel", &in));
    ORFFI_TRY(check_size(&in, "inputs", d));
    ORFFI_TRY(check_size(&in, "outputs", p));
    ORFFI_TRY(orffi_fields_list(&in, "parts", &n_parts));
    orff_status status = ORFFI_NEW_ARRAY(sources, n_parts);
    if (!status) status = ORFFI_NEW_ARRAY(parts, n_parts);
    if (!status) status = build_kernel(&in, d, p, n_parts, sources, parts, &kernel);
    if (sources) clear_sources(n_parts, sources);
    orffi_release(parts);
    if (status) {
        orff_kernel_free(kernel);
    } else {
        *out = kernel;
    }
    return status;
}
