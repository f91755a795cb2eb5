/* The two tables of fast operators: P_x, P_x^* and P_x^* P_x of the three kernels, their formulas and their costs.
 *
 * Formulas (formulas.c): at one point, against the explicit Phi(x); the printed P_x^* P_x beside the right one. Costs:
 * time of the library for a point, alone or in a batch, against D and p with d = p, and exponents fitted to it; beside
 * it plain loops with the cost that the paper prints (dense blocks B, all pairs of features). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operators.h"

#define SEED    3
#define BATCH   64
#define FIXED_P 4   /* of the curves against D */
#define FIXED_D 512 /* of the curves against p */
#define DENSE_B 3   /* behind the three operators of the library: P_x by dense blocks ... */
#define PAIRS   4   /* ... and P_x^* P_x over all pairs of features */

const orff_rule operators_rules[3] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
const char *const operators_names[3] = {"apply", "adjoint", "normal"};

/* ---- a kernel at one size */

/* A positive matrix of full rank, so that the decomposable kernel has p' = p. */
static orff_kernel *make_kernel(orff_rule rule, size_t p) {
    orff_part part = orff_part_default();
    orff_kernel *kernel;
    double *A = paper_alloc(p * p, sizeof *A);
    for (size_t i = 0; i < p * p; i++) A[i] = pow(0.5, fabs((double)(i / p) - (double)(i % p)));
    part.rule = rule;
    if (rule == ORFF_RULE_DECOMPOSABLE) part.A = A;
    paper_must(orff_kernel_create(&kernel, p, p, 1, &part), "kernel");
    free(A);
    return kernel;
}

operators_setup operators_setup_create(orff_rule rule, size_t D, size_t p, size_t n) {
    paper_random random = paper_random_start(SEED, D + p);
    operators_setup s = {.D = D, .p = p, .n = n, .kernel = make_kernel(rule, p)};
    s.features = paper_features(s.kernel, ORFF_SCHEME_IID, ORFF_SWITCH_NO, D, SEED);
    s.M = orff_features_describe(s.features).parameters;
    s.X = paper_alloc(n * p, sizeof(double));
    s.Y = paper_alloc(n * p, sizeof(double));
    s.theta = paper_alloc(s.M, sizeof(double));
    s.out = paper_alloc(s.M, sizeof(double));
    paper_fill_uniform(&random, -1.0, 1.0, n * p, s.X);
    paper_fill_uniform(&random, -1.0, 1.0, n * p, s.Y);
    paper_fill_uniform(&random, -1.0, 1.0, s.M, s.theta);
    return s;
}

void operators_setup_free(operators_setup *s) {
    orff_features_free(s->features);
    orff_kernel_free(s->kernel);
    free(s->X);
    free(s->Y);
    free(s->theta);
    free(s->out);
}

/* ---- costs */

void operators_call(const operators_setup *s, size_t which) {
    if (which == 0)
        paper_must(orff_features_apply(s->features, s->n, s->X, s->theta, s->Y), "P_x");
    else if (which == 1)
        paper_must(orff_features_adjoint(s->features, s->n, s->X, s->Y, s->out), "P_x^*");
    else
        paper_must(orff_features_normal(s->features, s->n, s->X, s->theta, s->out), "P_x^* P_x");
}

static double *blocks_of(const operators_setup *s, size_t *columns) {
    double *B = NULL;
    for (size_t j = 0; j < s->D; j++) {
        paper_must(orff_features_block(s->features, j, columns, NULL), "columns");
        if (!B) B = paper_alloc(s->D * s->p * *columns, sizeof *B);
        paper_must(orff_features_block(s->features, j, columns, B + j * s->p * *columns), "B");
    }
    return B;
}

/* P_x with dense blocks, as printed for divergence-free: D p p' for each point. */
static void dense_apply(const operators_setup *s, const double *phi, const double *B, size_t columns) {
    double *f = s->Y;
    memset(f, 0, s->p * sizeof *f);
    for (size_t a = 0; a < 2 * s->D; a++) {
        const double *block = B + (a % s->D) * s->p * columns, *t = s->theta + a * columns;
        for (size_t i = 0; i < s->p; i++)
            for (size_t c = 0; c < columns; c++) f[i] += phi[a] * block[i * columns + c] * t[c];
    }
}

/* P_x^* P_x over all pairs of features: D^2 p p' for each point. */
static void all_pairs(const operators_setup *s, const double *phi, const double *B) { /* one column */
    for (size_t a = 0; a < 2 * s->D; a++) {
        const double *v = B + (a % s->D) * s->p;
        double sum = 0.0;
        for (size_t b = 0; b < 2 * s->D; b++) {
            const double *w = B + (b % s->D) * s->p;
            double product = 0.0;
            for (size_t k = 0; k < s->p; k++) product += v[k] * w[k];
            sum += phi[b] * product * s->theta[b];
        }
        s->out[a] = phi[a] * sum;
    }
}

typedef struct clocked {
    const operators_setup *s;
    size_t which; /* 0 .. 2: of the library; DENSE_B, PAIRS */
    double *phi, *B;
    size_t columns;
} clocked;

static void once(const clocked *c) {
    if (c->which < 3) {
        operators_call(c->s, c->which);
        return;
    }
    paper_must(orff_features_phi(c->s->features, 1, c->s->X, c->phi), "phi");
    if (c->which == DENSE_B)
        dense_apply(c->s, c->phi, c->B, c->columns);
    else
        all_pairs(c->s, c->phi, c->B);
}

/* Microseconds for a point: the least of some tries, each of as many calls as fill a millisecond. */
static double microseconds(const clocked *c, int tries) {
    double least = INFINITY;
    size_t calls = 1;
    for (int i = 0; i < tries; i++) {
        const double start = paper_cpu_seconds();
        for (size_t k = 0; k < calls; k++) once(c);
        const double taken = paper_cpu_seconds() - start;
        if (taken < 1e-3 && calls < 4096) {
            calls *= 4;
            i--;
            continue;
        }
        least = fmin(least, taken / (double)calls);
    }
    return 1e6 * least / (double)c->s->n;
}

static const char *name_of(size_t which) {
    static const char *const others[] = {"apply by dense B", "normal by all pairs"};
    return which < 3 ? operators_names[which] : others[which - DENSE_B];
}

static void cost(paper_table *table, orff_rule rule, size_t which, size_t n, size_t D, size_t p, int tries) {
    const char *name = name_of(which);
    if (paper_has(table, "%s/%s/%zu/%zu/%zu", orff_rule_name(rule), name, n, D, p)) return;
    operators_setup s = operators_setup_create(rule, D, p, n);
    clocked c = {.s = &s, .which = which};
    if (which >= 3) {
        c.phi = paper_alloc(2 * D, sizeof *c.phi);
        c.B = blocks_of(&s, &c.columns);
    }
    paper_row(table, "%s,%s,%zu,%zu,%zu,%.4g", orff_rule_name(rule), name, n, D, p, microseconds(&c, tries));
    free(c.phi);
    free(c.B);
    operators_setup_free(&s);
}

typedef struct sizes {
    size_t n_D, D[5], n_p, p[5];
} sizes;

static void both_curves(paper_table *table, const sizes *z, orff_rule rule, size_t which, size_t n,
                        int tries) {
    for (size_t i = 0; i < z->n_D; i++) cost(table, rule, which, n, z->D[i], FIXED_P, tries);
    for (size_t i = 0; i < z->n_p; i++) cost(table, rule, which, n, FIXED_D, z->p[i], tries);
}

/* ---- exponents */

/* What the paper prints for the time of a point, and what it is. */
static const char *const printed[3][3] = {
    {"D + pp'", "Dp' + pp'", "D^2 + Dp'^2"}, {"Dp", "Dp", "D^2 p + Dp"}, {"Dp^2", "Dp^2", "D^2 p + Dp^2"}};
static const char *const right[3][3] = {
    {"Dp' + pp'", "Dp' + pp'", "Dp' + p'^2"}, {"Dp", "Dp", "Dp"}, {"Dp", "Dp", "Dp"}};

/* Over the upper three sizes of each curve. */
static void fit_exponents(const paper_table *costs, paper_table *table, const sizes *z, size_t r,
                          size_t which, size_t n) {
    double x[3], y[3], slope[2];
    const char *rule = orff_rule_name(operators_rules[r]), *name = name_of(which);
    if (paper_has(table, "%s/%s/%zu", rule, name, n)) return;
    for (size_t side = 0; side < 2; side++) {
        const size_t count = side ? z->n_p : z->n_D;
        for (size_t i = 0; i < 3; i++) {
            const size_t size = side ? z->p[count - 3 + i] : z->D[count - 3 + i];
            x[i] = (double)size;
            y[i] = paper_value(costs, "microseconds", "%s/%s/%zu/%zu/%zu", rule, name, n,
                               side ? FIXED_D : size, side ? size : FIXED_P);
        }
        slope[side] = paper_slope(3, x, y);
    }
    paper_row(table, "%s,%s,%zu,%.2f,%.2f", rule, name, n, slope[0], slope[1]);
}

/* ---- words */

static double formula(const paper_table *t, const char *column, const char *key) {
    return paper_value(t, column, "%s", key);
}

static void agree_formulas(paper_run *run, const paper_table *t) {
    paper_agreement(run,
                    "The paper has two tables for one point x: formulas of P_x, P_x^* and P_x^* P_x for "
                    "the decomposable, curl-free and divergence-free features, and their costs.\n\n"
                    "## Formulas (D = 6, d = p = 3)\n\n"
                    "**Agrees:** P_x and P_x^* of all three and P_x^* P_x of the decomposable kernel. The "
                    "library is within %.0e of the explicit Phi(x) for all nine.\n\n",
                    fmax(fmax(formula(t, "error", "curl-free/library normal"),
                              formula(t, "error", "div-free/library normal")),
                         fmax(formula(t, "error", "decomposable/library normal"), 1e-16)));
    paper_agreement(run,
                    "**Differs:** row i of the printed P_x^* P_x has |w_j|^2 (curl-free) and I - w_j "
                    "w_j^T (divergence-free) where w_i.w_j and B_i^T B_j belong. The printed matrices are "
                    "off by %.2f and %.2f of the right ones (%.2f with the right A in place of I - w w^T) "
                    "and are not symmetric (asymmetry %.2f and %.2f), so that conjugate gradients on them "
                    "mean nothing. (I - w w^T)^(1/2) is no real matrix for |w| > 1: at w = (1, 1.2) an "
                    "eigenvalue of I - w w^T is %.2f. Right: |w| (I - u u^T), u = w/|w|.\n\n",
                    formula(t, "error", "curl-free/printed normal"),
                    formula(t, "error", "div-free/printed normal"),
                    formula(t, "error", "div-free/printed normal with the right A"),
                    formula(t, "asymmetry", "curl-free/printed normal"),
                    formula(t, "asymmetry", "div-free/printed normal"),
                    formula(t, "error", "div-free/least eigenvalue of I - w w^T at w = (1; 1.2)"));
    paper_agreement(
        run,
        "The table is for a complex map of D features; its K~ has an imaginary part, |Im K~|/|K(0)| = "
        "%.2f at D = 6 and %.3f at D = 600, here. The real map used by the library has 2D features. Per "
        "pair of features, at |delta| = sigma, its variance is %.4f against %.4f of cosines with random "
        "phases (theory: 0.1998, 0.3499).\n\n",
        formula(t, "error", "curl-free/imaginary part at D = 6"),
        formula(t, "error", "curl-free/imaginary part at D = 600"),
        formula(t, "error", "map/variance of a pair"), formula(t, "error", "map/variance of two phases"));
}

static void agree_costs(paper_run *run, const paper_table *t, const sizes *z) {
    paper_agreement(
        run,
        "## Costs\n\n"
        "Time ~ D^a p^b, fitted to the three largest sizes of each curve (D to %zu at p = %d, p to %zu at "
        "D = %d, d = p, one thread); the time includes that of phi, 2 D d and D pairs of cosine and sine, "
        "which the paper leaves out.\n\n"
        "| kernel | operator | printed | right | a, batch of %d | b | a, one point | b |\n"
        "|---|---|---|---|--:|--:|--:|--:|\n",
        z->D[z->n_D - 1], FIXED_P, z->p[z->n_p - 1], FIXED_D, BATCH);
    for (size_t r = 0; r < 3; r++)
        for (size_t o = 0; o < 3; o++) {
            const char *rule = orff_rule_name(operators_rules[r]), *name = operators_names[o];
            paper_agreement(run, "| %s | %s | %s | %s | %.2f | %.2f | %.2f | %.2f |\n", rule,
                            o == 0   ? "P_x"
                            : o == 1 ? "P_x^*"
                                     : "P_x^* P_x",
                            printed[r][o], right[r][o],
                            paper_value(t, "D_exponent", "%s/%s/%d", rule, name, BATCH),
                            paper_value(t, "p_exponent", "%s/%s/%d", rule, name, BATCH),
                            paper_value(t, "D_exponent", "%s/%s/1", rule, name),
                            paper_value(t, "p_exponent", "%s/%s/1", rule, name));
        }
    paper_agreement(run,
                    "\n"
                    "Plain loops that do what is printed: P_x of divergence-free by dense blocks D^%.2f "
                    "p^%.2f, P_x^* P_x of curl-free over all pairs of features D^%.2f p^%.2f.\n\n"
                    "**Differs:** nothing here needs D^2, and divergence-free costs no more than "
                    "curl-free: B = |w| (I - u u^T) is applied in p operations and never stored. P_x of "
                    "the decomposable kernel is O(Dp' + pp'), as the paper's text says, not O(D + pp') as "
                    "its table does. The library folds A into all coefficients first, O(D p p') for a "
                    "decomposable kernel with a full matrix, once for a call: more than needed for one "
                    "point, shared by the points of a batch, and still seen in its b above. Exponents of "
                    "D above 1 may be the cache, which a block of features outgrows.\n\n"
                    "Times are of the processor, not of the clock on the wall, and the least of several "
                    "tries: other programs ran on the machine meanwhile.\n",
                    paper_value(t, "D_exponent", "div-free/apply by dense B/1"),
                    paper_value(t, "p_exponent", "div-free/apply by dense B/1"),
                    paper_value(t, "D_exponent", "curl-free/normal by all pairs/1"),
                    paper_value(t, "p_exponent", "curl-free/normal by all pairs/1"));
}

/* ---- the item */

typedef struct curve {
    size_t rule, which, n;
} curve;

static size_t list_curves(curve *list) {
    size_t count = 0;
    for (size_t n = 0; n < 2; n++)
        for (size_t r = 0; r < 3; r++)
            for (size_t o = 0; o < 3; o++) list[count++] = (curve){r, o, n ? 1 : BATCH};
    list[count++] = (curve){2, DENSE_B, 1};
    list[count++] = (curve){1, PAIRS, 1};
    return count;
}

int paper_operators(paper_run *run) {
    const bool quick = paper_quick(run);
    sizes z = {5, {512, 1024, 2048, 4096, 8192}, 5, {8, 16, 32, 64, 128}};
    if (quick) z = (sizes){3, {256, 512, 1024}, 3, {8, 16, 32}};
    curve list[20];
    const size_t count = list_curves(list);
    paper_setting(run, "threads of the operators", "1");
    paper_setting(run, "time", "of the processor, least of %d tries of a millisecond or more", quick ? 3 : 8);
    paper_table *formulas = paper_table_open(run, "formulas.csv", 2, "kernel,check,error,asymmetry");
    paper_table *costs = paper_table_open(run, "costs.csv", 5, "kernel,operator,n,D,p,microseconds");
    paper_table *exponents =
        paper_table_open(run, "exponents.csv", 3, "kernel,operator,n,D_exponent,p_exponent");
    operators_check_formulas(formulas, quick);
    paper_must(orff_set_threads(1), "threads");
    for (size_t i = 0; i < count; i++) {
        paper_progress(run, (double)i, (double)count, "%s, %s", orff_rule_name(operators_rules[list[i].rule]),
                       name_of(list[i].which));
        both_curves(costs, &z, operators_rules[list[i].rule], list[i].which, list[i].n, quick ? 3 : 8);
        fit_exponents(costs, exponents, &z, list[i].rule, list[i].which, list[i].n);
    }
    paper_must(orff_set_threads(0), "threads");
    agree_formulas(run, formulas);
    agree_costs(run, exponents, &z);
    paper_plot(run, "operators", PAPER_WIDE, 104);
    return PAPER_DONE;
}
