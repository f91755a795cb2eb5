/* Any words as a command line: the first line names the command, every other one is a word. What is understood is sound;
 * nothing is run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lattice.h"
#include "options.h"
#include "report.h"
#include "settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_WORDS = 64 };

static void require(bool holds) {
    if (!holds) abort();
}

static void check_parts(const orff_settings *s, size_t d) {
    require(s->n_parts >= 1 && s->n_parts <= 64);
    for (size_t m = 0; m < s->n_parts; m++) {
        const orff_part *part = &s->parts[m];
        require(part->sigma >= 0.0 && isfinite(part->sigma) && part->weight >= 0.0 && isfinite(part->weight));
        require(part->mix >= 0.0 && part->mix <= 1.0);
        for (size_t i = 0; part->sigmas && i < d; i++) require(part->sigmas[i] > 0.0);
    }
}

static void check_settings(const orff_settings *s) {
    require(s->lambda >= 0.0 && s->lambda_low > 0.0 && s->lambda_high > s->lambda_low &&
            s->lambda_count >= 2);
    require(s->folds >= 2 && s->max_iterations >= 1);
    require(isfinite(s->loss_parameter) && s->tolerance >= 0.0 && s->tolerance <= 1.0);
}

static void parse_kernel(const cli_arguments *a, size_t d, size_t p) {
    const orff_data_shape shape = {.d = d, .p = p};
    cli_settings s;
    if (!cli_settings_read(&s, a, &shape)) {
        check_parts(&s.settings, d);
        check_settings(&s.settings);
    }
    cli_settings_clear(&s);
}

static void parse_grid(const cli_arguments *a) {
    cli_lattice lattice;
    if (cli_given(a, CLI_OPT_ON_GRID) && !cli_lattice_parse(&lattice, a, NULL, 2))
        require(lattice.rows == lattice.count[0] * lattice.count[1] && lattice.low[0] <= lattice.high[0]);
    if (cli_given(a, CLI_OPT_ON_GRID)) cli_lattice_clear(&lattice);
}

static void parse(const cli_command *command, int count, char **words) {
    cli_arguments arguments;
    if (!cli_arguments_parse(&arguments, command, count, words)) {
        parse_kernel(&arguments, 2, 2);
        parse_kernel(&arguments, 3, 1);
        parse_grid(&arguments);
    }
    cli_arguments_clear(&arguments);
}

static const cli_command *find(const char *name) {
    size_t i = 0;
    while (cli_commands[i + 1] && strcmp(cli_commands[i]->name, name)) i++;
    return cli_commands[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere; /* what is wrong is told there */
    char *text = malloc(size + 1), *words[MOST_WORDS];
    int count = 0;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    require(nowhere && text);
    FILE *const before = stderr;
    stderr = nowhere;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at && count < MOST_WORDS; count++) {
        char *end = strchr(at, '\n');
        if (end) *end = '\0';
        words[count] = at;
        at = end ? end + 1 : NULL;
    }
    parse(find(words[0]), count - 1, words + 1);
    stderr = before;
    free(text);
    return 0;
}

#ifndef ORFF_FUZZ
#include "fuzz_seeds.h"

/* Bytes replaced, put in and taken out. */
static size_t mutate(char *text, size_t size, uint64_t trial) {
    static const char likely[] = "\n-=:,+.0123456789eautoin ";
    const orffi_rng rng = {.seed = 31, .stream = 1};
    for (uint32_t e = 0; e < 3 && size > 1; e++) {
        const size_t at = (size_t)orffi_rng_below(rng, trial, 4 * e, size);
        const uint64_t bits = orffi_rng_bits(rng, trial, 4 * e + 1),
                       kind = orffi_rng_below(rng, trial, 4 * e + 2, 3);
        if (kind == 0) memmove(text + at + 1, text + at, size++ - at);
        if (kind == 1) memmove(text + at, text + at + 1, --size - at);
        if (kind != 1) text[at] = likely[bits % (sizeof likely - 1)];
    }
    return size;
}

int main(void) {
    static const char *const seeds[] = {
        "fit\ndata.csv\n-o\nm.orff\n--kernel\ndiv-free+decomposable\n--sigma\n2+0.5,1\n--weight\n1+2",
        "tune\ndata.csv\n--lambda-grid\n1:2\n--lambda\nauto\n--folds=5",
        "fit\n--lambda-grid\n1e-6:1:20\n--mix\n0.3\n--kernel\nhelmholtz\n--scale-inputs\nyes",
        "predict\nm.orff\n--grid\n1=0:1:10,2=3\n--std\n--derive\ncurl",
        "kernel\n--x\n0,0\n--z\n1,1\n--base\nmatern32\n--sigma\nauto",
        "fit\n--kernel\ndiv-free:matern/1.7@2,1*3+decomposable@1e+2\n--output-matrix\nlaplacian:0,1;1,0:0.1",
        "moments\n--frequencies\n1,2,0.5;3,4,0.5\n--shape\n1.5+2\n--base\nmatern+cauchy\n--resume",
        "bound\n--dim\n4\n--epsilon\n0.1\n--\n-q",
    };
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        const size_t size = strlen(seeds[s]);
        char *text = malloc(size + 4);
        require(text);
        memcpy(text, seeds[s], size);
        LLVMFuzzerTestOneInput((const uint8_t *)text, size);
        const uint64_t trials = fuzz_keep(seeds[s], size) ? 0 : 3000;
        for (uint64_t trial = 0; trial < trials; trial++) {
            memcpy(text, seeds[s], size);
            const size_t mutated = mutate(text, size, trial);
            LLVMFuzzerTestOneInput((const uint8_t *)text, mutated);
        }
        free(text);
    }
    return 0;
}
#endif
