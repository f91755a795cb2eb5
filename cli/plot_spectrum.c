/* The power of a learned field against wavenumber, from the waves that the model is a sum of, and what its kernel expected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "report.h"
#include "result.h"

#define MOST_BINS 200
#define RATIO     1.2 /* between the ends of a bin, where the region can tell wavenumbers that close apart */
#define DRAWN     (1 << 16) /* frequencies that a prior is counted from */
#define PLACES    1024      /* that say how large the region is */
#define CELLS     (1 << 22) /* of a transform, at most */
#define REACH     8 /* cells that a wave is seen in to each side: the taper leaves less than 0.001 beyond */
#define MOST      3 /* inputs of a wavenumber */
#define TURN      6.283185307179586

typedef struct spectrum {
    picture *picture;
    orff_sum *sum;
    size_t d, p;
    size_t dim, axis[MOST]; /* inputs that a wavenumber is of: those that are no covariates */
    double *centre, *side;  /* d: of the region of the data, on the plane where there is one */
    size_t most[MOST];      /* wavenumbers are whole multiples, -most to most, of 2 pi / side */
    size_t bins;
    double edge[MOST_BINS + 1];
    double learned[MOST_BINS], prior[MOST_BINS]; /* power in each bin */
    double square;                               /* power of the field in all of them */
    bool expected;                               /* there is a prior */
} spectrum;

/* ---- the region */

/* Multiples of irrational numbers, which are spread evenly. */
static void put_places(const spectrum *s, const double *low, const double *high, double *X) {
    for (size_t i = 0; i < PLACES * s->d; i++) {
        const size_t k = i % s->d;
        const double at = (double)(i / s->d + 1) * sqrt((double)(2 + 3 * k * k + 2 * k));
        X[i] = low[k] + (at - floor(at)) * (high[k] - low[k]);
    }
}

static void measure_region(spectrum *s, const double *X) {
    for (size_t k = 0; k < s->d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = k; i < PLACES * s->d; i += s->d) {
            low = fmin(low, X[i]);
            high = fmax(high, X[i]);
        }
        s->centre[k] = 0.5 * (low + high);
        s->side[k] = high - low;
    }
}

static int find_region(spectrum *s) {
    const cli_applied *ap = &s->picture->applied;
    const char *path = s->picture->arguments->words[0];
    double *low = cli_more(NULL, (2 + PLACES) * s->d, sizeof *low), *high = low + s->d, *X = high + s->d;
    int status = CLI_DONE;
    for (size_t k = 0; !status && k < s->d; k++)
        if (!orff_notes_range(ap->notes, k, &low[k], &high[k]))
            status = cli_failed("%s: the model does not say where its data were, and a spectrum is of a "
                                "region; fit it with orff fit",
                                path);
    if (!status) put_places(s, low, high, X);
    if (!status && ap->info.on_plane)
        status = cli_outcome(orff_plane_project(&ap->info.plane, s->d, PLACES, X, NULL), NULL);
    if (!status) measure_region(s, X);
    free(low);
    for (size_t k = 0; !status && k < s->dim; k++)
        if (!(s->side[s->axis[k]] > 0.0 && isfinite(s->side[s->axis[k]]) &&
              isfinite(TURN / s->side[s->axis[k]])))
            status = cli_failed("%s: the data have one value of an input, which has no wavelengths", path);
    return status;
}

/* ---- bins */

static double wavenumber(const spectrum *s, const double *omega) {
    double square = 0.0;
    for (size_t k = 0; k < s->dim; k++) square += omega[s->axis[k]] * omega[s->axis[k]];
    return sqrt(square);
}

/* How far the waves reach along each input, as far as there is room for. */
static void find_most(spectrum *s) {
    const double room = 0.5 * floor(pow(CELLS, 1.0 / (double)s->dim)) - 1.0;
    for (size_t k = 0; k < s->dim; k++) {
        const double step = TURN / s->side[s->axis[k]];
        double most = 1.0;
        for (size_t t = 0; t < orff_sum_terms(s->sum); t++) {
            const orff_term term = orff_sum_term(s->sum, t);
            for (size_t j = 0; j < term.waves; j++)
                most = fmax(most, ceil(fabs(term.omega[j * s->d + s->axis[k]]) / step));
        }
        s->most[k] = (size_t)fmin(most, room);
    }
}

/* Waves closer than 2 pi / side cannot be told apart in the region: no bin is narrower. The last ends where the first input
 * has no more waves. */
static void make_bins(spectrum *s) {
    double step = INFINITY, most = INFINITY;
    find_most(s);
    for (size_t k = 0; k < s->dim; k++) {
        const double one = TURN / s->side[s->axis[k]];
        step = fmin(step, one);
        most = fmin(most, (double)s->most[k] * one);
    }
    s->edge[0] = 0.5 * step;
    while (s->bins < MOST_BINS && s->edge[s->bins] < most) {
        const double at = s->edge[s->bins++];
        s->edge[s->bins] = fmax(at + step, RATIO * at);
    }
}

static void add_power(const spectrum *s, double *bins, double at, double power) {
    for (size_t i = 0; i < s->bins; i++)
        if (at >= s->edge[i] && at < s->edge[i + 1]) bins[i] += power;
}

/* ---- what was learned
 *
 * The field over the region under a taper (Hann's, of mean square 1) has the Fourier coefficients
 *     F(q) = sum over waves of c/2 W(w - q) + conj(c)/2 W(-w - q),   c = (a - i b) exp(i <w, centre - origin>)
 * with W the transform of the taper. So what the waves do beyond the data, where a lattice has some and features are any, does
 * not count. Other inputs are held in the middle of their range. */

static double sinc(double x) {
    return fabs(x) < 1e-8 ? 1.0 : sin(x) / x;
}

/* W along one input, `cells` = (w - q) side / 2 pi away. */
static double taper(double cells) {
    const double x = 0.5 * TURN * cells, turn = 0.5 * TURN;
    return 0.816496580927726 * (sinc(x) + 0.5 * sinc(x - turn) + 0.5 * sinc(x + turn));
}

typedef struct transform {
    size_t count[MOST]; /* cells along each input; 1 where there are fewer */
    double *real, *imaginary;
} transform;

/* A wave, and its coefficient, into the cells around it. at: in cells, from -most. */
static void add_wave(transform *f, const double at[MOST], double re, double im) {
    double W[MOST][2 * REACH + 1];
    ptrdiff_t first[MOST];
    for (size_t k = 0; k < MOST; k++)
        if (f->count[k] > 1 && !(at[k] > -REACH - 1.0 && at[k] < (double)f->count[k] + REACH)) return;
    for (size_t k = 0; k < MOST; k++) {
        first[k] = f->count[k] > 1 ? (ptrdiff_t)floor(at[k] + 0.5) - REACH : 0;
        for (ptrdiff_t i = 0; i <= 2 * REACH; i++) {
            const bool inside = first[k] + i >= 0 && first[k] + i < (ptrdiff_t)f->count[k];
            W[k][i] = !inside ? 0.0 : f->count[k] > 1 ? taper(at[k] - (double)(first[k] + i)) : 1.0;
        }
    }
    for (ptrdiff_t i = 0; i <= 2 * REACH; i++)
        for (ptrdiff_t j = 0; W[0][i] != 0.0 && j <= 2 * REACH; j++)
            for (ptrdiff_t k = 0; W[1][j] != 0.0 && k <= 2 * REACH; k++) {
                const double w = W[0][i] * W[1][j] * W[2][k];
                if (w == 0.0) continue;
                const size_t cell =
                    ((size_t)(first[0] + i) * f->count[1] + (size_t)(first[1] + j)) * f->count[2] +
                    (size_t)(first[2] + k);
                f->real[cell] += w * re;
                f->imaginary[cell] += w * im;
            }
}

/* All waves of one output. */
static void add_waves(const spectrum *s, transform *f, size_t output) {
    for (size_t t = 0; t < orff_sum_terms(s->sum); t++) {
        const orff_term term = orff_sum_term(s->sum, t);
        for (size_t j = 0; j < term.waves; j++) {
            const double *omega = term.omega + j * s->d, a = term.a[j * s->p + output],
                         b = term.b[j * s->p + output];
            double angle = 0.0, at[MOST] = {0}, against[MOST] = {0};
            for (size_t k = 0; k < s->d; k++) angle += omega[k] * (s->centre[k] - term.origin[k]);
            for (size_t k = 0; k < s->dim; k++) {
                const double cells = omega[s->axis[k]] * s->side[s->axis[k]] / TURN;
                at[k] = (double)s->most[k] + cells;
                against[k] = (double)s->most[k] - cells;
            }
            const double re = 0.5 * (a * cos(angle) + b * sin(angle)),
                         im = 0.5 * (a * sin(angle) - b * cos(angle));
            add_wave(f, at, re, im);
            add_wave(f, against, re, -im);
        }
    }
}

static void count_cells(spectrum *s, const transform *f) {
    const size_t n = f->count[0] * f->count[1] * f->count[2];
    for (size_t i = 0; i < n; i++) {
        const size_t cell[MOST] = {i / f->count[2] / f->count[1], i / f->count[2] % f->count[1],
                                   i % f->count[2]};
        double square = 0.0;
        for (size_t k = 0; k < s->dim; k++) {
            const double q = ((double)cell[k] - (double)s->most[k]) * TURN / s->side[s->axis[k]];
            square += q * q;
        }
        add_power(s, s->learned, sqrt(square), f->real[i] * f->real[i] + f->imaginary[i] * f->imaginary[i]);
    }
}

static void add_learned(spectrum *s) {
    transform f = {.count = {1, 1, 1}};
    for (size_t k = 0; k < s->dim; k++) f.count[k] = 2 * s->most[k] + 1;
    const size_t n = f.count[0] * f.count[1] * f.count[2];
    f.real = cli_more(NULL, n, sizeof *f.real);
    f.imaginary = cli_more(NULL, n, sizeof *f.imaginary);
    for (size_t output = 0; output < s->p; output++) {
        for (size_t i = 0; i < n; i++) f.real[i] = f.imaginary[i] = 0.0;
        add_waves(s, &f, output);
        count_cells(s, &f);
    }
    for (size_t i = 0; i < s->bins; i++) s->square += s->learned[i];
    free(f.real);
    free(f.imaginary);
}

/* ---- what the kernel expects */

/* Power of frequency j: its weight times the square of its block, which of separable parts is the same for all. */
static double drawn_power(const orff_features *features, size_t j, bool separable, size_t p, double weight,
                          double *B) {
    size_t columns;
    double square = 0.0;
    if (separable) return weight;
    if (orff_features_block(features, j, &columns, B)) return NAN;
    for (size_t i = 0; i < p * columns; i++) square += B[i] * B[i];
    return weight * square;
}

/* Frequencies of a part, drawn from its spectrum; together they have the variance of the part. */
static bool count_drawn(spectrum *s, const orff_features *features, bool separable, double variance) {
    const size_t D = orff_features_describe(features).frequencies;
    double *omega = cli_more(NULL, D * (s->d + 2), sizeof *omega), *weights = omega + D * s->d,
           *power = weights + D, *B = cli_more(NULL, s->p * s->p, sizeof *B), total = 0.0;
    bool known = !orff_features_frequencies(features, omega, weights);
    for (size_t j = 0; known && j < D; j++)
        total += power[j] = drawn_power(features, j, separable, s->p, weights[j], B);
    known = known && total > 0.0 && isfinite(total);
    for (size_t j = 0; known && j < D; j++)
        add_power(s, s->prior, wavenumber(s, omega + j * s->d), variance * power[j] / total);
    free(omega);
    free(B);
    return known;
}

static bool add_part(spectrum *s, orff_part part, double variance) {
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_sampling sampling = orff_sampling_default();
    const bool separable = orff_rule_describe(part.rule).separable;
    if (separable) part.rule = ORFF_RULE_DECOMPOSABLE; /* of one output: only frequencies are wanted */
    part.learn = part.sparse = false;
    sampling.scheme = ORFF_SCHEME_QMC;
    sampling.features = DRAWN;
    const bool drawn = !orff_kernel_create(&kernel, s->d, separable ? 1 : s->p, 1, &part) &&
                       !orff_features_create(&features, kernel, &sampling) &&
                       count_drawn(s, features, separable, variance);
    orff_features_free(features);
    orff_kernel_free(kernel);
    return drawn;
}

/* Left out, and said so, where the model does not know its variance, or a part is a function of the caller's. */
static void add_prior(spectrum *s) {
    const cli_applied *ap = &s->picture->applied;
    double *A = cli_more(NULL, s->p * s->p, sizeof *A);
    s->expected = ap->info.parts > 0;
    for (size_t i = 0; s->expected && i < ap->info.parts; i++) {
        orff_part part;
        double variance = 0.0;
        s->expected = !orff_model_part(ap->model, i, &part) && !orff_model_output_matrix(ap->model, i, A);
        for (size_t k = 0; s->expected && k < s->p; k++) variance += A[k * (s->p + 1)];
        s->expected = s->expected && add_part(s, part, variance);
    }
    free(A);
    if (!s->expected) cli_say("without the kernel's own spectrum: %s", orff_error_message());
}

/* ---- the script */

static void put_block(const spectrum *s, const char *name, const double *power, FILE *script) {
    fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < s->bins; i++) {
        const double density = power[i] / (s->edge[i + 1] - s->edge[i]);
        if (density > 0.0 && isfinite(density))
            fprintf(script, "%.7g %.7g\n", sqrt(s->edge[i] * s->edge[i + 1]), density);
    }
    fputs("EOD\n", script);
}

static const char *units_of_inputs(const spectrum *s) {
    const picture *f = s->picture;
    const char *units = orff_notes_units(f->applied.notes, ORFF_SIDE_INPUT, s->axis[0]);
    if (f->applied.info.on_plane) return "km";
    return units && !strncmp(units, "degree", 6) ? "degree" : units;
}

static void put_labels(const spectrum *s) {
    const picture *f = s->picture;
    const char *input = units_of_inputs(s), *output = orff_notes_units(f->applied.notes, ORFF_SIDE_OUTPUT, 0);
    char *shown = output && *output ? cli_units_shown(output) : NULL;
    cli_string number = {0}, density = {0};
    cli_append(&number, input && *input ? "rad/%s" : "%s", input && *input ? input : "");
    if (shown) cli_append(&density, *number.text ? "(%s)²/(%s)" : "(%s)²", shown, number.text);
    cli_picture_label(f, "xlabel", f->file.width, "wavenumber", number.text);
    cli_picture_label(f, "x2label", f->file.width, "wavelength", input);
    cli_picture_label(f, "ylabel", f->file.height, "power per wavenumber", density.text);
    free(shown);
    free(number.text);
    free(density.text);
}

/* Tics at 1, 2 and 5 times powers of ten. Wavelengths stand above the wavenumbers that have them. */
static void put_tics(const char *name, double low, double high, bool lengths, FILE *script) {
    static const double leads[] = {1.0, 2.0, 5.0};
    bool first = true;
    fprintf(script, "set %s (", name);
    for (double power = floor(log10(low)); power <= log10(high); power++)
        for (size_t i = 0; i < 3; i++) {
            const double value = leads[i] * pow(10.0, power);
            if (value < low || value > high) continue;
            fprintf(script, "%s'%g' %.9g", first ? "" : ", ", value, lengths ? TURN / value : value);
            first = false;
        }
    fputs(")\n", script);
}

static int put_script(void *self, FILE *script) {
    spectrum *s = self;
    picture *f = s->picture;
    const cli_style *style = f->file.style;
    f->script = script;
    put_block(s, "learned", s->learned, script);
    if (s->expected) put_block(s, "prior", s->prior, script);
    fprintf(script,
            "set logscale x\nset logscale x2\nset logscale y\nset format y '10^{%%T}'\nset tics out\nset "
            "xtics nomirror\n"
            "set ytics nomirror\nset grid lt 1 lw 0.5 lc rgb '%s'\nset key bottom left samplen 2\n",
            style->faint);
    fprintf(script, "set xrange [%.9g:%.9g]\nset x2range [%.9g:%.9g]\n", s->edge[0], s->edge[s->bins],
            s->edge[0], s->edge[s->bins]);
    put_tics("xtics", s->edge[0], s->edge[s->bins], false, script);
    put_tics("x2tics", TURN / s->edge[s->bins], TURN / s->edge[0], true, script);
    put_labels(s);
    if (cli_given(f->arguments, CLI_OPT_TITLE))
        cli_picture_label(f, "title", f->file.width, cli_text(f->arguments, CLI_OPT_TITLE), NULL);
    fprintf(script, "plot $learned with linespoints pt 7 ps 0.6 lw 2 lc rgb '%s' title 'learned field'",
            style->curve);
    if (s->expected)
        fprintf(script, ", $prior with lines dt 2 lw 1.5 lc rgb '%s' title 'kernel'", style->ink);
    fputc('\n', script);
    return CLI_DONE;
}

/* ---- */

/* Wavenumbers and squares of numbers with different units cannot be added. */
static bool differ(const char *a, const char *b) {
    return a && b && strcmp(a, b) && !(strncmp(a, "degree", 6) == 0 && strncmp(b, "degree", 6) == 0);
}

static int check_units(const spectrum *s) {
    const orff_notes *notes = s->picture->applied.notes;
    const char *input = orff_notes_units(notes, ORFF_SIDE_INPUT, s->axis[0]),
               *output = orff_notes_units(notes, ORFF_SIDE_OUTPUT, 0);
    for (size_t k = 1; k < s->dim; k++) {
        const char *units = orff_notes_units(notes, ORFF_SIDE_INPUT, s->axis[k]);
        if (differ(input, units))
            return cli_failed(
                "inputs are in %s and in %s, and a wavenumber has one unit; fit with --covariates "
                "for inputs such as time",
                input, units);
    }
    for (size_t k = 1; k < s->p; k++) {
        const char *units = orff_notes_units(notes, ORFF_SIDE_OUTPUT, k);
        if (differ(output, units))
            return cli_failed(
                "outputs are in %s and in %s, and their powers cannot be added; fit those of one "
                "unit by themselves",
                output, units);
    }
    return CLI_DONE;
}

static int find_axes(spectrum *s) {
    for (size_t k = 0; k < s->d; k++) {
        if (orff_notes_is_covariate(s->picture->applied.notes, k)) continue;
        if (s->dim < MOST) s->axis[s->dim] = k;
        s->dim++;
    }
    if (s->dim >= 1 && s->dim <= MOST) return check_units(s);
    return cli_failed("there are %zu inputs that are no covariates; a spectrum is of one to %d", s->dim,
                      MOST);
}

static int find_waves(spectrum *s) {
    const char *path = s->picture->arguments->words[0];
    const orff_status outcome = orff_model_sum(s->picture->applied.model, &s->sum);
    if (outcome && outcome != ORFF_ERROR_UNSUPPORTED) return cli_outcome(outcome, NULL);
    if (s->sum && orff_sum_term(s->sum, 0).waves) return CLI_DONE;
    return cli_failed("%s: the model is no sum of waves, so it has no spectrum of its own; fit it with "
                      "--engine lattice (up to three inputs) or --engine features",
                      path);
}

static int load(spectrum *s) {
    cli_applied *ap = &s->picture->applied;
    int status = cli_applied_load(ap, s->picture->arguments->words[0]);
    if (!status && ap->info.classes)
        status = cli_failed("classes cannot be drawn; a picture needs outputs that are numbers");
    if (status) return status;
    s->d = ap->info.inputs;
    s->p = ap->p;
    s->centre = cli_more(NULL, 2 * s->d, sizeof *s->centre);
    s->side = s->centre + s->d;
    status = find_axes(s);
    if (!status) status = find_waves(s);
    return status ? status : find_region(s);
}

int cli_plot_spectrum(picture *f) {
    spectrum s = {.picture = f};
    int status = load(&s);
    if (!status) make_bins(&s);
    if (!status) {
        add_learned(&s);
        add_prior(&s);
        status = cli_picture_draw(&f->file, put_script, &s);
    }
    if (!status) cli_say("%s", f->file.path);
    if (!status && cli_wants_json())
        status = cli_print_json(json_pack("{s:o, s:s, s:I, s:o}", "picture", cli_text_or_shown(f->file.path),
                                          "what", f->what, "bins", (json_int_t)s.bins, "mean_square",
                                          cli_number_or_null(s.square)));
    orff_sum_free(s.sum);
    free(s.centre);
    cli_applied_clear(&f->applied);
    return status;
}
