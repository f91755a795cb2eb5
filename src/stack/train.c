/* Learning all layers together.
 *
 *     minimise  (1/N) sum c_i |f(x_i) - y_i|^2 + lambda sum_l ( |W_l - start|^2 + |theta_l|^2 )
 *
 * by steps of Adam (Kingma and Ba, 2015) on batches, through all layers. The last layer takes part in the
 * steps, and is solved in closed form every few epochs, when held-out rows decide whether the stack has
 * improved. lambda is the noise variance over the variance of a coefficient, which is the same in all
 * layers, over N. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "stack/gradient.h"
#include "stack/head.h"
#include "stack/train.h"

#define STREAM    0xada3u
#define SOLUTIONS 25   /* solutions of the last layer during training, about */
#define PATIENCE  4    /* of them without improvement mean that steps were too long ... */
#define SHORTER   0.3  /* ... and continue from the best, shorter by this factor ... */
#define RETURNS   3    /* ... so often; then training ends */
#define FIRST     0.9  /* decay of the mean gradient ... */
#define SECOND    0.99 /* ... and of its squares */
#define LOWEST    1e-10
#define HIGHEST   1.0
#define SOFT      1e-5 /* initial lower bound of lambda */
#define LAMBDAS   21   /* tried at the start: two per power of ten */
#define FACTOR    3.0  /* between lambdas tried later */
#define STEPS     2000 /* enough steps, about ... */
#define FEWEST    20   /* ... made in at least so many epochs ... */
#define MOST      400  /* ... and at most so many */
#define FOLLOWS   0.03 /* steps of the last layer, relative to its coefficients and to `rate` */

orff_stack_training orff_stack_training_default(void) {
    return (orff_stack_training){.batch = 256, .rate = 0.05, .folds = 5, .center = true};
}

typedef struct run {
    orff_stack *stack;
    const orff_stack_training *how;
    const orffi_split *split;
    orffi_stack_rows rows; /* rows to learn from, in the order of this epoch */
    size_t *order;
    orffi_slope *slope;
    size_t count, hidden;                /* number of parameters, of all layers and of all but the last */
    double *now, *start, *mean, *square; /* count each */
    double *gradient, *best, *step;
    double *intercept; /* p: of the best stack */
    size_t epochs;     /* largest number */
    uint64_t steps;
    double rate;   /* initial rate */
    double lambda; /* for the steps, on the rows learned from ... */
    double judged; /* ... and the one of smallest held-out error */
    orff_stack_report report;
} run;

static void clear(run *r) {
    double *const all[] = {r->now, r->start, r->mean, r->square, r->gradient, r->best, r->step, r->intercept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    orffi_release(r->order);
    orffi_slope_free(r->slope);
}

/* The centre of the penalty: W at the start, theta = 0. */
static void copy_start(run *r) {
    size_t at = 0;
    for (size_t l = 0; l < r->stack->n; l++) {
        const size_t count = orffi_layer_parameters(&r->stack->layers[l]);
        const size_t linear = count - r->stack->layers[l].features->M;
        memcpy(r->start + at, r->now + at, linear * sizeof *r->start);
        at += count;
    }
}

static orff_status allocate(run *r) {
    double **const all[] = {&r->now, &r->start, &r->mean, &r->square, &r->gradient, &r->best, &r->step};
    const orff_stack *stack = r->stack;
    r->count = orffi_stack_parameters(stack);
    r->hidden = r->count - orffi_layer_parameters(&stack->layers[stack->n - 1]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ORFFI_TRY(orffi_alloc(all[i], r->count, sizeof(double)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->intercept, stack->widths[stack->n]));
    ORFFI_TRY(ORFFI_NEW_ARRAY(r->order, r->split->learned));
    for (size_t i = 0; i < r->split->learned; i++) r->order[i] = i;
    r->rows = (orffi_stack_rows){.n = r->split->learned,
                                 .X = r->split->X,
                                 .Y = r->split->Y,
                                 .weights = r->split->weights,
                                 .order = r->order};
    orffi_stack_get(stack, r->now);
    copy_start(r);
    return orffi_slope_create(&r->slope, stack);
}

static size_t epochs_of(const run *r) {
    const double passes = ceil((double)STEPS * (double)r->how->batch / (double)r->split->learned);
    if (r->how->epochs) return r->how->epochs;
    return passes < FEWEST ? FEWEST : passes > MOST ? MOST : (size_t)passes;
}

/* ---- lengths of steps */

/* The length scale of a layer's kernel. */
static double scale_of(const orffi_layer *layer) {
    const orffi_spectrum *law = &layer->features->bank->groups[0].law;
    double sum = 0.0;
    if (!law->base) return 1.0;
    for (size_t i = 0; i < law->dim; i++) sum += log(law->scale[i]);
    return exp(sum / (double)law->dim);
}

/* The root mean square of the inputs that W multiplies. */
static double spread_of(const run *r) {
    const orffi_split *s = r->split;
    double sum = 0.0;
    for (size_t i = 0; i < s->learned * s->d; i++) sum += s->X[i] * s->X[i];
    return fmax(sqrt(sum / (double)(s->learned * s->d)), DBL_MIN);
}

/* One step changes the output of a hidden layer by about the rate, in length scales of the next layer. */
static void set_hidden_steps(run *r) {
    double *to = r->step;
    for (size_t l = 0; l + 1 < r->stack->n; l++) {
        const orffi_layer *layer = &r->stack->layers[l];
        const orff_features *f = layer->features;
        const double unit = scale_of(&r->stack->layers[l + 1]);
        const double spread = l ? scale_of(layer) : spread_of(r);
        for (size_t i = 0; i < f->p * f->d; i++) *to++ = unit / (spread * sqrt((double)f->d));
        for (size_t i = 0; i < f->M; i++) *to++ = unit / sqrt(2.0 * (double)f->D);
    }
}

static void set_last_steps(run *r) {
    const size_t M = r->count - r->hidden;
    double sum = 0.0;
    for (size_t i = r->hidden; i < r->count; i++) sum += r->now[i] * r->now[i];
    for (size_t i = r->hidden; i < r->count; i++) {
        r->step[i] = FOLLOWS * sqrt(sum / (double)M);
        r->mean[i] = 0.0;
    }
}

/* ---- steps */

static void shuffle(run *r, size_t epoch) {
    const orffi_rng rng = {.seed = r->how->seed, .stream = STREAM};
    for (size_t i = r->rows.n; i > 1; i--) {
        const size_t j = (size_t)orffi_rng_below(rng, i, (uint32_t)epoch, i), kept = r->order[i - 1];
        r->order[i - 1] = r->order[j];
        r->order[j] = kept;
    }
}

/* Falls from the initial rate to zero along half a cosine. */
static double rate_at(const run *r, size_t epoch) {
    const double along = (double)epoch / (double)r->epochs;
    return r->rate * 0.5 * (1.0 + cos(3.141592653589793 * along));
}

static void descend(run *r, double rate) {
    const double first = 1.0 - pow(FIRST, (double)r->steps), second = 1.0 - pow(SECOND, (double)r->steps);
    for (size_t i = 0; i < r->count; i++) {
        const double g = r->gradient[i];
        r->mean[i] += (1.0 - FIRST) * (g - r->mean[i]);
        r->square[i] += (1.0 - SECOND) * (g * g - r->square[i]);
        r->now[i] -= rate * r->step[i] * (r->mean[i] / first) / (sqrt(r->square[i] / second) + 1e-12);
    }
}

static void make_step(run *r, size_t first, size_t count, double rate) {
    double value, weight;
    orffi_slope_evaluate(r->slope, &r->rows, first, count, &value, &weight, r->gradient);
    if (!(weight > 0.0)) return;
    for (size_t i = 0; i < r->count; i++)
        r->gradient[i] = r->gradient[i] / weight + 2.0 * r->lambda * (r->now[i] - r->start[i]);
    r->steps++;
    descend(r, rate);
    orffi_stack_set(r->stack, r->now);
}

static void make_epoch(run *r, size_t epoch) {
    const size_t n = r->rows.n, batches = (n + r->how->batch - 1) / r->how->batch;
    const double rate = rate_at(r, epoch);
    shuffle(r, epoch);
    for (size_t b = 0; b < batches; b++) {
        const size_t first = b * n / batches, end = (b + 1) * n / batches;
        make_step(r, first, end - first, rate);
    }
}

/* ---- the last layer */

static void adopt_head(run *r, const orffi_head *head) {
    const orff_stack *stack = r->stack;
    memcpy(r->now + r->hidden, head->theta, (r->count - r->hidden) * sizeof *r->now);
    memcpy(stack->intercept, head->intercept, stack->widths[stack->n] * sizeof *stack->intercept);
    orffi_stack_set(r->stack, r->now);
    set_last_steps(r);
}

/* The best of `count` lambdas, starting with `low`, each `factor` times the previous one. */
static orff_status choose_lambda(run *r, orffi_head *head, double low, double factor, size_t count,
                                 double *error) {
    double own;
    *error = INFINITY;
    for (size_t l = 0; l < count; l++) {
        const double lambda = low * pow(factor, (double)l);
        ORFFI_TRY(orffi_head_try(head, lambda, &own, NULL));
        if (!(own <= *error)) continue;
        *error = own;
        r->judged = lambda;
    }
    if (isfinite(*error)) return ORFF_OK;
    return orffi_fail(ORFF_ERROR_NUMERICAL,
                      "the stack overflowed: give a smaller rate, or inputs and outputs in units that make "
                      "them neither huge nor tiny");
}

/* Tries the given lambda only; otherwise many in the first epoch, and later the neighbours of the best.
 * For the steps lambda has a lower bound that falls over the epochs, as a last layer that fits every row
 * leaves the others nothing to learn from. */
static orff_status solve_head(run *r, orffi_head *head, size_t epoch, double *error) {
    const orffi_split *s = r->split;
    const double given = r->how->lambda * (s->learned_weight + s->left_weight) / s->learned_weight;
    double size, own;
    ORFFI_TRY(orffi_head_size(head, &size));
    const double bound = size * SOFT * pow(LOWEST / SOFT, (double)epoch / (double)r->epochs);
    if (given > 0.0)
        ORFFI_TRY(choose_lambda(r, head, given, 1.0, 1, error));
    else if (epoch == 0)
        ORFFI_TRY(choose_lambda(r, head, LOWEST * size, pow(HIGHEST / LOWEST, 1.0 / (LAMBDAS - 1)), LAMBDAS,
                                error));
    else
        ORFFI_TRY(choose_lambda(r, head, fmax(r->judged / FACTOR, LOWEST * size), FACTOR, 3, error));
    r->lambda = given > 0.0 ? given : fmax(r->judged, bound);
    ORFFI_TRY(orffi_head_try(head, r->lambda, &own, NULL));
    adopt_head(r, head);
    return ORFF_OK;
}

static orff_status solve_last(run *r, size_t epoch, double *error) {
    orffi_head head = {0};
    orff_status status = orffi_head_fill(&head, r->stack, r->stack->layers[r->stack->n - 1].features,
                                         r->split, r->how->center);
    if (!status) status = solve_head(r, &head, epoch, error);
    orffi_head_clear(&head);
    return status;
}

static void keep_best(run *r, size_t epoch, double error) {
    const size_t p = r->stack->widths[r->stack->n];
    memcpy(r->best, r->now, r->count * sizeof *r->best);
    memcpy(r->intercept, r->stack->intercept, p * sizeof *r->intercept);
    r->report.best = epoch;
    r->report.error = error;
    r->report.lambda =
        r->judged * r->split->learned_weight / (r->split->learned_weight + r->split->left_weight);
}

/* ---- the training loop */

/* Returns to the best parameters and clears the memory of the optimiser. */
static void return_to_best(run *r) {
    memcpy(r->now, r->best, r->count * sizeof *r->now);
    memcpy(r->stack->intercept, r->intercept, r->stack->widths[r->stack->n] * sizeof *r->intercept);
    orffi_stack_set(r->stack, r->now);
    memset(r->mean, 0, r->count * sizeof *r->mean);
    memset(r->square, 0, r->count * sizeof *r->square);
    set_last_steps(r);
    r->steps = 0;
}

/* Judges the stack on the held-out rows. If it has not improved for long, steps were too long. */
static orff_status judge(run *r, size_t epoch, size_t *idle, size_t *returns) {
    double error;
    ORFFI_TRY(solve_last(r, epoch, &error));
    if (error < r->report.error) {
        keep_best(r, epoch, error);
        *idle = 0;
    } else if (++*idle == PATIENCE) {
        return_to_best(r);
        r->rate *= SHORTER;
        *idle = 0;
        ++*returns;
    }
    return ORFF_OK;
}

static orff_status make_epochs(run *r) {
    const size_t epochs = r->epochs, every = epochs > SOLUTIONS ? epochs / SOLUTIONS : 1;
    size_t idle = 0, returns = 0;
    for (size_t epoch = 0; epoch < epochs && returns < RETURNS; epoch++) {
        ORFFI_TRY(orffi_progress("training the stack", (double)epoch, (double)epochs));
        make_epoch(r, epoch);
        r->report.epochs = epoch + 1;
        if ((epoch + 1) % every == 0 || epoch + 1 == epochs) ORFFI_TRY(judge(r, epoch + 1, &idle, &returns));
    }
    return ORFF_OK;
}

static orff_status train(run *r) {
    double error;
    ORFFI_TRY(allocate(r));
    r->epochs = epochs_of(r);
    r->rate = r->how->rate;
    set_hidden_steps(r);
    ORFFI_TRY(solve_last(r, 0, &error));
    keep_best(r, 0, error);
    r->report.start = error;
    if (r->hidden) ORFFI_TRY(make_epochs(r));
    orffi_stack_set(r->stack, r->best);
    memcpy(r->stack->intercept, r->intercept, r->stack->widths[r->stack->n] * sizeof *r->intercept);
    return ORFF_OK;
}

orff_status orffi_stack_train(orff_stack *stack, const orffi_split *split, const orff_stack_training *how,
                              orff_stack_report *report) {
    run r = {.stack = stack, .how = how, .split = split};
    const int before = orffi_team_limit(1); /* the result must not depend on how BLAS divides its sums */
    const orff_status status = train(&r);
    orffi_team_limit(before);
    if (!status) *report = r.report;
    clear(&r);
    return status;
}

/* ---- public functions */

static orff_status check(const orff_stack *stack, size_t n, const double *X, const double *Y,
                         const double *weights, const orff_stack_training *how) {
    if (!stack || !n || !X || !Y || !how)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "orff_stack_train needs a stack, rows and how to learn");
    ORFFI_TRY(orffi_stack_check_training(how));
    ORFFI_TRY(orffi_check_finite("X", n, stack->widths[0], X));
    ORFFI_TRY(orffi_check_finite("Y", n, stack->widths[stack->n], Y));
    for (size_t i = 0; weights && i < n; i++)
        if (!(weights[i] >= 0.0 && isfinite(weights[i])))
            return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                              "the weight of row %zu is %g; it must not be negative", i + 1, weights[i]);
    return ORFF_OK;
}

orff_status orffi_stack_check_training(const orff_stack_training *how) {
    if (!how->batch)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "a stack needs at least one row in a batch");
    if (!(how->rate > 0.0 && isfinite(how->rate)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the rate is %g; it must be positive", how->rate);
    if (!(how->lambda >= 0.0 && isfinite(how->lambda)))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "lambda is %g; it must be positive, or 0 for auto",
                          how->lambda);
    if (how->folds < 2 || how->folds > 1000)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "%zu folds; a stack leaves out one of 2 to 1000",
                          how->folds);
    return ORFF_OK;
}

/* Solves the last layer on all rows, including the held-out ones. */
static orff_status solve_all(orff_stack *stack, size_t n, const double *X, const double *Y,
                             const double *weights, double lambda, bool center) {
    orffi_split all = {.n = n, .d = stack->widths[0], .p = stack->widths[stack->n], .learned = n};
    orffi_layer *last = &stack->layers[stack->n - 1];
    orffi_head head = {0};
    all.X = (double *)X;
    all.Y = (double *)Y;
    all.weights = (double *)weights;
    orff_status status = orffi_head_fill(&head, stack, last->features, &all, center);
    if (!status) status = orff_ridge_solve(head.ridge, lambda, last->theta, stack->intercept, NULL);
    if (!status) orffi_layer_fold(last);
    orffi_head_clear(&head);
    return status;
}

orff_status orff_stack_train(orff_stack *stack, size_t n, const double *X, const double *Y,
                             const double *weights, const orff_stack_training *how,
                             orff_stack_report *report) {
    orffi_split split = {0};
    orff_stack_report made = {0};
    ORFFI_TRY(check(stack, n, X, Y, weights, how));
    orff_status status =
        orffi_split_fill(&split, n, stack->widths[0], stack->widths[stack->n], X, Y, weights, how);
    if (!status) status = orffi_stack_train(stack, &split, how, &made);
    if (!status) status = solve_all(stack, n, X, Y, weights, made.lambda, how->center);
    if (!status && report) *report = made;
    orffi_split_clear(&split);
    return status;
}
