/* Kernels for rows whose amplitude varies from place to place, such as heights of mountains and plains.
 *
 * The evidence of a stationary process mistakes the roughness of the mountains for noise and smooths the
 * plains. With a variance for each group of rows (exact/amplitudes.h) it compares shapes only. That can go
 * too far: where rain falls on few of the rows, the many dry ones would decide. So such a kernel is used
 * only if two criteria favour it: the evidence for varying amplitudes, and smaller errors on held-out
 * rows. */
#include <math.h>

#include "base/hooks.h"
#include "base/memory.h"
#include "exact/near.h"
#include "model/choice.h"
#include "model/patches.h"

#define ROUGHLY 0.1 /* differences of the log evidence below this mean nothing */
#define LEFT    600 /* held-out rows: they give the mean square to about 6 %, differences much better */
#define NEAREST 32  /* rows that each is predicted from: they screen off those farther away */

/* top: the best so far by the evidence, from which bases are tried. least: the best by held-out rows. */
typedef struct search {
    orffi_choice *choice;
    orffi_freedom freedom;
    orffi_sample left; /* rows spread over all, for the errors in gaps; and rows with their neighbours */
    orffi_candidate top, least;
    double score; /* of `least`, or of the kernel with one amplitude for all */
} search;

static orff_status replace(orffi_candidate *old, const orffi_candidate *with) {
    orffi_candidate copy = {0};
    const orff_status status = orffi_candidate_copy(&copy, with);
    if (status) {
        orffi_candidate_clear(&copy);
        return status;
    }
    orffi_candidate_clear(old);
    *old = copy;
    return ORFF_OK;
}

/* Maximises the evidence of the candidate on few rows; that is accurate enough, since held-out rows
 * decide. *better: it has the highest evidence so far. */
static orff_status try_candidate(search *s, orffi_candidate *candidate, bool *better) {
    orffi_choice *c = s->choice;
    double score;
    ORFFI_TRY(orffi_candidate_improve(candidate, &c->judge, &c->few, s->freedom, ROUGHLY, NULL));
    ORFFI_TRY(orffi_candidate_left_out(candidate, &c->judge, &s->left, &score));
    if (score < s->score) {
        s->score = score;
        ORFFI_TRY(replace(&s->least, candidate));
    }
    *better = !s->top.parts.list || candidate->value > s->top.value;
    return *better ? replace(&s->top, candidate) : ORFF_OK;
}

/* The base one step from number `base`, starting at the best candidate. */
static orff_status try_base(search *s, size_t base, int step, bool *better) {
    orffi_candidate candidate = {0};
    *better = false;
    orff_status status = orffi_candidate_copy(&candidate, &s->top);
    if (!status && orffi_choice_next_base(s->choice, base, step, &candidate))
        status = try_candidate(s, &candidate, better);
    orffi_candidate_clear(&candidate);
    return status;
}

/* Rougher bases as long as they are better; if none is, smoother ones. */
static orff_status try_bases(search *s) {
    const size_t from = s->choice->base;
    size_t base = from;
    bool better = true;
    while (better) {
        ORFFI_TRY(try_base(s, base, -1, &better));
        if (better) base--;
    }
    for (better = base == from; better;) {
        ORFFI_TRY(try_base(s, base, 1, &better));
        if (better) base++;
    }
    return ORFF_OK;
}

static orff_status fill_left(search *s) {
    const orffi_choice *c = s->choice;
    const orffi_table *spread = &c->many.tables[0];
    ORFFI_TRY(ORFFI_NEW_ARRAY(s->left.tables, LEFT + 1));
    s->left.count = LEFT + 1;
    ORFFI_TRY(orffi_table_init_like(&s->left.tables[0], spread->n, spread));
    for (size_t i = 0; i < spread->n; i++) orffi_table_copy_row(&s->left.tables[0], i, spread, i);
    return orffi_patches_around(&c->table, c->judge.median, c->plan->periods, LEFT, NEAREST,
                                s->left.tables + 1);
}

static orff_status run(search *s, orffi_candidate *first) {
    orffi_choice *c = s->choice;
    bool better;
    ORFFI_TRY(orffi_candidate_judge(first, &c->judge, &c->many));
    if (!(first->value > c->best.value)) return ORFF_OK;
    ORFFI_TRY(fill_left(s));
    ORFFI_TRY(orffi_candidate_left_out(&c->best, &c->judge, &s->left, &s->score));
    ORFFI_TRY(try_candidate(s, first, &better));
    return try_bases(s);
}

/* Only for kernels k I and rows of equal quality, in few enough dimensions to find neighbours. */
static bool applies(const orffi_choice *c) {
    return c->many.count > 2 && c->order == 1 && !c->table.along && !c->table.weights &&
           c->plan->d <= ORFFI_NEAR_MOST && c->table.n > LEFT && !c->plan->settings.auto_kernel &&
           !orffi_quality_is_open(&c->plan->quality);
}

orff_status orffi_choice_try_amplitudes(orffi_choice *c, orffi_freedom freedom) {
    search s = {.choice = c, .freedom = freedom};
    orffi_candidate first = {0};
    if (!applies(c)) return ORFF_OK;
    c->judge.amplitudes = true;
    orff_status status = orffi_candidate_copy(&first, &c->best);
    if (!status) status = run(&s, &first);
    c->judge.amplitudes = s.least.parts.list != NULL;
    if (!status && s.least.parts.list) {
        orffi_log(ORFF_LOG_INFO, "the amplitude varies from place to place, so the kernel was chosen by "
                                 "errors on held-out rows");
        orffi_candidate_clear(&c->best);
        c->best = s.least;
        s.least = (orffi_candidate){0};
        c->unknowns++;
    }
    orffi_sample_clear(&s.left);
    orffi_candidate_clear(&first);
    orffi_candidate_clear(&s.top);
    orffi_candidate_clear(&s.least);
    return status;
}
