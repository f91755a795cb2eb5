/* Gives a fuzz target the files of the directories named: inputs that once reached something new or broke something. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of libFuzzer, for mutators that some targets have; here nothing is changed. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
    (void)data, (void)most;
    return size;
}

/* One file; a memory block of just its size, so that the sanitizers see a step beyond. */
static void replay(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0;
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    rewind(file);
    data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size) exit(1);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static size_t replay_all(const char *directory) {
    char path[4096];
    size_t count = 0;
    DIR *listing = opendir(directory);
    if (!listing) {
        perror(directory);
        exit(1);
    }
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        replay(path);
        count++;
    }
    closedir(listing);
    return count;
}

int main(int count, char **words) {
    size_t files = 0;
    for (int i = 1; i < count; i++) files += replay_all(words[i]);
    printf("%zu inputs\n", files);
    return files ? 0 : 1;
}
