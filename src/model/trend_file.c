/* Trends in files: member "trend" of the member "model" (kind, inputs of the trend, whether columns are
 * shared by the outputs, and "columns": a document for each fit as for a model, empty without error bars),
 * and
 *
 *     trend.centre, .scale    d
 *     trend.beta              terms x p
 *     trend.root              columns x columns
 *     trend.groups            offsets: labels of the groups, if any have offsets
 *     trend.<i>.*             what the engine adds for fit i */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/trend.h"

enum { PREFIX = 40 };

static void prefix_of(size_t i, char prefix[PREFIX]) {
    snprintf(prefix, PREFIX, "trend.%zu.", i);
}

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
}

/* ---- writing */

static orff_status add_tensors(const orffi_trend *t, orffi_archive_writer *writer) {
    const size_t beta[2] = {t->terms, t->p}, root[2] = {t->columns, t->columns};
    ORFFI_TRY(orffi_archive_add(writer, "trend.centre", ORFFI_F64, 1, &t->d, t->centre));
    ORFFI_TRY(orffi_archive_add(writer, "trend.scale", ORFFI_F64, 1, &t->d, t->scale));
    ORFFI_TRY(orffi_archive_add(writer, "trend.beta", ORFFI_F64, 2, beta, t->beta));
    if (t->offsets)
        ORFFI_TRY(orffi_archive_add(writer, "trend.groups", ORFFI_I64, 1, &t->offsets, t->labels));
    return orffi_archive_add(writer, "trend.root", ORFFI_F64, 2, root, t->root);
}

static orff_status add_fit(const orffi_trend *t, size_t i, bool compact, orffi_archive_writer *writer,
                           json_t *columns) {
    char prefix[PREFIX];
    json_t *document = json_object(), *model = json_object();
    int failed = json_object_set_new(document, "model", model);
    if (!failed) failed = t->engine->pack(t->fits[i], model);
    prefix_of(i, prefix);
    orffi_archive_set_prefix(writer, prefix);
    orff_status status = failed ? no_memory() : t->engine->add(t->fits[i], compact, writer, document);
    orffi_archive_set_prefix(writer, "");
    if (!status && json_array_append(columns, document)) status = no_memory();
    json_decref(document);
    return status;
}

static json_t *pack_inputs(const orffi_trend *t) {
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t k = 0; !failed && k < t->d; k++)
        if (t->inputs[k]) failed = json_array_append_new(list, json_integer((json_int_t)k));
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

orff_status orffi_trend_write(const orffi_trend *t, bool compact, orffi_archive_writer *writer,
                              json_t *model) {
    json_t *columns = json_array();
    orff_status status = columns ? add_tensors(t, writer) : no_memory();
    for (size_t i = 0; !status && i < t->n_fits; i++) status = add_fit(t, i, compact, writer, columns);
    json_t *object =
        json_pack("{ss so sb sO so}", "kind", orff_trend_name(t->kind), "inputs", pack_inputs(t), "shared",
                  (int)t->shared, "columns", columns, "ratio", orffi_json_number(t->ratio));
    const int failed = json_object_set_new(model, "trend", object);
    json_decref(columns);
    return !status && failed ? no_memory() : status;
}

/* ---- reading */

static orff_status read_inputs(const orffi_fields *in, size_t d, bool *inputs) {
    size_t count = 0, *places = NULL;
    orff_status status = orffi_fields_list(in, "inputs", &count);
    if (!status && count > d) status = orffi_fields_fail(in, "inputs", "has more than there are");
    if (!status) status = orffi_fields_sizes(in, "inputs", count, &places);
    for (size_t i = 0; !status && i < count; i++) {
        if (places[i] < d && !inputs[places[i]])
            inputs[places[i]] = true;
        else
            status = orffi_fields_fail(in, "inputs", "has a place that is not that of one more input");
    }
    orffi_release(places);
    return status;
}

static orff_status find_groups(const orffi_archive *archive, size_t *offsets, const uint64_t **labels) {
    if (!orffi_archive_has(archive, "trend.groups")) return ORFF_OK;
    ORFFI_TRY(orffi_archive_get(archive, "trend.groups", ORFFI_I64, 1, offsets, labels));
    if (*offsets && *offsets <= ORFFI_MOST_OFFSETS) return ORFF_OK;
    return orffi_archive_fail(archive, "\"trend.groups\" has %zu groups", *offsets);
}

static orff_status create(orffi_trend **out, const orffi_fields *in, const orff_kernel *kernel) {
    const char *name;
    orff_trend kind;
    bool *inputs;
    size_t offsets = 0;
    const uint64_t *labels = NULL;
    ORFFI_TRY(orffi_fields_text(in, "kind", &name));
    ORFFI_TRY(orffi_fields_blame(in, orff_trend_parse(name, &kind)));
    if (kind == ORFF_TREND_NONE) return orffi_fields_fail(in, "kind", "is none");
    ORFFI_TRY(ORFFI_NEW_ARRAY(inputs, kernel->d));
    orff_status status = read_inputs(in, kernel->d, inputs);
    if (!status) status = find_groups(in->archive, &offsets, &labels);
    if (!status) status = orffi_trend_create(out, kind, kernel->d, kernel->p, inputs, offsets, labels);
    if (!status && offsets) status = orffi_fields_number(in, "ratio", &(*out)->ratio);
    if (!status && !((*out)->ratio >= 0.0)) status = orffi_fields_fail(in, "ratio", "is negative");
    orffi_release(inputs);
    return status;
}

static orff_status copy_tensor(const orffi_archive *archive, const char *name, size_t rows, size_t cols,
                               double *to) {
    const size_t shape[2] = {rows, cols};
    const double *from;
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, cols ? 2 : 1, shape, &from));
    ORFFI_TRY(orffi_archive_check_finite(archive, name));
    memcpy(to, from, rows * (cols ? cols : 1) * sizeof *to);
    return ORFF_OK;
}

static orff_status read_tensors(const orffi_archive *archive, orffi_trend *t) {
    ORFFI_TRY(copy_tensor(archive, "trend.centre", t->d, 0, t->centre));
    ORFFI_TRY(copy_tensor(archive, "trend.scale", t->d, 0, t->scale));
    for (size_t k = 0; k < t->d; k++)
        if (!(t->scale[k] > 0.0))
            return orffi_archive_fail(archive, "number %zu of \"trend.scale\" is not positive", k + 1);
    ORFFI_TRY(copy_tensor(archive, "trend.beta", t->terms, t->p, t->beta));
    return copy_tensor(archive, "trend.root", t->columns, t->columns, t->root);
}

static orff_status read_fit(const orffi_fields *in, size_t i, const orff_kernel *kernel, orffi_trend *t) {
    orffi_fields item, document, model;
    orffi_archive *inside = NULL;
    char prefix[PREFIX];
    prefix_of(i, prefix);
    ORFFI_TRY(orffi_fields_item(in, "columns", i, &item));
    ORFFI_TRY(orffi_archive_inside(&inside, in->archive, prefix, item.object));
    document = orffi_fields_of(inside);
    orff_status status = orffi_fields_object(&document, "model", &model);
    if (!status) status = t->engine->load(&t->fits[i], &model, kernel);
    orffi_archive_close(inside);
    return status;
}

/* Checks the number of columns against tensors in the file, so that it cannot ask for more room. */
static orff_status fill(const orffi_fields *in, const orffi_engine *engine, const orff_kernel *kernel,
                        orffi_trend *t) {
    bool shared;
    size_t count, shape[2];
    const double *unused;
    ORFFI_TRY(orffi_fields_flag(in, "shared", &shared));
    ORFFI_TRY(orffi_archive_get(in->archive, "trend.root", ORFFI_F64, 2, shape, &unused));
    if (shape[0] != (shared ? t->terms : t->terms * t->p))
        return orffi_fields_fail(in, "shared", "does not go with \"trend.root\"");
    ORFFI_TRY(orffi_trend_make_columns(t, engine, shared));
    ORFFI_TRY(read_tensors(in->archive, t));
    ORFFI_TRY(orffi_fields_list(in, "columns", &count));
    if (!count) orffi_trend_drop_fits(t);
    if (count != t->n_fits) return orffi_fields_fail(in, "columns", "has not as many as the trend has");
    for (size_t i = 0; i < count; i++) ORFFI_TRY(read_fit(in, i, kernel, t));
    return ORFF_OK;
}

orff_status orffi_trend_read(orffi_trend **out, const orffi_fields *model, const orffi_engine *engine,
                             const orff_kernel *kernel) {
    orffi_fields in;
    orffi_trend *t = NULL;
    ORFFI_TRY(orffi_fields_object(model, "trend", &in));
    ORFFI_TRY(create(&t, &in, kernel));
    const orff_status status = fill(&in, engine, kernel, t);
    if (status) {
        orffi_trend_free(t);
    } else {
        *out = t;
    }
    return status;
}
