/* Two claims about the paper's choices for MNIST, as numbers (checks.c). */
#ifndef MNIST_ERROR_CHECKS_H
#define MNIST_ERROR_CHECKS_H

#include "paper.h"

/* Fills checks.csv from the first n training images. */
paper_table *mnist_error_check(paper_run *run, const paper_mnist *mnist, size_t n);
void mnist_error_agree(paper_run *run, const paper_table *checks);

#endif
