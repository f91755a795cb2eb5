/* Copying the rows of an evidence into its groups. */
#include "exact/evidence_groups.h"

#include <string.h>

#include "base/memory.h"

/* ---- which kernels */

bool orffi_evidence_serves(size_t n_parts, const orff_part *parts) {
    for (size_t m = 0; m < n_parts; m++) {
        const orffi_rule_ops *rule = orffi_rule_find(parts[m].rule);
        if (!rule || !(rule->separable || (rule->physical && rule->frame))) return false;
    }
    return true;
}

static bool is_scalar(size_t n_parts, const orff_part *parts) {
    for (size_t m = 0; m < n_parts; m++)
        if (!orffi_rule_find(parts[m].rule)->separable || parts[m].A || parts[m].B) return false;
    return true;
}

size_t orffi_evidence_order(size_t n_parts, const orff_part *parts, size_t p, size_t n) {
    return is_scalar(n_parts, parts) ? n : n * p;
}

/* ---- building */

static orff_status build_part(orffi_evidence_part *e, const orffi_kernel_part *from, const orff_part *given) {
    e->part = *from;
    e->part.law = (orffi_spectrum){0};
    e->weight = given->weight;
    e->normalise = given->normalise;
    ORFFI_TRY(orffi_spectrum_copy(&e->part.law, &from->law));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->size_by_scale, from->d));
    return orffi_duplicate(&e->scale, from->law.scale, from->d, sizeof *e->scale);
}

static orff_status build_parts(orffi_evidence *e, const orffi_evidence_form *form) {
    const orffi_kernel_how how = {.periods = form->periods};
    ORFFI_TRY(orffi_kernel_create_as(&e->kernel, e->d, e->p, e->n_parts, form->parts, &how));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->parts, e->n_parts));
    for (size_t m = 0; m < e->n_parts; m++)
        ORFFI_TRY(build_part(&e->parts[m], &e->kernel->parts[m], &form->parts[m]));
    ORFFI_TRY(orffi_duplicate(&e->dials, form->dials, e->n_parts * e->d, sizeof *e->dials));
    return ORFFI_NEW_ARRAY(e->sums, e->n_parts * (e->scales + 2));
}

static bool counts(const orffi_evidence_rows *rows, size_t i) {
    return !rows->weights || rows->weights[i] > 0.0;
}

/* Numbers of y per row. */
static size_t width_of(const orffi_evidence *e) {
    return e->directed ? 1 : e->p;
}

static bool is_constant(const orffi_evidence *e, size_t k, const orffi_evidence_rows *rows) {
    for (size_t g = 0; g < e->n_groups; g++)
        for (size_t i = 0; i < rows[g].n; i++)
            if (counts(&rows[g], i) && rows[g].Y[i * width_of(e) + k] != 0.0) return false;
    return true;
}

static orff_status find_outputs(orffi_evidence *e, const orffi_evidence_rows *rows) {
    size_t varying = 0;
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->output, e->p));
    for (size_t k = 0; k < width_of(e); k++)
        if (!is_constant(e, k, rows)) e->output[varying++] = k;
    if (!varying) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "the outputs are constant");
    e->copies = orffi_evidence_width(e) == 1 ? varying : 1;
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->values, e->copies));
    return ORFFI_NEW_ARRAY(e->v, e->copies);
}

/* Whether a draw has the same value in all rows of a group. */
static bool is_level(const orffi_evidence *e, const orffi_evidence_group *g, size_t k) {
    const size_t width = g->n ? g->P * e->copies / g->n : 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t a = 0; a < (e->copies > 1 ? 1 : width); a++)
            if (g->y[i * width + k + a] != g->y[k + a]) return false;
    return true;
}

static orff_status build_amplitudes(const orffi_evidence *e, orffi_evidence_group *g) {
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->amplitude, e->copies));
    for (size_t k = 0; k < e->copies; k++)
        g->amplitude[k] = (orffi_amplitude){.P = (double)g->P, .level = is_level(e, g, k)};
    return ORFF_OK;
}

static orff_status make_columns(const orffi_evidence *e, orffi_evidence_group *g) {
    if (!e->radial) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->columns, g->n * e->d));
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < e->d; k++) g->columns[k * g->n + i] = g->X[i * e->d + k];
    return ORFF_OK;
}

static orff_status build_group(const orffi_evidence *e, orffi_evidence_group *g,
                               const orffi_evidence_rows *rows) {
    const size_t d = e->d, p = e->p, order = orffi_evidence_width(e), width = order == 1 ? e->copies : p;
    size_t side, square;
    for (size_t i = 0; i < rows->n; i++) g->n += counts(rows, i);
    ORFFI_TRY(orffi_multiply(g->n, order, &side));
    ORFFI_TRY(orffi_multiply(side, side, &square));
    g->P = side;
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->X, g->n * d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->noise, g->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->unit, g->n));
    if (e->errors) ORFFI_TRY(ORFFI_NEW_ARRAY(g->known, g->n));
    if (e->instruments > 1) ORFFI_TRY(ORFFI_NEW_ARRAY(g->instrument, g->n));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->y, g->n * width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->t, g->n * width));
    ORFFI_TRY(ORFFI_NEW_ARRAY(g->C, square));
    if (e->directed) ORFFI_TRY(ORFFI_NEW_ARRAY(g->along, g->n * p));
    if (e->offsets) ORFFI_TRY(ORFFI_NEW_ARRAY(g->set, g->n));
    for (size_t i = 0, at = 0; i < rows->n; i++) {
        if (!counts(rows, i)) continue;
        memcpy(g->X + at * d, rows->X + i * d, d * sizeof *g->X);
        g->unit[at] = rows->weights ? 1.0 / rows->weights[i] : 1.0;
        if (g->known) g->known[at] = rows->known[i];
        if (g->instrument) g->instrument[at] = rows->instrument[i];
        for (size_t k = 0; k < width; k++)
            g->y[at * width + k] = rows->Y[i * width_of(e) + (order == 1 ? e->output[k] : k)];
        if (e->offsets) g->set[at] = rows->set[i];
        if (e->directed) memcpy(g->along + at * p, rows->along + i * p, p * sizeof *g->along);
        at++;
    }
    ORFFI_TRY(make_columns(e, g));
    return build_amplitudes(e, g);
}

static orff_status build(orffi_evidence *e, const orffi_evidence_form *form,
                         const orffi_evidence_rows *rows) {
    ORFFI_TRY(build_parts(e, form));
    e->radial = e->q == 1 && !e->directed;
    for (size_t m = 0; m < e->n_parts; m++)
        e->radial &= e->parts[m].part.rule->separable && orffi_spectrum_is_radial(&e->parts[m].part.law);
    ORFFI_TRY(find_outputs(e, rows));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->groups, e->n_groups));
    ORFFI_TRY(ORFFI_NEW_ARRAY(e->noises, e->instruments));
    for (size_t g = 0; g < e->n_groups; g++) {
        ORFFI_TRY(build_group(e, &e->groups[g], &rows[g]));
        e->order += e->groups[g].P;
    }
    return ORFF_OK;
}

orff_status orffi_evidence_create(orffi_evidence **out, const orffi_evidence_form *form, size_t groups,
                                  const orffi_evidence_rows *rows) {
    orffi_evidence *e;
    ORFFI_TRY(ORFFI_NEW(e));
    *e = (orffi_evidence){.d = form->d,
                          .p = form->p,
                          .n_parts = form->n_parts,
                          .n_groups = groups,
                          .scales = form->scales,
                          .directed = groups && rows[0].along,
                          .q = is_scalar(form->n_parts, form->parts) ? 1 : form->p,
                          .weights = form->weights,
                          .mix = form->mix,
                          .errors = form->errors,
                          .offsets = form->offsets,
                          .amplitudes = form->amplitudes,
                          .instruments = form->instruments ? form->instruments : 1};
    const orff_status status = build(e, form, rows);
    if (status) {
        orffi_evidence_free(e);
    } else {
        *out = e;
    }
    return status;
}

static void clear_group(orffi_evidence_group *g) {
    orffi_release(g->instrument);
    orffi_release(g->set);
    orffi_release(g->amplitude);
    double *all[] = {g->X, g->columns, g->noise, g->unit, g->known, g->along, g->y, g->t, g->C};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) orffi_release(all[i]);
}

void orffi_evidence_free(orffi_evidence *e) {
    if (!e) return;
    for (size_t m = 0; e->parts && m < e->n_parts; m++) {
        orffi_spectrum_clear(&e->parts[m].part.law);
        orffi_release(e->parts[m].scale);
        orffi_release(e->parts[m].size_by_scale);
    }
    for (size_t g = 0; e->groups && g < e->n_groups; g++) clear_group(&e->groups[g]);
    orff_kernel_free(e->kernel);
    orffi_release(e->parts);
    orffi_release(e->groups);
    orffi_release(e->output);
    orffi_release(e->dials);
    orffi_release(e->v);
    orffi_release(e->values);
    orffi_release(e->sums);
    orffi_release(e->noises);
    orffi_release(e);
}
