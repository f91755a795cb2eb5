#include "moments/witness.h"

void orffi_witness_begin(orffi_witness *witness, const orff_reader *source, size_t d, size_t p) {
    witness->d = d;
    witness->p = p;
    if (source) witness->source = *source;
}

/* ---- observing rows */

void orffi_witness_mark(orffi_witness *witness) {
    orffi_marks *made = &witness->made;
    const bool there = made->count && made->list[made->count - 1].rows == witness->now.rows;
    if (!there && made->count + 1 < ORFFI_MARKS) made->list[made->count++] = witness->now;
}

/* Whether the rows so far match the expected ones. */
static bool compare(orffi_witness *witness) {
    const orffi_mark *next = &witness->expected.list[witness->met];
    if (witness->met == witness->expected.count || next->rows != witness->now.rows) return true;
    witness->differs = !orffi_digest_equal(&next->digest, &witness->now.digest);
    witness->met += !witness->differs;
    return !witness->differs;
}

bool orffi_witness_see(orffi_witness *witness, size_t n, const double *X, const double *Y,
                       const double *weights) {
    orffi_mark *now = &witness->now;
    for (size_t i = 0; i < n; i++) {
        orffi_digest_add(&now->digest, witness->d, X + i * witness->d);
        orffi_digest_add(&now->digest, witness->p, Y + i * witness->p);
        if (weights) orffi_digest_add(&now->digest, 1, weights + i);
        now->rows++;
        if (!(now->rows & (now->rows - 1))) orffi_witness_mark(witness);
        if (!compare(witness)) return false;
    }
    return true;
}

bool orffi_witness_end(orffi_witness *witness) {
    witness->ended = witness->met < witness->expected.count;
    return !witness->ended;
}

/* A reader that claims more rows than there was room for is refused by the caller of this function. */
static int read_rows(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows) {
    orffi_witness *witness = self;
    const int code = witness->source.read(witness->source.self, room, X, Y, weights, rows);
    if (code || *rows > room) return code;
    const bool good =
        *rows ? orffi_witness_see(witness, *rows, X, Y, weights) : !room || orffi_witness_end(witness);
    return good ? 0 : 1;
}

orff_reader orffi_witness_reader(orffi_witness *witness) {
    return (orff_reader){.read = read_rows, .self = witness, .weighted = witness->source.weighted};
}

orff_status orffi_witness_outcome(const orffi_witness *witness, const char *path, orff_status status) {
    const orffi_marks *expected = &witness->expected;
    const unsigned long long first =
        1 + (witness->met ? (unsigned long long)expected->list[witness->met - 1].rows : 0);
    if (witness->differs && first == witness->now.rows)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "%s was made from other data: row %llu differs; remove it to start again", path,
                          first);
    if (witness->differs)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "%s was made from other data: rows %llu to %llu differ; remove it to start again",
                          path, first, (unsigned long long)witness->now.rows);
    if (witness->ended)
        return orffi_fail(ORFF_ERROR_MISMATCH,
                          "%s was made from other data: it has seen %llu rows, and here are only %llu; "
                          "remove it to start again",
                          path, (unsigned long long)expected->list[expected->count - 1].rows,
                          (unsigned long long)witness->now.rows);
    return status;
}

/* ---- in a file */

static json_t *pack_mark(const orffi_mark *mark) {
    char digest[ORFFI_DIGEST_ROOM];
    orffi_digest_write(&mark->digest, digest);
    return json_pack("{so ss}", "rows", orffi_json_whole(mark->rows), "digest", digest);
}

json_t *orffi_witness_json(const orffi_witness *witness) {
    const orffi_marks *made = &witness->made;
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; !failed && i < made->count; i++)
        failed = json_array_append_new(list, pack_mark(&made->list[i]));
    if (!failed && (!made->count || made->list[made->count - 1].rows != witness->now.rows))
        failed = json_array_append_new(list, pack_mark(&witness->now));
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

orff_status orffi_witness_expect(orffi_witness *witness, const orffi_fields *in) {
    orffi_marks *expected = &witness->expected;
    size_t count;
    uint64_t before = 0;
    ORFFI_TRY(orffi_fields_list(in, "marks", &count));
    if (count == 0 || count > ORFFI_MARKS) return orffi_fields_fail(in, "marks", "has no number of marks");
    for (size_t i = 0; i < count; i++) {
        orffi_fields item;
        const char *text;
        ORFFI_TRY(orffi_fields_item(in, "marks", i, &item));
        ORFFI_TRY(orffi_fields_whole(&item, "rows", &expected->list[i].rows));
        ORFFI_TRY(orffi_fields_text(&item, "digest", &text));
        if (!orffi_digest_read(text, &expected->list[i].digest))
            return orffi_fields_fail(&item, "digest", "is no digest");
        if (expected->list[i].rows <= before)
            return orffi_fields_fail(&item, "rows", "is not above the one before");
        before = expected->list[i].rows;
    }
    expected->count = count;
    witness->met = 0;
    return ORFF_OK;
}
