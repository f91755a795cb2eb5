/* forge FILE OUT notes TEXT            the notes of a model or of moments
 * forge FILE OUT member NAME JSON      a member of the document's "model" or "moments"
 * forge FILE OUT number TENSOR I VALUE one number of a tensor; I may be "all"
 *
 * Changes a file and seals it again, for the tests of the program. */
#include "forged.h"

static int usage(void) {
    fputs("usage: forge FILE OUT notes TEXT | member NAME JSON | number TENSOR I|all VALUE\n", stderr);
    return 2;
}

static void set_numbers(const forged *file, const char *name, const char *which, double value) {
    size_t begin;
    const size_t count = forged_numbers(file, name, &begin);
    if (!count) abort();
    for (size_t i = 0; i < count; i++)
        if (!strcmp(which, "all") || strtoul(which, NULL, 10) == i) forged_set_number(file, name, i, value);
}

static bool change(const forged *file, int count, char **words) {
    if (count == 2 && !strcmp(words[0], "notes"))
        return !json_object_set_new(forged_about(file), "notes", json_string(words[1]));
    if (count == 3 && !strcmp(words[0], "member"))
        return !json_object_set_new(forged_about(file), words[1],
                                    json_loads(words[2], JSON_DECODE_ANY, NULL));
    if (count != 4 || strcmp(words[0], "number") != 0) return false;
    set_numbers(file, words[1], words[2], strtod(words[3], NULL));
    return true;
}

int main(int count, char **words) {
    forged file = {0};
    size_t size;
    if (count < 5) return usage();
    unsigned char *bytes = forged_read(words[1], &size);
    const bool good = forged_take_apart(bytes, size, &file) && change(&file, count - 3, words + 3);
    free(bytes);
    if (!good) {
        forged_clear(&file);
        return usage();
    }
    bytes = forged_put_together(&file, &size);
    FILE *out = fopen(words[2], "wb");
    const bool written = out && fwrite(bytes, 1, size, out) == size;
    if (out && fclose(out)) return 1;
    free(bytes);
    forged_clear(&file);
    return written ? 0 : 1;
}
