/* The power of a learned field against wavenumber, and the power expected by its kernel: see
 * orff_model_power. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "report.h"
#include "result.h"

#define MOST 3 /* most inputs of a wavenumber */
#define TURN 6.283185307179586

typedef struct spectrum {
    picture *picture;
    size_t d, p;
    size_t dim, axis[MOST]; /* inputs of a wavenumber: those that are not covariates */
    orff_power power;
} spectrum;

/* ---- the script */

static void put_block(const spectrum *s, const char *name, const double *power, FILE *script) {
    fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < s->power.bins; i++) {
        const double density = power[i] / (s->power.edges[i + 1] - s->power.edges[i]);
        if (density > 0.0 && isfinite(density))
            fprintf(script, "%.7g %.7g\n", sqrt(s->power.edges[i] * s->power.edges[i + 1]), density);
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

/* Tics at 1, 2 and 5 times powers of ten. Wavelengths are shown above the corresponding wavenumbers. */
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
    put_block(s, "learned", s->power.learned, script);
    if (s->power.expected) put_block(s, "prior", s->power.prior, script);
    fprintf(script,
            "set logscale x\nset logscale x2\nset logscale y\nset format y '10^{%%T}'\nset tics out\nset "
            "xtics nomirror\n"
            "set ytics nomirror\nset grid lt 1 lw 0.5 lc rgb '%s'\nset key bottom left samplen 2\n",
            style->faint);
    fprintf(script, "set xrange [%.9g:%.9g]\nset x2range [%.9g:%.9g]\n", s->power.edges[0],
            s->power.edges[s->power.bins], s->power.edges[0], s->power.edges[s->power.bins]);
    put_tics("xtics", s->power.edges[0], s->power.edges[s->power.bins], false, script);
    put_tics("x2tics", TURN / s->power.edges[s->power.bins], TURN / s->power.edges[0], true, script);
    put_labels(s);
    if (cli_given(f->arguments, CLI_OPT_TITLE))
        cli_picture_label(f, "title", f->file.width, cli_text(f->arguments, CLI_OPT_TITLE), NULL);
    fprintf(script, "plot $learned with linespoints pt 7 ps 0.6 lw 2 lc rgb '%s' title 'learned field'",
            style->curve);
    if (s->power.expected)
        fprintf(script, ", $prior with lines dt 2 lw 1.5 lc rgb '%s' title 'kernel'", style->ink);
    fputc('\n', script);
    return CLI_DONE;
}

/* ---- */

/* Wavenumbers, or squares of outputs, cannot be added if their units differ. */
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
                "inputs are in %s and in %s, but a wavenumber has one unit; fit with --covariates for inputs "
                "such as time",
                input, units);
    }
    for (size_t k = 1; k < s->p; k++) {
        const char *units = orff_notes_units(notes, ORFF_SIDE_OUTPUT, k);
        if (differ(output, units))
            return cli_failed(
                "outputs are in %s and in %s, so their powers cannot be added; fit the outputs of one unit "
                "alone",
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
    return cli_failed("there are %zu inputs that are not covariates; a spectrum needs one to %d", s->dim,
                      MOST);
}

static int find_power(spectrum *s) {
    const cli_applied *ap = &s->picture->applied;
    const char *path = s->picture->arguments->words[0];
    double *low = cli_more(NULL, 2 * s->d, sizeof *low), *high = low + s->d;
    int status = CLI_DONE;
    for (size_t k = 0; !status && k < s->d; k++)
        if (!orff_notes_range(ap->notes, k, &low[k], &high[k]))
            status = cli_failed("%s: the model does not contain the range of its data, which a spectrum "
                                "needs; fit it with orff fit",
                                path);
    for (size_t k = 0; !status && k < s->dim; k++)
        if (!(high[s->axis[k]] > low[s->axis[k]]))
            status =
                cli_failed("%s: an input has the same value in all data, so it has no wavelengths", path);
    const orff_status outcome =
        status ? ORFF_OK : orff_model_power(ap->model, low, high, s->dim, s->axis, &s->power);
    free(low);
    if (outcome == ORFF_ERROR_UNSUPPORTED)
        return cli_failed(
            "%s: the model is not a sum of waves, so it has no spectrum of its own; fit it with "
            "--engine lattice (up to three inputs) or --engine features",
            path);
    if (!status && outcome) status = cli_outcome(outcome, NULL);
    if (!status && !s->power.expected)
        cli_say("the kernel's own spectrum is not drawn: %s", orff_error_message());
    return status;
}

static int load(spectrum *s) {
    cli_applied *ap = &s->picture->applied;
    int status = cli_applied_load(ap, s->picture->arguments->words[0]);
    if (!status && ap->info.classes)
        status = cli_failed("classes cannot be drawn; a picture needs outputs that are numbers");
    if (status) return status;
    s->d = ap->info.inputs;
    s->p = ap->p;
    status = find_axes(s);
    return status ? status : find_power(s);
}

int cli_plot_spectrum(picture *f) {
    spectrum s = {.picture = f};
    int status = load(&s);
    if (!status) status = cli_picture_draw(&f->file, put_script, &s);
    if (!status) cli_say("%s", f->file.path);
    if (!status && cli_wants_json())
        status = cli_print_json(json_pack("{s:o, s:s, s:I, s:o}", "picture", cli_text_or_shown(f->file.path),
                                          "what", f->what, "bins", (json_int_t)s.power.bins, "mean_square",
                                          cli_number_or_null(s.power.mean_square)));
    cli_applied_clear(&f->applied);
    return status;
}
