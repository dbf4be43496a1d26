/* Probabilities of several classes: the scale of their softmax, fitted by Newton steps as the model learns. */
#include "calibration/softmax_scale.h"

#include <math.h>

#define MEMORY 4096.0 /* examples that count, at most; at first half of those so far */
#define RIDGE 1.0     /* on the second derivative */
#define LARGEST_STEP 1.0
#define LARGEST_MARGIN 1e100 /* beyond it squares would leave the range of numbers */
#define LARGEST 1e9          /* of a */

double sl_softmax_scale(const sl_online_calibration *c) {
    return sl_online_calibration_ready(c) ? c->a * sqrt(c->n / c->squares) : 0;
}

void sl_softmax_scale_learn(sl_online_calibration *c, const double *margin, const uint32_t *list, size_t n,
                            size_t zeros, double truth, double h) {
    double largest = zeros ? 0 : -INFINITY, size = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, margin[list[i]]);
        size = fmax(size, fabs(margin[list[i]]));
    }
    if (!(size <= LARGEST_MARGIN)) return;
    c->count++;
    const double memory = 10 + c->count / 2, keep = 1 - 1 / (memory < MEMORY ? memory : MEMORY);
    c->n = keep * c->n + h;
    c->squares = keep * c->squares + h * size * size;
    if (!sl_online_calibration_ready(c)) return;
    /* mean and variance of z over the classes, by their probabilities */
    const double unit = sqrt(c->n / c->squares);
    double sum = (double)zeros * exp(-c->a * unit * largest), mean = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        const double z = unit * margin[list[i]], e = exp(c->a * (z - unit * largest));
        sum += e;
        mean += e * z;
        square += e * z * z;
    }
    mean /= sum;
    square /= sum;
    c->haa = keep * c->haa + h * fmax(0, square - mean * mean);
    double step = h * (mean - unit * truth) / (c->haa + RIDGE);
    step = fmax(-LARGEST_STEP, fmin(LARGEST_STEP, step));
    if (!(fabs(c->a - step) <= LARGEST)) return;
    c->a = fmax(0, c->a - step);
}

void sl_softmax(double *values, size_t n, double scale) {
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, values[i]);
    for (size_t i = 0; i < n; i++) sum += values[i] = exp(scale * (values[i] - largest));
    for (size_t i = 0; i < n; i++) values[i] /= sum;
}
