/* The library orff_mpi under mpirun, on any number of ranks: prints what differs, and leaves with 1 then.
 *
 *     mpirun -n 3 check            all of it, small
 *     mpirun -n 4 check ridge D ROWS   a system of D features, timed, against LAPACK where D is at most 3000
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orff_mpi.h"

static int rank, size, wrong;

static void expect(bool holds, const char *what, double number) {
    if (holds) return;
    wrong = 1;
    printf("rank %d of %d: %s (%g): %s\n", rank, size, what, number, orff_mpi_error_message());
}

static double uniform(uint64_t i) {
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ i >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((i ^ i >> 31) >> 11) * 0x1p-53;
}

/* Row i of a field in the plane, with noise and weights. */
static void fill_row(uint64_t i, double *x, double *y, double *weight) {
    x[0] = 2.0 * uniform(4 * i) - 1.0;
    x[1] = 2.0 * uniform(4 * i + 1) - 1.0;
    y[0] = sin(3.0 * x[1]) + 0.2 * uniform(4 * i + 2);
    y[1] = cos(2.0 * x[0]) + 0.2 * uniform(4 * i + 3);
    *weight = 0.5 + uniform(7919 * i);
}

/* Rows first .. last - 1. */
typedef struct rows {
    uint64_t next, last;
} rows;

static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    rows *r = self;
    for (*n = 0; *n < room && r->next < r->last; ++*n, r->next++)
        fill_row(r->next, X + 2 * *n, Y + 2 * *n, weights + *n);
    return 0;
}

static orff_reader reader_of(rows *r, uint64_t first, uint64_t last) {
    *r = (rows){first, last};
    return (orff_reader){.read = read_rows, .self = r, .weighted = true};
}

/* Of n rows, this rank's. */
static orff_reader share_of(rows *r, uint64_t n) {
    return reader_of(r, n * (uint64_t)rank / (uint64_t)size, n * (uint64_t)(rank + 1) / (uint64_t)size);
}

/* ---- kernels and features */

typedef struct problem {
    orff_kernel *kernel;
    orff_features *features;
    size_t M;
} problem;

static problem make_problem(orff_rule rule, size_t D) {
    problem q;
    orff_part part = orff_part_default();
    orff_sampling sampling = orff_sampling_default();
    part.rule = rule;
    part.sigma = 0.5;
    sampling.features = D;
    if (orff_kernel_create(&q.kernel, 2, 2, 1, &part) ||
        orff_features_create(&q.features, q.kernel, &sampling)) {
        printf("%s\n", orff_error_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    q.M = orff_features_describe(q.features).parameters;
    return q;
}

static void free_problem(problem *q) {
    orff_features_free(q->features);
    orff_kernel_free(q->kernel);
}

static orff_moments *make_moments(const problem *q, uint64_t seed) {
    const orff_moments_settings how = {.folds = 3, .seed = seed};
    orff_moments *moments = NULL;
    expect(!orff_moments_create(&moments, q->features, &how), "moments", 0.0);
    return moments;
}

/* The largest difference over the largest number. */
static double distance(size_t count, const double *a, const double *b) {
    double far = 0.0, large = 1e-300;
    for (size_t i = 0; i < count; i++) {
        far = fmax(far, fabs(a[i] - b[i]));
        large = fmax(large, fabs(b[i]));
    }
    return far / large;
}

/* ---- agreeing */

static void check_agreement(void) {
    char message[64];
    expect(!orff_mpi_agree(MPI_COMM_WORLD, ORFF_OK, NULL), "all is well", 0.0);
    snprintf(message, sizeof message, "it was %d", rank);
    const orff_status mine = rank == size - 1 ? ORFF_ERROR_IO : ORFF_OK;
    const orff_status status = orff_mpi_agree(MPI_COMM_WORLD, mine, message);
    snprintf(message, sizeof message, "it was %d", size - 1);
    expect(status == ORFF_ERROR_IO, "the status of the one that failed", status);
    expect(strstr(orff_mpi_error_message(), message) != NULL, "its message", 0.0);
    expect(!orff_mpi_check_same(MPI_COMM_WORLD, 5, "number"), "the same number", 0.0);
    const orff_status differ = orff_mpi_check_same(MPI_COMM_WORLD, rank == 1 ? 6 : 5, "number");
    expect(differ == (size > 1 ? ORFF_ERROR_MISMATCH : ORFF_OK), "another number", differ);
}

/* ---- moments */

enum { ROWS = 3000, PORTIONS = 16 };

static double *numbers_of(const orff_moments *m) {
    double *numbers = malloc(orff_moments_size(m) * sizeof *numbers);
    expect(!orff_moments_get(m, 0, orff_moments_size(m), numbers), "numbers", 0.0);
    return numbers;
}

static void compare_moments(const orff_moments *sum, const orff_moments *whole, double tolerance,
                            const char *what) {
    double *a = numbers_of(sum), *b = numbers_of(whole);
    const double far = distance(orff_moments_size(whole), a, b);
    expect(orff_moments_describe(sum).rows == ROWS, "rows of the sum",
           (double)orff_moments_describe(sum).rows);
    expect(far <= tolerance, what, far);
    free(a);
    free(b);
}

static void check_reduction(const problem *q, const orff_moments *whole) {
    orff_moments *sum = make_moments(q, 1);
    rows r;
    const orff_reader mine = share_of(&r, ROWS);
    expect(!orff_moments_read(sum, &mine), "reading", 0.0);
    expect(!orff_mpi_moments_reduce(MPI_COMM_WORLD, sum, size - 1), "reducing", 0.0);
    if (rank == size - 1) compare_moments(sum, whole, 1e-12, "the sum over ranks");
    orff_moments_free(sum);
}

/* In portions, one after another in one process: bit for bit what many make of them. */
static orff_moments *sum_portions(const problem *q, MPI_Comm comm, int n, int r) {
    orff_moments *all = make_moments(q, 1), *one = NULL;
    orff_mpi_sum *sum = NULL;
    orff_status status = orff_mpi_sum_create(&sum, orff_moments_size(all));
    for (int k = PORTIONS * r / n; !status && k < PORTIONS * (r + 1) / n; k++) {
        rows own;
        const orff_reader portion =
            reader_of(&own, (uint64_t)(ROWS * k / PORTIONS), (uint64_t)(ROWS * (k + 1) / PORTIONS));
        status = orff_moments_create_like(&one, all);
        if (!status) status = orff_moments_read(one, &portion);
        if (!status) status = orff_mpi_sum_add_moments(sum, one);
        orff_moments_free(one);
    }
    expect(!status, "portions", status);
    expect(!orff_mpi_sum_moments(comm, sum, all, 0), "adding portions", 0.0);
    orff_mpi_sum_free(sum);
    return all;
}

static void check_portions(const problem *q, const orff_moments *whole) {
    orff_moments *many = sum_portions(q, MPI_COMM_WORLD, size, rank);
    orff_moments *alone = sum_portions(q, MPI_COMM_SELF, 1, 0);
    if (rank == 0) compare_moments(many, whole, 1e-12, "the sum over portions");
    if (rank == 0) compare_moments(many, alone, 0.0, "the sum over portions on many ranks and on one");
    orff_moments_free(many);
    orff_moments_free(alone);
}

/* Rows of which only those of the last rank miss outputs, or of which all have errors. */
static orff_observations observe(uint64_t first, size_t n, bool errors, double *X, double *Y, double *weights,
                                 double *known) {
    rows r = {first, first + n};
    size_t got;
    read_rows(&r, n, X, Y, weights, &got);
    for (size_t i = 0; i < n; i++) {
        const uint64_t row = first + i;
        if (!errors && row >= ROWS - 100 && row % 3 == 0) Y[2 * i + row % 2] = NAN;
        known[2 * i] = 0.5 + uniform(31 * row);
        known[2 * i + 1] = 0.5 + uniform(37 * row);
    }
    return (orff_observations){
        .d = 2, .p = 2, .n = n, .X = X, .Y = Y, .weights = weights, .errors = errors ? known : NULL};
}

static orff_moments *sum_observed(const problem *q, bool errors, int n, int r) {
    static double X[2 * ROWS], Y[2 * ROWS], weights[ROWS], known[2 * ROWS];
    orff_moments *sum = make_moments(q, 1);
    const uint64_t first = (uint64_t)(ROWS * r / n), last = (uint64_t)(ROWS * (r + 1) / n);
    const orff_observations o = observe(first, (size_t)(last - first), errors, X, Y, weights, known);
    expect(!orff_moments_accumulate_observations(sum, &o), "observations", 0.0);
    return sum;
}

static void check_observed(const problem *q, bool errors) {
    orff_moments *sum = sum_observed(q, errors, size, rank), *whole = sum_observed(q, errors, 1, 0);
    expect(!orff_mpi_moments_reduce(MPI_COMM_WORLD, sum, 0), "reducing rows that are not whole", 0.0);
    if (rank == 0) compare_moments(sum, whole, 1e-12, "the sum of rows that are not whole");
    if (rank == 0 && errors) {
        const double none[2] = {0.0, 0.0};
        const orff_status status = orff_moments_accumulate(sum, 1, none, none, NULL);
        expect(status == ORFF_ERROR_MISMATCH, "rows without errors among others", status);
    }
    orff_moments_free(sum);
    orff_moments_free(whole);
}

static void check_mismatch(const problem *q) {
    orff_moments *other = make_moments(q, rank == 1 ? 8 : 7);
    const orff_status status = orff_mpi_moments_reduce(MPI_COMM_WORLD, other, 0);
    expect(status == (size > 1 ? ORFF_ERROR_MISMATCH : ORFF_OK), "moments that do not add up", status);
    orff_moments_free(other);
}

static void check_moments(void) {
    problem q = make_problem(ORFF_RULE_DIV_FREE, 40);
    orff_moments *whole = make_moments(&q, 1);
    rows r;
    const orff_reader all = reader_of(&r, 0, ROWS);
    expect(!orff_moments_read(whole, &all), "reading all", 0.0);
    check_reduction(&q, whole);
    check_portions(&q, whole);
    check_observed(&q, false);
    check_observed(&q, true);
    check_mismatch(&q);
    orff_moments_free(whole);
    free_problem(&q);
}

/* ---- lattices */

static orff_lattice_moments *make_lattice(void) {
    static const double low[] = {-1.0, -1.0}, high[] = {1.0, 1.0};
    orff_part part = orff_part_default();
    part.sigma = 0.7;
    const orff_lattice_need need = {
        .d = 2, .p = 2, .low = low, .high = high, .n_parts = 1, .parts = &part, .folds = 2};
    orff_lattice_moments *moments = NULL;
    expect(!orff_lattice_moments_create(&moments, &need), orff_error_message(), 0.0);
    return moments;
}

static void check_lattice(void) {
    orff_lattice_moments *sum = make_lattice(), *whole = make_lattice();
    const uint64_t count = orff_lattice_moments_size(whole);
    double *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    rows r;
    orff_reader reader = share_of(&r, ROWS);
    expect(!orff_lattice_moments_read(sum, &reader), "reading", 0.0);
    reader = reader_of(&r, 0, ROWS);
    expect(!orff_lattice_moments_read(whole, &reader), "reading all", 0.0);
    expect(!orff_mpi_lattice_moments_reduce(MPI_COMM_WORLD, sum, 0), "reducing a lattice", 0.0);
    expect(!orff_lattice_moments_get(sum, 0, count, a), "numbers", 0.0);
    expect(!orff_lattice_moments_get(whole, 0, count, b), "numbers", 0.0);
    if (rank == 0) expect(distance(count, a, b) <= 1e-12, "the sum of lattices", distance(count, a, b));
    if (rank == 0)
        expect(orff_lattice_moments_describe(sum).rows == ROWS, "rows of the sum of lattices",
               (double)orff_lattice_moments_describe(sum).rows);
    free(a);
    free(b);
    orff_lattice_moments_free(sum);
    orff_lattice_moments_free(whole);
}

/* ---- large systems */

#define LAMBDA 1e-4

/* By moments and LAPACK, in this process. */
static double solve_alone(const problem *q, uint64_t n, double *theta, double *mean) {
    orff_moments *whole = NULL;
    orff_ridge *ridge = NULL;
    rows r;
    const orff_moments_settings how = {.folds = 1};
    const orff_reader all = reader_of(&r, 0, n);
    expect(!orff_moments_create(&whole, q->features, &how) && !orff_moments_read(whole, &all), "moments",
           0.0);
    const double start = MPI_Wtime();
    expect(!orff_ridge_create(&ridge, q->features, whole, true) &&
               !orff_ridge_solve(ridge, LAMBDA, theta, mean, NULL),
           orff_error_message(), 0.0);
    const double seconds = MPI_Wtime() - start;
    orff_ridge_free(ridge);
    orff_moments_free(whole);
    return seconds;
}

static void check_ridge(orff_rule rule, size_t D, uint64_t n, bool speaks) {
    problem q = make_problem(rule, D);
    double *theta = malloc(q.M * sizeof *theta), *alone = malloc(q.M * sizeof *alone), mean[2], own_mean[2];
    orff_mpi_ridge_info info = {0};
    rows r;
    const orff_reader mine = share_of(&r, n);
    const orff_status status =
        orff_mpi_ridge(MPI_COMM_WORLD, q.kernel, q.features, &mine, true, LAMBDA, theta, mean, &info);
    if (status == ORFF_ERROR_UNSUPPORTED && strstr(orff_mpi_error_message(), "no ScaLAPACK")) {
        if (rank == 0) printf("no ScaLAPACK: not tested\n");
    } else {
        expect(!status, "ridge in pieces", status);
        expect(status || info.rows == n, "its rows", (double)info.rows);
    }
    if (!status && speaks && rank == 0)
        printf("order %zu on %d x %d ranks, %llu rows: filled in %.2f s, solved in %.2f s; this rank had "
               "%.1f MB of the matrix and "
               "was sent %.1f MB\n",
               info.order, info.grid[0], info.grid[1], (unsigned long long)n, info.fill_seconds,
               info.solve_seconds, 1e-6 * info.matrix_bytes, 1e-6 * info.row_bytes);
    if (!status && D <= 3000 && rank == 0) {
        const double seconds = solve_alone(&q, n, alone, own_mean);
        const double far = distance(q.M, theta, alone);
        expect(far <= 1e-10, "theta in pieces and whole", far);
        expect(fabs(mean[0] - own_mean[0]) <= 1e-12, "the mean", mean[0] - own_mean[0]);
        if (speaks) printf("LAPACK in one process: solved in %.2f s; theta differs by %.1e\n", seconds, far);
    }
    free(theta);
    free(alone);
    free_problem(&q);
}

static int read_badly(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    (void)self, (void)room, (void)X, (void)Y, (void)weights;
    *n = 0;
    return rank == size - 1;
}

/* A reader that fails on one rank fails on all; so does a matrix that is not positive. */
static void check_ridge_failures(void) {
    problem q = make_problem(ORFF_RULE_DECOMPOSABLE, 20);
    double *theta = malloc(q.M * sizeof *theta), mean[2];
    const orff_reader bad = {.read = read_badly};
    const orff_status status =
        orff_mpi_ridge(MPI_COMM_WORLD, q.kernel, q.features, &bad, true, LAMBDA, theta, mean, NULL);
    expect(status == ORFF_ERROR_CALLBACK || status == ORFF_ERROR_UNSUPPORTED, "a reader that fails", status);
    free(theta);
    free_problem(&q);
}

/* ---- iteration */

/* The largest difference of predictions at some points, over the largest. */
static double apart(const problem *q, const double *theta, const double *other) {
    enum { POINTS = 50 };
    double X[2 * POINTS], F[2 * POINTS], G[2 * POINTS], y[2], weight;
    for (uint64_t i = 0; i < POINTS; i++) fill_row(100000 + i, X + 2 * i, y, &weight);
    expect(!orff_features_apply(q->features, POINTS, X, theta, F) &&
               !orff_features_apply(q->features, POINTS, X, other, G),
           "predictions", 0.0);
    return distance((size_t)2 * POINTS, F, G);
}

/* n rows, of which the ranks but one (of three or more) have a share: the same as by moments. */
static void check_iteration(orff_solver solver, orff_rule rule, size_t D, uint64_t n) {
    problem q = make_problem(rule, D);
    double *theta = calloc(q.M, sizeof *theta), *alone = malloc(q.M * sizeof *alone), mean[2], own_mean[2];
    orff_iteration how = orff_iteration_default();
    orff_mpi_iterate_info info = {0};
    const uint64_t sharers = size > 2 ? (uint64_t)size - 1 : (uint64_t)size, me = (uint64_t)rank;
    rows r;
    const orff_reader mine =
        me < sharers ? reader_of(&r, n * me / sharers, n * (me + 1) / sharers) : reader_of(&r, 0, 0);
    how.solver = solver;
    how.lambda = LAMBDA;
    const orff_status status =
        orff_mpi_iterate(MPI_COMM_WORLD, q.features, &mine, true, &how, theta, mean, &info);
    expect(!status && info.solve.converged, orff_solver_name(solver), info.solve.residual);
    expect(info.rows == n, "rows of an iteration", (double)info.rows);
    solve_alone(&q, n, alone, own_mean);
    expect(apart(&q, theta, alone) <= 1e-6, "predictions by iteration and by moments",
           apart(&q, theta, alone));
    expect(fabs(mean[0] - own_mean[0]) <= 1e-12, "the mean of an iteration", mean[0] - own_mean[0]);
    MPI_Bcast(memcpy(alone, theta, q.M * sizeof *theta), (int)q.M, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    expect(!memcmp(alone, theta, q.M * sizeof *theta), "all ranks have the same theta", 0.0);
    free(theta);
    free(alone);
    free_problem(&q);
}

/* Long before it converges, with rows in several blocks: what one process with all rows has. */
static void check_iteration_digits(orff_solver solver, uint64_t n) {
    problem q = make_problem(ORFF_RULE_DIV_FREE, 40);
    double *theta = calloc(q.M, sizeof *theta), *alone = calloc(q.M, sizeof *alone), mean[2];
    orff_iteration how = orff_iteration_default();
    rows r;
    orff_reader reader = share_of(&r, n);
    how.solver = solver;
    how.lambda = 1e-10;
    how.tolerance = 0.0;
    how.max_iterations = 60;
    orff_status status = orff_mpi_iterate(MPI_COMM_WORLD, q.features, &reader, true, &how, theta, mean, NULL);
    reader = reader_of(&r, 0, n);
    if (!status) status = orff_mpi_iterate(MPI_COMM_SELF, q.features, &reader, true, &how, alone, mean, NULL);
    expect(!status, "60 iterations", status);
    expect(apart(&q, theta, alone) <= 1e-10, "predictions after 60 iterations, by ranks and by one",
           apart(&q, theta, alone));
    free(theta);
    free(alone);
    free_problem(&q);
}

/* One rank's rows are not finite; one rank has another limit of iterations; no rank has rows. Nobody waits for ever. */
static int read_infinite(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    const int trouble = read_rows(self, room, X, Y, weights, n);
    if (rank == size - 1 && *n) Y[0] = (double)NAN;
    return trouble;
}

static void check_iteration_failures(void) {
    problem q = make_problem(ORFF_RULE_DIV_FREE, 20);
    double *theta = calloc(q.M, sizeof *theta), mean[2];
    orff_iteration how = orff_iteration_default();
    rows r;
    orff_reader reader = share_of(&r, 300);
    reader.read = read_infinite;
    orff_status status = orff_mpi_iterate(MPI_COMM_WORLD, q.features, &reader, true, &how, theta, mean, NULL);
    expect(status == ORFF_ERROR_NOT_FINITE || status == ORFF_ERROR_INVALID_ARGUMENT,
           "a row that is not finite", status);
    how.tolerance = 0.0;
    how.max_iterations = rank == 1 ? 3 : 4;
    reader = share_of(&r, 300);
    status = orff_mpi_iterate(MPI_COMM_WORLD, q.features, &reader, true, &how, theta, mean, NULL);
    expect(status == (size > 1 ? ORFF_ERROR_MISMATCH : ORFF_OK), "another limit of iterations", status);
    reader = reader_of(&r, 0, 0);
    status = orff_mpi_iterate(MPI_COMM_WORLD, q.features, &reader, true, &how, theta, mean, NULL);
    expect(status == ORFF_ERROR_INVALID_ARGUMENT, "no rows", status);
    how.solver = ORFF_SOLVER_SGD;
    reader = share_of(&r, 300);
    status = orff_mpi_iterate(MPI_COMM_WORLD, q.features, &reader, true, &how, theta, mean, NULL);
    expect(status == ORFF_ERROR_UNSUPPORTED, "a solver that has no sums", status);
    free(theta);
    free_problem(&q);
}

int main(int count, char **words) {
    int any;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count > 3) {
        check_ridge(ORFF_RULE_DECOMPOSABLE, (size_t)strtoul(words[2], NULL, 10), strtoull(words[3], NULL, 10),
                    true);
    } else {
        check_agreement();
        check_moments();
        check_lattice();
        check_ridge(ORFF_RULE_DECOMPOSABLE, 150, 2000, false);
        check_ridge(ORFF_RULE_DIV_FREE, 150, 2000, false);
        check_ridge(ORFF_RULE_HELMHOLTZ, 77, 2000, false);
        check_ridge(ORFF_RULE_DECOMPOSABLE, 560, 7500, false); /* several rounds, parts of different sizes */
        check_ridge_failures();
        check_iteration(ORFF_SOLVER_PCG, ORFF_RULE_DIV_FREE, 60, 1500);
        check_iteration(ORFF_SOLVER_PCG, ORFF_RULE_DECOMPOSABLE, 60, 1500);
        check_iteration(ORFF_SOLVER_LSMR, ORFF_RULE_DIV_FREE, 60, 1500);
        check_iteration(ORFF_SOLVER_IDR, ORFF_RULE_DIV_FREE, 60, 1500);
        check_iteration_digits(ORFF_SOLVER_LSMR, 13001);
        check_iteration_digits(ORFF_SOLVER_IDR, 13001);
        check_iteration_failures();
    }
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!any && rank == 0) printf("all is well on %d ranks\n", size);
    MPI_Finalize();
    return any;
}
