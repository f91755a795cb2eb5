/* The items, in the order in which `all` runs them, those that take long last: name, function paper_..., title. */
#include "paper.h"

#define ITEMS(X)                                                                                             \
    X("approximation-error", approximation_error, "Error of K~ against D for three kernels, four samplings") \
    X("variance-bound", variance_bound, "Variance of K~ and the bounds of it, against D and the distance")   \
    X("fields", fields, "The two synthetic 2-D fields: five Gaussians, their gradient and its rotation")     \
    X("operators", operators, "The two tables of fast operators: costs and formulas")                        \
    X("bounds", bounds, "The theorem: probability against D, frequencies needed, and what is measured")      \
    X("vector-field", vector_field, "Test error on the 2-D fields against D and the number of parameters")   \
    X("mnist-time", mnist_time, "Time of a fit to MNIST against N, features and exact")                      \
    X("low-rank-table", low_rank_table, "The table of root mean square errors on data of rank one")          \
    X("mnist-error", mnist_error, "Test error on MNIST against D, at N = 1000 and 12000")                    \
    X("curl-time", curl_time, "Time of curl-free ridge against N, features and exact")

#define DECLARE(name, function, title) int paper_##function(paper_run *run);
ITEMS(DECLARE)

#define LINE(name, function, title) {name, paper_##function, title},
const paper_item paper_items[] = {ITEMS(LINE){NULL, NULL, NULL}};
