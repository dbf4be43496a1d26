/* From margins to probabilities, learned along the way (docs/probabilities.md).
 *
 * Every example is predicted before it is learned, so its margin and label say honestly what such a margin is worth.
 * The log odds are a z + b, where z is the margin over the root mean square of margins: what is small or large then
 * does not depend on their scale. a and b follow the log loss by Newton's method, which forgets: early margins are
 * those of another model. */
#ifndef SL_ONLINE_CALIBRATION_H
#define SL_ONLINE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

/* All of it is saved. Zeros are the beginning. */
typedef struct sl_online_calibration {
    double count;         /* examples looked at */
    double n, squares;    /* sums that forget: importance, and that times the margin's square */
    double a, b;          /* a >= 0: a larger margin never means a smaller probability */
    double haa, hab, hbb; /* second derivatives of the loss */
} sl_online_calibration;

enum { SL_ONLINE_CALIBRATION_NUMBERS = sizeof(sl_online_calibration) / sizeof(double) };

/* Whether round t is looked at: at first every one, from 4096 on one in 2, then 4, 8 and, from 32768 on, 16; scattered
 * so that no period of a stream matters. */
static inline bool sl_online_calibration_due(uint64_t t) {
    if (t < 4096) return true;
    int k = t < 32768 ? 52 - __builtin_clzll(t) : 4;
    return t * 0x9e3779b97f4a7c15u >> (64 - k) == 0;
}
void sl_online_calibration_learn(sl_online_calibration *c, double margin, double y, double h);
/* Whether there was anything to learn from: a margin other than 0. */
bool sl_online_calibration_ready(const sl_online_calibration *c);
double sl_online_calibration_log_odds(const sl_online_calibration *c, double margin);
/* Whether it can be so; for what comes from a file. */
bool sl_online_calibration_possible(const sl_online_calibration *c);

#endif
