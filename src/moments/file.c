/* Moments in a file: member "moments" of the document, the bank, and for each set k
 *
 *     S.<k>  L (L+1)/2    upper triangle, row after row
 *     R.<k>  L x (p+1)
 *     T.<k>  (p+1) x (p+1)
 *
 * and, if there are rows that are not whole, member "parted", with parted.S.<k> (pairs L x L), parted.R.<k>
 * and parted.T.<k>.
 */
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/memory.h"
#include "base/plane.h"
#include "features/recipe.h"
#include "moments/moments.h"

enum { VERSION = 1, NAME_ROOM = 32 };
static const char format[] = "orff-moments";

static orff_status packed_length(size_t L, size_t *length) {
    ORFFI_TRY(L % 2 ? orffi_multiply(L, (L + 1) / 2, length) : orffi_multiply(L / 2, L + 1, length));
    return ORFF_OK;
}

static size_t row_start(size_t L, size_t i) {
    return i * L - i * (i - 1) / 2;
}

static void pack(size_t L, const double *S, double *packed) {
    for (size_t i = 0; i < L; i++) memcpy(packed + row_start(L, i), S + i * L + i, (L - i) * sizeof *S);
}

static void unpack(size_t L, const double *packed, double *S) {
    for (size_t i = 0; i < L; i++) memcpy(S + i * L + i, packed + row_start(L, i), (L - i) * sizeof *S);
}

/* ---- writing */

static orff_status check_written(const char *temporary);

static orff_status add_tensor(orffi_archive_writer *writer, const char *letter, size_t k, size_t rank,
                              size_t rows, size_t cols, const double *data) {
    const size_t shape[2] = {rows, cols};
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s.%zu", letter, k);
    return orffi_archive_add(writer, name, ORFFI_F64, rank, shape, data);
}

static orff_status add_parted(orffi_archive_writer *writer, size_t k, size_t L, size_t q,
                              const orffi_parted *set) {
    if (!set->pairs) return ORFF_OK;
    ORFFI_TRY(add_tensor(writer, "parted.S", k, 2, set->pairs * L, L, set->S));
    ORFFI_TRY(add_tensor(writer, "parted.R", k, 2, set->pairs + q - 1, L, set->R));
    return add_tensor(writer, "parted.T", k, 2, q, q, set->T);
}

/* packed: the triangles of all sets, kept until the file is written. */
static orff_status add_sets(const orff_moments *moments, orffi_archive_writer *writer, size_t length,
                            double *packed) {
    const size_t L = 2 * moments->bank->D, q = moments->p + 1;
    for (size_t k = 0; k < moments->n_sets; k++) {
        const orffi_moment_set *set = &moments->sets[k];
        pack(L, set->S, packed + k * length);
        ORFFI_TRY(add_tensor(writer, "S", k, 1, length, 0, packed + k * length));
        ORFFI_TRY(add_tensor(writer, "R", k, 2, L, q, set->R));
        ORFFI_TRY(add_tensor(writer, "T", k, 2, q, q, set->T));
        ORFFI_TRY(add_parted(writer, k, L, q, &set->parted));
    }
    return ORFF_OK;
}

static json_t *pack_rows(const orff_moments *moments) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < moments->n_sets; k++) {
        if (!json_array_append_new(list, orffi_json_whole(moments->sets[k].rows))) continue;
        json_decref(list);
        list = NULL;
    }
    return list;
}

/* For rows that are not whole: their counts, and for each set [numbers, weight, logs]. */
static int pack_parted(const orff_moments *m, json_t *object) {
    if (!orffi_moments_is_parted(m)) return 0;
    json_t *sets = json_array();
    json_t *parted = json_pack("{sI so sf sf sb so}", "pairs", (json_int_t)m->sets[0].parted.pairs, "rows",
                               orffi_json_whole(m->counts.rows), "N", m->counts.N, "plain", m->counts.plain,
                               "errors", (int)m->counts.errors, "sets", sets);
    int failed = json_object_set_new(object, "parted", parted);
    for (size_t k = 0; !failed && k < m->n_sets; k++) {
        const orffi_parted *set = &m->sets[k].parted;
        failed = json_array_append_new(sets, json_pack("{so sf sf}", "rows", orffi_json_whole(set->rows),
                                                       "weight", set->weight, "logs", set->logs));
    }
    return failed;
}

static orff_status describe(const orff_moments *moments, json_t *document) {
    const orff_moments_settings *settings = &moments->settings;
    json_t *object = json_pack("{sI sI so sb so so}", "outputs", (json_int_t)moments->p, "folds",
                               (json_int_t)settings->folds, "seed", orffi_json_whole(settings->seed),
                               "single", (int)settings->single, "arrived", orffi_json_whole(moments->arrived),
                               "rows", pack_rows(moments));
    int failed = json_object_set_new(document, "moments", object);
    if (!failed) failed = pack_parted(moments, object);
    if (!failed) failed = orffi_json_set_text(object, "notes", moments->notes);
    if (!failed) failed = orffi_plane_pack(object, settings->plane);
    return failed ? orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for the document of a file") : ORFF_OK;
}

/* Every row was small enough to be summed, but sums over all rows, or over several files, may have
 * overflowed. */
static orff_status check_sets(const orff_moments *moments) {
    const size_t L = 2 * moments->bank->D, q = moments->p + 1;
    for (size_t k = 0; k < moments->n_sets; k++) {
        const orffi_moment_set *set = &moments->sets[k];
        const orffi_parted *parted = &set->parted;
        if ((parted->pairs && (orffi_check_finite("S", parted->pairs * L, L, parted->S) ||
                               orffi_check_finite("R", parted->pairs + q - 1, L, parted->R) ||
                               orffi_check_finite("T", q, q, parted->T))) ||
            orffi_check_finite("S", L, L, set->S) || orffi_check_finite("R", L, q, set->R) ||
            orffi_check_finite("T", q, q, set->T))
            return orffi_fail(
                ORFF_ERROR_NUMERICAL,
                "the sums over the rows have overflowed, and no file was written: outputs or weights are "
                "too large; give them in other units");
    }
    return ORFF_OK;
}

orff_status orffi_moments_pack(const orff_moments *moments, orffi_archive_writer *writer, json_t *document,
                               double **packed) {
    size_t length, room;
    ORFFI_TRY(check_sets(moments));
    ORFFI_TRY(packed_length(2 * moments->bank->D, &length));
    ORFFI_TRY(orffi_multiply(length, moments->n_sets, &room));
    ORFFI_TRY(ORFFI_NEW_ARRAY(*packed, room));
    ORFFI_TRY(describe(moments, document));
    ORFFI_TRY(orffi_bank_write(moments->bank, 0, writer, document));
    ORFFI_TRY(add_sets(moments, writer, length, *packed));
    return orffi_archive_set_document(writer, document);
}

orff_status orff_moments_save(const orff_moments *moments, const char *path) {
    double *packed = NULL;
    orffi_archive_writer *writer = NULL;
    if (!moments || !path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_save: NULL argument");
    json_t *document = json_object();
    orff_status status = orffi_archive_writer_create(&writer, format, VERSION);
    if (!status) status = orffi_moments_pack(moments, writer, document, &packed);
    if (!status) status = orffi_archive_write(writer, path, check_written);
    orffi_archive_writer_free(writer);
    json_decref(document);
    orffi_release(packed);
    return status;
}

/* ---- reading */

/* The content of the document, without the bank. */
typedef struct header {
    size_t p, n_sets;
    orff_moments_settings settings;
    orff_plane plane;
    uint64_t arrived;
    size_t pairs;
    orffi_parted_counts counts;
} header;

static orff_status read_header(const orffi_fields *in, header *h) {
    size_t listed;
    *h = (header){0};
    ORFFI_TRY(orffi_fields_size(in, "outputs", &h->p));
    ORFFI_TRY(orffi_fields_size(in, "folds", &h->settings.folds));
    ORFFI_TRY(orffi_fields_whole(in, "seed", &h->settings.seed));
    ORFFI_TRY(orffi_fields_flag(in, "single", &h->settings.single));
    ORFFI_TRY(orffi_fields_whole(in, "arrived", &h->arrived));
    ORFFI_TRY(orffi_fields_list(in, "rows", &listed));
    h->n_sets = h->settings.folds > 1 ? h->settings.folds : 1;
    if (h->p == 0 || h->p == SIZE_MAX) return orffi_fields_fail(in, "outputs", "is no number of outputs");
    return listed == h->n_sets ? ORFF_OK : orffi_fields_fail(in, "rows", "has not one entry for each fold");
}

/* There are pairs for the axes alone, or all pairs. */
static orff_status read_parted(const orffi_fields *in, header *h) {
    orffi_fields parted;
    size_t listed;
    if (!orffi_fields_has(in, "parted")) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(in, "parted", &parted));
    ORFFI_TRY(orffi_fields_size(&parted, "pairs", &h->pairs));
    ORFFI_TRY(orffi_fields_whole(&parted, "rows", &h->counts.rows));
    ORFFI_TRY(orffi_fields_number(&parted, "N", &h->counts.N));
    ORFFI_TRY(orffi_fields_number(&parted, "plain", &h->counts.plain));
    ORFFI_TRY(orffi_fields_flag(&parted, "errors", &h->counts.errors));
    ORFFI_TRY(orffi_fields_list(&parted, "sets", &listed));
    if (h->pairs != h->p && (h->p > UINT32_MAX || h->pairs != h->p * (h->p + 1) / 2))
        return orffi_fields_fail(&parted, "pairs", "does not go with the outputs");
    if (!(h->counts.N >= 0.0)) return orffi_fields_fail(&parted, "N", "is negative");
    if (!(h->counts.plain >= 0.0)) return orffi_fields_fail(&parted, "plain", "is negative");
    return listed == h->n_sets ? ORFF_OK
                               : orffi_fields_fail(&parted, "sets", "has not one entry for each fold");
}

static orff_status read_tensor(const orffi_archive *archive, const char *letter, size_t k, size_t rank,
                               size_t rows, size_t cols, const double **data) {
    const size_t shape[2] = {rows, cols};
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s.%zu", letter, k);
    ORFFI_TRY(orffi_archive_expect(archive, name, ORFFI_F64, rank, shape, data));
    return orffi_archive_check_finite(archive, name);
}

/* One set as stored in the file, with S packed. */
typedef struct view {
    const double *S, *R, *T;
} view;

static orff_status view_set(const orffi_archive *archive, size_t k, size_t L, size_t p, view *set) {
    size_t length;
    ORFFI_TRY(packed_length(L, &length));
    ORFFI_TRY(read_tensor(archive, "S", k, 1, length, 0, &set->S));
    ORFFI_TRY(read_tensor(archive, "R", k, 2, L, p + 1, &set->R));
    return read_tensor(archive, "T", k, 2, p + 1, p + 1, &set->T);
}

static orff_status view_parted(const orffi_archive *archive, size_t k, size_t L, size_t p, size_t pairs,
                               view *set) {
    size_t rows;
    if (!pairs) return ORFF_OK;
    ORFFI_TRY(orffi_multiply(pairs, L, &rows));
    ORFFI_TRY(read_tensor(archive, "parted.S", k, 2, rows, L, &set->S));
    ORFFI_TRY(read_tensor(archive, "parted.R", k, 2, pairs + p, L, &set->R));
    return read_tensor(archive, "parted.T", k, 2, p + 1, p + 1, &set->T);
}

/* Checks that every set is in the file before memory is allocated. */
static orff_status check_views(const orffi_archive *archive, const orffi_bank *bank, const header *h) {
    view unused;
    for (size_t k = 0; k < h->n_sets; k++) ORFFI_TRY(view_set(archive, k, 2 * bank->D, h->p, &unused));
    for (size_t k = 0; k < h->n_sets; k++)
        ORFFI_TRY(view_parted(archive, k, 2 * bank->D, h->p, h->pairs, &unused));
    return ORFF_OK;
}

static orff_status read_rows(const orffi_fields *in, const header *h) {
    uint64_t rows, left = h->arrived;
    for (size_t k = 0; k < h->n_sets; k++) {
        ORFFI_TRY(orffi_fields_whole_item(in, "rows", k, &rows));
        if (rows > left) return orffi_fields_fail(in, "rows", "has more rows than have arrived");
        left -= rows;
    }
    return ORFF_OK;
}

/* The header must not move, because its settings point into it. */
static orff_status read_plane(const orffi_fields *in, size_t d, header *h) {
    bool there = false;
    char *notes = NULL;
    orff_status status = orffi_fields_notes(in, &notes);
    if (!status) status = orffi_plane_unpack(in, d, h->p, notes, &h->plane, &there);
    h->settings.plane = !status && there ? &h->plane : NULL;
    orffi_release(notes);
    return status;
}

/* Checks everything that can be wrong with a file, without copying anything large. The caller frees the bank,
 * even on failure. */
static orff_status inspect(const orffi_archive *archive, orffi_fields *in, header *h, orffi_bank **bank) {
    const orffi_fields document = orffi_fields_of(archive);
    ORFFI_TRY(orffi_fields_object(&document, "moments", in));
    ORFFI_TRY(read_header(in, h));
    ORFFI_TRY(read_parted(in, h));
    ORFFI_TRY(orffi_bank_read(bank, archive, 0));
    ORFFI_TRY(read_plane(in, (*bank)->d, h));
    ORFFI_TRY(check_views(archive, *bank, h));
    return read_rows(in, h);
}

static orff_status copy_sets(const orffi_fields *in, orff_moments *moments) {
    const size_t L = 2 * moments->bank->D, q = moments->p + 1;
    for (size_t k = 0; k < moments->n_sets; k++) {
        orffi_moment_set *set = &moments->sets[k];
        view from;
        ORFFI_TRY(view_set(in->archive, k, L, moments->p, &from));
        ORFFI_TRY(orffi_fields_whole_item(in, "rows", k, &set->rows));
        unpack(L, from.S, set->S);
        memcpy(set->R, from.R, L * q * sizeof *set->R);
        memcpy(set->T, from.T, q * q * sizeof *set->T);
    }
    return ORFF_OK;
}

static orff_status copy_parted(const orffi_fields *in, const header *h, orff_moments *m) {
    const size_t L = 2 * m->bank->D, p = m->p;
    orffi_fields parted, item;
    m->counts = h->counts;
    if (!h->pairs) return ORFF_OK;
    ORFFI_TRY(orffi_fields_object(in, "parted", &parted));
    ORFFI_TRY(orffi_moments_widen(m, h->pairs));
    for (size_t k = 0; k < m->n_sets; k++) {
        orffi_parted *set = &m->sets[k].parted;
        view from;
        ORFFI_TRY(view_parted(in->archive, k, L, p, h->pairs, &from));
        ORFFI_TRY(orffi_fields_item(&parted, "sets", k, &item));
        ORFFI_TRY(orffi_fields_whole(&item, "rows", &set->rows));
        ORFFI_TRY(orffi_fields_number(&item, "weight", &set->weight));
        ORFFI_TRY(orffi_fields_number(&item, "logs", &set->logs));
        memcpy(set->S, from.S, h->pairs * L * L * sizeof *set->S);
        memcpy(set->R, from.R, (h->pairs + p) * L * sizeof *set->R);
        memcpy(set->T, from.T, (p + 1) * (p + 1) * sizeof *set->T);
    }
    return ORFF_OK;
}

orff_status orffi_moments_unpack(orff_moments **moments, const orffi_archive *archive) {
    orffi_fields in;
    header h;
    orffi_bank *bank = NULL;
    const orff_status status = inspect(archive, &in, &h, &bank);
    if (status) {
        orffi_bank_free(bank);
        return status;
    }
    ORFFI_TRY(orffi_moments_create_on(moments, bank, h.p, &h.settings));
    (*moments)->arrived = h.arrived;
    ORFFI_TRY(orffi_fields_notes(&in, &(*moments)->notes));
    ORFFI_TRY(copy_sets(&in, *moments));
    return copy_parted(&in, &h, *moments);
}

orff_status orff_moments_load(orff_moments **out, const char *path) {
    orffi_archive *archive = NULL;
    orff_moments *moments = NULL;
    if (!out || !path) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_load: NULL argument");
    ORFFI_TRY(orffi_archive_open(&archive, path, format, 1, VERSION));
    const orff_status status = orffi_moments_unpack(&moments, archive);
    orffi_archive_close(archive);
    if (status) {
        orff_moments_free(moments);
    } else {
        *out = moments;
    }
    return status;
}

static orff_status check_written(const char *temporary) {
    orffi_archive *archive = NULL;
    orffi_fields in;
    header h;
    orffi_bank *bank = NULL;
    orff_status status = orffi_archive_open(&archive, temporary, format, 1, VERSION);
    if (!status) status = inspect(archive, &in, &h, &bank);
    orffi_bank_free(bank);
    orffi_archive_close(archive);
    return orffi_archive_blame(status, temporary, "moments");
}
