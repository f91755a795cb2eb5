#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */

#include "gnuplot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fit.h"
#include "inert.h"
#include "report.h"
#include "signals.h"

extern char **environ;

/* ---- kinds of pictures */

/* The beginning and the end of a complete picture, apart from blanks at the end. */
struct cli_picture_kind {
    const char *name, *begin, *end;
};

static const cli_picture_kind kinds[] = {{"svg", "<?xml", "</svg>"},
                                         {"png", "\x89PNG\r\n\x1a\n", "IEND\xae\x42\x60\x82"},
                                         {"pdf", "%PDF-", "%%EOF"}};

static const cli_picture_kind *kind_of(const char *path) {
    const char *end = strrchr(path, '.');
    for (size_t i = 0; end && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(end + 1, kinds[i].name)) return &kinds[i];
    return NULL;
}

/* "svg", "png" or "pdf" */
static bool is_kind(const cli_picture *picture, const char *kind) {
    return !strcmp(picture->kind->name, kind);
}

double cli_tic_step(double range, double parts) {
    const double power = pow(10.0, floor(log10(range / parts))), steps = range / parts / power;
    return power * (steps < 1.5 ? 1.0 : steps < 3.5 ? 2.0 : steps < 7.5 ? 5.0 : 10.0);
}

enum { MOST_TICS = 100, TIC_ROOM = 32 };

#define TIC_SLACK 0.01 /* of a step, that data may end before a tic which is drawn all the same */

/* The tics from low to high: their number, at most MOST_TICS. */
static size_t find_tics(double low, double high, double step, double tics[MOST_TICS]) {
    size_t count = 0;
    if (!(step > 0.0) || !isfinite(step)) return 0;
    const double first = ceil(low / step - TIC_SLACK);
    for (; count < MOST_TICS && (first + (double)count) * step <= high + TIC_SLACK * step; count++)
        tics[count] = (first + (double)count) * step + 0.0; /* no -0 */
    return count;
}

/* With as many digits as tell a step apart; six at least, and all before the point of numbers below a thousand million. */
static int print_tic(char text[TIC_ROOM], double tic, double step) {
    const double before = tic == 0.0 ? 1.0 : floor(log10(fabs(tic))) + 1.0,
                 digits = fmax(before - floor(log10(step)), before < 10.0 ? before : 0.0);
    return snprintf(text, TIC_ROOM, "%.*g", (int)fmin(fmax(digits, 6.0), 17.0), tic);
}

void cli_put_tics(FILE *script, const char *axis, double low, double high, double step) {
    double tics[MOST_TICS];
    char text[TIC_ROOM];
    const size_t count = find_tics(low, high, step, tics);
    if (!count) return;
    fprintf(script, "set %stics (", axis);
    for (size_t i = 0; i < count; i++) {
        print_tic(text, tics[i], step);
        fprintf(script, "%s'%s' %.17g", i ? ", " : "", text, fmin(fmax(tics[i], low), high));
    }
    fputs(")\n", script);
}

size_t cli_tic_letters(double low, double high, double parts) {
    double tics[MOST_TICS];
    char text[TIC_ROOM];
    int most = 0;
    const double step = cli_tic_step(high - low, parts);
    for (size_t i = find_tics(low, high, step, tics); i-- > 0;) {
        const int letters = print_tic(text, tics[i], step);
        most = letters > most ? letters : most;
    }
    return (size_t)most;
}

double cli_tic_step_below(const cli_picture *picture, double length, double low, double high, double parts) {
    const double letters = fmax(6.5, (double)cli_tic_letters(low, high, 4.0) + 1.0),
                 numbers = fmax(2.0, length / (0.75 * letters * (double)picture->style->font));
    double step = cli_tic_step(high - low, fmin(numbers, parts));
    for (double fewer = numbers; fewer > 1.0 && (high - low) / step > numbers; fewer *= 0.8)
        step = cli_tic_step(high - low, fewer);
    return step;
}

/* ---- options */

static char *script_beside(const cli_picture *picture) {
    cli_string path = {0};
    cli_append(&path, "%s.gp", picture->path);
    return path.text;
}

/* Before any computation: checks that the files can be written. An existing script may contain somebody's
 * work. */
static int check_targets(const cli_picture *picture) {
    struct stat there;
    int status = cli_outcome(orff_file_check(picture->path), NULL);
    if (status || !picture->keep) return status;
    char *path = script_beside(picture);
    if (!lstat(path, &there))
        status =
            cli_failed("%s: already exists, and --keep would replace it; move it, or leave out --keep", path);
    if (!status) status = cli_outcome(orff_file_check(path), NULL);
    free(path);
    return status;
}

/* A side of --size, up to the character `stop`: pixels, or a length with a unit, converted to hundredths
 * of an inch. */
static const char *scan_side(const char *text, char stop, bool *printed, double *side) {
    static const struct {
        const char *name;
        double inches;
    } units[] = {{"mm", 1.0 / 25.4}, {"cm", 1.0 / 2.54}, {"in", 1.0}};
    const char stops[] = {'m', 'c', 'i', stop, '\0'};
    const char *at = cli_scan_number(text, stops, side);
    *printed = false;
    for (size_t i = 0; at && !*printed && i < sizeof units / sizeof *units; i++)
        if (!strncmp(at, units[i].name, 2)) {
            *printed = true;
            *side *= 100.0 * units[i].inches;
            at += 2;
        }
    return at && *at == stop ? at : NULL;
}

static int parse_size(cli_picture *picture, const cli_arguments *a) {
    const bool given = cli_given(a, CLI_OPT_SIZE);
    const char *text = given ? cli_text(a, CLI_OPT_SIZE) : picture->style->size;
    double w, h;
    bool printed;
    const char *at = scan_side(text, 'x', &picture->printed, &w);
    if (!at || !scan_side(at + 1, '\0', &printed, &h) || printed != picture->printed || w < 100 || h < 100 ||
        w > 20000 || h > 20000)
        return cli_wrong(
            a, CLI_OPT_SIZE,
            "\"%s\" is not WxH with numbers from 100 to 20000, or a size such as 140mmx110mm, from 1 "
            "to 200 inches",
            text);
    picture->width = (size_t)w;
    picture->height = (size_t)h;
    return CLI_DONE;
}

static int parse_style(cli_picture *picture, const cli_arguments *a) {
    const char *name = cli_text(a, CLI_OPT_STYLE);
    picture->style = cli_style_find(name);
    return picture->style ? CLI_DONE
                          : cli_wrong(a, CLI_OPT_STYLE, "\"%s\" is not known; choose from %s", name,
                                      cli_own_options[CLI_OPT_STYLE].argument);
}

int cli_picture_parse(cli_picture *picture, const cli_arguments *a) {
    int status = cli_need_output(a);
    if (status) return status;
    picture->path = cli_text(a, CLI_OPT_OUTPUT);
    picture->kind = kind_of(picture->path);
    picture->keep = cli_given(a, CLI_OPT_KEEP);
    if (!picture->kind)
        return cli_wrong(a, CLI_OPT_OUTPUT, "\"%s\" must end in .svg, .png or .pdf", picture->path);
    status = parse_style(picture, a);
    if (!status) status = parse_size(picture, a);
    return status ? status : check_targets(picture);
}

size_t cli_picture_letters(const cli_picture *picture, size_t length) {
    return (size_t)((double)length * 12.0 / (CLI_CHARACTER_WIDTH * picture->style->font));
}

/* ---- the private directory
 *
 * gnuplot works in a directory of its own, on files with fixed names, so that names chosen by users or in
 * files never reach it, and it touches nothing but the picture. */

#define SCRIPT  "picture.gp"
#define PICTURE "picture"

static char folder[PATH_MAX]; /* empty: none */
static pid_t owner;           /* a child of fork must leave its parent's directory alone */

/* Removes our own files first, which needs no memory, then what gnuplot has left. Also called whenever the
 * program exits. */
static void remove_folder(void) {
    const int directory =
        *folder && owner == getpid() ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory < 0) return;
    unlinkat(directory, SCRIPT, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[32];
        snprintf(name, sizeof name, PICTURE ".%s", kinds[i].name);
        unlinkat(directory, name, 0);
    }
    DIR *list = rmdir(folder) ? fdopendir(directory) : NULL;
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) unlinkat(directory, entry->d_name, 0);
    if (list) {
        rmdir(folder);
        closedir(list);
    } else {
        close(directory);
    }
    *folder = '\0';
}

static int make_folder(void) {
    const char *parent = getenv("TMPDIR");
    const int length =
        snprintf(folder, sizeof folder, "%s/orff-plot-XXXXXX", parent && *parent ? parent : "/tmp");
    owner = getpid();
    atexit(remove_folder);
    errno = ENAMETOOLONG;
    if ((size_t)length < sizeof folder && mkdtemp(folder)) return CLI_DONE;
    const int status = cli_failed("%s: a temporary directory cannot be made: %s; set TMPDIR to another place",
                                  folder, strerror(errno));
    *folder = '\0';
    return status;
}

static char *path_in_folder(const char *name, const char *kind) {
    cli_string path = {0};
    cli_append(&path, "%s/%s%s%s", folder, name, kind ? "." : "", kind ? kind : "");
    return path.text;
}

static int copy_stream(FILE *from, const char *to) {
    static char block[1 << 16];
    orff_file *file = NULL;
    orff_status status = orff_file_create(&file, to);
    size_t got = 1;
    while (!status && got) {
        got = fread(block, 1, sizeof block, from);
        status = orff_file_write(file, block, got);
    }
    const bool cut = ferror(from);
    if (!status && !cut) status = orff_file_commit(file);
    orff_file_free(file);
    return cut ? cli_failed("%s: the temporary file cannot be read", to) : cli_outcome(status, NULL);
}

static int copy_file(const char *from, const char *to) {
    FILE *file = fopen(from, "rb");
    if (!file) return cli_failed("%s: cannot be read: %s", from, strerror(errno));
    const int status = copy_stream(file, to);
    fclose(file);
    return status;
}

/* ---- the script */

#define PRINTED_DOTS 300.0 /* of a PNG for print, per inch */
#define SCREEN_DOTS  96.0  /* of SVG and the web */

/* Sizes given on paper are kept: a font of 8 points has 8 points. (gnuplot's points in PDF are 4/3 as
 * large.) */
static void put_terminal(const cli_picture *picture, FILE *script) {
    const cli_style *style = picture->style;
    const double w = (double)picture->width, h = (double)picture->height;
    if (is_kind(picture, "svg")) {
        const double scale = picture->printed ? SCREEN_DOTS / 100.0 : 1.0;
        fprintf(script, "set terminal svg size %.0f,%.0f background '%s' font 'sans,%.3g' linewidth %.3g\n",
                w * scale, h * scale, style->paper, style->font * (picture->printed ? 4.0 / 3.0 : 7.0 / 6.0),
                style->line);
    } else if (is_kind(picture, "png")) {
        const double scale = picture->printed ? PRINTED_DOTS / 100.0 : 1.0;
        fprintf(
            script,
            "set terminal pngcairo size %.0f,%.0f background '%s' font 'sans,%.3g' fontscale %.3g linewidth "
            "%.3g pointscale %.3g\n",
            w * scale, h * scale, style->paper, style->font, scale, style->line * scale, scale);
    } else {
        fprintf(script,
                "set terminal pdfcairo size %.2fin,%.2fin background '%s' font 'sans,%.3g' fontscale 0.75 "
                "linewidth %.3g\n",
                w / 100.0, h / 100.0, style->paper, style->font, style->line);
    }
}

/* Settings that later commands keep: texts and axes in the ink colour. */
static void put_style(const cli_style *style, FILE *script) {
    fprintf(script, "set style line 100 lw 1 lc rgb '%s'\nset border ls 100\nset colorbox border 100\n",
            style->ink);
    fprintf(script, "set tics textcolor rgb '%s'\nset key textcolor rgb '%s'\n", style->ink, style->ink);
    for (size_t i = 0; i < 4; i++)
        fprintf(script, "set %s textcolor rgb '%s'\n",
                (const char *const[]){"xlabel", "ylabel", "cblabel", "title"}[i], style->ink);
}

static void put_begin(const cli_picture *picture, FILE *script) {
    const char *kind = picture->kind->name;
    fprintf(script,
            "# By orff plot. gnuplot draws it as %s.%s in the current directory.\nset encoding utf8\n",
            PICTURE, kind);
    put_terminal(picture, script);
    put_style(picture->style, script);
    fprintf(script, "set output '%s.%s'\n", PICTURE, kind);
}

static int write_script(const cli_picture *picture, const char *path, cli_picture_put *put, void *self) {
    static char block[1 << 18]; /* for several megabytes */
    FILE *script = fopen(path, "w");
    if (!script) return cli_failed("%s: cannot be written: %s", path, strerror(errno));
    setvbuf(script, block, _IOFBF, sizeof block);
    put_begin(picture, script);
    int status = put(self, script);
    fputs("unset output\n", script);
    const bool bad = ferror(script);
    if ((fclose(script) || bad) && !status)
        status = cli_failed("%s: cannot be written; is the disk full?", path);
    return status;
}

/* ---- running gnuplot */

/* An interrupt that reaches only this program also ends gnuplot. */
static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (cli_interrupted()) kill(pid, SIGTERM);
    return status;
}

/* Runs gnuplot in the folder, without the user's settings, and detached from standard input and output. */
static int spawn_gnuplot(pid_t *pid) {
    char *const words[] = {(char[]){"gnuplot"}, (char[]){"-d"}, (char[]){SCRIPT}, NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawnp(pid, "gnuplot", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static int call_gnuplot(const cli_picture *picture) {
    pid_t pid = 0;
    const int code = spawn_gnuplot(&pid);
    if (code)
        return cli_failed("gnuplot cannot be started: %s; on Debian it is in the package gnuplot-nox",
                          strerror(code));
    const int status = wait_for(pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return cli_failed("gnuplot is not installed; on Debian it is in the package gnuplot-nox");
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return CLI_DONE;
    return cli_failed("%s: gnuplot failed; --keep saves its script so that you can see why", picture->path);
}

/* gnuplot does not notice if it cannot write, so the picture is checked. */
static bool is_whole(const cli_picture *picture, const char *path) {
    char begin[16] = "", end[33] = "";
    const cli_picture_kind *kind = picture->kind;
    const int file = open(path, O_RDONLY | O_CLOEXEC); /* a FILE would allocate memory */
    if (file < 0) return false;
    const off_t size = lseek(file, 0, SEEK_END), tail = (off_t)sizeof end - 1;
    const ssize_t first = pread(file, begin, sizeof begin - 1, 0);
    ssize_t length = pread(file, end, sizeof end - 1, size > tail ? size - tail : 0);
    close(file);
    while (length > 0 && strchr(" \r\n", end[length - 1])) length--;
    const size_t ending = strlen(kind->end);
    return first > 0 && length >= (ssize_t)ending && !strncmp(begin, kind->begin, strlen(kind->begin)) &&
           !memcmp(end + length - ending, kind->end, ending);
}

/* ---- */

static int draw_in_folder(const cli_picture *picture, cli_picture_put *put, void *self) {
    char *script = path_in_folder(SCRIPT, NULL), *drawn = path_in_folder(PICTURE, picture->kind->name),
         *beside = script_beside(picture);
    const char *const own[] = {script, drawn, folder, NULL};
    cli_signals_remove(own);
    int status = write_script(picture, script, put, self);
    if (!status && picture->keep) status = copy_file(script, beside);
    if (!status) status = call_gnuplot(picture);
    if (!status && !is_whole(picture, drawn))
        status =
            cli_failed("%s: gnuplot did not write the whole picture; is %s full?", picture->path, folder);
    if (!status) status = copy_file(drawn, picture->path);
    cli_signals_remove(NULL);
    free(script);
    free(drawn);
    free(beside);
    return status;
}

int cli_picture_draw(const cli_picture *picture, cli_picture_put *put, void *self) {
    int status = make_folder();
    if (!status) status = draw_in_folder(picture, put, self);
    remove_folder();
    return status;
}
