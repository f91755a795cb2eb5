#include "written.h"

#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "report.h"
#include "result.h"

int cli_need_table_output(const cli_arguments *a, const char *what) {
    const int status = cli_need_output(a);
    if (status || !cli_wants_json() || strcmp(cli_text(a, CLI_OPT_OUTPUT), "-") != 0) return status;
    return cli_wrong(a, CLI_OPT_JSON, "standard output cannot hold both the %s (-o -) and the JSON", what);
}

int cli_write_table(const cli_arguments *a, const cli_written *table, size_t n_columns,
                    const fmt_output_column *columns, const void *self, double start) {
    const fmt_output_options options = {.n_columns = n_columns, .columns = columns, .shortest = true};
    fmt_output *output = NULL;
    int status = CLI_DONE;
    if (fmt_output_open(&output, cli_text(a, CLI_OPT_OUTPUT), &options))
        status = cli_failed("%s", fmt_output_error(output));
    if (!status) status = table->rows(self, output);
    const double seconds = cli_seconds() - start;
    char *text = !status && cli_wants_json() ? table->json(self, seconds) : NULL;
    if (!status && fmt_output_finish(output)) status = cli_failed("%s", fmt_output_error(output));
    fmt_output_close(output);
    if (!status) table->say(self, seconds);
    if (!status && text) return cli_print_text(text);
    free(text);
    return status;
}
