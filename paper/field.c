/* The paper's 2-D scalar field of five Gaussians, its gradient and the gradient turned by 90 degrees. */
#include <math.h>

#include "paper.h"

double paper_five_gaussians(double width, const double x[2], double gradient[2], double rotated[2]) {
    static const double centres[5][3] = {{0, 0, 1}, {0, 1, 1}, {0, -1, 1}, {-1, 0, -1}, {1, 0, -1}};
    double u = 0.0;
    gradient[0] = gradient[1] = 0.0;
    for (int k = 0; k < 5; k++) {
        const double dx = x[0] - centres[k][0], dy = x[1] - centres[k][1],
                     bump = centres[k][2] * exp(-(dx * dx + dy * dy) / (2.0 * width * width));
        u += bump;
        gradient[0] -= bump * dx / (width * width);
        gradient[1] -= bump * dy / (width * width);
    }
    rotated[0] = -gradient[1];
    rotated[1] = gradient[0];
    return u;
}
