/* orff_file and orff_text_show: files that are replaced as a whole, and text that is safe to show. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* ---- a directory of its own, which is the current one */

static char directory[256];

static int set_up(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/orff-file-XXXXXX", base ? base : "/tmp");
    umask(022);
    return !mkdtemp(directory) || chdir(directory);
}

/* Names in the current directory; with `remove_them` it ends empty. */
static size_t count_files(bool remove_them) {
    size_t count = 0;
    DIR *listing = opendir(".");
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        count++;
        if (remove_them && unlink(entry->d_name)) rmdir(entry->d_name);
    }
    closedir(listing);
    return count;
}

static int tear_down(void **state) {
    (void)state;
    count_files(true);
    return chdir("/") || rmdir(directory);
}

static void put(const char *path, const char *text, mode_t mode) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_holds(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static mode_t mode_of(const char *path) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static orff_status replace(const char *path, const char *text) {
    orff_file *file = NULL;
    orff_status status = orff_file_create(&file, path);
    if (!status) status = orff_file_write(file, text, strlen(text));
    if (!status) status = orff_file_commit(file);
    orff_file_free(file);
    return status;
}

/* ---- replacing */

static void test_whole_or_not_at_all(void **state) {
    (void)state;
    put("a", "old", 0644);
    orff_file *file;
    assert_ok(orff_file_create(&file, "a"));
    assert_ok(orff_file_write(file, "new", 3));
    assert_holds("a", "old");
    assert_int_equal(count_files(false), 2);
    orff_file_free(file);
    assert_holds("a", "old");
    assert_int_equal(count_files(false), 1);
    assert_ok(replace("a", "new"));
    assert_holds("a", "new");
    assert_int_equal(count_files(false), 1);
}

static void test_modes(void **state) {
    (void)state;
    umask(027);
    assert_ok(replace("fresh", "x"));
    assert_int_equal(mode_of("fresh"), 0640);
    const mode_t modes[] = {0600, 0644, 0664, 0755};
    for (size_t i = 0; i < 4; i++) {
        put("a", "old", modes[i]);
        assert_ok(replace("a", "new"));
        assert_int_equal(mode_of("a"), modes[i]);
    }
}

/* Before it has the mode of the file it replaces, nobody else may look into the new one. */
static void test_a_secret_stays_one(void **state) {
    (void)state;
    put("a", "old", 0600);
    orff_file *file;
    assert_ok(orff_file_create(&file, "a"));
    assert_int_equal(mode_of(orff_file_temporary(file)), 0600);
    orff_file_free(file);
}

static void test_read_only(void **state) {
    (void)state;
    put("a", "old", 0444);
    assert_status(replace("a", "new"), ORFF_ERROR_IO);
    assert_says("a: is read-only");
    assert_status(orff_file_check("a"), ORFF_ERROR_IO);
    assert_holds("a", "old");
    assert_int_equal(count_files(false), 1);
}

static void test_what_is_no_file(void **state) {
    (void)state;
    const char *const names[] = {"pipe", "folder", "/dev/null", "to_pipe"};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("pipe", "to_pipe"), 0);
    for (size_t i = 0; i < 4; i++) {
        support_case("%s", names[i]);
        assert_status(replace(names[i], "new"), ORFF_ERROR_IO);
        assert_says("is not a regular file");
        assert_status(orff_file_check(names[i]), ORFF_ERROR_IO);
    }
    struct stat about;
    assert_true(!lstat("pipe", &about) && S_ISFIFO(about.st_mode));
    assert_true(!stat("/dev/null", &about) && S_ISCHR(about.st_mode));
    assert_int_equal(count_files(false), 3);
}

static void test_links(void **state) {
    (void)state;
    put("a", "old", 0644);
    assert_int_equal(symlink("a", "link"), 0);
    assert_ok(replace("link", "new"));
    assert_holds("a", "new");
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("folder/b", "dangling"), 0);
    assert_int_equal(symlink("dangling", "second"), 0);
    assert_ok(orff_file_check("second"));
    assert_ok(replace("second", "there"));
    assert_holds("folder/b", "there");
    assert_int_equal(unlink("folder/b"), 0);
    struct stat about;
    assert_true(!lstat("dangling", &about) && S_ISLNK(about.st_mode));
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_status(replace("loop", "new"), ORFF_ERROR_IO);
}

static void test_check(void **state) {
    (void)state;
    assert_ok(orff_file_check("fresh"));
    assert_int_equal(count_files(false), 0);
    assert_status(orff_file_check("nowhere/a"), ORFF_ERROR_IO);
    assert_says("there is no directory nowhere/");
    assert_status(orff_file_check(""), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orff_file_check(NULL), ORFF_ERROR_INVALID_ARGUMENT);
}

/* ---- temporary files */

/* The number of a process that has ended. */
static pid_t dead_process(void) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

static void test_stale_temporaries(void **state) {
    (void)state;
    char stale[64], alive[64], other[64];
    const pid_t dead = dead_process();
    snprintf(stale, sizeof stale, "a.tmp-%ld-0", (long)dead);
    snprintf(alive, sizeof alive, "a.tmp-%ld-77", (long)getppid());
    snprintf(other, sizeof other, "b.tmp-%ld-0", (long)dead);
    const char *const kept[] = {alive,       other,      "a.tmp-",
                                "a.tmp-x-1", "a.tmp-1x", "a.tmp-99999999999999999999-1"};
    for (size_t i = 0; i < 6; i++) put(kept[i], "", 0644);
    put(stale, "", 0644);
    assert_ok(replace("a", "new"));
    assert_int_equal(access(stale, F_OK), -1);
    for (size_t i = 0; i < 6; i++) assert_int_equal(access(kept[i], F_OK), 0);
}

/* A process that dies by TERM and whose handler calls orff_file_remove_temporaries leaves nothing. */
static void on_term(int number) {
    orff_file_remove_temporaries();
    signal(number, SIG_DFL);
    raise(number);
}

static void test_signals(void **state) {
    (void)state;
    orff_file *mine;
    assert_ok(orff_file_create(&mine, "mine"));
    const pid_t child = fork();
    if (child == 0) {
        orff_file *file;
        signal(SIGTERM, on_term);
        if (orff_file_create(&file, "a") || orff_file_write(file, "half", 4)) _exit(1);
        raise(SIGTERM);
        _exit(2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_int_equal(access(orff_file_temporary(mine), F_OK), 0); /* the parent's stays */
    assert_int_equal(count_files(false), 1);
    orff_file_free(mine);
    assert_int_equal(count_files(false), 0);
}

/* ---- text */

static void test_text_is_shown(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"plain text, 12 %", "plain text, 12 %"},
        {"température é 速度 🌊", "température é 速度 🌊"},
        {"a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd"},
        {"\033[31mred\007", "\\x1b[31mred\\x07"},
        {"\177", "\\x7f"},
        {"\xc2\x9b", "\\xc2\\x9b"},                   /* CSI of 8 bits, U+009B */
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},          /* right-to-left override */
        {"\xff\xfe", "\\xff\\xfe"},                   /* no UTF-8 */
        {"\xc0\x8a", "\\xc0\\x8a"},                   /* a newline in an overlong form */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
        {"cut \xe9\x80", "cut \\xe9\\x80"},           /* ends within a character */
    };
    char shown[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        support_case("case %zu", i);
        assert_true(orff_text_show(shown, sizeof shown, cases[i][0]));
        assert_string_equal(shown, cases[i][1]);
    }
}

static void test_text_is_cut(void **state) {
    (void)state;
    char shown[16];
    assert_false(orff_text_show(shown, 8, "0123456789"));
    assert_string_equal(shown, "0123...");
    assert_true(orff_text_show(shown, 11, "0123456789"));
    assert_string_equal(shown, "0123456789");
    assert_false(orff_text_show(shown, 8, "ééééé"));
    assert_string_equal(shown, "éé...");
    assert_false(orff_text_show(shown, 8, "\n\n\n"));
    assert_string_equal(shown, "\\x0a...");
    assert_false(orff_text_show(shown, 3, "0123"));
    assert_string_equal(shown, "01");
    assert_false(orff_text_show(NULL, 0, "0"));
}

/* Whatever the bytes: what is shown is as long as it may be, and plain. */
static void test_any_text(void **state) {
    (void)state;
    uint32_t random = 1;
    for (size_t round = 0; round < 20000; round++) {
        char text[24], shown[64];
        const size_t length = round % sizeof text, room = 1 + round % sizeof shown;
        for (size_t i = 0; i < length; i++)
            text[i] = (char)((random = random * 1664525u + 1013904223u) >> 24);
        text[length] = '\0';
        orff_text_show(shown, room, text);
        assert_true(strlen(shown) < room);
        for (const char *at = shown; *at; at++) assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    }
}

static void test_messages_are_plain(void **state) {
    (void)state;
    orff_model *model = NULL;
    assert_status(orff_model_load(&model, "no\033[2Jwhere\n"), ORFF_ERROR_IO);
    assert_says("no\\x1b[2Jwhere\\x0a: cannot be read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_or_not_at_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_modes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_secret_stays_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_read_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_check, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stale_temporaries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
        cmocka_unit_test(test_text_is_shown),
        cmocka_unit_test(test_text_is_cut),
        cmocka_unit_test(test_any_text),
        cmocka_unit_test_setup_teardown(test_messages_are_plain, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
