"""The learners as plain dense rules in 64-bit floats.

Slow on purpose: every round looks at every weight, nothing is lazy, nothing is
shared with the C code. Each class is one row of the table of learners; the
letters are the papers'.

A round t = 1, 2, ... is:  look(x);  m = weights(t).x;  predict;  learn(...).
`learn` says whether it made a step. After t examples, `final(t)` is what a saved
model predicts with.
"""

import numpy as np


def soft(v, k):
    return np.sign(v) * np.maximum(np.abs(v) - k, 0)


def hinge(y, m):
    return max(0.0, 1 - y * m)


def ratio(a, b):
    """a/b, and 0 where b = 0: delta = 0 and a feature without a gradient so far."""
    return np.divide(a, b, out=np.zeros_like(b), where=b != 0)


class Learner:
    params = ()
    options = ()  # parameters that may be left out
    forget = 1  # what is left of the past after each example
    invariant = 0  # 1: steps are importance-invariant
    late_updates = 0  # made when a batch was learned

    def __init__(self, d, **given):
        if set(given) - set(self.options) != set(self.params):
            raise ValueError(f"{type(self).__name__} takes {self.params}, not {tuple(given)}")
        for name, value in given.items():
            setattr(self, "lambda_" if name == "lambda" else name, value)
        self.start(d)

    def start(self, d):
        self.w = np.zeros(d)

    def see(self, columns):
        """The features of the next example, in its order; zeros count."""

    def fade(self, g):
        """Forgetting, before every round: sums, and precisions above their prior, become g times as large."""

    def look(self, x):
        """What happens before predicting."""

    def weights(self, t):
        """The weights that predict example t."""
        return self.w

    def final(self, t):
        """The weights after t examples: those that would predict the next one."""
        return self.weights(t + 1)

    def edge(self, y):
        """The y m below which a step is made; only to tell how close decisions were."""
        return 1.0

    def bounded(self, tau, l, slope):
        """A step of size tau moves the margin by tau times the slope: many small ones end where the loss does. None:
        there is no step."""
        if not self.invariant:
            return tau
        return min(tau, l / slope) if slope > 0 else None

    def rescale(self, t, i, f):
        """Before round t: weight i of that round becomes f times as large; 0 stays, and so does its state."""
        self.w[i] *= f


class CostSensitive:
    def c(self, y):
        return self.cost_pos if y > 0 else self.cost_neg


# First order -------------------------------------------------------------------

class Perceptron(Learner):
    params = ("eta",)

    def learn(self, t, x, y, h, m):
        if y * m > 0:
            return False
        self.w += self.eta * h * y * x
        return True

    def edge(self, y):
        return 0.0


class Paum(Learner):
    params = ("eta", "margin_pos", "margin_neg")

    def learn(self, t, x, y, h, m):
        if y * m > self.edge(y):
            return False
        self.w += self.eta * h * y * x
        return True

    def edge(self, y):
        return self.margin_pos if y > 0 else self.margin_neg


class PA(Learner):
    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        if l == 0 or not x.any():
            return False
        self.w += self.tau(l, x @ x, h) * y * x
        return True

    def tau(self, l, xx, h):
        if h != 1:
            raise ValueError("pa takes only the weights 0 and 1")
        return l / xx


class PA1(PA):
    params = ("C",)

    def tau(self, l, xx, h):
        return min(self.C * h, l / xx)


class PA2(PA):
    params = ("C",)

    def tau(self, l, xx, h):
        return l / (xx + 1 / (2 * self.C * h))


class CPA(CostSensitive, Learner):
    params = ("C", "cost_pos", "cost_neg")

    def learn(self, t, x, y, h, m):
        l = np.sqrt(self.c(y)) - y * m
        if l <= 0 or not x.any():
            return False
        self.w += min(self.C * h, l / (x @ x)) * y * x
        return True

    def edge(self, y):
        return np.sqrt(self.c(y))


class CsOgd(CostSensitive, Learner):
    params = ("eta", "cost_pos", "cost_neg")
    options = ("invariant",)

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        tau = self.bounded(self.eta * h * self.c(y), l, x @ x)
        if l == 0 or tau is None:
            return False
        self.w += tau * y * x
        return True


# Sparse dual averaging: the state is theta, thresholds apply when it is read -----

class Fsol(Learner):
    params = ("eta", "lambda", "schedule")
    options = ("invariant",)

    def start(self, d):
        self.theta = np.zeros(d)

    def threshold(self, t):
        return {"constant": self.eta * self.lambda_,
                "inverse": self.lambda_ / t,
                "sqrt": self.lambda_ / np.sqrt(t)}[self.schedule]

    def weights(self, t):
        return soft(self.theta, self.threshold(t))

    def final(self, t):
        # The threshold of the last round, not of the next.
        return self.weights(max(t, 1))

    def step(self, y):
        return self.eta

    def slope(self, x):
        return x @ x

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        tau = self.bounded(self.step(y) * h, l, self.slope(x))
        if l == 0 or tau is None:
            return False
        self.theta += tau * y * x
        return True

    def unsoft(self, t, w):
        """What the threshold of round t makes the weight w of."""
        return np.sign(w) * (abs(w) + self.threshold(t))

    def rescale(self, t, i, f):
        w = self.weights(t)[i]
        if w != 0:
            self.theta[i] = self.unsoft(t, f * w)


class Ssol(Fsol):
    params = ("eta", "lambda", "schedule", "r")
    options = ("forget", "invariant")

    def slope(self, x):
        return self.a @ x**2

    def start(self, d):
        self.theta = np.zeros(d)
        self.a = np.ones(d)

    def fade(self, g):
        self.theta *= g
        self.a = 1 / (1 + g * (1 / self.a - 1))

    def look(self, x):
        self.a -= (self.a * x) ** 2 / (self.r + self.a @ x**2)

    def weights(self, t):
        return soft(self.a * self.theta, self.threshold(t))

    def rescale(self, t, i, f):
        w = self.weights(t)[i]
        if w != 0:
            self.theta[i] = self.unsoft(t, f * w) / self.a[i]


class SsolFull(Fsol):
    params = ("eta", "lambda", "schedule", "r")
    options = ()

    def start(self, d):
        self.theta = np.zeros(d)
        self.inverse = np.eye(d)  # A^-1

    def look(self, x):
        # Sherman-Morrison: A += x x'/r.
        ax = self.inverse @ x
        self.inverse -= np.outer(ax, ax) / (self.r + x @ ax)

    def weights(self, t):
        return soft(self.inverse @ self.theta, self.threshold(t))

    def rescale(self, t, i, f):
        w = self.weights(t)[i]
        if w != 0:
            u = self.inverse @ self.theta
            u[i] = self.unsoft(t, f * w)
            self.theta = np.linalg.solve(self.inverse, u)


class CostSensitiveStep(CostSensitive):
    # The step carries the cost; the threshold eta*lambda does not.
    def step(self, y):
        return self.eta * self.c(y)


class CsFsol(CostSensitiveStep, Fsol):
    params = Fsol.params + ("cost_pos", "cost_neg")


class CsSsol(CostSensitiveStep, Ssol):
    params = Ssol.params + ("cost_pos", "cost_neg")


class CsSsolFull(CostSensitiveStep, SsolFull):
    params = SsolFull.params + ("cost_pos", "cost_neg")


# Truncated gradients: every weight shrinks, whether or not x has it ---------------

class Stg(Learner):
    params = ("eta", "lambda", "k", "theta")
    options = ("invariant",)

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        tau = self.bounded(self.eta * h, l, x @ x)
        stepped = l > 0 and tau is not None
        if stepped:
            self.w += tau * y * x
        if t % self.k == 0:
            small = np.abs(self.w) <= self.theta
            self.w[small] = soft(self.w[small], self.k * self.eta * self.lambda_)
        return stepped


class Fobos(Learner):
    params = ("eta", "lambda")
    options = ("invariant",)

    def learn(self, t, x, y, h, m):
        e = self.eta / np.sqrt(t)
        l = hinge(y, m)
        tau = self.bounded(e * h, l, x @ x)
        stepped = l > 0 and tau is not None
        if stepped:
            self.w += tau * y * x
        self.w = soft(self.w, e * self.lambda_)
        return stepped


class AdaFobos(Learner):
    params = ("eta", "lambda", "delta")
    options = ("invariant",)

    def start(self, d):
        self.w = np.zeros(d)
        self.G = np.zeros(d)

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        tau = self.bounded(self.eta * h, l, ratio(x**2, self.delta + np.sqrt(self.G + x**2)).sum())
        stepped = l > 0 and tau is not None
        if stepped:
            self.G += x**2
            self.w += ratio(tau * y * x, self.delta + np.sqrt(self.G))
        self.w = soft(self.w, ratio(self.eta * self.lambda_, self.delta + np.sqrt(self.G)))
        return stepped


# Regularised dual averaging: u is the sum of gradients -----------------------------

class Rda(Learner):
    params = ("eta", "lambda")
    options = ("invariant",)

    def start(self, d):
        self.u = np.zeros(d)

    def weights(self, t):
        n = max(t - 1, 1)
        return -self.eta * np.sqrt(n) * soft(self.u / n, self.lambda_)

    def rescale(self, t, i, f):
        n, w = max(t - 1, 1), self.weights(t)[i]
        if w != 0:
            self.u[i] = -np.sign(w) * n * (abs(f * w) / (self.eta * np.sqrt(n)) + self.lambda_)

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        h = self.bounded(h, l, self.eta / np.sqrt(max(t - 1, 1)) * (x @ x))  # by the rate that predicted
        if l == 0 or h is None:
            return False
        self.u -= h * y * x
        return True


class AdaRda(Learner):
    params = ("eta", "lambda", "delta")
    options = ("forget", "invariant")

    def start(self, d):
        self.u = np.zeros(d)
        self.G = np.zeros(d)

    def fade(self, g):
        self.u *= g
        self.G *= g

    def weights(self, t):
        n = max(t - 1, 1)
        return -ratio(self.eta * n * soft(self.u / n, self.lambda_), self.delta + np.sqrt(self.G))

    def rescale(self, t, i, f):
        n, w = max(t - 1, 1), self.weights(t)[i]
        if w != 0:
            self.u[i] = -np.sign(w) * n * (abs(f * w) * (self.delta + np.sqrt(self.G[i])) / (self.eta * n) + self.lambda_)

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        h = self.bounded(h, l, ratio(self.eta * x**2, self.delta + np.sqrt(self.G + x**2)).sum())
        if l == 0 or h is None:
            return False
        self.u -= h * y * x
        self.G += x**2  # without h: it scales the step, not the geometry
        return True


class Ftrl(Learner):
    """FTRL-Proximal, algorithm 1 of McMahan et al. 2013."""
    params = ("alpha", "beta", "l1", "l2", "loss")
    options = ("forget", "invariant")

    def start(self, d):
        self.z = np.zeros(d)
        self.n = np.zeros(d)

    def fade(self, g):
        self.z *= g
        self.n *= g

    def weights(self, t):
        return -ratio(soft(self.z, self.l1), (self.beta + np.sqrt(self.n)) / self.alpha + self.l2)

    def rescale(self, t, i, f):
        w = self.weights(t)[i]
        if w != 0:
            rate = (self.beta + np.sqrt(self.n[i])) / self.alpha + self.l2
            self.z[i] = -np.sign(w) * (abs(f * w) * rate + self.l1)

    def learn(self, t, x, y, h, m):
        g = square = h * self.slope(y, m) * x
        if self.invariant:
            square = self.slope(y, m) * x  # n grows without h
            v = ratio(self.alpha * x**2, self.beta + self.alpha * self.l2 + np.sqrt(self.n + square**2)).sum()
            g = -y * (self.way(y * m, h * v) / v if v > 0 else 0) * x
        sigma = (np.sqrt(self.n + square**2) - np.sqrt(self.n)) / self.alpha
        self.z += g - sigma * self.weights(t)
        self.n += square**2
        return self.loss == "logistic" or y * m < 1  # the logistic gradient is never 0

    def way(self, M, hv):
        """How far h small steps take M = y m."""
        if self.loss == "hinge":
            return min(hv, max(1 - M, 0))
        low, high = 0.0, hv  # M + d + exp(M + d) = M + exp M + h v
        for _ in range(200):
            d = (low + high) / 2
            low, high = (low, d) if d + np.exp(M) * np.expm1(d) > hv else (d, high)
        return low

    def slope(self, y, m):
        """The derivative of the loss by m."""
        if self.loss == "hinge":
            return -y if hinge(y, m) > 0 else 0
        # sigmoid(m) - y01 = -y sigmoid(-y m): no cancellation, no overflow
        return -y * np.exp(-np.logaddexp(0, y * m))

    def edge(self, y):
        return 1.0 if self.loss == "hinge" else -np.inf


# A limited number of features: every round sorts them all --------------------------

class Keeps(Learner):
    """Knows the order in which features were first seen."""

    def start(self, d):
        self.w = np.zeros(d)
        self.born = np.full(d, -1)
        self.seen = 0

    def see(self, columns):
        self.columns = columns
        for c in columns:
            if self.born[c] < 0:
                self.born[c] = self.seen
                self.seen += 1

    def keep(self, most, rank):
        """The nonzero weights of highest rank stay; of equal ones those seen first."""
        there = np.flatnonzero(self.w)
        order = np.lexsort((self.born[there], -rank[there]))
        self.w[there[order[most:]]] = 0


class Olsf(Keeps):
    params = ("lambda", "B")

    def tau(self, l, xx, h):
        if h != 1:
            raise ValueError("olsf takes only the weights 0 and 1")
        return l / xx

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        if l == 0 or not x.any():
            return False
        self.w += self.tau(l, x @ x, h) * y * x
        self.project()
        self.truncate(max(1, int(np.floor(self.B * self.seen))), x)
        return True

    def project(self):
        norm = np.abs(self.w).sum()
        if norm > self.lambda_:
            self.w *= self.lambda_ / norm

    def truncate(self, most, x):
        self.keep(most, np.abs(self.w))


class Olsf1(Olsf):
    params = ("lambda", "B", "C")

    def tau(self, l, xx, h):
        return min(self.C * h, l / xx)


class Olsf2(Olsf):
    params = ("lambda", "B", "C")

    def tau(self, l, xx, h):
        return l / (xx + 1 / (2 * self.C * h))


class OlsfPer(Olsf):
    def tau(self, l, xx, h):
        return h


class OlsfAll(Olsf1):
    params = ("C",)

    def learn(self, t, x, y, h, m):
        self.lambda_, self.B = np.inf, 1
        return super().learn(t, x, y, h, m)


def splitmix(seed, n):
    """The n-th number from [0, 1), from 0."""
    z = (seed * 0xD1342543DE82EF95 + (n + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return ((z ^ z >> 31) >> 11) / 2**53


class Draws:
    drawn = 0

    def draw(self):
        self.drawn += 1
        return splitmix(self.seed, self.drawn - 1)


class OlsfRand(Draws, Olsf1):
    """Which of the weights a number means is part of the model: they stand in a list, new
    ones come to its end, and the last takes the place of one that goes."""
    params = ("lambda", "B", "C", "seed")

    def start(self, d):
        super().start(d)
        self.list = []
        self.listed = np.zeros(d, bool)

    def take_out(self, place):
        self.listed[self.list[place]] = False
        last = self.list.pop()
        if place < len(self.list):
            self.list[place] = last

    def truncate(self, most, x):
        for c in self.columns:
            if self.w[c] == 0 and self.listed[c]:
                self.take_out(self.list.index(c))
            elif self.w[c] != 0 and not self.listed[c]:
                self.list.append(c)
                self.listed[c] = True
        while len(self.list) > most:
            place = int(self.draw() * len(self.list))
            self.w[self.list[place]] = 0
            self.take_out(place)


class Ofs(Keeps):
    params = ("eta", "lambda", "features")

    def learn(self, t, x, y, h, m):
        self.w *= 1 - self.lambda_ * self.eta
        if hinge(y, m) == 0:
            return False
        self.step(self.eta * h * y * x)
        return True

    def step(self, step):
        self.w += step
        norm = np.sqrt(self.w @ self.w)
        if self.lambda_ > 0 and norm > 1 / np.sqrt(self.lambda_):
            self.w *= 1 / np.sqrt(self.lambda_) / norm
        self.keep(self.features, np.abs(self.w))


class OfsP(Draws, Ofs):
    params = ("eta", "lambda", "features", "epsilon", "seed")

    def look(self, x):
        anywhere = self.draw() < self.epsilon
        self.looked_at = np.zeros(len(x))
        wanted, left = min(self.features, self.seen), self.seen
        self.share = wanted / max(left, 1)
        for c in self.columns:
            if x[c] == 0:
                continue
            if anywhere:
                self.looked_at[c] = self.draw() * left < wanted
                left -= 1
                wanted -= self.looked_at[c]
            else:
                self.looked_at[c] = self.w[c] != 0

    def weights(self, t):
        return self.w * self.looked_at

    def final(self, t):
        return self.w

    def learn(self, t, x, y, h, m):
        chance = self.share * self.epsilon + (self.w != 0) * (1 - self.epsilon)
        self.w *= 1 - self.lambda_ * self.eta
        if y * m > 0:
            return False
        self.step(self.eta * h * y * ratio(x * self.looked_at, chance))
        return True

    def edge(self, y):
        return 0.0


class Sofs(Keeps):
    """AROW with a diagonal S."""
    params = ("r", "features")

    def start(self, d):
        super().start(d)
        self.S = np.ones(d)

    def learn(self, t, x, y, h, m):
        l = hinge(y, m)
        if l == 0:
            return False
        beta = 1 / (self.S @ x**2 + self.r / h)
        self.w += l * beta * y * self.S * x
        self.S -= beta * (self.S * x) ** 2
        self.keep(self.features, -self.S)
        return True


# Confidence-weighted: w has the covariance S, diagonal here --------------------------

class Confident(Learner):
    """`rates(M, v, h)` is (alpha, beta), or None where there is no update."""

    def start(self, d):
        self.w = np.zeros(d)
        self.S = self.a * np.ones(d)

    def fade(self, g):
        # the weights are means, no sums: they stay
        self.S = 1 / (1 / self.a + g * (1 / self.S - 1 / self.a))

    def times_S(self, x):
        return self.S * x

    def shrink(self, Sx, beta):
        self.S -= beta * Sx**2

    def learn(self, t, x, y, h, m):
        Sx = self.times_S(x)
        v = x @ Sx
        self.needed = self.enough(v)
        rates = self.rates(y * m, v, h) if v > 0 and y * m < self.needed else None
        if rates is None or rates[0] <= 0:
            return False
        alpha, beta = rates
        self.w += alpha * y * Sx
        self.shrink(Sx, beta)
        return True

    def enough(self, v):
        """The M from which on there is no update."""
        return 1.0

    def edge(self, y):
        return self.needed


class Arow(Confident):
    params = ("r", "a")
    options = ("forget",)

    def rates(self, M, v, h):
        beta = 1 / (v + self.r / h)
        return (1 - M) * beta, beta


class Narow(Confident):
    params = ("b", "a")

    def rates(self, M, v, h):
        if v <= 1 / self.b:
            return None
        beta = 1 / (v + v / (self.b * v - 1) / h)
        return (1 - M) * beta, beta


class Nherd(Confident):
    params = ("C", "a")

    def rates(self, M, v, h):
        c = self.C * h
        return (1 - M) / (v + 1 / c), (c * c * v + 2 * c) / (1 + c * v) ** 2


class Cw(Confident):
    params = ("phi", "a")

    def enough(self, v):
        return self.phi * v

    def rates(self, M, v, h):
        if h != 1:
            raise ValueError("cw takes only the weights 0 and 1")
        phi, b = self.phi, 1 + 2 * self.phi * M
        alpha = (-b + np.sqrt(b * b - 8 * phi * (M - phi * v))) / (4 * phi * v)
        return alpha, 2 * alpha * phi / (1 + 2 * alpha * phi * v)


class Scw1(Confident):
    params = ("phi", "C", "a")
    options = ("forget",)

    def enough(self, v):
        return self.phi * np.sqrt(v)

    def rates(self, M, v, h):
        phi, alpha = self.phi, self.alpha(M, v, self.C * h)
        u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
        return alpha, alpha * phi / (np.sqrt(u) + v * alpha * phi)

    def alpha(self, M, v, C):
        phi = self.phi
        psi, zeta = 1 + phi**2 / 2, 1 + phi**2
        return min(C, (-M * psi + np.sqrt(M**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta))


class Scw2(Scw1):
    def alpha(self, M, v, C):
        phi, n = self.phi, v + 1 / (2 * C)
        gamma = phi * np.sqrt(phi**2 * M**2 * v**2 + 4 * n * v * (n + v * phi**2))
        return (-(2 * M * n + phi**2 * M * v) + gamma) / (2 * (n**2 + n * v * phi**2))


class Full:
    """S as a matrix."""

    def start(self, d):
        self.w = np.zeros(d)
        self.S = self.a * np.eye(d)

    def times_S(self, x):
        return self.S @ x

    def shrink(self, Sx, beta):
        self.S -= beta * np.outer(Sx, Sx)


class ArowFull(Full, Arow):
    pass


class NarowFull(Full, Narow):
    pass


class CwFull(Full, Cw):
    pass


class Scw1Full(Full, Scw1):
    pass


class Scw2Full(Full, Scw2):
    pass


class Sop(Learner):
    params = ("a",)

    def start(self, d):
        self.v = np.zeros(d)
        self.X = self.a * np.ones(d)

    def look(self, x):
        self.x = x

    def weights(self, t):
        return self.v / (self.X + self.x**2)

    def final(self, t):
        return self.v / self.X

    def learn(self, t, x, y, h, m):
        if h != 1:
            raise ValueError("sop takes only the weights 0 and 1")
        if y * m > 0:
            return False
        self.v += y * x
        self.add(x)
        return True

    def add(self, x):
        self.X += x**2

    def rescale(self, t, i, f):
        self.v[i] *= f

    def edge(self, y):
        return 0.0


class SopFull(Sop):
    def start(self, d):
        self.v = np.zeros(d)
        self.A = self.a * np.eye(d)

    def weights(self, t):
        return np.linalg.solve(self.A + np.outer(self.x, self.x), self.v)

    def final(self, t):
        return np.linalg.solve(self.A, self.v)

    def add(self, x):
        self.A += np.outer(x, x)

    def rescale(self, t, i, f):
        u = np.linalg.solve(self.A, self.v)
        u[i] *= f
        self.v = self.A @ u


# Batches -----------------------------------------------------------------------

class Batches(Learner):
    """Rows wait until `batch` of them are there (0: until the run ends)."""

    def start(self, d):
        super().start(d)
        self.rows = []
        self.late_updates = 0

    values = None  # where values are changed: Values

    def learn(self, t, x, y, h, m):
        # a batch is scaled as the scales are at its end
        self.rows.append((self.values.unscaled if self.values else x, y, h))
        if len(self.rows) == self.batch:
            self.finish()
        return False

    def finish(self):
        change = self.values.divided if self.values else lambda x: x
        self.learn_batch(np.array([change(x) for x, _, _ in self.rows]), [y for _, y, _ in self.rows],
                         [h for _, _, h in self.rows])
        self.rows = []

    def final(self, t):
        if self.rows:
            self.finish()
        return self.w


class Bcw(Batches):
    params = ("C", "q", "batch")

    def start(self, d):
        super().start(d)
        self.inverse = np.eye(d)  # S^-1

    def learn_batch(self, X, ys, hs):
        self.inverse += self.C * (X.T * hs) @ X
        S = np.linalg.inv(self.inverse)
        for x, y, h in zip(X, ys, hs):
            xi = 1 - y * (self.w @ x)
            v = x @ S @ x
            if xi <= 0 or v == 0:
                continue
            if self.q == 1:
                alpha = min(xi / v, self.C * h)
            else:
                alpha = xi / (v + 0.5 / (self.C * h))
            self.w = self.w + alpha * y * (S @ x)
            self.late_updates += 1


class Sbcw(Batches):
    """With explicit roots of the covariances: x^ = S_k^(1/2) x, mu_k = S_k^(1/2) w_k."""
    params = ("features", "C", "sigma", "q", "iterations", "inner", "refit", "tolerance", "batch", "C_cov", "score")
    covariance = True

    def start(self, d):
        super().start(d)
        self.groups = []    # lists of columns
        self.inverses = []  # S_k^-1
        self.first_seen = {}

    def see(self, columns):
        for c in columns:
            self.first_seen.setdefault(c, len(self.first_seen))

    def learn_batch(self, X, ys, hs):
        self.X, self.y, self.h = X, np.array(ys, float), np.array(hs, float)
        self.alpha = np.zeros(len(X))
        self.roots, self.hats, self.old_z = [], [], []
        later = bool(self.groups)
        if later:
            for k, group in enumerate(self.groups):
                self.include(k)
                # g = sigma S^-1 mu, z = S^(1/2) g
                self.old_z[k] = self.roots[k] @ (self.sigma * self.inverses[k] @ self.w[group])
            self.passes(self.refit or 1, sparse=False)
            most = -(-self.features // self.r)
            wanted = len(self.groups) == most and sum(map(len, self.groups)) < self.features
            n = max(1, (len(self.groups) + 5) // 10) if len(self.groups) > 1 else int(wanted)
            for _ in range(n):
                lengths = [np.linalg.norm(z) for z in self.z()]
                self.drop(min(range(len(self.groups)), key=lambda k: (len(self.groups[k]) if wanted else 0, lengths[k])))
            self.passes(1, sparse=False)
        most = -(-self.features // self.r)
        while sum(map(len, self.groups)) < self.features and len(self.groups) < most:
            group = self.choose(min(self.r, self.features - sum(map(len, self.groups))))
            if not group:
                break
            self.groups.append(group)
            self.inverses.append(np.eye(len(group)))
            self.include(len(self.groups) - 1)
            self.passes(self.inner, sparse=not later)
        if self.refit or later:
            self.passes(self.refit or 1, sparse=False)
        self.w = np.zeros(X.shape[1])
        for group, root, w in zip(self.groups, self.roots, self.ws):
            self.w[group] = root @ w
        self.late_updates += int(np.sum(self.alpha > 0))

    @property
    def r(self):
        return min(512, -(-self.features // self.iterations))

    def touched(self):
        return sum((hat ** 2).sum(1) for hat in self.hats) > 0 if self.hats else np.zeros(len(self.X), bool)

    def choose(self, n):
        alpha = np.where(self.touched(), self.alpha, 1 if self.q == 1 else 2) if self.groups else 1
        s = (alpha * self.h * self.y) @ self.X
        scores = s ** 2
        if self.covariance and self.score == "covariance":
            scores = scores / (1 + self.C_cov * (self.h @ self.X ** 2))
        chosen = {c for group in self.groups for c in group}
        order = sorted((c for c in range(len(s)) if c not in chosen and scores[c] > 0),
                       key=lambda c: (-scores[c], self.first_seen[c]))
        return order[:n]

    def include(self, k):
        part = self.X[:, self.groups[k]]
        if self.covariance:
            self.inverses[k] = self.inverses[k] + self.C_cov * (part.T * self.h) @ part
        values, vectors = np.linalg.eigh(self.inverses[k])
        self.roots.append(vectors @ np.diag(values ** -0.5) @ vectors.T)
        self.hats.append(part @ self.roots[k])
        self.old_z.append(np.zeros(len(self.groups[k])))

    def drop(self, k):
        """The last group takes its place."""
        for parts in (self.groups, self.inverses, self.roots, self.hats, self.old_z):
            parts[k] = parts[-1]
            parts.pop()

    def z(self):
        return [old + self.C * (self.alpha * self.h * self.y) @ hat for old, hat in zip(self.old_z, self.hats)]

    def gradient(self, z, sparse):
        """grad Omega*(z), by the definition: with the lengths sorted."""
        a = np.array([np.linalg.norm(part) for part in z])
        S = 0.0
        if sparse:
            for m, least in enumerate(np.sort(a)[::-1], 1):
                S_m = np.sort(a)[::-1][:m].sum() / (self.sigma + m)
                if least > S_m:
                    S = S_m
        return [part * (max(k - S, 0) / (self.sigma * k) if k > 0 else 0) for part, k in zip(z, a)]

    def objective(self, z, sparse):
        ws = self.gradient(z, sparse)
        lengths = np.array([np.linalg.norm(w) for w in ws])
        omega = self.sigma / 2 * (lengths ** 2).sum() + (lengths.sum() ** 2 / 2 if sparse else 0)
        a = np.where(self.touched(), self.alpha, 1 if self.q == 1 else 2)
        return self.C * (self.h * (a if self.q == 1 else a - a ** 2 / 4)).sum() \
            - sum(w @ part for w, part in zip(ws, z)) + omega

    def passes(self, n, sparse):
        norms = sum((hat ** 2).sum(1) for hat in self.hats) if self.hats else np.zeros(len(self.X))
        before = None
        for _ in range(n):
            z = self.z()
            ws = self.gradient(z, sparse)
            for i in np.flatnonzero(norms > 0):
                xi = 1 - self.y[i] * sum(w @ hat[i] for w, hat in zip(ws, self.hats))
                c, a = self.C * self.h[i], self.alpha[i]
                if self.q == 1:
                    new = min(1.0, max(0.0, a + self.sigma * xi / (c * norms[i])))
                else:
                    new = max(0.0, a + (xi - a / 2) / (c * norms[i] / self.sigma + 0.5))
                if abs(new - a) <= 1e-12 * a:
                    continue
                self.alpha[i] = new
                z = [part + c * (new - a) * self.y[i] * hat[i] for part, hat in zip(z, self.hats)]
                ws = self.gradient(z, sparse)
            now = self.objective(self.z(), sparse)
            if before is not None and abs(now - before) <= self.tolerance * abs(now):
                break
            before = now
        self.ws = self.gradient(self.z(), sparse)


class Fgm(Sbcw):
    params = tuple(p for p in Sbcw.params if p not in ("C_cov", "score"))
    covariance = False


LEARNERS = {
    "perceptron": Perceptron,
    "pa": PA,
    "pa-1": PA1,
    "pa-2": PA2,
    "fsol": Fsol,
    "ssol": Ssol,
    "ssol-full": SsolFull,
    "cs-fsol": CsFsol,
    "cs-ssol": CsSsol,
    "cs-ssol-full": CsSsolFull,
    "stg": Stg,
    "fobos": Fobos,
    "ada-fobos": AdaFobos,
    "ada-rda": AdaRda,
    "rda": Rda,
    "ftrl": Ftrl,
    "cs-ogd": CsOgd,
    "cpa": CPA,
    "paum": Paum,
    "olsf": Olsf,
    "olsf-1": Olsf1,
    "olsf-2": Olsf2,
    "olsf-all": OlsfAll,
    "olsf-rand": OlsfRand,
    "olsf-per": OlsfPer,
    "ofs": Ofs,
    "ofs-p": OfsP,
    "sofs": Sofs,
    "arow": Arow,
    "narow": Narow,
    "nherd": Nherd,
    "scw-1": Scw1,
    "scw-2": Scw2,
    "cw": Cw,
    "sop": Sop,
    "arow-full": ArowFull,
    "narow-full": NarowFull,
    "scw-1-full": Scw1Full,
    "scw-2-full": Scw2Full,
    "cw-full": CwFull,
    "sop-full": SopFull,
    "bcw": Bcw, "sbcw": Sbcw, "fgm": Fgm,
}


class Values:
    """What --transform, --scale and --normalize make of the values of rows, which are 32-bit floats at every step."""

    def __init__(self, d, transform="none", scale="none", normalize="none"):
        self.transform, self.scale, self.normalize = transform, scale, normalize
        self.scales = np.zeros(d, np.float32)
        self.rows, self.having = 0, np.zeros(d)  # of idf: how many there were, and how many had the feature

    def transformed(self, x):
        x = x.astype(np.float32)
        if self.transform == "log1p":
            return (np.sign(x) * np.log1p(np.abs(x.astype(float)))).astype(np.float32)
        return np.sign(x) if self.transform == "binary" else x

    def divided(self, x):
        if self.scale == "idf":
            x = (x.astype(float) * (1 + np.log((1 + self.rows) / (1 + self.having)))).astype(np.float32)
        elif self.scale != "none":
            x = np.divide(x, self.scales, out=np.zeros_like(x), where=self.scales > 0)
        length = np.sqrt(np.sum(x.astype(float) ** 2))
        if self.normalize == "l2" and length > 0:
            x = (x.astype(float) / length).astype(np.float32)
        return x.astype(float)

    def next(self, t, x, learner):
        """The row that the learner sees in round t; its scales, and weights with them, have grown."""
        self.unscaled = self.transformed(x)
        if self.scale == "idf":  # the row counts for those after it
            x = self.divided(self.unscaled)
            self.rows += 1
            self.having += self.unscaled != 0
            return x
        for i in np.flatnonzero(np.abs(self.unscaled) > self.scales) if self.scale != "none" else []:
            larger = np.abs(self.unscaled[i])
            if self.scales[i] > 0 and self.scale == "running":
                learner.rescale(t, i, float(larger) / float(self.scales[i]))
            self.scales[i] = larger
        return self.divided(self.unscaled)


class Run:
    """One pass of a learner over a stream: the counts and the weights it ends with.

    `closest` is the smallest distance of any margin from where a decision would
    have changed: when it is near the rounding of 32-bit weights, counts may differ.
    """

    def __init__(self, name, stream, params, **changes):
        learner = LEARNERS[name](stream.dimension, **params)
        values = Values(stream.dimension, **changes) if changes else None
        learner.values = values
        self.examples = self.mistakes = self.updates = 0
        self.closest = np.inf
        seen = np.zeros(stream.dimension, bool)
        t = 0
        for y, h, columns, x in stream.examples():
            if h == 0:  # as if the row were absent
                continue
            t += 1
            seen[columns] = True
            learner.see(columns)
            if learner.forget != 1:
                learner.fade(learner.forget)
            if values:
                x = values.next(t, x, learner)
            learner.look(x)
            # Summed in the example's order: with whole numbers margins lie exactly on
            # an edge, and another order would round some to the other side of it.
            terms = learner.weights(t)[columns] * x[columns]
            m = float(np.cumsum(terms)[-1]) if len(terms) else 0.0
            prediction = 1 if m > 0 else -1
            stepped = learner.learn(t, x, y, h, m)
            self.mistakes += prediction != y
            # A step along x = 0 changes nothing and is no update.
            self.updates += bool(stepped and x.any())
            if m != 0:
                self.closest = min(self.closest, abs(m), abs(y * m - learner.edge(y)))
        self.examples = t
        w = learner.final(t)
        self.updates += learner.late_updates
        self.features_seen = int(seen.sum())
        self.weights = {stream.ids[i]: float(w[i]) for i in np.flatnonzero(w)}
        self.nonzeros = len(self.weights)
