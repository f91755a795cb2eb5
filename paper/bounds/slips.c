/* Two slips of the theorem, as numbers: its u has a unit, and its Lipschitz constant is too small. */
#include <math.h>

#include "slips.h"

/* ---- u_D */

#define SCALE_D       200000
#define SCALE_EPSILON 0.3

/* The decomposable kernel c k0 I, d = p = 2, and epsilon = 0.3 c: outputs in other units, so the bound may not move. */
static void scale_row(paper_table *table, double c) {
    if (paper_has(table, "%g", c)) return;
    orff_part part = orff_part_default();
    part.weight = c;
    const orff_bound_question question = {.epsilon = SCALE_EPSILON * c,
                                          .diameter = 2.0 * sqrt(2.0),
                                          .probability = 0.95,
                                          .features = SCALE_D,
                                          .b = 0.5 * c * c};
    orff_bound_report r;
    paper_must(orff_bound_evaluate(&part, 2, 2, &question, &r), "bounds");
    paper_row(table, "%g,%.6g,%.6g,%.2f,%.2f", c, r.terms.u_printed, r.terms.u,
              r.bounds[ORFF_BOUND_PRINTED].log_probability, r.bounds[ORFF_BOUND_RIGOROUS].log_probability);
}

/* ---- the Lipschitz constant, d = 1, D = 1, Gaussian, sigma = 1, so that sigma_p^2 = E w^2 = 1 */

#define REACH 8.0
#define STEPS 1600

/* The largest slope of F(delta) = cos(w delta) - k0(delta); beyond REACH k0 is nothing and the slope comes up to w. */
static double lipschitz(double w) {
    double largest = w;
    for (int i = 0; i <= STEPS; i++) {
        const double delta = REACH * i / STEPS;
        largest = fmax(largest, fabs(delta * exp(-delta * delta / 2.0) - w * sin(w * delta)));
    }
    return largest;
}

/* E L^2 by the trapezoid rule, which is all but exact for a Gaussian. */
static double mean_square_lipschitz(void) {
    double sum = 0.0, weights = 0.0;
    for (int i = 0; i <= STEPS / 2; i++) {
        const double w = 2.0 * REACH * i / STEPS, weight = (i ? 1.0 : 0.5) * exp(-w * w / 2.0),
                     L = lipschitz(w);
        sum += weight * L * L;
        weights += weight;
    }
    return sum / weights;
}

/* ---- words */

static void agree(paper_run *run, const paper_table *scale, const paper_table *constant) {
    paper_agreement(run,
                    "\nTwo slips as numbers. The printed u_D has a unit: with A times c and epsilon times c, "
                    "the printed bound (decomposable, d = p = 2, b_D = c^2/2, epsilon = %g c, D = %d) is",
                    SCALE_EPSILON, SCALE_D);
    static const char *const scales[] = {"0.01", "0.1", "1", "10", "100"};
    for (size_t i = 0; i < 5; i++)
        paper_agreement(run, "%s e^%.0f for c = %s", i ? "," : "",
                        paper_value(scale, "log_printed", "%s", scales[i]), scales[i]);
    paper_agreement(run,
                    "; the corrected one is e^%.0f for all. And E L^2 <= sigma_p^2 does not hold: for d = 1, "
                    "D = 1 and the Gaussian, E L^2 = %.2f sigma_p^2.\n",
                    paper_value(scale, "log_corrected", "1"),
                    paper_value(constant, "mean_square_over_sigma_p2", "1/1"));
}

void bounds_slips(paper_run *run) {
    paper_table *scale =
        paper_table_open(run, "scale.csv", 1, "c,u_printed,u_corrected,log_printed,log_corrected");
    paper_table *constant = paper_table_open(run, "lipschitz.csv", 2, "d,D,mean_square_over_sigma_p2");
    for (int power = -2; power <= 2; power++) scale_row(scale, pow(10.0, power));
    if (!paper_has(constant, "1/1")) paper_row(constant, "1,1,%.4f", mean_square_lipschitz());
    agree(run, scale, constant);
}
