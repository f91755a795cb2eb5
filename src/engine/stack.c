/* The engine of stacks: layers of random features, learned together. */
#include "engine/stack.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solve/solver.h"
#include "stack/head.h"
#include "stack/train.h"

#define HIDDEN_FEATURES 100 /* default for each hidden layer */

typedef struct stack_rows {
    orffi_task task;
    orff_kernel *kernel, *last; /* as prepared; the same on the outputs of the hidden layers */
    orff_stack *stack;
    orffi_table gathered;
    const orffi_table *table; /* `gathered`, or the caller's */
    orffi_split split;
    /* The kernel last asked for; the same on the outputs of the hidden layers. */
    orff_kernel *asked, *asked_last;
    orff_features *bound; /* to that kernel */
    orffi_head judge;     /* for that kernel */
} stack_rows;

/* ---- what it can do */

static orff_status refuse(const char *what) {
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a stack has no %s", what);
}

static orff_status check_parts(const orff_settings *s) {
    const char *usual = orff_rule_name(ORFF_RULE_DECOMPOSABLE);
    for (size_t m = 0; m < s->n_parts; m++)
        if (!orff_rule_describe(s->parts[m].rule).separable)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED,
                              "a stack needs %s parts, not %s: the outputs of its hidden layers are not "
                              "positions",
                              usual, orff_rule_name(s->parts[m].rule));
    for (size_t m = 0; m < s->n_parts; m++)
        if (s->parts[m].wavelengths || s->parts[m].learn_wavelengths)
            return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a stack has no parts with wavelengths");
    if (!s->auto_kernel && !s->auto_mix) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a stack has no kernel to choose: it needs %s parts", usual);
}

static orff_status check_layers(const orff_settings *s) {
    if (!s->n_hidden || !s->hidden)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a stack needs the width of at least one hidden layer");
    for (size_t l = 0; l < s->n_hidden; l++)
        if (!s->hidden[l])
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the width of hidden layer %zu is 0", l + 1);
    if (!(s->hidden_sigma > 0.0 && isfinite(s->hidden_sigma)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "the length scale of hidden layers is %g; it must be positive", s->hidden_sigma);
    return ORFF_OK;
}

static orff_stack_training training_of(const orffi_task *task) {
    const orff_settings *s = task->settings;
    orff_stack_training how = orff_stack_training_default();
    how.epochs = s->epochs;
    how.batch = s->batch;
    how.rate = s->rate;
    how.lambda = s->lambda;
    how.folds = s->folds;
    how.center = s->center;
    how.seed = s->sampling.seed;
    how.blocks = task->groups ? NULL : task->blocks;
    how.groups = task->groups;
    return how;
}

static orff_status suits(const orff_settings *s, size_t d, size_t p, size_t rows, size_t *bytes) {
    const orffi_task task = {.settings = s};
    const orff_stack_training how = training_of(&task);
    ORFFI_TRY(check_layers(s));
    ORFFI_TRY(check_parts(s));
    ORFFI_TRY(orffi_stack_check_training(&how));
    ORFFI_TRY(orffi_refuse_periods(s, ORFF_ENGINE_STACK, d));
    if (s->trend != ORFF_TREND_NONE) return refuse("trend");
    if (s->loss != ORFF_LOSS_SQUARED) return refuse("loss but the squared one");
    if (s->single) return refuse("single precision");
    if (s->sampling.omega) return refuse("place for frequencies of your own");
    if (orffi_is_quadrature(s->sampling.scheme))
        return refuse("grid: what hidden layers give has no known range");
    if (!orffi_solver_is_closed(s->solver))
        return refuse("iterative solver: its last layer is solved directly");
    return orffi_engine_features.suits(s, d, p, rows, bytes);
}

static bool compares(const orff_kernel *kernel, size_t rows) {
    (void)kernel, (void)rows;
    return false;
}

/* ---- kernels of layers */

/* The length scale of part m relative to that of the first part. */
static double ratio(const orff_kernel *kernel, size_t m) {
    double sum = 0.0;
    for (size_t i = 0; i < kernel->d; i++)
        sum += log(kernel->parts[m].law.scale[i] / kernel->parts[0].law.scale[i]);
    return exp(sum / (double)kernel->d);
}

static orff_part last_part(const orff_kernel *kernel, size_t m) {
    const orffi_kernel_part *from = &kernel->parts[m];
    orff_part part = orff_part_default();
    part.base = from->law.base->id;
    part.shape = from->law.shape;
    part.sigma = ratio(kernel, m);
    part.weight = from->root * from->root;
    part.normalise = false;
    part.B = from->B;
    part.columns = from->B ? from->columns : 0;
    return part;
}

/* The parts of a kernel on `width` numbers. */
static orff_status widen(const orff_kernel *kernel, size_t width, orff_kernel **out) {
    orff_part *parts;
    ORFFI_TRY(ORFFI_NEW_ARRAY(parts, kernel->n_parts));
    for (size_t m = 0; m < kernel->n_parts; m++) parts[m] = last_part(kernel, m);
    const orff_status status = orff_kernel_create(out, width, kernel->p, kernel->n_parts, parts);
    orffi_release(parts);
    return status;
}

/* The kernel of layer l with d inputs; for the first layer inputs are in the kernel's length scales. */
static orff_status hidden_kernel(const orff_settings *s, const orff_kernel *kernel, size_t l, size_t d,
                                 orff_kernel **out) {
    orff_part part = orff_part_default();
    double *sigmas = NULL;
    part.base = s->hidden_base;
    part.shape = s->hidden_shape;
    part.sigma = s->hidden_sigma;
    if (l == 0) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(sigmas, d));
        for (size_t i = 0; i < d; i++) sigmas[i] = s->hidden_sigma * kernel->parts[0].law.scale[i];
        part.sigmas = sigmas;
    }
    const orff_status status = orff_kernel_create(out, d, s->hidden[l], 1, &part);
    orffi_release(sigmas);
    return status;
}

/* ---- rows */

static void unbind(stack_rows *r) {
    orffi_head_clear(&r->judge);
    orff_features_free(r->bound);
    orff_kernel_free(r->asked);
    orff_kernel_free(r->asked_last);
    r->bound = NULL;
    r->asked = r->asked_last = NULL;
}

static void release(void *rows) {
    stack_rows *r = rows;
    if (!r) return;
    unbind(r);
    orffi_split_clear(&r->split);
    orffi_table_clear(&r->gathered);
    orff_stack_free(r->stack);
    orff_kernel_free(r->kernel);
    orff_kernel_free(r->last);
    orffi_release(r);
}

static orff_status draw_layer(stack_rows *r, size_t l, const orff_kernel *kernel, size_t D) {
    const bool hidden = l + 1 < r->stack->n;
    orff_sampling sampling = r->task.settings->sampling;
    orff_features *features;
    sampling.features = D > kernel->n_groups ? D : kernel->n_groups;
    sampling.extent = NULL;
    if (hidden)
        sampling.seed +=
            1000003u * (l + 1); /* the last layer gets the frequencies of a model without hidden layers */
    ORFFI_TRY(orff_features_create(&features, kernel, &sampling));
    return orffi_layer_init(&r->stack->layers[l], features, hidden, sampling.seed);
}

static orff_status draw_hidden(stack_rows *r, size_t l, size_t d) {
    const orff_settings *s = r->task.settings;
    orff_kernel *kernel;
    ORFFI_TRY(hidden_kernel(s, r->kernel, l, d, &kernel));
    const orff_status status =
        draw_layer(r, l, kernel, s->hidden_features ? s->hidden_features : HIDDEN_FEATURES);
    orff_kernel_free(kernel);
    return status;
}

static orff_status draw_layers(stack_rows *r) {
    const orff_settings *s = r->task.settings;
    const double *scale = r->kernel->parts[0].law.scale;
    size_t d = r->kernel->d;
    for (size_t l = 0; l < s->n_hidden; l++) {
        ORFFI_TRY(draw_hidden(r, l, d));
        d = s->hidden[l];
    }
    for (size_t i = 0; i < s->hidden[0] * r->kernel->d; i++)
        r->stack->layers[0].W[i] /= scale[i % r->kernel->d];
    ORFFI_TRY(widen(r->kernel, d, &r->last));
    ORFFI_TRY(draw_layer(r, s->n_hidden, r->last, r->task.D));
    return orffi_stack_join(r->stack);
}

static orff_status check_kernel(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!kernel->parts[m].rule->separable) return refuse("parts that are fields or functions of yours");
    return ORFF_OK;
}

static orff_status prepare(void **out, const orffi_task *task, const orff_kernel *kernel) {
    stack_rows *r;
    ORFFI_TRY(check_kernel(kernel));
    ORFFI_TRY(ORFFI_NEW(r));
    r->task = *task;
    r->kernel = orffi_kernel_retain(kernel);
    orff_status status = orffi_stack_allocate(&r->stack, task->settings->n_hidden + 1);
    if (!status) status = draw_layers(r);
    if (status) {
        release(r);
    } else {
        *out = r;
    }
    return status;
}

static orff_status read_rows(void *rows, const orffi_source *source) {
    stack_rows *r = rows;
    const orff_stack_training how = training_of(&r->task);
    const size_t d = r->kernel->d, p = r->kernel->p;
    orff_stack_report report;
    if (source->table && source->table->along)
        return refuse("use for rows that miss some of their outputs, or have directions");
    r->table = source->table ? source->table : &r->gathered;
    if (!source->table) ORFFI_TRY(orffi_table_gather(&r->gathered, &source->reader, source->expected, d, p));
    ORFFI_TRY(
        orffi_split_fill(&r->split, r->table->n, d, p, r->table->X, r->table->Y, r->table->weights, &how));
    return orffi_stack_train(r->stack, &r->split, &how, &report);
}

static bool serves(const void *rows, const orff_kernel *kernel) {
    const stack_rows *r = rows;
    for (size_t m = 0; m < kernel->n_parts; m++) {
        size_t k = 0;
        if (!kernel->parts[m].rule->separable) return false;
        while (k < r->kernel->n_parts &&
               !orffi_spectrum_equal(&r->kernel->parts[k].law, &kernel->parts[m].law))
            k++;
        if (k == r->kernel->n_parts) return false;
    }
    return kernel->n_parts == r->kernel->n_parts;
}

static bool shares(const void *rows, const void *other) {
    (void)rows, (void)other;
    return false;
}

static void borrow(void *other, const void *rows) {
    (void)other, (void)rows;
}

static double weight(const void *rows) {
    return orffi_table_weight(((const stack_rows *)rows)->table);
}

/* ---- the criterion */

static orff_status bind(stack_rows *r, const orff_kernel *kernel) {
    const orffi_layer *last = &r->stack->layers[r->stack->n - 1];
    if (r->asked == kernel) return ORFF_OK;
    unbind(r);
    ORFFI_TRY(widen(kernel, last->features->d, &r->asked_last));
    ORFFI_TRY(orff_features_rebind(&r->bound, last->features, r->asked_last));
    ORFFI_TRY(orffi_head_fill(&r->judge, r->stack, r->bound, &r->split, r->task.settings->center));
    r->asked = orffi_kernel_retain(kernel);
    return ORFF_OK;
}

static orff_status size(void *rows, const orff_kernel *kernel, double *out) {
    stack_rows *r = rows;
    ORFFI_TRY(bind(r, kernel));
    return orffi_head_size(&r->judge, out);
}

/* N lambda refers to all rows. */
static orff_status judge(stack_rows *r, double lambda, double *error, double *outputs) {
    const orffi_split *s = &r->split;
    return orffi_head_try(&r->judge, lambda * (s->learned_weight + s->left_weight) / s->learned_weight, error,
                          outputs);
}

static orff_status criterion(void *rows, const orff_kernel *kernel, size_t count, const double *lambdas,
                             orffi_criterion *c) {
    stack_rows *r = rows;
    const size_t p = kernel->p;
    ORFFI_TRY(bind(r, kernel));
    for (size_t l = 0; l < count; l++) {
        ORFFI_TRY(judge(r, lambdas[l], &c->errors[l], c->outputs + l * p));
        if (c->points) c->points[l] = (orff_path_point){lambdas[l], NAN, NAN, NAN, NAN, c->errors[l], NAN};
    }
    c->told = true;
    c->crossed = false; /* `learn` reports these */
    return ORFF_OK;
}

/* ---- the fit */

/* Learns the last layer from all rows, by the engine of features. */
static orff_status learn_head(stack_rows *r, const orffi_table *hidden, double lambda, orffi_report *report,
                              void **head) {
    orffi_task task = r->task;
    void *rows = NULL;
    task.extent = task.middle = task.blocks = NULL;
    task.folds = 1;
    orff_status status = orffi_engine_features.prepare(&rows, &task, r->asked_last);
    if (!status) status = orffi_engine_features.read(rows, &(orffi_source){.table = hidden});
    if (!status) status = orffi_engine_features.learn(head, rows, r->asked_last, lambda, report);
    orffi_engine_features.release(rows);
    return status;
}

static orff_status learn_last(stack_rows *r, double lambda, orffi_report *report, void **head) {
    orffi_table hidden = *r->table;
    double *H;
    size_t size_of_all;
    hidden.d = r->asked_last->d;
    ORFFI_TRY(orffi_multiply(hidden.n, hidden.d, &size_of_all));
    ORFFI_TRY(ORFFI_NEW_ARRAY(H, size_of_all));
    hidden.X = H;
    orff_status status = orffi_stack_values(r->stack, r->stack->n - 1, hidden.n, r->table->X, H);
    if (!status) status = learn_head(r, &hidden, lambda, report, head);
    orffi_release(H);
    return status;
}

/* Errors on held-out rows come from a last layer that has not seen them. No evidence is reported: it would
 * treat the hidden layers as given, although they were learned. */
static orff_status learn(void **out, void *rows, const orff_kernel *kernel, double lambda,
                         orffi_report *report) {
    stack_rows *r = rows;
    orffi_stack_fit *fit = NULL;
    void *head = NULL;
    double error;
    ORFFI_TRY(bind(r, kernel));
    ORFFI_TRY(judge(r, lambda, &error, report->cv_mse));
    report->crossed = true;
    ORFFI_TRY(learn_last(r, lambda, report, &head));
    report->log_evidence = NAN;
    orffi_layer_clear(&r->stack->layers[r->stack->n - 1]);
    orff_stack *stack = r->stack;
    r->stack = NULL;
    ORFFI_TRY(orffi_stack_fit_create(&fit, kernel, stack, head));
    *out = fit;
    return ORFF_OK;
}

static const orff_kernel *kernel_of(const void *fit) {
    return ((const orffi_stack_fit *)fit)->kernel;
}

static orff_status check_finite(const void *self) {
    const orffi_stack_fit *fit = self;
    for (size_t l = 0; l + 1 < fit->stack->n; l++) {
        const orffi_layer *layer = &fit->stack->layers[l];
        ORFFI_TRY(orffi_check_finite("W", layer->features->p, layer->features->d, layer->W));
        ORFFI_TRY(orffi_check_finite("theta", layer->features->M, 1, layer->theta));
    }
    return orffi_engine_features.check_finite(fit->head);
}

static void describe(const void *self, orff_model_info *info) {
    const orffi_stack_fit *fit = self;
    orffi_engine_features.describe(fit->head, info);
    info->parameters = orffi_stack_parameters(fit->stack);
    info->hidden_layers = fit->stack->n - 1;
    info->hidden_widths = fit->stack->widths + 1;
}

static orff_status values(const void *self, size_t n, const double *x, double *F) {
    const orffi_stack_fit *fit = self;
    return orffi_stack_values(fit->stack, fit->stack->n, n, x, F);
}

static orff_status covariance(const void *self, size_t n, const double *x, double *out) {
    const orffi_stack_fit *fit = self;
    size_t size_of_all;
    double *H;
    ORFFI_TRY(orffi_multiply(n, fit->head->features->d, &size_of_all));
    ORFFI_TRY(ORFFI_NEW_ARRAY(H, size_of_all));
    orff_status status = orffi_stack_values(fit->stack, fit->stack->n - 1, n, x, H);
    if (!status) status = orffi_features_covariance(fit->head, n, H, out);
    orffi_release(H);
    return status;
}

static orff_status sum(const void *fit, orffi_term *term) {
    (void)fit, (void)term;
    return orffi_fail(ORFF_ERROR_UNSUPPORTED, "a stack is not a sum of waves");
}

const orffi_engine orffi_engine_stack = {
    .id = ORFF_ENGINE_STACK,
    .draws = true,
    .suits = suits,
    .compares = compares,
    .prepare = prepare,
    .read = read_rows,
    .serves = serves,
    .shares = shares,
    .borrow = borrow,
    .weight = weight,
    .size = size,
    .criterion = criterion,
    .learn = learn,
    .release = release,
    .kernel = kernel_of,
    .check_finite = check_finite,
    .describe = describe,
    .values = values,
    .covariance = covariance,
    .derive = orffi_stack_derive,
    .draw = orffi_stack_draw,
    .sum = sum,
    .pack = orffi_stack_pack,
    .add = orffi_stack_add,
    .load = orffi_stack_load,
    .free = orffi_stack_fit_free,
};
