#define _POSIX_C_SOURCE 200809L

#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "fit.h"
#include "report.h"

extern char **environ;

/* ---- options */

static const char *kind_of(const char *path) {
    static const char *const kinds[] = {"svg", "png", "pdf"};
    const char *end = strrchr(path, '.');
    for (size_t i = 0; end && i < 3; i++)
        if (!strcmp(end + 1, kinds[i])) return kinds[i];
    return NULL;
}

int cli_picture_parse(cli_picture *picture, const cli_arguments *a) {
    const char *text = cli_text(a, CLI_OPT_SIZE);
    double w, h;
    const int status = cli_need_output(a);
    if (status) return status;
    picture->path = cli_text(a, CLI_OPT_OUTPUT);
    picture->kind = kind_of(picture->path);
    picture->keep = cli_given(a, CLI_OPT_KEEP);
    if (!picture->kind)
        return cli_wrong(a, CLI_OPT_OUTPUT, "\"%s\" must end in .svg, .png or .pdf", picture->path);
    const char *at = cli_scan_number(text, "x", &w);
    if (!at || *at != 'x' || !cli_scan_number(at + 1, "", &h) || w < 100 || h < 100 || w > 20000 || h > 20000)
        return cli_wrong(a, CLI_OPT_SIZE, "\"%s\" is not WxH with numbers from 100 to 20000", text);
    picture->width = (size_t)w;
    picture->height = (size_t)h;
    return CLI_DONE;
}

/* ---- the script */

/* Double quotes of gnuplot take backslashes; single quotes only themselves. */
void cli_put_quoted(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text; text++) fputs(*text == '\'' ? "''" : (char[]){*text, 0}, script);
    fputc('\'', script);
}

static void put_terminal(const cli_picture *picture, FILE *script, const char *target) {
    const unsigned w = (unsigned)picture->width, h = (unsigned)picture->height;
    if (!strcmp(picture->kind, "svg")) {
        fprintf(script, "set terminal svg size %u,%u background 'white' font 'sans,14'\n", w, h);
    } else if (!strcmp(picture->kind, "png")) {
        fprintf(script, "set terminal pngcairo size %u,%u background 'white' font 'sans,12'\n", w, h);
    } else {
        fprintf(script, "set terminal pdfcairo size %.2fin,%.2fin background 'white' font 'sans,12'\n",
                w / 100.0, h / 100.0);
    }
    fputs("set output ", script);
    cli_put_quoted(script, target);
    fputc('\n', script);
}

/* ---- running gnuplot */

static int call_gnuplot(const char *script) {
    char *const words[] = {(char[]){"gnuplot"}, (char *)(size_t)script, NULL};
    pid_t pid;
    int status = 0;
    const int code = posix_spawnp(&pid, "gnuplot", NULL, NULL, words, environ);
    if (code)
        return cli_failed("gnuplot cannot be started: %s; on Debian it is in the package gnuplot-nox",
                          strerror(code));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return cli_failed("gnuplot is not installed");
    return WIFEXITED(status) && !WEXITSTATUS(status) ? CLI_DONE
                                                     : cli_failed("gnuplot has failed on %s", script);
}

int cli_picture_draw(const cli_picture *picture, int (*put)(void *self, FILE *script), void *self) {
    cli_string path = {0}, target = {0};
    cli_append(&path, "%s.gp", picture->path);
    cli_append(&target, "%s.part", picture->path);
    FILE *script = fopen(path.text, "w");
    int status = script ? CLI_DONE : cli_failed("%s: cannot be written: %s", path.text, strerror(errno));
    if (script) {
        put_terminal(picture, script, target.text);
        status = put(self, script);
        if (fclose(script) && !status)
            status = cli_failed("%s: cannot be written: %s", path.text, strerror(errno));
    }
    if (!status) status = call_gnuplot(path.text);
    if (!status && rename(target.text, picture->path))
        status = cli_failed("%s: cannot be written: %s", picture->path, strerror(errno));
    if (status) remove(target.text);
    if (script && !picture->keep) remove(path.text);
    free(path.text);
    free(target.text);
    return status;
}
