/* The special functions against high-precision tables, closed forms and their own inverses. */
#include <math.h>
#include <stdlib.h>

#include "base/special.h"
#include "support.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* Relative, also for the tiny and the huge. */
#define assert_relative(got, want, tol) assert_close((got) / (want), 1, tol)

static void normal_cdf_table(void **state) {
    (void)state;
    static const double table[][2] = {
        {-30, 4.906713927148187e-198},
        {-12.5, 3.732564298877713e-36},
        {-6, 9.86587645037698e-10},
        {-3.3, 0.0004834241423837775},
        {-1.2, 0.11506967022170828},
        {-0.4, 0.3445782583896758},
        {0, 0.5},
        {1e-10, 0.5000000000398942},
        {0.9, 0.8159398746532405},
        {2.5, 0.9937903346742238},
        {5, 0.9999997133484281},
        {9, 1},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        support_case("x = %g", table[i][0]);
        assert_relative(orffi_normal_cdf(table[i][0]), table[i][1], 1e-15);
    }
    assert_true(orffi_normal_cdf(-(double)INFINITY) == 0);
    assert_true(orffi_normal_cdf((double)INFINITY) == 1);
    assert_true(isnan(orffi_normal_cdf((double)NAN)));
}

static void normal_quantile_golden(void **state) {
    (void)state;
    json_t *root = support_load("golden/normal_quantile.json");
    const json_t *table = support_member(root, "normal_quantile");
    assert_true(json_array_size(table) >= 10);
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *entry = json_array_get(table, i);
        support_case("u = %.17g", support_number(entry, "u"));
        assert_close(orffi_normal_quantile(support_number(entry, "u")), support_number(entry, "z"), 1e-15);
    }
    json_decref(root);
}

/* Phi(z(u)) = u. A relative error e of z is one of e z^2 in u in the tail, and is compared on that scale. */
static void normal_quantile_round_trip(void **state) {
    (void)state;
    enum { STEPS = 100000 };
    double before = -(double)INFINITY;
    for (int i = 1; i < STEPS; i++) {
        const double u = i < STEPS / 2 ? pow(10, -300 + 600.0 * i / STEPS) : (double)i / STEPS;
        if (i == STEPS / 2) before = 0;
        const double z = orffi_normal_quantile(u);
        support_case("u = %.17g", u);
        if (i != STEPS / 2 && !(z > before)) fail_msg("not increasing at u = %.17g", u);
        const double error = fabs(orffi_normal_cdf(z) / u - 1);
        if (!(error <= 2e-15 * (1 + z * z))) fail_msg("u = %.17g comes back with error %g", u, error);
        before = z;
    }
}

static void normal_quantile_edges(void **state) {
    (void)state;
    assert_true(orffi_normal_quantile(0) == -(double)INFINITY);
    assert_true(orffi_normal_quantile(1) == (double)INFINITY);
    assert_true(isnan(orffi_normal_quantile(-1e-300)) && isnan(orffi_normal_quantile(1 + 1e-15)));
    assert_true(isnan(orffi_normal_quantile((double)NAN)));
    for (int i = 1; i < 512; i++) {
        const double u = i / 1024.0;
        assert_true(orffi_normal_quantile(u) == -orffi_normal_quantile(1 - u));
    }
    /* Across the joints of the three pieces: u = 0.075 and u = exp(-25). */
    static const double joints[] = {0.075, 1.3887943864964021e-11};
    for (size_t i = 0; i < COUNT(joints); i++) {
        const double z = orffi_normal_quantile(joints[i]);
        const double slope = sqrt(8 * atan(1.0)) * exp(0.5 * z * z), h = joints[i] * 1e-13;
        assert_close(orffi_normal_quantile(joints[i] + h), z + slope * h, 2e-15);
        assert_close(orffi_normal_quantile(joints[i] - h), z - slope * h, 2e-15);
    }
}

/* a, x, P(a,x), Q(a,x) computed with 50 digits. */
static const double gamma_table[][4] = {
    {0.0001, 0.5, 0.9999440197070426, 5.5980292957401714e-05},
    {0.01, 1e-20, 0.6345579205489967, 0.36544207945100327},
    {0.01, 0.001, 0.938570652526129, 0.061429347473871014},
    {0.01, 0.5, 0.9943732438060329, 0.0056267561939671844},
    {0.01, 3, 0.9998670286434298, 0.0001329713565701555},
    {0.1, 0.2, 0.8794196267900568, 0.12058037320994318},
    {0.1, 6, 0.9999541273388068, 4.587266119320894e-05},
    {0.5, 1e-06, 0.0011283787909692363, 0.9988716212090307},
    {0.5, 0.3, 0.5614219739190002, 0.4385780260809999},
    {0.5, 1.4, 0.9057356931587897, 0.09426430684121032},
    {0.5, 1.6, 0.9263617298796973, 0.07363827012030265},
    {0.5, 20, 0.9999999997460371, 2.539628589470865e-10},
    {0.5, 600, 1.0, 6.0995688148084334e-263},
    {1, 1e-10, 9.999999999500001e-11, 0.9999999999},
    {1, 1, 0.6321205588285577, 0.36787944117144233},
    {1, 50, 1.0, 1.9287498479639178e-22},
    {1.5, 0.1, 0.0224107022383506, 0.9775892977616494},
    {1.5, 4, 0.9539882943107686, 0.04601170568923137},
    {2.5, 30, 0.9999999999878454, 1.215456977718304e-11},
    {5, 1, 0.0036598468273437122, 0.9963401531726563},
    {5, 5.5, 0.6424819975720745, 0.35751800242792553},
    {5, 6.5, 0.7763281831885007, 0.2236718168114993},
    {9.9, 3, 0.0012529823262899071, 0.9987470176737101},
    {10, 3, 0.0011024881301154798, 0.9988975118698845},
    {10, 10, 0.5420702855281478, 0.4579297144718522},
    {10, 40, 0.9999999960740678, 3.925932226286188e-09},
    {50, 20, 1.245892607971938e-08, 0.9999999875410739},
    {50, 50, 0.5188083154720433, 0.48119168452795674},
    {50, 100, 0.9999999882154993, 1.1784500720979422e-08},
    {200, 190, 0.2433474271006238, 0.7566525728993762},
    {200, 215, 0.8551262439557168, 0.14487375604428318},
    {1000, 800, 5.5014197761792284e-12, 0.9999999999944986},
    {1000, 1000, 0.5042052441802155, 0.4957947558197845},
    {1000, 1002, 0.5293925037709377, 0.4706074962290622},
    {1000, 1300, 1.0, 1.8736155715785553e-18},
    {10000, 9900, 0.15865119219356466, 0.8413488078064354},
    {100000, 100500, 0.9428967300239713, 0.057103269976028714},
};

static void gamma_known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(gamma_table); i++) {
        const double *t = gamma_table[i];
        support_case("a = %g, x = %g", t[0], t[1]);
        assert_relative(orffi_gamma_p(t[0], t[1]), t[2], 5e-14);
        assert_relative(orffi_gamma_q(t[0], t[1]), t[3], 5e-14);
    }
}

/* P(1,x) = 1 - exp(-x), P(1/2,x) = erf(sqrt x), and the step Q(a+1,x) = Q(a,x) + x^a exp(-x)/Gamma(a+1). */
static void gamma_identities(void **state) {
    (void)state;
    for (double x = 1e-6; x < 300; x *= 1.37) {
        support_case("x = %g", x);
        assert_relative(orffi_gamma_p(1, x), -expm1(-x), 1e-14);
        assert_relative(orffi_gamma_p(0.5, x), erf(sqrt(x)), 1e-14);
        assert_relative(orffi_gamma_q(0.5, x), erfc(sqrt(x)), 1e-13);
        for (double a = 0.03; a < 400; a *= 2.9) {
            const double step = exp(a * log(x) - x - orffi_log_gamma(a + 1));
            assert_close(orffi_gamma_q(a + 1, x), orffi_gamma_q(a, x) + step, 1e-12);
            assert_close(orffi_gamma_p(a, x) + orffi_gamma_q(a, x), 1, 1e-14);
        }
    }
}

static void gamma_edges(void **state) {
    (void)state;
    assert_true(orffi_gamma_p(2, 0) == 0 && orffi_gamma_q(2, 0) == 1);
    assert_true(orffi_gamma_p(2, (double)INFINITY) == 1 && orffi_gamma_q(2, (double)INFINITY) == 0);
    assert_true(isnan(orffi_gamma_p(-1, 1)) && isnan(orffi_gamma_q(1, -1)) &&
                isnan(orffi_gamma_p(1, (double)NAN)));
    assert_true(orffi_gamma_quantile(2, 0) == 0 && isinf(orffi_gamma_quantile(2, 1)));
    assert_true(isnan(orffi_gamma_quantile(0, 0.5)) && isnan(orffi_gamma_quantile(1, 1.5)));
}

static double uniform(void) {
    return (rand() + 0.5) / (RAND_MAX + 1.0);
}

/* P(x) = u: the relative error of x is that of P over dP/d log x. The upper half is seen through Q. */
static double quantile_error(double a, double u) {
    const double x = orffi_gamma_quantile(a, u), log_weight = a * log(x) - x - orffi_log_gamma(a);
    const double miss = u < 0.5 ? orffi_gamma_p(a, x) - u : orffi_gamma_q(a, x) - (1 - u);
    return fabs(miss) / exp(log_weight);
}

static void gamma_quantile_round_trip(void **state) {
    (void)state;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        const double a = pow(10, -2 + 5.2 * uniform()), tail = pow(10, -15.5 * uniform());
        const double us[] = {uniform(), tail, 1 - tail, pow(10, -280 * uniform())};
        const double u = us[i % 4];
        if (u >= 1 || log(u) / a < -600) continue;
        const double error = quantile_error(a, u);
        if (!(error < 2e-13)) fail_msg("a = %.17g, u = %.17g: relative error %g", a, u, error);
    }
}

/* Exact inverses: a = 1 is the exponential law, a = 1/2 half the square of a normal. */
static void gamma_quantile_closed_forms(void **state) {
    (void)state;
    for (double u = 1e-12; u < 1; u = u < 0.01 ? u * 3 : u + 0.0113) {
        support_case("u = %.17g", u);
        assert_relative(orffi_gamma_quantile(1, u), -log1p(-u), 1e-14);
        const double z = orffi_normal_quantile(0.5 * (1 - u));
        if (u > 0.01) assert_relative(orffi_gamma_quantile(0.5, u), 0.5 * z * z, 1e-13);
        assert_relative(orffi_chi_quantile(2, u), sqrt(-2 * log1p(-u)), 1e-14);
        assert_relative(orffi_chi_cdf(3.3, orffi_chi_quantile(3.3, u)), u, 1e-13);
    }
    assert_relative(orffi_chi_cdf(1, 1.7), erf(1.7 / sqrt(2)), 1e-14);
    assert_true(orffi_chi_cdf(3, 0) == 0 && orffi_chi_cdf(3, -1) == 0);
}

static void log_gamma_matches(void **state) {
    (void)state;
    assert_close(orffi_log_gamma(0.5), 0.5 * log(4 * atan(1.0)), 1e-15);
    assert_close(orffi_log_gamma(11), log(3628800.0), 1e-15);
    for (double a = 10; a < 1e6; a *= 1.7) {
        const double stirling = (a - 0.5) * log(a) - a + 0.5 * log(8 * atan(1.0));
        assert_close(stirling + orffi_stirling_rest(a), orffi_log_gamma(a), 1e-14);
    }
}

/* nu, x, exp(x) K_nu(x) and exp(x) 2^(1-nu)/Gamma(nu) x^nu K_nu(x) computed with 50 digits. */
static const double bessel_table[][4] = {
    {0.1, 1e-06, 19.043911625335173, 0.9383016489974055},
    {0.3, 0.7, 1.3886083307181911, 0.677534092186575},
    {1, 1e-08, 100000000.99999991, 1.000000009999999},
    {1, 1, 1.6361534862632583, 1.6361534862632583},
    {1.25, 30, 0.23380034527840746, 15.228885940633923},
    {2, 0.001, 2002000.4998341391, 1.0010002499170696},
    {3, 3, 2.453857593190622, 8.28176937701835},
    {7.7, 0.5, 97810257.42935117, 1.6334253553372575},
    {10, 1e-05, 1.857964179543735e+58, 1.0000100000472223},
    {12.3, 100, 0.2654705595301399, 5026753221851.482},
    {30, 2, 3.1559587808452644e+31, 7.1387553365037455},
    {50, 1, 9.26090581010204e+77, 2.7044490962974903},
    {50, 700, 0.2818891537340656, 1.4804907928399327e+64},
    {33.3, 650, 0.11524035379385551, 1.3614734073383982e+47},
};

static void bessel_known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(bessel_table); i++) {
        const double *t = bessel_table[i];
        support_case("nu = %g, x = %g", t[0], t[1]);
        assert_relative(orffi_bessel_k_scaled(t[0], t[1]), t[2], 1e-13);
        assert_relative(orffi_bessel_k_scaled(-t[0], t[1]), t[2], 1e-13);
        assert_relative(orffi_matern_scaled(t[0], t[1]), t[3], 1e-13);
    }
    static const double order_zero[][2] = {{1e-8, 18.536612444976903},
                                           {0.1, 2.6823261022628944},
                                           {2, 0.8415682150707714},
                                           {700, 0.04736236945461357}};
    for (size_t i = 0; i < COUNT(order_zero); i++)
        assert_relative(orffi_bessel_k_scaled(0, order_zero[i][0]), order_zero[i][1], 1e-13);
}

/* exp(x) times the Matern function of nu = 1/2, 3/2, 5/2, 7/2. */
static void half_integers(double x, double want[4]) {
    want[0] = 1;
    want[1] = 1 + x;
    want[2] = 1 + x + x * x / 3;
    want[3] = 1 + x + 2 * x * x / 5 + x * x * x / 15;
}

/* The closed forms test both functions; the Bessel function never uses them. */
static void matern_half_integers(void **state) {
    (void)state;
    for (double x = 1e-8; x < 700; x *= 1.21) {
        double want[4];
        half_integers(x, want);
        for (int n = 0; n < 4; n++) {
            const double nu = n + 0.5, factor = 0.5 * tgamma(nu) * pow(0.5 * x, -nu);
            support_case("nu = %g, x = %g", nu, x);
            assert_relative(orffi_matern_scaled(nu, x), want[n], 1e-13);
            assert_relative(orffi_bessel_k_scaled(nu, x), factor * want[n], 1e-13);
        }
    }
}

/* The quadrature just beside a half-integer must join the closed form there: d M / d nu is of order 1. */
static void matern_is_continuous(void **state) {
    (void)state;
    for (double x = 1e-10; x < 50; x *= 2.3)
        for (int n = 0; n < 30; n += 3) {
            const double nu = n + 0.5, here = orffi_matern_scaled(nu, x);
            const double beside =
                0.5 * (orffi_matern_scaled(nu * (1 + 1e-8), x) + orffi_matern_scaled(nu * (1 - 1e-8), x));
            support_case("nu = %g, x = %g", nu, x);
            assert_relative(beside, here, 1e-12);
        }
}

/* K_{nu+1} = K_{nu-1} + 2 nu/x K_nu. */
static void bessel_recurrence(void **state) {
    (void)state;
    for (double x = 1e-4; x < 700; x *= 1.9)
        for (double nu = 0.05; nu < 49; nu = nu * 1.3 + 0.1) {
            const double next = orffi_bessel_k_scaled(nu + 1, x);
            const double want = orffi_bessel_k_scaled(nu - 1, x) + 2 * nu / x * orffi_bessel_k_scaled(nu, x);
            support_case("nu = %g, x = %g", nu, x);
            assert_relative(next, want, 1e-13);
        }
}

static void matern_edges(void **state) {
    (void)state;
    for (double nu = 0.01; nu < 100; nu *= 1.5) {
        assert_true(orffi_matern_scaled(nu, 0) == 1);
        assert_true(isfinite(orffi_matern_scaled(nu, 1e-300)) && isfinite(orffi_matern_scaled(nu, 1e300)));
    }
    assert_close(orffi_matern_scaled(3.2, 1e-12), 1, 1e-11);
    assert_true(isnan(orffi_matern_scaled(0, 1)) && isnan(orffi_matern_scaled(1, -1)));
    assert_true(isnan(orffi_matern_scaled(1, (double)NAN)) && isnan(orffi_bessel_k_scaled((double)NAN, 1)));
    assert_true(isinf(orffi_bessel_k_scaled(50, 1e-8)) && isinf(orffi_bessel_k_scaled(0, 0)));
    assert_true(isnan(orffi_bessel_k_scaled(1, -1)));
    const double gamma_tenth = tgamma(0.1);
    assert_relative(orffi_bessel_k_scaled(0.1, 1e-200), 0.5 * gamma_tenth * pow(0.5e-200, -0.1), 1e-13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_cdf_table),
        cmocka_unit_test(normal_quantile_golden),
        cmocka_unit_test(normal_quantile_round_trip),
        cmocka_unit_test(normal_quantile_edges),
        cmocka_unit_test(gamma_known_values),
        cmocka_unit_test(gamma_identities),
        cmocka_unit_test(gamma_edges),
        cmocka_unit_test(gamma_quantile_round_trip),
        cmocka_unit_test(gamma_quantile_closed_forms),
        cmocka_unit_test(log_gamma_matches),
        cmocka_unit_test(bessel_known_values),
        cmocka_unit_test(matern_half_integers),
        cmocka_unit_test(matern_is_continuous),
        cmocka_unit_test(bessel_recurrence),
        cmocka_unit_test(matern_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
