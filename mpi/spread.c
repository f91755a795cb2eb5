#include "spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64                /* largest number of features in a block */
#define ROOM  ((size_t)1 << 23) /* numbers of phi at once, about */
#define LEAST 64                /* fewest rows in a round */
#define MOST  8192

/* ---- the grid: as square as the number of ranks allows */

static void choose_grid(orffi_spread *s) {
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->size);
    s->grid[0] = (int)sqrt((double)s->size);
    while (s->size % s->grid[0]) s->grid[0]--;
    s->grid[1] = s->size / s->grid[0];
    s->place[0] = s->rank / s->grid[1]; /* in the order of BLACS, row by row */
    s->place[1] = s->rank % s->grid[1];
}

/* ---- sides */

static size_t side_count(const orffi_spread *s, int which) {
    size_t count = 0;
    for (size_t a = 0; a < s->L; a++)
        count += a / s->block % (size_t)s->grid[which] == (size_t)s->place[which];
    return count;
}

/* Lists the frequencies of a side, one after another, and the positions of its features among their cosines
 * and sines. */
static size_t map_side(const orffi_spread *s, orffi_side *side, size_t *place, double *omega, double *weights,
                       const double *all, const double *all_weights) {
    size_t m = 0;
    for (size_t j = 0; j < s->D; j++) place[j] = SIZE_MAX;
    for (size_t i = 0; i < side->count; i++) {
        const size_t j = side->index[i] % s->D;
        if (place[j] != SIZE_MAX) continue;
        memcpy(omega + m * s->d, all + j * s->d, s->d * sizeof *omega);
        weights[m] = all_weights[j];
        place[j] = m++;
    }
    for (size_t i = 0; i < side->count; i++)
        side->column[i] = place[side->index[i] % s->D] + (side->index[i] < s->D ? 0 : m);
    return m;
}

static orff_status fill_side(const orffi_spread *s, orffi_side *side, int which, const orff_kernel *kernel,
                             const double *omega, const double *weights) {
    size_t *place = malloc(s->D * sizeof *place), at = 0;
    double *own = malloc(s->D * s->d * sizeof *own), *own_weights = malloc(s->D * sizeof *own_weights);
    side->count = side_count(s, which);
    side->index = malloc((side->count + 1) * sizeof *side->index);
    side->column = malloc((side->count + 1) * sizeof *side->column);
    orff_status status =
        place && own && own_weights && side->index && side->column ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
    for (size_t a = 0; !status && a < s->L; a++)
        if (a / s->block % (size_t)s->grid[which] == (size_t)s->place[which]) side->index[at++] = a;
    if (!status) side->frequencies = map_side(s, side, place, own, own_weights, omega, weights);
    if (!status && side->frequencies)
        status = orff_features_create_at(&side->features, kernel, side->frequencies, own, own_weights);
    free(place);
    free(own);
    free(own_weights);
    return status;
}

static void clear_side(orffi_side *side) {
    free(side->index);
    free(side->column);
    free(side->phi);
    free(side->wide);
    orff_features_free(side->features);
}

/* ---- creating */

/* Reads the blocks of all frequencies; u and rhs follow from them. */
static orff_status read_blocks(orffi_spread *s, const orff_features *features) {
    size_t columns = 0;
    orff_status status = orff_features_block(features, 0, &columns, NULL);
    if (!status && !columns) status = ORFF_ERROR_UNSUPPORTED;
    if (status) return status;
    s->B = malloc(s->D * s->p * columns * sizeof *s->B);
    bool same = columns == s->p;
    for (size_t j = 0; s->B && !status && j < s->D; j++) {
        size_t here = 0;
        double *B = s->B + j * s->p * columns;
        status = orff_features_block(features, j, &here, NULL);
        if (!status && here != columns) return ORFF_ERROR_UNSUPPORTED;
        if (!status) status = orff_features_block(features, j, &here, B);
        for (size_t i = 0; same && !status && i < s->p * columns; i++)
            same = B[i] == (i / columns == i % columns ? s->B[0] : 0.0);
    }
    s->apart = same;
    s->u = same ? 1 : columns;
    s->rhs = same ? s->p : 1;
    return s->B ? status : ORFF_ERROR_NO_MEMORY;
}

static bool make_room(orffi_spread *s) {
    const size_t m = s->rows.count, n = s->columns.count, wide = m + n + 1;
    s->round = ROOM / wide < LEAST ? LEAST : ROOM / wide > MOST ? MOST : ROOM / wide;
    s->S = calloc(m * s->u * n * s->u + 1, sizeof *s->S);
    s->R = calloc(m * (s->p + 1) + 1, sizeof *s->R);
    s->T = calloc((s->p + 1) * (s->p + 1), sizeof *s->T);
    return s->S && s->R && s->T;
}

orff_status orffi_spread_create(orffi_spread *s, MPI_Comm comm, const orff_kernel *kernel,
                                const orff_features *features) {
    const orff_features_info info = orff_features_describe(features);
    double *omega = malloc(info.frequencies * info.inputs * sizeof *omega);
    double *weights = malloc(info.frequencies * sizeof *weights);
    s->comm = comm;
    s->D = info.frequencies;
    s->L = info.length;
    s->d = info.inputs;
    s->p = info.outputs;
    choose_grid(s);
    orff_status status = omega && weights ? ORFF_OK : ORFF_ERROR_NO_MEMORY;
    if (!status && orff_kernel_groups(kernel) != 1) status = ORFF_ERROR_UNSUPPORTED;
    if (!status) status = read_blocks(s, features);
    if (!status) {
        s->block =
            BLOCK / s->u > s->rhs ? BLOCK / s->u : s->rhs; /* all right-hand sides fit in one block column */
        status = orff_features_frequencies(features, omega, weights);
    }
    if (!status) status = fill_side(s, &s->rows, 0, kernel, omega, weights);
    if (!status) status = fill_side(s, &s->columns, 1, kernel, omega, weights);
    if (!status && !make_room(s)) status = ORFF_ERROR_NO_MEMORY;
    free(omega);
    free(weights);
    return status;
}

void orffi_spread_clear(orffi_spread *s) {
    clear_side(&s->rows);
    clear_side(&s->columns);
    free(s->S);
    free(s->R);
    free(s->T);
    free(s->B);
}
