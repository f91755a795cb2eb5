/* Moments of a lattice in a file: members "lattice" (docs/files.md) and "moments" of the document, and for
 * each set k
 *
 *     rho.<k>  H2 x 2       for the half space |k_i| <= 2 m_i; pairs x H2 x 2 for directed rows
 *     R.<k>    p x H x 2
 *     T.<k>    (p+1) x (p+1)
 *
 * and E (draws x p x H x 2) if there are draws: version 2, else 1.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "lattice/fft.h"
#include "lattice/record.h"

enum { VERSION = 2, NAME_ROOM = 32, LARGEST_SIDE = 100000 };
static const char format[] = "orff-lattice-moments";

/* ---- the lattice */

/* Periodic inputs have an infinite range, written as 0, because files have no infinity. */
int orffi_lattice_write(const orffi_lattice *l, json_t *object) {
    double inside[ORFF_LATTICE_INPUTS];
    for (size_t i = 0; i < l->d; i++) inside[i] = isinf(l->inside[i]) ? 0.0 : l->inside[i];
    int failed = json_object_set_new(object, "m", orffi_json_sizes(l->d, l->m));
    failed |= json_object_set_new(object, "period", orffi_json_numbers(l->d, l->period));
    failed |= json_object_set_new(object, "center", orffi_json_numbers(l->d, l->center));
    failed |= json_object_set_new(object, "inside", orffi_json_numbers(l->d, inside));
    return failed;
}

static orff_status read_sides(const orffi_fields *in, orffi_lattice *l) {
    size_t *m;
    ORFFI_TRY(orffi_fields_sizes(in, "m", l->d, &m));
    bool fits = true;
    for (size_t i = 0; i < l->d; i++) {
        fits = fits && m[i] >= 1 && m[i] <= LARGEST_SIDE;
        l->m[i] = m[i];
        l->grid[i] = fits ? orffi_fft_size(4 * m[i] + 1) : 0;
    }
    orffi_release(m);
    return fits ? ORFF_OK : orffi_fields_fail(in, "m", "is not the side of a lattice");
}

static orff_status read_numbers(const orffi_fields *in, const char *key, size_t d, double *out) {
    double *list;
    ORFFI_TRY(orffi_fields_numbers(in, key, d, &list));
    memcpy(out, list, d * sizeof *out);
    orffi_release(list);
    return ORFF_OK;
}

orff_status orffi_lattice_read(const orffi_fields *in, size_t d, orffi_lattice *l) {
    *l = (orffi_lattice){.d = d};
    if (d == 0 || d > ORFF_LATTICE_INPUTS) return orffi_fields_fail(in, "m", "is for more than three inputs");
    ORFFI_TRY(read_sides(in, l));
    ORFFI_TRY(read_numbers(in, "period", d, l->period));
    ORFFI_TRY(read_numbers(in, "center", d, l->center));
    ORFFI_TRY(read_numbers(in, "inside", d, l->inside));
    for (size_t i = 0; i < d; i++) {
        if (!(l->period[i] > 0.0)) return orffi_fields_fail(in, "period", "is not positive");
        if (!(l->inside[i] >= 0.0)) return orffi_fields_fail(in, "inside", "is negative");
        if (l->inside[i] == 0.0) l->inside[i] = INFINITY;
    }
    return ORFF_OK;
}

/* ---- writing */

static orff_status check_written(const char *temporary);

static orff_status add_tensor(orffi_archive_writer *writer, const char *letter, size_t k, size_t rank,
                              const size_t *shape, const void *data) {
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s.%zu", letter, k);
    return orffi_archive_add(writer, name, ORFFI_F64, rank, shape, data);
}

static orff_status overflowed(void) {
    return orffi_fail(ORFF_ERROR_NUMERICAL,
                      "the sums over the rows have overflowed, and no file was written: outputs or weights "
                      "are too large; give them in other units");
}

static orff_status check_set(const orffi_lattice_moments *s, const orffi_lattice_set *set) {
    const size_t q = s->p + 1;
    if (!orffi_check_finite("rho", orffi_lattice_pairs(s), 2 * orffi_lattice_density_modes(&s->lattice),
                            (double *)set->rho) &&
        !orffi_check_finite("R", s->p, 2 * orffi_lattice_modes(&s->lattice), (double *)set->R) &&
        !orffi_check_finite("T", q, q, set->T))
        return ORFF_OK;
    return overflowed();
}

static orff_status add_sets(const orffi_lattice_moments *s, orffi_archive_writer *writer) {
    const size_t rho[3] = {orffi_lattice_pairs(s), orffi_lattice_density_modes(&s->lattice), 2};
    const size_t R[3] = {s->p, orffi_lattice_modes(&s->lattice), 2}, T[2] = {s->p + 1, s->p + 1};
    for (size_t k = 0; k < s->n_sets; k++) {
        ORFFI_TRY(check_set(s, &s->sets[k]));
        ORFFI_TRY(
            add_tensor(writer, "rho", k, s->directed ? 3 : 2, s->directed ? rho : rho + 1, s->sets[k].rho));
        ORFFI_TRY(add_tensor(writer, "R", k, 3, R, s->sets[k].R));
        ORFFI_TRY(add_tensor(writer, "T", k, 2, T, s->sets[k].T));
    }
    const size_t E[4] = {s->draws, s->p, R[1], 2};
    if (!s->draws) return ORFF_OK;
    if (orffi_check_finite("E", s->draws, 2 * s->p * R[1], (double *)s->E)) return overflowed();
    return orffi_archive_add(writer, "E", ORFFI_F64, 4, E, s->E);
}

/* Rows and sums of log weights of each fold. */
static int pack_folds(const orffi_lattice_moments *s, json_t *object) {
    json_t *rows = json_array(), *logs = json_array();
    int failed = !rows || !logs;
    for (size_t k = 0; !failed && k < s->n_sets; k++) {
        failed |= json_array_append_new(rows, orffi_json_whole(s->sets[k].rows));
        failed |= json_array_append_new(logs, json_real(s->sets[k].logs));
    }
    failed |= json_object_set_new(object, "rows", rows);
    return failed | json_object_set_new(object, "logs", logs);
}

/* Only if rows are not whole or have errors; otherwise this follows from the sums. */
static int pack_observed(const orff_lattice_moments *m, json_t *object) {
    json_t *observed, *weights;
    if (!m->sums->directed && !m->errors) return 0;
    observed = json_object();
    weights = json_array();
    int failed = json_object_set_new(object, "observed", observed);
    failed |= json_object_set_new(observed, "weights", weights);
    for (size_t k = 0; !failed && k < m->sums->n_sets; k++)
        failed |= json_array_append_new(weights, json_real(m->sums->sets[k].weight));
    if (failed) return failed;
    failed |= json_object_set_new(observed, "directed", json_boolean(m->sums->directed));
    failed |= json_object_set_new(observed, "errors", json_boolean(m->errors));
    failed |= json_object_set_new(observed, "rows", orffi_json_whole(m->measured));
    failed |= json_object_set_new(observed, "N", json_real(m->N));
    return failed | json_object_set_new(observed, "plain", json_real(m->plain));
}

static int describe(const orff_lattice_moments *m, json_t *document) {
    const size_t d = m->sums->lattice.d;
    json_t *lattice = json_object(), *object = json_object();
    int failed = json_object_set_new(document, "lattice", lattice);
    failed |= json_object_set_new(document, "moments", object);
    if (failed) return failed;
    failed |= orffi_lattice_write(&m->sums->lattice, lattice);
    failed |= json_object_set_new(object, "inputs", json_integer((json_int_t)d));
    failed |= json_object_set_new(object, "outputs", json_integer((json_int_t)m->sums->p));
    failed |= json_object_set_new(object, "folds", json_integer((json_int_t)m->folds));
    failed |= json_object_set_new(object, "seed", orffi_json_whole(m->seed));
    failed |= json_object_set_new(object, "low", orffi_json_numbers(d, m->low));
    failed |= json_object_set_new(object, "high", orffi_json_numbers(d, m->high));
    failed |= json_object_set_new(object, "shortest", orffi_json_numbers(d, m->shortest));
    failed |= json_object_set_new(object, "longest", orffi_json_numbers(d, m->longest));
    failed |= json_object_set_new(object, "tolerance", json_real(m->tolerance));
    if (m->sums->draws)
        failed |= json_object_set_new(object, "draws", json_integer((json_int_t)m->sums->draws));
    failed |= pack_folds(m->sums, object);
    failed |= pack_observed(m, object);
    return failed | orffi_json_set_text(object, "notes", m->notes);
}

orff_status orff_lattice_moments_save(const orff_lattice_moments *m, const char *path) {
    orffi_archive_writer *writer = NULL;
    if (!m || !path)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_save: NULL argument");
    json_t *document = json_object();
    orff_status status = orffi_archive_writer_create(&writer, format, m->sums->draws ? VERSION : 1);
    if (!status) status = add_sets(m->sums, writer);
    if (!status && (!document || describe(m, document)))
        status = orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file");
    if (!status) status = orffi_archive_set_document(writer, document);
    if (!status) status = orffi_archive_write(writer, path, check_written);
    orffi_archive_writer_free(writer);
    json_decref(document);
    return status;
}

/* ---- reading */

/* Everything in a file except its sums. */
typedef struct header {
    orffi_lattice lattice;
    size_t p, n_sets, draws;
    const double *E; /* draws x p x H x 2, inside the archive */
    bool directed;
    orff_lattice_moments rest;
} header;

static orff_status check_ranges(const orffi_fields *in, size_t d, const orff_lattice_moments *m) {
    for (size_t i = 0; i < d; i++) {
        if (!(m->high[i] >= m->low[i])) return orffi_fields_fail(in, "high", "is below low");
        if (!(m->shortest[i] > 0.0)) return orffi_fields_fail(in, "shortest", "is not positive");
        if (!(m->longest[i] >= m->shortest[i]))
            return orffi_fields_fail(in, "longest", "is below the shortest");
    }
    return m->tolerance > 0.0 && m->tolerance < 1.0 ? ORFF_OK
                                                    : orffi_fields_fail(in, "tolerance", "is out of range");
}

static orff_status read_header(const orffi_fields *in, header *h) {
    size_t listed;
    const size_t d = h->lattice.d;
    ORFFI_TRY(orffi_fields_size(in, "outputs", &h->p));
    ORFFI_TRY(orffi_fields_size(in, "folds", &h->rest.folds));
    ORFFI_TRY(orffi_fields_whole(in, "seed", &h->rest.seed));
    ORFFI_TRY(read_numbers(in, "low", d, h->rest.low));
    ORFFI_TRY(read_numbers(in, "high", d, h->rest.high));
    ORFFI_TRY(read_numbers(in, "shortest", d, h->rest.shortest));
    ORFFI_TRY(read_numbers(in, "longest", d, h->rest.longest));
    ORFFI_TRY(orffi_fields_number(in, "tolerance", &h->rest.tolerance));
    ORFFI_TRY(check_ranges(in, d, &h->rest));
    ORFFI_TRY(orffi_fields_list(in, "rows", &listed));
    h->n_sets = h->rest.folds > 1 ? h->rest.folds : 1;
    if (h->p == 0 || h->p > SIZE_MAX / 64) return orffi_fields_fail(in, "outputs", "is no number of outputs");
    return listed == h->n_sets ? ORFF_OK : orffi_fields_fail(in, "rows", "has not one entry for each fold");
}

/* For rows that are not whole or have errors. */
static orff_status read_observed(const orffi_fields *in, header *h) {
    orffi_fields observed;
    double *weights;
    if (!orffi_fields_has(in, "observed")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(in, "observed", &observed));
    ORFFI_TRY(orffi_fields_flag(&observed, "directed", &h->directed));
    ORFFI_TRY(orffi_fields_flag(&observed, "errors", &h->rest.errors));
    ORFFI_TRY(orffi_fields_whole(&observed, "rows", &h->rest.measured));
    ORFFI_TRY(orffi_fields_number(&observed, "N", &h->rest.N));
    ORFFI_TRY(orffi_fields_number(&observed, "plain", &h->rest.plain));
    if (!(h->rest.N >= 0.0)) return orffi_fields_fail(&observed, "N", "is negative");
    if (!(h->rest.plain >= 0.0)) return orffi_fields_fail(&observed, "plain", "is negative");
    if (h->directed && h->p > ORFF_LATTICE_OUTPUTS)
        return orffi_fields_fail(in, "outputs", "is too large for directed rows");
    ORFFI_TRY(orffi_fields_numbers(&observed, "weights", h->n_sets, &weights));
    orffi_release(weights);
    return ORFF_OK;
}

static size_t pairs_of(const header *h) {
    return h->directed ? h->p * (h->p + 1) / 2 : 1;
}

typedef struct view {
    const double *rho, *R, *T;
} view;

static orff_status read_tensor(const orffi_archive *archive, const char *letter, size_t k, size_t rank,
                               const size_t *shape, const double **data) {
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s.%zu", letter, k);
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, rank, shape, data));
    return orffi_archive_check_finite(archive, name);
}

static orff_status view_set(const orffi_archive *archive, const header *h, size_t k, view *set) {
    const size_t rho[3] = {pairs_of(h), orffi_lattice_density_modes(&h->lattice), 2};
    const size_t R[3] = {h->p, orffi_lattice_modes(&h->lattice), 2}, T[2] = {h->p + 1, h->p + 1};
    ORFFI_TRY(read_tensor(archive, "rho", k, h->directed ? 3 : 2, h->directed ? rho : rho + 1, &set->rho));
    ORFFI_TRY(read_tensor(archive, "R", k, 3, R, &set->R));
    return read_tensor(archive, "T", k, 2, T, &set->T);
}

/* Files without draws lack this member. */
static orff_status view_draws(const orffi_fields *in, header *h) {
    const size_t H = orffi_lattice_modes(&h->lattice);
    if (!orffi_fields_has(in, "draws")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_size(in, "draws", &h->draws));
    if (h->draws == 0 || h->draws > SIZE_MAX / h->p / H / 16)
        return orffi_fields_fail(in, "draws", "is no number of right-hand sides");
    const size_t E[4] = {h->draws, h->p, H, 2};
    ORFFI_TRY(orffi_archive_expect(in->archive, "E", ORFFI_F64, 4, E, &h->E));
    return orffi_archive_check_finite(in->archive, "E");
}

/* Checks everything that can be wrong with a file. Memory is allocated only after every set was found. */
static orff_status inspect(const orffi_archive *archive, orffi_fields *in, header *h) {
    const orffi_fields document = orffi_fields_of(archive);
    orffi_fields lattice;
    size_t d;
    double *logs;
    view unused;
    *h = (header){0};
    ORFFI_TRY(orffi_fields_object(&document, "moments", in));
    ORFFI_TRY(orffi_fields_size(in, "inputs", &d));
    ORFFI_TRY(orffi_fields_object(&document, "lattice", &lattice));
    ORFFI_TRY(orffi_lattice_read(&lattice, d, &h->lattice));
    ORFFI_TRY(read_header(in, h));
    ORFFI_TRY(read_observed(in, h));
    for (size_t k = 0; k < h->n_sets; k++) ORFFI_TRY(view_set(archive, h, k, &unused));
    ORFFI_TRY(view_draws(in, h));
    ORFFI_TRY(orffi_fields_numbers(in, "logs", h->n_sets, &logs));
    orffi_release(logs);
    return ORFF_OK;
}

static orff_status copy_sets(const orffi_fields *in, const header *h, orff_lattice_moments *m) {
    double *logs;
    view from;
    ORFFI_TRY(orffi_fields_numbers(in, "logs", h->n_sets, &logs));
    orff_status status = ORFF_OK;
    for (size_t k = 0; !status && k < h->n_sets; k++) {
        orffi_lattice_set *set = &m->sums->sets[k];
        status = view_set(in->archive, h, k, &from);
        if (!status) status = orffi_fields_whole_item(in, "rows", k, &set->rows);
        if (status) break;
        set->logs = logs[k];
        memcpy(set->rho, from.rho, pairs_of(h) * orffi_lattice_density_modes(&h->lattice) * sizeof *set->rho);
        memcpy(set->R, from.R, h->p * orffi_lattice_modes(&h->lattice) * sizeof *set->R);
        memcpy(set->T, from.T, (h->p + 1) * (h->p + 1) * sizeof *set->T);
    }
    orffi_release(logs);
    return status;
}

static orff_status copy_weights(const orffi_fields *in, const header *h, orffi_lattice_moments *sums) {
    orffi_fields observed;
    double *weights;
    ORFFI_TRY(orffi_fields_object(in, "observed", &observed));
    ORFFI_TRY(orffi_fields_numbers(&observed, "weights", h->n_sets, &weights));
    for (size_t k = 0; k < h->n_sets; k++) sums->sets[k].weight = weights[k];
    orffi_release(weights);
    return ORFF_OK;
}

static orff_status load(orff_lattice_moments **out, const orffi_archive *archive) {
    orffi_fields in;
    header h;
    ORFFI_TRY(inspect(archive, &in, &h));
    ORFFI_TRY(orffi_lattice_record_create(out, &h.lattice, h.p, h.rest.folds, h.draws));
    if (h.directed) ORFFI_TRY(orffi_lattice_record_direct(*out));
    if (h.draws)
        memcpy((*out)->sums->E, h.E, h.draws * h.p * orffi_lattice_modes(&h.lattice) * sizeof(orffi_mode));
    h.rest.sums = (*out)->sums;
    **out = h.rest;
    ORFFI_TRY(orffi_fields_notes(&in, &(*out)->notes));
    ORFFI_TRY(copy_sets(&in, &h, *out));
    if (orffi_fields_has(&in, "observed")) return copy_weights(&in, &h, (*out)->sums);
    orffi_lattice_record_count(*out, (*out)->sums);
    return ORFF_OK;
}

orff_status orff_lattice_moments_load(orff_lattice_moments **out, const char *path) {
    orffi_archive *archive = NULL;
    orff_lattice_moments *m = NULL;
    if (!out || !path)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_lattice_moments_load: NULL argument");
    ORFFI_TRY(orffi_fft_require());
    ORFFI_TRY(orffi_archive_open(&archive, path, format, 1, VERSION));
    const orff_status status = load(&m, archive);
    orffi_archive_close(archive);
    if (status) {
        orff_lattice_moments_free(m);
    } else {
        *out = m;
    }
    return status;
}

bool orff_lattice_moments_is_file(const char *path) {
    return path && orffi_archive_begins(path, format);
}

static orff_status check_written(const char *temporary) {
    orffi_archive *archive = NULL;
    orffi_fields in;
    header h;
    orff_status status = orffi_archive_open(&archive, temporary, format, 1, VERSION);
    if (!status) status = inspect(archive, &in, &h);
    orffi_archive_close(archive);
    return orffi_archive_blame(status, temporary, "moments of a lattice");
}
