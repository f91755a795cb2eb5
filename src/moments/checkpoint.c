/* Using checkpoints: when to save, and how to resume. Their file is in checkpoint_file.c. */
#include "moments/checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "moments/checkpoint_file.h"

/* ---- opening */

static orff_status resume(orffi_checkpoint *c, bool exists, bool wanted) {
    if (!exists) return ORFF_OK;
    ORFFI_TRY(orffi_checkpoint_load(c, wanted));
    c->resumed = true;
    const orffi_marks *marks = &c->witness.expected;
    if (c->moments) {
        orffi_log(ORFF_LOG_INFO, "resumed after %llu rows", (unsigned long long)c->moments->arrived);
    } else {
        orffi_log(ORFF_LOG_INFO, "resumed after %llu iterations on %llu rows",
                  (unsigned long long)c->from.iterations,
                  (unsigned long long)marks->list[marks->count - 1].rows);
    }
    return ORFF_OK;
}

static orff_status fill(orffi_checkpoint *c, const char *path, bool wanted) {
    orffi_target target;
    if (!c->question) return orffi_fail(ORFF_ERROR_NO_MEMORY, "no memory for a checkpoint");
    if (c->every == 0)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "there must be at least 1 row between checkpoints");
    ORFFI_TRY(orffi_replace_text(&c->path, path));
    ORFFI_TRY(orff_file_check(path));
    ORFFI_TRY(orffi_target_find(path, &target));
    const bool exists = target.exists;
    orffi_target_clear(&target);
    return resume(c, exists, wanted);
}

orff_status orffi_checkpoint_open(orffi_checkpoint **out, const char *path, uint64_t every, bool wanted,
                                  json_t *question) {
    orffi_checkpoint *c;
    orff_status status = ORFFI_NEW(c);
    if (status) {
        json_decref(question);
        return status;
    }
    c->every = every;
    c->question = question;
    status = fill(c, path, wanted);
    if (status) {
        orffi_checkpoint_close(c);
    } else {
        *out = c;
    }
    return status;
}

void orffi_checkpoint_close(orffi_checkpoint *c) {
    if (!c) return;
    json_decref(c->question);
    orff_moments_free(c->moments);
    orffi_release(c->from.theta);
    orffi_release(c->path);
    orffi_release(c);
}

orff_status orffi_checkpoint_match_units(orffi_checkpoint *c, const orffi_digest *units) {
    if (c->resumed && !orffi_digest_equal(&c->units, units))
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "%s was made from other data: more rows now decide the automatic choices; remove it to start "
            "again",
            c->path);
    c->units = *units;
    return ORFF_OK;
}

orff_status orffi_checkpoint_outcome(const orffi_checkpoint *c, orff_status status) {
    return c ? orffi_witness_outcome(&c->witness, c->path, status) : status;
}

/* ---- saving */

void orffi_checkpoint_save(orffi_checkpoint *c, const orff_moments *moments,
                           const orffi_coefficients *reached) {
    if (moments) c->saved = moments->arrived;
    if (orffi_checkpoint_write(c, moments, reached))
        orffi_log(ORFF_LOG_WARNING, "the checkpoint was not saved, so the last one is still there: %s",
                  orff_error_message());
}

static void save_in_time(void *self, const orff_moments *moments) {
    orffi_checkpoint *c = self;
    if (moments->arrived - c->saved >= c->every) orffi_checkpoint_save(c, moments, NULL);
}

/* Saves what was added since the last save, unless the rows are to blame. Keeps the message of what ended the
 * pass. */
static orff_status save_rest(orffi_checkpoint *c, const orff_moments *moments, orff_status status) {
    char message[512];
    const bool stopped = status == ORFF_ERROR_CANCELLED || status == ORFF_ERROR_CALLBACK;
    if ((status && !stopped) || moments->arrived == c->saved) return status;
    if (orffi_checkpoint_outcome(c, ORFF_OK)) return status;
    snprintf(message, sizeof message, "%s", orff_error_message());
    orffi_checkpoint_save(c, moments, NULL);
    return status ? orffi_fail(status, "%s", message) : ORFF_OK;
}

/* ---- resuming */

/* Replaces the empty sums by those of the file. Adding the empty moments to them first checks that they have
 * the same frequencies. */
static orff_status adopt_moments(orffi_checkpoint *c, orff_moments *moments) {
    if (c->from.theta)
        return orffi_fail(ORFF_ERROR_MISMATCH, "%s holds coefficients of an iteration, not moments", c->path);
    if (!c->moments) return ORFF_OK;
    if (orff_moments_add(c->moments, moments))
        return orffi_fail(
            ORFF_ERROR_MISMATCH,
            "%s has other features than this run: %s; the same machine and number of threads may "
            "help, else remove it to start again",
            c->path, orff_error_message());
    orffi_moment_set *empty = moments->sets;
    moments->sets = c->moments->sets;
    c->moments->sets = empty;
    moments->arrived = c->saved = c->moments->arrived;
    orff_moments_free(c->moments);
    c->moments = NULL;
    return ORFF_OK;
}

orff_status orffi_checkpoint_read(orffi_checkpoint *c, orff_moments *moments, const orff_reader *reader) {
    orffi_pass pass = {.whole = true};
    if (!c) return orffi_moments_read(moments, reader, &pass);
    ORFFI_TRY(adopt_moments(c, moments));
    pass.block = c->every < SIZE_MAX ? (size_t)c->every : SIZE_MAX;
    pass.skip = moments->arrived;
    pass.after = save_in_time;
    pass.self = c;
    return save_rest(c, moments, orffi_moments_read(moments, reader, &pass));
}

/* ---- the public calls */

static json_t *question_of(const orff_moments *moments, bool weighted) {
    return json_pack("{ss sI sI sb sb}", "task", "moments", "inputs", (json_int_t)moments->bank->d, "outputs",
                     (json_int_t)moments->p, "weighted", (int)weighted, "single",
                     (int)moments->settings.single);
}

orff_status orff_moments_read_resumable(orff_moments *moments, const orff_reader *reader,
                                        const char *checkpoint, uint64_t rows, bool resume_it) {
    orffi_checkpoint *c = NULL;
    if (!moments || !reader || !reader->read || !checkpoint)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_moments_read_resumable: NULL argument");
    if (moments->arrived)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT,
                          "a pass with checkpoints begins with empty moments; these have %llu rows",
                          (unsigned long long)moments->arrived);
    ORFFI_TRY(orffi_checkpoint_open(&c, checkpoint, rows, resume_it, question_of(moments, reader->weighted)));
    orffi_witness_begin(&c->witness, reader, moments->bank->d, moments->p);
    const orff_reader seen = orffi_witness_reader(&c->witness);
    const orff_status status = orffi_checkpoint_outcome(c, orffi_checkpoint_read(c, moments, &seen));
    orffi_checkpoint_close(c);
    return status;
}
