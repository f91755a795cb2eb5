/* Checkpoints: runs that die midway and are resumed give the same result as uninterrupted ones. Other rows,
 * other settings and files that are not checkpoints are refused and left alone. */
#define _XOPEN_SOURCE 700

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "fields.h"

/* Nothing here outlives the machine, and there are thousands of saves. */
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
    (void)descriptor;
    return 0;
}

enum { ROWS = 230, EVERY = 16, HEAD = 50 };
static const char saved[] = "run.checkpoint";

/* ---- a directory of its own, which is the current one */

static char directory[256];

static int set_up(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/orff-checkpoint-XXXXXX", base ? base : "/tmp");
    return orff_set_threads(1) || !mkdtemp(directory) || chdir(directory);
}

static int tear_down(void **state) {
    (void)state;
    static const char *const names[] = {saved, "a.orff", "b.orff", "m.moments", "text", "link"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(names[i]);
    return chdir("/") || rmdir(directory);
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* ---- rows that are handed out a few at a time, by a process that may die */

typedef struct source {
    fields_rows rows;
    double *weights; /* NULL: none */
    size_t classes;
    size_t most;                    /* at once */
    size_t next, dies_at, fails_at; /* rows; 0: never */
} source;

static int read_source(void *self, size_t room, double *X, double *Y, double *weights, size_t *n) {
    source *s = self;
    const fields_rows *r = &s->rows;
    size_t count = r->n - s->next;
    if (count > s->most) count = s->most;
    if (count > room) count = room;
    if (s->dies_at && s->next + count >= s->dies_at) raise(SIGKILL);
    if (s->fails_at && s->next + count >= s->fails_at) return 42;
    memcpy(X, r->X + s->next * r->d, count * r->d * sizeof *X);
    memcpy(Y, r->Y + s->next * r->p, count * r->p * sizeof *Y);
    if (weights) memcpy(weights, s->weights + s->next, count * sizeof *weights);
    s->next += count;
    *n = count;
    return 0;
}

static orff_reader reader_of(source *s) {
    s->next = 0;
    return (orff_reader){.read = read_source, .self = s, .weighted = s->weights != NULL};
}

/* Whole numbers 0 .. 2 by the sign of the inputs, for classes. */
static source make_source(bool weighted, size_t classes) {
    source s = {.rows = fields_draw(fields_rotation, ROWS, 2, 2, 0.1, 30), .classes = classes, .most = 7};
    if (classes) s.rows.p = 1;
    if (weighted) s.weights = support_zeros(ROWS);
    for (size_t i = 0; weighted && i < ROWS; i++) s.weights[i] = 0.5 + (double)(i % 4);
    for (size_t i = 0; classes && i < ROWS; i++)
        s.rows.Y[i] = (double)((s.rows.X[2 * i] > 0.0) + (s.rows.X[2 * i + 1] > 0.3));
    return s;
}

static void source_free(source *s) {
    fields_free(&s->rows);
    free(s->weights);
}

/* ---- the kinds of fits */

typedef struct kind {
    const char *name;
    void (*change)(orff_settings *settings);
    bool weighted;
    size_t classes;
} kind;

static orff_part parts[2];

static void is_named(orff_settings *s) {
    s->lambda = 1e-3;
}
static void finds_lambda(orff_settings *s) {
    (void)s;
}
static void finds_sigma(orff_settings *s) {
    parts[0].sigma = 0.0;
    s->lambda_count = 8;
}
static void finds_kernel(orff_settings *s) {
    s->auto_kernel = true;
    s->lambda_count = 8;
}
static void finds_mix(orff_settings *s) {
    parts[0].rule = ORFF_RULE_HELMHOLTZ;
    s->auto_mix = true;
    s->lambda_count = 8;
}
static void finds_weights(orff_settings *s) {
    parts[0].rule = ORFF_RULE_DIV_FREE;
    parts[1] = fields_part(ORFF_RULE_CURL_FREE, 0.9);
    s->n_parts = 2;
    s->mixture = true;
}
static void scales_inputs(orff_settings *s) {
    s->scale_inputs = ORFF_SWITCH_YES;
}
static void scales_outputs(orff_settings *s) {
    s->scale_outputs = ORFF_SWITCH_YES;
}
static void is_single(orff_settings *s) {
    s->single = true;
}
static void classifies(orff_settings *s) {
    s->classes = 3;
}
static void is_custom(orff_settings *s) {
    parts[0].rule = ORFF_RULE_CUSTOM_A;
    parts[0].matrix = models_custom_a;
    s->lambda = 1e-3;
}

static const kind kinds[] = {
    {"named", is_named, false, 0},
    {"lambda auto", finds_lambda, false, 0},
    {"sigma auto", finds_sigma, false, 0},
    {"kernel auto", finds_kernel, false, 0},
    {"mix auto", finds_mix, false, 0},
    {"weight auto", finds_weights, false, 0},
    {"inputs", scales_inputs, false, 0},
    {"outputs", scales_outputs, false, 0},
    {"single", is_single, false, 0},
    {"weights", finds_lambda, true, 0},
    {"auto, weights", finds_kernel, true, 0},
    {"classes", classifies, false, 3},
    {"custom", is_custom, false, 0},
};

static orff_settings settings_of(const kind *k) {
    parts[0] = fields_part(ORFF_RULE_DECOMPOSABLE, 0.5);
    orff_settings settings = fields_given(parts, 24, 0.0);
    settings.subsample = HEAD; /* most rows come after the head */
    settings.checkpoint = saved;
    settings.checkpoint_rows = EVERY;
    settings.resume = true;
    k->change(&settings);
    support_case("%s", k->name);
    return settings;
}

static orff_status stream(orff_model **model, const orff_settings *settings, source *s) {
    const orff_reader reader = reader_of(s);
    return orff_model_fit_stream(model, settings, s->rows.d, s->rows.p, &reader);
}

/* A process of its own that dies where the rows reach `row`. */
static void die_at(const orff_settings *settings, source *s, size_t row) {
    int ended;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        orff_model *model = NULL;
        s->dies_at = row;
        stream(&model, settings, s);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
}

/* Model files hold every number there is. What cannot be saved is compared by its predictions. */
static void assert_same_models(const orff_model *a, const orff_model *b, const source *s) {
    const size_t p = s->classes ? s->classes - 1 : s->rows.p;
    if (orff_model_save(a, "a.orff", false) == ORFF_ERROR_UNSUPPORTED) {
        fields_assert_same(a, b, &s->rows, p, 1e-15);
        return;
    }
    assert_ok(orff_model_save(b, "b.orff", false));
    assert_same_files("a.orff", "b.orff");
}

/* ---- dying and going on */

static void a_killed_run_ends_as_if_it_had_not_been(void **state) {
    (void)state;
    const size_t deaths[][2] = {{3, 40}, {52, 60}, {70, 150}, {100, 229}, {230, 230}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const orff_settings settings = settings_of(&kinds[i]);
        source s = make_source(kinds[i].weighted, kinds[i].classes);
        orff_model *whole = NULL;
        assert_ok(stream(&whole, &settings, &s));
        assert_true(exists(saved));
        assert_ok(orff_checkpoint_remove(saved));
        for (size_t k = 0; k < sizeof deaths / sizeof *deaths; k += support_step(2)) {
            orff_model *resumed = NULL;
            support_case("%s, dead at rows %zu and %zu", kinds[i].name, deaths[k][0], deaths[k][1]);
            die_at(&settings, &s, deaths[k][0]);
            assert_int_equal(exists(saved), deaths[k][0] > HEAD);
            s.most = 11; /* as a pipe might */
            die_at(&settings, &s, deaths[k][1]);
            s.most = 7;
            assert_ok(stream(&resumed, &settings, &s));
            assert_same_models(resumed, whole, &s);
            assert_ok(orff_checkpoint_remove(saved));
            orff_model_free(resumed);
        }
        orff_model_free(whole);
        source_free(&s);
    }
}

/* Checkpoints do not change what is found: bit for bit when they hold whole blocks, here to rounding. */
static void a_run_with_checkpoints_is_one_without(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        orff_settings settings = settings_of(&kinds[i]);
        source s = make_source(kinds[i].weighted, kinds[i].classes);
        orff_model *with = NULL, *large = NULL, *without = NULL;
        assert_ok(stream(&with, &settings, &s));
        assert_ok(orff_checkpoint_remove(saved));
        settings.checkpoint_rows = 1000000;
        assert_ok(stream(&large, &settings, &s));
        assert_ok(orff_checkpoint_remove(saved));
        settings.checkpoint = NULL;
        assert_ok(stream(&without, &settings, &s));
        fields_assert_same(with, without, &s.rows, s.classes ? s.classes - 1 : s.rows.p,
                           settings.single ? 1e-3 : 1e-8);
        assert_same_models(large, without, &s);
        orff_model_free(with);
        orff_model_free(large);
        orff_model_free(without);
        source_free(&s);
    }
}

/* A reader that fails, unlike a death, leaves a checkpoint of all whole blocks before. */
static void a_reader_that_fails_loses_nothing(void **state) {
    (void)state;
    orff_settings settings = settings_of(&kinds[1]);
    source s = make_source(false, 0);
    orff_model *whole = NULL;
    settings.checkpoint_rows = 32;
    assert_ok(stream(&whole, &settings, &s));
    assert_ok(orff_checkpoint_remove(saved));
    for (size_t k = 60; k < ROWS; k += 13) {
        orff_model *model = NULL;
        support_case("fails at %zu", k);
        s.fails_at = k;
        assert_status(stream(&model, &settings, &s), ORFF_ERROR_CALLBACK);
        assert_says("the reader returned 42");
        s.fails_at = 0;
        assert_true(exists(saved));
        assert_ok(stream(&model, &settings, &s));
        assert_same_models(model, whole, &s);
        assert_ok(orff_checkpoint_remove(saved));
        orff_model_free(model);
    }
    orff_model_free(whole);
    source_free(&s);
}

/* ---- rows in memory */

typedef struct patience {
    size_t left; /* reports of progress until it ends */
    const char *task;
} patience;

static bool stop_later(void *self, const char *task, double done, double total) {
    patience *p = self;
    (void)done;
    (void)total;
    if (strcmp(task, p->task)) return true;
    return p->left-- > 0;
}

static bool die_later(void *self, const char *task, double done, double total) {
    if (!stop_later(self, task, done, total)) raise(SIGKILL);
    return true;
}

static orff_status fit_arrays(orff_model **model, const orff_settings *settings, const source *s) {
    const fields_rows *r = &s->rows;
    return orff_model_fit(model, settings, r->d, r->p, r->n, r->X, r->Y, s->weights);
}

static void rows_in_memory_are_resumed_too(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const orff_settings settings = settings_of(&kinds[i]);
        source s = make_source(kinds[i].weighted, kinds[i].classes);
        orff_model *whole = NULL, *resumed = NULL;
        assert_ok(fit_arrays(&whole, &settings, &s));
        assert_ok(orff_checkpoint_remove(saved));
        patience p = {.task = "moments"};
        const orff_hooks hooks = {.progress = stop_later, .self = &p};
        bool went_on = false;
        orff_set_hooks(&hooks);
        for (size_t left = 4; !resumed && left < 1000; left += 4) {
            p.left = left;
            went_on = exists(saved);
            const orff_status status = fit_arrays(&resumed, &settings, &s);
            assert_true(status == ORFF_OK || status == ORFF_ERROR_CANCELLED);
        }
        orff_set_hooks(NULL);
        assert_true(went_on);
        assert_non_null(resumed);
        assert_same_models(resumed, whole, &s);
        assert_ok(orff_checkpoint_remove(saved));
        orff_model_free(whole);
        orff_model_free(resumed);
        source_free(&s);
    }
}

/* ---- iterations */

static void iterations_go_on_where_they_were(void **state) {
    (void)state;
    static const struct {
        orff_solver solver;
        orff_loss loss;
        double parameter, tolerance, within;
        size_t classes;
    } cases[] = {{ORFF_SOLVER_PCG, ORFF_LOSS_SQUARED, 1.0, 1e-10, 1e-6, 0},
                 {ORFF_SOLVER_LSMR, ORFF_LOSS_SQUARED, 1.0, 1e-10, 1e-6, 0},
                 {ORFF_SOLVER_IDR, ORFF_LOSS_SQUARED, 1.0, 1e-10, 1e-6, 0},
                 {ORFF_SOLVER_SGD, ORFF_LOSS_SQUARED, 1.0, 1e-10, 1e-3, 0},
                 {ORFF_SOLVER_SGD, ORFF_LOSS_HUBER, 0.3, 1e-10, 1e-3, 0},
                 {ORFF_SOLVER_SGD, ORFF_LOSS_EPSILON, 0.05, 1e-6, 3e-2, 0},
                 {ORFF_SOLVER_SGD, ORFF_LOSS_PINBALL, 0.5, 1e-6, 3e-2, 0},
                 {ORFF_SOLVER_AUTO, ORFF_LOSS_LOGISTIC, 1.0, 1e-10, 1e-3, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += support_step(3)) {
        orff_settings settings = settings_of(&kinds[0]);
        source s = make_source(i % 2, cases[i].classes);
        orff_model *whole = NULL, *resumed = NULL;
        size_t size;
        int ended;
        settings.solver = cases[i].solver;
        settings.loss = cases[i].loss;
        settings.loss_parameter = cases[i].parameter;
        settings.tolerance = cases[i].tolerance;
        settings.classes = cases[i].classes;
        settings.max_iterations = 2000;
        settings.checkpoint_rows = 2 * ROWS; /* a save in two iterations: there are hundreds of them */
        support_case("%s, %s", orff_solver_name(cases[i].solver), orff_loss_name(cases[i].loss));
        assert_ok(stream(&whole, &settings, &s));
        assert_ok(orff_checkpoint_remove(saved));
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            patience p = {.left = 12, .task = "iterate"};
            const orff_hooks hooks = {.progress = die_later, .self = &p};
            orff_set_hooks(&hooks);
            stream(&resumed, &settings, &s);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
        char *before = support_read_bytes(saved, &size);
        s.rows.n = ROWS - 1; /* an iteration needs all its rows, and no others */
        assert_status(stream(&resumed, &settings, &s), ORFF_ERROR_MISMATCH);
        assert_says("only 229");
        s.rows.n = ROWS;
        s.rows.Y[8] += 1.0;
        if (!cases[i].classes) assert_status(stream(&resumed, &settings, &s), ORFF_ERROR_MISMATCH);
        s.rows.Y[8] -= 1.0;
        support_write_bytes("text", before, size);
        assert_same_files(saved, "text");
        assert_ok(stream(&resumed, &settings, &s));
        fields_assert_same(resumed, whole, &s.rows, cases[i].classes ? 2 : 2, cases[i].within);
        const orff_solve_info a = orff_model_describe(resumed).solve, b = orff_model_describe(whole).solve;
        assert_int_equal(a.converged, b.converged);
        assert_ok(orff_checkpoint_remove(saved));
        free(before);
        orff_model_free(whole);
        orff_model_free(resumed);
        source_free(&s);
    }
}

/* A run that ended, but whose model was lost: going on takes no iteration. */
static void an_iteration_that_ended_is_not_repeated(void **state) {
    (void)state;
    orff_settings settings = settings_of(&kinds[0]);
    source s = make_source(false, 0);
    orff_model *first = NULL, *second = NULL;
    settings.solver = ORFF_SOLVER_PCG;
    assert_ok(stream(&first, &settings, &s));
    assert_ok(stream(&second, &settings, &s));
    assert_int_equal(orff_model_describe(second).solve.iterations,
                     orff_model_describe(first).solve.iterations);
    assert_ok(orff_checkpoint_remove(saved));
    orff_model_free(first);
    orff_model_free(second);
    source_free(&s);
}

/* ---- refusals */

/* The checkpoint of a run that died, and the settings to go on with. */
static orff_settings left_behind(source *s, size_t row) {
    const orff_settings settings = settings_of(&kinds[1]);
    *s = make_source(true, 0);
    die_at(&settings, s, row);
    assert_true(exists(saved));
    return settings;
}

static void assert_refused(const orff_settings *settings, source *s, orff_status status, const char *says) {
    orff_model *model = NULL;
    size_t size;
    char *before = support_read_bytes(saved, &size);
    support_write_bytes("text", before, size);
    assert_status(stream(&model, settings, s), status);
    assert_says(says);
    assert_says(saved);
    assert_null(model);
    assert_same_files(saved, "text");
    free(before);
}

static void other_rows_are_refused(void **state) {
    (void)state;
    source s;
    const orff_settings settings = left_behind(&s, 180);
    fields_rows *r = &s.rows;
    const double x = r->X[8], y = r->Y[2 * 59];
    r->X[8] = nextafter(x, 9.0); /* row 5 */
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH,
                   "was made from other data: rows 5 to 8 differ; remove it");
    r->X[8] = x;
    r->Y[2 * 59] = nextafter(y, 9.0); /* row 60, behind the head */
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, "rows 51 to 64 differ");
    r->Y[2 * 59] = y;
    s.weights[100] *= 2.0;
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, "rows 65 to 128 differ");
    s.weights[100] /= 2.0;
    double swapped[2] = {r->X[0], r->X[1]}; /* rows 1 and 2 in the other order */
    memmove(r->X, r->X + 2, sizeof swapped);
    memcpy(r->X + 2, swapped, sizeof swapped);
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, ": row 1 differs");
    memcpy(swapped, r->X + 2, sizeof swapped);
    memmove(r->X + 2, r->X, sizeof swapped);
    memcpy(r->X, swapped, sizeof swapped);
    r->n = 150;
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, "here are only 150");
    r->n = 20; /* not even the head */
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, "here are only 20");
    r->n = ROWS;
    assert_ok(orff_checkpoint_remove(saved));
    source_free(&s);
}

static void other_settings_are_refused(void **state) {
    (void)state;
    source s;
    const orff_settings settings = left_behind(&s, 180);
    orff_settings other = settings;
    orff_part part = parts[0];
    other.sampling.features = 25;
    assert_refused(&other, &s, ORFF_ERROR_MISMATCH, "sampling.features was 24 and is 25 now");
    other = settings;
    other.folds = 3;
    assert_refused(&other, &s, ORFF_ERROR_MISMATCH, "lambda.folds was 5 and is 3 now");
    other = settings;
    other.scale_outputs = ORFF_SWITCH_YES;
    assert_refused(&other, &s, ORFF_ERROR_MISMATCH, "scaling.outputs was 2 and is 1 now");
    other = settings;
    other.single = true;
    assert_refused(&other, &s, ORFF_ERROR_MISMATCH, "single was false and is true now");
    other = settings;
    part.sigma = 0.6;
    other.parts = &part;
    assert_refused(&other, &s, ORFF_ERROR_MISMATCH, "parts[1].sigma was 0.5 and is 0.6");
    other = settings;
    other.resume = false;
    assert_refused(&other, &s, ORFF_ERROR_IO, "resume it, or remove it");
    double *weights = s.weights;
    s.weights = NULL;
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, "weighted was true and is false now");
    s.weights = weights;
    orff_model *model = NULL;
    assert_status(fit_arrays(&model, &settings, &s),
                  ORFF_ERROR_MISMATCH); /* rows in memory choose otherwise */
    assert_ok(orff_checkpoint_remove(saved));
    source_free(&s);
}

static void what_is_no_checkpoint_is_left_alone(void **state) {
    (void)state;
    source s;
    const orff_settings settings = left_behind(&s, 180);
    size_t size;
    char *good = support_read_bytes(saved, &size);
    for (size_t k = 0; k < size; k += 1 + size / 40) {
        good[k] ^= 4;
        support_write_bytes(saved, good, size);
        good[k] ^= 4;
        support_case("byte %zu", k);
        assert_refused(&settings, &s, ORFF_ERROR_FORMAT, "is left alone");
        assert_status(orff_checkpoint_check(saved, true), ORFF_ERROR_FORMAT);
        support_write_bytes(saved, good, size / 100 * (k % 100));
        assert_refused(&settings, &s, ORFF_ERROR_FORMAT, "is left alone");
    }
    support_write_bytes(saved, "a,b\n1,2\n", 8);
    assert_refused(&settings, &s, ORFF_ERROR_FORMAT, "is left alone");
    assert_status(orff_checkpoint_remove(saved), ORFF_ERROR_FORMAT);
    assert_true(exists(saved));
    /* moments are no checkpoint: who made them wants to keep them */
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, parts));
    assert_ok(orff_features_create(&features, kernel, &settings.sampling));
    assert_ok(orff_moments_create(&moments, features, &(orff_moments_settings){.folds = 5}));
    assert_ok(orff_moments_accumulate(moments, ROWS, s.rows.X, s.rows.Y, NULL));
    assert_ok(orff_moments_save(moments, saved));
    assert_refused(&settings, &s, ORFF_ERROR_FORMAT, "orff-moments");
    assert_status(orff_checkpoint_remove(saved), ORFF_ERROR_FORMAT);
    assert_true(exists(saved));
    orff_moments_free(moments);
    support_write_bytes(saved, good, size); /* nor is a checkpoint a file of moments */
    assert_status(orff_moments_load(&moments, saved), ORFF_ERROR_FORMAT);
    assert_ok(orff_checkpoint_check(saved, true));
    assert_status(orff_checkpoint_check(saved, false), ORFF_ERROR_IO);
    assert_int_equal(symlink(saved, "link"), 0);
    assert_ok(orff_checkpoint_remove("link")); /* what it points to */
    assert_false(exists(saved));
    unlink("link");
    assert_ok(orff_checkpoint_remove(saved));
    assert_ok(orff_checkpoint_check(saved, false));
    assert_status(orff_checkpoint_check("nowhere/x", false), ORFF_ERROR_IO);
    assert_status(orff_checkpoint_check(".", true), ORFF_ERROR_IO);
    orff_features_free(features);
    orff_kernel_free(kernel);
    free(good);
    source_free(&s);
}

static void what_keeps_no_checkpoint_says_so(void **state) {
    (void)state;
    orff_settings settings = settings_of(&kinds[0]);
    source s = make_source(false, 0);
    orff_model *model = NULL;
    double score;
    size_t best;
    const fields_rows *r = &s.rows;
    assert_status(orff_model_tune(&model, 1, &settings, 2, 2, r->n, r->X, r->Y, NULL, &score, &best),
                  ORFF_ERROR_UNSUPPORTED);
    settings.engine = ORFF_ENGINE_EXACT;
    assert_status(stream(&model, &settings, &s), ORFF_ERROR_UNSUPPORTED);
    assert_says("exact");
    settings.engine = ORFF_ENGINE_AUTO;
    settings.checkpoint_rows = 0;
    assert_status(stream(&model, &settings, &s), ORFF_ERROR_INVALID_ARGUMENT);
    settings.checkpoint_rows = 10;
    settings.checkpoint = "nowhere/x";
    assert_status(stream(&model, &settings, &s), ORFF_ERROR_IO);
    assert_false(exists(saved));
    source_free(&s);
}

/* ---- a full disk */

static size_t warnings;

static void count_warnings(void *self, orff_log_level level, const char *message) {
    (void)self;
    warnings += level == ORFF_LOG_WARNING && strstr(message, "the checkpoint was not saved") != NULL;
}

/* In a process of its own, whose files may not grow: the fit goes on and says what it could not do. */
static void a_full_disk_leaves_the_last_one(void **state) {
    (void)state;
    source s;
    const orff_settings settings = left_behind(&s, 150);
    size_t size;
    int ended;
    char *before = support_read_bytes(saved, &size);
    support_write_bytes("text", before, size);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {.rlim_cur = size / 2, .rlim_max = size / 2};
        const orff_hooks hooks = {.log = count_warnings};
        orff_model *model = NULL;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        orff_set_hooks(&hooks);
        const orff_status status = stream(&model, &settings, &s);
        orff_model_free(model);
        _exit(status ? 1 : warnings < 2 ? 2 : 0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
    assert_same_files(saved, "text");
    assert_ok(orff_checkpoint_remove(saved));
    free(before);
    source_free(&s);
}

/* ---- moments */

static orff_moments *empty_moments(double sigma, size_t folds) {
    const orff_part part = fields_part(ORFF_RULE_DIV_FREE, sigma);
    orff_sampling sampling = orff_sampling_default();
    orff_kernel *kernel = NULL;
    orff_features *features = NULL;
    orff_moments *moments = NULL;
    sampling.features = 20;
    assert_ok(orff_kernel_create(&kernel, 2, 2, 1, &part));
    assert_ok(orff_features_create(&features, kernel, &sampling));
    assert_ok(orff_moments_create(&moments, features, &(orff_moments_settings){.folds = folds}));
    orff_features_free(features);
    orff_kernel_free(kernel);
    return moments;
}

static orff_status read_moments(orff_moments *moments, source *s) {
    const orff_reader reader = reader_of(s);
    return orff_moments_read_resumable(moments, &reader, saved, EVERY, true);
}

static void moments_are_resumed(void **state) {
    (void)state;
    source s = make_source(true, 0);
    orff_moments *whole = empty_moments(0.5, 5);
    assert_ok(read_moments(whole, &s));
    assert_ok(orff_checkpoint_remove(saved));
    assert_ok(orff_moments_save(whole, "a.orff"));
    for (size_t k = 1; k <= ROWS; k += 9) {
        orff_moments *moments = empty_moments(0.5, 5), *again = empty_moments(0.5, 5);
        support_case("fails at %zu", k);
        s.fails_at = k;
        assert_status(read_moments(moments, &s), ORFF_ERROR_CALLBACK);
        s.fails_at = 0;
        assert_int_equal(exists(saved), orff_moments_describe(moments).rows > 0);
        assert_ok(read_moments(again, &s));
        assert_ok(orff_moments_save(again, "b.orff"));
        assert_same_files("a.orff", "b.orff");
        assert_ok(orff_checkpoint_remove(saved));
        orff_moments_free(moments);
        orff_moments_free(again);
    }
    assert_status(read_moments(whole, &s), ORFF_ERROR_INVALID_ARGUMENT); /* has rows */
    orff_moments_free(whole);
    source_free(&s);
}

static void moments_refuse_what_differs(void **state) {
    (void)state;
    source s = make_source(false, 0);
    orff_moments *moments = empty_moments(0.5, 5), *sigma = empty_moments(0.6, 5),
                 *folds = empty_moments(0.5, 4);
    orff_moments *same = empty_moments(0.5, 5);
    s.fails_at = 200;
    assert_status(read_moments(moments, &s), ORFF_ERROR_CALLBACK);
    s.fails_at = 0;
    assert_status(read_moments(sigma, &s), ORFF_ERROR_MISMATCH);
    assert_says("length scale");
    assert_status(read_moments(folds, &s), ORFF_ERROR_MISMATCH);
    assert_says("folds");
    s.rows.Y[300] += 1.0;
    assert_status(read_moments(same, &s), ORFF_ERROR_MISMATCH);
    assert_says("rows 129 to ");
    s.rows.Y[300] -= 1.0;
    const orff_settings settings = settings_of(&kinds[0]);
    orff_model *model = NULL;
    assert_status(stream(&model, &settings, &s), ORFF_ERROR_MISMATCH);
    assert_says("task was \"moments\" and is \"fit\" now");
    assert_ok(orff_checkpoint_remove(saved));
    orff_moments_free(moments);
    orff_moments_free(sigma);
    orff_moments_free(folds);
    orff_moments_free(same);
    source_free(&s);
}

/* Rows that were added to the data since are rows like others. */
static void data_may_have_grown(void **state) {
    (void)state;
    source s = make_source(false, 0);
    orff_moments *first = empty_moments(0.5, 5), *more = empty_moments(0.5, 5);
    s.rows.n = 100;
    assert_ok(read_moments(first, &s));
    s.rows.n = ROWS;
    assert_ok(read_moments(more, &s));
    assert_int_equal(orff_moments_describe(more).rows, ROWS);
    assert_ok(orff_checkpoint_remove(saved));
    orff_moments_free(first);
    orff_moments_free(more);
    source_free(&s);
}

/* But not where they would change the units that sums are in. */
static void heads_may_not_have_grown(void **state) {
    (void)state;
    const orff_settings settings = settings_of(&kinds[0]);
    source s = make_source(false, 0);
    orff_model *model = NULL, *whole = NULL;
    s.rows.n = HEAD - 10;
    assert_ok(stream(&model, &settings, &s));
    orff_model_free(model);
    s.rows.n = ROWS;
    assert_refused(&settings, &s, ORFF_ERROR_MISMATCH, "more rows now decide");
    assert_ok(orff_checkpoint_remove(saved));
    s.rows.n = HEAD + 10;
    assert_ok(stream(&model, &settings, &s));
    orff_model_free(model);
    s.rows.n = ROWS;
    assert_ok(stream(&model, &settings, &s));
    assert_ok(orff_checkpoint_remove(saved));
    assert_ok(stream(&whole, &settings, &s));
    fields_assert_same(model, whole, &s.rows, 2, 1e-9);
    assert_ok(orff_checkpoint_remove(saved));
    orff_model_free(model);
    orff_model_free(whole);
    source_free(&s);
}

/* ---- the digest */

static void a_digest_tells_numbers_apart(void **state) {
    (void)state;
    double numbers[40];
    orffi_digest whole = {0}, halves = {0}, back = {0};
    char text[ORFFI_DIGEST_ROOM];
    for (size_t i = 0; i < 40; i++) numbers[i] = sin((double)i);
    orffi_digest_add(&whole, 40, numbers);
    orffi_digest_add(&halves, 17, numbers);
    orffi_digest_add(&halves, 23, numbers + 17);
    assert_true(orffi_digest_equal(&whole, &halves));
    for (size_t i = 0; i < 40; i++) {
        orffi_digest other = {0};
        const double kept = numbers[i];
        numbers[i] = nextafter(kept, 2.0);
        orffi_digest_add(&other, 40, numbers);
        numbers[i] = kept;
        assert_false(other.a == whole.a);
        assert_false(other.b == whole.b);
    }
    orffi_digest_write(&whole, text);
    assert_true(orffi_digest_read(text, &back));
    assert_true(orffi_digest_equal(&whole, &back));
    text[31] = '\0';
    assert_false(orffi_digest_read(text, &back));
    assert_false(orffi_digest_read("", &back));
    assert_false(orffi_digest_read("0123456789abcdef0123456789abcdefg", &back));
    /* the same on every machine: a file may travel */
    orffi_digest known = {0};
    orffi_digest_add(&known, 2, (const double[]){1.0, -0.5});
    orffi_digest_write(&known, text);
    assert_string_equal(text, "0d17f0b57c30171065ba42c43efa2a93");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_ends_as_if_it_had_not_been),
        cmocka_unit_test(a_run_with_checkpoints_is_one_without),
        cmocka_unit_test(a_reader_that_fails_loses_nothing),
        cmocka_unit_test(rows_in_memory_are_resumed_too),
        cmocka_unit_test(iterations_go_on_where_they_were),
        cmocka_unit_test(an_iteration_that_ended_is_not_repeated),
        cmocka_unit_test(other_rows_are_refused),
        cmocka_unit_test(other_settings_are_refused),
        cmocka_unit_test(what_is_no_checkpoint_is_left_alone),
        cmocka_unit_test(what_keeps_no_checkpoint_says_so),
        cmocka_unit_test(a_full_disk_leaves_the_last_one),
        cmocka_unit_test(moments_are_resumed),
        cmocka_unit_test(moments_refuse_what_differs),
        cmocka_unit_test(data_may_have_grown),
        cmocka_unit_test(heads_may_not_have_grown),
        cmocka_unit_test(a_digest_tells_numbers_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
