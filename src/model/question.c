#include "model/question.h"

#include "model/fit.h"

/* A list of numbers, or null. */
static json_t *numbers(size_t count, const double *values) {
    return values ? orffi_json_numbers(count, values) : json_null();
}

static json_t *sizes(size_t count, const size_t *values) {
    return values ? orffi_json_sizes(count, values) : json_null();
}

static json_t *text(const char *name) {
    return name ? json_string(name) : json_null();
}

/* p: outputs that the model learns. Callbacks cannot be compared. */
static json_t *pack_given(const orff_part *part, size_t d, size_t p) {
    const size_t columns = part->B || !orff_rule_columns(part->rule, p) ? part->columns : 0;
    return json_pack("{so so so so so so sb so so sI so so}", "rule", text(orff_rule_name(part->rule)),
                     "base", text(orff_base_name(part->base)), "shape", orffi_json_number(part->shape),
                     "sigma", orffi_json_number(part->sigma), "sigmas", numbers(d, part->sigmas), "weight",
                     orffi_json_number(part->weight), "normalise", (int)part->normalise, "A",
                     numbers(p * p, part->A), "B", numbers(p * columns, part->B), "columns",
                     (json_int_t)columns, "mix", orffi_json_number(part->mix), "space",
                     sizes(p, part->space));
}

/* Adds only what differs from the default, so that checkpoints of older versions stay valid. */
static json_t *pack_part(const orff_part *part, size_t d, size_t p) {
    json_t *packed = pack_given(part, d, p);
    int failed = packed == NULL;
    if (!failed && part->stretchable) failed = json_object_set_new(packed, "stretchable", json_true());
    if (!failed && part->hermitian) failed = json_object_set_new(packed, "hermitian", json_true());
    if (!failed && part->delays)
        failed = json_object_set_new(packed, "delays", orffi_json_numbers(p * d, part->delays));
    if (!failed && part->wavelengths)
        failed = json_object_set_new(packed, "wavelengths", orffi_json_numbers(d, part->wavelengths));
    if (!failed && part->learn_wavelengths)
        failed = json_object_set_new(packed, "learned wavelengths", json_true());
    if (!failed && part->learn)
        failed = json_object_set_new(packed, "learned rank", json_integer((json_int_t)part->rank));
    if (!failed && part->learn && part->sparse)
        failed = json_object_set_new(packed, "sparsity", orffi_json_number(part->sparsity));
    if (!failed) return packed;
    json_decref(packed);
    return NULL;
}

static json_t *pack_parts(const orff_settings *s, size_t d, size_t p) {
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t m = 0; !failed && m < s->n_parts; m++)
        failed = json_array_append_new(list, pack_part(&s->parts[m], d, p));
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *pack_sampling(const orff_sampling *sampling, size_t d) {
    return json_pack("{so sI so sI so so}", "scheme", text(orff_scheme_name(sampling->scheme)), "features",
                     (json_int_t)sampling->features, "seed", orffi_json_whole(sampling->seed), "importance",
                     (json_int_t)sampling->importance, "extent", numbers(d, sampling->extent), "tolerance",
                     orffi_json_number(sampling->tolerance));
}

static json_t *pack_lambda(const orff_settings *s) {
    return json_pack("{so so so sI sI so sb}", "value", orffi_json_number(s->lambda), "low",
                     orffi_json_number(s->lambda_low), "high", orffi_json_number(s->lambda_high), "count",
                     (json_int_t)s->lambda_count, "folds", (json_int_t)s->folds, "folds_by",
                     text(orff_folds_name(s->folds_by)), "groups", s->groups != NULL);
}

static json_t *pack_solver(const orff_settings *s) {
    return json_pack("{so so so so sI sb}", "solver", text(orff_solver_name(s->solver)), "loss",
                     text(orff_loss_name(s->loss)), "loss_parameter", orffi_json_number(s->loss_parameter),
                     "tolerance", orffi_json_number(s->tolerance), "max_iterations",
                     (json_int_t)s->max_iterations, "single", (int)s->single);
}

static json_t *pack_scaling(const orff_settings *s) {
    return json_pack("{sb sI sI sI}", "center", (int)s->center, "inputs", (json_int_t)s->scale_inputs,
                     "outputs", (json_int_t)s->scale_outputs, "subsample", (json_int_t)s->subsample);
}

static json_t *pack_question(const orff_settings *s, size_t d, size_t p, bool weighted, size_t rows) {
    const size_t seen = orffi_code_length(s, p);
    return json_pack("{ss sI sI sI sb sI so sb sb sb so so so so}", "task", "fit", "inputs", (json_int_t)d,
                     "outputs", (json_int_t)p, "classes", (json_int_t)s->classes, "weighted", (int)weighted,
                     "rows in memory", (json_int_t)rows, "parts", pack_parts(s, d, seen), "mixture",
                     (int)s->mixture, "auto_kernel", (int)s->auto_kernel, "auto_mix", (int)s->auto_mix,
                     "sampling", pack_sampling(&s->sampling, d), "lambda", pack_lambda(s), "solving",
                     pack_solver(s), "scaling", pack_scaling(s));
}

/* Adds the criterion only if it learns weights and is not the evidence, and codes only if given, so that
 * checkpoints of older versions stay valid. */
json_t *orffi_question(const orff_settings *s, size_t d, size_t p, bool weighted, size_t rows) {
    json_t *packed = pack_question(s, d, p, weighted, rows);
    const bool other = (s->mixture || s->auto_kernel) && s->criterion != ORFF_CRITERION_EVIDENCE;
    int failed = packed == NULL;
    if (!failed && other)
        failed = json_object_set_new(packed, "criterion", text(orff_criterion_name(s->criterion)));
    if (!failed && s->classes && s->codes)
        failed = json_object_set_new(packed, "codes", numbers(s->classes * s->code_length, s->codes));
    if (!failed) return packed;
    json_decref(packed);
    return NULL;
}

orff_status orffi_question_refuse(const orff_settings *settings, const char *what) {
    if (!settings->checkpoint) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "%s keeps no checkpoints", what);
}

orff_status orffi_question_open(orffi_checkpoint **checkpoint, const orff_settings *settings,
                                const orffi_engine *engine, size_t d, size_t p, bool weighted, size_t rows) {
    if (!settings->checkpoint) return ORFF_OK;
    if (!engine->resumes)
        return orffi_question_refuse(
            settings,
            settings->n_hidden ? "a stack" : "an exact model, whose one long step cannot be resumed,");
    return orffi_checkpoint_open(checkpoint, settings->checkpoint, settings->checkpoint_rows,
                                 settings->resume, orffi_question(settings, d, p, weighted, rows));
}
