/* Online calibration: a sigmoid of the margin, fitted by Newton steps as the model learns. */
#include "calibration/online_calibration.h"

#include <math.h>

#define MEMORY 4096.0        /* examples that count, at most; at first half of those so far */
#define RIDGE 1.0            /* on the second derivatives */
#define LARGEST_STEP 1.0     /* in the log odds of the example at hand */
#define LARGEST_MARGIN 1e100 /* beyond it squares would leave the range of numbers */
#define LARGEST_Z 1e6
#define LARGEST 1e9 /* of a and b */

static double within(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

/* The margin in units of the root mean square. */
static double scaled(const sl_online_calibration *c, double margin) {
    return sl_online_calibration_ready(c) ? within(margin * sqrt(c->n / c->squares), LARGEST_Z) : 0;
}

double sl_online_calibration_log_odds(const sl_online_calibration *c, double margin) {
    return c->a * scaled(c, margin) + c->b;
}

bool sl_online_calibration_ready(const sl_online_calibration *c) {
    return c->squares > 0 && isfinite(c->n / c->squares);
}

/* The Newton step for the gradient g (z, 1), no longer than is safe where the curve is not the parabola it passes for.
 */
static void step(sl_online_calibration *c, double g, double z) {
    double p = c->haa + RIDGE, q = c->hbb + RIDGE, determinant = p * q - c->hab * c->hab;
    double size = g / determinant, da = size * (q * z - c->hab), db = size * (p - c->hab * z);
    double moved = fabs(da * z + db), shorten = moved > LARGEST_STEP ? LARGEST_STEP / moved : 1;
    double a = c->a - shorten * da, b = c->b - shorten * db;
    if (!(determinant > 0 && moved >= 0 && a <= LARGEST && fabs(b) <= LARGEST)) return;
    c->a = a > 0 ? a : 0;
    c->b = b;
}

void sl_online_calibration_learn(sl_online_calibration *c, double margin, double y, double h) {
    if (!(fabs(margin) <= LARGEST_MARGIN)) return;
    c->count++;
    double memory = 10 + c->count / 2, keep = 1 - 1 / (memory < MEMORY ? memory : MEMORY);
    c->n = keep * c->n + h;
    c->squares = keep * c->squares + h * margin * margin;
    double z = scaled(c, margin), p = 1 / (1 + exp(-(c->a * z + c->b))), w = h * p * (1 - p);
    c->haa = keep * c->haa + w * z * z;
    c->hab = keep * c->hab + w * z;
    c->hbb = keep * c->hbb + w;
    step(c, h * (p - (y > 0)), z);
}

bool sl_online_calibration_possible(const sl_online_calibration *c) {
    const double numbers[] = {c->count, c->n, c->squares, c->a, c->haa, c->hbb, fabs(c->b), fabs(c->hab)};
    for (int i = 0; i < SL_ONLINE_CALIBRATION_NUMBERS; i++)
        if (!(numbers[i] >= 0 && numbers[i] <= 1e300)) return false;
    return c->a <= LARGEST && fabs(c->b) <= LARGEST;
}
