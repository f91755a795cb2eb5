/* The output of orff bound: constants and bounds side by side, printed and corrected. */
#include "bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

/* ---- text */

static const char *const titles[ORFF_BOUND_COUNT] = {
    [ORFF_BOUND_PRINTED] = "theorem, as printed",
    [ORFF_BOUND_CORRECTED] = "theorem, corrected but for sigma_p",
    [ORFF_BOUND_RIGOROUS] = "theorem, corrected (2 sigma_p)",
    [ORFF_BOUND_BOUNDED] = "bounded Bernstein",
    [ORFF_BOUND_IMPORTANCE] = "bounded Bernstein, drawn by importance",
    [ORFF_BOUND_SCALAR_PRINTED] = "Rahimi-Recht, as printed (d sigma l)",
    [ORFF_BOUND_SCALAR] = "Rahimi-Recht (sigma_p l)",
    [ORFF_BOUND_SCALAR_TIGHT] = "Rahimi-Recht, not rounded up",
    [ORFF_BOUND_SCALAR_RIGOROUS] = "Rahimi-Recht, not rounded up (2 sigma_p)",
};

/* "-" for unknown numbers */
static void number(double value, int width) {
    if (isnan(value))
        cli_print(" %*s", width, "-");
    else if (isinf(value))
        cli_print(" %*s", width, "infinite");
    else
        cli_print(" %*.6g", width, value);
}

static void term(const char *name, const char *meaning, double printed, double corrected) {
    cli_print("  %-12s %-46s", name, meaning);
    number(printed, 12);
    number(corrected, 12);
    cli_end_line();
}

static void print_terms(const orff_bound_terms *t) {
    cli_end_line();
    cli_print_line("  %-12s %-46s %12s %12s", "", "", "printed", "corrected");
    term("|K(0)|", "sup |K(x,z)|", t->K0, t->K0);
    term("|E A^2|", "", NAN, t->E_A2);
    term("|Var A|", "", t->var_A_printed, t->var_A);
    term("b_D", "sup of D E|K~ - K|^2", t->b_printed, t->b);
    term("|A|_psi1", "Orlicz norm of |A(w)|", t->psi1, t->psi1);
    term("m", "4(psi1 + |K(0)|); 2(psi1 + |K(0)|/log 2)", t->m_printed, t->m);
    term("u_D", "2m log(2^1.5 (m/b)^2); m log(1 + 2m^2/b)", t->u_printed, t->u);
    term("sigma_p^2", "E |w|^2 |A|^2", t->sigma_p2, t->sigma_p2);
    term("C_d", "with p; with p^(2/(d+2))", t->C_printed, t->C);
    if (isnan(t->largest_importance)) return;
    term("b_D", "drawn by importance", NAN, t->b_importance);
    term("|F_j| D", "drawn by importance, at most", NAN, t->largest_importance);
    term("sigma_p^2", "drawn by importance", NAN, t->sigma_p2_importance);
}

static void print_features(double features, int width) {
    if (isinf(features))
        cli_print(" %*s", width, "none");
    else
        cli_print(" %*.0f", width, features);
}

/* Each reason once, with the bounds that it rules out. */
static void print_reasons(const orff_bound_report *r) {
    for (int k = 0; k < ORFF_BOUND_COUNT; k++) {
        const char *reason = r->bounds[k].reason;
        bool told = r->bounds[k].applies;
        for (int j = 0; j < k; j++) told = told || !strcmp(r->bounds[j].reason, reason);
        if (told) continue;
        cli_end_line();
        cli_print_line("  Not applicable: %s.", reason);
        cli_print("   ");
        for (int j = k; j < ORFF_BOUND_COUNT; j++)
            if (!strcmp(r->bounds[j].reason, reason)) cli_print("%s %s", j > k ? ";" : "", titles[j]);
        cli_end_line();
    }
}

static void print_bounds(const cli_bound_task *t) {
    const bool at = cli_given(t->arguments, cli_setting("features"));
    cli_end_line();
    cli_print("  %-41s %12s", "", "D needed");
    if (at) cli_print("   P{error >= epsilon} <= at D = %zu", t->report.features);
    cli_end_line();
    for (int k = 0; k < ORFF_BOUND_COUNT; k++) {
        const orff_bound *b = &t->report.bounds[k];
        if (!b->applies) continue;
        cli_print("%c %-41s", t->report.best == (orff_bound_kind)k ? '*' : ' ', titles[k]);
        print_features(b->features, 12);
        if (at && b->log_probability > 0.0)
            cli_print("   1 (says nothing: e^%.4g)", b->log_probability);
        else if (at)
            cli_print("   %.3g", exp(b->log_probability));
        cli_end_line();
    }
    print_reasons(&t->report);
}

static void print_thumb(const char *how, const double thumb[2]) {
    cli_print_line("Rule of thumb%s: D = %.0f to %.0f, that is (2.5 to 4.2)^2 b_D/epsilon^2.", how, thumb[0],
                   thumb[1]);
}

static void print_conclusion(const cli_bound_task *t) {
    const orff_bound_report *r = &t->report;
    cli_end_line();
    if (r->best == ORFF_BOUND_COUNT)
        cli_print_line("No bound is proven for this kernel.");
    else
        cli_print_line("* the smallest D that is proven to keep the error below epsilon with probability %g.",
                       t->question.probability);
    cli_print_line(
        "The bounds are for independent draws (--sampling iid). They are safe, but far too large.");
    if (r->measured)
        cli_print_line("Constants of this kernel are measured on %zu draws, which proves nothing.",
                       t->question.draws);
    if (isfinite(r->rule_of_thumb[1]))
        print_thumb("", r->rule_of_thumb);
    else if (isinf(r->rule_of_thumb[1]))
        cli_print_line("The mean-square error is infinite for this base: K~ converges slower than D^-1/2.");
    if (!isnan(r->rule_of_thumb_importance[1]))
        print_thumb(", drawn by importance as fit does", r->rule_of_thumb_importance);
}

static void print_measured(const cli_bound_task *t) {
    for (int i = 0; i < 2; i++) {
        const cli_bound_measurement *m = &t->measured[i];
        if (!m->there) continue;
        cli_print_line("%s%s, D = %zu: error %.4g (%.4g |K(0)|) or less in %g of %zu draws; mean %.4g",
                       i ? "measured, as fit draws, " : "measured, ", m->scheme, m->features,
                       m->value.quantile, m->value.quantile / m->value.K0, t->question.probability,
                       t->repeats, m->value.mean);
        if (i == 0)
            cli_print_line("  so about D = %.0f would keep it below epsilon",
                           ceil((double)m->features * pow(m->value.quantile / t->report.epsilon, 2.0)));
    }
}

int cli_bound_print_text(const cli_bound_task *t) {
    const orff_part *part = &t->spec.settings.parts[0];
    if (t->spec.settings.n_parts == 1)
        cli_print("%s, base %s", orff_rule_name(part->rule), orff_base_short_name(part->base, part->shape));
    else
        cli_print("%s", cli_text(t->arguments, cli_setting("kernel")));
    cli_print_line(", d = %zu, p = %zu, l = %g, epsilon = %g (%g |K(0)|)", t->d, t->p, t->question.diameter,
                   t->report.epsilon, t->report.epsilon / t->report.terms.K0);
    print_terms(&t->report.terms);
    print_bounds(t);
    print_conclusion(t);
    print_measured(t);
    return cli_check_stdout();
}

/* ---- JSON */

static json_t *finite(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *whole(double value) {
    return isfinite(value) && value < 9e15 ? json_integer((json_int_t)value) : json_null();
}

/* A probability is at most 1. */
static json_t *probability(const orff_bound *b) {
    return b->applies ? json_real(exp(fmin(b->log_probability, 0.0))) : json_null();
}

static json_t *bounds_json(const orff_bound_report *r) {
    json_t *all = json_object();
    for (int k = 0; k < ORFF_BOUND_COUNT; k++) {
        const orff_bound *b = &r->bounds[k];
        json_object_set_new(all, orff_bound_name((orff_bound_kind)k),
                            json_pack("{s:b, s:b, s:s, s:o, s:o, s:o, s:o}", "applies", b->applies, "proven",
                                      b->proven, "reason", b->reason, "log_probability",
                                      finite(b->log_probability), "features_needed", whole(b->features),
                                      "log_factor", finite(b->log_factor), "rate", finite(b->rate)));
    }
    return all;
}

static json_t *terms_json(const orff_bound_terms *t) {
    const struct {
        const char *name;
        double value;
    } all[] = {{"K0", t->K0},
               {"E_A2", t->E_A2},
               {"var_A", t->var_A},
               {"var_A_printed", t->var_A_printed},
               {"psi1", t->psi1},
               {"sigma_p2", t->sigma_p2},
               {"b", t->b},
               {"b_printed", t->b_printed},
               {"m", t->m},
               {"m_printed", t->m_printed},
               {"u", t->u},
               {"u_printed", t->u_printed},
               {"C_prime", t->C_prime},
               {"C", t->C},
               {"C_printed", t->C_printed},
               {"b_importance", t->b_importance},
               {"sigma_p2_importance", t->sigma_p2_importance},
               {"largest_importance", t->largest_importance}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_object_set_new(object, all[i].name, finite(all[i].value));
    return object;
}

static json_t *measured_json(const cli_bound_task *t) {
    json_t *list = json_array();
    for (int i = 0; i < 2; i++) {
        const cli_bound_measurement *m = &t->measured[i];
        if (!m->there) continue;
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:I, s:I, s:f, s:f, s:f, s:f}", "sampling", m->scheme,
                                        "as_fit_draws", i, "features", (json_int_t)m->features, "repeats",
                                        (json_int_t)t->repeats, "quantile", m->value.quantile, "median",
                                        m->value.median, "largest", m->value.largest, "mean", m->value.mean));
    }
    return list;
}

int cli_bound_print_json(const cli_bound_task *t) {
    const orff_bound_report *r = &t->report;
    json_t *o = json_pack(
        "{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:I}", "kernel", cli_text(t->arguments, cli_setting("kernel")),
        "base", orff_base_short_name(t->spec.settings.parts[0].base, t->spec.settings.parts[0].shape), "d",
        (json_int_t)t->d, "p", (json_int_t)t->p, "diameter", t->question.diameter, "epsilon", r->epsilon,
        "probability", t->question.probability, "features", (json_int_t)t->report.features);
    json_object_set_new(o, "printed", probability(&r->bounds[ORFF_BOUND_PRINTED]));
    json_object_set_new(o, "corrected", probability(&r->bounds[ORFF_BOUND_RIGOROUS]));
    json_object_set_new(o, "features_needed",
                        r->best < ORFF_BOUND_COUNT ? whole(r->bounds[r->best].features) : json_null());
    json_object_set_new(o, "best",
                        r->best < ORFF_BOUND_COUNT ? json_string(orff_bound_name(r->best)) : json_null());
    json_object_set_new(o, "rule_of_thumb",
                        json_pack("[o, o]", whole(r->rule_of_thumb[0]), whole(r->rule_of_thumb[1])));
    json_object_set_new(
        o, "rule_of_thumb_importance",
        json_pack("[o, o]", whole(r->rule_of_thumb_importance[0]), whole(r->rule_of_thumb_importance[1])));
    json_object_set_new(o, "bounds", bounds_json(r));
    json_object_set_new(o, "terms", terms_json(&r->terms));
    json_object_set_new(o, "measured", measured_json(t));
    return cli_print_json(o);
}
