/* orff merge: adds and subtracts moments. */
#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "fit.h"
#include "moments_file.h"
#include "report.h"
#include "result.h"

/* Loads a file and adds it to the sum, or subtracts it. */
static int join(cli_moments *sum, const char *path, bool subtract) {
    cli_moments other;
    int status = cli_moments_load(&other, path);
    if (!status) status = cli_moments_join(sum, &other, subtract, path);
    cli_moments_clear(&other);
    return status;
}

static char *result_json(const cli_moments *sum, const char *path) {
    json_t *object = cli_moments_json(sum);
    json_object_set_new(object, "moments", cli_text_or_shown(path));
    return cli_json_text(object);
}

static int save(const cli_arguments *a, const cli_moments *sum) {
    const char *path = cli_text(a, CLI_OPT_OUTPUT);
    char *text =
        cli_wants_json() ? result_json(sum, path) : NULL; /* before the file is written: see cli_json_text */
    const int status = cli_moments_save(sum, path);
    if (!status) cli_say("%" PRIu64 " rows: %s", cli_moments_describe(sum).rows, path);
    if (!status && cli_wants_json()) return cli_print_text(text);
    free(text);
    return status;
}

static int run(const cli_arguments *a) {
    cli_moments sum = {0};
    int status = cli_need_output(a);
    if (!status) status = cli_moments_load(&sum, a->words[0]);
    for (int i = 1; !status && i < a->n_words; i++) status = join(&sum, a->words[i], false);
    for (int i = 0; !status && i < a->given[CLI_OPT_SUBTRACT].count; i++)
        status = join(&sum, a->given[CLI_OPT_SUBTRACT].values[i], true);
    if (!status) status = save(a, &sum);
    cli_moments_clear(&sum);
    return status;
}

const cli_command cli_command_merge = {
    .name = "merge",
    .summary = "add and subtract files of moments",
    .usage = "A B .. -o FILE",
    .text = "Adds files of moments. The sum is the same as that of one run over all their rows. --subtract "
            "removes the rows of a file again.",
    .example = "  orff merge monday.moments tuesday.moments -o both.moments\n"
               "  orff merge both.moments --subtract monday.moments -o only_tuesday.moments\n",
    .least = 1,
    .most = 65536,
    .bit = CLI_BIT(merge),
    .run = run,
};
