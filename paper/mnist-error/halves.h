/* Ridge on the first n images; their two halves are the folds by which lambda is chosen (halves.c). */
#ifndef MNIST_ERROR_HALVES_H
#define MNIST_ERROR_HALVES_H

#include "paper.h"

/* Of few coefficients the moments of both halves serve every lambda; of many, as of the exact kernel, the Gram matrix. */
typedef struct mnist_halves {
    const paper_mnist *mnist;
    size_t n;
    orff_features *features; /* NULL: the exact kernel */
    double *S[2], *R[2];     /* moments of the halves, 2D x 2D and 2D x 9; NULL: a Gram matrix */
    float *phi;              /* n x 2D; NULL: moments, or the exact kernel */
    double *gram;            /* n x n */
} mnist_halves;

/* D frequencies, or the exact kernel where D = 0. */
mnist_halves mnist_halves_create(const paper_mnist *mnist, size_t n, size_t D, uint64_t seed);
void mnist_halves_free(mnist_halves *h);

/* Mean of squared errors of the codes, each half predicted from the other. */
double mnist_halves_validate(const mnist_halves *h, double lambda);

/* Learned from both halves: percent of test images in a wrong class. The last call: it uses up what the others need. */
double mnist_halves_test(mnist_halves *h, double lambda);

#endif
