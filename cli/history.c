#define _POSIX_C_SOURCE 200809L
#include "history.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"

static void append_time(cli_string *text) {
    const char *given = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL, shown[40] = "";
    const long long seconds = given ? strtoll(given, &end, 10) : 0;
    const time_t now = given && end > given && !*end ? (time_t)seconds : time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) && strftime(shown, sizeof shown, "%Y-%m-%dT%H:%M:%SZ", &parts))
        cli_append(text, "%s: ", shown);
}

/* As typed in a shell: words with blanks or quotes are quoted. */
static void append_word(cli_string *text, const char *word) {
    char shown[1024];
    orff_text_show(shown, sizeof shown, word);
    cli_append(text, strpbrk(shown, " \"'") || !*shown ? " '%s'" : " %s", shown);
}

char *cli_history(const cli_arguments *a) {
    cli_string text = {0};
    append_time(&text);
    cli_append(&text, "orff %s", a->command->name);
    for (int i = 0; i < a->n_words; i++) append_word(&text, a->words[i]);
    for (cli_option_id id = 0; cli_option_at(id); id++) {
        for (int i = 0; id != CLI_OPT_OUTPUT && i < a->given[id].count; i++) {
            cli_append(&text, " --%s", cli_option_at(id)->name);
            if (cli_option_at(id)->argument) append_word(&text, a->given[id].values[i]);
        }
    }
    return text.text;
}
