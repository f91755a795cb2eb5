/* How fast random features approach an operator-valued kernel: orff-demo DIR
 *
 * For three kernels on [-1,1]^4 with values in 4 x 4 matrices and three ways of choosing D frequencies,
 * prints the error |K~(x,z) - K(x,z)| / |K(0)| in spectral norm, and draws it to DIR/approximation.svg with
 * gnuplot. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <orff.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIM = 4, POINTS = 20, PAIRS = POINTS * POINTS, SEEDS = 5, SIZES = 8, KERNELS = 3, SCHEMES = 3 };

static const orff_rule rules[KERNELS] = {ORFF_RULE_DECOMPOSABLE, ORFF_RULE_CURL_FREE, ORFF_RULE_DIV_FREE};
static const orff_scheme schemes[SCHEMES] = {ORFF_SCHEME_IID, ORFF_SCHEME_ORTHOGONAL, ORFF_SCHEME_QMC};

typedef struct error_of {
    double mean, largest; /* over the pairs, averaged over the seeds */
} error_of;

typedef struct study {
    orff_kernel *kernel;
    bool importance;                 /* as the library chose */
    double scale;                    /* |K(0)| */
    double exact[PAIRS * DIM * DIM]; /* row i p + a, column j p + b: K(x_i, z_j)_ab */
    error_of errors[SIZES][SCHEMES];
} study;

static double X[POINTS][DIM], Z[POINTS][DIM];

__attribute__((format(printf, 1, 2))) static void stop(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("orff-demo: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void check(orff_status status) {
    if (status) stop("%s", orff_error_message());
}

static size_t size_at(size_t s) {
    return (size_t)16 << s;
}

/* ---- the measurement */

/* Points uniform on [-1,1]^4. */
static void draw_points(uint64_t state, double points[POINTS][DIM]) {
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t k = 0; k < DIM; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            points[i][k] = ldexp((double)(state >> 11), -52) - 1.0;
        }
    }
}

/* Spectral norm of a symmetric matrix, by turning its largest off-diagonal entries to zero (Jacobi). */
static double spectral_norm(const double *symmetric) {
    double A[DIM][DIM], norm = 0.0;
    memcpy(A, symmetric, sizeof A);
    for (int sweep = 0; sweep < 8; sweep++) {
        for (size_t i = 0; i < DIM; i++) {
            for (size_t j = i + 1; j < DIM; j++) {
                const double angle = 0.5 * atan2(2.0 * A[i][j], A[i][i] - A[j][j]);
                const double c = cos(angle), s = sin(angle);
                for (size_t k = 0; k < DIM; k++) {
                    const double a = A[i][k], b = A[j][k];
                    A[i][k] = c * a + s * b;
                    A[j][k] = c * b - s * a;
                }
                for (size_t k = 0; k < DIM; k++) {
                    const double a = A[k][i], b = A[k][j];
                    A[k][i] = c * a + s * b;
                    A[k][j] = c * b - s * a;
                }
            }
        }
    }
    for (size_t i = 0; i < DIM; i++) norm = fmax(norm, fabs(A[i][i]));
    return norm;
}

/* Column b of the blocks K~(x_i, z): P_X P_z^* e_b, into F (n x p). */
static void approximate_column(const orff_features *features, const double *z, size_t b, double *theta,
                               double *F) {
    double unit[DIM] = {0};
    unit[b] = 1.0;
    check(orff_features_adjoint(features, 1, z, unit, theta));
    check(orff_features_apply(features, POINTS, &X[0][0], theta, F));
}

/* |K~(x_i, z_j) - K(x_i, z_j)| / |K(0)| for all i, into error. */
static void errors_at(const study *at, const orff_features *features, size_t j, double *theta,
                      double *error) {
    double F[DIM][POINTS][DIM];
    for (size_t b = 0; b < DIM; b++) approximate_column(features, Z[j], b, theta, &F[b][0][0]);
    for (size_t i = 0; i < POINTS; i++) {
        double difference[DIM * DIM];
        for (size_t a = 0; a < DIM; a++)
            for (size_t b = 0; b < DIM; b++)
                difference[a * DIM + b] = F[b][i][a] - at->exact[(i * DIM + a) * POINTS * DIM + j * DIM + b];
        error[i] = spectral_norm(difference) / at->scale;
    }
}

/* Error of one draw of frequencies over all pairs. */
static error_of error_of_features(const study *at, const orff_features *features) {
    error_of total = {0.0, 0.0};
    double *theta = malloc(orff_features_describe(features).parameters * sizeof *theta);
    if (!theta) stop("not enough memory");
    for (size_t j = 0; j < POINTS; j++) {
        double error[POINTS];
        errors_at(at, features, j, theta, error);
        for (size_t i = 0; i < POINTS; i++) {
            total.mean += error[i] / PAIRS;
            total.largest = fmax(total.largest, error[i]);
        }
    }
    free(theta);
    return total;
}

static void measure(study *at, size_t s, size_t scheme) {
    error_of *total = &at->errors[s][scheme];
    orff_sampling sampling = orff_sampling_default();
    sampling.scheme = schemes[scheme];
    sampling.features = size_at(s);
    for (sampling.seed = 0; sampling.seed < SEEDS; sampling.seed++) {
        orff_features *features;
        check(orff_features_create(&features, at->kernel, &sampling));
        const error_of error = error_of_features(at, features);
        total->mean += error.mean / SEEDS;
        total->largest += error.largest / SEEDS;
        at->importance = orff_features_describe(features).importance;
        orff_features_free(features);
    }
}

static void run_study(study *at, orff_rule rule) {
    double at_zero[DIM * DIM];
    orff_part part = orff_part_default();
    part.rule = rule;
    check(orff_kernel_create(&at->kernel, DIM, DIM, 1, &part));
    check(orff_kernel_eval(at->kernel, X[0], X[0], at_zero));
    at->scale = spectral_norm(at_zero);
    check(orff_kernel_gram(at->kernel, POINTS, &X[0][0], POINTS, &Z[0][0], at->exact));
    for (size_t s = 0; s < SIZES; s++)
        for (size_t scheme = 0; scheme < SCHEMES; scheme++) measure(at, s, scheme);
    orff_kernel_free(at->kernel);
}

/* ---- telling */

static void name_study(const study *at, orff_rule rule, size_t room, char *name) {
    snprintf(name, room, "%s%s%s", orff_rule_name(rule), rule == ORFF_RULE_DECOMPOSABLE ? ", A = I" : "",
             at->importance ? ", importance sampling" : "");
}

static void print_table(const study *at, orff_rule rule) {
    char name[80];
    name_study(at, rule, sizeof name, name);
    printf("\n%s\n%6s", name, "D");
    for (size_t k = 0; k < SCHEMES; k++) printf("  |  %10s mean      max", orff_scheme_name(schemes[k]));
    printf("\n");
    for (size_t s = 0; s < SIZES; s++) {
        printf("%6zu", size_at(s));
        for (size_t k = 0; k < SCHEMES; k++)
            printf("  |%17.5f  %7.5f", at->errors[s][k].mean, at->errors[s][k].largest);
        printf("\n");
    }
}

static FILE *open_in(const char *directory, const char *name) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        stop("%s is too long a path", directory);
    FILE *file = fopen(path, "w");
    if (!file) stop("cannot write %s: %s", path, strerror(errno));
    return file;
}

static void close_written(FILE *file, const char *name) {
    const int failed = ferror(file);
    if (fclose(file) || failed) stop("writing %s failed: %s", name, strerror(errno));
}

/* One gnuplot data block per kernel: D, mean and max of every scheme, and a multiple of D^-1/2. */
static void write_data(const char *directory, const study *studies) {
    FILE *file = open_in(directory, "approximation.dat");
    for (size_t n = 0; n < KERNELS; n++) {
        fprintf(file, "%s# %s\n# D", n ? "\n\n" : "", orff_rule_name(rules[n]));
        for (size_t k = 0; k < SCHEMES; k++)
            fprintf(file, " %s-mean %s-max", orff_scheme_name(schemes[k]), orff_scheme_name(schemes[k]));
        fprintf(file, " guide\n");
        for (size_t s = 0; s < SIZES; s++) {
            fprintf(file, "%zu", size_at(s));
            for (size_t k = 0; k < SCHEMES; k++)
                fprintf(file, " %.6e %.6e", studies[n].errors[s][k].mean, studies[n].errors[s][k].largest);
            fprintf(file, " %.6e\n", 1.5 * studies[n].errors[0][0].mean * sqrt(16.0 / (double)size_at(s)));
        }
    }
    close_written(file, "approximation.dat");
}

static void write_script(const char *directory, const study *studies) {
    FILE *file = open_in(directory, "approximation.gnuplot");
    fputs("# gnuplot approximation.gnuplot\n"
          "set terminal svg size 1260,460 font 'sans-serif,14' background 'white'\n"
          "set output 'approximation.svg'\n"
          "set multiplot layout 1,3 margins 0.085,0.985,0.155,0.9 spacing 0.025,0\n"
          "set logscale xy\n"
          "set xrange [13:2520]\n"
          "set yrange [0.0007:1]\n"
          "set xtics (16, '' 32 1, 64, '' 128 1, 256, '' 512 1, 1024, '' 2048 1)\n"
          "set ytics add (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1)\n"
          "set grid xtics ytics linecolor '#cccccc' linewidth 1\n"
          "set border 3\n"
          "set tics nomirror\n"
          "set xlabel 'D, the number of frequencies'\n"
          "set ylabel 'mean of |K\\~ - K| / |K(0)|' offset 1.2,0\n"
          "set key bottom left reverse Left samplen 2.5\n"
          "set linetype 1 linecolor '#D55E00' linewidth 2.5 pointtype 7 pointsize 0.7\n"
          "set linetype 2 linecolor '#0072B2' linewidth 2.5 pointtype 5 pointsize 0.7\n"
          "set linetype 3 linecolor '#009E73' linewidth 2.5 pointtype 9 pointsize 0.9\n"
          "set linetype 4 linecolor '#777777' linewidth 1.5 dashtype 2\n",
          file);
    for (size_t n = 0; n < KERNELS; n++) {
        char name[80];
        name_study(&studies[n], rules[n], sizeof name, name);
        fprintf(file, "set title '%s'\n", name);
        fprintf(file, "plot 'approximation.dat' index %zu using 1:8 with lines lt 4 title 'like D^{-1/2}'",
                n);
        for (size_t k = 0; k < SCHEMES; k++)
            fprintf(file, ", \\\n     '' index %zu using 1:%zu with linespoints lt %zu title '%s'", n,
                    2 + 2 * k, k + 1, orff_scheme_name(schemes[k]));
        fputs("\nset format y ''\nunset ylabel\nunset key\n", file);
    }
    close_written(file, "approximation.gnuplot");
}

/* Runs gnuplot in the directory; whether there is one. */
static bool draw(const char *directory) {
    int ended = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) stop("cannot start gnuplot: %s", strerror(errno));
    if (child == 0) {
        if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", "approximation.gnuplot", (char *)NULL);
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (waitpid(child, &ended, 0) < 0 || !WIFEXITED(ended)) stop("gnuplot was interrupted");
    if (WEXITSTATUS(ended) == 127) return false;
    if (WEXITSTATUS(ended)) stop("gnuplot failed on %s/approximation.gnuplot", directory);
    return true;
}

int main(int argc, char **argv) {
    static study studies[KERNELS];
    if (argc != 2 || argv[1][0] == '-' || argv[1][0] == '\0')
        stop("usage: orff-demo DIR   (DIR is made if need be)");
    const char *directory = argv[1];
    if (mkdir(directory, 0777) && errno != EEXIST)
        stop("cannot make the directory %s: %s", directory, strerror(errno));
    fclose(
        open_in(directory, "approximation.dat")); /* tells now, not after the work, if it cannot be written */

    printf("orff %s (%s)\n", orff_version(), orff_build_info());
    printf("Gaussian kernels, sigma = 1, on [-1,1]^%d with %d x %d values:\n", DIM, DIM, DIM);
    printf("|K~(x,z) - K(x,z)| / |K(0)| in spectral norm, ");
    printf("mean and max over %d pairs, averaged over %d seeds, with D frequencies.\n", PAIRS, SEEDS);
    check(orff_set_threads(1)); /* the products here are too small to share */
    draw_points(1, X);
    draw_points(2, Z);
    for (size_t n = 0; n < KERNELS; n++) {
        run_study(&studies[n], rules[n]);
        print_table(&studies[n], rules[n]);
    }
    write_data(directory, studies);
    write_script(directory, studies);
    printf("\nNumbers: %s/approximation.dat\nScript:  %s/approximation.gnuplot\n", directory, directory);
    if (draw(directory)) {
        printf("Picture: %s/approximation.svg\n", directory);
    } else {
        printf("No picture: gnuplot was not found. With it, run: cd '%s' && gnuplot approximation.gnuplot\n",
               directory);
    }
    return 0;
}
