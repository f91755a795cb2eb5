#!/bin/sh
# What the program prints goes through cli/print.c, which lets no control character through. Others may not print: only
# report.c, for its progress bar and for JSON, and those that know no text but the program's own: help.c and completion.c, and early.c and
# signals.c, which run where nothing else may be called.
set -eu

# Prints every line of the files given that names a stream or a function that prints to one.
direct_prints() {
    for file; do
        case ${file##*/} in print.c | report.c | help.c | completion.c | early.c | signals.c) continue ;; esac
        grep -nHE '(^|[^[:alnum:]_])(printf|vprintf|dprintf|puts|putchar|perror|stdout|stderr|STDOUT_FILENO|STDERR_FILENO)([^[:alnum:]_]|$)' "$file" |
            grep -vE 'posix_spawn_file_actions_addopen|__attribute__' || :
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'snprintf(a, 2, "");\nfprintf(script, "");\ncli_print("");\nreturn cli_check_stdout();\n' >"$work/a.c"
[ -z "$(direct_prints "$work/a.c")" ] || { echo "self-test: a clean file was refused" >&2; exit 1; }
for line in 'printf("");' '    puts(x);' 'fputs(x, stderr);' 'if (x) putchar(y);' 'fwrite(x, 1, 1, stdout);' 'write(STDERR_FILENO, x, 1);'; do
    echo "$line" >"$work/a.c"
    [ -n "$(direct_prints "$work/a.c")" ] || { echo "self-test: $line was not found" >&2; exit 1; }
done

found=$(direct_prints "$SOURCE_DIR"/cli/*.c)
[ -z "$found" ] || { echo "use cli_print, cli_say and their kind (cli/report.h):"; echo "$found"; exit 1; }
