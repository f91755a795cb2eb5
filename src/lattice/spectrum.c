/* The kernel on a lattice: W_k, and the difference from the exact kernel. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "base/random.h"
#include "lattice/system.h"

#define RANK_ROUNDING 1e-13 /* eigenvalues of A below this, relative to the largest, are zero */
#define COMPARED      200   /* differences at which the kernels are compared */
#define STREAM        0x4b45u

/* ---- one part at one frequency */

/* sqrt of h p(w): the quadrature weight of a law at w. */
static double root_weight(const orffi_spectrum *law, const orffi_lattice *l, const double *w) {
    double z[ORFF_LATTICE_INPUTS], cell = 0.0;
    for (size_t i = 0; i < l->d; i++) {
        z[i] = w[i] * law->scale[i];
        cell += log(2.0 * 3.14159265358979323846 * law->scale[i] / l->period[i]);
    }
    return exp(0.5 * (cell + orffi_spectrum_log_density(law, z)));
}

/* Writes columns of sqrt(q) root B(w) to W (p rows of `stride`), from column `first` on. */
static void fill_columns(const orffi_kernel_part *part, const orffi_lattice *l, const double *w,
                         const double *stored, size_t first, size_t stride, double *unit, double *column,
                         double *W) {
    double at[ORFF_LATTICE_INPUTS];
    const double root = root_weight(&part->law, l, w);
    for (size_t i = 0; part->rule->physical && i < part->p; i++) at[i] = w[part->law.space[i]];
    for (size_t c = 0; c < part->columns; c++) {
        memset(unit, 0, part->columns * sizeof *unit);
        memset(column, 0, part->p * sizeof *column);
        unit[c] = 1.0;
        part->rule->apply(part, part->rule->physical ? at : stored, unit, column);
        for (size_t a = 0; a < part->p; a++) W[a * stride + first + c] = root * column[a];
    }
}

/* ---- all parts */

/* The blocks of custom parts at every mode (H x p x columns each), or NULL. */
static orff_status call_blocks(const orffi_lattice_system *s, size_t part, double **blocks) {
    const orffi_kernel_part *one = &s->kernel->parts[part];
    const size_t d = s->lattice->d;
    double *w;
    *blocks = NULL;
    if (!one->rule->stored) return ORFF_OK;
    ORFFI_TRY(orffi_alloc(&w, s->H, d * sizeof *w));
    for (size_t h = 0; h < s->H; h++) {
        long k[ORFF_LATTICE_INPUTS];
        orffi_lattice_place(s->lattice, h, k);
        const long sign = orffi_lattice_is_first(s->lattice, k) ? 1 : -1;
        for (size_t i = 0; i < d; i++) k[i] *= sign;
        orffi_lattice_frequency(s->lattice, k, w + h * d);
    }
    orff_status status = orffi_alloc(blocks, s->H, one->p * one->columns * sizeof **blocks);
    if (!status) status = one->rule->blocks(one, s->H, w, *blocks);
    orffi_release(w);
    return status;
}

static size_t all_columns(const orff_kernel *kernel) {
    size_t columns = 0;
    for (size_t m = 0; m < kernel->n_parts; m++) columns += kernel->parts[m].columns;
    return columns;
}

bool orffi_lattice_is_scalar(const orff_kernel *kernel) {
    return orffi_kernel_is_identity(kernel) || orffi_kernel_is_separable(kernel);
}

typedef struct scratch {
    double **blocks; /* of each part */
    double *stacked; /* outputs x all columns */
    double *unit, *column;
    double *S, *values; /* outputs x outputs, outputs */
} scratch;

static void scratch_clear(scratch *t, size_t parts) {
    for (size_t m = 0; t->blocks && m < parts; m++) orffi_release(t->blocks[m]);
    orffi_release(t->blocks);
    orffi_release(t->stacked);
    orffi_release(t->unit);
    orffi_release(t->column);
    orffi_release(t->S);
    orffi_release(t->values);
}

static orff_status scratch_init(scratch *t, const orffi_lattice_system *s) {
    const size_t p = s->outputs, columns = all_columns(s->kernel);
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->blocks, s->kernel->n_parts));
    for (size_t m = 0; m < s->kernel->n_parts; m++) ORFFI_TRY(call_blocks(s, m, &t->blocks[m]));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->stacked, p * columns));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->unit, columns));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->column, p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(t->S, p * p));
    return ORFFI_NEW_ARRAY(t->values, p);
}

/* All columns of all parts at mode h: outputs x columns. */
static void stack_columns(const orffi_lattice_system *s, size_t h, const scratch *t) {
    const size_t columns = all_columns(s->kernel);
    double w[ORFF_LATTICE_INPUTS];
    long k[ORFF_LATTICE_INPUTS];
    size_t first = 0;
    orffi_lattice_place(s->lattice, h, k);
    const long sign = orffi_lattice_is_first(s->lattice, k) ? 1 : -1;
    for (size_t i = 0; i < s->lattice->d; i++) k[i] *= sign; /* signs must agree for k and -k */
    orffi_lattice_frequency(s->lattice, k, w);
    for (size_t m = 0; m < s->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &s->kernel->parts[m];
        const double *stored = t->blocks[m] ? t->blocks[m] + h * part->p * part->columns : NULL;
        fill_columns(part, s->lattice, w, stored, first, columns, t->unit, t->column, t->stacked);
        first += part->columns;
    }
}

/* W_k: the stacked columns, or, if they outnumber the outputs, a square root of their S. */
static orff_status fill_joint(orffi_lattice_system *s, size_t h, const scratch *t) {
    const size_t p = s->outputs, columns = all_columns(s->kernel);
    stack_columns(s, h, t);
    if (columns <= p) {
        for (size_t i = 0; i < p * columns; i++) s->W[i * s->H + h] = t->stacked[i];
        return ORFF_OK;
    }
    orffi_gemm(false, true, p, p, columns, 1.0, t->stacked, columns, t->stacked, columns, 0.0, t->S, p);
    ORFFI_TRY(orffi_eigen(p, t->S, t->values));
    for (size_t a = 0; a < p; a++)
        for (size_t c = 0; c < p; c++)
            s->W[(a * p + c) * s->H + h] = t->S[a * p + c] * sqrt(fmax(t->values[c], 0.0));
    return ORFF_OK;
}

/* s_k of S_k = s_k A, the sum of the parts' weights. */
static void fill_scalar(orffi_lattice_system *s, size_t h) {
    double w[ORFF_LATTICE_INPUTS], sum = 0.0;
    long k[ORFF_LATTICE_INPUTS];
    orffi_lattice_place(s->lattice, h, k);
    orffi_lattice_frequency(s->lattice, k, w);
    for (size_t m = 0; m < s->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &s->kernel->parts[m];
        const double root = part->root * root_weight(&part->law, s->lattice, w);
        sum += root * root;
    }
    s->W[h] = sqrt(sum);
}

/* The eigenvectors of A, without its null space; the identity if A is NULL. */
static orff_status find_axes(orffi_lattice_system *s, const double *A) {
    const size_t p = s->outputs;
    double *V = NULL, *values = NULL;
    s->axes = p;
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->turn, p * p));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->size, p));
    for (size_t a = 0; a < p; a++) s->turn[a * p + a] = s->size[a] = 1.0;
    if (!A) return ORFF_OK;
    orff_status status = orffi_duplicate(&V, A, p * p, sizeof *V);
    if (!status) status = ORFFI_NEW_ARRAY(values, p);
    if (!status) status = orffi_eigen(p, V, values);
    s->axes = 0;
    for (size_t c = p; !status && c-- > 0;) {
        if (values[c] <= RANK_ROUNDING * values[p - 1]) continue;
        for (size_t a = 0; a < p; a++) s->turn[s->axes * p + a] = V[a * p + c];
        s->size[s->axes++] = values[c];
    }
    orffi_release(V);
    orffi_release(values);
    return status;
}

/* Computes rank and trace. */
static void finish(orffi_lattice_system *s) {
    s->trace = 0.0;
    for (size_t h = 0; h < s->H; h++) {
        s->rank[h] = 0.0;
        for (size_t i = 0; i < s->p * s->r; i++) s->rank[h] += s->W[i * s->H + h] * s->W[i * s->H + h];
        s->trace += orffi_lattice_count(s->lattice, h) * s->rank[h];
    }
    if (s->turn) {
        double axes = 0.0;
        for (size_t a = 0; a < s->axes; a++) axes += s->size[a];
        s->trace *= axes;
    }
    s->trace /= (double)s->outputs;
}

static orff_status fill_roots(orffi_lattice_system *s, bool separable) {
    scratch t = {0};
    if (separable) {
        for (size_t h = 0; h < s->H; h++) fill_scalar(s, h);
        return ORFF_OK;
    }
    orff_status status = scratch_init(&t, s);
    for (size_t h = 0; !status && h < s->H; h++) status = fill_joint(s, h, &t);
    scratch_clear(&t, s->kernel->n_parts);
    return status;
}

orff_status orffi_lattice_system_init(orffi_lattice_system *s, const orffi_lattice *lattice,
                                      const orff_kernel *kernel, bool directed) {
    const bool separable = orffi_lattice_is_scalar(kernel) && !directed;
    const size_t columns = all_columns(kernel);
    *s = (orffi_lattice_system){
        .lattice = lattice, .kernel = kernel, .outputs = kernel->p, .directed = directed};
    s->pairs = directed ? kernel->p * (kernel->p + 1) / 2 : 1;
    s->H = orffi_lattice_modes(lattice);
    s->p = separable ? 1 : kernel->p;
    s->r = separable ? 1 : columns < kernel->p ? columns : kernel->p;
    s->axes = 1;
    ORFFI_TRY(orffi_alloc(&s->W, s->H * sizeof *s->W, s->p * s->r));
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->rank, s->H));
    ORFFI_TRY(orffi_alloc(&s->density, orffi_lattice_points(lattice) * sizeof *s->density, s->pairs));
    if (separable) {
        ORFFI_TRY(find_axes(s, orffi_kernel_is_identity(kernel) ? NULL : kernel->parts[0].A));
    } else {
        ORFFI_TRY(ORFFI_NEW_ARRAY(s->size, 1));
        s->size[0] = 1.0;
    }
    ORFFI_TRY(fill_roots(s, separable));
    finish(s);
    return ORFF_OK;
}

void orffi_lattice_system_clear(orffi_lattice_system *s) {
    orffi_release(s->W);
    orffi_release(s->rank);
    orffi_release(s->turn);
    orffi_release(s->size);
    orffi_release(s->density);
    orffi_lattice_room_free(s->room);
    memset(s, 0, sizeof *s);
}

/* ---- against the exact kernel */

/* sum over all k of S_k cos<w_k, delta> */
void orffi_lattice_system_kernel(const orffi_lattice_system *s, const double *delta, double *K) {
    const size_t q = s->outputs;
    memset(K, 0, q * q * sizeof *K);
    for (size_t h = 0; h < s->H; h++) {
        long k[ORFF_LATTICE_INPUTS];
        double w[ORFF_LATTICE_INPUTS], phase = 0.0;
        orffi_lattice_place(s->lattice, h, k);
        orffi_lattice_frequency(s->lattice, k, w);
        for (size_t i = 0; i < s->lattice->d; i++) phase += w[i] * delta[i];
        const double front = orffi_lattice_count(s->lattice, h) * cos(phase);
        for (size_t a = 0; a < s->p; a++)
            for (size_t b = 0; b < s->p; b++)
                for (size_t c = 0; c < s->r; c++)
                    K[a * q + b] += front * s->W[(a * s->r + c) * s->H + h] * s->W[(b * s->r + c) * s->H + h];
    }
    if (!s->turn) return;
    const double scalar = K[0];
    memset(K, 0, q * q * sizeof *K);
    for (size_t j = 0; j < s->axes; j++)
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++)
                K[a * q + b] += scalar * s->size[j] * s->turn[j * q + a] * s->turn[j * q + b];
}

bool orffi_lattice_has_exact(const orff_kernel *kernel) {
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (!kernel->parts[m].rule->exact && !kernel->parts[m].exact) return false;
    return true;
}

/* Differences from 0 to the extent, small ones favoured; (0, .., 0) and the corner come first. */
static void pick_difference(const double *extent, size_t d, size_t i, double *delta) {
    const orffi_rng rng = {0, STREAM};
    const double u = orffi_rng_uniform(rng, i, (uint32_t)d), shrink = i < 2 ? (double)i : u * u * u;
    for (size_t k = 0; k < d; k++)
        delta[k] = extent[k] * shrink * (i < 2 ? 1.0 : 2.0 * orffi_rng_uniform(rng, i, (uint32_t)k) - 1.0);
}

static orff_status compare(const orffi_lattice_system *s, const double *extent, double *work, double *error) {
    const size_t q = s->outputs;
    double *exact = work, *ours = work + q * q, *delta = work + 2 * q * q, size = 0.0, worst = 0.0;
    const size_t affordable = 1 + 4000000 / (s->H * s->p * s->p * s->r);
    for (size_t i = 0; i < COMPARED && i < affordable + 2; i++) {
        pick_difference(extent, s->lattice->d, i, delta);
        ORFFI_TRY(orffi_kernel_exact(s->kernel, delta, exact));
        orffi_lattice_system_kernel(s, delta, ours);
        for (size_t k = 0; k < q * q; k++) {
            if (i == 0) size = fmax(size, fabs(exact[k]));
            worst = fmax(worst, fabs(exact[k] - ours[k]));
        }
    }
    *error = worst / size;
    return ORFF_OK;
}

/* A scalar system gives the value of the scalar kernel. */
orff_status orffi_lattice_beyond(const orffi_lattice_system *s, double *beyond) {
    const double zero[ORFF_LATTICE_INPUTS] = {0};
    const size_t q = s->outputs, n = s->turn ? 1 : q;
    double *K;
    memset(beyond, 0, n * sizeof *beyond);
    if (!orffi_lattice_has_exact(s->kernel)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(K, 2 * q * q));
    orff_status status = orffi_kernel_exact(s->kernel, zero, K);
    orffi_lattice_system_kernel(s, zero, K + q * q);
    for (size_t a = 0; !status && a < q; a++)
        if (!s->turn) beyond[a] = fmax(K[a * (q + 1)] - K[q * q + a * (q + 1)], 0.0);
    if (!status && s->turn) {
        double exact = 0.0, ours = 0.0;
        for (size_t m = 0; m < s->kernel->n_parts; m++)
            exact += s->kernel->parts[m].root * s->kernel->parts[m].root;
        for (size_t h = 0; h < s->H; h++) ours += orffi_lattice_count(s->lattice, h) * s->rank[h];
        beyond[0] = fmax(exact - ours, 0.0);
    }
    orffi_release(K);
    return status;
}

orff_status orffi_lattice_kernel_error(const orffi_lattice_system *s, const double *extent, double *error) {
    const size_t q = s->outputs;
    double *work;
    *error = NAN;
    if (!orffi_lattice_has_exact(s->kernel)) return ORFF_OK;
    ORFFI_TRY(ORFFI_NEW_ARRAY(work, 2 * q * q + s->lattice->d));
    const orff_status status = compare(s, extent, work, error);
    orffi_release(work);
    return status;
}
