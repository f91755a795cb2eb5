/* Figure: the synthetic 2-D data, the gradient of five Gaussians (curl-free) and its rotation (divergence-free).
 *
 * The paper gives the centres and signs; not the width (here 0.5), nor the box (here [-1,1]^2). */
#include <math.h>
#include <stdlib.h>

#include "paper.h"

#define WIDTH  0.5
#define CELLS  61 /* of colour, along a side */
#define ARROWS 15 /* along a side */
#define STEP   1e-4

static double place(int i, int count) {
    return -1.0 + 2.0 * i / (count - 1);
}

/* The scalar field, for the colours. */
static void fill_cells(paper_table *table) {
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            const double x[2] = {place(i, CELLS), place(j, CELLS)};
            double g[2], r[2];
            paper_row(table, "%.4f,%.4f,%.4g", x[0], x[1], paper_five_gaussians(WIDTH, x, g, r));
        }
}

static void fill_arrows(paper_table *table) {
    for (int i = 0; i < ARROWS; i++)
        for (int j = 0; j < ARROWS; j++) {
            const double x[2] = {place(i, ARROWS), place(j, ARROWS)};
            double g[2], r[2];
            paper_five_gaussians(WIDTH, x, g, r);
            paper_row(table, "%.4f,%.4f,%.6g,%.6g,%.6g,%.6g", x[0], x[1], g[0], g[1], r[0], r[1]);
        }
}

/* Derivative of component c of the gradient (or its rotation) along axis a, by central differences. */
static double slope(const double x[2], int turned, int c, int a) {
    double high[2][2], low[2][2], up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]};
    up[a] += STEP;
    down[a] -= STEP;
    paper_five_gaussians(WIDTH, up, high[0], high[1]);
    paper_five_gaussians(WIDTH, down, low[0], low[1]);
    return (high[turned][c] - low[turned][c]) / (2.0 * STEP);
}

/* Over the grid: root mean square of the field, largest |curl| and |divergence|. */
static void summarise(paper_table *table, const char *name, int turned) {
    double square = 0.0, curl = 0.0, divergence = 0.0;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            const double x[2] = {place(i, CELLS), place(j, CELLS)};
            double g[2], r[2];
            paper_five_gaussians(WIDTH, x, g, r);
            square += (g[0] * g[0] + g[1] * g[1]) / (CELLS * CELLS);
            curl = fmax(curl, fabs(slope(x, turned, 1, 0) - slope(x, turned, 0, 1)));
            divergence = fmax(divergence, fabs(slope(x, turned, 0, 0) + slope(x, turned, 1, 1)));
        }
    /* Per component, as the noise of vector-field is. */
    paper_row(table, "%s,%.6g,%.3g,%.3g", name, sqrt(square / 2.0), curl, divergence);
}

int paper_fields(paper_run *run) {
    paper_setting(run, "width of the Gaussians", "%g", WIDTH);
    paper_setting(run, "box", "[-1,1]^2");
    paper_table *cells = paper_table_open(run, "cells.csv", 2, "x,y,u");
    paper_table *arrows = paper_table_open(run, "arrows.csv", 2, "x,y,curl_x,curl_y,div_x,div_y");
    paper_table *summary =
        paper_table_open(run, "summary.csv", 1, "field,rms,largest_curl,largest_divergence");
    if (!paper_has(summary, "divergence-free")) {
        fill_cells(cells);
        fill_arrows(arrows);
        summarise(summary, "curl-free", 0);
        summarise(summary, "divergence-free", 1);
    }
    paper_plot(run, "fields", PAPER_WIDE, 88);
    paper_agreement(
        run,
        "The paper draws two fields made of five Gaussians, positive at (0,0), (0,1), (0,-1), negative at "
        "(-1,0), (1,0); it does not print their width. With width %g on [-1,1]^2 the components have a "
        "root mean square of %.3f. The gradient has no curl (largest, by finite differences: %.1e) and "
        "its rotation by 90 degrees no divergence (%.1e), as the paper says.\n",
        WIDTH, paper_value(summary, "rms", "curl-free"), paper_value(summary, "largest_curl", "curl-free"),
        paper_value(summary, "largest_divergence", "divergence-free"));
    return PAPER_DONE;
}
