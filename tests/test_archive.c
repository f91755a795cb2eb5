/* The container of models and moments: content is restored bit for bit, damaged files are refused, and a
 * write that fails or dies leaves the old file. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/random.h"
#include "support.h"

/* ---- system calls that can be made to fail: the linker sends the library's calls here */

typedef enum step { NO_STEP, STEP_WRITE, STEP_SYNC, STEP_RENAME, STEP_MAP } step;

static struct {
    step at;          /* the call that goes wrong ... */
    int after;        /* ... when this many of its kind went well */
    int error;        /* errno it reports; 0: the process kills itself instead */
    size_t at_most;   /* bytes that one write takes; 0: all */
    bool interrupted; /* every other write reports EINTR */
} plan;
static int calls;

static bool goes_wrong(step here) {
    if (plan.at != here || calls++ != plan.after) return false;
    if (!plan.error) kill(getpid(), SIGKILL);
    errno = plan.error;
    return true;
}

ssize_t __real_write(int descriptor, const void *data, size_t bytes);
ssize_t __wrap_write(int descriptor, const void *data, size_t bytes);
int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int descriptor, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int descriptor, off_t offset);

ssize_t __wrap_write(int descriptor, const void *data, size_t bytes) {
    static bool odd;
    if (goes_wrong(STEP_WRITE)) return -1;
    if (plan.interrupted && (odd = !odd)) {
        errno = EINTR;
        return -1;
    }
    return __real_write(descriptor, data, plan.at_most && bytes > plan.at_most ? plan.at_most : bytes);
}

int __wrap_fsync(int descriptor) {
    return goes_wrong(STEP_SYNC) ? -1 : __real_fsync(descriptor);
}

int __wrap_rename(const char *from, const char *to) {
    return goes_wrong(STEP_RENAME) ? -1 : __real_rename(from, to);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
    return goes_wrong(STEP_MAP) ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, descriptor, offset);
}

/* ---- files */

static char directory[256];

static const char *in_directory(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int set_up(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/orff-archive-XXXXXX", base ? base : "/tmp");
    memset(&plan, 0, sizeof plan);
    calls = 0;
    return mkdtemp(directory) ? 0 : -1;
}

/* Files in the directory; with `remove_them` it ends empty. */
static size_t count_files(bool remove_them) {
    size_t count = 0;
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    for (struct dirent *file; (file = readdir(listing));) {
        if (file->d_name[0] == '.' && (!file->d_name[1] || file->d_name[1] == '.')) continue;
        count++;
        if (remove_them) unlink(in_directory(file->d_name));
    }
    closedir(listing);
    return count;
}

static int tear_down(void **state) {
    (void)state;
    chmod(directory, 0700);
    count_files(true);
    return rmdir(directory);
}

static unsigned char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static void spill(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- a small archive with something of everything */

static const double theta[6] = {1.5, -0.0, 5e-324, 1.7976931348623157e308, 0.1, -1.0 / 3.0};
static const float row[3] = {0.1f, -2.5f, 3e-45f};
static const int64_t rows = INT64_MIN + 7;
static const size_t theta_shape[2] = {2, 3}, row_shape[1] = {3}, empty_shape[3] = {4, 0, 2};

static orffi_archive_writer *small_writer(int version) {
    orffi_archive_writer *writer = NULL;
    assert_ok(orffi_archive_writer_create(&writer, "orff-test", version));
    json_t *document = json_pack("{sf ss s[iii] s{}}", "lambda", 0.1, "name", "\xc3\xa9t\xc3\xa9 \"1\"\n",
                                 "list", 1, 2, 3, "empty");
    assert_non_null(document);
    assert_ok(orffi_archive_set_document(writer, document));
    json_decref(document);
    assert_ok(orffi_archive_add(writer, "row", ORFFI_F32, 1, row_shape, row));
    assert_ok(orffi_archive_add(writer, "theta", ORFFI_F64, 2, theta_shape, theta));
    assert_ok(orffi_archive_add(writer, "rows", ORFFI_I64, 0, NULL, &rows));
    assert_ok(orffi_archive_add(writer, "none", ORFFI_F64, 3, empty_shape, NULL));
    return writer;
}

static void write_small(const char *path, int version) {
    orffi_archive_writer *writer = small_writer(version);
    assert_ok(orffi_archive_write(writer, path, NULL));
    orffi_archive_writer_free(writer);
}

static void assert_small(const char *path, int version) {
    orffi_archive *archive = NULL;
    assert_ok(orffi_archive_open(&archive, path, "orff-test", 1, 3));
    assert_int_equal(orffi_archive_version(archive), version);
    const double *numbers;
    const float *singles;
    const int64_t *one;
    size_t shape[3];
    assert_ok(orffi_archive_get(archive, "theta", ORFFI_F64, 2, shape, &numbers));
    assert_memory_equal(shape, theta_shape, sizeof theta_shape);
    assert_memory_equal(numbers, theta, sizeof theta);
    assert_ok(orffi_archive_expect(archive, "row", ORFFI_F32, 1, row_shape, &singles));
    assert_memory_equal(singles, row, sizeof row);
    assert_ok(orffi_archive_get(archive, "rows", ORFFI_I64, 0, NULL, &one));
    assert_true(*one == rows);
    assert_ok(orffi_archive_expect(archive, "none", ORFFI_F64, 3, empty_shape, &numbers));
    const json_t *document = orffi_archive_document(archive);
    assert_true(support_number(document, "lambda") == 0.1);
    assert_string_equal(support_string(document, "name"), "\xc3\xa9t\xc3\xa9 \"1\"\n");
    orffi_archive_close(archive);
}

/* ---- checksum */

static uint32_t slow_crc(const unsigned char *bytes, size_t size) {
    uint32_t rest = 0xffffffffu;
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            const uint32_t out = (rest ^ (uint32_t)bytes[i] >> bit) & 1;
            rest = rest >> 1 ^ (out ? 0x82f63b78u : 0);
        }
    return ~rest;
}

static void test_crc(void **state) {
    (void)state;
    unsigned char bytes[64] = {0};
    assert_int_equal(orffi_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(orffi_crc32c(0, bytes, 32), 0x8a9136aau); /* RFC 3720, B.4 */
    assert_int_equal(orffi_crc32c(0, bytes, 0), 0);
    for (size_t i = 0; i < 64; i++) bytes[i] = (unsigned char)(37 * i + 11);
    for (size_t size = 0; size <= 64; size++)
        for (size_t cut = 0; cut <= size; cut += 3)
            assert_int_equal(orffi_crc32c(orffi_crc32c(0, bytes, cut), bytes + cut, size - cut),
                             slow_crc(bytes, size));
}

/* ---- round trip */

static void test_round_trip(void **state) {
    (void)state;
    const char *path = in_directory("a.orff");
    for (int version = 1; version <= 3; version++) {
        write_small(path, version);
        assert_small(path, version);
        assert_int_equal(count_files(false), 1);
    }
}

static void test_same_bytes_each_time(void **state) {
    (void)state;
    size_t first, second;
    write_small(in_directory("a.orff"), 1);
    unsigned char *a = slurp(in_directory("a.orff"), &first);
    write_small(in_directory("a.orff"), 1);
    unsigned char *b = slurp(in_directory("a.orff"), &second);
    assert_int_equal(first, second);
    assert_memory_equal(a, b, first);
    free(a);
    free(b);
}

static void test_empty_archive(void **state) {
    (void)state;
    orffi_archive_writer *writer = NULL;
    orffi_archive *archive = NULL;
    assert_ok(orffi_archive_writer_create(&writer, "orff-test", 1));
    assert_ok(orffi_archive_write(writer, in_directory("a.orff"), NULL));
    assert_ok(orffi_archive_open(&archive, in_directory("a.orff"), "orff-test", 1, 1));
    assert_int_equal(json_object_size(orffi_archive_document(archive)), 0);
    assert_false(orffi_archive_has(archive, "theta"));
    assert_false(orffi_archive_has(archive, "__metadata__"));
    orffi_archive_close(archive);
    orffi_archive_writer_free(writer);
}

/* Where the offsets of a tensor stand in the text, read without any JSON library. */
static void find_tensor(const char *header, const char *name, size_t *begin, size_t *end) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":{", name);
    const char *at = strstr(header, key);
    assert_non_null(at);
    at = strstr(at, "\"data_offsets\":[");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"data_offsets\":[%zu,%zu]", begin, end), 2);
}

/* The public layout, byte by byte. */
static void test_layout(void **state) {
    (void)state;
    size_t size, begin, end, length = 0;
    write_small(in_directory("a.orff"), 1);
    unsigned char *file = slurp(in_directory("a.orff"), &size);
    for (int i = 7; i >= 0; i--) length = length << 8 | file[i];
    assert_int_equal((8 + length) % 64, 0);
    const char *header = (const char *)file + 8;
    assert_int_equal(header[0], '{');
    find_tensor(header, "theta", &begin, &end);
    assert_int_equal(end - begin, sizeof theta);
    assert_int_equal(begin % 8, 0);
    assert_memory_equal(file + 8 + length + begin, theta, sizeof theta);
    find_tensor(header, "row", &begin, &end);
    assert_memory_equal(file + 8 + length + begin, row, sizeof row);
    assert_int_equal(8 + length + end, size); /* the 4-byte numbers come last */
    find_tensor(header, "rows", &begin, &end);
    assert_memory_equal(file + 8 + length + begin, &rows, sizeof rows);

    char *digits = strstr((char *)file + 8, "\"checksum\":\"") + strlen("\"checksum\":\"");
    const uint32_t written = (uint32_t)strtoul(
        (char[9]){digits[0], digits[1], digits[2], digits[3], digits[4], digits[5], digits[6], digits[7], 0},
        NULL, 16);
    memset(digits, '0', 8);
    assert_int_equal(written, slow_crc(file, size));
    free(file);
}

static void test_refused_arguments(void **state) {
    (void)state;
    orffi_archive_writer *writer = small_writer(1);
    const size_t huge[2] = {SIZE_MAX / 2, 3}, many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_status(orffi_archive_add(writer, "theta", ORFFI_F64, 2, theta_shape, theta),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_add(writer, "__metadata__", ORFFI_F64, 2, theta_shape, theta),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_add(writer, "", ORFFI_F64, 2, theta_shape, theta),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_add(writer, "a", ORFFI_F64, 2, theta_shape, NULL),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_add(writer, "a", ORFFI_F64, 9, many, theta), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_add(writer, "a", ORFFI_DTYPE_COUNT, 1, row_shape, theta),
                  ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_add(writer, "a", ORFFI_F64, 2, huge, theta), ORFF_ERROR_NO_MEMORY);
    json_t *list = json_array();
    assert_status(orffi_archive_set_document(writer, list), ORFF_ERROR_INVALID_ARGUMENT);
    json_decref(list);
    assert_ok(orffi_archive_write(writer, in_directory("a.orff"), NULL));
    assert_small(in_directory("a.orff"), 1);
    orffi_archive_writer_free(writer);
}

/* The writer's table of tensors grows; all come back. */
static void test_many_tensors(void **state) {
    (void)state;
    enum { COUNT = 100 };
    static double numbers[COUNT];
    orffi_archive_writer *writer = NULL;
    orffi_archive *archive = NULL;
    const size_t one[1] = {1};
    char name[16];
    const double *found;
    assert_ok(orffi_archive_writer_create(&writer, "orff-test", 1));
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
        snprintf(name, sizeof name, "t%d", i);
        assert_ok(orffi_archive_add(writer, name, ORFFI_F64, 1, one, &numbers[i]));
    }
    assert_ok(orffi_archive_write(writer, in_directory("a.orff"), NULL));
    orffi_archive_writer_free(writer);
    assert_ok(orffi_archive_open(&archive, in_directory("a.orff"), "orff-test", 1, 1));
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_ok(orffi_archive_expect(archive, name, ORFFI_F64, 1, one, &found));
        assert_true(*found == i);
    }
    orffi_archive_close(archive);
}

static void test_getters_refuse(void **state) {
    (void)state;
    orffi_archive *archive = NULL;
    const size_t other[2] = {2, 4};
    const double *data = theta;
    write_small(in_directory("a.orff"), 1);
    assert_ok(orffi_archive_open(&archive, in_directory("a.orff"), "orff-test", 1, 1));
    assert_status(orffi_archive_get(archive, "omega", ORFFI_F64, 2, NULL, &data), ORFF_ERROR_FORMAT);
    assert_says("a.orff: has no tensor \"omega\"");
    assert_status(orffi_archive_get(archive, "theta", ORFFI_F32, 2, NULL, &data), ORFF_ERROR_FORMAT);
    assert_says("is F64 of rank 2, F32 of rank 2 was expected");
    assert_status(orffi_archive_get(archive, "theta", ORFFI_F64, 1, NULL, &data), ORFF_ERROR_FORMAT);
    assert_status(orffi_archive_expect(archive, "theta", ORFFI_F64, 2, other, &data), ORFF_ERROR_FORMAT);
    assert_says("extent 3 in dimension 2, 4 was expected");
    assert_ptr_equal(data, theta);
    assert_status(orffi_archive_fail(archive, "no %s", "sigma"), ORFF_ERROR_FORMAT);
    assert_says("a.orff: no sigma");
    orffi_archive_close(archive);
    orffi_archive_close(NULL);
    orffi_archive_writer_free(NULL);
}

static void test_finite(void **state) {
    (void)state;
    const double bad[6] = {1, 2, 3, 4, (double)NAN, 6};
    const float inf[3] = {0, 0, (float)INFINITY};
    orffi_archive_writer *writer = NULL;
    orffi_archive *archive = NULL;
    assert_ok(orffi_archive_writer_create(&writer, "orff-test", 1));
    assert_ok(orffi_archive_add(writer, "good", ORFFI_F64, 2, theta_shape, theta));
    assert_ok(orffi_archive_add(writer, "bad", ORFFI_F64, 2, theta_shape, bad));
    assert_ok(orffi_archive_add(writer, "inf", ORFFI_F32, 1, row_shape, inf));
    assert_ok(orffi_archive_add(writer, "none", ORFFI_F64, 3, empty_shape, NULL));
    assert_ok(orffi_archive_write(writer, in_directory("a.orff"), NULL));
    assert_ok(orffi_archive_open(&archive, in_directory("a.orff"), "orff-test", 1, 1));
    assert_ok(orffi_archive_check_finite(archive, "good"));
    assert_ok(orffi_archive_check_finite(archive, "none"));
    assert_status(orffi_archive_check_finite(archive, "bad"), ORFF_ERROR_FORMAT);
    assert_says("a.orff: bad is nan in row 2, column 2");
    assert_status(orffi_archive_check_finite(archive, "inf"), ORFF_ERROR_FORMAT);
    assert_says("a.orff: inf is inf in row 3");
    assert_status(orffi_archive_check_finite(archive, "absent"), ORFF_ERROR_FORMAT);
    orffi_archive_close(archive);
    orffi_archive_writer_free(writer);
}

/* ---- format and version */

static void test_format_and_version(void **state) {
    (void)state;
    orffi_archive *archive = NULL;
    const char *path = in_directory("a.orff");
    write_small(path, 2);
    assert_status(orffi_archive_open(&archive, path, "orff-moments", 1, 2), ORFF_ERROR_FORMAT);
    assert_says("is of the format \"orff-test\", \"orff-moments\" was expected");
    assert_status(orffi_archive_open(&archive, path, "orff-test", 1, 1), ORFF_ERROR_FORMAT);
    assert_says("upgrade orff");
    assert_status(orffi_archive_open(&archive, path, "orff-test", 3, 4), ORFF_ERROR_FORMAT);
    assert_says("reads version 3 and later");
    assert_null(archive);
}

/* ---- damage */

/* The file is refused with a message that names it. */
static void assert_refused(const char *path, const char *what, size_t where) {
    orffi_archive *archive = NULL;
    const orff_status status = orffi_archive_open(&archive, path, "orff-test", 1, 3);
    if (status != ORFF_ERROR_FORMAT && status != ORFF_ERROR_IO)
        fail_msg("%s at %zu: \"%s\"", what, where, orff_status_text(status));
    assert_null(archive);
    if (!strstr(orff_error_message(), path) || strlen(orff_error_message()) < strlen(path) + 10)
        fail_msg("%s at %zu: message \"%s\"", what, where, orff_error_message());
}

/* Bytes of a good archive, and an open descriptor of a file that holds them. */
static unsigned char *good_file(const char *path, size_t *size, int *descriptor) {
    write_small(path, 1);
    unsigned char *good = slurp(path, size);
    *descriptor = open(path, O_RDWR);
    assert_true(*descriptor >= 0);
    return good;
}

static void put(int descriptor, const void *bytes, size_t count, size_t at) {
    assert_int_equal(pwrite(descriptor, bytes, count, (off_t)at), count);
}

static void test_every_bit_flip(void **state) {
    (void)state;
    size_t size;
    int descriptor;
    const char *path = in_directory("a.orff");
    unsigned char *good = good_file(path, &size, &descriptor);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            const unsigned char flipped = (unsigned char)(good[i] ^ 1u << bit);
            put(descriptor, &flipped, 1, i);
            assert_refused(path, "flipped bit", 8 * i + (size_t)bit);
        }
        put(descriptor, &good[i], 1, i);
    }
    assert_small(path, 1);
    close(descriptor);
    free(good);
}

static void test_every_truncation(void **state) {
    (void)state;
    size_t size;
    int descriptor;
    const char *path = in_directory("a.orff");
    unsigned char *good = good_file(path, &size, &descriptor);
    for (size_t left = size; left-- > 0;) {
        assert_int_equal(ftruncate(descriptor, (off_t)left), 0);
        assert_refused(path, "cut", left);
        if (left == size - 1) assert_says("the file is cut short: 67 bytes of tensors, 68 expected");
    }
    spill(path, good, size);
    for (size_t more = 1; more <= 70; more++) {
        put(descriptor, "", 1, size + more - 1);
        assert_refused(path, "lengthened", more);
    }
    close(descriptor);
    free(good);
}

/* Runs of bytes replaced, moved and swapped: what a file system or a careless editor may do. */
static void test_random_edits(void **state) {
    (void)state;
    size_t size;
    int descriptor;
    const orffi_rng rng = {.seed = 7, .stream = 1};
    const char *path = in_directory("a.orff");
    unsigned char *good = good_file(path, &size, &descriptor), *bad = malloc(size);
    for (uint64_t trial = 0; trial < 4000; trial++) {
        const size_t at = (size_t)orffi_rng_below(rng, trial, 0, size);
        const size_t from = (size_t)orffi_rng_below(rng, trial, 1, size);
        size_t count = 1 + (size_t)orffi_rng_below(rng, trial, 2, trial % 3 ? 8 : 200);
        if (count > size - at) count = size - at;
        if (count > size - from) count = size - from;
        memcpy(bad, good, size);
        for (size_t i = 0; trial % 2 && i < count; i++)
            bad[at + i] = (unsigned char)orffi_rng_bits(rng, trial, 3 + (uint32_t)i);
        if (trial % 2 == 0) memmove(bad + at, bad + from, count);
        if (!memcmp(bad, good, size)) continue;
        put(descriptor, bad, size, 0);
        assert_refused(path, "edit", (size_t)trial);
    }
    close(descriptor);
    free(good);
    free(bad);
}

static void test_header_lengths(void **state) {
    (void)state;
    size_t size;
    int descriptor;
    const char *path = in_directory("a.orff");
    unsigned char *good = good_file(path, &size, &descriptor), length[8];
    uint64_t right = 0;
    for (int i = 7; i >= 0; i--) right = right << 8 | good[i];
    const uint64_t large[] = {
        UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - 8, INT64_MAX, (uint64_t)1 << 63, (64 << 20) + 1, 64 << 20,
        UINT32_MAX, size - 8,       size - 7,       size};
    for (size_t i = 0; i < size + sizeof large / sizeof *large; i++) {
        const uint64_t wrong = i < size ? i : large[i - size];
        if (wrong == right) continue;
        for (int k = 0; k < 8; k++) length[k] = (unsigned char)(wrong >> 8 * k & 0xff);
        put(descriptor, length, 8, 0);
        assert_refused(path, "header length", i);
    }
    close(descriptor);
    free(good);
}

/* ---- headers made by hand, with a right checksum: everything but the layout is good */

static void write_by_hand(const char *path, const char *after_checksum, size_t bytes, size_t tensor_bytes) {
    static unsigned char file[1 << 20];
    const size_t prefix = strlen(ORFFI_ARCHIVE_PREFIX), text = prefix + 8 + bytes;
    const size_t head = (8 + text + 63) / 64 * 64;
    assert_true(head + tensor_bytes <= sizeof file);
    memset(file, ' ', head);
    memset(file + head, 0, tensor_bytes);
    for (int i = 0; i < 8; i++) file[i] = (unsigned char)((head - 8) >> 8 * i & 0xff);
    memcpy(file + 8, ORFFI_ARCHIVE_PREFIX "00000000", prefix + 8);
    memcpy(file + 16 + prefix, after_checksum, bytes);
    char digits[9];
    snprintf(digits, sizeof digits, "%08x", (unsigned)slow_crc(file, head + tensor_bytes));
    memcpy(file + 8 + prefix, digits, 8);
    spill(path, file, head + tensor_bytes);
}

#define META \
    "\",\"format\":\"orff-test\",\"format_version\":\"1\",\"orff_version\":\"0.1.0\",\"json\":\"{}\"}"
#define WITH_VERSION(text) \
    "\",\"format\":\"orff-test\",\"format_version\":" text ",\"orff_version\":\"0.1.0\",\"json\":\"{}\"}}"
#define WITH_JSON(text) \
    "\",\"format\":\"orff-test\",\"format_version\":\"1\",\"orff_version\":\"0.1.0\",\"json\":" text "}}"
#define TENSOR(dtype, shape, offsets) "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"

typedef struct by_hand {
    const char *header;
    size_t tensor_bytes;
    const char *says; /* NULL: good */
} by_hand;

static const by_hand handmade[] = {
    {META "}", 0, NULL},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") "}", 16, NULL},
    {META ",\"b\":" TENSOR("\"F64\"", "[1]", "[16,24]") ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") "}", 24,
     NULL},
    {META ",\"a\":" TENSOR("\"F64\"", "[0]", "[0,0]") ",\"b\":" TENSOR("\"I64\"", "[]", "[0,8]") "}", 8,
     NULL},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") "}", 8, "cut short"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") "}", 24, "only 16 expected"},
    {META "}", 1, "only 0 expected"},
    {META ",\"a\":" TENSOR("\"F65\"", "[2]", "[0,16]") "}", 16, "dtype"},
    {META ",\"a\":" TENSOR("\"f64\"", "[2]", "[0,16]") "}", 16, "dtype"},
    {META ",\"a\":" TENSOR("64", "[2]", "[0,16]") "}", 16, "dtype"},
    {META ",\"a\":" TENSOR("null", "[2]", "[0,16]") "}", 16, "dtype"},
    {META ",\"a\":" TENSOR("\"F64\"", "2", "[0,16]") "}", 16, "shape"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2.0]", "[0,16]") "}", 16, "shape"},
    {META ",\"a\":" TENSOR("\"F64\"", "[-2]", "[0,16]") "}", 16, "shape"},
    {META ",\"a\":" TENSOR("\"F64\"", "[\"2\"]", "[0,16]") "}", 16, "shape"},
    {META ",\"a\":" TENSOR("\"F64\"", "[1,1,1,1,1,1,1,1,2]", "[0,16]") "}", 16, "shape"},
    {META ",\"a\":" TENSOR("\"F64\"", "[3]", "[0,16]") "}", 16, "disagree"},
    {META ",\"a\":" TENSOR("\"F32\"", "[2]", "[0,16]") "}", 16, "disagree"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2305843009213693954]", "[0,16]") "}", 16, "disagree"}, /* 2^61 + 2 */
    {META ",\"a\":" TENSOR("\"F64\"", "[4294967296,4294967296]", "[0,0]") "}", 0, "disagree"},
    {META ",\"a\":" TENSOR("\"F64\"", "[9223372036854775807,9223372036854775807,0]", "[0,0]") "}", 0,
     "disagree"},
    {META ",\"a\":" TENSOR("\"F64\"", "[9223372036854775808]", "[0,16]") "}", 16, "not JSON"},
    {META ",\"a\":" TENSOR("\"F64\"", "[1e400]", "[0,16]") "}", 16, "not JSON"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[16,0]") "}", 16, "data_offsets"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[-16,0]") "}", 16, "data_offsets"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0]") "}", 16, "data_offsets"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16,32]") "}", 16, "data_offsets"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "{\"0\":16}") "}", 16, "data_offsets"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[8,24]") "}", 24, "does not begin"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") ",\"b\":" TENSOR("\"F64\"", "[2]", "[0,16]") "}", 16,
     "does not begin"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") ",\"b\":" TENSOR("\"F64\"", "[2]", "[8,24]") "}", 24,
     "does not begin"},
    {META ",\"a\":" TENSOR("\"F64\"", "[1]", "[0,8]") ",\"b\":" TENSOR("\"F64\"", "[1]", "[16,24]") "}", 24,
     "does not begin"},
    {META ",\"a\":" TENSOR("\"F64\"", "[1]", "[9223372036854775800,9223372036854775807]") "}", 8, "disagree"},
    {META ",\"a\":" TENSOR("\"F32\"", "[1]", "[0,4]") ",\"b\":" TENSOR("\"F64\"", "[1]", "[4,12]") "}", 12,
     "not aligned"},
    {META ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") ",\"a\":" TENSOR("\"F64\"", "[2]", "[0,16]") "}", 16,
     "not JSON"},
    {META ",\"a\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16],\"more\":1}}", 16, "exactly"},
    {META ",\"a\":{\"dtype\":\"F64\",\"shape\":[2]}}", 16, "exactly"},
    {META ",\"a\":{\"dtype\":\"F64\",\"shape\":[2],\"offsets\":[0,16]}}", 16, "data_offsets"},
    {META ",\"a\":7}", 0, "exactly"},
    {META ",\"a\":[]}", 0, "exactly"},
    {META ",\"__metadata__\":{}}", 0, "not JSON"},
    {META "}}", 0, "not JSON"},
    {META "}[]", 0, "not JSON"},
    {META, 0, "not JSON"},
    {"\"}}", 0, "format"},
    {"\"}", 0, "not JSON"},
    {"", 0, "not JSON"},
    {"\",\"format\":7}}", 0, "not a string"},
    {"\",\"format\":\"orff-test\",\"other\":[]}}", 0, "not a string"},
    {"\",\"format\":\"orff-test\\u0000\"}}", 0, "not JSON"},
    {"\",\"format\":\"\xff\xfe\"}}", 0, "not JSON"},
    {WITH_VERSION("\"\""), 0, "version"},
    {WITH_VERSION("\"0\""), 0, "version"},
    {WITH_VERSION("\"-1\""), 0, "version"},
    {WITH_VERSION("\"01\""), 0, "version"},
    {WITH_VERSION("\"1.0\""), 0, "version"},
    {WITH_VERSION("\"99999999999999999999\""), 0, "version"},
    {WITH_VERSION("\"999999999\""), 0, "upgrade"},
    {WITH_VERSION("1"), 0, "not a string"},
    {"\",\"format\":\"orff-test\",\"format_version\":\"1\",\"json\":\"{}\"}}", 0, "version"},
    {"\",\"format\":\"orff-test\",\"format_version\":\"1\",\"orff_version\":\"0.1.0\"}}", 0, "no \"json\""},
    {WITH_JSON("\"\""), 0, "document is not JSON"},
    {WITH_JSON("\"[]\""), 0, "document is not an object"},
    {WITH_JSON("\"{\\\"a\\\":1,\\\"a\\\":2}\""), 0, "document is not JSON"},
    {WITH_JSON("\"{\\\"a\\\":1e999}\""), 0, "document is not JSON"},
    {WITH_JSON("\"{} x\""), 0, "document is not JSON"},
};

static void test_handmade_headers(void **state) {
    (void)state;
    const char *path = in_directory("a.orff");
    for (size_t i = 0; i < sizeof handmade / sizeof *handmade; i++) {
        const by_hand *h = &handmade[i];
        orffi_archive *archive = NULL;
        support_case("%s", h->header);
        write_by_hand(path, h->header, strlen(h->header), h->tensor_bytes);
        assert_status(orffi_archive_open(&archive, path, "orff-test", 1, 1),
                      h->says ? ORFF_ERROR_FORMAT : ORFF_OK);
        if (h->says) assert_says(h->says);
        orffi_archive_close(archive);
    }
    support_case(NULL);
}

/* Nesting deep enough to exhaust a stack, an embedded zero, and a name of a megabyte. */
static void test_extreme_headers(void **state) {
    (void)state;
    enum { LONG = 900000 };
    const char *path = in_directory("a.orff");
    char *text = malloc(LONG + 1);
    memset(text, '[', LONG);
    memcpy(text, META ",\"a\":", strlen(META ",\"a\":"));
    write_by_hand(path, text, LONG, 0);
    assert_refused(path, "nesting", LONG);
    memset(text, 'n', LONG);
    memcpy(text, META ",\"", strlen(META ",\""));
    memcpy(text + LONG - 4, "\":7}", 4);
    write_by_hand(path, text, LONG, 0);
    assert_refused(path, "long name", LONG);
    memcpy(text, META ", }", strlen(META ", }"));
    text[strlen(META) + 1] = '\0';
    write_by_hand(path, text, strlen(META) + 3, 0);
    assert_refused(path, "zero byte", 0);
    free(text);
}

static void test_other_files(void **state) {
    (void)state;
    const char *path = in_directory("a.orff");
    orffi_archive *archive = NULL;
    assert_status(orffi_archive_open(&archive, path, "orff-test", 1, 1), ORFF_ERROR_IO);
    assert_says("No such file");
    assert_status(orffi_archive_open(&archive, directory, "orff-test", 1, 1), ORFF_ERROR_IO);
    assert_says("not a regular file");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_status(orffi_archive_open(&archive, path, "orff-test", 1, 1), ORFF_ERROR_IO);
    unlink(path);
    const char other[] = "x,y\n1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n15,16\n";
    spill(path, other, sizeof other);
    assert_status(orffi_archive_open(&archive, path, "orff-test", 1, 1), ORFF_ERROR_FORMAT);
    assert_says("is not an orff file");
    spill(path, "", 0);
    assert_status(orffi_archive_open(&archive, path, "orff-test", 1, 1), ORFF_ERROR_FORMAT);
}

static void test_without_mapping(void **state) {
    (void)state;
    write_small(in_directory("a.orff"), 1);
    plan.at = STEP_MAP;
    plan.error = ENODEV;
    assert_small(in_directory("a.orff"), 1);
    assert_int_equal(calls, 1);
}

/* ---- writes that fail */

/* Over an old file of version 1, a write of version 2 fails; the old one is intact and alone. */
static void assert_write_fails(const char *says) {
    orffi_archive_writer *writer = small_writer(2);
    assert_status(orffi_archive_write(writer, in_directory("a.orff"), NULL), ORFF_ERROR_IO);
    memset(&plan, 0, sizeof plan);
    assert_says("a.orff");
    assert_says(says);
    assert_int_equal(count_files(false), 1);
    assert_small(in_directory("a.orff"), 1);
    orffi_archive_writer_free(writer);
}

static void test_failing_calls(void **state) {
    (void)state;
    write_small(in_directory("a.orff"), 1);
    for (int after = 0; after < 4; after++) {
        calls = 0;
        plan.at = STEP_WRITE;
        plan.after = after;
        plan.error = ENOSPC;
        assert_write_fails(strerror(ENOSPC));
    }
    const step steps[] = {STEP_SYNC, STEP_RENAME};
    for (size_t i = 0; i < 2; i++) {
        calls = 0;
        plan.at = steps[i];
        plan.after = 0;
        plan.error = EIO;
        assert_write_fails(strerror(EIO));
    }
}

/* The directory cannot be synced: the new file is there, whole, and nothing is lost. */
static void test_directory_sync(void **state) {
    (void)state;
    orffi_archive_writer *writer = small_writer(2);
    plan.at = STEP_SYNC;
    plan.after = 1;
    plan.error = EINVAL;
    assert_ok(orffi_archive_write(writer, in_directory("a.orff"), NULL));
    calls = 0;
    plan.error = EIO;
    assert_ok(orffi_archive_write(writer, in_directory("a.orff"), NULL));
    assert_int_equal(calls, 2);
    assert_int_equal(count_files(false), 1);
    assert_small(in_directory("a.orff"), 2);
    orffi_archive_writer_free(writer);
}

static void test_short_writes(void **state) {
    (void)state;
    plan.at_most = 7;
    plan.interrupted = true;
    write_small(in_directory("a.orff"), 3);
    assert_small(in_directory("a.orff"), 3);
}

static void test_missing_directory(void **state) {
    (void)state;
    orffi_archive_writer *writer = small_writer(1);
    assert_status(orffi_archive_write(writer, in_directory("no/a.orff"), NULL), ORFF_ERROR_IO);
    assert_says("no/a.orff: cannot be written: No such file");
    assert_status(orffi_archive_write(writer, "", NULL), ORFF_ERROR_INVALID_ARGUMENT);
    assert_status(orffi_archive_write(writer, directory, NULL), ORFF_ERROR_IO);
    assert_says("not a regular file");
    assert_status(orffi_archive_write(writer, "/dev/null", NULL), ORFF_ERROR_IO);
    assert_int_equal(count_files(false), 0);
    orffi_archive_writer_free(writer);
}

static void test_no_permission(void **state) {
    (void)state;
    if (geteuid() == 0) skip();
    write_small(in_directory("a.orff"), 1);
    assert_int_equal(chmod(directory, 0500), 0);
    assert_write_fails(strerror(EACCES));
}

/* The system refuses to let a file grow: what a full disk looks like. */
static void test_file_size_limit(void **state) {
    (void)state;
    struct rlimit old, small;
    write_small(in_directory("a.orff"), 1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    orffi_archive_writer *writer = small_writer(2);
    const orff_status status = orffi_archive_write(writer, in_directory("a.orff"), NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, ORFF_ERROR_IO);
    assert_says(strerror(EFBIG));
    assert_int_equal(count_files(false), 1);
    assert_small(in_directory("a.orff"), 1);
    orffi_archive_writer_free(writer);
}

static void test_link_is_followed(void **state) {
    (void)state;
    char link_path[512];
    struct stat status;
    snprintf(link_path, sizeof link_path, "%s", in_directory("link.orff"));
    write_small(in_directory("a.orff"), 1);
    assert_int_equal(symlink("a.orff", link_path), 0);
    write_small(link_path, 2);
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_small(in_directory("a.orff"), 2);
}

/* ---- writes that die */

/* A child writes version 2 and is killed; the file is whole, and which of the two is returned. */
static int version_after_kill(void) {
    orffi_archive *archive = NULL;
    orffi_archive_writer *writer = small_writer(2);
    int ended;
    const pid_t child = fork();
    if (child == 0) {
        calls = 0;
        orffi_archive_write(writer, in_directory("a.orff"), NULL);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    orffi_archive_writer_free(writer);
    assert_ok(orffi_archive_open(&archive, in_directory("a.orff"), "orff-test", 1, 2));
    const int version = orffi_archive_version(archive);
    orffi_archive_close(archive);
    assert_small(in_directory("a.orff"), version);
    return version;
}

static void test_killed_at_each_step(void **state) {
    (void)state;
    const struct {
        step at;
        int after, version;
    } deaths[] = {
        {STEP_WRITE, 0, 1},  {STEP_WRITE, 1, 1}, {STEP_WRITE, 3, 1}, {STEP_SYNC, 0, 1},
        {STEP_RENAME, 0, 1}, {STEP_SYNC, 1, 2}, /* the directory's: the new file has its name */
    };
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        write_small(in_directory("a.orff"), 1);
        plan.at = deaths[i].at;
        plan.after = deaths[i].after;
        plan.error = 0;
        const int version = version_after_kill();
        memset(&plan, 0, sizeof plan);
        assert_int_equal(version, deaths[i].version);
    }
}

/* Killed from outside at any time while it writes without end. */
static void test_killed_at_any_time(void **state) {
    (void)state;
    for (int trial = 0; trial < 10; trial++) {
        write_small(in_directory("a.orff"), 1);
        plan.at_most = 16;
        orffi_archive_writer *writer = small_writer(2);
        const pid_t child = fork();
        if (child == 0)
            for (;;) orffi_archive_write(writer, in_directory("a.orff"), NULL);
        assert_true(child > 0);
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * trial + 500000L}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        memset(&plan, 0, sizeof plan);
        orffi_archive_writer_free(writer);
        orffi_archive *archive = NULL;
        assert_ok(orffi_archive_open(&archive, in_directory("a.orff"), "orff-test", 1, 2));
        orffi_archive_close(archive);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_crc),
        TEST(test_round_trip),
        TEST(test_same_bytes_each_time),
        TEST(test_empty_archive),
        TEST(test_layout),
        TEST(test_refused_arguments),
        TEST(test_many_tensors),
        TEST(test_getters_refuse),
        TEST(test_finite),
        TEST(test_format_and_version),
        TEST(test_every_bit_flip),
        TEST(test_every_truncation),
        TEST(test_random_edits),
        TEST(test_header_lengths),
        TEST(test_handmade_headers),
        TEST(test_extreme_headers),
        TEST(test_other_files),
        TEST(test_without_mapping),
        TEST(test_failing_calls),
        TEST(test_directory_sync),
        TEST(test_short_writes),
        TEST(test_missing_directory),
        TEST(test_no_permission),
        TEST(test_file_size_limit),
        TEST(test_link_is_followed),
        TEST(test_killed_at_each_step),
        TEST(test_killed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
