/* Pictures: a preamble and the item's own body make a gnuplot script, kept beside the tables and run there. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

/* The size of letters and lines in print, whatever the format: 8 points are the least that journals take. A pixel of SVG is
 * 1/96 inch, and so is one of pngcairo before it is enlarged; a line of SVG and PDF is given in pixels and in points. */
#define LETTERS "8"     /* points */
#define PIXELS  "10.67" /* the same */
#define INCH    25.4    /* mm */
#define ENLARGE 2.0     /* of PNG: 192 dots an inch */

/* The script loads itself again for the other formats. Colours: Okabe and Ito's, which differ for all
 * kinds of sight, the pale yellow left out. */
static const char preamble[] =
    "# Draws %s.svg, .pdf and .png, %d mm wide and %d mm high, from the tables beside it:  gnuplot %s.gp\n"
    "if (!exists('format')) { format = 'svg' }\n"
    "if (format eq 'svg') { set terminal svg size %.0f,%.0f enhanced font 'sans," PIXELS
    "' linewidth 0.8 background '#ffffff' }\n"
    "if (format eq 'pdf') { set terminal pdfcairo size %.3fin,%.3fin enhanced font 'sans," LETTERS
    "' fontscale 0.75 linewidth 0.6 background '#ffffff' }\n"
    "if (format eq 'png') { set terminal pngcairo size %.0f,%.0f enhanced font 'sans," LETTERS
    "' fontscale %.2f linewidth %.2f pointscale %.2f background '#ffffff' }\n"
    "set output '%s.'.format\n"
    "set encoding utf8\n"
    "set datafile separator ','\n"
    "set linetype 1 lc rgb '#0072b2' pt 7  lw 2\n"
    "set linetype 2 lc rgb '#d55e00' pt 9  lw 2\n"
    "set linetype 3 lc rgb '#009e73' pt 5  lw 2\n"
    "set linetype 4 lc rgb '#cc79a7' pt 11 lw 2\n"
    "set linetype 5 lc rgb '#e69f00' pt 13 lw 2\n"
    "set linetype 6 lc rgb '#56b4e9' pt 4  lw 2\n"
    "set linetype 7 lc rgb '#000000' pt 6  lw 2\n"
    "set pointsize 0.65\n"
    "set border lc rgb '#444444'\n"
    "set grid back lc rgb '#cccccc' lw 1 lt 1\n"
    "set key noopaque spacing 1.15\n"
    "\n";

static const char ending[] = "\n"
                             "unset output\n"
                             "if (format eq 'pdf') { format = 'png'; reset; load '%s.gp' }\n"
                             "if (format eq 'svg') { format = 'pdf'; reset; load '%s.gp' }\n";

static void write_script(paper_run *run, const char *plot, int width, int height) {
    char name[256], path[PAPER_MAX_PATH];
    snprintf(name, sizeof name, "%s.gp", plot);
    paper_source(run, name, path);
    char *body = paper_read_text(path);
    if (!body) paper_fatal("%s: %s", path, strerror(errno));
    paper_path(run, name, path);
    FILE *script = fopen(path, "w");
    if (!script) paper_fatal("%s: %s", path, strerror(errno));
    const double x = width / INCH, y = height / INCH;
    fprintf(script, preamble, plot, width, height, plot, 96 * x, 96 * y, x, y, 96 * ENLARGE * x,
            96 * ENLARGE * y, ENLARGE, 0.8 * ENLARGE, ENLARGE, plot);
    fputs(body, script);
    fprintf(script, ending, plot, plot);
    if (fclose(script)) paper_fatal("%s: %s", path, strerror(errno));
    free(body);
}

void paper_plot(paper_run *run, const char *plot, int width, int height) {
    char name[256], folder[PAPER_MAX_PATH];
    snprintf(name, sizeof name, "%s.gp", plot);
    write_script(run, plot, width, height);
    paper_path(run, "", folder);
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) paper_fatal("gnuplot could not be started: %s", strerror(errno));
    if (child == 0) {
        if (!chdir(folder)) execlp("gnuplot", "gnuplot", name, (char *)NULL);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) paper_fatal("gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        fprintf(stderr,
                "%s: no gnuplot here, the pictures of %s are not drawn; install it (gnuplot-nox) and run "
                "gnuplot %s in %s\n",
                run->item->name, plot, name, folder);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        paper_fatal("gnuplot failed on %s%s", folder, name);
}
