#!/usr/bin/env python3
"""Checks the reference by hand-worked rounds and by learners that must agree."""

import unittest
from math import sqrt

import numpy as np

import streams
from learners import LEARNERS, Run
from streams import Stream

# Two rounds for everyone: (1, 2) is +1, then (1, 0) is -1.
TWO = Stream("two", [(1, 1, [1, 2], [1, 2]), (-1, 1, [1], [1])])


def weighted(h):
    """The first row of TWO with importance h."""
    return Stream("weighted", [(1, h, [1, 2], [1, 2])])


class ByHand(unittest.TestCase):
    def expect(self, name, params, weights, mistakes=2, updates=2, stream=TWO):
        run = Run(name, stream, params)
        self.assertEqual((run.mistakes, run.updates), (mistakes, updates))
        got = [run.weights.get(i, 0.0) for i in range(1, len(weights) + 1)]
        np.testing.assert_allclose(got, weights, rtol=1e-12, atol=1e-12)
        # exactly 0, not nearly: that is what makes a model sparse
        self.assertEqual(run.nonzeros, np.count_nonzero(weights))

    def test_perceptron(self):
        # m = 0: a mistake, w = (.5, 1). m = .5: a mistake, w = (0, 1).
        self.expect("perceptron", {"eta": 0.5}, [0, 1])

    def test_perceptron_steps_at_zero_margin_though_right(self):
        self.expect("perceptron", {"eta": 1}, [-3], mistakes=0, updates=1,
                    stream=Stream("negative", [(-1, 1, [1], [3])]))

    def test_pa(self):
        # l = 1, |x|^2 = 5: w = (.2, .4). m = .2, l = 1.2, |x|^2 = 1: w1 = .2 - 1.2.
        self.expect("pa", {}, [-1, 0.4])

    def test_pa1(self):
        # The second step is cut to C.
        self.expect("pa-1", {"C": 0.5}, [-0.3, 0.4])

    def test_pa2(self):
        # 1/(2C) = 1: tau = 1/6, w = (1/6, 1/3); l = 7/6, tau = 7/12.
        self.expect("pa-2", {"C": 0.5}, [1 / 6 - 7 / 12, 1 / 3])

    def test_cpa(self):
        # l = sqrt 4: tau = min(.5, .4), w = (.4, .8). l = 1 + .4: tau = .5.
        self.expect("cpa", {"C": 0.5, "cost_pos": 4, "cost_neg": 1}, [-0.1, 0.8])

    def test_paum(self):
        # w = (1, 2). y m = -1 lies on the margin, which counts.
        self.expect("paum", {"eta": 1, "margin_pos": 3, "margin_neg": -1}, [0, 2])

    def test_bcw(self):
        # One batch: S^-1 = I + XX' = (3, 2; 2, 5), S = (5, -2; -2, 3)/11. First x: S x = (1, 4)/11, v = 9/11,
        # alpha = min(11/9, 1) = 1: mu = (1, 4)/11. Second: mu.x = 1/11, xi = 12/11, S x = (5, -2)/11, v = 5/11,
        # alpha = min(12/5, 1) = 1: mu = (-4, 6)/11. Both were predicted with mu = 0, which is right for the second.
        self.expect("bcw", {"C": 1, "q": 1, "batch": 0}, [-4 / 11, 6 / 11], mistakes=1)
        # q = 2: alpha = 1/(9/11 + .5) = 22/29; then xi = 1 + 2/29, alpha = (31/29)/(5/11 + .5) = 682/609.
        a, b = 22 / 29, (31 / 29) / (5 / 11 + 0.5)
        self.expect("bcw", {"C": 1, "q": 2, "batch": 0}, [(a - 5 * b) / 11, (4 * a + 2 * b) / 11], mistakes=1)

    def test_bcw_keeps_mu_and_covariance_over_batches(self):
        # First batch: S^-1 = (2, 2; 2, 5), S x = (1, 2)/6, v = 5/6: alpha = 1, mu = (1, 2)/6. Second: mu.x = 1/6,
        # xi = 7/6, S as in one batch, v = 5/11, alpha = 1: mu = (1/6 - 5/11, 1/3 + 2/11).
        self.expect("bcw", {"C": 1, "q": 1, "batch": 1}, [1 / 6 - 5 / 11, 1 / 3 + 2 / 11])

    def test_cs_ogd(self):
        # Steps 1 and .25.
        self.expect("cs-ogd", {"eta": 0.5, "cost_pos": 2, "cost_neg": 0.5}, [0.75, 2])

    def test_fsol_constant(self):
        # theta = (.5, 1), w = (0, .5): m = 0 is right, yet l = 1: theta = (0, 1).
        self.expect("fsol", {"eta": 0.5, "lambda": 1, "schedule": "constant"}, [0, 0.5], mistakes=1)

    def test_fsol_inverse(self):
        # Round 2 and the end use .4/2: w = (.3, .8), theta = (0, 1).
        self.expect("fsol", {"eta": 0.5, "lambda": 0.4, "schedule": "inverse"}, [0, 0.8])

    def test_fsol_sqrt(self):
        self.expect("fsol", {"eta": 0.5, "lambda": 0.4, "schedule": "sqrt"}, [0, 1 - 0.4 / sqrt(2)])

    # ssol: a = 1 - (1, 4)/6 = (5/6, 1/3), theta = (1, 2);
    # a1 = 5/6 - (5/6)^2/(1 + 5/6) = 5/11, w1 = 5/11 - .1/2 > 0, theta = (0, 2).
    SSOL = {"eta": 1, "lambda": 0.1, "schedule": "inverse", "r": 1}
    COSTS = {"cost_pos": 2, "cost_neg": 0.5}

    def test_ssol(self):
        self.expect("ssol", self.SSOL, [0, 2 / 3 - 0.05])

    # Forgetting half before the second round: theta = (.5, 1), 1/a - 1 = (.1, 1), a = (10/11, 1/2);
    # then a1 = 10/11 - (10/11)^2/(21/11) = 10/21, theta = (-.5, 1).
    def test_ssol_forgets(self):
        self.expect("ssol", {**self.SSOL, "forget": 0.5}, [-5 / 21 + 0.05, 0.45])

    def test_arow_forgets_precision_alone(self):
        # w = (1/6, 1/3), S = (5/6, 1/3) fades to (10/11, 1/2): v = 10/11, alpha = 7/6/(21/11) = 11/18.
        self.expect("arow", {"r": 1, "a": 1, "forget": 0.5}, [1 / 6 - 5 / 9, 1 / 3])

    def test_ada_rda_forgets(self):
        # u = -(1, 2)/4, G = (1, 4)/4: m > 0 is wrong: u1 = .75, G1 = 1.25.
        self.expect("ada-rda", {"eta": 1, "lambda": 0, "delta": 1, "forget": 0.25}, [-0.75 / (1 + sqrt(1.25)), 0.25])

    def test_ftrl_forgets(self):
        # z = -(1, 2)/4, n = (1, 4)/4, w1 = 1/6; then g1 = 1, sigma = sqrt 1.25 - .5.
        z = -0.25 + 1 - (sqrt(1.25) - 0.5) / 6
        self.expect("ftrl", {"alpha": 1, "beta": 1, "l1": 0, "l2": 0, "loss": "hinge", "forget": 0.25},
                    [-z / (1 + sqrt(1.25)), 0.25])

    def test_invariant_steps_end_where_the_loss_does(self):
        # l = 1, |x|^2 = 5: .2 of the step 1.5. Then m = .2, l = 1.2, |x|^2 = 1: 1.2 of 1.5.
        for name, params in (("fsol", {"schedule": "constant"}), ("cs-ogd", {"cost_pos": 1, "cost_neg": 1}),
                             ("stg", {"k": 1, "theta": 9})):
            given = {"eta": 1.5, "lambda": 0, "invariant": 1, **params}
            if name == "cs-ogd":
                del given["lambda"]
            self.expect(name, given, [-1, 0.4])

    def test_invariant_steps_that_stay_short_are_the_plain_ones(self):
        self.expect("cs-ogd", {"eta": 0.125, "cost_pos": 1, "cost_neg": 1, "invariant": 1}, [0, 0.25])

    def test_invariant_ssol(self):
        # a = (5/6, 1/3): slope 5/6 + 4/3 = 13/6, theta = 6/13 (1, 2), m = 1; then a1 = 5/11, m = 30/143.
        tau = (1 + 30 / 143) / (5 / 11)
        self.expect("ssol", {"eta": 9, "lambda": 0, "schedule": "inverse", "r": 1, "invariant": 1},
                    [(6 / 13 - tau) * 5 / 11, 4 / 13])

    def test_invariant_rda(self):
        # rate 2: slope 10, u = -.1 (1, 2), w = (.2, .4); then l = 1.2, slope 2, u1 = -.1 + .6; at the end n = 2.
        self.expect("rda", {"eta": 2, "lambda": 0, "invariant": 1}, [-1 / sqrt(2), 0.4 / sqrt(2)])

    def test_invariant_adaptive_learners(self):
        # G = (1, 4), slope 1/2 + 4/3 = 11/6: m = 1 after it, w = 6/11 (1/2, 2/3).
        # Then G1 = 2, l = 1 + 3/11, and the margin -w1 becomes 1.
        params = {"eta": 9, "lambda": 0, "delta": 1, "invariant": 1}
        self.expect("ada-fobos", params, [-1, 4 / 11])
        # ada-rda's u = -6/11 (1, 2)/9 is read with the new G: the margin falls short of 1 by what it was worth.
        u = -6 / 11 + (1 + 3 / 11) * (1 + sqrt(2))
        self.expect("ada-rda", params, [-u / (1 + sqrt(2)), 4 / 11])

    def test_invariant_ftrl(self):
        # beta = 0, one feature: n = 1, slope 2. Hinge: tau = 1/2 of h = 8, z = -1/2: the margin 2/2 is what was wanted.
        one = Stream("one", [(1, 8, [1], [1])])
        params = {"alpha": 2, "beta": 0, "l1": 0, "l2": 0, "invariant": 1}
        self.expect("ftrl", {**params, "loss": "hinge"}, [1], mistakes=1, updates=1, stream=one)
        # Logistic: p = 1/2, n = 1/4, slope 4; where 80,000 steps of 1e-4 go from M = 0.
        M = 0.0
        for _ in range(80000):
            M += 1e-4 * 4 / (1 + np.exp(M))
        self.assertAlmostEqual(Run("ftrl", one, {**params, "loss": "logistic"}).weights[1], M, places=3)

    def test_invariant_steps_of_zeros_are_none(self):
        zeros = Stream("zeros", [(1, 1, [1], [0.0])])
        for name in ("fsol", "ssol", "ftrl", "ada-rda", "rda", "cs-ogd"):
            run = Run(name, zeros, {**usual(name), "invariant": 1})
            self.assertEqual((run.updates, run.weights), (0, {}))

    # ssol-full: A^-1 = I - xx'/6 = (5/6 -1/3; -1/3 1/3), theta = (1, 2);
    # A^-1 -= (5/6, -1/3)(..)'/(11/6), so (5 -2; -2 3)/11, u = (1, 4)/11, theta = (0, 2).
    def test_ssol_full(self):
        self.expect("ssol-full", self.SSOL, [-4 / 11 + 0.05, 6 / 11 - 0.05])

    def test_cs_fsol(self):
        # theta = (1, 2), w = (.5, 1.5), theta = (.75, 2): the threshold has no cost in it.
        self.expect("cs-fsol", {"eta": 0.5, "lambda": 1, "schedule": "constant", **self.COSTS},
                    [0.25, 1.5])

    def test_cs_ssol(self):
        # theta = (2, 4), then (1.5, 4).
        self.expect("cs-ssol", {**self.SSOL, **self.COSTS}, [7.5 / 11 - 0.05, 4 / 3 - 0.05])

    def test_cs_ssol_full(self):
        # u = (7.5 - 8, -3 + 12)/11; the first is under the threshold.
        self.expect("cs-ssol-full", {**self.SSOL, **self.COSTS}, [0, 9 / 11 - 0.05])

    def test_stg(self):
        # w = (1, 2); (0, 2), round 2 shrinks by 2*1*.25 what is <= .75: nothing nonzero;
        # (.75, 2); round 4 has l = 0, and .75, on the limit, shrinks.
        rows = TWO.rows + [(1, 1, [1], [0.75]), (1, 1, [2], [1])]
        self.expect("stg", {"eta": 1, "lambda": 0.25, "k": 2, "theta": 0.75}, [0.25, 2],
                    mistakes=3, updates=3, stream=Stream("four", rows))

    def test_fobos(self):
        # w = (1, 2) - .5. e = 1/sqrt 2: w1 = .5 - .707 shrinks by .354 to 0.
        self.expect("fobos", {"eta": 1, "lambda": 0.5}, [0, 1.5 - 0.5 / sqrt(2)])

    def test_ada_fobos(self):
        # G = (1, 4): w = (1/2, 2/3) - .25/(2, 3) = (3/8, 7/12).
        # G1 = 2: w1 = 3/8 - .414 shrinks by .104 to 0; w2 shrinks by 1/12 again.
        self.expect("ada-fobos", {"eta": 1, "lambda": 0.25, "delta": 1}, [0, 0.5])

    def test_rda(self):
        # u = (-1, -2); n = 1: w = (.75, 1.75); u = (0, -2), n = 2.
        self.expect("rda", {"eta": 1, "lambda": 0.25}, [0, sqrt(2) * 0.75])

    def test_ada_rda(self):
        # u = (-1, -2), G = (1, 4): w = (.75/2, 1.75/3); u = (0, -2), n = 2: 2/3 (2/2 - .25).
        self.expect("ada-rda", {"eta": 1, "lambda": 0.25, "delta": 1}, [0, 0.5])

    def test_ftrl_hinge(self):
        # z = (-1, -2), n = (1, 4): w = (.5/2, 1.5/3). g1 = 1: z1 = 0 - (sqrt 2 - 1)/4.
        self.expect("ftrl", {"alpha": 1, "beta": 1, "l1": 0.5, "l2": 0, "loss": "hinge"}, [0, 0.5])

    def test_ftrl_logistic(self):
        # p = .5: z = (-.5, -1), n = (.25, 1): w = -z/(1 + (.5, 1) + .5) = (.25, .4).
        # p = sigmoid(.25): g1 = p, sigma = sqrt(.25 + p^2) - .5, z1 = -.5 + p - .25 sigma.
        p = 1 / (1 + np.exp(-0.25))
        z = -0.5 + p - 0.25 * (sqrt(0.25 + p * p) - 0.5)
        self.expect("ftrl", {"alpha": 1, "beta": 1, "l1": 0, "l2": 0.5, "loss": "logistic"},
                    [-z / (1 + sqrt(0.25 + p * p) + 0.5), 0.4])

    # olsf: neither projected nor truncated it is pa.
    LOOSE = {"lambda": 30, "B": 1}

    def test_olsf(self):
        self.expect("olsf", self.LOOSE, [-1, 0.4])

    def test_olsf_truncates(self):
        # K = 1: w = (0, .4); m = 0 is right, l = 1: w = (-1, .4), and -1 stays.
        self.expect("olsf", {"lambda": 30, "B": 0.5}, [-1, 0], mistakes=1)

    def test_olsf_projects(self):
        # |w|_1 = .6: w = (.1, .2). l = 1.1: w = (-1, .2), |w|_1 = 1.2.
        self.expect("olsf", {"lambda": 0.3, "B": 1}, [-0.25, 0.05])

    def test_olsf1(self):
        self.expect("olsf-1", {**self.LOOSE, "C": 0.5}, [-0.3, 0.4])

    def test_olsf2(self):
        self.expect("olsf-2", {**self.LOOSE, "C": 0.5}, [1 / 6 - 7 / 12, 1 / 3])

    def test_olsf_all(self):
        self.expect("olsf-all", {"C": 0.5}, [-0.3, 0.4])

    def test_olsf_per(self):
        # w = (1, 2)/2; w = (-.5, 1) lies on the sphere.
        self.expect("olsf-per", {"lambda": 1.5, "B": 1}, [-0.5, 1])

    def test_of_equal_weights_the_first_seen_stays(self):
        rows = [(1, 1, [3, 1, 2], [1, 1, 0]), (1, 1, [4, 2, 5], [1, 1, 1])]
        # K = 1: 3 before 1. D = 5, K = 2: beside 3 stays 2, which a zero made seen before 4.
        self.expect("olsf-per", {"lambda": 30, "B": 0.4}, [0, 1, 1, 0, 0], stream=Stream("equal", rows))

    def test_olsf_rand_keeps_all_alike(self):
        stream, kept = Stream("one", [(1, 1, [1, 2, 3, 4], [1, 2, 3, 4])]), np.zeros(5)
        for seed in range(2000):
            run = Run("olsf-rand", stream, {"lambda": 30, "B": 0.5, "C": 1, "seed": seed})
            self.assertEqual(run.nonzeros, 2)
            kept[list(run.weights)] += 1
        np.testing.assert_allclose(kept[1:], 1000, atol=4 * sqrt(500))

    def test_ofs(self):
        # w = (.5, 1), within the ball; 1 stays. m = 0, l = 1: .75 w, w1 = -.5, and .75 stays.
        self.expect("ofs", {"eta": 0.5, "lambda": 0.5, "features": 1}, [0, 0.75], mistakes=1)

    def test_ofs_scales_into_the_ball(self):
        # |(1, 2)| = sqrt 5: w = (1, 2) 2/sqrt 5; .75 w = (1, 2) 1.5/sqrt 5.
        self.expect("ofs", {"eta": 1, "lambda": 0.25, "features": 2}, [1.5 / sqrt(5) - 1, 3 / sqrt(5)])

    def test_ofs_p_that_sees_all(self):
        # A step only where y m <= 0.
        rows = TWO.rows + [(1, 1, [2], [0.5])]
        self.expect("ofs-p", {"eta": 0.5, "lambda": 0, "features": 2, "epsilon": 1, "seed": 1}, [0, 1],
                    stream=Stream("three", rows))

    def test_ofs_p_is_right_on_average(self):
        # Each of four features is seen with probability 1/2 * 2/4, and then four times as large.
        stream, sums = Stream("one", [(1, 1, [1, 2, 3, 4], [1, 1, 1, 1])]), np.zeros(5)
        for seed in range(4000):
            params = {"eta": 1, "lambda": 0, "features": 2, "epsilon": 0.5, "seed": seed}
            run = Run("ofs-p", stream, params)
            sums[list(run.weights)] += list(run.weights.values())
        np.testing.assert_allclose(sums[1:] / 4000, 1, atol=4 * sqrt(3 / 4000))

    def test_sofs(self):
        # v = 5: w = (1, 2)/6, S = (5/6, 1/3); 2 is surer. m = 0, l = 1: w1 = -5/11, S1 = 5/11: still.
        self.expect("sofs", {"r": 1, "features": 1}, [0, 1 / 3], mistakes=1)

    def test_sofs_keeps_the_variance_of_what_it_drops(self):
        # Once more (1, 0): S1 = 5/11 - (5/11)^2/(16/11) = 5/16 < 1/3, so 1 stays: w1 = -5/16.
        self.expect("sofs", {"r": 1, "features": 1}, [-5 / 16, 0], mistakes=1, updates=3,
                    stream=Stream("three", TWO.rows + TWO.rows[1:]))

    # arow: v = 5: w = (1, 2)/6, S = (5/6, 1/3). m = 1/6, l = 7/6, v = 5/6: w1 = 1/6 - 7/11 5/6.
    def test_arow(self):
        self.expect("arow", {"r": 1, "a": 1}, [-4 / 11, 1 / 3])

    def test_arow_full(self):
        # S = I - xx'/6, Sx = (5/6, -1/3): w2 = 1/3 + 7/11 1/3.
        self.expect("arow-full", {"r": 1, "a": 1}, [-4 / 11, 6 / 11])

    def test_a_scales_the_variance(self):
        # r and S twice as large: the same w.
        self.expect("arow", {"r": 2, "a": 2}, [-4 / 11, 1 / 3])
        self.expect("arow-full", {"r": 2, "a": 2}, [-4 / 11, 6 / 11])

    def test_narow(self):
        # v = 5 > 1: r = 5/4, w = (1, 2) .16, S1 = .84: the second time v < 1.
        for name in "narow", "narow-full":
            self.expect(name, {"b": 1, "a": 1}, [0.16, 0.32], updates=1)

    def test_cw(self):
        # v = 2, M = 0: alpha = (-1 + sqrt(1 + 8 2 phi^2))/(8 phi), phi^2 = 3/2: 1/sqrt 6, 4 alpha phi = 2
        stream = Stream("one", [(1, 1, [1, 2], [1, 1])])
        for name in "cw", "cw-full":
            self.expect(name, {"phi": sqrt(1.5), "a": 1}, [1 / sqrt(6)] * 2, mistakes=1, updates=1, stream=stream)

    def test_scw1(self):
        # v = 5, M = 0, phi = 1: alpha = sqrt(5 2)/(5 2), and cut to C.
        stream = Stream("one", [(1, 1, [1, 2], [1, 2])])
        for name in "scw-1", "scw-1-full":
            for C, alpha in (9, sqrt(0.1)), (0.25, 0.25):
                self.expect(name, {"phi": 1, "C": C, "a": 1}, [alpha, 2 * alpha], mistakes=1, updates=1, stream=stream)

    def test_scw2(self):
        # 1/(2C) = 1, n = 6: alpha = sqrt(4 6 5 (6 + 5))/(2 (36 + 30))
        stream, alpha = Stream("one", [(1, 1, [1, 2], [1, 2])]), sqrt(1320) / 132
        for name in "scw-2", "scw-2-full":
            self.expect(name, {"phi": 1, "C": 0.5, "a": 1}, [alpha, 2 * alpha], mistakes=1, updates=1, stream=stream)

    def test_sop(self):
        # v = (1, 2), X = (2, 5). m = 1/3 > 0: v = (0, 2).
        self.expect("sop", {"a": 1}, [0, 2 / 5])

    def test_sop_full(self):
        # A = (2 2; 2 5). m > 0, A = (3 2; 2 5), v = (0, 2): A^-1 v = (-4, 6)/11.
        self.expect("sop-full", {"a": 1}, [-4 / 11, 6 / 11])


class ChangedValues(unittest.TestCase):
    """(2, 4) is +1, then (4, 4) is -1: with running scales (1, 1), then again (1, 1), and w1 twice as large."""
    stream = Stream("growing", [(1, 1, [1, 2], [2, 4]), (-1, 1, [1, 2], [4, 4])])

    def expect(self, name, params, weights, **changes):
        run = Run(name, self.stream, params, **changes)
        np.testing.assert_allclose([run.weights.get(1, 0.0), run.weights.get(2, 0.0)], weights, rtol=1e-6)

    def test_running_scales(self):
        # w = (1, 1), then (2, 1), m = 3: w = (1, 0)
        self.expect("perceptron", {"eta": 1}, [1, 0], scale="running")
        # theta = (1, 1), the threshold .25: w = (.75, .75); theta1 = 2 .75 + .25; then both less by 1
        self.expect("fsol", {"eta": 1, "lambda": 0.25, "schedule": "constant"}, [0.5, 0], scale="running")
        # u = (-1, -1), n = 1: w = (.75, .75); u1 = -1.75; u = (-.75, 0), n = 2: sqrt 2 (.375 - .25)
        self.expect("rda", {"eta": 1, "lambda": 0.25}, [sqrt(2) * 0.125, 0], scale="running")

    def test_maxabs(self):
        # w = (1, 1), m = 2: w = 0
        self.expect("perceptron", {"eta": 1}, [0, 0], scale="maxabs")

    def test_idf_is_that_of_the_rows_before(self):
        # factors 1 and 1, w = (2, 4); then both have been in one row of one, again 1: m = 24, w = (-2, 0)
        self.expect("perceptron", {"eta": 1}, [-2, 0], scale="idf")
        # 7 is in no row, then in one of three: 1 + log 3, m > 0; then 1 + log(4 / 2)
        stream = Stream("rare", [(1, 1, [1], [1]), (-1, 1, [2], [1]), (1, 1, [7], [1]), (-1, 1, [7], [3])])
        run = Run("perceptron", stream, {"eta": 1}, scale="idf")
        np.testing.assert_allclose(run.weights[7], 1 + np.log(3) - 3 * (1 + np.log(2)), rtol=1e-6)

    def test_a_weight_of_zero_keeps_its_state(self):
        # theta = (1, 1) under the threshold 1: w = 0; m = 0, l = 1: theta = (0, 0)
        self.expect("fsol", {"eta": 1, "lambda": 1, "schedule": "constant"}, [0, 0], scale="running")

    def test_transforms(self):
        self.expect("perceptron", {"eta": 1}, [0, 0], transform="binary")
        a, b, c = np.log1p([2, 4, 4])
        self.expect("perceptron", {"eta": 1}, [a - c, 0], transform="log1p")

    def test_normalized_last(self):
        # (1, 1)/sqrt 2 twice; w = (1, 1)/sqrt 2, w1 doubled
        self.expect("perceptron", {"eta": 1}, [1 / sqrt(2), 0], scale="running", normalize="l2")


def divergence(mu, S, mu0, S0):
    """KL(N(mu, S) || N(mu0, S0)), up to what does not depend on mu and S."""
    inverse = np.linalg.inv(S0)
    return (np.trace(inverse @ S) - np.linalg.slogdet(S)[1] + (mu0 - mu) @ inverse @ (mu0 - mu)) / 2


class Objectives(unittest.TestCase):
    """One step of a full learner is the least point of what its paper minimises: no point nearby is lower."""

    def check_step(self, name, params, price, allowed=lambda M, v: True):
        random = np.random.RandomState(7)
        updates = 0
        for _ in range(40):
            learner = LEARNERS[name](3, **params)
            root = random.randn(3, 3)
            mu0, S0, x, y = random.randn(3), root @ root.T + 0.1 * np.eye(3), random.randn(3), random.choice([-1, 1])
            learner.w, learner.S = mu0.copy(), S0.copy()
            if not learner.learn(1, x, y, 1, mu0 @ x):
                continue
            updates += 1

            def objective(mu, S):
                return divergence(mu, S, mu0, S0) + price(y * (mu @ x), x @ S @ x)
            found = objective(learner.w, learner.S)
            for _ in range(100):
                way = random.randn(3, 3)
                size = 10 ** random.uniform(-4, -1)
                mu, S = learner.w + size * random.randn(3), learner.S + size * (way + way.T)
                if np.linalg.eigvalsh(S)[0] > 0 and allowed(y * (mu @ x), x @ S @ x):
                    self.assertGreaterEqual(objective(mu, S), found - 1e-12)
        self.assertGreater(updates, 10)

    def test_arow(self):
        r = 0.7
        self.check_step("arow-full", {"r": r, "a": 1}, lambda M, v: (max(0, 1 - M) ** 2 + v) / (2 * r))

    def test_cw(self):
        phi = 0.8
        self.check_step("cw-full", {"phi": phi, "a": 1}, lambda M, v: 0, lambda M, v: M >= phi * v)

    def test_scw1(self):
        for phi, C in (0.8, 0.3), (0.5, 5), (2, 1):
            self.check_step("scw-1-full", {"phi": phi, "C": C, "a": 1},
                            lambda M, v: C * max(0, phi * sqrt(v) - M))

    def test_scw2(self):
        for phi, C in (0.8, 0.3), (0.5, 5), (2, 1):
            self.check_step("scw-2-full", {"phi": phi, "C": C, "a": 1},
                            lambda M, v: C * max(0, phi * sqrt(v) - M) ** 2)

    def test_after_a_hard_step_the_constraint_holds_exactly(self):
        for name, params, needed in (("cw-full", {"phi": 0.8}, lambda v: 0.8 * v),
                                     ("scw-1-full", {"phi": 0.8, "C": 1e9}, lambda v: 0.8 * sqrt(v))):
            learner, x = LEARNERS[name](2, a=1, **params), np.array([1.0, -0.5])
            learner.w += [-1, 0.5]
            self.assertTrue(learner.learn(1, x, 1, 1, learner.w @ x))
            self.assertAlmostEqual(learner.w @ x, needed(x @ learner.S @ x), places=9)


class Importance(unittest.TestCase):
    def weights(self, name, params, h):
        run = Run(name, weighted(h), params)
        return [run.weights.get(1, 0.0), run.weights.get(2, 0.0)]

    def expect(self, name, params, h, weights):
        np.testing.assert_allclose(self.weights(name, params, h), weights, rtol=1e-12)

    def test_steps(self):
        self.expect("perceptron", {"eta": 1}, 3, [3, 6])
        self.expect("paum", {"eta": 1, "margin_pos": 0, "margin_neg": 0}, 3, [3, 6])
        self.expect("cs-ogd", {"eta": 1, "cost_pos": 2, "cost_neg": 1}, 3, [6, 12])
        self.expect("stg", {"eta": 1, "lambda": 0.5, "k": 1, "theta": 9}, 3, [2.5, 5.5])
        self.expect("fobos", {"eta": 1, "lambda": 0.5}, 3, [2.5, 5.5])
        self.expect("olsf-per", {"lambda": 30, "B": 1}, 3, [3, 6])
        self.expect("ofs", {"eta": 1, "lambda": 0, "features": 2}, 3, [3, 6])
        self.expect("ofs-p", {"eta": 1, "lambda": 0, "features": 2, "epsilon": 1, "seed": 1}, 3, [3, 6])
        self.expect("sofs", {"r": 1, "features": 2}, 2, [2 / 11, 4 / 11])
        self.expect("fsol", {"eta": 1, "lambda": 0.5, "schedule": "constant"}, 3, [2.5, 5.5])
        # a = (5/6, 1/3) whatever h is
        self.expect("ssol", {"eta": 1, "lambda": 0, "schedule": "inverse", "r": 1}, 3, [15 / 6, 2])

    def test_the_geometry_has_no_weight_in_it(self):
        self.expect("ada-fobos", {"eta": 1, "lambda": 0, "delta": 1}, 3, [3 / 2, 6 / 3])
        self.expect("ada-rda", {"eta": 1, "lambda": 0.5, "delta": 1}, 3, [2.5 / 2, 5.5 / 3])
        self.expect("rda", {"eta": 1, "lambda": 0.5}, 3, [2.5, 5.5])

    def test_ftrl_weights_the_gradient_everywhere(self):
        # g = (-3, -6) = z, n = (9, 36)
        self.expect("ftrl", {"alpha": 1, "beta": 1, "l1": 0, "l2": 0, "loss": "hinge"}, 3, [3 / 4, 6 / 7])

    def test_aggressiveness(self):
        self.expect("pa-1", {"C": 0.05}, 3, [0.15, 0.3])
        self.expect("pa-2", {"C": 0.5}, 0.25, [1 / 9, 2 / 9])
        self.expect("cpa", {"C": 0.05, "cost_pos": 1, "cost_neg": 1}, 3, [0.15, 0.3])
        loose = {"lambda": 30, "B": 1}
        self.expect("olsf-1", {**loose, "C": 0.05}, 3, [0.15, 0.3])
        self.expect("olsf-2", {**loose, "C": 0.5}, 0.25, [1 / 9, 2 / 9])
        self.expect("olsf-rand", {**loose, "C": 0.05, "seed": 1}, 3, [0.15, 0.3])
        self.expect("olsf-all", {"C": 0.05}, 3, [0.15, 0.3])
        self.expect("scw-1", {"phi": 1, "C": 0.05, "a": 1}, 3, [0.15, 0.3])
        self.expect("scw-2-full", {"phi": 1, "C": 2, "a": 1}, 0.25, [sqrt(1320) / 132, sqrt(1320) / 66])
        self.expect("arow", {"r": 1, "a": 1}, 2, [2 / 11, 4 / 11])
        self.expect("narow-full", {"b": 1, "a": 1}, 5, [1 / 5.25, 2 / 5.25])
        for name, params in ("pa", {}), ("olsf", loose), ("cw", {"phi": 1, "a": 1}), ("sop", {"a": 1}):
            with self.assertRaises(ValueError):
                self.weights(name, params, 2)


# Moderate parameters for the checks over all learners.
USUAL = {"q": 2, "batch": 30, "sigma": 2.0, "iterations": 4, "inner": 1, "refit": 3, "tolerance": 1e-3,
         "C_cov": 0.5, "score": "covariance", "eta": 0.4, "lambda": 0.02, "schedule": "inverse", "r": 0.7, "C": 0.2, "cost_pos": 2.0,
         "cost_neg": 0.5, "k": 3, "theta": 0.4, "delta": 0.5, "margin_pos": 0.5, "margin_neg": 0.2,
         "alpha": 0.3, "beta": 1.0, "l1": 0.3, "l2": 0.1, "loss": "logistic", "B": 0.5, "features": 12,
         "epsilon": 0.5, "seed": 4, "phi": 0.8, "a": 1.5, "b": 3.0}


# How many features were seen is part of the rule.
COUNTS_FEATURES = ("olsf", "olsf-1", "olsf-2", "olsf-rand", "olsf-per", "ofs-p")


def usual(name, **changed):
    return {p: {**USUAL, **changed}[p] for p in LEARNERS[name].params}


class Agreement(unittest.TestCase):
    stream = streams.sparse(11, 300, 30, 6)

    def same(self, one, other):
        self.assertEqual((one.mistakes, one.updates), (other.mistakes, other.updates))
        self.assertEqual(set(one.weights), set(other.weights))
        for i, w in one.weights.items():
            self.assertAlmostEqual(w, other.weights[i], places=9)

    def runs(self, one, other, stream=None, **changed):
        stream = stream or self.stream
        self.same(Run(one, stream, usual(one, **changed)), Run(other, stream, usual(other, **changed)))

    def test_costs_of_one_change_nothing(self):
        for name in ("fsol", "ssol", "ssol-full"):
            for schedule in ("constant", "inverse", "sqrt"):
                self.runs(name, "cs-" + name, cost_pos=1, cost_neg=1, schedule=schedule)
        self.runs("pa-1", "cpa", cost_pos=1, cost_neg=1)

    def test_without_shrinkage_they_are_gradient_descent(self):
        plain = {"cost_pos": 1, "cost_neg": 1, "lambda": 0}
        self.runs("fsol", "cs-ogd", **plain)
        self.runs("stg", "cs-ogd", **plain)

    def test_one_feature_has_no_off_diagonal(self):
        for name in ("ssol", "arow", "narow", "scw-1", "scw-2", "cw", "sop"):
            self.runs(name, name + "-full", stream=streams.dense(12, 200, 1))

    def test_sofs_with_room_for_all_is_arow(self):
        self.runs("sofs", "arow", features=1000, a=1)

    def test_a_huge_r_makes_ssol_first_order(self):
        self.runs("fsol", "ssol", r=1e15)

    def test_a_huge_C_makes_pa1_and_pa2_pa(self):
        self.runs("pa", "pa-1", C=1e15)
        self.runs("pa", "pa-2", C=1e15)

    def test_ssol_full_is_ridge_regression(self):
        # While l > 0 always (small eta), u = (I + X'X/r)^-1 eta X'y.
        stream, eta, r = streams.dense(13, 50, 4), 1e-3, 0.7
        run = Run("ssol-full", stream, usual("ssol-full", eta=eta, r=r, **{"lambda": 0}))
        rows = list(stream.examples())
        X, y = np.array([x for *_, x in rows]), np.array([y for y, *_ in rows])
        u = np.linalg.solve(np.eye(4) + X.T @ X / r, eta * X.T @ y)
        self.assertEqual(run.updates, 50)
        np.testing.assert_allclose([run.weights[i] for i in stream.ids], u, rtol=1e-9)

    def test_zeros_and_absent_rows_change_nothing(self):
        rows = []
        for y, h, ids, values in self.stream.rows:
            rows.append((y, h, ids + [999], np.append(values, 0.0)))
            rows.append((-y, 0, [1, 888], [5.0, 5.0]))
        padded = Stream("padded", rows)
        for name in LEARNERS:
            with self.subTest(name):
                first = self.stream
                if name in COUNTS_FEATURES:  # the same number of them from the start
                    first = Stream("first", padded.rows[:1] + self.stream.rows[1:])
                plain = Run(name, first, usual(name))
                again = Run(name, padded, usual(name))
                self.same(plain, again)
                self.assertEqual(again.features_seen, plain.features_seen + (name not in COUNTS_FEATURES))
                self.assertEqual(again.examples, plain.examples)

    def test_empty_rows_are_counted_and_are_no_updates(self):
        stream = Stream("empty", [(1, 1, [], []), (-1, 1, [], []), (1, 1, [5], [0.0])])
        for name in LEARNERS:
            with self.subTest(name):
                run = Run(name, stream, usual(name))
                self.assertEqual((run.examples, run.mistakes, run.updates), (3, 2, 0))
                self.assertEqual((run.features_seen, run.weights), (1, {}))

    def test_empty_rows_advance_the_clock(self):
        rows = TWO.rows[:1] + [(1, 1, [], [])] * 3
        late = Stream("late", rows)
        # four rounds: lambda/4; n = 4; four and two shrinkages
        self.assertAlmostEqual(Run("fsol", late, {"eta": 1, "lambda": 2, "schedule": "inverse"}).weights[1], 0.5)
        self.assertAlmostEqual(Run("rda", late, {"eta": 1, "lambda": 0.1}).weights[1], 2 * 0.15)
        self.assertAlmostEqual(Run("stg", late, {"eta": 1, "lambda": 0.1, "k": 2, "theta": 9}).weights[1], 0.6)
        shrunk = 1 - 0.1 * (1 + 1 / sqrt(2) + 1 / sqrt(3) + 1 / 2)
        self.assertAlmostEqual(Run("fobos", late, {"eta": 1, "lambda": 0.1}).weights[1], shrunk)
        self.assertAlmostEqual(Run("ada-fobos", late, {"eta": 1, "lambda": 0.1, "delta": 1}).weights[1],
                               (1 - 0.4) / 2)

    def test_no_rows_no_trouble(self):
        for name in LEARNERS:
            with self.subTest(name):
                self.assertEqual(Run(name, Stream("none", []), usual(name)).weights, {})

    def test_delta_and_beta_may_be_zero(self):
        with np.errstate(all="raise"):
            for name in ("ada-fobos", "ada-rda", "ftrl"):
                run = Run(name, self.stream, usual(name, delta=0, beta=0, l2=0))
                self.assertTrue(all(np.isfinite(w) for w in run.weights.values()))


if __name__ == "__main__":
    unittest.main()
