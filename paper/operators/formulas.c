/* The formulas of the table of operators, at one point: the library against the explicit Phi(x), and the printed P_x^* P_x
 * against the right one. Also the complex map, the map with phases, and the root that does not exist. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operators.h"

#define SEED 3

/* ---- the operators of the library */

static double distance(size_t n, const double *a, const double *b) {
    double up = 0.0, down = 0.0;
    for (size_t i = 0; i < n; i++) {
        up += (a[i] - b[i]) * (a[i] - b[i]);
        down += b[i] * b[i];
    }
    return sqrt(up / down);
}

/* |G - G^T| / |G|. */
static double asymmetry(size_t n, const double *G) {
    double up = 0.0, down = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            up += pow(G[i * n + j] - G[j * n + i], 2);
            down += G[i * n + j] * G[i * n + j];
        }
    return sqrt(up / down);
}

/* Relative distance of the library's which from Phi^T theta, Phi y or Phi Phi^T theta. */
static double library_error(const operators_setup *s, size_t which) {
    double *Phi = paper_alloc(s->M * s->p, sizeof *Phi), *want = paper_alloc(s->M, sizeof *want),
           *y = paper_alloc(s->p, sizeof *y);
    paper_must(orff_features_map(s->features, s->X, Phi), "Phi");
    memcpy(y, s->Y, s->p * sizeof *y);
    if (which != 1) memset(y, 0, s->p * sizeof *y);
    for (size_t k = 0; which != 1 && k < s->M * s->p; k++) y[k % s->p] += Phi[k] * s->theta[k / s->p];
    for (size_t k = 0; k < s->M * s->p; k++) want[k / s->p] += Phi[k] * y[k % s->p];
    operators_call(s, which);
    const double error = which == 0 ? distance(s->p, s->Y, y) : distance(s->M, s->out, want);
    free(Phi);
    free(want);
    free(y);
    return error;
}

/* G (2Dc x 2Dc) with blocks phi_a phi_b T_ij, where T (D x D x c x c) is what stands between them in a formula. */
static double *gram(const operators_setup *s, size_t c, const double *T) {
    const size_t L = 2 * s->D, M = L * c;
    double *phi = paper_alloc(L, sizeof *phi), *G = paper_alloc(M * M, sizeof *G);
    paper_must(orff_features_phi(s->features, 1, s->X, phi), "phi");
    for (size_t a = 0; a < L; a++)
        for (size_t b = 0; b < L; b++)
            for (size_t k = 0; k < c * c; k++)
                G[(a * c + k / c) * M + b * c + k % c] =
                    phi[a] * phi[b] * T[((a % s->D) * s->D + b % s->D) * c * c + k];
    free(phi);
    return G;
}

typedef enum form { RIGHT, PRINTED, PRINTED_A } form;

/* Between phi_i and phi_j: B_i^T B_j, with the symmetric B = |w|(I - u u^T) of the paper for divergence-free, or what
 * the table prints: |w_j|^2, and I - w_j w_j^T; or, giving it the right A, |w_j|^2 I - w_j w_j^T. */
static void fill_between(const operators_setup *s, orff_rule rule, form f, const double *omega, size_t c,
                         double *T) {
    const size_t p = s->p;
    for (size_t i = 0; i < s->D; i++)
        for (size_t j = 0; j < s->D; j++) {
            const double *v = omega + i * p, *w = omega + j * p;
            double vv = 0.0, ww = 0.0, vw = 0.0, *t = T + (i * s->D + j) * c * c;
            for (size_t k = 0; k < p; k++) {
                vv += v[k] * v[k];
                ww += w[k] * w[k];
                vw += v[k] * w[k];
            }
            if (rule == ORFF_RULE_CURL_FREE) t[0] = f == RIGHT ? vw : ww;
            for (size_t k = 0; rule == ORFF_RULE_DIV_FREE && k < p * p; k++) {
                const size_t a = k / p, b = k % p;
                const double one = a == b ? 1.0 : 0.0, n = sqrt(vv * ww);
                /* (I - u_i u_i^T)(I - u_j u_j^T) n = n I - |w_j|/|w_i| w_i w_i^T - .. + (w_i.w_j) w_i w_j^T / n */
                t[k] = f == RIGHT
                           ? n * one - n / vv * v[a] * v[b] - n / ww * w[a] * w[b] + vw / n * v[a] * w[b]
                       : f == PRINTED ? one - w[a] * w[b]
                                      : ww * one - w[a] * w[b];
            }
        }
}

static double *formula(const operators_setup *s, orff_rule rule, form f, size_t c) {
    double *omega = paper_alloc(s->D * s->p, sizeof *omega), *T = paper_alloc(s->D * s->D * c * c, sizeof *T);
    paper_must(orff_features_frequencies(s->features, omega, NULL), "frequencies");
    fill_between(s, rule, f, omega, c, T);
    double *G = gram(s, c, T);
    free(T);
    free(omega);
    return G;
}

/* The Gram matrix of the library's own blocks, projected to what the symmetric B gives: K~(x,x) is the same for both, so
 * compare the values of Phi^T G Phi instead: trace(G) and trace(G^2) are those of K~ and K~^2. */
static double trace_error(const operators_setup *s, size_t M, const double *G) {
    double *K = paper_alloc(s->p * s->p, sizeof *K), t1 = 0.0, t2 = 0.0, k1 = 0.0, k2 = 0.0;
    paper_must(orff_features_kernel(s->features, s->X, s->X, K), "K~");
    for (size_t i = 0; i < M; i++) t1 += G[i * M + i];
    for (size_t i = 0; i < M * M; i++) t2 += G[i] * G[(i % M) * M + i / M];
    for (size_t i = 0; i < s->p; i++) k1 += K[i * s->p + i];
    for (size_t i = 0; i < s->p * s->p; i++) k2 += K[i] * K[i];
    free(K);
    return fmax(fabs(t1 - k1) / k1, fabs(t2 - k2) / k2);
}

static void check_operators(paper_table *table) {
    for (size_t r = 0; r < 3; r++) {
        operators_setup s = operators_setup_create(operators_rules[r], 6, 3, 1);
        const char *name = orff_rule_name(operators_rules[r]);
        for (size_t o = 0; o < 3; o++) {
            if (!paper_has(table, "%s/library %s", name, operators_names[o]))
                paper_row(table, "%s,library %s,%.2g,", name, operators_names[o], library_error(&s, o));
        }
        if (operators_rules[r] != ORFF_RULE_DECOMPOSABLE && !paper_has(table, "%s/right normal", name)) {
            const size_t c = operators_rules[r] == ORFF_RULE_CURL_FREE ? 1 : s.p, M = 2 * s.D * c;
            double *right = formula(&s, operators_rules[r], RIGHT, c),
                   *printed = formula(&s, operators_rules[r], PRINTED, c),
                   *with_A = formula(&s, operators_rules[r], PRINTED_A, c);
            paper_row(table, "%s,right normal,%.2g,%.2g", name, trace_error(&s, M, right),
                      asymmetry(M, right));
            paper_row(table, "%s,printed normal,%.4g,%.4g", name, distance(M * M, printed, right),
                      asymmetry(M, printed));
            if (c > 1)
                paper_row(table, "%s,printed normal with the right A,%.4g,%.4g", name,
                          distance(M * M, with_A, right), asymmetry(M, with_A));
            free(right);
            free(printed);
            free(with_A);
        }
        operators_setup_free(&s);
    }
}

/* ---- the two maps */

/* K~ of the complex map has an imaginary part, (1/D) sum sin<w,delta> A(w), which vanishes in the mean only. */
static void check_complex(paper_table *table, size_t D) {
    if (paper_has(table, "curl-free/imaginary part at D = %zu", D)) return;
    operators_setup s = operators_setup_create(ORFF_RULE_CURL_FREE, D, 3, 1);
    double *omega = paper_alloc(D * 3, sizeof *omega), K[9] = {0};
    paper_must(orff_features_frequencies(s.features, omega, NULL), "frequencies");
    for (size_t j = 0; j < D; j++) {
        const double *w = omega + 3 * j, angle = w[0] * s.X[0] + w[1] * s.X[1] + w[2] * s.X[2];
        for (size_t k = 0; k < 9; k++) K[k] += sin(angle) * w[k / 3] * w[k % 3] / (double)D;
    }
    paper_row(table, "curl-free,imaginary part at D = %zu,%.4g,", D,
              paper_spectral_norm(3, K)); /* |K(0)| = 1 */
    free(omega);
    operators_setup_free(&s);
}

/* Variance of one pair (cosine, sine) and of two cosines with random phases, at |delta| = sigma. */
static void check_phases(paper_table *table, size_t draws) {
    if (paper_has(table, "map/variance of two phases")) return;
    paper_random random = paper_random_start(SEED, 99);
    const double k = exp(-0.5), turn = 6.283185307179586;
    double pair = 0.0, phases = 0.0;
    for (size_t i = 0; i < draws; i++) {
        const double t = cos(paper_normal(&random)) - k;
        double sum = -k;
        for (int two = 0; two < 2; two++) {
            const double b = paper_uniform(&random, 0.0, turn);
            sum += cos(paper_normal(&random) + b) * cos(b);
        }
        pair += t * t / (double)draws;
        phases += sum * sum / (double)draws;
    }
    paper_row(table, "map,variance of a pair,%.4g,", pair);
    paper_row(table, "map,variance of two phases,%.4g,", phases);
}

/* I - w w^T at w = (1, 1.2). */
static void check_root(paper_table *table) {
    const double M[4] = {1.0 - 1.0, -1.2, -1.2, 1.0 - 1.44}, middle = (M[0] + M[3]) / 2.0,
                 radius = hypot((M[0] - M[3]) / 2.0, M[1]);
    if (!paper_has(table, "div-free/least eigenvalue of I - w w^T at w = (1; 1.2)"))
        paper_row(table, "div-free,least eigenvalue of I - w w^T at w = (1; 1.2),%.4g,", middle - radius);
}

void operators_check_formulas(paper_table *table, bool quick) {
    check_operators(table);
    check_root(table);
    check_complex(table, 6);
    check_complex(table, 600);
    check_phases(table, quick ? 200000 : 2000000);
}
