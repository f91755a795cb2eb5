/* Forward and backward passes of blocks of rows through a stack. */
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "stack/stack.h"

/* ---- memory */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

typedef struct sizes {
    size_t length, products, scratch, width;
} sizes;

static sizes largest_of(const orff_stack *stack) {
    sizes most = {.width = stack->widths[0]};
    for (size_t l = 0; l < stack->n; l++) {
        const orff_features *f = stack->layers[l].features;
        most.length = larger(most.length, 2 * f->D);
        most.products = larger(most.products, 2 * f->D * f->p + f->M);
        most.scratch = larger(most.scratch, orffi_bank_scratch(f->bank));
        most.width = larger(most.width, stack->widths[l + 1]);
    }
    return most;
}

orff_status orffi_layer_pass_init(orffi_layer_pass *walk, const orff_stack *stack, bool gradients) {
    const sizes most = largest_of(stack);
    *walk = (orffi_layer_pass){.stack = stack};
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->phi, stack->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->h, stack->n + 1));
    for (size_t l = 0; l < stack->n; l++) {
        ORFFI_TRY(ORFFI_NEW_ARRAY(walk->phi[l], ORFFI_STACK_ROWS * 2 * stack->layers[l].features->D));
        ORFFI_TRY(ORFFI_NEW_ARRAY(walk->h[l + 1], ORFFI_STACK_ROWS * stack->widths[l + 1]));
    }
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->scratch, most.scratch));
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->turned, ORFFI_STACK_ROWS * most.length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->U, most.products));
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->g, ORFFI_STACK_ROWS * most.width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(walk->back, ORFFI_STACK_ROWS * most.width));
    return gradients ? ORFFI_NEW_ARRAY(walk->gradient, orffi_stack_parameters(stack)) : ORFF_OK;
}

void orffi_layer_pass_clear(orffi_layer_pass *walk) {
    for (size_t l = 0; walk->phi && l < walk->stack->n; l++) orffi_release(walk->phi[l]);
    for (size_t l = 1; walk->h && l <= walk->stack->n; l++) orffi_release(walk->h[l]);
    orffi_release(walk->phi);
    orffi_release(walk->h);
    double *const all[] = {walk->scratch, walk->turned, walk->U, walk->g, walk->back, walk->gradient};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
    memset(walk, 0, sizeof *walk);
}

/* ---- one block */

void orffi_layer_pass_forward(orffi_layer_pass *walk, size_t layers, size_t n, double *x) {
    walk->h[0] = x;
    for (size_t l = 0; l < layers; l++)
        orffi_layer_forward(&walk->stack->layers[l], n, walk->h[l], walk->phi[l], walk->scratch,
                            walk->h[l + 1]);
}

void orffi_layer_pass_backward(orffi_layer_pass *walk, size_t n) {
    const orff_stack *stack = walk->stack;
    double *gradient = walk->gradient ? walk->gradient + orffi_stack_parameters(stack) : NULL;
    for (size_t l = stack->n; l-- > 0;) {
        double *const kept = walk->g;
        if (gradient) gradient -= orffi_layer_parameters(&stack->layers[l]);
        orffi_layer_backward(&stack->layers[l], n, walk->h[l], walk->phi[l], walk->g, walk->turned, walk->U,
                             gradient, walk->back);
        walk->g = walk->back;
        walk->back = kept;
    }
}

/* ---- many blocks, with several threads */

/* A request at n points. */
typedef struct question {
    const orff_stack *stack;
    size_t layers; /* the values after so many layers ... */
    bool slopes;   /* ... or the Jacobian of all */
    size_t n;
    const double *X;
    double *out;
} question;

static void answer_values(const question *q, orffi_layer_pass *walk, size_t first, size_t rows) {
    const size_t p = q->stack->widths[q->layers];
    const double *from = walk->h[q->layers];
    double *to = q->out + first * p;
    memcpy(to, from, rows * p * sizeof *to);
    for (size_t i = 0; q->layers == q->stack->n && i < rows * p; i++) to[i] += q->stack->intercept[i % p];
}

/* Row k of every Jacobian is the backward pass of the unit vector k. */
static void answer_slopes(const question *q, orffi_layer_pass *walk, size_t first, size_t rows) {
    const size_t d = q->stack->widths[0], p = q->stack->widths[q->stack->n];
    for (size_t k = 0; k < p; k++) {
        memset(walk->g, 0, rows * p * sizeof *walk->g);
        for (size_t i = 0; i < rows; i++) walk->g[i * p + k] = 1.0;
        orffi_layer_pass_backward(walk, rows);
        for (size_t i = 0; i < rows; i++)
            memcpy(q->out + ((first + i) * p + k) * d, walk->g + i * d, d * sizeof *q->out);
    }
}

static void answer(const question *q, orffi_layer_pass *walk, size_t block) {
    const size_t first = block * ORFFI_STACK_ROWS, left = q->n - first;
    const size_t rows = left < ORFFI_STACK_ROWS ? left : ORFFI_STACK_ROWS;
    orffi_layer_pass_forward(walk, q->layers, rows, (double *)q->X + first * q->stack->widths[0]);
    (q->slopes ? answer_slopes : answer_values)(q, walk, first, rows);
}

static orff_status ask(const question *q) {
    const int threads = orffi_thread_count();
    const size_t blocks = (q->n + ORFFI_STACK_ROWS - 1) / ORFFI_STACK_ROWS;
    const size_t count = blocks < (size_t)threads ? blocks : (size_t)threads;
    orffi_layer_pass *walks;
    ORFFI_TRY(ORFFI_NEW_ARRAY(walks, count));
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < count; i++) status = orffi_layer_pass_init(&walks[i], q->stack, false);
    if (!status) {
#pragma omp parallel for num_threads((int)count) if (count > 1) schedule(dynamic, 1)
        for (size_t b = 0; b < blocks; b++) answer(q, &walks[orffi_thread_index()], b);
    }
    for (size_t i = 0; i < count; i++) orffi_layer_pass_clear(&walks[i]);
    orffi_release(walks);
    return status;
}

orff_status orffi_stack_values(const orff_stack *stack, size_t layers, size_t n, const double *X, double *H) {
    return ask(&(question){.stack = stack, .layers = layers, .n = n, .X = X, .out = H});
}

orff_status orffi_stack_slopes(const orff_stack *stack, size_t n, const double *X, double *J) {
    return ask(&(question){.stack = stack, .layers = stack->n, .slopes = true, .n = n, .X = X, .out = J});
}
