#include "stack/gradient.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

/* Multiplications in a block: with less work, a single thread is faster than waking others. */
#define LIGHT 4e6

enum { AT_ONCE = 8 }; /* blocks whose sums are stored separately, then added in order */

/* One block being processed. */
typedef struct lane {
    orffi_layer_pass walk;
    double *x; /* rows x d */
    double value, weight;
} lane;

struct orffi_slope {
    const orff_stack *stack;
    bool light; /* blocks are so little work that one thread is faster */
    lane lanes[AT_ONCE];
};

void orffi_slope_free(orffi_slope *slope) {
    if (!slope) return;
    for (size_t i = 0; i < AT_ONCE; i++) {
        orffi_layer_pass_clear(&slope->lanes[i].walk);
        orffi_release(slope->lanes[i].x);
    }
    orffi_release(slope);
}

/* Multiplications in a block, about: forward, backward and gradient; a cosine counts as several. */
static double work_of(const orff_stack *stack) {
    double sum = 0.0;
    for (size_t l = 0; l < stack->n; l++) {
        const orff_features *f = stack->layers[l].features;
        sum += (double)f->D * (6.0 * (double)f->p + 2.0 * (double)f->d + 20.0) +
               3.0 * (double)f->p * (double)f->d;
    }
    return ORFFI_STACK_ROWS * sum;
}

static orff_status fill(orffi_slope *slope) {
    slope->light = work_of(slope->stack) < LIGHT;
    for (size_t i = 0; i < AT_ONCE; i++) {
        ORFFI_TRY(orffi_layer_pass_init(&slope->lanes[i].walk, slope->stack, true));
        ORFFI_TRY(ORFFI_NEW_ARRAY(slope->lanes[i].x, ORFFI_STACK_ROWS * slope->stack->widths[0]));
    }
    return ORFF_OK;
}

orff_status orffi_slope_create(orffi_slope **out, const orff_stack *stack) {
    orffi_slope *slope;
    ORFFI_TRY(ORFFI_NEW(slope));
    slope->stack = stack;
    const orff_status status = fill(slope);
    if (status) {
        orffi_slope_free(slope);
    } else {
        *out = slope;
    }
    return status;
}

/* Sets g = dL/df = 2 c (f - y) for one row; f does not include the intercept. */
static void add_row(lane *l, const orff_stack *stack, const double *f, const double *y, double c, double *g) {
    const size_t p = stack->widths[stack->n];
    for (size_t k = 0; k < p; k++) {
        const double error = f[k] + stack->intercept[k] - y[k];
        l->value += c * error * error;
        g[k] = 2.0 * c * error;
    }
    l->weight += c;
}

static void run_lane(lane *l, const orff_stack *stack, const orffi_stack_rows *rows, size_t first,
                     size_t count, bool gradients) {
    const size_t d = stack->widths[0], p = stack->widths[stack->n];
    l->value = l->weight = 0.0;
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows->order ? rows->order[first + i] : first + i;
        memcpy(l->x + i * d, rows->X + row * d, d * sizeof *l->x);
    }
    orffi_layer_pass_forward(&l->walk, stack->n, count, l->x);
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows->order ? rows->order[first + i] : first + i;
        add_row(l, stack, l->walk.h[stack->n] + i * p, rows->Y + row * p,
                rows->weights ? rows->weights[row] : 1.0, l->walk.g + i * p);
    }
    if (!gradients) return;
    memset(l->walk.gradient, 0, orffi_stack_parameters(stack) * sizeof *l->walk.gradient);
    orffi_layer_pass_backward(&l->walk, count);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Processes up to AT_ONCE blocks, starting with the one at `first`. */
static void run_lanes(orffi_slope *slope, const orffi_stack_rows *rows, size_t first, size_t end,
                      size_t blocks, bool gradients) {
    const int threads = orffi_thread_count();
#pragma omp parallel for num_threads(threads) if (threads > 1 && blocks > 1) schedule(static, 1)
    for (size_t b = 0; b < blocks; b++) {
        const size_t at = first + b * ORFFI_STACK_ROWS;
        run_lane(&slope->lanes[b], slope->stack, rows, at, least(ORFFI_STACK_ROWS, end - at), gradients);
    }
}

void orffi_slope_evaluate(orffi_slope *slope, const orffi_stack_rows *rows, size_t first, size_t count,
                          double *value, double *weight, double *gradient) {
    const size_t parameters = orffi_stack_parameters(slope->stack), end = first + count;
    const bool alone = orffi_work_alone(slope->light);
    /* One thread for each matrix product, so that the result does not depend on the number of threads. */
    const int before = orffi_team_limit(1);
    *value = *weight = 0.0;
    if (gradient) memset(gradient, 0, parameters * sizeof *gradient);
    for (size_t at = first; at < end; at += AT_ONCE * ORFFI_STACK_ROWS) {
        const size_t blocks = least(AT_ONCE, (end - at + ORFFI_STACK_ROWS - 1) / ORFFI_STACK_ROWS);
        run_lanes(slope, rows, at, end, blocks, gradient != NULL);
        for (size_t b = 0; b < blocks; b++) {
            const lane *l = &slope->lanes[b];
            *value += l->value;
            *weight += l->weight;
            for (size_t i = 0; gradient && i < parameters; i++) gradient[i] += l->walk.gradient[i];
        }
    }
    orffi_team_limit(before);
    orffi_work_alone(alone);
}

/* ---- public functions */

static orff_status check(const orff_stack *stack, size_t n, const double *X, const double *Y,
                         const double *weights) {
    if (!stack || !n || !X || !Y)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_stack_loss needs a stack and rows");
    ORFFI_TRY(orffi_check_finite("X", n, stack->widths[0], X));
    ORFFI_TRY(orffi_check_finite("Y", n, stack->widths[stack->n], Y));
    return weights ? orffi_check_finite("weights", n, 1, weights) : ORFF_OK;
}

orff_status orff_stack_loss(const orff_stack *stack, size_t n, const double *X, const double *Y,
                            const double *weights, double *loss, double *gradient) {
    const orffi_stack_rows rows = {.n = n, .X = X, .Y = Y, .weights = weights};
    orffi_slope *slope;
    double value, weight;
    ORFFI_TRY(check(stack, n, X, Y, weights));
    ORFFI_TRY(orffi_slope_create(&slope, stack));
    orffi_slope_evaluate(slope, &rows, 0, n, &value, &weight, gradient);
    orffi_slope_free(slope);
    if (!(weight > 0.0))
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the weights of the rows are all zero");
    for (size_t i = 0; gradient && i < orffi_stack_parameters(stack); i++) gradient[i] /= weight;
    if (loss) *loss = value / weight;
    return ORFF_OK;
}
