#include "moments_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "observed.h"
#include "report.h"

void cli_kernel_clear(cli_kernel *k) {
    free(k->parts);
    free(k->sigmas);
    *k = (cli_kernel){0};
}

/* A part of the options is scaled so that trace K(0) = p times its weight; that of a model need not be. */
static int weigh_part(orff_part *into, const orff_part *part, size_t d, size_t p) {
    double *zero = cli_more(NULL, d, sizeof *zero), *K = cli_more(NULL, p * p, sizeof *K);
    orff_kernel *kernel = NULL;
    for (size_t i = 0; i < d; i++) zero[i] = 0.0;
    int status = cli_outcome(orff_kernel_create(&kernel, d, p, 1, part), NULL);
    if (!status) status = cli_outcome(orff_kernel_eval(kernel, zero, zero, K), NULL);
    into->weight = 0.0;
    for (size_t i = 0; !status && i < p; i++) into->weight += K[i * p + i] / (double)p;
    into->normalise = true;
    orff_kernel_free(kernel);
    free(zero);
    free(K);
    return status;
}

/* Copies the length scales of all parts and what else was chosen from the rows: bases and shapes or, with
 * auto, the parts themselves. */
static int read_part(cli_kernel *k, const orff_model *model, size_t m, bool automatic) {
    orff_part part;
    const int status = cli_outcome(orff_model_part(model, m, &part), NULL);
    if (status) return status;
    for (size_t i = 0; i < k->d; i++) k->sigmas[m * k->d + i] = part.sigmas ? part.sigmas[i] : part.sigma;
    if (automatic) {
        k->parts[m].rule = part.rule;
        k->parts[m].mix = part.mix;
    }
    if (automatic || k->parts[m].base == ORFF_BASE_AUTO || k->parts[m].shape == ORFF_SHAPE_AUTO) {
        k->parts[m].base = part.base;
        k->parts[m].shape = part.shape;
    }
    return automatic ? weigh_part(&k->parts[m], &part, k->d, orff_model_describe(model).outputs) : CLI_DONE;
}

/* Makes n parts; new ones are copies of the first until they are known. */
static void make_parts(cli_kernel *k, size_t n) {
    k->parts = cli_more(k->parts, n, sizeof *k->parts);
    k->sigmas = cli_more(k->sigmas, n * k->d, sizeof *k->sigmas);
    for (size_t m = k->n; m < n; m++) k->parts[m] = k->parts[0];
    k->n = n;
}

static int choose_kernel(cli_kernel *k, const orff_settings *settings, const cli_data *data) {
    orff_model *model = NULL;
    const orff_observations rows = cli_observed_rows(data);
    int status = cli_outcome(orff_model_probe(&model, settings, &rows), NULL);
    if (!status && settings->auto_kernel) make_parts(k, orff_model_describe(model).parts);
    for (size_t m = 0; !status && m < k->n; m++) status = read_part(k, model, m, settings->auto_kernel);
    orff_model_free(model);
    return status;
}

int cli_kernel_fill(cli_kernel *k, const cli_settings *s, const cli_arguments *a, const cli_data *data) {
    const orff_settings *settings = &s->settings;
    *k = (cli_kernel){.n = settings->n_parts, .d = data->d};
    k->parts = cli_more(NULL, k->n, sizeof *k->parts);
    k->sigmas = cli_more(NULL, k->n * k->d, sizeof *k->sigmas);
    for (size_t i = 0; i < k->n * k->d; i++) {
        const orff_part *part = &settings->parts[i / k->d];
        k->sigmas[i] = part->sigmas ? part->sigmas[i % k->d] : part->sigma;
    }
    const bool chosen = s->auto_sigma || settings->auto_kernel;
    if (chosen && !data->n)
        return cli_wrong(a, cli_setting("sigma"),
                         "auto needs rows in memory; give a number, or raise --memory");
    memcpy(k->parts, settings->parts, k->n * sizeof *k->parts);
    const int status = chosen ? choose_kernel(k, settings, data) : CLI_DONE;
    for (size_t m = 0; m < k->n; m++) {
        k->parts[m].sigma = k->sigmas[m * k->d];
        k->parts[m].sigmas = k->sigmas + m * k->d;
    }
    return status;
}

/* A scale shared by all inputs is written once. */
static void append_scales(cli_string *text, size_t d, const double *sigmas) {
    bool same = true;
    for (size_t i = 1; i < d; i++) same = same && sigmas[i] == sigmas[0];
    for (size_t i = 0; i < (same ? 1 : d); i++) cli_append(text, "%s%.17g", i ? "," : "", sigmas[i]);
}

/* A base and its shape, as the option takes them. */
static void append_base(cli_string *text, const orff_part *part) {
    const char *name = orff_base_short_name(part->base, part->shape);
    cli_append(text, "%s", name);
    if (orff_base_has_shape(part->base) && !strcmp(name, orff_base_name(part->base)))
        cli_append(text, "/%.17g", part->shape);
}

char *cli_kernel_rules(const cli_kernel *k) {
    cli_string text = {0};
    for (size_t m = 0; m < k->n; m++) {
        cli_append(&text, "%s%s", m ? "+" : "", orff_rule_name(k->parts[m].rule));
        if (k->n > 1) cli_append(&text, "*%.17g", k->parts[m].weight);
    }
    return text.text;
}

int cli_kernel_note(orff_notes *notes, const cli_kernel *k, const char *scales) {
    cli_string kernel = {0}, base = {0}, sigma = {0};
    for (size_t m = 0; m < k->n; m++) {
        const char *plus = m ? "+" : "";
        cli_append(&kernel, "%s%s", plus, orff_rule_name(k->parts[m].rule));
        cli_append(&base, "%s", plus);
        append_base(&base, &k->parts[m]);
        cli_append(&sigma, "%s", plus);
        append_scales(&sigma, k->d, k->sigmas + m * k->d);
    }
    const int status =
        cli_outcome(orff_notes_set_kernel(notes, kernel.text, base.text, scales ? scales : sigma.text), NULL);
    free(kernel.text);
    free(base.text);
    free(sigma.text);
    return status;
}
