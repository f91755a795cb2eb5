/* orff merge: moments added and subtracted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fit.h"
#include "report.h"
#include "result.h"

/* Loads a file and adds it to the sum, or subtracts it. */
static int join(orff_moments *sum, const char *path,
                orff_status (*how)(orff_moments *, const orff_moments *)) {
    orff_moments *other = NULL;
    int status = cli_outcome(orff_moments_load(&other, path), NULL);
    if (!status) status = cli_outcome(how(sum, other), path);
    orff_moments_free(other);
    return status;
}

static char *told(const orff_moments_info *info, const char *path) {
    return cli_json_text(json_pack("{s:I, s:f, s:I, s:I, s:I, s:I, s:o}", "n", (json_int_t)info->rows,
                                   "weight", info->weight, "d", (json_int_t)info->inputs, "p",
                                   (json_int_t)info->outputs, "features", (json_int_t)info->frequencies,
                                   "folds", (json_int_t)info->folds, "moments", cli_text_or_shown(path)));
}

static int save(const cli_arguments *a, const orff_moments *sum) {
    const char *path = cli_text(a, CLI_OPT_OUTPUT);
    const orff_moments_info info = orff_moments_describe(sum);
    char *text =
        cli_wants_json() ? told(&info, path) : NULL; /* before the file is there: see cli_json_text */
    const orff_status saved = orff_moments_save(sum, path);
    const int status =
        cli_outcome(saved, saved == ORFF_OK || strstr(orff_error_message(), path) ? NULL : path);
    if (!status) cli_say("%" PRIu64 " rows: %s", info.rows, path);
    if (!status && cli_wants_json()) return cli_print_text(text);
    free(text);
    return status;
}

static int run(const cli_arguments *a) {
    orff_moments *sum = NULL;
    int status = cli_need_output(a);
    if (!status) status = cli_outcome(orff_moments_load(&sum, a->words[0]), NULL);
    for (int i = 1; !status && i < a->n_words; i++) status = join(sum, a->words[i], orff_moments_add);
    for (int i = 0; !status && i < a->given[CLI_OPT_SUBTRACT].count; i++)
        status = join(sum, a->given[CLI_OPT_SUBTRACT].values[i], orff_moments_subtract);
    if (!status) status = save(a, sum);
    orff_moments_free(sum);
    return status;
}

const cli_command cli_command_merge = {
    .name = "merge",
    .summary = "add and subtract files of moments",
    .usage = "A B .. -o FILE",
    .text = "Adds files of moments. The sum is what one run over all their rows would give. "
            "--subtract removes the rows of a file again.",
    .example = "  orff merge monday.moments tuesday.moments -o both.moments\n"
               "  orff merge both.moments --subtract monday.moments -o only_tuesday.moments\n",
    .least = 1,
    .most = 65536,
    .bit = CLI_BIT(merge),
    .run = run,
};
