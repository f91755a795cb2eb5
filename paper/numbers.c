/* Random numbers for the experiments' data (the library draws its own), statistics, norms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

/* ---- xoshiro256++, its state filled by splitmix64 */

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t turned(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

static uint64_t next(paper_random *random) {
    uint64_t *s = random->state;
    const uint64_t result = turned(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = turned(s[3], 45);
    return result;
}

paper_random paper_random_start(uint64_t seed, uint64_t stream) {
    paper_random random;
    uint64_t mixed = stream;
    uint64_t state = seed ^ splitmix(&mixed);
    for (size_t i = 0; i < 4; i++) random.state[i] = splitmix(&state);
    return random;
}

double paper_uniform(paper_random *random, double low, double high) {
    return low + (high - low) * ((double)(next(random) >> 11) * 0x1p-53);
}

/* Box and Muller, one of the pair. */
double paper_normal(paper_random *random) {
    const double radius = sqrt(-2.0 * log(1.0 - paper_uniform(random, 0.0, 1.0)));
    return radius * cos(6.283185307179586 * paper_uniform(random, 0.0, 1.0));
}

void paper_fill_uniform(paper_random *random, double low, double high, size_t n, double *values) {
    for (size_t i = 0; i < n; i++) values[i] = paper_uniform(random, low, high);
}

/* ---- statistics */

double paper_mean(size_t n, const double *values) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

double paper_deviation(size_t n, const double *values) {
    if (n < 2) return 0.0;
    const double mean = paper_mean(n, values);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(n - 1));
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double paper_quantile(size_t n, const double *values, double part) {
    double *sorted = paper_alloc(n, sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    const double place = part * (double)(n - 1);
    const size_t below = (size_t)floor(place), above = below + 1 < n ? below + 1 : below;
    const double result = sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
    free(sorted);
    return result;
}

double paper_slope(size_t n, const double *x, const double *y) {
    double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0;
    for (size_t i = 0; i < n; i++) {
        mx += log(x[i]) / (double)n;
        my += log(y[i]) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
    }
    return xy / xx;
}

double paper_mse(size_t n, const double *values, const double *truth) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (values[i] - truth[i]) * (values[i] - truth[i]);
    return sum / (double)n;
}

double paper_spectral_norm(size_t p, const double *symmetric) {
    double norm = 0.0;
    paper_must(orff_spectral_norm(p, p, symmetric, &norm), "spectral norm");
    return norm;
}
