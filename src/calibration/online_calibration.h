/* Online calibration: from margins to probabilities, learned with the model (docs/probabilities.md).
 *
 * Every example is predicted before it is learned, so its margin and label are an unbiased sample to calibrate with.
 * The log odds are a z + b, where z is the margin over the root mean square of margins: what is small or large then
 * does not depend on their scale. a and b minimise the log loss by Newton's method with forgetting, because early
 * margins are those of a worse model. */
#ifndef SL_ONLINE_CALIBRATION_H
#define SL_ONLINE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

/* All of it is saved. It begins with zeros. */
typedef struct sl_online_calibration {
    double count;         /* examples used */
    double n, squares;    /* sums with forgetting: importance, and importance times the margin's square */
    double a, b;          /* a >= 0: a larger margin never means a smaller probability */
    double haa, hab, hbb; /* second derivatives of the loss */
} sl_online_calibration;

enum { SL_ONLINE_CALIBRATION_NUMBERS = sizeof(sl_online_calibration) / sizeof(double) };

/* Whether round t is used: at first every one, from 4096 on one in 2, then 4, 8 and, from 32768 on, 16; scattered so
 * that a periodic stream does no harm. */
static inline bool sl_online_calibration_due(uint64_t t) {
    if (t < 4096) return true;
    int k = t < 32768 ? 52 - __builtin_clzll(t) : 4;
    return t * 0x9e3779b97f4a7c15u >> (64 - k) == 0;
}
void sl_online_calibration_learn(sl_online_calibration *c, double margin, double y, double h);
/* Whether there was anything to learn from: a margin other than 0. */
bool sl_online_calibration_ready(const sl_online_calibration *c);
double sl_online_calibration_log_odds(const sl_online_calibration *c, double margin);
/* Whether the numbers are valid (used when loading). */
bool sl_online_calibration_possible(const sl_online_calibration *c);

#endif
