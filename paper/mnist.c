/* MNIST: images from IDX files, labels to simplex codes and back. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/table.h"
#include "paper.h"

#define CLASSES 10

/* ---- files */

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* Where the files of a set are; false: nowhere. */
static bool find(const paper_run *run, const char *set, char images[4096], char labels[4096]) {
    const char *const folders[] = {paper_data(run), getenv("ORFF_DATA"),
                                   PAPER_SOURCE_DIR "/../../shared/data"};
    const char *const endings[] = {".gz", ""};
    for (size_t f = 0; f < 3; f++)
        for (size_t e = 0; folders[f] && e < 2; e++) {
            snprintf(images, 4096, "%s/mnist/%s-images-idx3-ubyte%s", folders[f], set, endings[e]);
            snprintf(labels, 4096, "%s/mnist/%s-labels-idx1-ubyte%s", folders[f], set, endings[e]);
            if (exists(images) && exists(labels)) return true;
        }
    return false;
}

/* The first n rows of a file, `columns` numbers each. */
static double *read_rows(const char *path, size_t n, size_t columns) {
    const fmt_table_options options = fmt_table_options_default();
    const fmt_table_selection all = {0};
    fmt_table *table;
    if (fmt_table_open(&table, path, &options) || fmt_table_select(table, &all))
        paper_fatal("%s", fmt_table_error(table));
    if (fmt_table_inputs(table) != columns)
        paper_fatal("%s: has %zu numbers a row, expected %zu", path, fmt_table_inputs(table), columns);
    double *rows = paper_alloc(n * columns, sizeof *rows);
    for (size_t done = 0, got; done < n; done += got) {
        if (fmt_table_read(table, n - done, rows + done * columns, NULL, NULL, &got))
            paper_fatal("%s", fmt_table_error(table));
        if (!got) paper_fatal("%s: has %zu rows, expected %zu", path, done, n);
    }
    fmt_table_close(table);
    return rows;
}

static bool load_set(const paper_run *run, const char *set, size_t n, paper_images *images) {
    char pixels[4096], labels[4096];
    if (!find(run, set, pixels, labels)) return false;
    images->n = n;
    images->X = read_rows(pixels, n, PAPER_PIXELS);
    images->labels = read_rows(labels, n, 1);
    for (size_t i = 0; i < n * PAPER_PIXELS; i++) images->X[i] = images->X[i] / 127.5 - 1.0;
    return true;
}

bool paper_mnist_load(const paper_run *run, size_t train, size_t test, paper_mnist *mnist) {
    *mnist = (paper_mnist){0};
    if (!load_set(run, "train", train, &mnist->train) || !load_set(run, "t10k", test, &mnist->test)) {
        paper_mnist_free(mnist);
        return false;
    }
    mnist->Y = paper_alloc(train * PAPER_CODES, sizeof *mnist->Y);
    paper_mnist_codes(&mnist->train, mnist->Y);
    orff_part part = orff_part_default();
    part.sigma = PAPER_MNIST_SIGMA;
    paper_must(orff_kernel_create(&mnist->kernel, PAPER_PIXELS, PAPER_CODES, 1, &part), "kernel");
    return true;
}

static void images_free(paper_images *images) {
    free(images->X);
    free(images->labels);
}

void paper_mnist_free(paper_mnist *mnist) {
    images_free(&mnist->train);
    images_free(&mnist->test);
    free(mnist->Y);
    orff_kernel_free(mnist->kernel);
}

/* ---- codes */

void paper_mnist_codes(const paper_images *images, double *Y) {
    double codes[CLASSES * PAPER_CODES];
    paper_must(orff_simplex_codes(CLASSES, codes), "codes");
    for (size_t i = 0; i < images->n; i++)
        for (size_t c = 0; c < PAPER_CODES; c++)
            Y[i * PAPER_CODES + c] = codes[(size_t)images->labels[i] * PAPER_CODES + c];
}

/* Codes have one length, so the nearest is the one of the largest inner product. */
static size_t classify(const double *codes, const double *f) {
    size_t best = 0;
    double highest = 0.0;
    for (size_t k = 0; k < CLASSES; k++) {
        double product = 0.0;
        for (size_t c = 0; c < PAPER_CODES; c++) product += codes[k * PAPER_CODES + c] * f[c];
        if (k == 0 || product > highest) {
            highest = product;
            best = k;
        }
    }
    return best;
}

double paper_mnist_wrong(const paper_images *images, const double *F) {
    double codes[CLASSES * PAPER_CODES];
    size_t wrong = 0;
    paper_must(orff_simplex_codes(CLASSES, codes), "codes");
    for (size_t i = 0; i < images->n; i++)
        wrong += classify(codes, F + i * PAPER_CODES) != (size_t)images->labels[i];
    return 100.0 * (double)wrong / (double)images->n;
}
