/* Stacks in files: member "stack" of the member "model", a list with a document for each layer: "kernel"
 * and "bank" as in a model of features; for the last layer also "model", with the content it has in such a
 * model. Tensors of layer i are stack.<i>.*:
 *
 *     stack.<i>.W        p x d, for hidden layers
 *     stack.<i>.theta    M
 *
 * and those of the kernel, the bank and the posterior. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/stack.h"
#include "features/recipe.h"

enum { PREFIX = 40, MOST_LAYERS = 1000 };

static void prefix_of(size_t i, char prefix[PREFIX]) {
    snprintf(prefix, PREFIX, "stack.%zu.", i);
}

static orff_status no_memory(void) {
    return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
}

/* ---- writing */

/* Only creates the list: `add`, which has the archive, writes everything. */
int orffi_stack_pack(const void *fit, json_t *model) {
    (void)fit;
    return json_object_set_new(model, "stack", json_array());
}

static orff_status add_hidden(const orffi_layer *layer, bool compact, orffi_archive_writer *writer,
                              json_t *document) {
    const orff_features *f = layer->features;
    const size_t shape[2] = {f->p, f->d};
    ORFFI_TRY(orffi_kernel_write(f->kernel, writer, document));
    ORFFI_TRY(orffi_bank_write(f->bank, compact ? f->M / 2 : 0, writer, document));
    ORFFI_TRY(orffi_check_finite("W", f->p, f->d, layer->W));
    ORFFI_TRY(orffi_check_finite("theta", f->M, 1, layer->theta));
    ORFFI_TRY(orffi_archive_add(writer, "W", ORFFI_F64, 2, shape, layer->W));
    return orffi_archive_add(writer, "theta", ORFFI_F64, 1, &f->M, layer->theta);
}

static orff_status add_head(const orffi_features_fit *head, bool compact, orffi_archive_writer *writer,
                            json_t *document) {
    json_t *model = json_object();
    int failed = json_object_set_new(document, "model", model);
    if (!failed) failed = orffi_features_pack(head, model);
    if (failed) return no_memory();
    ORFFI_TRY(orffi_kernel_write(head->features->kernel, writer, document));
    return orffi_features_add(head, compact, writer, document);
}

static orff_status add_layer(const orffi_stack_fit *fit, size_t l, bool compact, orffi_archive_writer *writer,
                             json_t *list) {
    char prefix[PREFIX];
    json_t *document = json_object();
    if (!document) return no_memory();
    prefix_of(l, prefix);
    orffi_archive_set_prefix(writer, prefix);
    orff_status status = l + 1 < fit->stack->n ? add_hidden(&fit->stack->layers[l], compact, writer, document)
                                               : add_head(fit->head, compact, writer, document);
    orffi_archive_set_prefix(writer, "");
    if (!status && json_array_append(list, document)) status = no_memory();
    json_decref(document);
    return status;
}

orff_status orffi_stack_add(const void *self, bool compact, orffi_archive_writer *writer, json_t *document) {
    const orffi_stack_fit *fit = self;
    json_t *list = json_object_get(json_object_get(document, "model"), "stack");
    for (size_t l = 0; l < fit->stack->n; l++) ORFFI_TRY(add_layer(fit, l, compact, writer, list));
    return ORFF_OK;
}

/* ---- reading */

/* One layer: the archive inside, and its number of inputs. */
typedef struct place {
    const orffi_archive *archive;
    size_t d, p; /* p: for the last layer the model's; otherwise set when read */
} place;

static orff_status read_features(const place *at, size_t M, orff_features **features) {
    orff_kernel *kernel = NULL;
    orffi_bank *bank = NULL;
    orff_status status = orffi_kernel_read(&kernel, at->archive, at->d, at->p);
    if (!status) status = orffi_bank_read(&bank, at->archive, M / 2);
    if (!status) status = orffi_features_read(features, at->archive, bank, kernel);
    orffi_bank_free(bank);
    orff_kernel_free(kernel);
    if (!status && (*features)->M != M)
        status = orffi_archive_fail(at->archive, "theta has %zu coefficients, kernel and bank make %zu", M,
                                    (*features)->M);
    return status;
}

static orff_status copy_hidden(const place *at, const double *theta, const double *W, orffi_layer *layer) {
    ORFFI_TRY(orffi_archive_check_finite(at->archive, "theta"));
    ORFFI_TRY(orffi_archive_check_finite(at->archive, "W"));
    memcpy(layer->theta, theta, layer->features->M * sizeof *theta);
    memcpy(layer->W, W, at->p * at->d * sizeof *W);
    orffi_layer_fold(layer);
    return ORFF_OK;
}

static orff_status read_hidden(place *at, orffi_layer *layer) {
    orff_features *features = NULL;
    const double *theta, *W;
    size_t M, shape[2];
    ORFFI_TRY(orffi_archive_get(at->archive, "W", ORFFI_F64, 2, shape, &W));
    ORFFI_TRY(orffi_archive_get(at->archive, "theta", ORFFI_F64, 1, &M, &theta));
    if (shape[0] == 0 || shape[1] != at->d)
        return orffi_archive_fail(at->archive, "W is %zu x %zu, but the layer takes %zu numbers", shape[0],
                                  shape[1], at->d);
    at->p = shape[0];
    orff_status status = read_features(at, M, &features);
    if (status) {
        orff_features_free(features);
        return status;
    }
    ORFFI_TRY(orffi_layer_init(layer, features, true, 0));
    return copy_hidden(at, theta, W, layer);
}

static orff_status read_head(const place *at, orffi_features_fit **head) {
    const orffi_fields document = orffi_fields_of(at->archive);
    orff_kernel *kernel = NULL;
    orffi_fields model;
    void *fit = NULL;
    ORFFI_TRY(orffi_fields_object(&document, "model", &model));
    orff_status status = orffi_kernel_read(&kernel, at->archive, at->d, at->p);
    if (!status) status = orffi_features_load(&fit, &model, kernel);
    orff_kernel_free(kernel);
    if (!status) *head = fit;
    return status;
}

/* Reads layer l. at: first describes the inputs of the layer, then its outputs. */
static orff_status read_layer(const orffi_fields *model, size_t l, orff_stack *stack, place *at,
                              orffi_features_fit **head) {
    char prefix[PREFIX];
    orffi_archive *inside = NULL;
    orffi_fields item;
    prefix_of(l, prefix);
    ORFFI_TRY(orffi_fields_item(model, "stack", l, &item));
    ORFFI_TRY(orffi_archive_inside(&inside, model->archive, prefix, item.object));
    at->archive = inside;
    const orff_status status = l + 1 < stack->n ? read_hidden(at, &stack->layers[l]) : read_head(at, head);
    orffi_archive_close(inside);
    at->d = at->p;
    return status;
}

static orff_status read_layers(const orffi_fields *model, const orff_kernel *kernel, orff_stack *stack,
                               orffi_features_fit **head) {
    place at = {.d = kernel->d};
    for (size_t l = 0; l < stack->n; l++) {
        if (l + 1 == stack->n) at.p = kernel->p;
        ORFFI_TRY(read_layer(model, l, stack, &at, head));
    }
    return ORFF_OK;
}

orff_status orffi_stack_load(void **out, const orffi_fields *model, const orff_kernel *kernel) {
    orff_stack *stack = NULL;
    orffi_features_fit *head = NULL;
    orffi_stack_fit *fit = NULL;
    size_t n;
    ORFFI_TRY(orffi_fields_list(model, "stack", &n));
    if (n < 2 || n > MOST_LAYERS)
        return orffi_fields_fail(model, "stack", "is not a list of two layers or more");
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!kernel->parts[m].rule->separable)
            return orffi_fields_fail(model, "stack", "does not go with the kernel, which is not k0 A");
    orff_status status = orffi_stack_allocate(&stack, n);
    if (!status) status = read_layers(model, kernel, stack, &head);
    if (status) {
        orff_stack_free(stack);
        orffi_features_fit_free(head);
        return status;
    }
    ORFFI_TRY(orffi_fields_blame(model, orffi_stack_fit_create(&fit, kernel, stack, head)));
    *out = fit;
    return ORFF_OK;
}
