/* The size of the blocks that are held out together.
 *
 * Rows nearer to each other than a length scale l carry nearly the same information, so predicting a row
 * from its neighbours is no test. With a side of 2 l the middle of a block is one length scale away from
 * all rows of other blocks. There a Gaussian kernel has fallen to 0.6: the surrounding rows still inform
 * the prediction but do not determine it. Smaller blocks would flatter the model; larger ones would ask
 * for what no model can know.
 *
 * Where l is long compared with the range of the rows, blocks must be smaller, or there are too few for
 * the folds: at least four per fold. The block of a row depends only on its inputs, so rows can be
 * streamed. */
#include "model/blocks.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/periods.h"
#include "moments/moments.h"

#define WIDTH    2.0  /* of a block, in length scales */
#define EACH     4    /* blocks per fold, at least, if all blocks held rows */
#define HALVINGS 8    /* how often blocks are halved while one fold has too many of the rows */
#define LOOKED   5000 /* rows that the fold sizes are counted on */
#define LARGEST  0.5  /* largest share of the rows in one fold: the model learns from the others */

static const char *const names[] = {ORFF_FOLDS_LIST(ORFFI_NAME_OF) NULL};

const char *orff_folds_name(orff_folds folds) {
    return (unsigned)folds < ORFF_FOLDS_COUNT ? names[folds] : NULL;
}

const char *const *orff_folds_names(void) {
    return names;
}

orff_status orff_folds_parse(const char *name, orff_folds *folds) {
    size_t place;
    if (!folds) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_folds_parse: NULL argument");
    ORFFI_TRY(orffi_names_find("folds", name, names, &place));
    *folds = (orff_folds)place;
    return ORFF_OK;
}

/* ---- sides */

/* The shortest length scale of all parts along an input; blocks made for a longer one would be too large
 * for it. INFINITY if there is none. */
static double shortest_scale(const orffi_plan *plan, size_t i) {
    double least = INFINITY;
    for (size_t m = 0; m < plan->parts.count; m++) {
        const double *sigmas = plan->parts.list[m].sigmas;
        if (sigmas && sigmas[i] > 0.0) least = fmin(least, sigmas[i]);
    }
    return least;
}

double orffi_blocks_side(size_t d, size_t folds, double shortest, double extent) {
    const double least = ceil(pow((double)(EACH * folds), 1.0 / (double)d) - 1e-9); /* along each input */
    const double side = fmin(WIDTH * shortest, extent > 0.0 ? extent / least : INFINITY);
    return isfinite(side) && side > 0.0 ? side : 1.0;
}

/* On a circle, a whole number of blocks covers the period. */
static double close_circle(const orffi_plan *plan, size_t i, double side) {
    const double *periods = plan->periods;
    return orffi_is_periodic(periods, i) ? periods[i] / ceil(periods[i] / side - 1e-9) : side;
}

static void fill_sides(orffi_plan *plan) {
    for (size_t i = 0; i < plan->d; i++)
        plan->blocks[i] =
            close_circle(plan, i,
                         orffi_blocks_side(plan->d, plan->settings.folds, shortest_scale(plan, i),
                                           plan->extent ? plan->extent[i] : 0.0));
}

/* ---- the rows in them */

/* Whether the first rows (the head) fall into folds that cross-validation can use. */
static bool is_spread(const orffi_plan *plan, const orffi_rows *rows, double *x) {
    const orffi_table *head = &rows->head;
    const orff_moments_settings how = {.folds = plan->settings.folds < 2 ? 5 : plan->settings.folds,
                                       .seed = plan->settings.sampling.seed,
                                       .blocks = plan->blocks};
    const size_t looked = head->n < LOOKED ? head->n : LOOKED;
    size_t counts[1000] = {0}, most = 0;
    for (size_t i = 0; i < looked; i++) {
        const double *from = head->X + i * (head->n / looked) * plan->d;
        for (size_t k = 0; k < plan->d; k++) x[k] = (from[k] - plan->units.shift[k]) / plan->units.unit[k];
        const size_t count = ++counts[orffi_moments_fold(&how, 0, plan->d, x, 0, NULL)];
        if (count > most) most = count;
    }
    return (double)most <= LARGEST * (double)looked;
}

/* Rows may be clustered: halve the blocks until they divide the clusters. */
static orff_status divide_rows(orffi_plan *plan, const orffi_rows *rows, bool *divided) {
    double *x;
    ORFFI_TRY(ORFFI_NEW_ARRAY(x, plan->d));
    *divided = is_spread(plan, rows, x);
    for (size_t round = 0; round < HALVINGS && !*divided; round++) {
        for (size_t i = 0; i < plan->d; i++) plan->blocks[i] /= 2.0;
        *divided = is_spread(plan, rows, x);
    }
    orffi_release(x);
    return ORFF_OK;
}

orff_status orffi_blocks_choose(orffi_plan *plan, const orffi_rows *rows) {
    const orff_settings *s = &plan->settings;
    bool divided;
    if (s->folds > 1000) return ORFF_OK; /* an error elsewhere */
    ORFFI_TRY(ORFFI_NEW_ARRAY(plan->blocks, plan->d));
    fill_sides(plan);
    ORFFI_TRY(divide_rows(plan, rows, &divided));
    plan->folds = s->folds_by;
    if (plan->folds == ORFF_FOLDS_AUTO) plan->folds = s->groups ? ORFF_FOLDS_GROUPS : ORFF_FOLDS_BLOCKS;
    if (plan->folds == ORFF_FOLDS_BLOCKS && !divided) plan->folds = ORFF_FOLDS_RANDOM;
    return ORFF_OK;
}

orff_status orffi_blocks_copy(orffi_plan *to, const orffi_plan *from) {
    to->folds = from->folds;
    for (size_t i = 0; to->blocks && from->blocks && i < to->d; i++)
        to->blocks[i] = from->blocks[i] * (from->units.unit[i] / to->units.unit[i]);
    return ORFF_OK;
}
