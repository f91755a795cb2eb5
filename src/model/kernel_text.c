/* kernel = part + part ..        part = RULE[:BASE][@SIGMA][~WAVE][*WEIGHT]
 *     base = BASE + BASE ..          BASE = name or name/shape
 *     sigma = SIGMA + SIGMA ..       SIGMA = auto, ard, median, S, or S1,..,Sd
 *     wavelength = WAVE + WAVE ..    WAVE = none, auto, or L1,..,Ld
 *
 * What is given for one part takes precedence over the settings for all parts. */
#include "model/kernel_words.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

#define MOST_PARTS 64
#define LONGEST    64 /* characters of a word */

/* The words of one part; empty or NULL where the settings for all parts apply. */
typedef struct words {
    char rule[LONGEST], base[LONGEST], weight[LONGEST];
    char *sigma, *wavelength; /* of any length: they may have one number for each of many inputs */
} words;

static orff_status check_count(orffi_kernel_read *k, const char *name, const char *text) {
    const size_t count = text ? orffi_words_count(text) : 1;
    if (count == 1 || count == k->n) return ORFF_OK;
    return orffi_kernel_wrong(k, name, "%zu values for %zu %s of the kernel; expected one, or one for each",
                              count, k->n, k->n == 1 ? "part" : "parts");
}

/* ---- one part */

/* Cuts the text at `mark`, and copies what follows it to `rest`. */
static void split_at(char *text, char mark, char *rest, size_t room) {
    char *at = strchr(text, mark);
    if (!at) return;
    snprintf(rest, room, "%s", at + 1);
    *at = '\0';
}

/* text (room bytes) is scratch; w->sigma and w->wavelength have the same room. */
static orff_status read_words(orffi_kernel_read *k, const orffi_kernel_texts *t, size_t m, words *w,
                              char *text, size_t room) {
    orffi_word_of(t->kernel, m, text, room);
    split_at(text, '*', w->weight, sizeof w->weight);
    split_at(text, '~', w->wavelength, room);
    split_at(text, '@', w->sigma, room);
    split_at(text, ':', w->base, sizeof w->base);
    snprintf(w->rule, sizeof w->rule, "%.*s", LONGEST - 1, text);
    if (!w->base[0] && !orffi_word_of(t->base, m, w->base, sizeof w->base))
        return orffi_kernel_wrong(k, "base", "the name of the base is too long");
    if (!w->sigma[0]) orffi_word_of(t->sigma, m, w->sigma, room);
    if (!w->wavelength[0] && t->wavelength) orffi_word_of(t->wavelength, m, w->wavelength, room);
    if (!w->weight[0] && !orffi_is_auto(t->weight) &&
        !orffi_word_of(t->weight, m, w->weight, sizeof w->weight))
        return orffi_kernel_wrong(k, "weight", "a weight is too long");
    return ORFF_OK;
}

static orff_status read_rule(orffi_kernel_read *k, const char *word, orff_part *part) {
    if (orffi_is_auto(word))
        return orffi_kernel_wrong(k, "kernel", "auto cannot be part of a sum: it is already one");
    ORFFI_TRY(orffi_kernel_blame(k, "kernel", orff_rule_parse(word, &part->rule)));
    if (orff_rule_describe(part->rule).named) return ORFF_OK;
    return orffi_kernel_wrong(k, "kernel", "%s needs a function, which a text cannot give", word);
}

/* BASE, BASE/SHAPE, or a base whose shape is given by the setting. */
static orff_status read_base(orffi_kernel_read *k, const orffi_kernel_texts *t, size_t m, char *word,
                             orff_part *part) {
    char shape[LONGEST] = "";
    const char *end, *culprit = "base";
    split_at(word, '/', shape, sizeof shape);
    ORFFI_TRY(orffi_kernel_blame(k, "base", orff_base_parse(word, &part->base, &part->shape)));
    const bool open = orff_base_has_shape(part->base) && part->shape == 0.0;
    if (shape[0] && !open) return orffi_kernel_wrong(k, "base", "base %s takes no shape", word);
    if (open && !shape[0] && t->shape) {
        culprit = "shape";
        if (!orffi_word_of(t->shape, m, shape, sizeof shape))
            return orffi_kernel_wrong(k, "shape", "a shape is too long");
    }
    if (open && !shape[0])
        return orffi_kernel_wrong(
            k, "shape", "base %s needs a shape: give this setting, or a base such as %s/1.5", word, word);
    if (!open) return ORFF_OK;
    if (orffi_is_auto(shape)) {
        part->shape = ORFF_SHAPE_AUTO;
        return ORFF_OK;
    }
    end = orff_number_scan(shape, &part->shape);
    if (end && !*end && part->shape > 0.0 && isfinite(part->shape)) return ORFF_OK;
    return orffi_kernel_wrong(k, culprit, "\"%s\" is neither a positive number nor auto", shape);
}

/* ---- all parts */

static orff_status read_mix(orffi_kernel_read *k, const char *text) {
    double mix = 0.5;
    const char *end = text && !orffi_is_auto(text) ? orff_number_scan(text, &mix) : "";
    bool any = false;
    if (!end || *end || !(mix >= 0.0 && mix <= 1.0))
        return orffi_kernel_wrong(k, "mix", "\"%s\" is neither a number from 0 to 1 nor auto", text);
    for (size_t m = 0; m < k->n; m++) {
        any = any || orff_rule_describe(k->parts[m].rule).mixes;
        k->parts[m].mix = mix;
    }
    k->auto_mix = text && orffi_is_auto(text);
    if (text && !any)
        return orffi_kernel_wrong(k, "mix", "no part of the kernel has one; it is for kernel %s",
                                  orff_rule_name(ORFF_RULE_HELMHOLTZ));
    return ORFF_OK;
}

static orff_status allocate(orffi_kernel_read *k, size_t d) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->parts, k->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(k->sigmas, k->n * d));
    return ORFFI_NEW_ARRAY(k->waves, k->n * d);
}

static orff_status fill_part(orffi_kernel_read *k, const orffi_kernel_texts *t, const orff_data_shape *shape,
                             size_t space, size_t m, words *w) {
    orff_part *part = &k->parts[m];
    *part = orff_part_default();
    part->normalise = k->n > 1;
    if (!k->automatic) ORFFI_TRY(read_rule(k, w->rule, part));
    ORFFI_TRY(read_base(k, t, m, w->base, part));
    ORFFI_TRY(orffi_read_weight(k, w->weight, part));
    ORFFI_TRY(orffi_read_wavelength(k, w->wavelength, shape->d, k->waves + m * shape->d, part));
    return orffi_read_sigma(k, shape, space, w->sigma, k->sigmas + m * shape->d, part);
}

static orff_status read_part(orffi_kernel_read *k, const orffi_kernel_texts *t, const orff_data_shape *shape,
                             size_t space, size_t m) {
    const size_t room =
        strlen(t->kernel) + strlen(t->sigma) + (t->wavelength ? strlen(t->wavelength) : 0) + 1;
    char *text;
    words w = {0};
    ORFFI_TRY(ORFFI_NEW_ARRAY(text, 3 * room));
    w.sigma = text + room;
    w.wavelength = w.sigma + room;
    orff_status status = read_words(k, t, m, &w, text, room);
    if (!status) status = fill_part(k, t, shape, space, m, &w);
    orffi_release(text);
    return status;
}

/* Refuses settings that kernel `auto` chooses itself. */
static orff_status check_automatic(orffi_kernel_read *k, const orffi_kernel_texts *t) {
    if (!orffi_is_auto(t->sigma)) return orffi_kernel_wrong(k, "sigma", "kernel auto chooses this itself");
    if (strcmp(t->weight, "1")) return orffi_kernel_wrong(k, "weight", "kernel auto chooses this itself");
    if (t->wavelength) return orffi_kernel_wrong(k, "wavelength", "kernel auto has no waves");
    if (t->mix) return orffi_kernel_wrong(k, "mix", "kernel auto chooses this itself");
    if (t->matrix) return orffi_kernel_wrong(k, "output-matrix", "kernel auto chooses this itself");
    if (orffi_words_count(t->base) > 1) return orffi_kernel_wrong(k, "base", "kernel auto has one base");
    return ORFF_OK;
}

/* ---- kernels that are used as they are */

/* The setting of a part that only a fit can choose or learn; NULL where there is none. */
static const char *find_open(const orff_part *part, size_t p) {
    const bool delayed = orff_rule_describe(part->rule).delays;
    return part->sigma <= 0.0 && !part->sigmas ? "sigma"
           : part->learn_wavelengths           ? "wavelength"
           : delayed && p > 1 && !part->delays ? "delays"
           : part->learn                       ? "output-matrix"
                                               : NULL;
}

static orff_status check_fixed(orffi_kernel_read *k, size_t p) {
    const char *open = k->automatic ? "kernel" : k->mixture ? "weight" : k->auto_mix ? "mix" : NULL;
    for (size_t m = 0; m < k->n && !open; m++) open = find_open(&k->parts[m], p);
    return open ? orffi_kernel_wrong(k, open,
                                     "only a fit can choose this, and here there is none; give a value")
                : ORFF_OK;
}

/* ---- */

orff_status orffi_kernel_text_read(orffi_kernel_read *k, const orffi_kernel_texts *t,
                                   const orff_data_shape *shape) {
    const size_t p = shape->classes ? shape->classes - 1 : shape->p;
    size_t space;
    *k = (orffi_kernel_read){.culprit = "",
                             .automatic = orffi_is_auto(t->kernel),
                             .mixture = orffi_is_auto(t->weight),
                             .periods = t->periods};
    k->n = orffi_words_count(t->kernel);
    if (k->n > MOST_PARTS) return orffi_kernel_wrong(k, "kernel", "there are more than %d parts", MOST_PARTS);
    if (k->automatic) ORFFI_TRY(check_automatic(k, t));
    ORFFI_TRY(check_count(k, "base", t->base));
    ORFFI_TRY(check_count(k, "shape", t->shape));
    ORFFI_TRY(check_count(k, "sigma", t->sigma));
    ORFFI_TRY(check_count(k, "wavelength", t->wavelength));
    ORFFI_TRY(check_count(k, "weight", t->weight));
    ORFFI_TRY(allocate(k, shape->d));
    ORFFI_TRY(orffi_read_space(k, t->covariates, shape, &space));
    for (size_t m = 0; m < k->n; m++) ORFFI_TRY(read_part(k, t, shape, space, m));
    if (!k->automatic) ORFFI_TRY(read_mix(k, t->mix));
    ORFFI_TRY(orffi_set_space(k, shape, p, space));
    ORFFI_TRY(orffi_read_delays(k, t->delays, shape->d, p));
    ORFFI_TRY(orffi_read_matrices(k, t->matrix, shape, p));
    return shape->fixed ? check_fixed(k, p) : ORFF_OK;
}

void orffi_kernel_read_clear(orffi_kernel_read *k) {
    orffi_release(k->parts);
    orffi_release(k->sigmas);
    orffi_release(k->waves);
    orffi_release(k->A);
    orffi_release(k->delays);
    orffi_release(k->space);
    memset(k, 0, sizeof *k);
}
